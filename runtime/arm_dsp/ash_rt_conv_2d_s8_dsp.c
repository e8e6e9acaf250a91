/* ash_rt_conv_2d_s8_dsp.c - convolution, int8, with Arm's DSP instructions.
 *
 * The input of two or three pixels is spread out as columns of 16-bit numbers
 * (im2col) that lie block by block of four taps side by side; then two channels
 * are summed up for all of them at once (a register block of 3 x 2), so that
 * each weight is widened once for three products. */
#include "ash_rt_dsp.h"

enum { ASH_RT_CONV_PIXELS = 3 };

typedef struct ash_rt_conv_dsp {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks;   /* of eight taps, in a column */
  int16_t *columns; /* of up to three pixels */
  int8_t *bytes;    /* one column before it is spread out */
} ash_rt_conv_dsp;

static inline ash_rt_conv_dsp
ash_rt_conv_begin_dsp(const ash_rt_conv_2d_s8_params *p,
                      const int32_t *multiplier, const int8_t *shift,
                      const int32_t *bias, const int8_t *filter, void *scratch,
                      int32_t most) {
  const ash_rt_window *w = &p->window;
  const int32_t blocks = (w->filter_h * w->filter_w * w->in_c + 7) / 8;
  int16_t *const columns = scratch;
  const ash_rt_conv_dsp k = {
      p,      multiplier, shift,   bias,
      filter, blocks,     columns, (int8_t *)(columns + 8 * most * blocks)};
  return k;
}

/* ---- columns ------------------------------------------------------------- */

static inline int8_t *ash_rt_conv_copy_dsp(int8_t *to, const int8_t *from,
                                           int32_t count) {
  for (; count >= 4; count -= 4, from += 4, to += 4)
    ASH_RT_COPY(to, from, 4);
  for (; count > 0; count--)
    *to++ = *from++;
  return to;
}

/* A pixel of `count` bytes, zero points if it is outside the input; blocks of
 * four. */
static inline int16_t *ash_rt_conv_tap_dsp(int16_t *to, int32_t step,
                                           const int8_t *from, int32_t count,
                                           int32_t zero) {
  if (from)
    return ash_rt_spread_dsp(to, step, from, count);
  for (; count > 0; count -= 4, to += step)
    for (int32_t i = 0; i < 4; i++)
      to[i] = (int16_t)zero;
  return to;
}

/* The column of a pixel at the border, tap by tap. Not inlined: the loop over
 * pixels wants registers. */
static ASH_RT_NOINLINE void ash_rt_conv_column_dsp(const ash_rt_conv_dsp *k,
                                                   const ash_rt_lines *in,
                                                   int32_t y, int32_t x,
                                                   int16_t *to, int32_t step) {
  const ash_rt_window *w = &k->p->window;
  const int32_t in_c = w->in_c, zero = -k->p->in_offset;
  int32_t row = y * w->stride_h - w->pad_top;
  int8_t *bytes = k->bytes;
  for (int32_t i = 0; i < w->filter_h; i++, row += w->dilation_h) {
    const int8_t *const line =
        row >= 0 && row < w->in_h ? ash_rt_line(in, row) : NULL;
    /* A row outside is one piece. */
    const int32_t taps = line ? w->filter_w : 1;
    const int32_t count = line ? in_c : w->filter_w * in_c;
    int32_t column = x * w->stride_w - w->pad_left;
    for (int32_t j = 0; j < taps; j++, column += w->dilation_w) {
      const int8_t *const from = line && column >= 0 && column < w->in_w
                                     ? line + (ptrdiff_t)column * in_c
                                     : NULL;
      if (in_c % 4 == 0)
        to = ash_rt_conv_tap_dsp(to, step, from, count, zero);
      else
        for (int32_t c = 0; c < count; c++)
          *bytes++ = (int8_t)(from ? from[c] : zero);
    }
  }
  if (in_c % 4 != 0)
    (void)ash_rt_spread_dsp(to, step, k->bytes,
                            w->filter_h * w->filter_w * in_c);
}

/* The same for a pixel without padding, from the start of the lines on. */
ASH_RT_INLINE void ash_rt_conv_inner_dsp(const ash_rt_conv_dsp *k,
                                         const ash_rt_lines *in, int32_t run,
                                         int16_t *to, int32_t step) {
  const ash_rt_window *w = &k->p->window;
  const int32_t rows = w->filter_h, next = w->dilation_h;
  ash_rt_lines rest = *in;
  int8_t *bytes = k->bytes;
  int32_t i = rows;
  if (run % 4 == 0) {
    do {
      to = ash_rt_spread_dsp(to, step, ash_rt_line(&rest, 0), run);
      rest = ash_rt_lines_from(&rest, next, 0);
    } while (--i != 0);
    return;
  }
  do {
    bytes = ash_rt_conv_copy_dsp(bytes, ash_rt_line(&rest, 0), run);
    rest = ash_rt_lines_from(&rest, next, 0);
  } while (--i != 0);
  (void)ash_rt_spread_dsp(to, step, k->bytes, rows * run);
}

