/* ash_rt_integer_sums.c - sums of products of bytes, for layers of integers
 * without scales: blocks of two pixels and four channels, so that eight
 * products need six loads. What becomes of the sums is the caller's. */
#include "ash_rt_bytes4.h"
#include "ash_rt_loops.h"

ASH_RT_INLINE int32_t ash_rt_byte(const uint8_t *at, int32_t is_signed) {
  return is_signed ? (int8_t)*at : *at;
}

/* One product for each of four channels. */
typedef struct ash_rt_four {
  uint32_t a, b, c, d;
} ash_rt_four;

ASH_RT_INLINE void ash_rt_four_add(ash_rt_four *s, const int32_t *x,
                                   const int32_t *w) {
  s->a += (uint32_t)(x[0] * w[0]);
  s->b += (uint32_t)(x[1] * w[1]);
  s->c += (uint32_t)(x[2] * w[2]);
  s->d += (uint32_t)(x[3] * w[3]);
#if defined(__GNUC__)
  /* Products are added before the next bytes are loaded: compilers that load
   * all of a round first run out of registers. */
  __asm__ volatile(""
                   : "+r"(s->a), "+r"(s->b), "+r"(s->c), "+r"(s->d)
                   :
                   : "memory");
#endif
}

ASH_RT_INLINE void ash_rt_four_put(const ash_rt_four *s, uint32_t *sums) {
  sums[0] = s->a;
  sums[1] = s->b;
  sums[2] = s->c;
  sums[3] = s->d;
}

ASH_RT_INLINE ASH_RT_MAYBE_UNUSED void
ash_rt_bytes(const uint8_t *at, int32_t is_signed, int32_t *four) {
  four[0] = ash_rt_byte(at, is_signed);
  four[1] = ash_rt_byte(at + 1, is_signed);
  four[2] = ash_rt_byte(at + 2, is_signed);
  four[3] = ash_rt_byte(at + 3, is_signed);
}

/* kernels sums_s8_s8, sums_s8_u8, sums_u8_s8, sums_u8_u8: channels
 * that all read the same. */

/* What is left where there are fewer than four channels. */
ASH_RT_INLINE uint32_t ash_rt_one_sum(const ash_rt_block *b, const uint8_t *x,
                                      int32_t x_signed, const uint8_t *w,
                                      int32_t w_signed) {
  uint32_t sum = 0;
  for (int32_t r = 0; r < b->rows; r++, x += b->x_row, w += b->w_row)
    for (int32_t i = 0; i < b->run; i++)
      sum += (uint32_t)(ash_rt_byte(x + i, x_signed) *
                        ash_rt_byte(w + i, w_signed));
  return sum;
}

/* One element of one or two pixels by one of each channel. */
ASH_RT_INLINE void ash_rt_sums_step(ash_rt_four *s, int32_t pixels,
                                    const uint8_t *x, const uint8_t *y,
                                    int32_t x_signed, const uint8_t *const *w,
                                    int32_t w_signed, int32_t at) {
  const int32_t by[4] = {
      ash_rt_byte(w[0] + at, w_signed), ash_rt_byte(w[1] + at, w_signed),
      ash_rt_byte(w[2] + at, w_signed), ash_rt_byte(w[3] + at, w_signed)};
  const int32_t one = ash_rt_byte(x + at, x_signed);
  ash_rt_four_add(&s[0], (const int32_t[]){one, one, one, one}, by);
  if (pixels > 1) {
    const int32_t two = ash_rt_byte(y + at, x_signed);
    ash_rt_four_add(&s[1], (const int32_t[]){two, two, two, two}, by);
  }
}

#if ASH_RT_XPULP
/* Four elements: of two pixels 14 instructions for 32 products, of one pixel 9
 * for 16. */
ASH_RT_INLINE void ash_rt_sums_four(ash_rt_four *s, int32_t pixels,
                                    const uint8_t *x, const uint8_t *y,
                                    int32_t x_signed, const uint8_t *const *w,
                                    int32_t w_signed) {
  const ash_rt_bytes4 a = ash_rt_four_bytes(w[0]);
  const ash_rt_bytes4 b = ash_rt_four_bytes(w[1]);
  const ash_rt_bytes4 c = ash_rt_four_bytes(w[2]);
  const ash_rt_bytes4 d = ash_rt_four_bytes(w[3]);
  for (int32_t i = 0; i < pixels; i++) {
    const ash_rt_bytes4 v = ash_rt_four_bytes(i ? y : x);
    s[i].a = ash_rt_dot4(s[i].a, v, x_signed, a, w_signed);
    s[i].b = ash_rt_dot4(s[i].b, v, x_signed, b, w_signed);
    s[i].c = ash_rt_dot4(s[i].c, v, x_signed, c, w_signed);
    s[i].d = ash_rt_dot4(s[i].d, v, x_signed, d, w_signed);
  }
}
#else
ASH_RT_INLINE void ash_rt_sums_four(ash_rt_four *s, int32_t pixels,
                                    const uint8_t *x, const uint8_t *y,
                                    int32_t x_signed, const uint8_t *const *w,
                                    int32_t w_signed) {
  ash_rt_sums_step(s, pixels, x, y, x_signed, w, w_signed, 0);
  ash_rt_sums_step(s, pixels, x, y, x_signed, w, w_signed, 1);
  ash_rt_sums_step(s, pixels, x, y, x_signed, w, w_signed, 2);
  ash_rt_sums_step(s, pixels, x, y, x_signed, w, w_signed, 3);
}
#endif

