/* ash_rt_conv_2d_s8_dsp.c - convolution, int8, with Arm's DSP instructions.
 *
 * The input of two pixels is spread out as two columns of 16-bit numbers; then
 * two channels are summed up for both at once, so that each weight is widened
 * once for two products. */
#include "ash_rt_dsp.h"

typedef struct ash_rt_conv_dsp {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int32_t blocks; /* of eight taps, in a column */
} ash_rt_conv_dsp;

static int16_t *ash_rt_conv_fill_dsp(int16_t *to, int32_t value,
                                     int32_t count) {
  for (; count > 0; count--)
    *to++ = (int16_t)value;
  return to;
}

/* A row of taps; `left` is the column of the first, `line` the input row. */
static int16_t *ash_rt_conv_row_dsp(const ash_rt_conv_2d_s8_params *p,
                                    const int8_t *line, int32_t left,
                                    int16_t *to) {
  const ash_rt_window *w = &p->window;
  const ash_rt_taps h =
      ash_rt_taps_of(left, w->filter_w, w->dilation_w, w->in_w);
  to = ash_rt_conv_fill_dsp(to, -p->in_offset, h.lo * w->in_c);
  if (w->dilation_w == 1 && h.hi > h.lo)
    to = ash_rt_widen_s8(to, line + (ptrdiff_t)(left + h.lo) * w->in_c,
                         (h.hi - h.lo) * w->in_c);
  else
    for (int32_t k = h.lo; k < h.hi; k++)
      to = ash_rt_widen_s8(
          to, line + (ptrdiff_t)(left + k * w->dilation_w) * w->in_c, w->in_c);
  return ash_rt_conv_fill_dsp(to, -p->in_offset,
                              (w->filter_w - h.hi) * w->in_c);
}

/* Not inlined: borders are rare, and the loop over pixels wants registers. */
static ASH_RT_NOINLINE void
ash_rt_conv_column_dsp(const ash_rt_conv_2d_s8_params *p,
                       const ash_rt_lines *in, int32_t y, int32_t x,
                       int16_t *to) {
  const ash_rt_window *w = &p->window;
  const int32_t left = x * w->stride_w - w->pad_left;
  int32_t row = y * w->stride_h - w->pad_top;
  for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h)
    if (row >= 0 && row < w->in_h)
      to = ash_rt_conv_row_dsp(p, ash_rt_line(in, row), left, to);
    else
      to = ash_rt_conv_fill_dsp(to, -p->in_offset, w->filter_w * w->in_c);
}

/* The same for a pixel without padding, from the start of the lines on. */
ASH_RT_INLINE void ash_rt_conv_inner_dsp(const ash_rt_window *w,
                                         const ash_rt_lines *in, int16_t *to) {
  const int32_t run = w->filter_w * w->in_c, step = w->dilation_h;
  ash_rt_lines rest = *in;
  for (int32_t k = w->filter_h; k > 0; k--) {
    to = ash_rt_widen_s8(to, ash_rt_line(&rest, 0), run);
    rest = ash_rt_lines_from(&rest, step, 0);
  }
}

/* Sums of two channels for the pixels a and b. */
typedef struct ash_rt_conv_sums {
  int32_t a0, a1, b0, b1;
} ash_rt_conv_sums;

/* Two channels' weights and two pixels' inputs of eight taps. */
typedef struct ash_rt_conv_at {
  const int16_t *a, *b;
  const int8_t *w;
} ash_rt_conv_at;

#if ASH_RT_HAS_DSP
/* As assembly, because compilers load more at once than there are registers. */
#define ASH_RT_CONV_BLOCK                                                      \
  "ldrd %[p], %[q], [%[a]], #8\n"                                              \
  "ldrd %[r], %[t], [%[b]], #8\n"                                              \
  "ldr %[u], [%[w]], #4\n"                                                     \
  "sxtb16 %[v], %[u]\n"                                                        \
  "sxtb16 %[u], %[u], ror #8\n"                                                \
  "smlad %[a0], %[v], %[p], %[a0]\n"                                           \
  "smlad %[b0], %[v], %[r], %[b0]\n"                                           \
  "smlad %[a0], %[u], %[q], %[a0]\n"                                           \
  "smlad %[b0], %[u], %[t], %[b0]\n"                                           \
  "ldr %[u], [%[w]], #4\n"                                                     \
  "sxtb16 %[v], %[u]\n"                                                        \
  "sxtb16 %[u], %[u], ror #8\n"                                                \
  "smlad %[a1], %[v], %[p], %[a1]\n"                                           \
  "smlad %[b1], %[v], %[r], %[b1]\n"                                           \
  "smlad %[a1], %[u], %[q], %[a1]\n"                                           \
  "smlad %[b1], %[u], %[t], %[b1]\n"

