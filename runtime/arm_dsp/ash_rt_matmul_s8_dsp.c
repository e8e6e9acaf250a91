/* ash_rt_matmul_s8_dsp.c - products of int8 matrices with Arm's DSP
 * instructions: a row, widened to 16 bits, with two columns at once. Zero
 * points are taken out of the sums of products:
 *
 *   sum (a + p)(b + q) = sum ab + p sum b + q sum a + depth p q  */
#include "ash_rt_dsp.h"
#include "ash_rt_matmul.h"

/* Work memory: what each column adds to its sums; a row of 16-bit numbers in
 * the order of ash_rt_spread_dsp; the columns. Both end with zeros up to a
 * multiple of four. */
typedef struct ash_rt_matmul_dsp {
  const ash_rt_matmul_s8_params *p;
  uint32_t *extra;
  int16_t *row;
  int8_t *columns;
  int32_t padded; /* depth */
} ash_rt_matmul_dsp;

/* Adds the products of a row with two columns to their sums. */
static inline void ash_rt_matmul_two_dsp(int32_t s[2], const int16_t *x,
                                         const int8_t *w, const int8_t *z,
                                         int32_t count) {
#if ASH_RT_HAS_DSP
  int32_t a = s[0], b = s[1];
  uint32_t p, q, u, v;
  __asm__(
      "1:\n"
      "ldrd %[p], %[q], [%[x]], #8\n"
      "ldr %[u], [%[w]], #4\n"
      "sxtb16 %[v], %[u]\n"
      "sxtb16 %[u], %[u], ror #8\n"
      "smlad %[a], %[v], %[p], %[a]\n"
      "smlad %[a], %[u], %[q], %[a]\n"
      "ldr %[u], [%[z]], #4\n"
      "sxtb16 %[v], %[u]\n"
      "sxtb16 %[u], %[u], ror #8\n"
      "smlad %[b], %[v], %[p], %[b]\n"
      "smlad %[b], %[u], %[q], %[b]\n"
      "subs %[n], #4\n"
      "bgt 1b\n"
      : [a] "+r"(a), [b] "+r"(b), [x] "+r"(x), [w] "+r"(w), [z] "+r"(z),
        [n] "+r"(count), [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [v] "=&r"(v)
      :
      : "cc", "memory");
  s[0] = a;
  s[1] = b;
#else
  for (; count > 0; count -= 4, x += 4, w += 4, z += 4)
    for (int32_t i = 0; i < 2; i++) {
      const uint32_t v = ash_rt_load_4(i ? z : w);
      s[i] = ash_rt_mla_pair(s[i], ash_rt_even(v), ash_rt_load_pair(x));
      s[i] = ash_rt_mla_pair(s[i], ash_rt_odd(v), ash_rt_load_pair(x + 2));
    }
#endif
}

/* The matrix of columns from b on. */
static void ash_rt_matmul_columns_dsp(const ash_rt_matmul_dsp *k,
                                      const int8_t *b) {
  const ash_rt_matmul *s = &k->p->shape;
  int8_t *to = k->columns;
  for (int32_t j = 0; j < s->columns; j++, b += s->b_column) {
    uint32_t sum = (uint32_t)s->depth * (uint32_t)k->p->b_offset;
    const int8_t *from = b;
    for (int32_t i = 0; i < s->depth; i++, from += s->b_depth) {
      const int32_t x = *from;
      *to++ = (int8_t)x;
      sum += (uint32_t)x;
    }
    for (int32_t i = s->depth; i < k->padded; i++)
      *to++ = 0;
    k->extra[j] = (uint32_t)k->p->a_offset * sum;
  }
}

/* Widens a row; returns what it adds to every sum. */
static uint32_t ash_rt_matmul_widen_dsp(const ash_rt_matmul_dsp *k,
                                        const int8_t *a) {
  const ash_rt_matmul *s = &k->p->shape;
  int16_t *to = k->row;
  uint32_t sum = 0;
  for (int32_t i = 0; i < s->depth; i += 4) {
    int32_t x[4] = {0, 0, 0, 0};
    for (int32_t l = 0; l < 4 && i + l < s->depth; l++, a += s->a_depth) {
      x[l] = *a;
      sum += (uint32_t)x[l];
    }
    *to++ = (int16_t)x[0];
    *to++ = (int16_t)x[2];
    *to++ = (int16_t)x[1];
    *to++ = (int16_t)x[3];
  }
  return (uint32_t)k->p->b_offset * sum;
}

static inline int8_t ash_rt_matmul_out_dsp(const ash_rt_matmul_s8_params *p,
                                           int32_t sum) {
  return (int8_t)ash_rt_finish(ash_rt_rescale(sum, p->multiplier, p->shift),
                               p->out_offset, -128, 127);
}

/* One row of results; an odd last column is summed up twice. */
static void ash_rt_matmul_row_dsp(const ash_rt_matmul_dsp *k, const int8_t *a,
                                  int8_t *out) {
  const int32_t columns = k->p->shape.columns;
  const uint32_t all = ash_rt_matmul_widen_dsp(k, a);
  const int8_t *w = k->columns;
  for (int32_t j = 0; j < columns; j += 2, w += 2 * (ptrdiff_t)k->padded) {
    const int both = j + 1 < columns;
    int32_t s[2] = {(int32_t)(all + k->extra[j]),
                    (int32_t)(all + k->extra[both ? j + 1 : j])};
    ash_rt_matmul_two_dsp(s, k->row, w, both ? w + k->padded : w, k->padded);
    out[j] = ash_rt_matmul_out_dsp(k->p, s[0]);
    if (both)
      out[j + 1] = ash_rt_matmul_out_dsp(k->p, s[1]);
  }
}

void ash_rt_matmul_s8_dsp(const ash_rt_matmul_s8_params *p, const int8_t *a,
                          const int8_t *b, int8_t *out, void *scratch) {
  const ash_rt_matmul *s = &p->shape;
  const int32_t padded = (s->depth + 3) / 4 * 4;
  uint32_t *const extra = scratch;
  int16_t *const row = (int16_t *)(void *)(extra + s->columns);
  const ash_rt_matmul_dsp k = {p, extra, row, (int8_t *)(row + padded), padded};
  ash_rt_cursor at = {0, 0, {0}};
  do {
    ash_rt_matmul_columns_dsp(&k, b + at.b);
    for (int32_t i = 0; i < s->rows; i++, out += s->columns)
      ash_rt_matmul_row_dsp(&k, a + at.a + (ptrdiff_t)i * s->a_row, out);
  } while (ash_rt_advance(&s->batches, &at));
}
