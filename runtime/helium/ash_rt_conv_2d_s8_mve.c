/* ash_rt_conv_2d_s8_mve.c - convolution, int8, with Helium.
 *
 * The input of a pixel is one column of bytes (a copy, unless it lies in one
 * piece already). Three pixels by two channels are summed up at once (a
 * register block), so that weights are read once for three pixels. What a line
 * has left is done two by two, or one pixel by four channels. */
#include "ash_rt_mve.h"
#include "ash_rt_parts.h"

typedef struct ash_rt_conv_mve {
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks; /* of sixteen taps, in a column */
} ash_rt_conv_mve;

/* `count` bytes of each of so many pixels, which are `step` apart. */
static inline int8_t *ash_rt_conv_gather_mve(int8_t *to, const int8_t *from,
                                             int32_t count, int32_t pixels,
                                             ptrdiff_t step) {
#if ASH_RT_HAS_MVE
  if (count <= 16) {
    const mve_pred16_t p = vctp8q((uint32_t)count);
    for (; pixels > 0; pixels--, from += step, to += count)
      vstrbq_p_s8(to, vldrbq_z_s8(from, p), p);
    return to;
  }
#endif
  for (; pixels > 0; pixels--, from += step)
    to = ash_rt_copy_mve(to, from, count);
  return to;
}

/* The column of a pixel whose taps do not lie side by side: those of a window
 * with dilation, or of a group of channels. */
static inline void ash_rt_conv_apart_mve(const ash_rt_conv_2d_s8_params *p,
                                         int32_t in_step,
                                         const ash_rt_lines *in, int32_t y,
                                         int32_t x, int8_t *to) {
  const ash_rt_window *w = &p->window;
  const int32_t count = w->in_c, zero = -p->in_offset;
  const int32_t left = x * w->stride_w - w->pad_left;
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  const ptrdiff_t step = (ptrdiff_t)in_step * w->dilation_w;
  const ptrdiff_t at = (ptrdiff_t)in_step * left + h.lo * step;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t i = 0; i < w->filter_h; i++, row += w->dilation_h) {
    const int inside = row >= 0 && row < w->in_h && h.lo < h.hi;
    to = ash_rt_fill_mve(to, zero, (inside ? h.lo : w->filter_w) * count);
    if (!inside)
      continue;
    to = ash_rt_conv_gather_mve(to, (const int8_t *)ash_rt_line(in, row) + at,
                                count, h.hi - h.lo, step);
    to = ash_rt_fill_mve(to, zero, (w->filter_w - h.hi) * count);
  }
}

/* Not inlined: borders are rare, and the loop over pixels wants registers. */
static ASH_RT_NOINLINE void
ash_rt_conv_column_mve(const ash_rt_conv_2d_s8_params *p,
                       const ash_rt_lines *in, int32_t y, int32_t x,
                       int8_t *to) {
  if (p->window.dilation_w > 1)
    ash_rt_conv_apart_mve(p, p->window.in_c, in, y, x, to);
  else
    ash_rt_conv_column(p, in, y, x, to, ash_rt_fill_mve, ash_rt_copy_mve);
}

/* The lines under the windows of an output line, which are looked up once;
 * lines of a higher filter are found pixel by pixel. */
enum { ASH_RT_CONV_LINES = 10 };

/* Columns of so many blocks are short: a group of three pixels takes fewer
 * instructions than one of two. */
enum { ASH_RT_CONV_FILLED = 4 };

/* The same for a pixel without padding, where there are too many lines: of an
 * image in one piece, from its first tap on .. */
ASH_RT_INLINE void ash_rt_conv_plain_mve(const ash_rt_window *w,
                                         const ash_rt_lines *in, int8_t *to) {
  const int32_t run = w->filter_w * w->in_c, step = w->dilation_h;
  const int8_t *line = in->base;
  for (int32_t k = w->filter_h; k > 0; k--, line += step * in->pitch)
    to = ash_rt_copy_mve(to, line, run);
}