/* ---- register blocks ----------------------------------------------------- */

/* Two channels of up to three pixels: columns from `x` to `end`, and what the
 * next two channels begin with, to which all pointers are moved. */
typedef struct ash_rt_conv_block {
  const int16_t *x;
  const int8_t *filter;
  const int16_t *end;
  const int32_t *bias;
  const int32_t *multiplier;
  const int8_t *shift;
  int32_t twice; /* the zero point, and 1 */
  int8_t *out[ASH_RT_CONV_PIXELS];
} ash_rt_conv_block;

#if ASH_RT_HAS_DSP
/* As assembly with its own choice of registers: a block of 3 x 2 takes all
 * fourteen, of which compilers keep one or two for themselves (r7 without
 * optimisation, r9 for position-independent data). The sums are in r4 to r9;
 * `end` is on the stack. A pass of the loop is sixteen taps; an odd number of
 * eights starts in its middle: one block of eight is 16 * pixels bytes of
 * columns, so that bit 4 (bit 5 for two pixels) of their size tells. */
#define ASH_RT_CONV_WEIGHTS                                                    \
  "ldr r10, [r1], #4\n"                                                        \
  "ldr lr, [r1], #4\n"                                                         \
  "sxtb16 r11, r10\n"                                                          \
  "sxtb16 r10, r10, ror #8\n"                                                  \
  "sxtb16 r12, lr\n"                                                           \
  "sxtb16 lr, lr, ror #8\n"
#define ASH_RT_CONV_PRODUCTS(first, second)                                    \
  "ldrd r2, r3, [r0], #8\n"                                                    \
  "smlad " first ", r11, r2, " first "\n"                                      \
  "smlad " second ", r12, r2, " second "\n"                                    \
  "smlad " first ", r10, r3, " first "\n"                                      \
  "smlad " second ", lr, r3, " second "\n"
#define ASH_RT_CONV_ONE   ASH_RT_CONV_WEIGHTS ASH_RT_CONV_PRODUCTS("r4", "r5")
#define ASH_RT_CONV_TWO   ASH_RT_CONV_ONE ASH_RT_CONV_PRODUCTS("r6", "r7")
#define ASH_RT_CONV_THREE ASH_RT_CONV_TWO ASH_RT_CONV_PRODUCTS("r8", "r9")

/* ash_rt_rescale_dsp of two sums, and their place in the output. */
#define ASH_RT_CONV_STORE(first, second, out)                                  \
  "lsl " first ", " first ", #1\n"                                             \
  "lsl " second ", " second ", #1\n"                                           \
  "smmulr " first ", " first ", r10\n"                                         \
  "smmulr " second ", " second ", r11\n"                                       \
  "add " first ", " first ", " first ", asr #31\n"                             \
  "add " second ", " second ", " second ", asr #31\n"                          \
  "asr " first ", " first ", r12\n"                                            \
  "asr " second ", " second ", lr\n"                                           \
  "add " first ", " first ", r3\n"                                             \
  "add " second ", " second ", r3\n"                                           \
  "ldr r1, [r0, #" out "]\n"                                                   \
  "ssat " first ", #8, " first ", asr #1\n"                                    \
  "ssat " second ", #8, " second ", asr #1\n"                                  \
  "strb " first ", [r1], #1\n"                                                 \
  "strb " second ", [r1], #1\n"                                                \
  "str r1, [r0, #" out "]\n"
#define ASH_RT_CONV_STORE_1 ASH_RT_CONV_STORE("r4", "r5", "28")
#define ASH_RT_CONV_STORE_2                                                    \
  ASH_RT_CONV_STORE_1 ASH_RT_CONV_STORE("r6", "r7", "32")
#define ASH_RT_CONV_STORE_3                                                    \
  ASH_RT_CONV_STORE_2 ASH_RT_CONV_STORE("r8", "r9", "36")

