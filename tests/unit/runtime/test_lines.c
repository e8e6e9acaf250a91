/* test_lines.c - kernels that compute lines of an image against the same
 * kernels for whole operators: input and output lines lie scattered in one
 * arena, runs of lines have random lengths, and a run may read the lines under
 * its windows and write its own lines, nothing else. */
#include "arm_dsp/ash_rt_dsp.h"
#include "ash_rt_layers_f32.h"
#include "check.h"
#include "helium/ash_rt_mve.h"
#include "kernel/kernel.h"
#include "random_window.h"
#include "riscv_v/ash_rt_rvv.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 300, ROOM = 40000, LINES = 16 };

/* Floats stand for bytes of any type. */
static ASH_RT_ALIGN(16) float in[ROOM], want[ROOM];
static ASH_RT_ALIGN(16) int8_t weights[ROOM], work[ROOM];
static ASH_RT_ALIGN(16) float weights_f32[ROOM];
static ASH_RT_ALIGN(16) int32_t bias[80], multiplier[80];
static float bias_f32[80];
static int8_t shift[80];

/* What is being tested. */
static ash_rt_window window;
static int32_t groups;
static void *scratch;
static int32_t in_offset, out_offset, per_channel, low, high;

/* A kernel; `from` below 0 stands for the whole operator. */
typedef struct line_kernel {
  const char *name;
  void (*prepare)(void);
  void (*whole)(const void *from, void *to);
  void (*lines)(const ash_rt_lines *from, const ash_rt_lines *to, int32_t first,
                int32_t end);
  int32_t size; /* of an element */
} line_kernel;

/* ---- data --------------------------------------------------------------- */

static void draw(int32_t dilation_max) {
  static const int32_t deep[] = {16, 31, 32, 33, 40, 48};
  window = random_window(dilation_max);
  window.batches = 1;
  if (random_below(3) == 0)
    window.in_c = deep[random_below(6)];
  if (random_below(3) == 0) /* points are a case of their own */
    window.filter_h = window.filter_w = 1;
  window.out_c = window.in_c;
  groups = 1;
  in_offset = random_between(-127, 128);
  out_offset = random_between(-128, 127);
  per_channel = random_below(2);
  fill_range(&low, &high);
  for (int32_t i = 0; i < 80; i++) {
    bias[i] = random_between(-20000, 20000);
    multiplier[i] = random_between(1 << 30, INT32_MAX - 1);
    shift[i] = (int8_t)random_between(-12, -1);
    bias_f32[i] = random_f32();
  }
  scratch = NULL;
}

static void fill_bytes(void) {
  fill_s8((int8_t *)in, window.in_h * window.in_w * window.in_c);
}

static void fill_floats(void) {
  fill_f32(in, window.in_h * window.in_w * window.in_c);
  fill_f32(weights_f32, window.filter_h * window.filter_w * window.in_c *
                            (window.out_c + 4));
}

/* Of two neighbouring taps, at most one weight is -128. */
static void fill_weights(void) {
  const int32_t taps = window.filter_h * window.filter_w * window.in_c + 16;
  for (int32_t i = 0; i < taps * (window.out_c + 4); i++)
    weights[i] = (int8_t)random_between(-127, 127);
}

static void prepare_pool(void) {
  draw(1);
  fill_bytes();
}

static void prepare_conv(void) {
  draw(3);
  groups = random_below(3) ? 1 : random_between(2, 3);
  if (groups > 1)
    window.in_c = groups * random_between(1, 3);
  window.out_c = groups * random_between(1, 18 / groups);
  fill_bytes();
  fill_weights();
}

static void prepare_depthwise(void) {
  draw(3);
  if (window.in_c < 20)
    window.out_c = window.in_c * random_between(1, 3);
  fill_bytes();
  fill_weights();
}

static int32_t taps_of(void) {
  return window.filter_h * window.filter_w * window.in_c;
}

/* Groups of channels that are constant have no weights. */
static void make_constants(int32_t group) {
  for (int32_t c = 0; c < window.out_c; c += group)
    if (random_below(5) == 0)
      for (int32_t i = c; i < c + group; i++) {
        bias[i] = random_s8();
        shift[i] = 1;
      }
}