/* Four channels of one or two pixels. */
ASH_RT_INLINE void ash_rt_sums_of(const ash_rt_block *b, int32_t pixels,
                                  const uint8_t *x, int32_t x_signed,
                                  const uint8_t *w, int32_t w_signed,
                                  uint32_t *sums) {
  ash_rt_four s[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  for (int32_t r = b->rows; r > 0; r--, x += b->x_row, w += b->w_row) {
    const uint8_t *p = x, *q = x + b->x_pixel;
    const uint8_t *c[4] = {w, w + b->w_channel, w + 2 * b->w_channel,
                           w + 3 * b->w_channel};
    const uint8_t *const end = p + b->run, *const most = p + (b->run & ~3);
    while (p != most) {
      ash_rt_sums_four(s, pixels, p, q, x_signed, c, w_signed);
      p += 4, q += 4;
      c[0] += 4, c[1] += 4, c[2] += 4, c[3] += 4;
    }
    while (p != end) {
      ash_rt_sums_step(s, pixels, p, q, x_signed, c, w_signed, 0);
      p++, q++;
      c[0]++, c[1]++, c[2]++, c[3]++;
    }
  }
  ash_rt_four_put(&s[0], sums);
  if (pixels > 1)
    ash_rt_four_put(&s[1], sums + ASH_RT_BLOCK);
}

ASH_RT_INLINE void ash_rt_sums(const ash_rt_block *b, int32_t pixels,
                               int32_t channels, const uint8_t *x,
                               int32_t x_signed, const uint8_t *w,
                               int32_t w_signed, uint32_t *sums) {
  for (; channels >= 4; channels -= 4, w += 4 * b->w_channel, sums += 4) {
    if (pixels == 2)
      ash_rt_sums_of(b, 2, x, x_signed, w, w_signed, sums);
    else
      ash_rt_sums_of(b, 1, x, x_signed, w, w_signed, sums);
  }
  for (; channels > 0; channels--, w += b->w_channel, sums++)
    for (int32_t p = 0; p < pixels; p++)
      sums[ASH_RT_BLOCK * p] =
          ash_rt_one_sum(b, x + p * b->x_pixel, x_signed, w, w_signed);
}

/* kernels columns_s8_s8, columns_s8_u8, columns_u8_s8, columns_u8_u8:
 * channels that each read their own. */

ASH_RT_INLINE uint32_t ash_rt_one_column(const ash_rt_block *b,
                                         const uint8_t *x, int32_t x_signed,
                                         const uint8_t *w, int32_t w_signed) {
  uint32_t sum = 0;
  for (int32_t r = 0; r < b->rows; r++, x += b->x_row, w += b->w_row)
    for (int32_t i = 0; i < b->run; i++)
      sum += (uint32_t)(ash_rt_byte(x + i * b->step, x_signed) *
                        ash_rt_byte(w + i * b->step, w_signed));
  return sum;
}

ASH_RT_INLINE void ash_rt_columns_of(const ash_rt_block *b, int32_t pixels,
                                     const uint8_t *x, int32_t x_signed,
                                     const uint8_t *w, int32_t w_signed,
                                     uint32_t *sums) {
  ash_rt_four s[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  const int32_t step = b->step;
  for (int32_t r = b->rows; r > 0; r--, x += b->x_row, w += b->w_row) {
    const uint8_t *p = x, *q = x + b->x_pixel, *c = w;
    for (int32_t i = b->run; i > 0; i--) {
      int32_t by[4], from[4];
      ash_rt_bytes(c, w_signed, by);
      ash_rt_bytes(p, x_signed, from);
      ash_rt_four_add(&s[0], from, by);
      if (pixels > 1) {
        ash_rt_bytes(q, x_signed, from);
        ash_rt_four_add(&s[1], from, by);
      }
      p += step, q += step, c += step;
    }
  }
  ash_rt_four_put(&s[0], sums);
  if (pixels > 1)
    ash_rt_four_put(&s[1], sums + ASH_RT_BLOCK);
}

ASH_RT_INLINE void ash_rt_columns(const ash_rt_block *b, int32_t pixels,
                                  int32_t channels, const uint8_t *x,
                                  int32_t x_signed, const uint8_t *w,
                                  int32_t w_signed, uint32_t *sums) {
  for (; channels >= 4; channels -= 4, x += 4, w += 4, sums += 4) {
    if (pixels == 2)
      ash_rt_columns_of(b, 2, x, x_signed, w, w_signed, sums);
    else
      ash_rt_columns_of(b, 1, x, x_signed, w, w_signed, sums);
  }
  for (; channels > 0; channels--, x++, w++, sums++)
    for (int32_t p = 0; p < pixels; p++)
      sums[ASH_RT_BLOCK * p] =
          ash_rt_one_column(b, x + p * b->x_pixel, x_signed, w, w_signed);
}

/* kernels across_s8_s8, across_s8_u8, across_u8_s8, across_u8_u8: matrices,
 * the weights of all channels side by side. */

ASH_RT_INLINE void ash_rt_across_of(const ash_rt_block *b, int32_t pixels,
                                    const uint8_t *x, int32_t x_signed,
                                    const uint8_t *w, int32_t w_signed,
                                    uint32_t *sums) {
  ash_rt_four s[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  const uint8_t *q = x + b->x_pixel, *const end = x + b->run;
  const int32_t step = b->step;
  for (; x != end; x++, q++, w += step) {
    int32_t by[4];
    ash_rt_bytes(w, w_signed, by);
    const int32_t one = ash_rt_byte(x, x_signed);
    ash_rt_four_add(&s[0], (const int32_t[]){one, one, one, one}, by);
    if (pixels > 1) {
      const int32_t two = ash_rt_byte(q, x_signed);
      ash_rt_four_add(&s[1], (const int32_t[]){two, two, two, two}, by);
    }
  }
  ash_rt_four_put(&s[0], sums);
  if (pixels > 1)
    ash_rt_four_put(&s[1], sums + ASH_RT_BLOCK);
}

ASH_RT_INLINE void ash_rt_across(const ash_rt_block *b, int32_t pixels,
                                 int32_t channels, const uint8_t *x,
                                 int32_t x_signed, const uint8_t *w,
                                 int32_t w_signed, uint32_t *sums) {
  for (; channels >= 4; channels -= 4, w += 4, sums += 4) {
    if (pixels == 2)
      ash_rt_across_of(b, 2, x, x_signed, w, w_signed, sums);
    else
      ash_rt_across_of(b, 1, x, x_signed, w, w_signed, sums);
  }
  for (; channels > 0; channels--, w++, sums++)
    for (int32_t p = 0; p < pixels; p++) {
      const uint8_t *const from = x + p * b->x_pixel;
      uint32_t sum = 0;
      for (int32_t i = 0; i < b->run; i++)
        sum += (uint32_t)(ash_rt_byte(from + i, x_signed) *
                          ash_rt_byte(w + i * b->step, w_signed));
      sums[ASH_RT_BLOCK * p] = sum;
    }
}

/* kernel sums_s8_s8: */
void ash_rt_sums_s8_s8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums) {
  ash_rt_sums(b, pixels, channels, (const uint8_t *)x, 1, (const uint8_t *)w, 1,
              sums);
}

/* kernel sums_s8_u8: */
void ash_rt_sums_s8_u8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums) {
  ash_rt_sums(b, pixels, channels, (const uint8_t *)x, 1, (const uint8_t *)w, 0,
              sums);
}

/* kernel sums_u8_s8: */
void ash_rt_sums_u8_s8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums) {
  ash_rt_sums(b, pixels, channels, (const uint8_t *)x, 0, (const uint8_t *)w, 1,
              sums);
}

