/* ash_rt_mve_s16.h - Helium: int16, with weights of int8. */
#ifndef ASH_RT_MVE_S16_H
#define ASH_RT_MVE_S16_H

#include "ash_rt_layers_s16.h"
#include "ash_rt_mve.h"

/* One or two columns, the weights of two channels, and the sums of their
 * products in 64 bits: pixel by pixel of the first channel, then of the second.
 */
typedef struct ash_rt_square_s16 {
  const int16_t *x, *y;
  const int8_t *w, *v;
  int32_t count;
  int32_t unused; /* the sums are aligned on every processor */
  int64_t sums[4];
} ash_rt_square_s16;

/* Column x alone. As assembly with its own choice of registers, which must be
 * some of the first eight where a load widens. */
static inline void ash_rt_column_sums_s16_mve(ash_rt_square_s16 *s) {
#if ASH_RT_HAS_MVE
  register ash_rt_square_s16 *at __asm__("r12") = s;
  __asm__ volatile("ldr r6, [r12]\n"
                   "ldrd r4, r5, [r12, #8]\n"
                   "ldr lr, [r12, #16]\n"
                   "movs r0, #0\n"
                   "movs r1, #0\n"
                   "movs r2, #0\n"
                   "movs r3, #0\n"
                   "dlstp.16 lr, lr\n"
                   "1:\n"
                   "vldrh.16 q0, [r6], #16\n"
                   "vldrb.s16 q1, [r4], #8\n"
                   "vmlaldava.s16 r0, r1, q0, q1\n"
                   "vldrb.s16 q1, [r5], #8\n"
                   "vmlaldava.s16 r2, r3, q0, q1\n"
                   "letp lr, 1b\n"
                   "strd r0, r1, [r12, #24]\n"
                   "strd r2, r3, [r12, #40]\n"
                   : "+r"(at)
                   :
                   : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "lr", "cc", "q0",
                     "q1", "memory");
#else
  s->sums[0] = s->sums[2] = 0;
  for (int32_t i = 0; i < s->count; i++) {
    s->sums[0] += s->x[i] * s->w[i];
    s->sums[2] += s->x[i] * s->v[i];
  }
#endif
}

void ash_rt_conv_2d_s16_mve(const ash_rt_layer_params *p, const int16_t *in,
                            const int8_t *filter, const void *bias,
                            const int32_t *multiplier, const int8_t *shift,
                            int16_t *out, void *scratch);
void ash_rt_conv_2d_s16_mve_lines(const ash_rt_layer_params *p,
                                  const ash_rt_lines *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, const ash_rt_lines *out,
                                  int32_t from, int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s16_mve(const ash_rt_layer_params *p,
                                      const int16_t *in, const int8_t *filter,
                                      const void *bias,
                                      const int32_t *multiplier,
                                      const int8_t *shift, int16_t *out);
void ash_rt_depthwise_conv_2d_s16_mve_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to);
void ash_rt_fully_connected_s16_mve(const ash_rt_dense_params *p,
                                    const int16_t *in, const int8_t *filter,
                                    const void *bias, const double *ratio,
                                    int16_t *out);
void ash_rt_add_s16_mve(const ash_rt_pairs_s16_params *p, const int16_t *a,
                        const int16_t *b, int16_t *out);
void ash_rt_mul_s16_mve(const ash_rt_pairs_s16_params *p, const int16_t *a,
                        const int16_t *b, int16_t *out);

/* Of int16 alone. */
void ash_rt_average_pool_2d_any_mve(const ash_rt_pool_2d_any_params *p,
                                    const void *in, void *out);
void ash_rt_average_pool_2d_any_mve_lines(const ash_rt_pool_2d_any_params *p,
                                          const ash_rt_lines *in,
                                          const ash_rt_lines *out, int32_t from,
                                          int32_t to);
void ash_rt_max_pool_2d_any_mve(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out);
void ash_rt_max_pool_2d_any_mve_lines(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to);

#endif
