/* ash_rt_matmul_s8_mve.c - products of int8 matrices with Helium: a row with
 * four columns at once. Zero points are taken out of the sums of products:
 *
 *   sum (a + p)(b + q) = sum ab + p sum b + q sum a + depth p q  */
#include "ash_rt_matmul.h"
#include "ash_rt_mve.h"

/* A row, the first of four columns that are `pitch` apart, and the sums of
 * products. The assembly below knows this order. */
typedef struct ash_rt_matmul_four {
  const int8_t *row;
  const int8_t *column;
  int32_t pitch, depth;
  int32_t sums[4];
} ash_rt_matmul_four;

#if ASH_RT_HAS_MVE
static inline void ash_rt_matmul_sums_mve(ash_rt_matmul_four *four) {
  register ash_rt_matmul_four *at __asm__("r12") = four;
  __asm__ volatile("ldm r12, {r1, r3, r5, lr}\n"
                   "add r8, r3, r5\n"
                   "add r10, r8, r5\n"
                   "add r5, r10\n"
                   "movs r0, #0\n"
                   "movs r2, #0\n"
                   "movs r4, #0\n"
                   "movs r6, #0\n"
                   "dlstp.8 lr, lr\n"
                   "1:\n"
                   "vldrb.8 q0, [r1], #16\n"
                   "vldrb.8 q1, [r3], #16\n"
                   "vmladava.s8 r0, q0, q1\n"
                   "vldrb.8 q2, [r8], #16\n"
                   "vmladava.s8 r2, q0, q2\n"
                   "vldrb.8 q1, [r10], #16\n"
                   "vmladava.s8 r4, q0, q1\n"
                   "vldrb.8 q2, [r5], #16\n"
                   "vmladava.s8 r6, q0, q2\n"
                   "letp lr, 1b\n"
                   "strd r0, r2, [r12, #16]\n"
                   "strd r4, r6, [r12, #24]\n"
                   : "+r"(at)
                   :
                   : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10",
                     "lr", "cc", "q0", "q1", "q2", "memory");
}

static inline uint32_t ash_rt_matmul_total_mve(const int8_t *from,
                                               int32_t count) {
  int32_t sum = 0;
  for (; count > 0; count -= 16, from += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)count);
    sum = vaddvaq_p_s8(sum, vldrbq_z_s8(from, some), some);
  }
  return (uint32_t)sum;
}

/* `count` results from their sums, what their columns add and what all do. */
static inline void ash_rt_matmul_out_mve(const ash_rt_matmul_s8_params *p,
                                         const int32_t *sums,
                                         const uint32_t *extra, uint32_t all,
                                         int32_t count, int8_t *out) {
  const int32_t up = p->shift > 0 ? p->shift : 0;
  const int32x4_t down = vdupq_n_s32(p->shift - up);
  const uint32x4_t add = count == 4
                             ? vldrwq_u32(extra)
                             : vldrwq_z_u32(extra, vctp32q((uint32_t)count));
  int32x4_t x = vaddq_s32(vldrwq_s32(sums), vreinterpretq_s32_u32(add));
  x = vshlq_r_s32(vaddq_n_s32(x, (int32_t)all), up);
  x = vqrdmulhq_n_s32(x, p->multiplier);
  x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, down), 31));
  x = vaddq_n_s32(vrshlq_s32(x, down), p->out_offset);
  ash_rt_store_mve(x, vdupq_n_s32(-128), vdupq_n_s32(127), out, count);
}
#else
static inline void ash_rt_matmul_sums_mve(ash_rt_matmul_four *f) {
  for (int32_t i = 0; i < 4; i++)
    f->sums[i] = (int32_t)ash_rt_dot_s8(
        f->row, f->column + (ptrdiff_t)i * f->pitch, f->depth, 0);
}

static inline uint32_t ash_rt_matmul_total_mve(const int8_t *from,
                                               int32_t count) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += from[i];
  return (uint32_t)sum;
}

static inline void ash_rt_matmul_out_mve(const ash_rt_matmul_s8_params *p,
                                         const int32_t *sums,
                                         const uint32_t *extra, uint32_t all,
                                         int32_t count, int8_t *out) {
  for (int32_t i = 0; i < count; i++) {
    const int32_t x = (int32_t)((uint32_t)sums[i] + all + extra[i]);
    out[i] = (int8_t)ash_rt_finish(ash_rt_rescale(x, p->multiplier, p->shift),
                                   p->out_offset, -128, 127);
  }
}
#endif

/* Work memory: what each column adds to its sums, in fours; the columns and one
 * row in one piece each, where they do not lie so. */
