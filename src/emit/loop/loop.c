/* loop.c - nests of loops: joining dimensions, indices, loads and stores. */
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- nests -------------------------------------------------------------- */

void ash_nest_add(ash_nest *n, int64_t dim, const int64_t *steps) {
  ASH_ASSERT(n->rank <= ASH_NEST_RANK && n->operands <= ASH_LOOP_OPERANDS);
  bool joins = n->rank > 0;
  if (dim == 1)
    return;
  for (uint32_t k = 0; joins && k < n->operands; k++)
    joins = n->step[k][n->rank - 1] == steps[k] * dim;
  if (joins)
    n->dim[n->rank - 1] *= dim;
  else
    n->dim[n->rank++] = dim;
  for (uint32_t k = 0; k < n->operands; k++)
    n->step[k][n->rank - 1] = steps[k];
}

/* Elements to the next index along axis d of `rank` axes; 0 if repeated. */
static int64_t step_of(const ash_shape *s, uint32_t rank, uint32_t d) {
  ASH_ASSERT(s->rank <= rank && d < rank);
  const uint32_t missing = rank - s->rank;
  int64_t step = 1;
  if (d < missing || s->dim[d - missing] == 1)
    return 0;
  for (uint32_t i = d - missing + 1; i < s->rank; i++)
    step *= s->dim[i];
  return step;
}

static ash_nest nest_of(const ash_call *c, uint32_t dims) {
  const ash_op *op = ash_call_op(c);
  ASH_ASSERT(op->input_count < ASH_LOOP_OPERANDS);
  const ash_shape *out = &ash_call_out(c)->shape;
  ash_nest n = {.operands = op->input_count + 1};
  for (uint32_t d = 0; d < dims; d++) {
    int64_t steps[ASH_LOOP_OPERANDS] = {step_of(out, out->rank, d)};
    for (uint32_t k = 0; k < op->input_count; k++)
      steps[k + 1] = step_of(&ash_call_in(c, k)->shape, out->rank, d);
    ash_nest_add(&n, out->dim[d], steps);
  }
  return n;
}

ash_nest ash_nest_of(const ash_call *c) {
  return nest_of(c, ash_call_out(c)->shape.rank);
}

ash_nest ash_nest_of_rows(const ash_call *c) {
  ASH_ASSERT(ash_call_out(c)->shape.rank > 0);
  return nest_of(c, ash_call_out(c)->shape.rank - 1);
}

/* ---- loops -------------------------------------------------------------- */

void ash_loop_for(const ash_call *c, const char *name, int64_t count) {
  ASH_ASSERT(name[0] && count >= 0);
  ash_text_line(c->text, "for (int32_t %s = 0; %s < %" PRId64 "; %s++) {", name,
                name, count, name);
  c->text->indent++;
}

void ash_loop_end(const ash_call *c) {
  ASH_ASSERT(c->text->indent > 0);
  c->text->indent--;
  ash_text_line(c->text, "}");
}

void ash_loop_open(const ash_call *c, const ash_nest *n, const char *letter) {
  ASH_ASSERT(n->rank <= ASH_NEST_RANK);
  for (uint32_t d = 0; d < n->rank; d++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%s%u", letter, (unsigned)d);
    ash_loop_for(c, name, n->dim[d]);
  }
}

void ash_loop_close(const ash_call *c, const ash_nest *n) {
  for (uint32_t d = 0; d < n->rank; d++)
    ash_loop_end(c);
}

const char *ash_loop_index(char *buf, const ash_nest *n, uint32_t operand,
                           const char *letter) {
  ASH_ASSERT(operand < n->operands && n->rank <= ASH_NEST_RANK);
  size_t at = 0;
  for (uint32_t d = 0; d < n->rank; d++) {
    const int64_t step = n->step[operand][d];
    const char *plus = at ? " + " : "";
    if (step == 1)
      at += (size_t)snprintf(buf + at, ASH_LOOP_TEXT - at, "%s%s%u", plus,
                             letter, (unsigned)d);
    else if (step != 0)
      at += (size_t)snprintf(buf + at, ASH_LOOP_TEXT - at, "%s%s%u * %" PRId64,
                             plus, letter, (unsigned)d, step);
  }
  ASH_ASSERT(at < ASH_LOOP_TEXT);
  if (at == 0)
    (void)snprintf(buf, ASH_LOOP_TEXT, "0");
  return buf;
}

