/* ash_rt_fully_connected_s8_mve.c - matrix times vectors, int8, with Helium:
 * four rows of the matrix at once. */
#include "ash_rt_mve.h"

/* Not inlined: it is run once for many products. */
static ASH_RT_NOINLINE ash_rt_four ash_rt_scale_wide_mve(ash_rt_four s,
                                                         const int32_t *scale,
                                                         int32_t step) {
  int32_t x[4];
  ash_rt_four_store(x, s);
  for (int32_t i = 0; i < 4; i++, scale += step)
    x[i] = ash_rt_scale_wide(x[i], scale);
  return ash_rt_four_load(x);
}

static void ash_rt_fc_row_mve(const ash_rt_fully_connected_s8_params *p,
                              const int8_t *in, const int32_t *bias,
                              const int8_t *filter, const int32_t *scale,
                              int8_t *out) {
  const int32_t blocks = (p->in_c + 15) / 16;
  const ash_rt_four low = ash_rt_four_of(p->act_min);
  const ash_rt_four high = ash_rt_four_of(p->act_max);
  for (int32_t rest = p->out_c; rest > 0; rest -= 4) {
    ash_rt_four s = ash_rt_dot_mve(bias, in, filter, blocks);
    if (p->wide) {
      s = ash_rt_scale_wide_mve(s, scale, p->per_channel ? 4 : 0);
      scale += p->per_channel ? 16 : 0;
    } else if (p->per_channel) {
      s = ash_rt_scale_each_mve(s, scale);
      scale += 16;
    } else {
      s = ash_rt_scale_mve(s, scale);
    }
    ash_rt_store_mve(s, low, high, out, rest);
    filter += 64 * (ptrdiff_t)blocks;
    bias += 4;
    out += 4;
  }
}

void ash_rt_fully_connected_s8_mve(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch) {
  for (int32_t b = 0; b < p->batches; b++) {
    const int8_t *row = in;
    if (scratch) { /* sixteen at once would read behind the end */
      (void)ash_rt_copy_mve(scratch, in, p->in_c);
      row = scratch;
    }
    ash_rt_fc_row_mve(p, row, bias, filter, scale, out);
    in += p->in_c;
    out += p->out_c;
  }
}
