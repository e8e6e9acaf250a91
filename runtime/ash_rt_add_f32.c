/* ash_rt_add_f32.c - sum of two float32 tensors. */
#include "ash_rt_pairs.h"

static void ash_rt_add_run_f32(const ash_rt_binary_f32_params *p,
                               const float *a, const float *b, float *out) {
  const int32_t last = p->shape.rank - 1;
  const int32_t count = p->shape.dim[last];
  const ptrdiff_t step_a = p->shape.step_a[last];
  const ptrdiff_t step_b = p->shape.step_b[last];
  for (int32_t i = 0; i < count; i++) {
    out[i] = ash_rt_clamp_f32(*a + *b, p->act_min, p->act_max);
    a += step_a;
    b += step_b;
  }
}

void ash_rt_add_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out) {
  ash_rt_cursor c = {0, 0, {0}};
  do {
    ash_rt_add_run_f32(p, a + c.a, b + c.b, out);
    out += p->shape.dim[p->shape.rank - 1];
  } while (ash_rt_advance(&p->shape, &c));
}