/* Runs of three lines, one behind the other: most filters are so high. */
static inline void ash_rt_conv_copy_three_mve(int8_t *to, const int8_t *a,
                                              const int8_t *b, const int8_t *c,
                                              int32_t run) {
#if ASH_RT_HAS_MVE
  int8_t *second = to + run, *third = second + run;
  __asm__ volatile("dlstp.8 lr, %[n]\n"
                   "1:\n"
                   "vldrb.8 q0, [%[a]], #16\n"
                   "vstrb.8 q0, [%[x]], #16\n"
                   "vldrb.8 q1, [%[b]], #16\n"
                   "vstrb.8 q1, [%[y]], #16\n"
                   "vldrb.8 q2, [%[c]], #16\n"
                   "vstrb.8 q2, [%[z]], #16\n"
                   "letp lr, 1b\n"
                   : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [x] "+r"(to),
                     [y] "+r"(second), [z] "+r"(third)
                   : [n] "r"(run)
                   : "lr", "q0", "q1", "q2", "cc", "memory");
#else
  to = ash_rt_copy_mve(to, a, run);
  to = ash_rt_copy_mve(to, b, run);
  (void)ash_rt_copy_mve(to, c, run);
#endif
}

/* .. and runs of `count` lines, `at` bytes after their start. */
ASH_RT_INLINE void ash_rt_conv_inner_mve(const int8_t *const *lines,
                                         int32_t count, ptrdiff_t at,
                                         int32_t run, int8_t *to) {
  if (count == 3) {
    ash_rt_conv_copy_three_mve(to, lines[0] + at, lines[1] + at, lines[2] + at,
                               run);
    return;
  }
  for (; count > 0; count--)
    to = ash_rt_copy_mve(to, *lines++ + at, run);
}

/* ---- register blocks ----------------------------------------------------- */

/* Columns of three pixels, and what the next four channels begin with. The
 * assembly below knows this order. */
typedef struct ash_rt_conv_block {
  const int8_t *x[3];
  int32_t more; /* blocks after the first */
  const int8_t *filter;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  int8_t *out[3];
  int32_t rest; /* channels that are left */
  int32_t offset, low, high;
} ash_rt_conv_block;

#if ASH_RT_HAS_MVE
/* As assembly, in which loads and products take turns, since each of them takes
 * a Cortex-M55 two cycles unless the next is of the other kind; with its own
 * choice of registers, because compilers spill around ten of them. Two channels
 * of three pixels: the last two products of a block are made while the next is
 * loaded. */
#define ASH_RT_CONV_SIX(i, j)                                                  \
  "vldrb.8 q3, [r11], #16\n"                                                   \
  "mov r8, #0\n"                                                               \
  "vldrb.8 q0, [r1], #16\n"                                                    \
  "mov r10, #0\n"                                                              \
  "vmladav.s8 r0, q0, q3\n"                                                    \
  "vldrb.8 q1, [r3], #16\n"                                                    \
  "vmladav.s8 r2, q1, q3\n"                                                    \
  "vldrb.8 q2, [r5], #16\n"                                                    \
  "vmladav.s8 r4, q2, q3\n"                                                    \
  "vldrb.8 q4, [r11], #16\n"                                                   \
  "vmladav.s8 r6, q0, q4\n"                                                    \
  "wls lr, r9, 3f\n"                                                           \
  "2:\n"                                                                       \
  "vldrb.8 q3, [r11], #16\n"                                                   \
  "vmladava.s8 r8, q1, q4\n"                                                   \
  "vldrb.8 q0, [r1], #16\n"                                                    \
  "vmladava.s8 r10, q2, q4\n"                                                  \
  "vmladava.s8 r0, q0, q3\n"                                                   \
  "vldrb.8 q1, [r3], #16\n"                                                    \
  "vmladava.s8 r2, q1, q3\n"                                                   \
  "vldrb.8 q2, [r5], #16\n"                                                    \
  "vmladava.s8 r4, q2, q3\n"                                                   \
  "vldrb.8 q4, [r11], #16\n"                                                   \
  "vmladava.s8 r6, q0, q4\n"                                                   \
  "le lr, 2b\n"                                                                \
  "3:\n"                                                                       \
  "vmladava.s8 r8, q1, q4\n"                                                   \
  "vmladava.s8 r10, q2, q4\n"                                                  \
  "vmov q5[" #j "], q5[" #i "], r0, r6\n"                                      \
  "vmov q6[" #j "], q6[" #i "], r2, r8\n"                                      \
  "vmov q7[" #j "], q7[" #i "], r4, r10\n"