#define ASH_RT_CONV_RUN(block, odd, store, at)                                 \
  __asm__ volatile("push {r0, r7, r9}\n"                                       \
                   "ldm r0, {r0, r1, r2, r3}\n"                                \
                   "push {r2}\n"                                               \
                   "ldrd r4, r5, [r3]\n"                                       \
                   "mov r6, r4\n"                                              \
                   "mov r7, r5\n"                                              \
                   "mov r8, r4\n"                                              \
                   "mov r9, r5\n"                                              \
                   "sub r2, r2, r0\n"                                          \
                   "tst r2, #" odd "\n"                                        \
                   "bne 2f\n"                                                  \
                   "1:\n" block block "2:\n" block block "ldr r2, [sp]\n"      \
                   "cmp r0, r2\n"                                              \
                   "bcc 1b\n"                                                  \
                   "ldr r0, [sp, #4]\n"                                        \
                   "ldr r3, [r0, #12]\n"                                       \
                   "str r1, [r0, #4]\n"                                        \
                   "add r3, r3, #8\n"                                          \
                   "ldrd r1, r2, [r0, #16]\n"                                  \
                   "str r3, [r0, #12]\n"                                       \
                   "ldrd r10, r11, [r1], #8\n"                                 \
                   "ldrsb r12, [r2], #1\n"                                     \
                   "ldrsb lr, [r2], #1\n"                                      \
                   "strd r1, r2, [r0, #16]\n"                                  \
                   "ldr r3, [r0, #24]\n" store "pop {r2}\n"                    \
                   "pop {r0, r7, r9}\n"                                        \
                   : "+r"(at)                                                  \
                   :                                                           \
                   : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10", "r11",   \
                     "r12", "lr", "cc", "memory")

ASH_RT_INLINE void ash_rt_conv_block_dsp(ash_rt_conv_block *b, int32_t pixels) {
  register ash_rt_conv_block *at __asm__("r0") = b;
  if (pixels == 3)
    ASH_RT_CONV_RUN(ASH_RT_CONV_THREE, "16", ASH_RT_CONV_STORE_3, at);
  else if (pixels == 2)
    ASH_RT_CONV_RUN(ASH_RT_CONV_TWO, "32", ASH_RT_CONV_STORE_2, at);
  else
    ASH_RT_CONV_RUN(ASH_RT_CONV_ONE, "16", ASH_RT_CONV_STORE_1, at);
}
#else
/* One channel of one pixel. */
static int8_t ash_rt_conv_sum_dsp(const ash_rt_conv_block *b, int32_t pixels,
                                  int32_t pixel, int32_t channel) {
  const int8_t *w = b->filter + 4 * channel;
  int32_t s = b->bias[channel];
  for (const int16_t *x = b->x + 4 * pixel; x < b->end;
       x += 4 * pixels, w += 8) {
    const uint32_t v = ash_rt_load_4(w);
    s = ash_rt_mla_pair(s, ash_rt_even(v), ash_rt_load_pair(x));
    s = ash_rt_mla_pair(s, ash_rt_odd(v), ash_rt_load_pair(x + 2));
  }
  return ash_rt_rescale_dsp(s, b->multiplier[channel], b->shift[channel],
                            b->twice);
}

static void ash_rt_conv_block_dsp(ash_rt_conv_block *b, int32_t pixels) {
  for (int32_t i = 0; i < pixels; i++)
    for (int32_t c = 0; c < 2; c++)
      *b->out[i]++ = ash_rt_conv_sum_dsp(b, pixels, i, c);
  b->filter += 2 * (b->end - b->x) / pixels;
  b->bias += 2;
  b->multiplier += 2;
  b->shift += 2;
}
#endif

/* Two channels that never change. */
static inline void ash_rt_conv_constant_dsp(ash_rt_conv_block *b,
                                            int32_t pixels) {
  const int32_t first = b->bias[0], second = b->bias[1];
  for (int32_t i = 0; i < pixels; i++) {
    *b->out[i]++ = (int8_t)first;
    *b->out[i]++ = (int8_t)second;
  }
  b->bias += 2;
  b->multiplier += 2;
  b->shift += 2;
}

/* All channels of the pixels whose columns are there. Not inlined: the
 * assembly leaves no registers to who calls it. */
ASH_RT_INLINE void ash_rt_conv_channels_dsp(const ash_rt_conv_dsp *k,
                                            int8_t *const *pixel,
                                            int32_t pixels) {
  const ash_rt_conv_2d_s8_params *p = k->p;
  const int32_t out_c = p->window.out_c;
  int8_t last[ASH_RT_CONV_PIXELS][2];
  ash_rt_conv_block b = {
      k->columns,
      k->filter,
      k->columns + 8 * (ptrdiff_t)(pixels * k->blocks),
      k->bias,
      k->multiplier,
      k->shift,
      2 * p->out_offset + 1,
      {pixel[0], pixel[pixels > 1], pixel[pixels > 2 ? 2 : 0]}};
  for (int32_t c = out_c; c > 0; c -= 2) {
    if (c == 1) /* the second of two is not there */
      for (int32_t i = 0; i < pixels; i++)
        b.out[i] = last[i];
    if (*b.shift < 0)
      ash_rt_conv_constant_dsp(&b, pixels);
    else
      ash_rt_conv_block_dsp(&b, pixels);
  }
  if (out_c & 1)
    for (int32_t i = 0; i < pixels; i++)
      pixel[i][out_c - 1] = last[i][0];
  for (int32_t i = 0; i < pixels; i++)
    ash_rt_clamp_run_s8(pixel[i], out_c, p->act_min, p->act_max);
}

static ASH_RT_NOINLINE void ash_rt_conv_one_dsp(const ash_rt_conv_dsp *k,
                                                int8_t *const *pixel) {
  ash_rt_conv_channels_dsp(k, pixel, 1);
}

static ASH_RT_NOINLINE void ash_rt_conv_three_dsp(const ash_rt_conv_dsp *k,
                                                  int8_t *const *pixel) {
  ash_rt_conv_channels_dsp(k, pixel, 3);
}

/* ---- lines --------------------------------------------------------------- */

typedef void ash_rt_conv_pixels_dsp(const ash_rt_conv_dsp *k,
                                    int8_t *const *pixel);

/* How many pixels are summed up next, of those that are left. */
ASH_RT_INLINE int32_t ash_rt_conv_group_dsp(int32_t left, int32_t most,
                                            int pairs) {
  return left >= most ? most : left >= 2 && pairs ? 2 : 1;
}

/* Output lines [from, to), in groups of `most` pixels, the last of a line with
 * the first of the next; what is left at the end is done in a pair, if there is
 * a function for pairs, or alone. */
ASH_RT_INLINE void ash_rt_conv_core_dsp(const ash_rt_conv_dsp *k,
                                        const ash_rt_lines *in,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to, int32_t most,
                                        ash_rt_conv_pixels_dsp *pair) {
  const ash_rt_window *w = &k->p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const int32_t run = w->filter_w * w->in_c, out_c = w->out_c;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  const ash_rt_lines known = *in; /* so that nobody else changes `in` */
  int8_t *pixels[ASH_RT_CONV_PIXELS];
  int32_t left = (to - from) * w->out_w, slot = 0;
  int32_t group = ash_rt_conv_group_dsp(left, most, pair != NULL);
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int whole = top >= 0 && top + reach < w->in_h && w->dilation_w == 1;
    const int32_t low = whole ? inner.lo : w->out_w;
    ash_rt_lines under =
        ash_rt_lines_from(in, whole ? top : 0, -w->pad_left * w->in_c);
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += out_c) {
      int16_t *const column = k->columns + 4 * slot;
      if (x >= low && x < inner.hi)
        ash_rt_conv_inner_dsp(k, &under, run, column, 4 * group);
      else
        ash_rt_conv_column_dsp(k, &known, y, x, column, 4 * group);
      under = ash_rt_lines_from(&under, 0, step);
      pixels[slot++] = pixel;
      if (slot < group)
        continue;
      if (group == 3)
        ash_rt_conv_three_dsp(k, pixels);
      else if (pair && group == 2)
        pair(k, pixels);
      else
        ash_rt_conv_one_dsp(k, pixels);
      left -= group;
      slot = 0;
      group = ash_rt_conv_group_dsp(left, most, pair != NULL);
    }
  }
}

