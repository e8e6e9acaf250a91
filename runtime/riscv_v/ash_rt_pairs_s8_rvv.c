/* ash_rt_pairs_s8_rvv.c - sum and product of two int8 tensors of one shape,
 * with RISC-V vectors: 32 elements at once. */
#include "ash_rt_rvv.h"

/* kernel add_s8_rvv: different scales. */
static void ash_rt_add_group_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                                 const int8_t *b, int8_t *out, int32_t n) {
#if ASH_RT_HAS_RVV
  long t;
  /* clang-format off */
  __asm__ volatile(
      ASH_RT_RVV_NEAR
      ASH_RT_RVV_32
      ASH_RT_RVV_LOAD("v8", "a", "offset_a")
      "vsll.vi v8, v8, 20\n"
      ASH_RT_RVV_SCALE("v8", "m_a", "e_a", "down_a")
      ASH_RT_RVV_LOAD("v16", "b", "offset_b")
      "vsll.vi v16, v16, 20\n"
      ASH_RT_RVV_SCALE("v16", "m_b", "e_b", "down_b")
      "vadd.vv v8, v8, v16\n"
      ASH_RT_RVV_SCALE("v8", "m", "e", "down")
      "vadd.vx v8, v8, %[offset]\n"
      ASH_RT_RVV_STORE
      /* clang-format on */
      : [t] "=&r"(t)
      : [n] "r"((long)n), [a] "r"(a), [b] "r"(b), [out] "r"(out),
        [offset_a] "r"((long)p->a_offset), [m_a] "r"((long)p->a_multiplier),
        [e_a] "r"((long)p->a_shift), [down_a] "r"((long)-p->a_shift),
        [offset_b] "r"((long)p->b_offset), [m_b] "r"((long)p->b_multiplier),
        [e_b] "r"((long)p->b_shift), [down_b] "r"((long)-p->b_shift),
        [offset] "r"((long)p->out_offset), [m] "r"((long)p->out_multiplier),
        [e] "r"((long)p->out_shift), [down] "r"((long)-p->out_shift),
        [low] "r"((long)p->act_min), [high] "r"((long)p->act_max)
      : ASH_RT_RVV_CLOBBERS);
#else
  ash_rt_add_plain(p, a, b, out, n);
#endif
}

static void ash_rt_add_run_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  for (int32_t i = 0; i < count; i += ASH_RT_RVV_GROUP)
    ash_rt_add_group_rvv(p, a + i, b + i, out + i, ash_rt_group_rvv(count - i));
}

void ash_rt_add_s8_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_add_run_rvv);
}

/* kernel mul_s8_rvv */
static void ash_rt_mul_group_rvv(const ash_rt_mul_s8_params *p, const int8_t *a,
                                 const int8_t *b, int8_t *out, int32_t n) {
#if ASH_RT_HAS_RVV
  const long up = p->out_shift > 0 ? p->out_shift : 0;
  const long e = p->out_shift - up;
  long t;
  /* clang-format off */
  __asm__ volatile(
      ASH_RT_RVV_NEAR
      ASH_RT_RVV_32
      ASH_RT_RVV_LOAD("v8", "a", "offset_a")
      ASH_RT_RVV_LOAD("v16", "b", "offset_b")
      "vmul.vv v8, v8, v16\n"
      "vsll.vx v8, v8, %[up]\n"
      ASH_RT_RVV_SCALE("v8", "m", "e", "down")
      "vadd.vx v8, v8, %[offset]\n"
      ASH_RT_RVV_STORE
      /* clang-format on */
      : [t] "=&r"(t)
      : [n] "r"((long)n), [a] "r"(a), [b] "r"(b), [out] "r"(out),
        [offset_a] "r"((long)p->a_offset), [offset_b] "r"((long)p->b_offset),
        [offset] "r"((long)p->out_offset), [m] "r"((long)p->out_multiplier),
        [up] "r"(up), [e] "r"(e), [down] "r"(-e), [low] "r"((long)p->act_min),
        [high] "r"((long)p->act_max)
      : ASH_RT_RVV_CLOBBERS);
#else
  ash_rt_mul_plain(p, a, b, out, n);
#endif
}

static void ash_rt_mul_run_rvv(const ash_rt_mul_s8_params *p, const int8_t *a,
                               const int8_t *b, int8_t *out, int32_t count) {
  for (int32_t i = 0; i < count; i += ASH_RT_RVV_GROUP)
    ash_rt_mul_group_rvv(p, a + i, b + i, out + i, ash_rt_group_rvv(count - i));
}

void ash_rt_mul_s8_rvv(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_mul_run_rvv);
}
