/* ash_rt_conv_2d_s8_mve.c - convolution, int8, with Helium.
 *
 * The input of a pixel is one column of bytes (a copy, unless it lies in one
 * piece already). Three pixels by two channels are summed up at once (a
 * register block), so that weights are read once for three pixels. What a line
 * has left is done two by two, or one pixel by four channels. */
#include "ash_rt_mve.h"

typedef struct ash_rt_conv_mve {
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks; /* of sixteen taps, in a column */
} ash_rt_conv_mve;

/* Not inlined: borders are rare, and the loop over pixels wants registers. */
static ASH_RT_NOINLINE void
ash_rt_conv_column_mve(const ash_rt_conv_2d_s8_params *p,
                       const ash_rt_lines *in, int32_t y, int32_t x,
                       int8_t *to) {
  ash_rt_conv_column(p, in, y, x, to, ash_rt_fill_mve, ash_rt_copy_mve);
}

/* The lines under the windows of an output line, which are looked up once;
 * lines of a higher filter are found pixel by pixel. */
enum { ASH_RT_CONV_LINES = 8 };

/* The same for a pixel without padding: of an image in one piece, from its
 * first tap on .. */
ASH_RT_INLINE void ash_rt_conv_plain_mve(const ash_rt_window *w,
                                         const ash_rt_lines *in, int8_t *to) {
  const int32_t run = w->filter_w * w->in_c, step = w->dilation_h;
  const int8_t *line = in->base;
  for (int32_t k = w->filter_h; k > 0; k--, line += step * in->pitch)
    to = ash_rt_copy_mve(to, line, run);
}

/* .. and of lines, `at` bytes after their start. */
ASH_RT_INLINE void ash_rt_conv_inner_mve(const ash_rt_window *w,
                                         const int8_t *const *lines,
                                         ptrdiff_t at, int8_t *to) {
  const int32_t run = w->filter_w * w->in_c;
  for (int32_t k = w->filter_h; k > 0; k--)
    to = ash_rt_copy_mve(to, *lines++ + at, run);
}

/* ---- register blocks ----------------------------------------------------- */

/* Columns of three pixels, and what the next four channels begin with; their
 * sums, pixel after pixel. `filter` is moved to the next four. */
typedef struct ash_rt_conv_block {
  const int8_t *x[3];
  const int8_t *filter;
  const int32_t *bias;
  int32_t more; /* blocks after the first */
  int32_t sums[12];
} ash_rt_conv_block;

#if ASH_RT_HAS_MVE
/* As assembly, in which loads and products take turns, since each of them takes
 * a Cortex-M55 two cycles unless the next is of the other kind; with its own
 * choice of registers, because compilers spill around ten of them. The last
 * block is apart: the loop reads the weights of the next one. */
#define ASH_RT_CONV_SIX                                                        \
  "vldrb.8 q0, [r1], #16\n"                                                    \
  "vmladava.s8 r0, q0, q3\n"                                                   \
  "vldrb.8 q1, [r3], #16\n"                                                    \
  "vmladava.s8 r2, q1, q3\n"                                                   \
  "vldrb.8 q2, [r5], #16\n"                                                    \
  "vmladava.s8 r4, q2, q3\n"                                                   \
  "vldrb.8 q4, [r11], #16\n"                                                   \
  "vmladava.s8 r6, q0, q4\n"
#define ASH_RT_CONV_PAIR(bias, a, b, c)                                        \
  "ldr r1, [r12, #16]\n"                                                       \
  "ldr lr, [r12, #20]\n"                                                       \
  "ldrd r0, r6, [r1, #" bias "]\n"                                             \
  "ldm r12, {r1, r3, r5}\n"                                                    \
  "mov r2, r0\n"                                                               \
  "mov r4, r0\n"                                                               \
  "mov r8, r6\n"                                                               \
  "mov r10, r6\n"                                                              \
  "vldrb.8 q3, [r11], #16\n"                                                   \
  "wls lr, lr, 2f\n"                                                           \
  "1:\n" ASH_RT_CONV_SIX "vldrb.8 q3, [r11], #16\n"                            \
  "vmladava.s8 r8, q1, q4\n"                                                   \
  "vmladava.s8 r10, q2, q4\n"                                                  \
  "le lr, 1b\n"                                                                \
  "2:\n" ASH_RT_CONV_SIX "vmladava.s8 r8, q1, q4\n"                            \
  "vmladava.s8 r10, q2, q4\n"                                                  \
  "strd r0, r6, [r12, #" a "]\n"                                               \
  "strd r2, r8, [r12, #" b "]\n"                                               \
  "strd r4, r10, [r12, #" c "]\n"

