/* ash_rt_conv_2d_s8_dsp.c - convolution, int8, with Arm's DSP instructions.
 *
 * The input of two or three pixels is spread out as columns of 16-bit numbers
 * (im2col) that lie block by block of four taps side by side; then two channels
 * are summed up for all of them at once (a register block of 3 x 2), so that
 * each weight is widened once for three products.
 *
 * Where lines are made for want of memory, the columns of three pixels may take
 * too much of it. Then those of one row of the filter do, and the sums so far
 * are kept in between. */
#include "ash_rt_dsp.h"
#include "ash_rt_parts.h"

enum { ASH_RT_CONV_PIXELS = 3 };

typedef struct ash_rt_conv_dsp {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks;   /* of eight taps, in a column */
  int32_t step;     /* from an input pixel to the next */
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
      p,       multiplier, shift,
      bias,    filter,     blocks,
      w->in_c, columns,    (int8_t *)(columns + 8 * most * blocks)};
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

/* The taps of one row of the filter, on line `row` of the input, whose channels
 * are a multiple of 4. */
ASH_RT_INLINE int16_t *ash_rt_conv_row_dsp(const ash_rt_conv_dsp *k,
                                           const ash_rt_lines *in, int32_t row,
                                           int32_t x, int16_t *to,
                                           int32_t step) {
  const ash_rt_window *w = &k->p->window;
  const int32_t in_c = w->in_c, zero = -k->p->in_offset;
  int32_t column = x * w->stride_w - w->pad_left;
  if (row < 0 || row >= w->in_h)
    return ash_rt_conv_tap_dsp(to, step, NULL, w->filter_w * in_c, zero);
  const int8_t *const line = ash_rt_line(in, row);
  for (int32_t j = 0; j < w->filter_w; j++, column += w->dilation_w)
    to = ash_rt_conv_tap_dsp(to, step,
                             column >= 0 && column < w->in_w
                                 ? line + (ptrdiff_t)column * k->step
                                 : NULL,
                             in_c, zero);
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
    int32_t column = x * w->stride_w - w->pad_left;
    if (in_c % 4 == 0) {
      to = ash_rt_conv_row_dsp(k, in, row, x, to, step);
      continue;
    }
    for (int32_t j = 0; j < w->filter_w; j++, column += w->dilation_w) {
      const int8_t *const from =
          row >= 0 && row < w->in_h && column >= 0 && column < w->in_w
              ? (const int8_t *)ash_rt_line(in, row) +
                    (ptrdiff_t)column * k->step
              : NULL;
      for (int32_t c = 0; c < in_c; c++)
        *bytes++ = (int8_t)(from ? from[c] : zero);
    }
  }
  if (in_c % 4 != 0)
    (void)ash_rt_spread_dsp(to, step, k->bytes,
                            w->filter_h * w->filter_w * in_c);
}

/* The lines under the windows of an output line, which are looked up once;
 * pixels under a higher filter are done as those at the border. */
enum { ASH_RT_CONV_LINES = 10 };

/* The same for a pixel without padding: line by line from `line` on, the next
 * one being `pitch` bytes further on in an image in one piece, else the next of
 * `lines`, `at` bytes after its start. */
