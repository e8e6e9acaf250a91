/* ash_rt_conv_2d_s8_pie.c - convolution, int8, for the ESP32-S3: sixteen
 * products of a pixel and a channel at once. The input of a pixel is spread out
 * as a column, which is where whole blocks begin. */
#include "ash_rt_pie.h"

typedef struct ash_rt_conv_pie {
  const ash_rt_conv_2d_s8_params *p;
  const int32_t *multiplier;
  const int8_t *shift;
  const int32_t *bias;
  const int8_t *filter;
  int8_t *column;
  int32_t blocks;
} ash_rt_conv_pie;

/* Where there is no tap, input and weight are 0. */
static inline ash_rt_conv_pie
ash_rt_conv_begin_pie(const ash_rt_conv_2d_s8_params *p,
                      const int32_t *multiplier, const int8_t *shift,
                      const int32_t *bias, const int8_t *filter,
                      void *scratch) {
  const ash_rt_window *w = &p->window;
  const int32_t taps = w->filter_h * w->filter_w * w->in_c;
  const ash_rt_conv_pie k = {p,
                             multiplier,
                             shift,
                             bias,
                             filter,
                             scratch,
                             (taps + ASH_RT_PIE_BLOCK - 1) / ASH_RT_PIE_BLOCK};
  for (int32_t i = taps; i < k.blocks * ASH_RT_PIE_BLOCK; i++)
    k.column[i] = 0;
  return k;
}

static inline int8_t *ash_rt_fill_pie(int8_t *to, int32_t value,
                                      int32_t count) {
  ASH_RT_FILL(to, (uint8_t)value, (size_t)count);
  return to + count;
}

static inline int8_t *ash_rt_copy_pie(int8_t *to, const int8_t *from,
                                      int32_t count) {
  ASH_RT_COPY(to, from, (size_t)count);
  return to + count;
}

/* All channels of the pixel of the column. */
static ASH_RT_NOINLINE void ash_rt_conv_pixel_pie(const ash_rt_conv_pie *k,
                                                  int8_t *out) {
  const ptrdiff_t row = (ptrdiff_t)k->blocks * ASH_RT_PIE_BLOCK;
  const int32_t twice = 2 * k->p->out_offset + 1;
  const int8_t *filter = k->filter;
  for (int32_t c = 0; c < k->p->window.out_c; c++) {
    if (k->shift[c / 4 * 4] < 0) { /* one of four constants */
      out[c] = (int8_t)k->bias[c];
      continue;
    }
    const int32_t sum =
        k->bias[c] + ash_rt_dot_pie(k->column, filter, k->blocks);
    out[c] = ash_rt_rescale_pie(sum, k->multiplier[c], k->shift[c], twice,
                                k->p->act_min, k->p->act_max);
    filter += row;
  }
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_conv_core_pie(const ash_rt_conv_pie *k,
                                        const ash_rt_lines *in,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to) {
  const ash_rt_window *w = &k->p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->out_c) {
      ash_rt_conv_column(k->p, in, y, x, k->column, ash_rt_fill_pie,
                         ash_rt_copy_pie);
      ash_rt_conv_pixel_pie(k, pixel);
    }
  }
}

/* kernel conv_2d_s8_pie */
void ash_rt_conv_2d_s8_pie(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  const ash_rt_conv_pie k =
      ash_rt_conv_begin_pie(p, multiplier, shift, bias, filter, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_conv_core_pie(&k, &i, &o, 0, w->out_h);
  }
}

/* kernel conv_2d_s8_pie_lines */
void ash_rt_conv_2d_s8_pie_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch) {
  const ash_rt_conv_pie k =
      ash_rt_conv_begin_pie(p, multiplier, shift, bias, filter, scratch);
  ash_rt_conv_core_pie(&k, in, out, from, to);
}