#define ASH_RT_CONV_SUMS                                                       \
  "1:\n"                                                                       \
  "ldm r12, {r1, r3, r5, r9, r11}\n" ASH_RT_CONV_SIX(                          \
      0, 2) "ldm r12, {r1, r3, r5}\n" ASH_RT_CONV_SIX(1, 3)

/* Four channels of three pixels after four, up to the last or to constant
 * ones: of each four the first and the third, then the second and the fourth,
 * which leaves the sums of a pixel in order. Not inlined: compilers keep
 * predicates where assembly cannot say that it uses that register. */
static ASH_RT_NOINLINE void ash_rt_conv_run_mve(ash_rt_conv_block *block) {
  register ash_rt_conv_block *at __asm__("r12") = block;
  __asm__ volatile(
      ASH_RT_CONV_SUMS "str r11, [r12, #16]\n"
                       "add lr, r12, #20\n"
                       "ldm lr, {r0, r1, r2, r3, r4, r5, r6, r8, r9, r10}\n"
                       "vldrw.32 q2, [r2], #16\n"
                       "vldrw.32 q0, [r0], #16\n"
                       "vadd.i32 q5, q5, q2\n"
                       "vadd.i32 q6, q6, q2\n"
                       "vadd.i32 q7, q7, q2\n"
                       "vldrb.s32 q1, [r1], #4\n"
                       "vqrdmulh.s32 q5, q5, q0\n"
                       "vqrdmulh.s32 q6, q6, q0\n"
                       "vqrdmulh.s32 q7, q7, q0\n"
                       "vshr.s32 q2, q5, #31\n"
                       "vshr.s32 q3, q6, #31\n"
                       "vshr.s32 q4, q7, #31\n"
                       "vqadd.s32 q5, q5, q2\n"
                       "vqadd.s32 q6, q6, q3\n"
                       "vqadd.s32 q7, q7, q4\n"
                       "vrshl.s32 q5, q5, q1\n"
                       "vrshl.s32 q6, q6, q1\n"
                       "vrshl.s32 q7, q7, q1\n"
                       "vdup.32 q3, r9\n"
                       "vdup.32 q4, r10\n"
                       "vadd.i32 q5, q5, r8\n"
                       "vadd.i32 q6, q6, r8\n"
                       "vadd.i32 q7, q7, r8\n"
                       "vmax.s32 q5, q5, q3\n"
                       "vmax.s32 q6, q6, q3\n"
                       "vmax.s32 q7, q7, q3\n"
                       "vmin.s32 q5, q5, q4\n"
                       "vmin.s32 q6, q6, q4\n"
                       "vmin.s32 q7, q7, q4\n"
                       "vctp.32 r6\n"
                       "vpsttt\n"
                       "vstrbt.32 q5, [r3], #4\n"
                       "vstrbt.32 q6, [r4], #4\n"
                       "vstrbt.32 q7, [r5], #4\n"
                       "subs r6, r6, #4\n"
                       "stm lr, {r0, r1, r2, r3, r4, r5, r6}\n"
                       "ble 4f\n"
                       "ldrsb r9, [r1]\n"
                       "cmp r9, #0\n"
                       "ble 1b\n"
                       "4:\n"
      : "+r"(at)
      :
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11",
        "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "cc", "memory");
}

/* Four channels' sums of one pixel. */
static inline ash_rt_four ash_rt_conv_sum_mve(const int32_t *bias,
                                              const int8_t *x, const int8_t *w,
                                              int32_t blocks) {
  int32_t a = bias[0], b = bias[1], c = bias[2], d = bias[3];
  const int8_t *v = w + 32 * blocks;
  __asm__("dls lr, %[n]\n"
          "1:\n"
          "vldrb.8 q0, [%[x]], #16\n"
          "vldrb.8 q1, [%[w]], #16\n"
          "vmladava.s8 %[a], q0, q1\n"
          "vldrb.8 q1, [%[w]], #16\n"
          "vmladava.s8 %[c], q0, q1\n"
          "vldrb.8 q1, [%[v]], #16\n"
          "vmladava.s8 %[b], q0, q1\n"
          "vldrb.8 q1, [%[v]], #16\n"
          "vmladava.s8 %[d], q0, q1\n"
          "le lr, 1b\n"
          : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [x] "+r"(x),
            [w] "+r"(w), [v] "+r"(v)
          : [n] "r"(blocks)
          : "lr", "q0", "q1", "memory");
  const int32x4_t s = {a, b, c, d};
  return s;
}

/* The first and the third channel of two pixels; the weights of the next. */
static inline const int8_t *
ash_rt_conv_square_mve(const int32_t *bias, const int8_t *x, const int8_t *y,
                       const int8_t *w, int32_t blocks, int32_t *sums) {
  int32_t a = bias[0], b = bias[2], c = a, d = b;
  __asm__("dls lr, %[n]\n"
          "1:\n"
          "vldrb.8 q0, [%[x]], #16\n"
          "vldrb.8 q2, [%[w]], #16\n"
          "vmladava.s8 %[a], q0, q2\n"
          "vldrb.8 q1, [%[y]], #16\n"
          "vmladava.s8 %[c], q1, q2\n"
          "vldrb.8 q3, [%[w]], #16\n"
          "vmladava.s8 %[b], q0, q3\n"
          "vmladava.s8 %[d], q1, q3\n"
          "le lr, 1b\n"
          : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [x] "+r"(x),
            [y] "+r"(y), [w] "+r"(w)
          : [n] "r"(blocks)
          : "lr", "q0", "q1", "q2", "q3", "memory");
  sums[0] = a;
  sums[2] = b;
  sums[4] = c;
  sums[6] = d;
  return w;
}

/* Four channels' sums of two pixels; the weights of the next four. */
static inline const int8_t *
ash_rt_conv_pair_mve(const int32_t *bias, const int8_t *const *x,
                     const int8_t *w, int32_t blocks, int32_t *sums) {
  w = ash_rt_conv_square_mve(bias, x[0], x[1], w, blocks, sums);
  return ash_rt_conv_square_mve(bias + 1, x[0], x[1], w, blocks, sums + 1);
}
#else
static inline ash_rt_four ash_rt_conv_sum_mve(const int32_t *bias,
                                              const int8_t *x, const int8_t *w,
                                              int32_t blocks) {
  ash_rt_four s = ash_rt_four_load(bias);
  for (int32_t k = 0; k < blocks; k++, x += 16)
    for (int32_t c = 0; c < 4; c++)
      s.at[c] = (int32_t)((uint32_t)s.at[c] +
                          ash_rt_dot_s8(
                              x, w + 32 * (c % 2 * blocks + k) + 16 * (c / 2),
                              16, 0));
  return s;
}

static inline const int8_t *
ash_rt_conv_pair_mve(const int32_t *bias, const int8_t *const *x,
                     const int8_t *w, int32_t blocks, int32_t *sums) {
  for (int32_t i = 0; i < 2; i++) {
    const ash_rt_four s = ash_rt_conv_sum_mve(bias, x[i], w, blocks);
    for (int32_t c = 0; c < 4; c++)
      sums[4 * i + c] = s.at[c];
  }
  return w + 64 * blocks;
}

static void ash_rt_conv_run_mve(ash_rt_conv_block *b) {
  const int32_t blocks = b->more + 1;
  for (int32_t i = 0; i < 3; i++, b->out[i - 1] += 4) {
    ash_rt_four s = ash_rt_conv_sum_mve(b->bias, b->x[i], b->filter, blocks);
    s = ash_rt_rescale_mve(s, b->multiplier, b->shift, b->offset);
    ash_rt_store_mve(s, ash_rt_four_of(b->low), ash_rt_four_of(b->high),
                     b->out[i], b->rest);
  }
  b->filter += 64 * blocks;
  b->multiplier += 4;
  b->shift += 4;
  b->bias += 4;
  b->rest -= 4;
}
#endif

/* All channels of three pixels, from their columns. */
ASH_RT_INLINE void ash_rt_conv_three_mve(const ash_rt_conv_2d_s8_params *p,
                                         const ash_rt_conv_mve *k,
                                         ash_rt_conv_block *b,
                                         int8_t *const *pixel) {
  b->filter = k->filter;
  b->multiplier = k->multiplier;
  b->shift = k->shift;
  b->bias = k->bias;
  b->out[0] = pixel[0];
  b->out[1] = pixel[1];
  b->out[2] = pixel[2];
  b->rest = p->window.out_c;
  ASH_RT_NO_UNROLL
  while (b->rest > 0) {
    if (*b->shift <= 0) {
      ash_rt_conv_run_mve(b);
      continue;
    }
    const ash_rt_four x = ash_rt_four_load(b->bias);
    for (int32_t i = 0; i < 3; i++, b->out[i - 1] += 4)
      ash_rt_store_mve(x, ash_rt_four_of(b->low), ash_rt_four_of(b->high),
                       b->out[i], b->rest);
    b->multiplier += 4;
    b->shift += 4;
    b->bias += 4;
    b->rest -= 4;
  }
}

/* The same of two pixels. Without the layer's parameters: where they are
 * constants of the caller, nobody else wants them in memory. */
static ASH_RT_NOINLINE void ash_rt_conv_two_mve(const ash_rt_conv_mve *k,
                                                const ash_rt_conv_block *block,
                                                int32_t channels,
                                                int8_t *const *pixel) {
  const int32_t *bias = k->bias, *multiplier = k->multiplier;
  const int8_t *filter = k->filter, *shift = k->shift;
  const int32_t blocks = k->blocks, offset = block->offset;
  const ash_rt_four low = ash_rt_four_of(block->low);
  const ash_rt_four high = ash_rt_four_of(block->high);
  int8_t *first = pixel[0], *second = pixel[1];
  ASH_RT_NO_UNROLL
  for (int32_t rest = channels; rest > 0; rest -= 4) {
    ash_rt_four a = ash_rt_four_load(bias), b = a;
    if (*shift <= 0) {
      int32_t sums[8];
      filter = ash_rt_conv_pair_mve(bias, block->x, filter, blocks, sums);
      a = ash_rt_rescale_mve(ash_rt_four_load(sums), multiplier, shift, offset);
      b = ash_rt_rescale_mve(ash_rt_four_load(sums + 4), multiplier, shift,
                             offset);
    }
    ash_rt_store_mve(a, low, high, first, rest);
    ash_rt_store_mve(b, low, high, second, rest);
    bias += 4;
    multiplier += 4;
    shift += 4;
    first += 4;
    second += 4;
  }
}

/* The same of one pixel. */
static ASH_RT_NOINLINE void ash_rt_conv_one_mve(const ash_rt_conv_mve *k,
                                                const ash_rt_conv_block *block,
                                                int32_t channels, int8_t *out) {
  const int32_t *bias = k->bias, *multiplier = k->multiplier;
  const int8_t *filter = k->filter, *shift = k->shift;
  const int32_t blocks = k->blocks, offset = block->offset;
  const ash_rt_four low = ash_rt_four_of(block->low);
  const ash_rt_four high = ash_rt_four_of(block->high);
  ASH_RT_NO_UNROLL
  for (int32_t rest = channels; rest > 0; rest -= 4) {
    ash_rt_four s;
    if (*shift > 0) {
      s = ash_rt_four_load(bias);
    } else {
      s = ash_rt_conv_sum_mve(bias, block->x[0], filter, blocks);
      s = ash_rt_rescale_mve(s, multiplier, shift, offset);
      filter += 64 * blocks;
    }
    ash_rt_store_mve(s, low, high, out, rest);
    bias += 4;
    multiplier += 4;
    shift += 4;
    out += 4;
  }
}

/* ---- lines --------------------------------------------------------------- */

/* Are the first `count` columns read from other bytes than the pixels at `out`
 * are written to? */
static inline int ash_rt_conv_is_apart_mve(const ash_rt_conv_block *b,
                                           int32_t count, const int8_t *out,
                                           int32_t bytes) {
  const int32_t column = 16 * (b->more + 1);
  for (int32_t i = 0; i < count; i++)
    if ((uintptr_t)b->x[i] < (uintptr_t)out + (uintptr_t)bytes &&
        (uintptr_t)out < (uintptr_t)b->x[i] + (uintptr_t)column)
      return 0;
  return 1;
}

/* Output lines [from, to), in groups of three pixels. Taps in one piece are
 * read where they are, and some bytes after them, for which there are no
 * weights, as long as these belong to the line or, if it is `plain`, to the
 * image. The last pixels of a line are joined with the first of the next,
 * unless that may lie where they are read. The last group of a plain image is
 * filled up with its last pixel, and so are two pixels with short columns. */
ASH_RT_INLINE ASH_RT_MAYBE_UNUSED void
ash_rt_conv_core_mve(const ash_rt_conv_2d_s8_params *p,
                     const ash_rt_conv_mve *k, const ash_rt_lines *in,
                     int plain, const ash_rt_lines *out, int32_t from,
                     int32_t to, int8_t *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  const int32_t height = w->filter_h, run = w->filter_w * w->in_c;
  const int point = height == 1 && w->filter_w == 1;
  const int is_low = height <= ASH_RT_CONV_LINES;
  const int unpadded = /* known before, where parameters are constants */
      w->pad_top == 0 && (w->out_h - 1) * w->stride_h + reach < w->in_h;
  const ptrdiff_t in_line = (ptrdiff_t)w->in_w * w->in_c - 16 * k->blocks;
  const ash_rt_lines known = *in; /* so that nobody else changes `in` */
  ash_rt_conv_block b;
  int8_t *pixels[3];
  int32_t slot = 0;
  b.more = k->blocks - 1;
  b.offset = p->out_offset;
  b.low = p->act_min;
  b.high = p->act_max;
  ASH_RT_NO_UNROLL
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int inside_v = unpadded || (top >= 0 && top + reach < w->in_h);
    const int whole = inside_v && w->dilation_w == 1 && (plain || is_low);
    const int8_t *lines[ASH_RT_CONV_LINES];
    ash_rt_lines under =
        ash_rt_lines_from(in, inside_v ? top : 0, -w->pad_left * w->in_c);
    ptrdiff_t at = -(ptrdiff_t)w->pad_left * w->in_c;
    lines[0] = ash_rt_line(in, inside_v ? top : 0);
    for (int32_t i = 1; is_low && i < height; i++) /* compilers want them all */
      lines[i] = whole ? ash_rt_line(in, top + i * w->dilation_h) : lines[0];
    const int32_t low = whole ? inner.lo : w->out_w;
    const int8_t *const stop =
        plain ? (const int8_t *)in->base + w->in_h * in->pitch : NULL;
    int8_t *pixel = ash_rt_line_out(out, y);
    ASH_RT_NO_UNROLL
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      const int inside = x >= low && x < inner.hi;
      const int8_t *const first = plain ? ash_rt_line(&under, 0) : NULL;
      if (!scratch ||
          (inside && point &&
           (plain ? stop - first >= 16 * k->blocks : at <= in_line))) {
        b.x[slot] = plain ? first : lines[0] + at;
      } else {
        int8_t *const column = scratch + 16 * slot * k->blocks;
        b.x[slot] = column;
        if (inside && is_low)
          ash_rt_conv_inner_mve(lines, height, at, run, column);
        else if (inside)
          ash_rt_conv_plain_mve(w, &under, column);
        else
          ash_rt_conv_column_mve(p, &known, y, x, column);
      }
      pixels[slot] = pixel;
      if (plain)
        under = ash_rt_lines_from(&under, 0, step);
      at += step;
      if (++slot < 3 &&
          (x + 1 < w->out_w ||
           (y + 1 < to &&
            (plain || !point ||
             ash_rt_conv_is_apart_mve(&b, slot, ash_rt_line_out(out, y + 1),
                                      2 * w->out_c)))))
        continue;
      if (plain && slot == 1)
        b.x[1] = b.x[0], pixels[1] = pixels[0];
      if (slot < 3 &&
          (plain || (slot == 2 && k->blocks <= ASH_RT_CONV_FILLED))) {
        b.x[2] = b.x[1], pixels[2] = pixels[1];
        slot = 3;
      }
      if (slot == 3)
        ash_rt_conv_three_mve(p, k, &b, pixels);
      else if (slot == 2)
        ash_rt_conv_two_mve(k, &b, w->out_c, pixels);
      else
        ash_rt_conv_one_mve(k, &b, w->out_c, pixels[0]);
      slot = 0;
    }
  }
}