/* ---- copies -------------------------------------------------------------- */

enum { COPY_BYTES_MIN = 16 }; /* below, elements are faster than memcpy */

bool ash_loop_copies(ash_type type, int64_t count) {
  const int64_t size = (int64_t)ash_type_bits(type) / 8;
  return count > 1 && (size == 1 || count * size >= COPY_BYTES_MIN);
}

/* Elements that follow each other on both sides, if copying them at once pays:
 * the nest loses its innermost loop. */
static int64_t take_run(ash_nest *n, ash_type type) {
  const uint32_t last = n->rank - 1;
  if (n->rank == 0 || n->step[0][last] != 1 || n->step[1][last] != 1 ||
      !ash_loop_copies(type, n->dim[last]))
    return 1;
  n->rank--;
  return n->dim[last];
}

/* Complex numbers are pairs of the floats that C counts. */
static void count_floats(ash_nest *n, ash_loop_ends *ends) {
  static const int64_t one[] = {1, 1};
  for (uint32_t d = 0; d < n->rank; d++) {
    n->step[0][d] *= 2;
    n->step[1][d] *= 2;
  }
  ends->from *= 2;
  ends->to *= 2;
  ash_nest_add(n, 2, one);
}

void ash_loop_copy(const ash_call *c, const ash_nest *nest,
                   ash_loop_ends ends) {
  const ash_type type = ash_op_out(c->graph, ash_call_op(c), ends.out)->type;
  const bool pairs = type == ASH_COMPLEX64;
  const int64_t size = (int64_t)ash_type_bits(type) / (pairs ? 16 : 8);
  ash_nest n = *nest;
  char to[ASH_LOOP_TEXT], from[ASH_LOOP_TEXT];
  if (pairs)
    count_floats(&n, &ends);
  const int64_t run = take_run(&n, pairs ? ASH_FLOAT32 : type);
  ash_loop_index(to, &n, 0, "i");
  ash_loop_index(from, &n, 1, "i");
  ash_call_open_block(c);
  ash_loop_input(c, "x", ends.in);
  ash_loop_output(c, "y", ends.out);
  ash_loop_open(c, &n, "i");
  if (run == 1)
    ash_text_line(c->text, "y[%" PRId64 " + %s] = x[%" PRId64 " + %s];",
                  ends.to, to, ends.from, from);
  else
    ash_text_line(c->text,
                  "ASH_RT_COPY(y + %" PRId64 " + %s, x + %" PRId64
                  " + %s, %" PRId64 ");",
                  ends.to, to, ends.from, from, run * size);
  ash_loop_close(c, &n);
  ash_call_close_block(c);
}

/* ---- operands ----------------------------------------------------------- */

void ash_loop_input(const ash_call *c, const char *name, uint32_t k) {
  ASH_ASSERT(k < ash_call_op(c)->input_count && c->inputs[k]);
  const char *type = ash_type_c(ash_call_in(c, k)->type);
  ash_text_line(c->text, "const %s *%s = (const %s *)(%s);", type, name, type,
                c->inputs[k]);
}

void ash_loop_output(const ash_call *c, const char *name, uint32_t k) {
  ASH_ASSERT(k < ash_call_op(c)->output_count && c->outputs[k]);
  const char *type = ash_type_c(ash_op_out(c->graph, ash_call_op(c), k)->type);
  ash_text_line(c->text, "%s *%s = (%s *)(%s);", type, name, type,
                c->outputs[k]);
}

const char *ash_loop_type(ash_type type) {
  ASH_ASSERT(type > ASH_NONE && type < ASH_TYPE_COUNT);
  switch (type) {
  case ASH_FLOAT32:
  case ASH_FLOAT16:
  case ASH_BFLOAT16:
    return "float";
  case ASH_FLOAT64:
    return "double";
  case ASH_UINT64:
    return "uint64_t";
  default:
    return "int64_t";
  }
}

const char *ash_loop_held(ash_type type) {
  return ash_loop_is_narrow(type) ? "int32_t" : ash_loop_type(type);
}

bool ash_loop_is_narrow(ash_type type) {
  return type == ASH_INT8 || type == ASH_UINT8 || type == ASH_INT16 ||
         type == ASH_UINT16 || type == ASH_INT32;
}