/* kernel sums_u8_u8: */
void ash_rt_sums_u8_u8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums) {
  ash_rt_sums(b, pixels, channels, (const uint8_t *)x, 0, (const uint8_t *)w, 0,
              sums);
}

/* kernel columns_s8_s8: */
void ash_rt_columns_s8_s8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums) {
  ash_rt_columns(b, pixels, channels, (const uint8_t *)x, 1, (const uint8_t *)w,
                 1, sums);
}

/* kernel columns_s8_u8: */
void ash_rt_columns_s8_u8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums) {
  ash_rt_columns(b, pixels, channels, (const uint8_t *)x, 1, (const uint8_t *)w,
                 0, sums);
}

/* kernel columns_u8_s8: */
void ash_rt_columns_u8_s8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums) {
  ash_rt_columns(b, pixels, channels, (const uint8_t *)x, 0, (const uint8_t *)w,
                 1, sums);
}

/* kernel columns_u8_u8: */
void ash_rt_columns_u8_u8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums) {
  ash_rt_columns(b, pixels, channels, (const uint8_t *)x, 0, (const uint8_t *)w,
                 0, sums);
}

/* kernel across_s8_s8: */
void ash_rt_across_s8_s8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums) {
  ash_rt_across(b, pixels, channels, (const uint8_t *)x, 1, (const uint8_t *)w,
                1, sums);
}

/* kernel across_s8_u8: */
void ash_rt_across_s8_u8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums) {
  ash_rt_across(b, pixels, channels, (const uint8_t *)x, 1, (const uint8_t *)w,
                0, sums);
}

/* kernel across_u8_s8: */
void ash_rt_across_u8_s8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums) {
  ash_rt_across(b, pixels, channels, (const uint8_t *)x, 0, (const uint8_t *)w,
                1, sums);
}

/* kernel across_u8_u8: */
void ash_rt_across_u8_u8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums) {
  ash_rt_across(b, pixels, channels, (const uint8_t *)x, 0, (const uint8_t *)w,
                0, sums);
}