static void prepare_conv_dsp(void) {
  static const int32_t order[] = {0, 2, 1, 3};
  draw(3);
  window.out_c = random_between(1, 18);
  fill_bytes();
  fill_weights();
  make_constants(2);
  const int32_t blocks = (taps_of() + 7) / 8 * 2;
  for (int32_t i = 0; i < (window.out_c + 1) * blocks * 4; i++)
    if (i / 8 % blocks * 4 + order[i % 4] >= taps_of())
      weights[i] = 0;
  scratch = work;
}

static void prepare_conv_mve(void) {
  draw(3);
  window.out_c = random_between(1, 18);
  fill_bytes();
  fill_weights();
  make_constants(4);
  const int32_t blocks = (taps_of() + 15) / 16;
  for (int32_t i = 0; i < (window.out_c + 4) * blocks * 16; i++)
    if (i / 64 % blocks * 16 + i % 16 >= taps_of())
      weights[i] = 0;
  const int plain = window.filter_h == 1 && window.filter_w == 1 &&
                    window.in_c % 16 == 0 && !window_is_padded(&window);
  scratch = plain && random_below(2) ? NULL : work;
}

static void prepare_conv_rvv(void) {
  draw(3);
  window.out_c = random_between(1, 40);
  fill_bytes();
  fill_weights();
  const int plain = window.filter_h == 1 && window.filter_w == 1 &&
                    !window_is_padded(&window);
  scratch = plain && random_below(2) ? NULL : work;
}

static void prepare_depthwise_packed(void) {
  draw(3);
  fill_bytes();
  fill_weights();
  scratch = window_is_padded(&window) || random_below(2) ? work : NULL;
}

static void prepare_pool_f32(void) {
  draw(1);
  fill_floats();
}

/* ---- the kernels -------------------------------------------------------- */

static ash_rt_conv_2d_s8_params conv_params(void) {
  const ash_rt_conv_2d_s8_params p = {
      window, groups, in_offset, out_offset, per_channel, low, high};
  return p;
}

static ash_rt_depthwise_conv_2d_s8_params depthwise_params(void) {
  const ash_rt_depthwise_conv_2d_s8_params p = {
      window, in_offset, out_offset, per_channel, low, high};
  return p;
}

static ash_rt_pool_2d_s8_params pool_params(void) {
  const ash_rt_pool_2d_s8_params p = {window, low, high};
  return p;
}

static ash_rt_window_f32_params window_f32_params(void) {
  const ash_rt_window_f32_params p = {window, -60.0f, 90.0f};
  return p;
}

/* Both functions of a kernel: parameters, then what is between input and
 * output, then what follows the output. */
#define KERNEL(name, params, before, after)                                    \
  static void whole_##name(const void *from, void *to) {                       \
    const params;                                                              \
    ash_rt_##name(&p, from before, to after);                                  \
  }                                                                            \
  static void lines_##name(const ash_rt_lines *from, const ash_rt_lines *to,   \
                           int32_t first, int32_t end) {                       \
    const params;                                                              \
    ash_rt_##name##_lines(&p, from before, to, first, end after);              \
  }
#define CONV             ash_rt_conv_2d_s8_params p = conv_params()
#define DEPTHWISE        ash_rt_depthwise_conv_2d_s8_params p = depthwise_params()
#define POOL             ash_rt_pool_2d_s8_params p = pool_params()
#define POOL_F32         ash_rt_window_f32_params p = window_f32_params()
#define COMMA            ,
#define PORTABLE         , weights, bias, multiplier, shift
#define CONV_PACKED      , multiplier, shift, bias, weights
#define DEPTHWISE_PACKED , weights, multiplier, shift, bias

