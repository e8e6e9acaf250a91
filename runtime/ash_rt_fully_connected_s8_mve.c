/* ash_rt_fully_connected_s8_mve.c - matrix times vectors, int8, with Helium:
 * four rows of the matrix at once. */
#include "ash_rt.h"

static void ash_rt_fc_row_mve(const ash_rt_fully_connected_s8_params *p,
                              const int8_t *in, const int32_t *bias,
                              const int8_t *filter, const int32_t *scale,
                              int8_t *out) {
  const int32_t blocks = (p->in_c + 15) / 16;
  for (int32_t c = 0; c < p->out_c; c += 4) {
    const ash_rt_four s = ash_rt_dot_mve(in, filter, blocks);
    if (p->per_channel)
      ash_rt_scale_each_mve(s, bias + c, scale + 4 * (ptrdiff_t)c, p->act_min,
                            p->act_max, out + c, p->out_c - c);
    else
      ash_rt_scale_mve(s, bias + c, scale, p->act_min, p->act_max, out + c,
                       p->out_c - c);
    filter += 64 * (ptrdiff_t)blocks;
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
