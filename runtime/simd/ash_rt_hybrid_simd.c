/* ash_rt_hybrid_simd.c - convolutions with float activations and int8 weights,
 * with vectors of x86-64 and AArch64: ash_rt_hybrid.c, sixteen channels at
 * once. */
#include "ash_rt_hybrid.h"
#include "ash_rt_hybrid_row.h"
#include "ash_rt_simd.h"

#if ASH_RT_SIMD == 512
/* ash_rt_round_f32(x * inverse, -1000, 1000) + zero, within [low, 127]. */
static inline __m128i ash_rt_hybrid_bytes_512(__m512 x, __m512 inverse,
                                              int32_t zero, int32_t low) {
  const __m512 half = _mm512_set1_ps(0.5f), least = _mm512_set1_ps(-1000.0f);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512 v = _mm512_mul_ps(x, inverse);
  const __m512i whole = _mm512_cvttps_epi32(v);
  const __m512 rest = _mm512_sub_ps(v, _mm512_cvtepi32_ps(whole));
  __m512i y = _mm512_mask_add_epi32(
      whole, _mm512_cmp_ps_mask(rest, half, _CMP_GE_OQ), whole, one);
  y = _mm512_mask_sub_epi32(
      y,
      _mm512_cmp_ps_mask(rest, _mm512_sub_ps(_mm512_setzero_ps(), half),
                         _CMP_LE_OQ),
      y, one);
  y = _mm512_mask_mov_epi32(_mm512_set1_epi32(-1000),
                            _mm512_cmp_ps_mask(v, least, _CMP_GT_OQ), y);
  y = _mm512_mask_mov_epi32(
      y, _mm512_cmp_ps_mask(v, _mm512_set1_ps(1000.0f), _CMP_GE_OQ),
      _mm512_set1_epi32(1000));
  y = _mm512_add_epi32(y, _mm512_set1_epi32(zero));
  return _mm512_cvtsepi32_epi8(_mm512_max_epi32(y, _mm512_set1_epi32(low)));
}

/* ash_rt_hybrid_quantise, sixteen elements at once. */
static ash_rt_hybrid_row ash_rt_hybrid_quantise_simd(const float *in,
                                                     int32_t count,
                                                     int32_t asymmetric,
                                                     int8_t *to) {
  ash_rt_hybrid_row r = {to, 1.0f, 0};
  __m512 low = _mm512_set1_ps(in[0]), high = low;
  float lows[16], highs[16];
  int32_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 x = _mm512_loadu_ps((const void *)(in + i));
    low = _mm512_min_ps(x, low);
    high = _mm512_max_ps(x, high);
  }
  for (; i < count; i++) {
    low = _mm512_min_ps(_mm512_set1_ps(in[i]), low);
    high = _mm512_max_ps(_mm512_set1_ps(in[i]), high);
  }
  _mm512_storeu_ps((void *)lows, low);
  _mm512_storeu_ps((void *)highs, high);
  for (int32_t k = 1; k < 16; k++) {
    lows[0] = lows[k] < lows[0] ? lows[k] : lows[0];
    highs[0] = highs[k] > highs[0] ? highs[k] : highs[0];
  }
  const __m512 inverse =
      _mm512_set1_ps(ash_rt_hybrid_range(&r, lows[0], highs[0], asymmetric));
  for (i = 0; i < count; i += 16) {
    const __mmask16 some = ash_rt_some_512(count - i);
    const __m512 x = _mm512_maskz_loadu_ps(some, (const void *)(in + i));
    _mm_mask_storeu_epi8(
        (void *)(to + i), some,
        ash_rt_hybrid_bytes_512(x, inverse, r.zero, asymmetric ? -128 : -127));
  }
  return r;
}
#else
static ash_rt_hybrid_row ash_rt_hybrid_quantise_simd(const float *in,
                                                     int32_t count,
                                                     int32_t asymmetric,
                                                     int8_t *to) {
  return ash_rt_hybrid_quantise(in, count, asymmetric, to);
}
#endif

/* Scales, bias and clamp of sixteen sums; `late`: the scale of the input comes
 * last. */
typedef struct ash_rt_hybrid_finish {
  const ash_rt_hybrid_params *p;
  const float *bias, *scale;
  float row;
  int32_t late;
} ash_rt_hybrid_finish;

/* Any number of channels up to sixteen, one scale or many. */
static ASH_RT_NOINLINE void ash_rt_hybrid_some(const ash_rt_hybrid_finish *f,
                                               int32_t c, int32_t count,
                                               const int32_t *sums,
                                               float *out) {
  for (int32_t i = c; i < c + count; i++, sums++) {
    const float scale = f->scale[f->p->per_channel ? i : 0];
    const float v = f->late ? (float)*sums * scale * f->row
                            : (float)*sums * (scale * f->row);
    out[i] = ash_rt_clamp_f32(v + (f->bias ? f->bias[i] : 0.0f), f->p->act_min,
                              f->p->act_max);
  }
}

