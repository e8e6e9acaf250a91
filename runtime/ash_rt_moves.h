/* ash_rt_moves.h - elements moved as they are, or nearly so. */
#ifndef ASH_RT_MOVES_H
#define ASH_RT_MOVES_H

#include "ash_rt.h"

typedef struct ash_rt_copy_params {
  int32_t bytes;
} ash_rt_copy_params;

void ash_rt_copy(const ash_rt_copy_params *p, const void *in, void *out);

/* A box of things of `unit` bytes: thing (i, j, ...) goes from byte
 * from + i * from_step[0] + j * from_step[1] + ... of the input to byte
 * to + i * to_step[0] + ... of the output. */
enum { ASH_RT_MOVE_RANK = 8 };

typedef struct ash_rt_move_params {
  int32_t rank, unit, from, to;
  int32_t dim[ASH_RT_MOVE_RANK];
  int32_t from_step[ASH_RT_MOVE_RANK];
  int32_t to_step[ASH_RT_MOVE_RANK];
} ash_rt_move_params;

void ash_rt_move(const ash_rt_move_params *p, const void *in, void *out);

/* `count` times the same `unit` bytes. */
typedef struct ash_rt_fill_params {
  int32_t count, unit;
  uint8_t value[8];
} ash_rt_fill_params;

void ash_rt_move_fill(const ash_rt_fill_params *p, void *out);

/* For each of `batches` and `outer`, `picks` rows of `run` bytes, each chosen
 * from `length` by an index of type `type`. Indices outside are taken as the
 * first or the last row. */
typedef struct ash_rt_gather_params {
  int32_t batches, outer, picks, length, run, type;
} ash_rt_gather_params;

void ash_rt_gather(const ash_rt_gather_params *p, const void *in,
                   const void *indices, void *out);

/* The same with an index of `depth` numbers, for axes of sizes `dim`. */
typedef struct ash_rt_gather_nd_params {
  int32_t picks, depth, run, type;
  int32_t dim[ASH_RT_MOVE_RANK];
} ash_rt_gather_nd_params;

void ash_rt_gather_nd(const ash_rt_gather_nd_params *p, const void *in,
                      const void *indices, void *out);

/* `before` and `after` elements around each of the `rank` dimensions. */
typedef struct ash_rt_pad_params {
  int32_t rank;
  int32_t dim[ASH_RT_RANK]; /* of the input */
  int32_t before[ASH_RT_RANK];
  int32_t after[ASH_RT_RANK];
} ash_rt_pad_params;

typedef struct ash_rt_pad_s8_params {
  ash_rt_pad_params shape;
  int8_t value;
} ash_rt_pad_s8_params;

typedef struct ash_rt_pad_f32_params {
  ash_rt_pad_params shape;
  float value;
} ash_rt_pad_f32_params;

/* Runs of the innermost dimension are copied in order; between two of them
 * lies the padding after the one, of the dimensions that end there, and before
 * the other. */
typedef struct ash_rt_pad_walk {
  int32_t size[ASH_RT_RANK]; /* padded elements in one step of a dimension */
  int32_t at[ASH_RT_RANK];
  int32_t gap; /* elements of padding before the next run, or the end */
} ash_rt_pad_walk;

static inline void ash_rt_pad_start(ash_rt_pad_walk *k,
                                    const ash_rt_pad_params *s) {
  k->gap = 0;
  k->size[s->rank - 1] = 1;
  for (int32_t d = s->rank - 1; d > 0; d--)
    k->size[d - 1] = k->size[d] * (s->before[d] + s->dim[d] + s->after[d]);
  for (int32_t d = 0; d < s->rank; d++) {
    k->at[d] = 0;
    k->gap += s->before[d] * k->size[d];
  }
}

/* To the next run; 0 behind the last. */
static inline int ash_rt_pad_next(ash_rt_pad_walk *k,
                                  const ash_rt_pad_params *s) {
  int32_t d = s->rank - 1;
  k->gap = s->after[d];
  for (d--; d >= 0 && ++k->at[d] == s->dim[d]; d--) {
    k->at[d] = 0;
    k->gap += s->after[d] * k->size[d];
  }
  if (d < 0)
    return 0;
  for (d++; d < s->rank; d++)
    k->gap += s->before[d] * k->size[d];
  return 1;
}

void ash_rt_pad_s8(const ash_rt_pad_s8_params *p, const int8_t *in,
                   int8_t *out);
void ash_rt_pad_f32(const ash_rt_pad_f32_params *p, const float *in,
                    float *out);

/* One input of a concatenation: `rows` runs of `run` elements go to places
 * `pitch` elements apart, from element `at` on. For copying, an element is a
 * byte. */
typedef struct ash_rt_concatenation_params {
  int32_t rows, run, pitch, at;
} ash_rt_concatenation_params;

void ash_rt_concatenation(const ash_rt_concatenation_params *p, const void *in,
                          void *out);

typedef struct ash_rt_concatenation_s8_params {
  int32_t rows, run, pitch, at;
  int32_t in_offset, out_offset, multiplier, shift;
} ash_rt_concatenation_s8_params;

void ash_rt_concatenation_s8(const ash_rt_concatenation_s8_params *p,
                             const int8_t *in, int8_t *out);

/* In float; `offset` is -zero point * scale of the input. */
typedef struct ash_rt_concatenation_u8_params {
  int32_t rows, run, pitch, at;
  float scale, offset;
  int32_t zero_point;
} ash_rt_concatenation_u8_params;

void ash_rt_concatenation_u8(const ash_rt_concatenation_u8_params *p,
                             const uint8_t *in, uint8_t *out);

#endif