typedef struct ash_rt_matmul_mve {
  const ash_rt_matmul_s8_params *p;
  uint32_t *extra;
  const int8_t *columns;
  int8_t *row;
} ash_rt_matmul_mve;

/* Rows of `b` as columns in one piece each, eight at once. */
static void ash_rt_matmul_turn_mve(const ash_rt_matmul *s, const int8_t *b,
                                   int8_t *copy) {
  const int32_t depth = s->depth;
#if ASH_RT_HAS_MVE
  if (s->b_column == 1 && depth <= UINT16_MAX / 7) {
    const uint16x8_t to = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)depth);
    for (int32_t i = 0; i < depth; i++, b += s->b_depth) {
      const int8_t *from = b;
      int8_t *at = copy + i;
      for (int32_t left = s->columns; left > 0; left -= 8, from += 8) {
        const mve_pred16_t some = vctp16q((uint32_t)left);
        vstrbq_scatter_offset_p_s16(at, to, vldrbq_z_s16(from, some), some);
        at += 8 * (ptrdiff_t)depth;
      }
    }
    return;
  }
#endif
  for (int32_t i = 0; i < depth; i++, b += s->b_depth)
    for (int32_t j = 0; j < s->columns; j++)
      copy[(ptrdiff_t)j * depth + i] = b[(ptrdiff_t)j * s->b_column];
}

/* The matrix of columns from b on. */
static void ash_rt_matmul_columns_mve(ash_rt_matmul_mve *k, const int8_t *b,
                                      int8_t *copy) {
  const ash_rt_matmul *s = &k->p->shape;
  const int32_t depth = s->depth;
  k->columns = b;
  if (s->b_depth != 1) {
    ash_rt_matmul_turn_mve(s, b, copy);
    k->columns = copy;
  }
  for (int32_t j = 0; j < s->columns; j++)
    k->extra[j] =
        (uint32_t)k->p->a_offset *
        (ash_rt_matmul_total_mve(k->columns + (ptrdiff_t)j * depth, depth) +
         (uint32_t)depth * (uint32_t)k->p->b_offset);
}

/* One row of results: the last four columns may be some of those before; of
 * fewer than four, each is made alone. */
static void ash_rt_matmul_row_mve(const ash_rt_matmul_mve *k, const int8_t *a,
                                  int8_t *out) {
  const ash_rt_matmul *s = &k->p->shape;
  const int few = s->columns < 4;
  const int32_t last = s->columns - 4;
  ash_rt_matmul_four f = {
      a, k->columns, few ? 0 : s->depth, s->depth, {0, 0, 0, 0}};
  if (s->a_depth != 1) {
    for (int32_t i = 0; i < s->depth; i++)
      k->row[i] = a[(ptrdiff_t)i * s->a_depth];
    f.row = k->row;
  }
  const uint32_t all =
      (uint32_t)k->p->b_offset * ash_rt_matmul_total_mve(f.row, s->depth);
  for (int32_t j = 0; few && j < s->columns; j++, f.column += s->depth) {
    ash_rt_matmul_sums_mve(&f);
    ash_rt_matmul_out_mve(k->p, f.sums, k->extra + j, all, 1, out + j);
  }
  int32_t j = 0;
  for (; j <= last; j += 4, f.column += 4 * (ptrdiff_t)s->depth) {
    ash_rt_matmul_sums_mve(&f);
    ash_rt_matmul_out_mve(k->p, f.sums, k->extra + j, all, 4, out + j);
  }
  if (!few && j < s->columns) {
    f.column = k->columns + last * (ptrdiff_t)s->depth;
    ash_rt_matmul_sums_mve(&f);
    ash_rt_matmul_out_mve(k->p, f.sums, k->extra + last, all, 4, out + last);
  }
}

void ash_rt_matmul_s8_mve(const ash_rt_matmul_s8_params *p, const int8_t *a,
                          const int8_t *b, int8_t *out, void *scratch) {
  const ash_rt_matmul *s = &p->shape;
  int8_t *const copy =
      (int8_t *)((uint32_t *)scratch + (s->columns + 3) / 4 * 4);
  ash_rt_matmul_mve k = {
      p, scratch, b,
      s->b_depth == 1 ? copy : copy + (ptrdiff_t)s->columns * s->depth};
  ash_rt_cursor at = {0, 0, {0}};
  do {
    ash_rt_matmul_columns_mve(&k, b + at.b, copy);
    for (int32_t i = 0; i < s->rows; i++, out += s->columns)
      ash_rt_matmul_row_mve(&k, a + at.a + (ptrdiff_t)i * s->a_row, out);
  } while (ash_rt_advance(&s->batches, &at));
}