const char *ash_loop_load(char *buf, ash_type type, const char *array,
                          const char *at) {
  const char *via = type == ASH_FLOAT16    ? "ash_rt_half_value"
                    : type == ASH_BFLOAT16 ? "ash_rt_brain_value"
                                           : "";
  (void)snprintf(buf, ASH_LOOP_TEXT, "%s%s%s[%s]%s", via, *via ? "(" : "",
                 array, at, *via ? ")" : "");
  return buf;
}

static bool is_real(ash_type t) {
  return ash_type_is_float(t);
}

enum { HELD = 3 * ASH_LOOP_TEXT };

/* Floats outside an integer type become 0 instead of something undefined; the
 * value gets a name. */
static void hold_guarded(const ash_call *c, char *buf, ash_type to,
                         ash_type from, const char *name, const char *value) {
  if (ash_type_bits(to) == 8 && from != ASH_FLOAT64) {
    /* Floats from 2^31 on are multiples of 256: 0 as well. */
    ash_text_line(c->text, "const float %s = %s;", name, value);
    (void)snprintf(buf, HELD,
                   "(%s)(%s >= -2147483648.0f && %s < 2147483648.0f ? "
                   "(int32_t)%s : 0)",
                   ash_type_c(to), name, name, name);
    return;
  }
  const char *low = to == ASH_UINT64 ? "0.0" : "-9223372036854775808.0";
  const char *high =
      to == ASH_UINT64 ? "18446744073709551616.0" : "9223372036854775808.0";
  const char *wide = to == ASH_UINT64 ? "uint64_t" : "int64_t";
  ash_text_line(c->text, "const double %s = (double)(%s);", name, value);
  (void)snprintf(buf, HELD, "(%s)(%s >= %s && %s < %s ? (%s)%s : 0)",
                 ash_type_c(to), name, low, name, high, wide, name);
}

/* What a tensor of type `to` holds of a value with the computing type of
 * `from`. */
static const char *hold(const ash_call *c, char *buf, ash_type to,
                        ash_type from, const char *name, const char *value) {
  if (to == ASH_BOOL)
    (void)snprintf(buf, HELD, "(uint8_t)((%s) != 0)", value);
  else if (to == ASH_FLOAT16)
    (void)snprintf(buf, HELD, "ash_rt_half_bits((float)(%s))", value);
  else if (to == ASH_BFLOAT16)
    (void)snprintf(buf, HELD, "ash_rt_brain_bits((float)(%s))", value);
  else if (is_real(from) && !is_real(to))
    hold_guarded(c, buf, to, from, name, value);
  else if (strcmp(ash_type_c(to), ash_loop_type(from)) == 0)
    (void)snprintf(buf, HELD, "%s", value);
  else
    (void)snprintf(buf, HELD, "(%s)(%s)", ash_type_c(to), value);
  return buf;
}

void ash_loop_store(const ash_call *c, ash_type to, ash_type from,
                    const char *array, const char *at, const char *value) {
  char held[HELD];
  hold(c, held, to, from, "v", value);
  ash_text_line(c->text, "%s[%s] = %s;", array, at, held);
}

void ash_loop_keep(const ash_call *c, ash_type to, ash_type from,
                   const char *name, const char *value) {
  const char *via = to == ASH_FLOAT16    ? "ash_rt_half_value"
                    : to == ASH_BFLOAT16 ? "ash_rt_brain_value"
                                         : "";
  char held[HELD], real[32];
  (void)snprintf(real, sizeof real, "%s_real", name);
  hold(c, held, to, from, real, value);
  ash_text_line(c->text, "const %s %s = %s%s%s%s;", ash_loop_held(to), name,
                via, *via ? "(" : "", held, *via ? ")" : "");
}

void ash_loop_pick(const ash_call *c, const char *name, uint32_t k,
                   const char *at, int64_t size) {
  ash_text_line(c->text, "%s %s = index[%s];",
                ash_loop_held(ash_call_in(c, k)->type), name, at);
  ash_text_line(c->text, "%s += %s < 0 ? %" PRId64 " : 0;", name, name, size);
  ash_text_line(c->text,
                "%s = %s < 0 ? 0 : %s >= %" PRId64 " ? %" PRId64 " : %s;", name,
                name, name, size, size - 1, name);
}