KERNEL(conv_2d_s8, CONV, PORTABLE, )
KERNEL(depthwise_conv_2d_s8, DEPTHWISE, PORTABLE, )
KERNEL(average_pool_2d_s8, POOL, , )
KERNEL(max_pool_2d_s8, POOL, , )
KERNEL(conv_2d_s8_dsp, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_dsp, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(average_pool_2d_s8_dsp, POOL, , )
KERNEL(max_pool_2d_s8_dsp, POOL, , )
KERNEL(conv_2d_s8_mve, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_mve, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(average_pool_2d_s8_mve, POOL, , )
KERNEL(max_pool_2d_s8_mve, POOL, , )
KERNEL(conv_2d_s8_rvv, CONV, CONV_PACKED, COMMA scratch)
KERNEL(depthwise_conv_2d_s8_rvv, DEPTHWISE, DEPTHWISE_PACKED, COMMA scratch)
KERNEL(average_pool_2d_s8_rvv, POOL, , )
KERNEL(max_pool_2d_s8_rvv, POOL, , )
KERNEL(average_pool_2d_f32, POOL_F32, , )
KERNEL(max_pool_2d_f32, POOL_F32, , )

static const line_kernel kernels[] = {
#define ROW(name, prepare, size)                                               \
  {#name, prepare, whole_##name, lines_##name, size},
    ROW(conv_2d_s8, prepare_conv,
        1) ROW(depthwise_conv_2d_s8, prepare_depthwise,
               1) ROW(average_pool_2d_s8, prepare_pool,
                      1) ROW(max_pool_2d_s8, prepare_pool,
                             1) ROW(conv_2d_s8_dsp, prepare_conv_dsp, 1)
        ROW(depthwise_conv_2d_s8_dsp, prepare_depthwise_packed,
            1) ROW(average_pool_2d_s8_dsp, prepare_pool,
                   1) ROW(max_pool_2d_s8_dsp, prepare_pool,
                          1) ROW(conv_2d_s8_mve, prepare_conv_mve, 1)
            ROW(depthwise_conv_2d_s8_mve, prepare_depthwise_packed,
                1) ROW(average_pool_2d_s8_mve, prepare_pool,
                       1) ROW(max_pool_2d_s8_mve, prepare_pool, 1)
                ROW(conv_2d_s8_rvv, prepare_conv_rvv, 1)
                    ROW(depthwise_conv_2d_s8_rvv, prepare_depthwise_packed, 1)
                        ROW(average_pool_2d_s8_rvv, prepare_pool, 1)
                            ROW(max_pool_2d_s8_rvv, prepare_pool, 1)
                                ROW(average_pool_2d_f32, prepare_pool_f32, 4)
                                    ROW(max_pool_2d_f32, prepare_pool_f32, 4)};

/* ---- the arena ---------------------------------------------------------- */

/* The lines of input and output at random places of an arena that ends with
 * the last of them. */
typedef struct scattered {
  int8_t *arena, *image; /* and what must be in it */
  size_t bytes;
  uint16_t at_in[LINES], at_out[LINES];
  ash_rt_lines in, out;
  size_t in_line, out_line; /* bytes */
} scattered;

static void *arena_line(const ash_rt_lines *lines, int32_t y) {
  return ash_rt_line_out(lines, y);
}

/* A place behind what is taken. */
static size_t place(scattered *s, size_t line, int32_t unit) {
  const size_t gap = (size_t)(random_below(6) * unit);
  const size_t at =
      (s->bytes + (size_t)unit - 1) / (size_t)unit * (size_t)unit + gap;
  s->bytes = at + line;
  return at;
}

/* Single lines in random order, all of the input and all of the output. */
static void place_lines(scattered *s, int32_t unit) {
  int32_t in_left = window.in_h, out_left = window.out_h;
  uint8_t taken[2][LINES] = {{0}};
  while (in_left + out_left > 0) {
    const int is_out = random_below(in_left + out_left) >= in_left;
    const int32_t count = is_out ? window.out_h : window.in_h;
    int32_t y = random_below(count);
    while (taken[is_out][y])
      y = (y + 1) % count;
    taken[is_out][y] = 1;
    const size_t at = place(s, is_out ? s->out_line : s->in_line, unit);
    (is_out ? s->at_out : s->at_in)[y] = (uint16_t)(at / (size_t)unit);
    in_left -= !is_out;
    out_left -= is_out;
  }
}

/* Lines at equal distances, the other way to say where they are. */
static ash_rt_lines place_evenly(scattered *s, int32_t count, size_t line,
                                 int32_t unit) {
  const ptrdiff_t pitch = (ptrdiff_t)line + random_below(3) * unit;
  const ash_rt_lines lines = {NULL, NULL, 0, pitch};
  const size_t first = place(s, line + (size_t)((count - 1) * pitch), unit);
  ash_rt_lines even = lines;
  even.base = (const void *)(uintptr_t)first;
  return even;
}

static scattered scatter(int32_t size) {
  const int32_t unit = size << random_below(3);
  scattered s = {.in_line = (size_t)(window.in_w * window.in_c * size),
                 .out_line = (size_t)(window.out_w * window.out_c * size)};
  s.in = (ash_rt_lines){NULL, s.at_in, unit, 0};
  s.out = (ash_rt_lines){NULL, s.at_out, unit, 0};
  place_lines(&s, unit);
  if (random_below(4) == 0)
    s.in = place_evenly(&s, window.in_h, s.in_line, size);
  if (random_below(4) == 0)
    s.out = place_evenly(&s, window.out_h, s.out_line, size);
  s.arena = malloc(s.bytes);
  s.image = malloc(s.bytes);
  fill_s8(s.arena, (int32_t)s.bytes);
  s.in.base = s.arena + (uintptr_t)s.in.base;
  s.out.base = s.arena + (uintptr_t)s.out.base;
  return s;
}

/* The input rows under output rows [from, to). */
static int reads(int32_t row, int32_t from, int32_t to) {
  for (int32_t y = from; y < to; y++)
    for (int32_t k = 0; k < window.filter_h; k++)
      if (y * window.stride_h - window.pad_top + k * window.dilation_h == row)
        return 1;
  return 0;
}

/* What a run does not read is random. */
static void fill_inputs(const scattered *s, int32_t from, int32_t to) {
  for (int32_t y = 0; y < window.in_h; y++) {
    int8_t *line = arena_line(&s->in, y);
    if (reads(y, from, to))
      memcpy(line, (const int8_t *)in + (size_t)y * s->in_line, s->in_line);
    else
      fill_s8(line, (int32_t)s->in_line);
  }
}

static void run_lines(const line_kernel *k, const scattered *s, int32_t from,
                      int32_t to) {
  fill_inputs(s, from, to);
  fill_s8(work, 4096);
  memcpy(s->image, s->arena, s->bytes);
  for (int32_t y = from; y < to; y++) {
    const int8_t *line = arena_line(&s->out, y);
    memcpy(s->image + (line - s->arena),
           (const int8_t *)want + (size_t)y * s->out_line, s->out_line);
  }
  k->lines(&s->in, &s->out, from, to);
  if (memcmp(s->image, s->arena, s->bytes) != 0) {
    fprintf(stderr, "%s_lines, lines %d to %d of %d\n", k->name, (int)from,
            (int)to, (int)window.out_h);
    CHECK(false);
  }
}

static void kernel_agrees(const line_kernel *k) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    k->prepare();
    k->whole(in, want);
    scattered s = scatter(k->size);
    for (int32_t from = 0, to; from < window.out_h; from = to) {
      to = from + random_between(1, window.out_h - from);
      run_lines(k, &s, from, to);
    }
    free(s.arena);
    free(s.image);
  }
}

static void lines_are_those_of_the_whole_operator(void) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    kernel_agrees(&kernels[i]);
}

static void every_kernel_with_lines_is_tested(void) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++) {
    size_t t = 0;
    while (t < sizeof kernels / sizeof *kernels &&
           strcmp(kernels[t].name, k->name) != 0)
      t++;
    if (k->lines && t == sizeof kernels / sizeof *kernels) {
      fprintf(stderr, "%s_lines is not tested\n", k->name);
      CHECK(false);
    }
  }
}

#define TESTS(X)                                                               \
  X(lines_are_those_of_the_whole_operator)                                     \
  X(every_kernel_with_lines_is_tested)
TEST_MAIN(TESTS)
