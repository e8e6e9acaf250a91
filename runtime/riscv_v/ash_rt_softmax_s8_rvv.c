/* ash_rt_softmax_s8_rvv.c - softmax over the last axis, int8, with RISC-V
 * vectors: 32 elements at once, their exponentials gathered from the table. The
 * arithmetic is that of ash_rt_softmax_s8.c. */
#include "ash_rt_rvv.h"
#include "ash_rt_softmax.h"

#if ASH_RT_HAS_RVV
/* v8: the exponentials of %[in]; table entries have four bytes. */
#define ASH_RT_SOFTMAX_GATHER                                                  \
  ASH_RT_RVV_NEAR                                                              \
  ASH_RT_RVV_32                                                                \
  "vle8.v v2, (%[in])\n"                                                       \
  "vsext.vf4 v16, v2\n"                                                        \
  "vrsub.vx v16, v16, %[max]\n"                                                \
  "vsll.vi v16, v16, 2\n"                                                      \
  "vluxei32.v v8, (%[table]), v16\n"

static long ash_rt_softmax_max_rvv(const int8_t *in, int32_t depth) {
  long max = -128, done;
  for (; depth > 0; depth -= (int32_t)done, in += done)
    __asm__ volatile("vsetvli %[done], %[depth], e8, m8, ta, ma\n"
                     "vle8.v v8, (%[in])\n"
                     "vmv.s.x v16, %[max]\n"
                     "vredmax.vs v16, v8, v16\n"
                     "vmv.x.s %[max], v16\n"
                     : [done] "=&r"(done), [max] "+&r"(max)
                     : [depth] "r"((long)depth), [in] "r"(in)
                     : ASH_RT_RVV_CLOBBERS);
  return max;
}

static long ash_rt_softmax_sum_rvv(const int8_t *in, long n, long max,
                                   const int32_t *table, long sum) {
  long t;
  __asm__ volatile(
      ASH_RT_SOFTMAX_GATHER "vssra.vi v8, v8, 12\n"
                            "vmv.s.x v16, %[sum]\n"
                            "vredsum.vs v16, v8, v16\n"
                            "vmv.x.s %[sum], v16\n"
      : [t] "=&r"(t), [sum] "+&r"(sum)
      : [n] "r"(n), [in] "r"(in), [max] "r"(max), [table] "r"(table)
      : ASH_RT_RVV_CLOBBERS);
  return sum;
}

static void ash_rt_softmax_put_rvv(const int8_t *in, long n, long max,
                                   const int32_t *table, const ash_rt_share *s,
                                   int8_t *out) {
  long t;
  __asm__ volatile(
      ASH_RT_SOFTMAX_GATHER "vsmul.vx v8, v8, %[scale]\n"
                            "vssra.vx v8, v8, %[shift]\n"
                            "vadd.vx v8, v8, %[low]\n" ASH_RT_RVV_STORE
      : [t] "=&r"(t)
      : [n] "r"(n), [in] "r"(in), [max] "r"(max), [table] "r"(table),
        [scale] "r"((long)s->scale), [shift] "r"((long)s->shift),
        [low] "r"(-128l), [high] "r"(127l), [out] "r"(out)
      : ASH_RT_RVV_CLOBBERS);
}

static void ash_rt_softmax_row_rvv(int32_t depth, const int8_t *in,
                                   const int32_t *table, int8_t *out) {
  const long max = ash_rt_softmax_max_rvv(in, depth);
  long sum = 0;
  for (int32_t i = 0; i < depth; i += ASH_RT_RVV_GROUP)
    sum = ash_rt_softmax_sum_rvv(in + i, ash_rt_group_rvv(depth - i), max,
                                 table, sum);
  const ash_rt_share s = ash_rt_share_of((uint32_t)sum, 8);
  for (int32_t i = 0; i < depth; i += ASH_RT_RVV_GROUP)
    ash_rt_softmax_put_rvv(in + i, ash_rt_group_rvv(depth - i), max, table, &s,
                           out + i);
}
#else
static void ash_rt_softmax_row_rvv(int32_t depth, const int8_t *in,
                                   const int32_t *table, int8_t *out) {
  ash_rt_softmax_row((const uint8_t *)in, depth, table, out, 0, 8);
}
#endif

void ash_rt_softmax_s8_rvv(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int8_t *out) {
  for (int32_t r = 0; r < p->rows; r++, in += p->depth, out += p->depth)
    ash_rt_softmax_row_rvv(p->depth, in, table, out);
}