static inline void ash_rt_hybrid_put_simd(const ash_rt_hybrid_finish *f,
                                          int32_t c, const int32_t *sums,
                                          float *out) {
  const int32_t left = f->p->window.out_c - c;
#if ASH_RT_SIMD == 512
  if (left >= 16) {
    const __m512 s = _mm512_cvtepi32_ps(_mm512_loadu_si512((const void *)sums));
    const __m512 scale = f->p->per_channel
                             ? _mm512_loadu_ps((const void *)(f->scale + c))
                             : _mm512_set1_ps(f->scale[0]);
    const __m512 bias = f->bias ? _mm512_loadu_ps((const void *)(f->bias + c))
                                : _mm512_setzero_ps();
    const __m512 row = _mm512_set1_ps(f->row);
    __m512 v = f->late ? _mm512_mul_ps(_mm512_mul_ps(s, scale), row)
                       : _mm512_mul_ps(s, _mm512_mul_ps(scale, row));
    v = _mm512_add_ps(v, bias);
    v = _mm512_max_ps(_mm512_set1_ps(f->p->act_min), v);
    v = _mm512_min_ps(_mm512_set1_ps(f->p->act_max), v);
    _mm512_storeu_ps((void *)(out + c), v);
    return;
  }
#endif
  ash_rt_hybrid_some(f, c, left < 16 ? left : 16, sums, out);
}

/* kernel conv_2d_hybrid_simd: work memory holds the quantised image, a bias for
 * each channel, which is what the zero point adds, and columns. */
static void ash_rt_hybrid_pixels_simd(const ash_rt_hybrid_finish *f,
                                      ash_rt_block_simd b, int32_t pixels,
                                      float *const *out) {
  const int32_t channels = f->p->window.out_c;
  int32_t sums[ASH_RT_SIMD_PIXELS * ASH_RT_SIMD_SUMS];
  for (int32_t c = 0; c < channels; c += ASH_RT_SIMD_SUMS) {
    const int32_t groups = channels - c > ASH_RT_SIMD_GROUP ? 2 : 1;
    ash_rt_dot_simd(&b, pixels, groups, sums);
    for (int32_t i = 0; i < pixels; i++)
      for (int32_t g = 0; g < groups; g++)
        ash_rt_hybrid_put_simd(f, c + 16 * g,
                               sums + i * ASH_RT_SIMD_SUMS + 16 * g, out[i]);
    b.w += groups * b.next;
    b.bias += ASH_RT_SIMD_SUMS;
  }
}

/* -(zero point) times the sums of the weights, which are those of a column of
 * ones; with VNNI, of columns that have 128 added. */
static void ash_rt_hybrid_bias_simd(ash_rt_block_simd b, int32_t channels,
                                    int32_t zero, int8_t *column,
                                    int32_t *bias) {
  const uint32_t times = (uint32_t) - (zero + ASH_RT_SIMD_FLIP);
  const int32_t none[ASH_RT_SIMD_SUMS] = {0};
  int32_t sums[ASH_RT_SIMD_SUMS];
  ASH_RT_FILL(column, 1, (size_t)b.pitch);
  b.bias = none;
  for (int32_t c = 0; c < channels; c += 16, b.w += b.next) {
    ash_rt_dot_simd(&b, 1, 1, sums);
    for (int32_t i = 0; i < 16; i++)
      bias[c + i] = (int32_t)((uint32_t)sums[i] * times);
  }
}

void ash_rt_conv_2d_hybrid_simd(const ash_rt_hybrid_params *p, const float *in,
                                const float *bias, const float *scale,
                                const int8_t *filter, float *out, void *work) {
  const ash_rt_window *w = &p->window;
  const int32_t image = w->in_h * w->in_w * w->in_c;
  const int32_t blocks = (w->filter_h * w->filter_w * w->in_c + 3) / 4;
  const ptrdiff_t pitch = (ptrdiff_t)4 * blocks;
  int32_t *const zeros = work;
  int8_t *const bytes =
      (int8_t *)(zeros + ash_rt_round_up(w->out_c, ASH_RT_SIMD_SUMS));
  int8_t *const columns = bytes + ash_rt_round_up(image, 16);
  const ash_rt_block_simd b = {columns,    pitch, filter,
                               16 * pitch, zeros, blocks};
  for (int32_t n = 0; n < w->batches; n++, in += image) {
    const ash_rt_hybrid_row r =
        ash_rt_hybrid_quantise_simd(in, image, p->asymmetric, bytes);
    const ash_rt_hybrid_finish f = {p, bias, scale, r.scale, p->per_channel};
    const ash_rt_conv_2d_s8_params q = {*w, 1, -r.zero, 0, 0, 0, 0};
    const ash_rt_lines lines = ash_rt_image_in(w, bytes, 0, 1);
    const ash_rt_taps inside = ash_rt_inside_simd(w);
    float *made[ASH_RT_SIMD_PIXELS];
    int32_t pixels = 0;
    ash_rt_hybrid_bias_simd(b, w->out_c, r.zero, columns, zeros);
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c) {
        ash_rt_column_simd(&q, &lines, inside, y, x, columns + pixels * pitch);
        made[pixels++] = out;
        if (pixels == ASH_RT_SIMD_PIXELS) {
          ash_rt_hybrid_pixels_simd(&f, b, pixels, made);
          pixels = 0;
        }
      }
    if (pixels > 0)
      ash_rt_hybrid_pixels_simd(&f, b, pixels, made);
  }
}

