/* ash_rt_hybrid.c - layers with float activations and int8 weights: the
 * activations become int8 with a scale of their own while the model runs. */
#include "ash_rt_hybrid.h"
#include "ash_rt_hybrid_row.h"

static float ash_rt_hybrid_clamp(const ash_rt_hybrid_params *p, float x) {
  return ash_rt_clamp_f32(x, p->act_min, p->act_max);
}

/* kernels conv_2d_hybrid, depthwise_conv_2d_hybrid */

/* Not inlined: two kernels call it for each pixel. */
static ASH_RT_NOINLINE ash_rt_pixel_taps
ash_rt_hybrid_taps_of(const ash_rt_window *w, int32_t y, int32_t x) {
  return ash_rt_pixel_taps_of(w, y, x);
}

/* Neighbouring weights of a tap are `pitch` apart; `depth` channels count. */
static float ash_rt_hybrid_sum(const ash_rt_window *w,
                               const ash_rt_hybrid_row *r,
                               const ash_rt_pixel_taps *t, int32_t channel,
                               const int8_t *filter, int32_t depth,
                               int32_t pitch) {
  uint32_t sum = 0;
  for (int32_t fy = t->v.lo; fy < t->v.hi; fy++)
    for (int32_t fx = t->h.lo; fx < t->h.hi; fx++) {
      const ptrdiff_t at = (ptrdiff_t)(t->top + fy * w->dilation_h) * w->in_w +
                           t->left + fx * w->dilation_w;
      const int8_t *a = r->x + at * w->in_c + channel;
      const int8_t *b =
          filter + ((ptrdiff_t)fy * w->filter_w + fx) * (ptrdiff_t)pitch;
      for (int32_t i = 0; i < depth; i++)
        sum += (uint32_t)((a[i] - r->zero) * b[i]);
    }
  return (float)(int32_t)sum;
}

/* kernel conv_2d_hybrid */
void ash_rt_conv_2d_hybrid(const ash_rt_hybrid_params *p, const float *in,
                           const int8_t *filter, const float *bias,
                           const float *scale, float *out, void *work) {
  const ash_rt_window *w = &p->window;
  const int32_t depth = w->in_c / p->groups, made = w->out_c / p->groups;
  const ptrdiff_t taps = (ptrdiff_t)w->filter_h * w->filter_w * depth;
  const int32_t image = w->in_h * w->in_w * w->in_c;
  for (int32_t n = 0; n < w->batches; n++, in += image) {
    const ash_rt_hybrid_row r =
        ash_rt_hybrid_quantise(in, image, p->asymmetric, work);
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++) {
        const ash_rt_pixel_taps t = ash_rt_hybrid_taps_of(w, y, x);
        for (int32_t c = 0; c < w->out_c; c++) {
          const float sum = ash_rt_hybrid_sum(w, &r, &t, c / made * depth,
                                              filter + c * taps, depth, depth);
          const float v = p->per_channel ? sum * scale[c] * r.scale
                                         : sum * (scale[0] * r.scale);
          *out++ = ash_rt_hybrid_clamp(p, v + (bias ? bias[c] : 0.0f));
        }
      }
  }
}

/* kernel depthwise_conv_2d_hybrid */
void ash_rt_depthwise_conv_2d_hybrid(const ash_rt_hybrid_params *p,
                                     const float *in, const int8_t *filter,
                                     const float *bias, const float *scale,
                                     float *out, void *work) {
  const ash_rt_window *w = &p->window;
  const int32_t each = w->out_c / w->in_c;
  const int32_t image = w->in_h * w->in_w * w->in_c;
  for (int32_t n = 0; n < w->batches; n++, in += image) {
    const ash_rt_hybrid_row r =
        ash_rt_hybrid_quantise(in, image, p->asymmetric, work);
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++) {
        const ash_rt_pixel_taps t = ash_rt_hybrid_taps_of(w, y, x);
        for (int32_t c = 0; c < w->out_c; c++) {
          const float sum =
              ash_rt_hybrid_sum(w, &r, &t, c / each, filter + c, 1, w->out_c);
          const float v = sum * (scale[p->per_channel ? c : 0] * r.scale);
          *out++ = ash_rt_hybrid_clamp(p, v + (bias ? bias[c] : 0.0f));
        }
      }
  }
}

/* kernel fully_connected_hybrid */
void ash_rt_fully_connected_hybrid(const ash_rt_hybrid_params *p,
                                   const float *in, const int8_t *filter,
                                   const float *bias, const float *scale,
                                   float *out, void *work) {
  const int32_t depth = p->window.in_c;
  for (int32_t b = 0; b < p->window.batches; b++, in += depth) {
    const ash_rt_hybrid_row r =
        ash_rt_hybrid_quantise(in, depth, p->asymmetric, work);
    const int8_t *w = filter;
    for (int32_t c = 0; c < p->window.out_c; c++, w += depth) {
      uint32_t sum = 0;
      for (int32_t i = 0; i < depth; i++)
        sum += (uint32_t)((r.x[i] - r.zero) * w[i]);
      const float v =
          (float)(int32_t)sum * (r.scale * scale[p->per_channel ? c : 0]);
      *out++ = ash_rt_hybrid_clamp(p, (bias ? bias[c] : 0.0f) + v);
    }
  }
}
