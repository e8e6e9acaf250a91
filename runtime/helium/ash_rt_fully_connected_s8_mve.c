/* ash_rt_fully_connected_s8_mve.c - matrix times vectors, int8, with Helium:
 * four rows of the matrix at once. */
#include "ash_rt_mve.h"

/* Sums of four rows. */
typedef struct ash_rt_fc_sums {
  int32_t a, b, c, d;
} ash_rt_fc_sums;

/* A vector of so many blocks of sixteen stays in registers, most of it. */
enum { ASH_RT_FC_SHORT = 8, ASH_RT_FC_HELD = 6 };

#if ASH_RT_HAS_MVE
/* As assembly, in which loads and products take turns: each takes a Cortex-M55
 * two cycles unless the next is of the other kind. */
#define ASH_RT_FC_ROWS(product, x, t)                                          \
  "vldrb.8 " t ", [%[w]], #16\n" product " %[a], " x ", " t "\n"               \
  "vldrb.8 " t ", [%[w]], #16\n" product " %[b], " x ", " t "\n"               \
  "vldrb.8 " t ", [%[w]], #16\n" product " %[c], " x ", " t "\n"               \
  "vldrb.8 " t ", [%[w]], #16\n" product " %[d], " x ", " t "\n"

/* A block of sixteen columns; the weights of the next. The first .. */
ASH_RT_INLINE const int8_t *ash_rt_fc_first_mve(ash_rt_fc_sums *s, int8x16_t x,
                                                const int8_t *w) {
  int8x16_t t;
  __asm__(ASH_RT_FC_ROWS("vmladav.s8", "%q[x]", "%q[t]")
          : [a] "=&Te"(s->a), [b] "=&Te"(s->b), [c] "=&Te"(s->c),
            [d] "=&Te"(s->d), [w] "+r"(w), [t] "=&w"(t)
          : [x] "w"(x)
          : "memory");
  return w;
}

/* .. and the others. */
ASH_RT_INLINE const int8_t *ash_rt_fc_block_mve(ash_rt_fc_sums *s, int8x16_t x,
                                                const int8_t *w) {
  int8x16_t t;
  __asm__(ASH_RT_FC_ROWS("vmladava.s8", "%q[x]", "%q[t]")
          : [a] "+Te"(s->a), [b] "+Te"(s->b), [c] "+Te"(s->c), [d] "+Te"(s->d),
            [w] "+r"(w), [t] "=&w"(t)
          : [x] "w"(x)
          : "memory");
  return w;
}

#define ASH_RT_FC_QUARTER                                                      \
  "vldrb.8 q0, [%[x]], #16\n" ASH_RT_FC_ROWS("vmladava.s8", "q0", "q1")

/* Four blocks at a time, then what is left. */
ASH_RT_INLINE const int8_t *ash_rt_fc_long_mve(ash_rt_fc_sums *s,
                                               const int8_t *x, const int8_t *w,
                                               int32_t blocks) {
  __asm__("dls lr, %[n]\n"
          "1:\n" ASH_RT_FC_QUARTER ASH_RT_FC_QUARTER ASH_RT_FC_QUARTER
              ASH_RT_FC_QUARTER "le lr, 1b\n"
          : [a] "+Te"(s->a), [b] "+Te"(s->b), [c] "+Te"(s->c), [d] "+Te"(s->d),
            [x] "+r"(x), [w] "+r"(w)
          : [n] "r"(blocks / 4)
          : "lr", "q0", "q1", "memory");
  ASH_RT_NO_UNROLL
  for (int32_t rest = blocks & 3; rest > 0; rest--, x += 16)
    w = ash_rt_fc_block_mve(s, vldrbq_s8(x), w);
  return w;
}

/* All blocks of the first two rows. */
ASH_RT_INLINE void ash_rt_fc_two_mve(ash_rt_fc_sums *s, const int8_t *x,
                                     const int8_t *w, int32_t blocks) {
  __asm__("dls lr, %[n]\n"
          "1:\n"
          "vldrb.8 q0, [%[x]], #16\n"
          "vldrb.8 q1, [%[w], #16]\n"
          "vmladava.s8 %[b], q0, q1\n"
          "vldrb.8 q1, [%[w]], #64\n"
          "vmladava.s8 %[a], q0, q1\n"
          "le lr, 1b\n"
          : [a] "+Te"(s->a), [b] "+Te"(s->b), [x] "+r"(x), [w] "+r"(w)
          : [n] "r"(blocks)
          : "lr", "q0", "q1", "memory");
}

/* Sums of four rows, of two if `few`. The first blocks, in registers, are at
 * `held`. The filter becomes that of the next rows. */
ASH_RT_INLINE ash_rt_four ash_rt_fc_sum_mve(const int32_t *bias,
                                            const int8_t *x,
                                            const int8x16_t *held,
                                            const int8_t **filter,
                                            int32_t blocks, int few) {
  const int8_t *w = *filter;
  ash_rt_fc_sums s = {0, 0, 0, 0};
  if (few) {
    ash_rt_fc_two_mve(&s, x, w, blocks);
  } else if (blocks > ASH_RT_FC_SHORT) {
    w = ash_rt_fc_long_mve(&s, x, w, blocks);
  } else {
    w = ash_rt_fc_first_mve(&s, held[0], w);
    if (blocks > 1)
      w = ash_rt_fc_block_mve(&s, held[1], w);
    if (blocks > 2)
      w = ash_rt_fc_block_mve(&s, held[2], w);
    if (blocks > 3)
      w = ash_rt_fc_block_mve(&s, held[3], w);
    if (blocks > 4)
      w = ash_rt_fc_block_mve(&s, held[4], w);
    if (blocks > 5)
      w = ash_rt_fc_block_mve(&s, held[5], w);
    if (blocks > 6)
      w = ash_rt_fc_block_mve(&s, vldrbq_s8(x + 96), w);
    if (blocks > 7)
      w = ash_rt_fc_block_mve(&s, vldrbq_s8(x + 112), w);
  }
  const int32x4_t sums = {s.a, s.b, s.c, s.d};
  *filter = w;
  return vaddq_s32(sums, vldrwq_s32(bias));
}

