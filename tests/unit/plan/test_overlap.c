/* test_overlap.c - results that follow the reading of their input: is the
 * distance right, and does the checker see when it is not kept? */
#include "plan_net.h"

#include "base/rng.h"
#include "kernel/frontier.h"

typedef struct window {
  int32_t h, w, c, filter, stride, pad, out_h, out_w;
} window;

static int32_t size_of(int32_t in, const window *k) {
  return (in + 2 * k->pad - k->filter) / k->stride + 1;
}

/* A pool, as the simplest window. */
static net make(const window *k, uint32_t *x, uint32_t *y) {
  net n = net_new();
  *x = net_input(&n, ASH_INT8, NET_DIMS(1, k->h, k->w, k->c), 1, 0);
  *y = net_result(&n, ASH_INT8, NET_DIMS(1, k->out_h, k->out_w, k->c), 1, 0);
  n.g->tensors.items[*y].is_output = true;
  const uint32_t op = net_op(&n, ASH_OP_max_pool_2d, NET_IDS(*x), *y);
  net_int(&n, op, "filter_h", k->filter);
  net_int(&n, op, "filter_w", k->filter);
  net_int(&n, op, "stride_h", k->stride);
  net_int(&n, op, "stride_w", k->stride);
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  for (int i = 0; i < 4; i++)
    net_int(&n, op, pads[i], k->pad);
  return n;
}

static window random_window(ash_rng *rng) {
  window k = {.h = 1 + (int32_t)ash_rng_below(rng, 7),
              .w = 1 + (int32_t)ash_rng_below(rng, 7),
              .c = 1 + (int32_t)ash_rng_below(rng, 3),
              .filter = 1 + (int32_t)ash_rng_below(rng, 3),
              .stride = 1 + (int32_t)ash_rng_below(rng, 3)};
  k.pad = (int32_t)ash_rng_below(rng, (uint64_t)k.filter);
  k.out_h = size_of(k.h, &k);
  k.out_w = size_of(k.w, &k);
  return k;
}

/* Runs the window over one strip of bytes with the input `distance` behind the
 * output: is every input byte read before it is overwritten? */
static bool runs_clean(const window *k, int64_t distance) {
  bool lost[512] = {false};
  const int64_t in = distance > 0 ? distance : 0, out = in - distance;
  for (int32_t y = 0; y < k->out_h; y++)
    for (int32_t x = 0; x < k->out_w; x++) {
      for (int32_t v = 0; v < k->filter; v++)
        for (int32_t h = 0; h < k->filter; h++) {
          const int32_t row = y * k->stride - k->pad + v;
          const int32_t column = x * k->stride - k->pad + h;
          if (row < 0 || row >= k->h || column < 0 || column >= k->w)
            continue;
          for (int32_t c = 0; c < k->c; c++)
            if (lost[in + (row * k->w + column) * k->c + c])
              return false;
        }
      /* A channel may be written before the next one is read. */
      for (int32_t c = 0; c < k->c; c++) {
        const int64_t at = out + (y * k->out_w + x) * k->c + c;
        lost[at] = true;
        if (c + 1 < k->c)
          for (int32_t v = 0; v < k->filter; v++)
            for (int32_t h = 0; h < k->filter; h++) {
              const int32_t row = y * k->stride - k->pad + v;
              const int32_t column = x * k->stride - k->pad + h;
              if (row >= 0 && row < k->h && column >= 0 && column < k->w &&
                  lost[in + (row * k->w + column) * k->c + c + 1])
                return false;
            }
      }
    }
  return true;
}

static void the_distance_keeps_every_byte_until_it_was_read(void) {
  ash_rng rng = {5};
  uint32_t tried = 0;
  for (int i = 0; i < 3000; i++) {
    const window k = random_window(&rng);
    uint32_t x, y;
    int64_t distance;
    if (k.out_h <= 0 || k.out_w <= 0)
      continue;
    net n = make(&k, &x, &y);
    CHECK(ash_kernel_frontier(n.g, 0, ash_kernel_find(n.g, 0, NULL, false), 0,
                              &distance));
    for (int64_t more = 0; more < 3; more++)
      CHECK(runs_clean(&k, distance + more));
    tried++;
    net_free(&n);
  }
  CHECK(tried > 1000);
}

/* The contract lets a kernel read until a pixel's last channel is written, so
 * one pixel more than this kernel needs. */
