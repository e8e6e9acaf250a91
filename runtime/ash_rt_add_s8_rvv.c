/* ash_rt_add_s8_rvv.c - sum of two int8 tensors of one shape but different
 * scales, with RISC-V vectors: 32 elements at once. */
#include "ash_rt_rvv.h"

#if ASH_RT_HAS_RVV
/* A register, times %[m] and 2^%[e]: ash_rt_rescale for shifts of 0 or below.
 * Without a shift nothing is rounded again, so nothing may be lowered. */
#define ASH_RT_ADD_SCALE(v, m, e, down)                                        \
  "vsmul.vx " v ", " v ", %[" m "]\n"                                          \
  "vand.vx v24, " v ", %[" e "]\n"                                             \
  "vsra.vi v24, v24, 31\n"                                                     \
  "vadd.vv " v ", " v ", v24\n"                                                \
  "vssra.vx " v ", " v ", %[" down "]\n"

static void ash_rt_add_group_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                                 const int8_t *b, int8_t *out, int32_t n) {
  long t;
  __asm__ volatile(
      ASH_RT_RVV_NEAR ASH_RT_RVV_32
      "vle8.v v2, (%[a])\n"
      "vsext.vf4 v8, v2\n"
      "vadd.vx v8, v8, %[offset_a]\n"
      "vsll.vi v8, v8, 20\n" ASH_RT_ADD_SCALE(
          "v8", "m_a",
          "e_a", "down_a") "vle8.v v2, (%[b])\n"
                           "vsext.vf4 v16, v2\n"
                           "vadd.vx v16, v16, %[offset_b]\n"
                           "vsll.vi v16, v16, 20\n" ASH_RT_ADD_SCALE(
                               "v16", "m_b", "e_b",
                               "down_b") "vadd.vv v8, v8, "
                                         "v16\n" ASH_RT_ADD_SCALE("v8", "m",
                                                                  "e",
                                                                  "down") "vadd"
                                                                          ".vx "
                                                                          "v8, "
                                                                          "v8, "
                                                                          "%["
                                                                          "offs"
                                                                          "et]"
                                                                          "\n" ASH_RT_RVV_STORE
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
}
#else
static void ash_rt_add_group_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                                 const int8_t *b, int8_t *out, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    const int32_t x = ash_rt_rescale((a[i] + p->a_offset) * (1 << 20),
                                     p->a_multiplier, p->a_shift);
    const int32_t y = ash_rt_rescale((b[i] + p->b_offset) * (1 << 20),
                                     p->b_multiplier, p->b_shift);
    out[i] = (int8_t)ash_rt_finish(
        ash_rt_rescale(x + y, p->out_multiplier, p->out_shift), p->out_offset,
        p->act_min, p->act_max);
  }
}
#endif

void ash_rt_add_s8_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out) {
  const int32_t count = ash_rt_count_of(&p->shape);
  for (int32_t i = 0; i < count; i += ASH_RT_RVV_GROUP)
    ash_rt_add_group_rvv(p, a + i, b + i, out + i,
                         count - i < ASH_RT_RVV_GROUP ? count - i
                                                      : ASH_RT_RVV_GROUP);
}
