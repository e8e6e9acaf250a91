/* ash_rt_arg.c - where the largest or smallest value of a row is; the first of
 * equals. */
#include "ash_rt_folds.h"

/* kernel arg_f32 */
void ash_rt_arg_f32(const ash_rt_arg_params *p, const float *in, void *out) {
  for (int32_t o = 0; o < p->outer; o++)
    for (int32_t i = 0; i < p->inner; i++) {
      const float *row = in + (ptrdiff_t)o * p->depth * p->inner + i;
      float best = *row;
      int32_t found = 0;
      for (int32_t d = 1; d < p->depth; d++) {
        const float x = row[(ptrdiff_t)d * p->inner];
        if (p->least ? x < best : x > best) {
          best = x;
          found = d;
        }
      }
      ash_rt_store(out, p->out_type, (ptrdiff_t)o * p->inner + i, found);
    }
}

/* kernel arg_whole */
void ash_rt_arg_whole(const ash_rt_arg_params *p, const void *in, void *out) {
  for (int32_t o = 0; o < p->outer; o++)
    for (int32_t i = 0; i < p->inner; i++) {
      const ptrdiff_t row = (ptrdiff_t)o * p->depth * p->inner + i;
      int64_t best = ash_rt_load(in, p->type, row);
      int32_t found = 0;
      for (int32_t d = 1; d < p->depth; d++) {
        const int64_t x =
            ash_rt_load(in, p->type, row + (ptrdiff_t)d * p->inner);
        if (p->least ? x < best : x > best) {
          best = x;
          found = d;
        }
      }
      ash_rt_store(out, p->out_type, (ptrdiff_t)o * p->inner + i, found);
    }
}