/* kernel conv_2d_s8_dsp */
void ash_rt_conv_2d_s8_dsp(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_dsp k =
      ash_rt_conv_begin_dsp(p, multiplier, shift, bias, filter, scratch, 3);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_dsp(&k, &i, &o, 0, w->out_h, 3, NULL);
  }
}

/* kernel conv_2d_s8_dsp_lines */
/* Lines are made for want of memory: columns of three pixels must not take more
 * than the lines under a window and the one that is made of them. */
static int32_t ash_rt_conv_most_dsp(const ash_rt_window *w) {
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const int32_t lines = w->filter_h * w->in_w * w->in_c + w->out_w * w->out_c;
  return 6 * ((taps + 7) / 8 * 8) <= lines ? 3 : 2;
}

/* A line often ends with a group that is not full. */
static ASH_RT_NOINLINE void ash_rt_conv_two_dsp(const ash_rt_conv_dsp *k,
                                                int8_t *const *pixel) {
  ash_rt_conv_channels_dsp(k, pixel, 2);
}

void ash_rt_conv_2d_s8_dsp_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch) {
  const int32_t most = ash_rt_conv_most_dsp(&p->window);
  const ash_rt_conv_dsp k =
      ash_rt_conv_begin_dsp(p, multiplier, shift, bias, filter, scratch, most);
  ash_rt_conv_core_dsp(&k, in, out, from, to, most, ash_rt_conv_two_dsp);
}
