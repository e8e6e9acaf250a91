/* ash_rt_fully_connected_f32_simd.c - matrix times vectors, float32, with
 * vectors of x86-64 and AArch64: up to 64 outputs at once, each summed in the
 * order of its inputs, the bias last. Several vectors are copied first, eight
 * at a time. */
#include "ash_rt_simd_f32.h"

void ash_rt_fully_connected_f32_simd(const ash_rt_fully_connected_f32_params *p,
                                     const float *in, const float *bias,
                                     const float *filter, float *out,
                                     void *scratch) {
  ash_rt_block_f32 k = {
      in,        p->in_c, filter,   (ptrdiff_t)p->in_c * ASH_RT_SIMD_F32_GROUP,
      bias,      p->in_c, p->out_c, p->act_min,
      p->act_max};
  for (int32_t n = 0; n < p->batches; n += ASH_RT_SIMD_F32_PIXELS) {
    const int32_t left = p->batches - n;
    const int32_t rows =
        left < ASH_RT_SIMD_F32_PIXELS ? left : ASH_RT_SIMD_F32_PIXELS;
    float *made[ASH_RT_SIMD_F32_PIXELS];
    if (scratch) {
      ASH_RT_COPY(scratch, in + (ptrdiff_t)n * p->in_c,
                  (size_t)rows * (size_t)p->in_c * sizeof *in);
      k.x = scratch;
    }
    for (int32_t i = 0; i < rows; i++)
      made[i] = out + (ptrdiff_t)(n + i) * p->out_c;
    ash_rt_dot_simd_f32(&k, rows, made);
  }
}