static inline void ash_rt_conv_eight_dsp(ash_rt_conv_sums *s,
                                         ash_rt_conv_at *at) {
  uint32_t p, q, r, t, u, v;
  __asm__(
      ASH_RT_CONV_BLOCK ASH_RT_CONV_BLOCK
      : [a0] "+r"(s->a0), [a1] "+r"(s->a1), [b0] "+r"(s->b0), [b1] "+r"(s->b1),
        [a] "+r"(at->a), [b] "+r"(at->b), [w] "+r"(at->w), [p] "=&r"(p),
        [q] "=&r"(q), [r] "=&r"(r), [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v)
      :
      : "memory");
}
#else
static inline void ash_rt_conv_eight_dsp(ash_rt_conv_sums *s,
                                         ash_rt_conv_at *at) {
  for (int32_t i = 0; i < 8; i += 4) {
    const uint32_t p = ash_rt_load_pair(at->a + i);
    const uint32_t q = ash_rt_load_pair(at->a + i + 2);
    const uint32_t r = ash_rt_load_pair(at->b + i);
    const uint32_t t = ash_rt_load_pair(at->b + i + 2);
    const uint32_t u = ash_rt_load_4(at->w), v = ash_rt_load_4(at->w + 4);
    s->a0 = ash_rt_mla_pair(s->a0, ash_rt_even(u), p);
    s->b0 = ash_rt_mla_pair(s->b0, ash_rt_even(u), r);
    s->a0 = ash_rt_mla_pair(s->a0, ash_rt_odd(u), q);
    s->b0 = ash_rt_mla_pair(s->b0, ash_rt_odd(u), t);
    s->a1 = ash_rt_mla_pair(s->a1, ash_rt_even(v), p);
    s->b1 = ash_rt_mla_pair(s->b1, ash_rt_even(v), r);
    s->a1 = ash_rt_mla_pair(s->a1, ash_rt_odd(v), q);
    s->b1 = ash_rt_mla_pair(s->b1, ash_rt_odd(v), t);
    at->w += 8;
  }
  at->a += 8;
  at->b += 8;
}
#endif

/* All channels of the pixels with columns a and b. Not inlined: alone, the loop
 * fits the registers. */
static ASH_RT_NOINLINE void ash_rt_conv_pair_dsp(const ash_rt_conv_dsp *k,
                                                 const int16_t *a,
                                                 const int16_t *b,
                                                 int8_t *out_a, int8_t *out_b) {
  const int32_t out_c = k->p->window.out_c;
  const int32_t twice = 2 * k->p->out_offset + 1;
  const int16_t *const end = a + 8 * (ptrdiff_t)k->blocks;
  const int32_t *m = k->multiplier, *bias = k->bias;
  const int8_t *w = k->filter, *e = k->shift;
  for (int32_t c = out_c; c > 0; c -= 2, bias += 2, m += 2, e += 2) {
    if (e[0] > 0) {
      for (int32_t i = 0; i < 2 && i < c; i++)
        *out_a++ = *out_b++ = (int8_t)bias[i];
      continue;
    }
    ash_rt_conv_sums s = {bias[0], bias[1], bias[0], bias[1]};
    ash_rt_conv_at at = {a, b, w};
    do
      ash_rt_conv_eight_dsp(&s, &at);
    while (at.a < end);
    w = at.w;
    const int32_t m0 = m[0], m1 = m[1], e0 = e[0], e1 = e[1];
    *out_a++ = ash_rt_rescale_dsp(s.a0, m0, e0, twice);
    *out_b++ = ash_rt_rescale_dsp(s.b0, m0, e0, twice);
    if (c == 1)
      break;
    *out_a++ = ash_rt_rescale_dsp(s.a1, m1, e1, twice);
    *out_b++ = ash_rt_rescale_dsp(s.b1, m1, e1, twice);
  }
}

/* All channels of a pixel without a neighbour. */
typedef void ash_rt_conv_single_dsp(const ash_rt_conv_dsp *k, const int16_t *a,
                                    int8_t *out);

/* Output lines [from, to), in pairs of pixels, the last of a line with the
 * first of the next; the last of all may be left for `single`. */