/* kernel depthwise_conv_2d_hybrid_simd: one output channel an input channel. */
typedef struct ash_rt_hybrid_box {
  const int8_t *x, *w; /* of the first tap inside */
  int32_t rows, columns;
  ptrdiff_t x_row, x_column, w_row, w_column;
} ash_rt_hybrid_box;

/* Channels [c, c + count), at most sixteen. */
static inline void ash_rt_hybrid_sums_simd(const ash_rt_hybrid_box *b,
                                           int32_t c, int32_t count,
                                           int32_t zero, int32_t *sums) {
#if ASH_RT_SIMD == 512
  const __mmask16 some = ash_rt_some_512(count);
  const __m512i z = _mm512_set1_epi32(zero);
  __m512i s = _mm512_setzero_si512();
  for (int32_t i = 0; i < b->rows; i++)
    for (int32_t j = 0; j < b->columns; j++) {
      const int8_t *const x = b->x + i * b->x_row + j * b->x_column + c;
      const int8_t *const w = b->w + i * b->w_row + j * b->w_column + c;
      const __m512i u =
          _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(some, (const void *)x));
      const __m512i v =
          _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(some, (const void *)w));
      s = _mm512_add_epi32(s, _mm512_mullo_epi32(_mm512_sub_epi32(u, z), v));
    }
  _mm512_storeu_si512((void *)sums, s);
#else
  for (int32_t k = 0; k < count; k++) {
    uint32_t s = 0;
    for (int32_t i = 0; i < b->rows; i++)
      for (int32_t j = 0; j < b->columns; j++)
        s += (uint32_t)((b->x[i * b->x_row + j * b->x_column + c + k] - zero) *
                        b->w[i * b->w_row + j * b->w_column + c + k]);
    sums[k] = (int32_t)s;
  }
#endif
}

static void ash_rt_hybrid_pixel_simd(const ash_rt_hybrid_finish *f,
                                     const ash_rt_hybrid_row *r,
                                     const int8_t *filter, int32_t y, int32_t x,
                                     float *out) {
  const ash_rt_window *w = &f->p->window;
  const ash_rt_pixel_taps t = ash_rt_pixel_taps_of(w, y, x);
  const ptrdiff_t in_row = (ptrdiff_t)w->in_w * w->in_c;
  ash_rt_hybrid_box b;
  b.columns = t.h.hi - t.h.lo;
  b.rows = b.columns ? t.v.hi - t.v.lo : 0;
  b.x_row = in_row * w->dilation_h;
  b.x_column = (ptrdiff_t)w->dilation_w * w->in_c;
  b.w_row = (ptrdiff_t)w->filter_w * w->out_c;
  b.w_column = w->out_c;
  b.x = r->x;
  if (b.rows)
    b.x += t.top * in_row + t.v.lo * b.x_row + (ptrdiff_t)t.left * w->in_c +
           t.h.lo * b.x_column;
  b.w = filter + t.v.lo * b.w_row + t.h.lo * b.w_column;
  for (int32_t c = 0; c < w->out_c; c += 16) {
    const int32_t left = w->out_c - c;
    int32_t sums[16];
    ash_rt_hybrid_sums_simd(&b, c, left < 16 ? left : 16, r->zero, sums);
    ash_rt_hybrid_put_simd(f, c, sums, out);
  }
}

void ash_rt_depthwise_conv_2d_hybrid_simd(const ash_rt_hybrid_params *p,
                                          const float *in, const int8_t *filter,
                                          const float *bias, const float *scale,
                                          float *out, void *work) {
  const ash_rt_window *w = &p->window;
  const int32_t image = w->in_h * w->in_w * w->in_c;
  for (int32_t n = 0; n < w->batches; n++, in += image) {
    const ash_rt_hybrid_row r =
        ash_rt_hybrid_quantise_simd(in, image, p->asymmetric, work);
    const ash_rt_hybrid_finish f = {p, bias, scale, r.scale, 0};
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->out_c)
        ash_rt_hybrid_pixel_simd(&f, &r, filter, y, x, out);
  }
}
