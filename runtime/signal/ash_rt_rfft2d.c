/* ash_rt_rfft2d.c - Fourier transform of real images, lengths powers of two. */
#include "ash_rt_fourier.h"

/* In place, n complex numbers; `table` has cosine and sine of k / `all` turns,
 * `all` is a multiple of n. */
static void ash_rt_fft(float *x, int32_t n, const float *table, int32_t all) {
  for (int32_t i = 1, j = 0; i < n; i++) {
    int32_t bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j |= bit;
    if (i < j) {
      const float re = x[2 * i], im = x[2 * i + 1];
      x[2 * i] = x[2 * j];
      x[2 * i + 1] = x[2 * j + 1];
      x[2 * j] = re;
      x[2 * j + 1] = im;
    }
  }
  for (int32_t half = 1; half < n; half *= 2)
    for (int32_t first = 0; first < n; first += 2 * half)
      for (int32_t k = 0; k < half; k++) {
        const float *w = table + 2 * (ptrdiff_t)k * (all / (2 * half));
        float *a = x + 2 * (first + k), *b = a + 2 * half;
        const float re = b[0] * w[0] + b[1] * w[1];
        const float im = b[1] * w[0] - b[0] * w[1];
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
}

static void ash_rt_fft_rows(const ash_rt_rfft2d_params *p, const float *in,
                            const float *table, int32_t all, float *out,
                            float *work) {
  const int32_t columns = p->fft_w / 2 + 1;
  for (int32_t y = 0; y < p->fft_h; y++, in += p->in_w) {
    for (int32_t x = 0; x < p->fft_w; x++) {
      work[2 * x] = y < p->in_h && x < p->in_w ? in[x] : 0.0f;
      work[2 * x + 1] = 0.0f;
    }
    ash_rt_fft(work, p->fft_w, table, all);
    for (int32_t x = 0; x < 2 * columns; x++)
      *out++ = work[x];
  }
}

static void ash_rt_fft_columns(const ash_rt_rfft2d_params *p,
                               const float *table, int32_t all, float *out,
                               float *work) {
  const int32_t columns = p->fft_w / 2 + 1;
  for (int32_t x = 0; x < columns; x++) {
    float *column = out + 2 * x;
    for (int32_t y = 0; y < p->fft_h; y++) {
      work[2 * y] = column[2 * (ptrdiff_t)y * columns];
      work[2 * y + 1] = column[2 * (ptrdiff_t)y * columns + 1];
    }
    ash_rt_fft(work, p->fft_h, table, all);
    for (int32_t y = 0; y < p->fft_h; y++) {
      column[2 * (ptrdiff_t)y * columns] = work[2 * y];
      column[2 * (ptrdiff_t)y * columns + 1] = work[2 * y + 1];
    }
  }
}

void ash_rt_rfft2d(const ash_rt_rfft2d_params *p, const float *in,
                   const float *table, float *out, void *work) {
  const int32_t all = p->fft_h > p->fft_w ? p->fft_h : p->fft_w;
  for (int32_t i = 0; i < p->images; i++) {
    ash_rt_fft_rows(p, in, table, all, out, (float *)work);
    if (p->fft_h > 1)
      ash_rt_fft_columns(p, table, all, out, (float *)work);
    in += (ptrdiff_t)p->in_h * p->in_w;
    out += 2 * (ptrdiff_t)p->fft_h * (p->fft_w / 2 + 1);
  }
}