/* ---- parts --------------------------------------------------------------- */

static ASH_RT_MAYBE_UNUSED void
ash_rt_conv_make_mve(const ash_rt_part *part, const ash_rt_part_data *data,
                     const ash_rt_lines *in, const ash_rt_lines *out,
                     int32_t from, int32_t to) {
  const ash_rt_conv_2d_s8_params *p = &part->p;
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_mve k = {data->multiplier, data->shift, data->bias,
                             data->filter, (taps + 15) / 16};
  ash_rt_conv_block b;
  int8_t *pixels[3];
  int32_t slot = 0;
  b.more = k.blocks - 1;
  b.offset = p->out_offset;
  b.low = p->act_min;
  b.high = p->act_max;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, part->line + y * part->line_step);
    pixel += part->out_at;
    for (int32_t x = 0; x < w->out_w; x++, pixel += part->out_step) {
      int8_t *const column = (int8_t *)data->scratch + 16 * slot * k.blocks;
      if (part->in_step != w->in_c)
        ash_rt_conv_apart_mve(p, part->in_step, in, y, x, column);
      else
        ash_rt_conv_column(p, in, y, x, column, ash_rt_fill_mve,
                           ash_rt_copy_mve);
      b.x[slot] = column;
      pixels[slot] = pixel;
      if (++slot < 3 && (x + 1 < w->out_w || y + 1 < to))
        continue;
      if (slot == 3)
        ash_rt_conv_three_mve(p, &k, &b, pixels);
      else if (slot == 2)
        ash_rt_conv_two_mve(&k, &b, w->out_c, pixels);
      else
        ash_rt_conv_one_mve(&k, &b, w->out_c, pixels[0]);
      slot = 0;
    }
  }
}