/* One scale for all four .. */
ASH_RT_INLINE ash_rt_four ash_rt_fc_scale_mve(ash_rt_four s,
                                              const int32_t *scale) {
  s = vqrdmulhq_n_s32(vshlq_r_s32(s, scale[3]), scale[0]);
  return vshlq_r_s32(vaddq_n_s32(s, scale[1]), -scale[2]);
}

/* .. or one for each. */
ASH_RT_INLINE ash_rt_four ash_rt_fc_scale_each_mve(ash_rt_four s,
                                                   const int32_t *scale) {
  const int32x4x4_t v = vld4q_s32(scale);
  s = vqrdmulhq_s32(vshlq_s32(s, v.val[3]), v.val[0]);
  return vshlq_s32(vaddq_s32(s, v.val[1]), vnegq_s32(v.val[2]));
}

ASH_RT_INLINE int8_t *
ash_rt_fc_store_mve(const ash_rt_fully_connected_s8_params *p, ash_rt_four s,
                    int8_t *out, int32_t rest) {
  if (p->act_min == -128 && p->act_max == 127) {
    const int16x8_t half = vqmovnbq_s32(vreinterpretq_s16_s32(s), s);
    s = vreinterpretq_s32_s8(vqmovnbq_s16(vreinterpretq_s8_s16(half), half));
  } else {
    s = vmaxq_s32(s, vdupq_n_s32(p->act_min));
    s = vminq_s32(s, vdupq_n_s32(p->act_max));
  }
  if (p->out_c % 4 == 0 || rest >= 4)
    vstrbq_s32(out, s);
  else
    vstrbq_p_s32(out, s, vctp32q((uint32_t)rest));
  return out + 4;
}
#else
ASH_RT_INLINE ash_rt_four ash_rt_fc_scale_each_mve(ash_rt_four s,
                                                   const int32_t *scale) {
  for (int32_t i = 0; i < 4; i++, scale += 4)
    s.at[i] =
        (ash_rt_mul_high((int32_t)((uint32_t)s.at[i] << scale[3]), scale[0]) +
         scale[1]) >>
        scale[2];
  return s;
}

ASH_RT_INLINE ash_rt_four ash_rt_fc_scale_mve(ash_rt_four s,
                                              const int32_t *scale) {
  int32_t four[16];
  for (int32_t i = 0; i < 16; i++)
    four[i] = scale[i % 4];
  return ash_rt_fc_scale_each_mve(s, four);
}

ASH_RT_INLINE ash_rt_four ash_rt_fc_sum_mve(const int32_t *bias,
                                            const int8_t *x, const int8_t *held,
                                            const int8_t **filter,
                                            int32_t blocks, int few) {
  ash_rt_four s = ash_rt_four_load(bias);
  const int8_t *const w = *filter;
  *filter += 64 * (ptrdiff_t)blocks;
  (void)held;
  for (int32_t k = 0; k < 16 * blocks; k += 16)
    for (int32_t c = 0; c < (few ? 2 : 4); c++)
      s.at[c] = (int32_t)((uint32_t)s.at[c] +
                          ash_rt_dot_s8(x + k, w + 4 * k + 16 * c, 16, 0));
  return s;
}

ASH_RT_INLINE int8_t *
ash_rt_fc_store_mve(const ash_rt_fully_connected_s8_params *p, ash_rt_four s,
                    int8_t *out, int32_t rest) {
  ash_rt_store_mve(s, ash_rt_four_of(p->act_min), ash_rt_four_of(p->act_max),
                   out, rest);
  return out + 4;
}
#endif

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

ASH_RT_INLINE void ash_rt_fc_row_mve(const ash_rt_fully_connected_s8_params *p,
                                     const int8_t *in, const int32_t *bias,
                                     const int8_t *filter, const int32_t *scale,
                                     int8_t *out) {
  const int32_t blocks = (p->in_c + 15) / 16;
#if ASH_RT_HAS_MVE
  int8x16_t held[ASH_RT_FC_HELD];
  for (int32_t i = 0; i < ASH_RT_FC_HELD; i++)
    held[i] = vldrbq_s8(in + (i < blocks ? 16 * i : 0));
#else
  const int8_t *const held = NULL;
#endif
  const int32_t last = p->out_c % 4;
  int32_t rest = p->out_c, groups = (rest + 3) / 4;
  ASH_RT_NO_UNROLL
  do {
    const int few = last != 0 && last <= 2 && rest == last;
    ash_rt_four s = ash_rt_fc_sum_mve(bias, in, held, &filter, blocks, few);
    if (p->wide) {
      s = ash_rt_scale_wide_mve(s, scale, p->per_channel ? 4 : 0);
      scale += p->per_channel ? 16 : 0;
    } else if (p->per_channel) {
      s = ash_rt_fc_scale_each_mve(s, scale);
      scale += 16;
    } else {
      s = ash_rt_fc_scale_mve(s, scale);
    }
    out = ash_rt_fc_store_mve(p, s, out, rest);
    bias += 4;
    rest -= 4;
  } while (--groups != 0);
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
