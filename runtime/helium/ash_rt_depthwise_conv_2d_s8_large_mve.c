/* ash_rt_depthwise_conv_2d_s8_large_mve.c - depthwise convolution, int8, with
 * Helium, for what ash_rt_depthwise_conv_2d_s8_mve is not made for: windows of
 * more taps than it keeps pointers to, and several output channels an input
 * channel. The table of taps is in work memory, before the pixel of zero
 * points; eight output channels at once, and two taps at a time, as there. */
#include "ash_rt_mve.h"

typedef struct ash_rt_depthwise_large {
  const ash_rt_depthwise_conv_2d_s8_params *p;
  const int8_t *filter, *padding;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t **taps; /* unless compiled as plain C */
  int32_t count;
} ash_rt_depthwise_large;

/* Bytes of a pointer in the table. */
enum { ASH_RT_TAP_BYTES = 4 };

#if ASH_RT_HAS_MVE
/* Channels of the input under eight output channels, or some of them. */
typedef struct ash_rt_depthwise_part {
  uint16x8_t from; /* the first of them is c / m: relative to that one */
  mve_pred16_t some;
  int whole, many; /* all eight exist; they have fewer input channels */
} ash_rt_depthwise_part;

ASH_RT_INLINE int16x8_t
ash_rt_depthwise_in_mve(const int8_t *x, const ash_rt_depthwise_part *part) {
  if (part->many)
    return vldrbq_gather_offset_z_s16(x, part->from, part->some);
  return part->whole ? vldrbq_s16(x) : vldrbq_z_s16(x, part->some);
}

ASH_RT_INLINE int16x8_t ash_rt_depthwise_product_mve(
    const int8_t *x, const int8_t *f, const ash_rt_depthwise_part *part) {
  const int16x8_t w = part->whole ? vldrbq_s16(f) : vldrbq_z_s16(f, part->some);
  return vmulq_s16(ash_rt_depthwise_in_mve(x, part), w);
}

/* Output channels c to c + 7, as far as they exist; from input channel `at`. */
ASH_RT_INLINE void ash_rt_depthwise_part_mve(const ash_rt_depthwise_large *k,
                                             int32_t c, int32_t at,
                                             const ash_rt_depthwise_part *part,
                                             int8_t *out) {
  const ptrdiff_t pitch = k->p->window.out_c;
  const int8_t *const *tap = k->taps;
  const int8_t *f = k->filter + c;
  const int32_t offset = k->p->out_offset;
  int32x4_t even = vldrwq_s32(k->bias + c), odd = vldrwq_s32(k->bias + c + 4);
  int16x8_t y;
  if (k->count & 1) {
    y = ash_rt_depthwise_product_mve(*tap++ + at, f, part);
    f += pitch;
    even = vaddq_s32(even, vmovlbq_s16(y));
    odd = vaddq_s32(odd, vmovltq_s16(y));
  }
  for (int32_t i = k->count >> 1; i > 0; i--) {
    const int8_t *const a = *tap++ + at, *const b = *tap++ + at;
    y = ash_rt_depthwise_product_mve(a, f, part);
    f += pitch;
    y = vaddq_s16(y, ash_rt_depthwise_product_mve(b, f, part));
    f += pitch;
    even = vaddq_s32(even, vmovlbq_s16(y));
    odd = vaddq_s32(odd, vmovltq_s16(y));
  }
  even = ash_rt_rescale_mve(even, k->multiplier + c, k->shift + c, offset);
  odd =
      ash_rt_rescale_mve(odd, k->multiplier + c + 4, k->shift + c + 4, offset);
  y = vqmovnbq_s32(vdupq_n_s16(0), even);
  y = vqmovntq_s32(y, odd);
  y = vmaxq_s16(y, vdupq_n_s16((int16_t)k->p->act_min));
  y = vminq_s16(y, vdupq_n_s16((int16_t)k->p->act_max));
  if (part->whole)
    vstrbq_s16(out + c, y);
  else
    vstrbq_p_s16(out + c, y, part->some);
}

/* One output channel an input channel. */
static void ash_rt_depthwise_single_mve(const ash_rt_depthwise_large *k,
                                        int8_t *out) {
  const int32_t channels = k->p->window.out_c;
  const ash_rt_depthwise_part all = {vdupq_n_u16(0), 0, 1, 0};
  int32_t c = 0;
  for (; c + 8 <= channels; c += 8)
    ash_rt_depthwise_part_mve(k, c, c, &all, out);
  if (c < channels) {
    const ash_rt_depthwise_part rest = {
        vdupq_n_u16(0), vctp16q((uint32_t)(channels - c)), 0, 0};
    ash_rt_depthwise_part_mve(k, c, c, &rest, out);
  }
}

