/* qdq.h - what the qdq pass shares between finding (qdq_find.c) and rewriting
 * (qdq.c). */
#ifndef ASH_PASS_QDQ_H
#define ASH_PASS_QDQ_H

#include "pass/uses.h"

/* Codes, that is quantised values: an 8-bit tensor, and what one step and zero
 * mean. */
typedef struct ash_codes {
  uint32_t tensor; /* ASH_NO_ID: none yet */
  ash_type type;   /* int8 or uint8 */
  float scale;
  int32_t zero;
} ash_codes;

enum { ASH_QDQ_SLOTS = 8 };

/* A QuantizeLinear: the float tensor it takes, the codes it makes, and the
 * operators that nobody else needs, in their order: their places are free. */
typedef struct ash_sink {
  uint32_t cast; /* the last of its operators */
  uint32_t real;
  ash_codes out;
  uint32_t slot[ASH_QDQ_SLOTS], slots;
} ash_sink;

typedef struct ash_qdq {
  ash_ctx *ctx;
  ash_graph *g;
  ash_uses uses;
  size_t known; /* tensors that `uses` knows; others are new */
  uint32_t made;
  bool changed;
  bool once; /* results are rounded once */
} ash_qdq;

/* The op that makes a tensor, NULL if none. */
const ash_op *ash_qdq_writer(const ash_qdq *q, uint32_t tensor);
/* (x - zero) * scale; the codes of x, if `tensor` is that. */
bool ash_qdq_source(const ash_qdq *q, uint32_t tensor, ash_codes *out);
/* cast(clip(round(f / scale) + zero)), if the op is that cast. */
bool ash_qdq_sink(const ash_qdq *q, uint32_t op, ash_sink *out);
/* Takes what a view before the sink is a view of; its place becomes free. */
void ash_qdq_skip(const ash_qdq *q, ash_sink *s);

/* Weights as codes: a constant that is not part of the graph yet. */
typedef struct ash_coded_weights {
  ash_tensor made; /* type ASH_NONE: they are no multiples of one number     */
  float *scales;   /* of `made`, one a channel in any case                  */
  uint8_t *codes;  /* of `made`                                             */
} ash_coded_weights;

/* The table that turns int8 codes into those of another scale. */
ash_status ash_qdq_rescaled(ash_qdq *q, const ash_codes *from,
                            const ash_codes *to, uint32_t *table);

/* The weights of a layer as codes. */
ash_status ash_qdq_weights(ash_qdq *q, const ash_op *o, ash_coded_weights *out);
/* Smaller steps for channels whose bias has no whole number of them. */
void ash_qdq_refine(const ash_qdq *q, const ash_op *o,
                    const ash_coded_weights *w, float in);
/* Larger steps for channels whose bias has no room in their own, with inputs of
 * that scale. */
void ash_qdq_widen(const ash_qdq *q, const ash_op *o,
                   const ash_coded_weights *w, float in);
/* The bias in steps of the sums; `fits` says whether 32 bits hold it. */
ash_status ash_qdq_bias(ash_qdq *q, const ash_op *o, float in,
                        const float *scales, uint32_t *out, bool *fits);
/* A float constant as int8 with one scale; ASH_NO_ID if it has none. */
ash_status ash_qdq_constant(ash_qdq *q, uint32_t tensor, ash_codes *out);

/* If the sink's codes depend on those of one tensor alone, element by element:
 * those codes, and a table of int8 results (qdq_table.c). ASH_NO_ID if not. */
ash_status ash_qdq_table(ash_qdq *q, const ash_sink *s, ash_codes *leaf,
                         uint32_t *table);

#endif
