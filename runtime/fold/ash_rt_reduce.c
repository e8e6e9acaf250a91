/* ash_rt_reduce.c - sums, means, products, largest and smallest values, any and
 * all over any axes. */
#include "ash_rt_folds.h"

/* kernel reduce_f32: products, largest and smallest values. */
static float ash_rt_join_f32(int32_t function, float a, float b) {
  switch (function) {
  case ASH_RT_PROD:
    return a * b;
  case ASH_RT_MAX:
    return b > a ? b : a;
  default:
    return b < a ? b : a;
  }
}

/* The first element stands for itself. */
void ash_rt_reduce_f32(const ash_rt_reduce_params *p, const float *in,
                       float *out) {
  const ash_rt_mean_axes *x = &p->axes;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    float y = p->function == ASH_RT_PROD ? 1.0f : in[at];
    ASH_RT_AXES(x->fold_dim, x->fold_step, k,
                { y = ash_rt_join_f32(p->function, y, in[at + k]); })
    *out++ = y;
  })
}

/* kernels reduce_s8, reduce_whole: integers and truth values. */
static inline int64_t ash_rt_join_whole(int32_t function, int64_t a,
                                        int64_t b) {
  switch (function) {
  case ASH_RT_PROD:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case ASH_RT_MAX:
    return b > a ? b : a;
  case ASH_RT_MIN:
    return b < a ? b : a;
  case ASH_RT_ANY:
    return a != 0 || b != 0;
  case ASH_RT_ALL:
    return a != 0 && b != 0;
  default:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  }
}

/* What does not change the result. */
static inline int64_t ash_rt_neutral_whole(int32_t function, int64_t first) {
  switch (function) {
  case ASH_RT_PROD:
    return 1;
  case ASH_RT_SUM:
  case ASH_RT_MEAN:
    return 0;
  default:
    return first;
  }
}

static inline void ash_rt_reduce_typed(const ash_rt_reduce_params *p,
                                       const void *in, void *out,
                                       int32_t type) {
  const ash_rt_mean_axes *x = &p->axes;
  ptrdiff_t to = 0;
  ASH_RT_AXES(x->keep_dim, x->keep_step, at, {
    int64_t y = ash_rt_neutral_whole(p->function, ash_rt_load(in, type, at));
    ASH_RT_AXES(x->fold_dim, x->fold_step, k, {
      y = ash_rt_join_whole(p->function, y, ash_rt_load(in, type, at + k));
    })
    ash_rt_store(out, type, to++,
                 p->function == ASH_RT_MEAN ? y / p->count : y);
  })
}

/* kernel reduce_s8 */
void ash_rt_reduce_s8(const ash_rt_reduce_params *p, const int8_t *in,
                      int8_t *out) {
  ash_rt_reduce_typed(p, in, out, ASH_RT_S8);
}

/* kernel reduce_whole */
void ash_rt_reduce_whole(const ash_rt_reduce_params *p, const void *in,
                         void *out) {
  ash_rt_reduce_typed(p, in, out, p->type);
}