static inline void ash_rt_conv_sums_mve(ash_rt_conv_block *block) {
  register ash_rt_conv_block *at __asm__("r12") = block;
  __asm__ volatile(
      "ldr r11, [r12, #12]\n" ASH_RT_CONV_PAIR("0", "24", "40", "56")
          ASH_RT_CONV_PAIR("8", "32", "48", "64") "str r11, [r12, #12]\n"
      : "+r"(at)
      :
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10", "r11", "lr",
        "q0", "q1", "q2", "q3", "q4", "memory");
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
          "vmladava.s8 %[b], q0, q1\n"
          "vldrb.8 q1, [%[v]], #16\n"
          "vmladava.s8 %[c], q0, q1\n"
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

/* Two channels of two pixels; the weights of the next two. */
static inline const int8_t *
ash_rt_conv_square_mve(const int32_t *bias, const int8_t *x, const int8_t *y,
                       const int8_t *w, int32_t blocks, int32_t *sums) {
  int32_t a = bias[0], b = bias[1], c = a, d = b;
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
  sums[1] = b;
  sums[4] = c;
  sums[5] = d;
  return w;
}

/* Four channels' sums of two pixels; the weights of the next four. */
static inline const int8_t *
ash_rt_conv_pair_mve(const int32_t *bias, const int8_t *const *x,
                     const int8_t *w, int32_t blocks, int32_t *sums) {
  w = ash_rt_conv_square_mve(bias, x[0], x[1], w, blocks, sums);
  return ash_rt_conv_square_mve(bias + 2, x[0], x[1], w, blocks, sums + 2);
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
                              x, w + 32 * (c / 2 * blocks + k) + 16 * (c % 2),
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

static inline void ash_rt_conv_sums_mve(ash_rt_conv_block *b) {
  const int32_t blocks = b->more + 1;
  for (int32_t i = 0; i < 3; i++) {
    const ash_rt_four s =
        ash_rt_conv_sum_mve(b->bias, b->x[i], b->filter, blocks);
    for (int32_t c = 0; c < 4; c++)
      b->sums[4 * i + c] = s.at[c];
  }
  b->filter += 64 * blocks;
}
#endif

/* All channels of three pixels, from their columns. */
ASH_RT_INLINE void ash_rt_conv_three_mve(const ash_rt_conv_2d_s8_params *p,
                                         const ash_rt_conv_mve *k,
                                         ash_rt_conv_block *b,
                                         int8_t *const *pixel) {
  const int32_t *multiplier = k->multiplier;
  const int8_t *shift = k->shift;
  const int32_t offset = p->out_offset;
  const ash_rt_four low = ash_rt_four_of(p->act_min);
  const ash_rt_four high = ash_rt_four_of(p->act_max);
  int8_t *first = pixel[0], *second = pixel[1], *third = pixel[2];
  b->bias = k->bias;
  b->filter = k->filter;
  ASH_RT_NO_UNROLL
  for (int32_t rest = p->window.out_c; rest > 0; rest -= 4) {
    ash_rt_four x = ash_rt_four_load(b->bias), y = x, z = x;
    if (*shift <= 0) {
      ash_rt_conv_sums_mve(b);
      x = ash_rt_four_load(b->sums);
      y = ash_rt_four_load(b->sums + 4);
      z = ash_rt_four_load(b->sums + 8);
      x = ash_rt_rescale_mve(x, multiplier, shift, offset);
      y = ash_rt_rescale_mve(y, multiplier, shift, offset);
      z = ash_rt_rescale_mve(z, multiplier, shift, offset);
    }
    ash_rt_store_mve(x, low, high, first, rest);
    ash_rt_store_mve(y, low, high, second, rest);
    ash_rt_store_mve(z, low, high, third, rest);
    b->bias += 4;
    multiplier += 4;
    shift += 4;
    first += 4;
    second += 4;
    third += 4;
  }
}

/* The same of two pixels. */
static ASH_RT_NOINLINE void
ash_rt_conv_two_mve(const ash_rt_conv_2d_s8_params *p, const ash_rt_conv_mve *k,
                    const int8_t *const *x, int8_t *const *pixel) {
  const int32_t *bias = k->bias, *multiplier = k->multiplier;
  const int8_t *filter = k->filter, *shift = k->shift;
  const int32_t blocks = k->blocks, offset = p->out_offset;
  const ash_rt_four low = ash_rt_four_of(p->act_min);
  const ash_rt_four high = ash_rt_four_of(p->act_max);
  int8_t *first = pixel[0], *second = pixel[1];
  ASH_RT_NO_UNROLL
  for (int32_t rest = p->window.out_c; rest > 0; rest -= 4) {
    ash_rt_four a = ash_rt_four_load(bias), b = a;
    if (*shift <= 0) {
      int32_t sums[8];
      filter = ash_rt_conv_pair_mve(bias, x, filter, blocks, sums);
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
static ASH_RT_NOINLINE void
ash_rt_conv_one_mve(const ash_rt_conv_2d_s8_params *p, const ash_rt_conv_mve *k,
                    const int8_t *in, int8_t *out) {
  const int32_t *bias = k->bias, *multiplier = k->multiplier;
  const int8_t *filter = k->filter, *shift = k->shift;
  const int32_t blocks = k->blocks, offset = p->out_offset;
  const ash_rt_four low = ash_rt_four_of(p->act_min);
  const ash_rt_four high = ash_rt_four_of(p->act_max);
  ASH_RT_NO_UNROLL
  for (int32_t rest = p->window.out_c; rest > 0; rest -= 4) {
    ash_rt_four s;
    if (*shift > 0) {
      s = ash_rt_four_load(bias);
    } else {
      s = ash_rt_conv_sum_mve(bias, in, filter, blocks);
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
 * filled up with its last pixel. */
ASH_RT_INLINE void ash_rt_conv_core_mve(const ash_rt_conv_2d_s8_params *p,
                                        const ash_rt_conv_mve *k,
                                        const ash_rt_lines *in, int plain,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to, int8_t *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  const int point = w->filter_h == 1 && w->filter_w == 1;
  const ash_rt_lines known = *in; /* so that nobody else changes `in` */
  ash_rt_conv_block b = {{NULL}, NULL, NULL, k->blocks - 1, {0}};
  int8_t *pixels[3];
  int32_t slot = 0;
  ASH_RT_NO_UNROLL
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int inside_v = top >= 0 && top + reach < w->in_h;
    const int whole = inside_v && w->dilation_w == 1 &&
                      (plain || w->filter_h <= ASH_RT_CONV_LINES);
    const int8_t *lines[ASH_RT_CONV_LINES];
    ash_rt_lines under =
        ash_rt_lines_from(in, inside_v ? top : 0, -w->pad_left * w->in_c);
    ptrdiff_t at = -(ptrdiff_t)w->pad_left * w->in_c;
    lines[0] = ash_rt_line(in, inside_v ? top : 0);
    for (int32_t i = 1; !plain && whole && i < w->filter_h; i++)
      lines[i] = ash_rt_line(in, top + i * w->dilation_h);
    const int8_t *const stop =
        plain ? (const int8_t *)in->base + w->in_h * in->pitch
              : lines[0] + (ptrdiff_t)w->in_w * w->in_c;
    int8_t *pixel = ash_rt_line_out(out, y);
    ASH_RT_NO_UNROLL
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      int8_t *const column = scratch + 16 * slot * k->blocks;
      const int inside = whole && x >= inner.lo && x < inner.hi;
      const int8_t *const first =
          plain ? ash_rt_line(&under, 0) : lines[0] + at;
      b.x[slot] = column;
      if (!scratch || (inside && point && stop - first >= 16 * k->blocks))
        b.x[slot] = first;
      else if (inside && plain)
        ash_rt_conv_plain_mve(w, &under, column);
      else if (inside)
        ash_rt_conv_inner_mve(w, lines, at, column);
      else
        ash_rt_conv_column_mve(p, &known, y, x, column);
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
      if (plain && slot <= 2)
        b.x[2] = b.x[1], pixels[2] = pixels[1];
      if (plain || slot == 3)
        ash_rt_conv_three_mve(p, k, &b, pixels);
      else if (slot == 2)
        ash_rt_conv_two_mve(p, k, b.x, pixels);
      else
        ash_rt_conv_one_mve(p, k, b.x[0], pixels[0]);
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