ASH_RT_INLINE void
ash_rt_conv_inner_dsp(const ash_rt_conv_dsp *k, const int8_t *line, int plain,
                      ptrdiff_t pitch, const int8_t *const *lines, ptrdiff_t at,
                      int32_t run, int16_t *to, int32_t step) {
  const int32_t rows = k->p->window.filter_h;
  int8_t *bytes = k->bytes;
  int32_t i = rows;
  if (run % 4 == 0) {
    do {
      to = ash_rt_spread_dsp(to, step, plain ? line : *lines++ + at, run);
      line += pitch;
    } while (--i != 0);
    return;
  }
  do {
    bytes = ash_rt_conv_copy_dsp(bytes, plain ? line : *lines++ + at, run);
    line += pitch;
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

/* Sums begin with the bias of two channels, or with what they were. */
#define ASH_RT_CONV_BIAS                                                       \
  "ldrd r4, r5, [r3]\n"                                                        \
  "mov r6, r4\n"                                                               \
  "mov r7, r5\n"                                                               \
  "mov r8, r4\n"                                                               \
  "mov r9, r5\n"
#define ASH_RT_CONV_SUMS "ldm r3, {r4, r5, r6, r7, r8, r9}\n"

/* They end as pixels, `bytes` being what they began with, or as sums. */
#define ASH_RT_CONV_PIXEL(bytes, store)                                        \
  "add r3, r3, #" bytes "\n"                                                   \
  "ldrd r1, r2, [r0, #16]\n"                                                   \
  "str r3, [r0, #12]\n"                                                        \
  "ldrd r10, r11, [r1], #8\n"                                                  \
  "ldrsb r12, [r2], #1\n"                                                      \
  "ldrsb lr, [r2], #1\n"                                                       \
  "strd r1, r2, [r0, #16]\n"                                                   \
  "ldr r3, [r0, #24]\n" store
#define ASH_RT_CONV_KEEP                                                       \
  "stm r3!, {r4, r5, r6, r7, r8, r9}\n"                                        \
  "str r3, [r0, #12]\n"

#define ASH_RT_CONV_RUN(begin, block, odd, end, at)                            \
  __asm__ volatile("push {r0, r7, r9}\n"                                       \
                   "ldm r0, {r0, r1, r2, r3}\n"                                \
                   "push {r2}\n" begin "sub r2, r2, r0\n"                      \
                   "tst r2, #" odd "\n"                                        \
                   "bne 2f\n"                                                  \
                   "1:\n" block block "2:\n" block block "ldr r2, [sp]\n"      \
                   "cmp r0, r2\n"                                              \
                   "bcc 1b\n"                                                  \
                   "ldr r0, [sp, #4]\n"                                        \
                   "ldr r3, [r0, #12]\n"                                       \
                   "str r1, [r0, #4]\n" end "pop {r2}\n"                       \
                   "pop {r0, r7, r9}\n"                                        \
                   : "+r"(at)                                                  \
                   :                                                           \
                   : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10", "r11",   \
                     "r12", "lr", "cc", "memory")

ASH_RT_INLINE void ash_rt_conv_block_dsp(ash_rt_conv_block *b, int32_t pixels) {
  register ash_rt_conv_block *at __asm__("r0") = b;
  if (pixels == 3)
    ASH_RT_CONV_RUN(ASH_RT_CONV_BIAS, ASH_RT_CONV_THREE, "16",
                    ASH_RT_CONV_PIXEL("8", ASH_RT_CONV_STORE_3), at);
  else if (pixels == 2)
    ASH_RT_CONV_RUN(ASH_RT_CONV_BIAS, ASH_RT_CONV_TWO, "32",
                    ASH_RT_CONV_PIXEL("8", ASH_RT_CONV_STORE_2), at);
  else
    ASH_RT_CONV_RUN(ASH_RT_CONV_BIAS, ASH_RT_CONV_ONE, "16",
                    ASH_RT_CONV_PIXEL("8", ASH_RT_CONV_STORE_1), at);
}

/* Three pixels, from their sums on, which `bias` points at: to new sums, or the
 * last time to pixels. */
ASH_RT_INLINE ASH_RT_MAYBE_UNUSED void
ash_rt_conv_more_dsp(ash_rt_conv_block *b, int last) {
  register ash_rt_conv_block *at __asm__("r0") = b;
  if (last)
    ASH_RT_CONV_RUN(ASH_RT_CONV_SUMS, ASH_RT_CONV_THREE, "16",
                    ASH_RT_CONV_PIXEL("24", ASH_RT_CONV_STORE_3), at);
  else
    ASH_RT_CONV_RUN(ASH_RT_CONV_SUMS, ASH_RT_CONV_THREE, "16", ASH_RT_CONV_KEEP,
                    at);
}
#else
/* One channel of one pixel, from `s` on. */
static int32_t ash_rt_conv_sum_dsp(const ash_rt_conv_block *b, int32_t pixels,
                                   int32_t pixel, int32_t channel, int32_t s) {
  const int8_t *w = b->filter + 4 * channel;
  for (const int16_t *x = b->x + 4 * pixel; x < b->end;
       x += 4 * pixels, w += 8) {
    const uint32_t v = ash_rt_load_4(w);
    s = ash_rt_mla_pair(s, ash_rt_even(v), ash_rt_load_pair(x));
    s = ash_rt_mla_pair(s, ash_rt_odd(v), ash_rt_load_pair(x + 2));
  }
  return s;
}

/* A sum as the next channel of a pixel. */
static void ash_rt_conv_put_dsp(ash_rt_conv_block *b, int32_t pixel,
                                int32_t channel, int32_t sum) {
  *b->out[pixel]++ = ash_rt_rescale_dsp(sum, b->multiplier[channel],
                                        b->shift[channel], b->twice);
}

static void ash_rt_conv_block_dsp(ash_rt_conv_block *b, int32_t pixels) {
  for (int32_t i = 0; i < pixels; i++)
    for (int32_t c = 0; c < 2; c++)
      ash_rt_conv_put_dsp(b, i, c,
                          ash_rt_conv_sum_dsp(b, pixels, i, c, b->bias[c]));
  b->filter += 2 * (b->end - b->x) / pixels;
  b->bias += 2;
  b->multiplier += 2;
  b->shift += 2;
}

static ASH_RT_MAYBE_UNUSED void ash_rt_conv_more_dsp(ash_rt_conv_block *b,
                                                     int last) {
  int32_t *const sums = (int32_t *)(uintptr_t)b->bias;
  for (int32_t i = 0; i < 6; i++) {
    sums[i] = ash_rt_conv_sum_dsp(b, 3, i / 2, i & 1, sums[i]);
    if (last)
      ash_rt_conv_put_dsp(b, i / 2, i & 1, sums[i]);
  }
  b->filter += 2 * (b->end - b->x) / 3;
  b->bias += 6;
  b->multiplier += last ? 2 : 0;
  b->shift += last ? 2 : 0;
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

/* The last channel of an odd number goes to `last`, together with one that does
 * not exist. */
static inline void ash_rt_conv_odd_dsp(ash_rt_conv_block *b, int32_t pixels,
                                       int8_t (*last)[2]) {
  for (int32_t i = 0; i < pixels; i++)
    b->out[i] = last[i];
}

/* .. and from there to its place; then all channels are clamped. */
static inline void ash_rt_conv_finish_dsp(const ash_rt_conv_2d_s8_params *p,
                                          int8_t *const *pixel, int32_t pixels,
                                          int8_t (*last)[2]) {
  const int32_t out_c = p->window.out_c;
  if (out_c & 1)
    for (int32_t i = 0; i < pixels; i++)
      pixel[i][out_c - 1] = last[i][0];
  for (int32_t i = 0; i < pixels; i++)
    ash_rt_clamp_run_s8(pixel[i], out_c, p->act_min, p->act_max);
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
    if (c == 1)
      ash_rt_conv_odd_dsp(&b, pixels, last);
    if (*b.shift < 0)
      ash_rt_conv_constant_dsp(&b, pixels);
    else
      ash_rt_conv_block_dsp(&b, pixels);
  }
  ash_rt_conv_finish_dsp(p, pixel, pixels, last);
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

/* The same of three pixels, the last of them at (x, y). */
typedef void ash_rt_conv_split_dsp(const ash_rt_conv_dsp *k,
                                   const ash_rt_lines *in, int32_t y, int32_t x,
                                   int8_t *const *pixel);

/* How many pixels are summed up next, of those that are left. */
ASH_RT_INLINE int32_t ash_rt_conv_group_dsp(int32_t left, int32_t most,
                                            int pairs) {
  return left >= most ? most : left >= 2 && pairs ? 2 : 1;
}

/* Output lines [from, to), in groups of `most` pixels, the last of a line with
 * the first of the next; what is left at the end is done in a pair, if there is
 * a function for pairs, or alone. `plain`: the image is in one piece. `split`:
 * what does three pixels row by row of the filter, or NULL. */
ASH_RT_INLINE ASH_RT_MAYBE_UNUSED void
ash_rt_conv_core_dsp(const ash_rt_conv_dsp *k, const ash_rt_lines *in,
                     int plain, const ash_rt_lines *out, int32_t from,
                     int32_t to, int32_t most, ash_rt_conv_pixels_dsp *pair,
                     ash_rt_conv_split_dsp *split) {
  const ash_rt_window *w = &k->p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const int32_t run = w->filter_w * w->in_c, out_c = w->out_c;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  const ptrdiff_t pitch = plain ? in->pitch * w->dilation_h : 0;
  int8_t *pixels[ASH_RT_CONV_PIXELS];
  int32_t left = (to - from) * w->out_w, slot = 0;
  int32_t group = ash_rt_conv_group_dsp(left, most, pair != NULL);
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int whole = top >= 0 && top + reach < w->in_h && w->dilation_w == 1 &&
                      (plain || w->filter_h <= ASH_RT_CONV_LINES);
    const int32_t low = whole ? inner.lo : w->out_w;
    const int8_t *lines[ASH_RT_CONV_LINES];
    ptrdiff_t at = -(ptrdiff_t)w->pad_left * w->in_c;
    const int8_t *const under = plain ? ash_rt_line(in, whole ? top : 0) : NULL;
    for (int32_t i = 0; !plain && whole && i < w->filter_h; i++)
      lines[i] = ash_rt_line(in, top + i * w->dilation_h);
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += out_c, at += step) {
      int16_t *const column = k->columns + 4 * slot;
      if (split && group == 3)
        ; /* its columns are made row by row */
      else if (x >= low && x < inner.hi)
        ash_rt_conv_inner_dsp(k, plain ? under + at : NULL, plain, pitch, lines,
                              at, run, column, 4 * group);
      else
        ash_rt_conv_column_dsp(k, in, y, x, column, 4 * group);
      pixels[slot++] = pixel;
      if (slot < group)
        continue;
      if (split && group == 3)
        split(k, in, y, x, pixels);
      else if (group == 3)
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

/* ---- parts --------------------------------------------------------------- */

static ASH_RT_MAYBE_UNUSED void
ash_rt_conv_make_dsp(const ash_rt_part *part, const ash_rt_part_data *data,
                     const ash_rt_lines *in, const ash_rt_lines *out,
                     int32_t from, int32_t to) {
  ash_rt_conv_dsp k =
      ash_rt_conv_begin_dsp(&part->p, data->multiplier, data->shift, data->bias,
                            data->filter, data->scratch, ASH_RT_CONV_PIXELS);
  const int32_t columns = part->p.window.out_w;
  int8_t *pixels[ASH_RT_CONV_PIXELS];
  int32_t left = (to - from) * columns, slot = 0;
  k.step = part->in_step;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, part->line + y * part->line_step);
    pixel += part->out_at;
    for (int32_t x = 0; x < columns; x++, pixel += part->out_step) {
      const int32_t group = slot + left >= 3 ? 3 : 1;
      ash_rt_conv_column_dsp(&k, in, y, x, k.columns + 4 * slot, 4 * group);
      pixels[slot++] = pixel;
      left--;
      if (slot < group)
        continue;
      if (group == 3)
        ash_rt_conv_three_dsp(&k, pixels);
      else
        ash_rt_conv_one_dsp(&k, pixels);
      slot = 0;
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
    ash_rt_conv_core_dsp(&k, &i, 1, &o, 0, w->out_h, 3, NULL, NULL);
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

/* Do the columns of three pixels of one row of the filter, and the sums of all
 * channels, take no more than whole columns of two pixels? */
static int ash_rt_conv_splits_dsp(const ash_rt_window *w) {
  const int32_t run = w->filter_w * w->in_c;
  return w->in_c % 4 == 0 && run % 8 == 0 && w->out_w > 1 &&
         6 * run + 12 * (w->out_c + 1) <= 4 * w->filter_h * run;
}

/* A line often ends with a group that is not full. */
static ASH_RT_NOINLINE void ash_rt_conv_two_dsp(const ash_rt_conv_dsp *k,
                                                int8_t *const *pixel) {
  ash_rt_conv_channels_dsp(k, pixel, 2);
}

/* Three pixels and row `row` of the filter, `run` taps; `sums` are three times
 * two for each pair of channels. */
ASH_RT_INLINE void ash_rt_conv_part_dsp(const ash_rt_conv_dsp *k, int32_t row,
                                        int32_t run, const int32_t *sums,
                                        int8_t *const *pixel) {
  const ash_rt_conv_2d_s8_params *p = k->p;
  const int is_last = row + 1 == p->window.filter_h;
  const int8_t *shift = k->shift;
  int8_t last[ASH_RT_CONV_PIXELS][2];
  ash_rt_conv_block b = {k->columns,
                         k->filter + 2 * row * run,
                         k->columns + 3 * run,
                         sums,
                         k->multiplier,
                         k->shift,
                         2 * p->out_offset + 1,
                         {pixel[0], pixel[1], pixel[2]}};
  for (int32_t c = p->window.out_c; c > 0; c -= 2, shift += 2) {
    if (c == 1)
      ash_rt_conv_odd_dsp(&b, 3, last);
    if (*shift < 0 && is_last) {
      ash_rt_conv_constant_dsp(&b, 3);
      b.bias += 4; /* .. of six */
      continue;
    }
    if (*shift < 0) {
      b.bias += 6;
      continue;
    }
    if (is_last)
      ash_rt_conv_more_dsp(&b, 1);
    else
      ash_rt_conv_more_dsp(&b, 0);
    b.filter += 16 * k->blocks - 2 * run;
  }
  if (is_last)
    ash_rt_conv_finish_dsp(p, pixel, 3, last);
}

/* Three pixels, the last of them at (x, y), row by row of the filter. */
static ASH_RT_NOINLINE void ash_rt_conv_rows_dsp(const ash_rt_conv_dsp *k,
                                                 const ash_rt_lines *in,
                                                 int32_t y, int32_t x,
                                                 int8_t *const *pixel) {
  const ash_rt_window *w = &k->p->window;
  const int32_t run = w->filter_w * w->in_c;
  int32_t *const sums = (int32_t *)(void *)(k->columns + 3 * run);
  for (int32_t c = 0; c < w->out_c; c += 2)
    for (int32_t i = 0; i < 6; i++)
      sums[3 * c + i] = k->bias[c + (i & 1)];
  for (int32_t i = 0; i < w->filter_h; i++) {
    for (int32_t n = 0; n < 3; n++) {
      const int32_t column = x - 2 + n, above = column < 0;
      (void)ash_rt_conv_row_dsp(
          k, in, (y - above) * w->stride_h - w->pad_top + i * w->dilation_h,
          column + above * w->out_w, k->columns + 4 * n, 12);
    }
    ash_rt_conv_part_dsp(k, i, run, sums, pixel);
  }
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
  const int splits = most == 2 && ash_rt_conv_splits_dsp(&p->window);
  ash_rt_conv_core_dsp(&k, in, 0, out, from, to, splits ? 3 : most,
                       ash_rt_conv_two_dsp,
                       splits ? ash_rt_conv_rows_dsp : NULL);
}

/* kernel conv_2d_s8_groups_dsp */
void ash_rt_conv_2d_s8_groups_dsp(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {2, 8};
  ash_rt_parts_of_images(p, 0, &data, up, in, out, ash_rt_conv_make_dsp);
}

/* kernel conv_2d_s8_groups_dsp_lines */
void ash_rt_conv_2d_s8_groups_dsp_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {2, 8};
  ash_rt_parts_of_lines(p, 0, &data, up, in, out, from, to,
                        ash_rt_conv_make_dsp);
}

/* kernel transpose_conv_s8_dsp */
void ash_rt_transpose_conv_s8_dsp(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {2, 8};
  ash_rt_parts_of_images(p, 1, &data, up, in, out, ash_rt_conv_make_dsp);
}

/* kernel transpose_conv_s8_dsp_lines */
void ash_rt_transpose_conv_s8_dsp_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_part_data data = {multiplier, shift, bias, filter, scratch};
  const ash_rt_part_blocks up = {2, 8};
  ash_rt_parts_of_lines(p, 1, &data, up, in, out, from, to,
                        ash_rt_conv_make_dsp);
}