static void a_plain_window_needs_all_but_a_pixel_of_it(void) {
  const window k = {.h = 6,
                    .w = 6,
                    .c = 1,
                    .filter = 3,
                    .stride = 1,
                    .pad = 1,
                    .out_h = 6,
                    .out_w = 6};
  uint32_t x, y;
  int64_t distance;
  net n = make(&k, &x, &y);
  CHECK(ash_kernel_frontier(n.g, 0, ash_kernel_find(n.g, 0, NULL, false), 0,
                            &distance));
  CHECK_EQ(distance, 8); /* a row and two pixels */
  CHECK(runs_clean(&k, 7) && !runs_clean(&k, 6));
  net_free(&n);
}

/* The same for one line: it begins `distance` bytes before one of those that it
 * reads. */
static bool line_runs_clean(const window *k, int64_t distance) {
  bool lost[512] = {false};
  const int64_t in = distance > 0 ? distance : 0, out = in - distance;
  for (int32_t x = 0; x < k->out_w; x++)
    for (int32_t c = 0; c < k->c; c++) {
      /* A channel may be written before the next one is read. */
      for (int32_t h = 0; h < k->filter; h++) {
        const int32_t column = x * k->stride - k->pad + h;
        for (int32_t i = 0; i < k->c && column >= 0 && column < k->w; i++)
          if (lost[in + column * k->c + i])
            return false;
      }
      lost[out + x * k->c + c] = true;
    }
  return true;
}

static void the_distance_of_lines_keeps_every_byte_until_it_was_read(void) {
  ash_rng rng = {6};
  uint32_t tried = 0, tight = 0;
  for (int i = 0; i < 3000; i++) {
    const window k = random_window(&rng);
    uint32_t x, y;
    int64_t distance;
    if (k.h < 2 || k.out_h < 2 || k.out_w <= 0)
      continue;
    net n = make(&k, &x, &y);
    CHECK(ash_kernel_line_frontier(n.g, 0, ash_kernel_find(n.g, 0, NULL, false),
                                   0, &distance));
    for (int64_t more = 0; more < 3; more++)
      CHECK(line_runs_clean(&k, distance + more));
    tight += !line_runs_clean(&k, distance - k.c);
    tried++;
    net_free(&n);
  }
  CHECK(tried > 500 && tight > 100);
}

static const ash_plan *plan_overlapping(net *n, bool overlap) {
  const ash_plan_options o = {.overlap = overlap};
  return must_plan(n, small_device(n), &o);
}

static void a_plan_with_overlap_is_smaller_and_passes(void) {
  const window k = {.h = 16,
                    .w = 16,
                    .c = 2,
                    .filter = 3,
                    .stride = 1,
                    .pad = 1,
                    .out_h = 16,
                    .out_w = 16};
  uint32_t x, y;
  net n = make(&k, &x, &y);
  CHECK_EQ(plan_overlapping(&n, false)->arenas[0].size, 1024);
  const ash_plan *p = plan_overlapping(&n, true);
  CHECK_EQ(p->arenas[0].size, 512 + 48); /* 36 bytes, aligned */
  CHECK_EQ(p->verdict, ASH_OPTIMAL);
  CHECK(slot_of(p, y)->follows != ASH_NO_ID);
  const char *text;
  size_t count;
  CHECK_EQ(ash_plan_json(n.ctx, &text, &count, p, n.g), ASH_OK);
  CHECK_EQ(ash_check_plan_json(n.ctx, text, count, "plan.json"), ASH_OK);
  net_free(&n);
}

static void a_result_that_overtakes_the_reading_is_refused(void) {
  const window k = {.h = 16,
                    .w = 16,
                    .c = 2,
                    .filter = 3,
                    .stride = 1,
                    .pad = 1,
                    .out_h = 16,
                    .out_w = 16};
  uint32_t x, y;
  net n = make(&k, &x, &y);
  const ash_device *d = small_device(&n);
  const ash_plan_options o = {.overlap = true};
  ash_plan p = *must_plan(&n, d, &o);
  ash_slot slots[4];
  memcpy(slots, p.slots, p.slot_count * sizeof *slots);
  p.slots = slots;
  for (uint32_t i = 0; i < p.slot_count; i++)
    if (slots[i].tensor == x)
      slots[i].binding.offset -= 16;
  CHECK_EQ(ash_check_plan(n.ctx, &p, n.g, d), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_self_overlap);
  for (uint32_t i = 0; i < p.slot_count; i++)
    slots[i].follows = ASH_NO_ID; /* unsaid, it is a plain collision */
  CHECK_EQ(ash_check_plan(n.ctx, &p, n.g, d), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_overlap);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(the_distance_keeps_every_byte_until_it_was_read)                           \
  X(a_plain_window_needs_all_but_a_pixel_of_it)                                \
  X(the_distance_of_lines_keeps_every_byte_until_it_was_read)                  \
  X(a_plan_with_overlap_is_smaller_and_passes)                                 \
  X(a_result_that_overtakes_the_reading_is_refused)

TEST_MAIN(TESTS)
