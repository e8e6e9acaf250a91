/* loop.h - operators that need no kernel: the emitter writes their loops, with
 * constant bounds, right into the step. Shared by loop*.c. */
#ifndef ASH_EMIT_LOOP_H
#define ASH_EMIT_LOOP_H

#include "emit/call/call_write.h"
#include "op/chain.h"

enum {
  ASH_LOOP_OPERANDS = 1 + ASH_CHAIN_INPUTS, /* output and inputs */
  ASH_LOOP_TEXT = 400,                      /* an index expression */
  ASH_NEST_RANK = 2 * ASH_RANK_MAX,         /* repetition: two per axis */
};

/* Nested loops over `dim`, and how far each operand moves with each. */
typedef struct ash_nest {
  uint32_t rank, operands;
  int64_t dim[ASH_NEST_RANK];
  int64_t step[ASH_LOOP_OPERANDS][ASH_NEST_RANK];
} ash_nest;

/* The output's shape and the inputs broadcast to it; operand 0 is the output.
 * Neighbouring dimensions are one wherever all operands walk alike. */
ash_nest ash_nest_of(const ash_call *c);
/* The same without the last dimension. */
ash_nest ash_nest_of_rows(const ash_call *c);
/* Adds a dimension behind the others, joining it if possible. */
void ash_nest_add(ash_nest *n, int64_t dim, const int64_t *steps);

/* `for` lines with variables <letter>0.., each one deeper. */
void ash_loop_open(const ash_call *c, const ash_nest *n, const char *letter);
void ash_loop_close(const ash_call *c, const ash_nest *n);
void ash_loop_for(const ash_call *c, const char *name, int64_t count);
void ash_loop_end(const ash_call *c); /* of ash_loop_for */
/* "12 * i0 + i1" for one operand. */
const char *ash_loop_index(char *buf, const ash_nest *n, uint32_t operand,
                           const char *letter);

/* `const float *a = (const float *)(..);` for input k, `float *y` for output
 * k. */
void ash_loop_input(const ash_call *c, const char *name, uint32_t k);
void ash_loop_output(const ash_call *c, const char *name, uint32_t k);

/* Which input is copied to which output, and the elements to start at. */
typedef struct ash_loop_ends {
  uint32_t in, out;
  int64_t from, to;
} ash_loop_ends;

/* Copies elements along a nest of output (operand 0) and input (operand 1), in
 * a block; runs of neighbours are copied at once. */
void ash_loop_copy(const ash_call *c, const ash_nest *nest, ash_loop_ends ends);

/* Are so many neighbours copied at once, not one by one? */
bool ash_loop_copies(ash_type type, int64_t count);

/* The C type in which values of a type are computed. */
const char *ash_loop_type(ash_type type);
/* The one for values that are kept in between: int32_t where that is enough.
 * Sums and products that fit are then made in 32 bits, which small processors
 * like (and GCC 12 gets (int16_t)(a * b >> 16) wrong when it vectorises that
 * from 64 bits). */
const char *ash_loop_held(ash_type type);
bool ash_loop_is_narrow(ash_type type);
/* "a[at]" as that type. */
const char *ash_loop_load(char *buf, ash_type type, const char *array,
                          const char *at);
/* `y[at] = value;` where the value has the computing type of `from`. */
void ash_loop_store(const ash_call *c, ash_type to, ash_type from,
                    const char *array, const char *at, const char *value);
/* `const T name = value;` rounded to what a tensor of type `to` would hold. */
void ash_loop_keep(const ash_call *c, ash_type to, ash_type from,
                   const char *name, const char *value);
/* The C expression of a function of operands with these names, which have the
 * computing types of the inputs. */
const char *ash_loop_scalar(char *buf, size_t size, ash_fn fn, ash_type type,
                            const char *const *names);
/* The C expression of a stage, whose operands are inputs x0.. and stages s0..;
 * `yields` is the type of what it is. */
bool ash_loop_stage(char *buf, size_t size, const ash_call *c,
                    const ash_chain_stage *s, ash_type *yields);
/* The C type in which elements are folded, and "s = ..": with one more, v. */
const char *ash_loop_fold_type(ash_fold fold, ash_type type);
void ash_loop_fold_step(const ash_call *c, ash_fold fold, ash_type type);
/* The type of what a function of operands of these types yields, for storing
 * it as `out`. */
ash_type ash_loop_yields(ash_fn fn, const ash_type *in, ash_type out);
/* A float constant that can stand anywhere. */
const char *ash_loop_real(char *buf, size_t size, const ash_call *c,
                          ash_type type, double x);
/* `int32_t <name> = ..;` element `at` of input k, the array `index`: a place
 * on an axis, made safe. */
void ash_loop_pick(const ash_call *c, const char *name, uint32_t k,
                   const char *at, int64_t size);

/* The type of a sum of products as stored: of integers, only the bits of the
 * output matter. */
const char *ash_loop_sum_type(const ash_call *c);
/* `s += x[a] * w[b];` in that type. */
void ash_loop_product(const ash_call *c, const char *a, const char *b);

/* The loops of each operator. */
#define OP(op, columns) columns
#define LOOP(writer)    void ash_loop_##writer(const ash_call *c);
#include "op/ops.def"
#undef OP

#endif
