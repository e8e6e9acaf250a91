/* ash_rt_fully_connected_s8_rvv.c - matrix times vectors, int8, with RISC-V
 * vectors: up to 32 rows of the matrix at once. */
#include "ash_rt_rvv.h"

typedef struct ash_rt_fc_rvv {
  const ash_rt_fully_connected_s8_params *p;
  const int32_t *bias;
  const int32_t *scale;
} ash_rt_fc_rvv;

/* Outputs [c, c + n) of a row. */
static void ash_rt_fc_group_rvv(const ash_rt_fc_rvv *k, const int8_t *x,
                                const int8_t *w, int32_t c, int32_t n,
                                int8_t *out) {
  const ash_rt_fully_connected_s8_params *p = k->p;
  const int32_t *scale = k->scale + (p->per_channel ? 4 * c : 0);
#if ASH_RT_HAS_RVV
  long a, b, t, pairs = p->in_c >> 1;
  __asm__ volatile(
      ASH_RT_RVV_NEAR ASH_RT_RVV_DOT ASH_RT_RVV_32
      "addi %[t], %[scale], 12\n"
      "vlse32.v v16, (%[t]), %[step]\n"
      "vsll.vv v8, v8, v16\n"
      "vlse32.v v16, (%[scale]), %[step]\n"
      "vsmul.vv v8, v8, v16\n"
      "addi %[t], %[scale], 4\n"
      "vlse32.v v16, (%[t]), %[step]\n"
      "vadd.vv v8, v8, v16\n"
      "addi %[t], %[scale], 8\n"
      "vlse32.v v16, (%[t]), %[step]\n"
      "vsra.vv v8, v8, v16\n" ASH_RT_RVV_STORE
      : [x] "+&r"(x), [w] "+&r"(w), [pairs] "+&r"(pairs), [a] "=&r"(a),
        [b] "=&r"(b), [t] "=&r"(t)
      : [n] "r"((long)n), [odd] "r"((long)(p->in_c & 1)),
        [bias] "r"(k->bias + c), [scale] "r"(scale),
        [step] "r"(p->per_channel ? 16l : 0l), [low] "r"((long)p->act_min),
        [high] "r"((long)p->act_max), [out] "r"(out + c)
      : ASH_RT_RVV_CLOBBERS);
#else
  for (int32_t i = 0; i < n; i++, scale += p->per_channel ? 4 : 0) {
    const int32_t s = ash_rt_dot_rvv(k->bias + c, x, w, p->in_c, n, i);
    const int32_t y =
        ash_rt_mul_high((int32_t)((uint32_t)s << scale[3]), scale[0]);
    out[c + i] = (int8_t)ash_rt_clamp((y + scale[1]) >> scale[2], p->act_min,
                                      p->act_max);
  }
#endif
}

/* The same with wide scales: only the sums are vectors. */
static void ash_rt_fc_wide_rvv(const ash_rt_fc_rvv *k, const int8_t *x,
                               const int8_t *w, int32_t c, int32_t n,
                               int8_t *out) {
  const ash_rt_fully_connected_s8_params *p = k->p;
  const int32_t *scale = k->scale + (p->per_channel ? 4 * c : 0);
  int32_t sums[ASH_RT_RVV_GROUP];
#if ASH_RT_HAS_RVV
  long a, b, t, pairs = p->in_c >> 1;
  __asm__ volatile(ASH_RT_RVV_DOT ASH_RT_RVV_32 "vse32.v v8, (%[sums])\n"
                   : [x] "+&r"(x), [w] "+&r"(w), [pairs] "+&r"(pairs),
                     [a] "=&r"(a), [b] "=&r"(b), [t] "=&r"(t)
                   : [n] "r"((long)n), [odd] "r"((long)(p->in_c & 1)),
                     [bias] "r"(k->bias + c), [sums] "r"(sums)
                   : ASH_RT_RVV_CLOBBERS);
#else
  for (int32_t i = 0; i < n; i++)
    sums[i] = ash_rt_dot_rvv(k->bias + c, x, w, p->in_c, n, i);
#endif
  for (int32_t i = 0; i < n; i++, scale += p->per_channel ? 4 : 0)
    out[c + i] = (int8_t)ash_rt_clamp(ash_rt_scale_wide(sums[i], scale),
                                      p->act_min, p->act_max);
}

void ash_rt_fully_connected_s8_rvv(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out) {
  const ash_rt_fc_rvv k = {p, bias, scale};
  for (int32_t b = 0; b < p->batches; b++) {
    const int8_t *w = filter;
    for (int32_t c = 0; c < p->out_c; c += ASH_RT_RVV_GROUP) {
      const int32_t n = ash_rt_group_rvv(p->out_c - c);
      if (p->wide)
        ash_rt_fc_wide_rvv(&k, in, w, c, n, out);
      else
        ash_rt_fc_group_rvv(&k, in, w, c, n, out);
      w += (ptrdiff_t)n * p->in_c;
    }
    in += p->in_c;
    out += p->out_c;
  }
}
