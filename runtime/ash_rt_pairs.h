/* ash_rt_pairs.h - two operands, with broadcasting. */
#ifndef ASH_RT_PAIRS_H
#define ASH_RT_PAIRS_H

#include "ash_rt.h"

/* A dense output of `rank` dimensions, the last one fastest; `step_*` is how
 * far an operand moves along each, 0 where it is repeated. */
typedef struct ash_rt_broadcast {
  int32_t rank;
  int32_t dim[ASH_RT_RANK];
  int32_t step_a[ASH_RT_RANK];
  int32_t step_b[ASH_RT_RANK];
} ash_rt_broadcast;

/* Where the innermost runs of a broadcast start. */
typedef struct ash_rt_cursor {
  int32_t a, b;
  int32_t at[ASH_RT_RANK];
} ash_rt_cursor;

/* Moves to the next run; 0 at the end. */
static inline int ash_rt_advance(const ash_rt_broadcast *s, ash_rt_cursor *c) {
  for (int32_t d = s->rank - 2; d >= 0; d--) {
    c->a += s->step_a[d];
    c->b += s->step_b[d];
    if (++c->at[d] < s->dim[d])
      return 1;
    c->a -= s->step_a[d] * s->dim[d];
    c->b -= s->step_b[d] * s->dim[d];
    c->at[d] = 0;
  }
  return 0;
}

/* Elements of tensors of one shape. */
static inline int32_t ash_rt_count_of(const ash_rt_broadcast *shape) {
  int32_t count = 1;
  for (int32_t d = 0; d < shape->rank; d++)
    count *= shape->dim[d];
  return count;
}

/* Calls `run(p, a, b, out, count)` for each innermost run of a broadcast, where
 * both operands are dense along the last axis. */
#define ASH_RT_DENSE_RUNS(p, a, b, out, run)                                   \
  do {                                                                         \
    ash_rt_cursor ash_rt_at = {0, 0, {0}};                                     \
    const int32_t ash_rt_run = (p)->shape.dim[(p)->shape.rank - 1];            \
    do {                                                                       \
      run((p), (a) + ash_rt_at.a, (b) + ash_rt_at.b, (out), ash_rt_run);       \
      (out) += ash_rt_run;                                                     \
    } while (ash_rt_advance(&(p)->shape, &ash_rt_at));                         \
  } while (0)

/* For kernels of few lines: `result` is an expression of *x and *y, computed
 * for every pair of a broadcast and written to *out. */
#define ASH_RT_PAIRS(shape, type, a, b, out, result)                           \
  do {                                                                         \
    ash_rt_cursor ash_rt_at = {0, 0, {0}};                                     \
    const int32_t ash_rt_last = (shape)->rank - 1;                             \
    do {                                                                       \
      const type *x = (a) + ash_rt_at.a;                                       \
      const type *y = (b) + ash_rt_at.b;                                       \
      for (int32_t i = 0; i < (shape)->dim[ash_rt_last]; i++) {                \
        *(out)++ = (result);                                                   \
        x += (shape)->step_a[ash_rt_last];                                     \
        y += (shape)->step_b[ash_rt_last];                                     \
      }                                                                        \
    } while (ash_rt_advance((shape), &ash_rt_at));                             \
  } while (0)

/* The same for operands of any integer type (ash_rt_types.h): `statement` has
 * their values as x and y. */
#define ASH_RT_PAIRS_ANY(shape, type, a, b, statement)                         \
  do {                                                                         \
    ash_rt_cursor ash_rt_at = {0, 0, {0}};                                     \
    const int32_t ash_rt_last = (shape)->rank - 1;                             \
    do {                                                                       \
      for (int32_t i = 0; i < (shape)->dim[ash_rt_last]; i++) {                \
        const int64_t x = ash_rt_load(                                         \
            (a), (type),                                                       \
            ash_rt_at.a + (ptrdiff_t)i * (shape)->step_a[ash_rt_last]);        \
        const int64_t y = ash_rt_load(                                         \
            (b), (type),                                                       \
            ash_rt_at.b + (ptrdiff_t)i * (shape)->step_b[ash_rt_last]);        \
        statement                                                              \
      }                                                                        \
    } while (ash_rt_advance((shape), &ash_rt_at));                             \
  } while (0)

typedef struct ash_rt_add_s8_params {
  ash_rt_broadcast shape;
  int32_t a_offset, a_multiplier, a_shift;
  int32_t b_offset, b_multiplier, b_shift;
  int32_t out_offset, out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_add_s8_params;

void ash_rt_add_s8(const ash_rt_add_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);

typedef struct ash_rt_mul_s8_params {
  ash_rt_broadcast shape;
  int32_t a_offset, b_offset;
  int32_t out_offset, out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_mul_s8_params;

void ash_rt_mul_s8(const ash_rt_mul_s8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);

typedef struct ash_rt_binary_f32_params {
  ash_rt_broadcast shape;
  float act_min, act_max;
} ash_rt_binary_f32_params;

void ash_rt_add_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out);
void ash_rt_mul_f32(const ash_rt_binary_f32_params *p, const float *a,
                    const float *b, float *out);

/* Quantised operands of one byte; which of the numbers count is the kernel's
 * business. Offsets of operands are -zero point. */
typedef struct ash_rt_pairs_q8_params {
  ash_rt_broadcast shape;
  int32_t a_offset, a_multiplier, a_shift;
  int32_t b_offset, b_multiplier, b_shift;
  int32_t out_offset, out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_pairs_q8_params;

void ash_rt_sub_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);
void ash_rt_sub_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
void ash_rt_add_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
void ash_rt_mul_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
/* int16: operands get 15 more bits; if `pot`, all scales are powers of two and
 * one operand is only shifted to the right. */
typedef struct ash_rt_pairs_s16_params {
  ash_rt_broadcast shape;
  int32_t pot, a_multiplier, a_shift, b_multiplier, b_shift;
  int32_t out_multiplier, out_shift;
  int32_t act_min, act_max;
} ash_rt_pairs_s16_params;

void ash_rt_add_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
void ash_rt_sub_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
void ash_rt_mul_s16(const ash_rt_pairs_s16_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
void ash_rt_squared_difference_s8(const ash_rt_pairs_q8_params *p,
                                  const int8_t *a, const int8_t *b,
                                  int8_t *out);
/* The operand of a division by zero is 0. */
void ash_rt_div_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                   const int8_t *b, int8_t *out);
void ash_rt_div_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                   const uint8_t *b, uint8_t *out);
void ash_rt_div_s16(const ash_rt_pairs_q8_params *p, const int16_t *a,
                    const int16_t *b, int16_t *out);
/* `out_*` scales values from 0 on, `b_*` products of value and slope. */
void ash_rt_prelu_s8(const ash_rt_pairs_q8_params *p, const int8_t *a,
                     const int8_t *b, int8_t *out);
void ash_rt_prelu_u8(const ash_rt_pairs_q8_params *p, const uint8_t *a,
                     const uint8_t *b, uint8_t *out);

#endif