/* kernel conv_2d_s8_mve */
void ash_rt_conv_2d_s8_mve(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_mve k = {multiplier, shift, bias, filter, (taps + 15) / 16};
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_mve(p, &k, &i, 1, &o, 0, w->out_h, scratch);
  }
}

/* kernel conv_2d_s8_mve_lines */
void ash_rt_conv_2d_s8_mve_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_mve k = {multiplier, shift, bias, filter, (taps + 15) / 16};
  ash_rt_conv_core_mve(p, &k, in, 0, out, from, to, scratch);
}

/* kernel conv_2d_s8_groups_mve */
void ash_rt_conv_2d_s8_groups_mve(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 16};
  ash_rt_parts_of_images(p, 0, &data, up, in, out, ash_rt_conv_make_mve);
}

/* kernel conv_2d_s8_groups_mve_lines */
void ash_rt_conv_2d_s8_groups_mve_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 16};
  ash_rt_parts_of_lines(p, 0, &data, up, in, out, from, to,
                        ash_rt_conv_make_mve);
}

/* kernel transpose_conv_s8_mve */
void ash_rt_transpose_conv_s8_mve(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 16};
  ash_rt_parts_of_images(p, 1, &data, up, in, out, ash_rt_conv_make_mve);
}

/* kernel transpose_conv_s8_mve_lines */
void ash_rt_transpose_conv_s8_mve_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {4, 16};
  ash_rt_parts_of_lines(p, 1, &data, up, in, out, from, to,
                        ash_rt_conv_make_mve);
}
