/* ash_rt_fully_connected_s8_dsp.c - matrix times vectors, int8, with Arm's DSP
 * instructions: four rows of the matrix at once. Of one or two rows, the
 * weights are in their own order, so that the input need not be widened. */
#include "ash_rt_dsp.h"

typedef struct ash_rt_fc_dsp {
  const int32_t *bias;
  const int8_t *filter;
  const int32_t *scale;
  int32_t step;   /* to the next channel's scale */
  int32_t blocks; /* of eight inputs */
  int32_t out_c;
  int32_t wide;
} ash_rt_fc_dsp;

static inline int8_t ash_rt_fc_finish_dsp(int32_t sum, const int32_t *scale) {
  const int32_t x =
      ash_rt_mul_top((int32_t)((uint32_t)sum << (scale[3] + 1)), scale[0]);
  return ash_rt_saturate_s8((x + scale[1]) >> scale[2]);
}

/* Not inlined: it is run once for many products. */
static ASH_RT_NOINLINE void ash_rt_fc_wide_dsp(const int32_t *sum,
                                               const int32_t *scale,
                                               int32_t step, int32_t count,
                                               int8_t *out) {
  for (int32_t i = 0; i < count; i++, scale += step)
    out[i] = ash_rt_saturate_s8(ash_rt_scale_wide(sum[i], scale));
}

#if ASH_RT_HAS_DSP
#define ASH_RT_FC_ROW(u, sum)                                                  \
  "sxtb16 %[v], %[" u "]\n"                                                    \
  "sxtb16 %[" u "], %[" u "], ror #8\n"                                        \
  "smlad " sum ", %[v], %[p], " sum "\n"                                       \
  "smlad " sum ", %[" u "], %[q], " sum "\n"
/* Two loads side by side: the second takes one cycle less. */
#define ASH_RT_FC_ROWS(a, b)                                                   \
  "ldr %[u], [%[w]], #4\n"                                                     \
  "ldr %[t], [%[w]], #4\n" ASH_RT_FC_ROW("u", a) ASH_RT_FC_ROW("t", b)
#define ASH_RT_FC_BLOCK                                                        \
  "ldrd %[p], %[q], [%[x]], #8\n" ASH_RT_FC_ROWS("%[s0]", "%[s1]")             \
      ASH_RT_FC_ROWS("%[s2]", "%[s3]")

/* Sums of four rows; a pass of the loop is sixteen inputs, and an odd number of
 * eights starts in its middle. */
ASH_RT_INLINE const int8_t *ash_rt_fc_four_dsp(int32_t *s, const int16_t *x,
                                               const int16_t *end,
                                               const int8_t *w) {
  uint32_t p, q, t, u, v;
  __asm__("tst %[odd], #16\n"
          "bne 2f\n"
          "1:\n" ASH_RT_FC_BLOCK ASH_RT_FC_BLOCK
          "2:\n" ASH_RT_FC_BLOCK ASH_RT_FC_BLOCK "cmp %[x], %[end]\n"
          "bcc 1b\n"
          : [s0] "+r"(s[0]), [s1] "+r"(s[1]), [s2] "+r"(s[2]), [s3] "+r"(s[3]),
            [x] "+r"(x), [w] "+r"(w), [p] "=&r"(p), [q] "=&r"(q), [t] "=&r"(t),
            [u] "=&r"(u), [v] "=&r"(v)
          : [end] "r"(end), [odd] "r"((const int8_t *)end - (const int8_t *)x)
          : "cc", "memory");
  return w;
}
#else
ASH_RT_INLINE const int8_t *ash_rt_fc_four_dsp(int32_t *s, const int16_t *x,
                                               const int16_t *end,
                                               const int8_t *w) {
  for (; x < end; x += 4)
    for (int32_t i = 0; i < 4; i++, w += 4) {
      const uint32_t v = ash_rt_load_4(w);
      s[i] = ash_rt_mla_pair(s[i], ash_rt_even(v), ash_rt_load_pair(x));
      s[i] = ash_rt_mla_pair(s[i], ash_rt_odd(v), ash_rt_load_pair(x + 2));
    }
  return w;
}
#endif