/* Several: `m` neighbours have the same input. */
static void ash_rt_depthwise_several_mve(const ash_rt_depthwise_large *k,
                                         int8_t *out) {
  const int32_t channels = k->p->window.out_c;
  const int32_t m = channels / k->p->window.in_c;
  for (int32_t c = 0; c < channels; c += 8) {
    uint16_t from[8];
    const int32_t at = c / m;
    int32_t left = (at + 1) * m - c, next = 0;
    for (int32_t i = 0; i < 8; i++, left--) {
      if (left == 0) {
        left = m;
        next++;
      }
      from[i] = (uint16_t)next;
    }
    const ash_rt_depthwise_part part = {
        vldrhq_u16(from), vctp16q((uint32_t)(channels - c)), 0, 1};
    ash_rt_depthwise_part_mve(k, c, at, &part, out);
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_depthwise_large_lines(const ash_rt_depthwise_large *k,
                                                const ash_rt_lines *in,
                                                const ash_rt_lines *out,
                                                int32_t from, int32_t to) {
  const ash_rt_window *w = &k->p->window;
  const ash_rt_taps inner = ash_rt_inner_columns(w);
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      if (x > inner.lo && x < inner.hi)
        ash_rt_taps_next(k->taps, k->padding, k->count, w->stride_w * w->in_c);
      else
        ash_rt_taps_find(k->taps, 1, k->padding, w, in, y, x);
      if (w->in_c == w->out_c)
        ash_rt_depthwise_single_mve(k, pixel);
      else
        ash_rt_depthwise_several_mve(k, pixel);
    }
  }
}
#else
/* Tap (i, j) of output pixel (x, y) in channel c of the input. */
static inline int8_t ash_rt_depthwise_tap(const ash_rt_depthwise_large *k,
                                          const ash_rt_lines *in, int32_t y,
                                          int32_t x, int32_t i, int32_t j,
                                          int32_t c) {
  const ash_rt_window *w = &k->p->window;
  const int32_t row = y * w->stride_h - w->pad_top + i * w->dilation_h;
  const int32_t column = x * w->stride_w - w->pad_left + j * w->dilation_w;
  if (row < 0 || row >= w->in_h || column < 0 || column >= w->in_w)
    return k->padding[c];
  return (
      (const int8_t *)ash_rt_line(in, row))[(ptrdiff_t)column * w->in_c + c];
}

static int8_t ash_rt_depthwise_channel(const ash_rt_depthwise_large *k,
                                       const ash_rt_lines *in, int32_t y,
                                       int32_t x, int32_t c) {
  const ash_rt_window *w = &k->p->window;
  const int32_t at = c / (w->out_c / w->in_c);
  const int32_t from = c / 8 * 8 + c % 8 / 2 + (c & 1) * 4;
  const int8_t *f = k->filter + c;
  uint32_t s = (uint32_t)k->bias[from];
  for (int32_t i = 0; i < w->filter_h; i++)
    for (int32_t j = 0; j < w->filter_w; j++, f += w->out_c)
      s += (uint32_t)(ash_rt_depthwise_tap(k, in, y, x, i, j, at) * *f);
  return (int8_t)ash_rt_finish(
      ash_rt_rescale((int32_t)s, k->multiplier[from], k->shift[from]),
      k->p->out_offset, k->p->act_min, k->p->act_max);
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_depthwise_large_lines(const ash_rt_depthwise_large *k,
                                                const ash_rt_lines *in,
                                                const ash_rt_lines *out,
                                                int32_t from, int32_t to) {
  const ash_rt_window *w = &k->p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c)
      for (int32_t c = 0; c < w->out_c; c++)
        pixel[c] = ash_rt_depthwise_channel(k, in, y, x, c);
  }
}
#endif

/* Fills the pixel of zero points. */
static inline ash_rt_depthwise_large
ash_rt_depthwise_large_of(const ash_rt_depthwise_conv_2d_s8_params *p,
                          const int8_t *filter, const int32_t *multiplier,
                          const int8_t *shift, const int32_t *bias,
                          void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t count = w->filter_h * w->filter_w;
  int8_t *const padding = (int8_t *)scratch + ASH_RT_TAP_BYTES * count;
  const ash_rt_depthwise_large k = {p,     filter, padding, multiplier,
                                    shift, bias,   scratch, count};
  ASH_RT_FILL(padding, (uint8_t)-p->in_offset, (size_t)w->in_c);
  return k;
}

/* kernel depthwise_conv_2d_s8_large_mve */
void ash_rt_depthwise_conv_2d_s8_large_mve(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_depthwise_large k =
      ash_rt_depthwise_large_of(p, filter, multiplier, shift, bias, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_large_lines(&k, &i, &o, 0, w->out_h);
  }
}

/* kernel depthwise_conv_2d_s8_large_mve_lines */
void ash_rt_depthwise_conv_2d_s8_large_mve_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  const ash_rt_depthwise_large k =
      ash_rt_depthwise_large_of(p, filter, multiplier, shift, bias, scratch);
  ash_rt_depthwise_large_lines(&k, in, out, from, to);
}
