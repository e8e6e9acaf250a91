/* test_tile_class.c - classes of pieces: whatever the cuts, the class that is
 * put together from the axes is that of the piece; and how they look in C. */
#include "base/rng.h"
#include "emit/tile/tile.h"
#include "net.h"
#include "pass/pass.h"

typedef struct scene {
  net n;
  const ash_tile_space *space;
} scene;

static scene lowered(net n, uint32_t op) {
  scene s = {.n = n};
  const char *why;
  CHECK_EQ(ash_pass_lower(n.ctx, n.g), ASH_OK);
  CHECK_EQ(ash_tile_space_of(n.ctx, &s.space, &why, n.g, op), ASH_OK);
  CHECK(s.space != NULL);
  return s;
}

static scene pool(int32_t size, int32_t window, int32_t stride) {
  net n = net_new();
  const int32_t out = (size + stride - 1) / stride;
  const uint32_t x =
      net_input(&n, ASH_FLOAT32, NET_DIMS(1, size, size, 4), 0, 0);
  const uint32_t y =
      net_result(&n, ASH_FLOAT32, NET_DIMS(1, out, out, 4), 0, 0);
  const uint32_t op = net_op(&n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  const int32_t missing = (out - 1) * stride + window - size;
  const int32_t pads = missing > 0 ? missing : 0;
  static const char *const both[][2] = {{"filter_h", "filter_w"},
                                        {"stride_h", "stride_w"},
                                        {"pad_top", "pad_left"},
                                        {"pad_bottom", "pad_right"}};
  const int32_t values[] = {window, stride, pads / 2, pads - pads / 2};
  for (size_t i = 0; i < 4; i++) {
    net_int(&n, op, both[i][0], values[i]);
    net_int(&n, op, both[i][1], values[i]);
  }
  return lowered(n, op);
}

static scene product(int32_t m, int32_t k, int32_t c) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(m, k), 0, 0);
  const uint32_t w = net_input(&n, ASH_FLOAT32, NET_DIMS(c, k), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(m, c), 0, 0);
  return lowered(n, net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y));
}

static ash_tiling tiling_of(const scene *s, uint32_t levels) {
  ash_tiling t = {.op = s->space->op, .space = s->space, .level_count = levels};
  for (uint32_t k = 0; k < levels; k++)
    for (uint32_t a = 0; a < s->space->axis_count; a++) {
      t.levels[k].tile[a] = s->space->axes[a].extent;
      t.levels[k].order[a] = a;
    }
  return t;
}

/* Every piece, however many: an odometer over the runs of all axes. */
static void check_all(const scene *s, const ash_tile_classes *c) {
  uint32_t run[ASH_TILE_AXES] = {0}, axes = s->space->axis_count, a;
  do {
    int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES] = {0};
    uint32_t number = 0;
    for (a = 0; a < axes; a++) {
      const ash_tile_run *r = &c->axes[a].items[run[a]];
      at[a] = r->at;
      n[a] = r->n;
      number = number * c->axes[a].class_count + r->class;
    }
    const ash_tile_part part = ash_domain_part_of(s->space, at, n);
    const ash_tile_function *f = &c->functions[c->cases[number].function];
    CHECK_EQ(f->part, part);
    CHECK(f->class == ash_domain_class(s->n.g, s->space, at, n, part));
    for (a = axes; a-- > 0 && ++run[a] == c->axes[a].count;)
      run[a] = 0;
  } while (a != UINT32_MAX);
}

static void cut_at_random(scene s, uint64_t seed) {
  ash_rng rng = {seed};
  for (int i = 0; i < 40; i++) {
    const ash_mark mark = ash_zone_mark(&s.n.ctx->scratch);
    ash_tile_classes c;
    ash_tiling t = tiling_of(&s, 1 + (uint32_t)ash_rng_below(&rng, 2));
    for (uint32_t k = 0; k < t.level_count; k++)
      for (uint32_t a = 0; a < s.space->axis_count; a++) {
        const ash_tile_axis *x = &s.space->axes[a];
        const uint64_t most = (uint64_t)(x->extent / x->granule);
        t.levels[k].tile[a] =
            x->granule * (1 + (int64_t)ash_rng_below(&rng, most));
      }
    CHECK_EQ(ash_emit_tile_classify(s.n.ctx, &c, s.n.g, &t), ASH_OK);
    check_all(&s, &c);
    ash_zone_rewind(&s.n.ctx->scratch, mark);
  }
  net_free(&s.n);
}

static void windows_cut_anywhere_have_the_right_classes(void) {
  cut_at_random(pool(11, 3, 1), 1);
  cut_at_random(pool(12, 5, 2), 2);
  cut_at_random(pool(9, 2, 3), 3);
}

static void sums_cut_anywhere_have_the_right_parts(void) {
  cut_at_random(product(5, 12, 7), 4);
  cut_at_random(product(1, 16, 3), 5);
}

static void a_window_has_first_middle_and_last_pieces(void) {
  scene s = pool(16, 3, 1);
  ash_tile_classes c;
  ash_tiling t = tiling_of(&s, 1);
  ash_text text;
  uint32_t cut = 0;
  while (strcmp(s.space->axes[cut].name, "h") != 0)
    cut++;
  t.levels[0].tile[cut] = 4;
  CHECK_EQ(ash_emit_tile_classify(s.n.ctx, &c, s.n.g, &t), ASH_OK);
  CHECK_EQ(c.function_count, 3);
  CHECK_EQ(c.axes[cut].class_count, 3);
  ash_text_init(&text, &s.n.ctx->mem);
  ash_emit_tile_classes(&text, "f", &c, s.space->axis_count);
  ash_text_put(&text, "", 1);
  CHECK(strstr(text.bytes, "] < 4 ? 0 : p->at[") != NULL);
  CHECK(strstr(text.bytes, "] < 12 ? 1 : 2);") != NULL);
  ash_text_drop(&text);
  net_free(&s.n);
}

static void parts_of_a_sum_are_first_middle_and_last(void) {
  scene s = product(1, 12, 2);
  ash_tile_classes c;
  ash_tiling t = tiling_of(&s, 1);
  for (uint32_t a = 0; a < s.space->axis_count; a++)
    if (s.space->axes[a].kind == ASH_AXIS_SUM)
      t.levels[0].tile[a] = 3;
  CHECK_EQ(ash_emit_tile_classify(s.n.ctx, &c, s.n.g, &t), ASH_OK);
  CHECK_EQ(c.function_count, 3);
  CHECK_EQ(c.functions[0].part, ASH_PART_FIRST);
  CHECK_EQ(c.functions[1].part, ASH_PART_MIDDLE);
  CHECK_EQ(c.functions[2].part, ASH_PART_LAST);
  net_free(&s.n);
}

static void a_step_that_is_not_cut_has_one_function(void) {
  scene s = pool(8, 3, 1);
  ash_tile_classes c;
  const ash_tiling t = tiling_of(&s, 2);
  CHECK_EQ(ash_emit_tile_classify(s.n.ctx, &c, s.n.g, &t), ASH_OK);
  CHECK_EQ(c.function_count, 1);
  CHECK_EQ(c.functions[0].part, ASH_PART_WHOLE);
  net_free(&s.n);
}

#define TESTS(X)                                                               \
  X(windows_cut_anywhere_have_the_right_classes)                               \
  X(sums_cut_anywhere_have_the_right_parts)                                    \
  X(a_window_has_first_middle_and_last_pieces)                                 \
  X(parts_of_a_sum_are_first_middle_and_last)                                  \
  X(a_step_that_is_not_cut_has_one_function)
TEST_MAIN(TESTS)