ASH_RT_INLINE void ash_rt_conv_core_dsp(const ash_rt_conv_dsp *k,
                                        const ash_rt_lines *in,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to, int16_t *scratch,
                                        ash_rt_conv_single_dsp *single) {
  const ash_rt_conv_2d_s8_params *p = k->p;
  const ash_rt_window *w = &p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  const int32_t reach = (w->filter_h - 1) * w->dilation_h;
  const ptrdiff_t step = (ptrdiff_t)w->stride_w * w->in_c;
  const ash_rt_lines known = *in; /* so that nobody else changes `in` */
  int16_t *const columns[2] = {scratch, scratch + 8 * k->blocks};
  int16_t *column = scratch;
  int8_t *first = NULL; /* of a pair */
  for (int32_t y = from; y < to; y++) {
    const int32_t top = y * w->stride_h - w->pad_top;
    const int whole = top >= 0 && top + reach < w->in_h && w->dilation_w == 1;
    ash_rt_lines under =
        ash_rt_lines_from(in, whole ? top : 0, -w->pad_left * w->in_c);
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      if (whole && x >= inner.lo && x < inner.hi)
        ash_rt_conv_inner_dsp(w, &under, column);
      else
        ash_rt_conv_column_dsp(p, &known, y, x, column);
      under = ash_rt_lines_from(&under, 0, step);
      if (first) {
        ash_rt_conv_pair_dsp(k, columns[0], columns[1], first, pixel);
        ash_rt_clamp_run_s8(first, w->out_c, p->act_min, p->act_max);
        ash_rt_clamp_run_s8(pixel, w->out_c, p->act_min, p->act_max);
        first = NULL;
        column = columns[0];
      } else {
        first = pixel;
        column = columns[1];
      }
    }
  }
  if (first) {
    single(k, columns[0], first);
    ash_rt_clamp_run_s8(first, w->out_c, p->act_min, p->act_max);
  }
}

/* kernel conv_2d_s8_dsp */
/* At most one in an image: not worth a loop. */
static void ash_rt_conv_last_dsp(const ash_rt_conv_dsp *k, const int16_t *a,
                                 int8_t *out) {
  ash_rt_conv_pair_dsp(k, a, a, out, out);
}

void ash_rt_conv_2d_s8_dsp(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_dsp k = {p,    multiplier, shift,
                             bias, filter,     (taps + 7) / 8};
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_dsp(&k, &i, &o, 0, w->out_h, scratch,
                         ash_rt_conv_last_dsp);
  }
}

/* kernel conv_2d_s8_dsp_lines */
/* Lines of odd width often have one: 11 instructions for 8 products, where a
 * pair takes 16 for 16. */
#if ASH_RT_HAS_DSP
#define ASH_RT_CONV_HALF                                                       \
  "ldrd %[p], %[q], [%[a]], #8\n"                                              \
  "ldr %[u], [%[w]], #4\n"                                                     \
  "sxtb16 %[v], %[u]\n"                                                        \
  "sxtb16 %[u], %[u], ror #8\n"                                                \
  "smlad %[a0], %[v], %[p], %[a0]\n"                                           \
  "smlad %[a0], %[u], %[q], %[a0]\n"                                           \
  "ldr %[u], [%[w]], #4\n"                                                     \
  "sxtb16 %[v], %[u]\n"                                                        \
  "sxtb16 %[u], %[u], ror #8\n"                                                \
  "smlad %[a1], %[v], %[p], %[a1]\n"                                           \
  "smlad %[a1], %[u], %[q], %[a1]\n"

static inline void ash_rt_conv_half_dsp(ash_rt_conv_sums *s,
                                        ash_rt_conv_at *at) {
  uint32_t p, q, u, v;
  __asm__(
      ASH_RT_CONV_HALF ASH_RT_CONV_HALF
      : [a0] "+r"(s->a0), [a1] "+r"(s->a1), [a] "+r"(at->a), [w] "+r"(at->w),
        [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [v] "=&r"(v)
      :
      : "memory");
}
#else
static inline void ash_rt_conv_half_dsp(ash_rt_conv_sums *s,
                                        ash_rt_conv_at *at) {
  ash_rt_conv_eight_dsp(s, at);
}
#endif

static ASH_RT_NOINLINE void ash_rt_conv_one_dsp(const ash_rt_conv_dsp *k,
                                                const int16_t *a, int8_t *out) {
  const int32_t twice = 2 * k->p->out_offset + 1;
  const int16_t *const end = a + 8 * (ptrdiff_t)k->blocks;
  const int32_t *m = k->multiplier, *bias = k->bias;
  const int8_t *w = k->filter, *e = k->shift;
  for (int32_t c = k->p->window.out_c; c > 0;
       c -= 2, bias += 2, m += 2, e += 2) {
    if (e[0] > 0) {
      for (int32_t i = 0; i < 2 && i < c; i++)
        *out++ = (int8_t)bias[i];
      continue;
    }
    ash_rt_conv_sums s = {bias[0], bias[1], 0, 0};
    ash_rt_conv_at at = {a, a, w};
    do
      ash_rt_conv_half_dsp(&s, &at);
    while (at.a < end);
    w = at.w;
    *out++ = ash_rt_rescale_dsp(s.a0, m[0], e[0], twice);
    if (c > 1)
      *out++ = ash_rt_rescale_dsp(s.a1, m[1], e[1], twice);
  }
}

void ash_rt_conv_2d_s8_dsp_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_dsp k = {p,    multiplier, shift,
                             bias, filter,     (taps + 7) / 8};
  ash_rt_conv_core_dsp(&k, in, out, from, to, scratch, ash_rt_conv_one_dsp);
}