static void ash_rt_fc_row_dsp(const ash_rt_fc_dsp *k, const int16_t *in,
                              int8_t *out) {
  const int8_t *w = k->filter;
  const int32_t *scale = k->scale;
  const int32_t *bias = k->bias;
  const int16_t *const end = in + 8 * (ptrdiff_t)k->blocks;
  const int32_t step = k->step;
  for (int32_t c = k->out_c; c > 0; c -= 4, bias += 4) {
    int32_t s[4] = {bias[0], bias[1], bias[2], bias[3]};
    w = ash_rt_fc_four_dsp(s, in, end, w);
    *out++ = ash_rt_fc_finish_dsp(s[0], scale);
    scale += step;
    for (int32_t i = 1; i < 4 && i < c; i++, scale += step)
      *out++ = ash_rt_fc_finish_dsp(s[i], scale);
  }
}

/* The same with wide scales. Apart, so that it costs the other nothing. */
static ASH_RT_NOINLINE void
ash_rt_fc_wide_row_dsp(const ash_rt_fc_dsp *k, const int16_t *in, int8_t *out) {
  const int8_t *w = k->filter;
  const int16_t *const end = in + 8 * (ptrdiff_t)k->blocks;
  for (int32_t c = 0; c < k->out_c; c += 4) {
    const int32_t *const bias = k->bias + c;
    const int32_t rest = k->out_c - c;
    int32_t s[4] = {bias[0], bias[1], bias[2], bias[3]};
    w = ash_rt_fc_four_dsp(s, in, end, w);
    ash_rt_fc_wide_dsp(s, k->scale + (ptrdiff_t)c * k->step, k->step,
                       rest < 4 ? rest : 4, out + c);
  }
}

/* Four inputs, two rows. */
static inline void ash_rt_fc_two_dsp(int32_t s[2], const int8_t *x,
                                     const int8_t *w) {
  const uint32_t v = ash_rt_load_4(x);
  const uint32_t even = ash_rt_even(v), odd = ash_rt_odd(v);
  for (int32_t i = 0; i < 2; i++) {
    const uint32_t u = ash_rt_load_4(w + 4 * i);
    s[i] = ash_rt_mla_pair(s[i], ash_rt_even(u), even);
    s[i] = ash_rt_mla_pair(s[i], ash_rt_odd(u), odd);
  }
}

static void ash_rt_fc_few_dsp(const ash_rt_fc_dsp *k, const int8_t *in,
                              int32_t count, int8_t *out) {
  const int8_t *w = k->filter;
  int32_t s[2] = {k->bias[0], k->bias[1]};
  for (; count >= 8; count -= 8, in += 8, w += 16) {
    ash_rt_fc_two_dsp(s, in, w);
    ash_rt_fc_two_dsp(s, in + 4, w + 8);
  }
  if (count > 0) {
    int8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int32_t i = 0; i < count; i++)
      last[i] = in[i];
    ash_rt_fc_two_dsp(s, last, w);
    ash_rt_fc_two_dsp(s, last + 4, w + 8);
  }
  if (k->wide) {
    ash_rt_fc_wide_dsp(s, k->scale, k->step, k->out_c, out);
    return;
  }
  for (int32_t i = 0; i < k->out_c; i++)
    out[i] = ash_rt_fc_finish_dsp(s[i], k->scale + (ptrdiff_t)i * k->step);
}

/* The input as 16-bit numbers, up to a multiple of eight. */
static void ash_rt_fc_widen_dsp(int16_t *to, const int8_t *in, int32_t count) {
  int8_t last[4] = {0, 0, 0, 0};
  const int32_t whole = count & ~3;
  if (whole)
    to = ash_rt_spread_dsp(to, 4, in, whole);
  for (int32_t i = whole; i < count; i++)
    last[i - whole] = in[i];
  if (whole < count)
    (void)ash_rt_spread_dsp(to, 4, last, 4);
}

void ash_rt_fully_connected_s8_dsp(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch) {
  const ash_rt_fc_dsp k = {
      bias,     filter, scale, p->per_channel ? 4 : 0, (p->in_c + 7) / 8,
      p->out_c, p->wide};
  for (int32_t b = 0; b < p->batches; b++) {
    if (p->out_c <= 2) {
      ash_rt_fc_few_dsp(&k, in, p->in_c, out);
    } else {
      ash_rt_fc_widen_dsp(scratch, in, p->in_c);
      if (p->wide)
        ash_rt_fc_wide_row_dsp(&k, scratch, out);
      else
        ash_rt_fc_row_dsp(&k, scratch, out);
    }
    ash_rt_clamp_run_s8(out, p->out_c, p->act_min, p->act_max);
    in += p->in_c;
    out += p->out_c;
  }
}
