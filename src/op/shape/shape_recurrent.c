/* shape_recurrent.c - layers with state: svdf, rnn, lstm; recurrence. */
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of layers with float data. */
#define REAL_WEIGHTS (ASH_T(FLOAT32) | ASH_T(INT8))

/* Input k, if there: type, and shape up to axes of 0. */
static ash_status check_part(const ash_rule *r, uint32_t k, uint32_t types,
                             uint32_t rank, int32_t first, int32_t second) {
  const ash_tensor *t = ash_op_in(r->g, r->op, k);
  if (!t)
    return ASH_OK;
  ASH_TRY(ash_rule_type(r, r->op->inputs[k], types));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[k], rank, rank));
  if (t->shape.dim[0] == first && (rank < 2 || t->shape.dim[1] == second))
    return ASH_OK;
  char buf[ASH_SHAPE_TEXT];
  return ASH_RULE_FAIL(
      r, ASH_MALFORMED, channels, r->op->inputs[k],
      "input %" PRIu32 " has shape %s, expected [%" PRId32 ",%" PRId32 "]", k,
      ash_shape_text(buf, &t->shape), first, rank < 2 ? 1 : second);
}

static ash_status need_part(const ash_rule *r, uint32_t k, const char *role,
                            uint32_t types, int32_t first, int32_t second) {
  const ash_tensor *t;
  ASH_TRY(ash_rule_input(r, k, role, &t));
  return check_part(r, k, types, 2, first, second);
}

static ash_status check_state(const ash_rule *r, uint32_t k, uint32_t types,
                              int32_t batches, int64_t count) {
  const ash_tensor *t;
  ASH_TRY(ash_rule_input(r, k, "state", &t));
  ASH_TRY(ash_rule_type(r, r->op->inputs[k], types));
  if (t->kind != ASH_TENSOR_VARIABLE)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, variable, r->op->inputs[k],
                         "the state is no variable");
  if (ash_shape_elements(&t->shape) == (uint64_t)(batches * count))
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[k],
                       "the state holds %" PRIu64 " values, expected %" PRId64,
                       ash_shape_elements(&t->shape), batches * count);
}

/* One scale each for whatever inputs are narrow integers. */
static ash_status check_scales(const ash_rule *r) {
  for (uint32_t k = 0; k < r->op->input_count; k++)
    if (ash_op_in(r->g, r->op, k) &&
        (ASH_T_QUANT >> ash_op_in(r->g, r->op, k)->type & 1))
      ASH_TRY(ash_rule_quant(r, r->op->inputs[k]));
  return ash_rule_quants(r, 1);
}

static ash_status read_matrix(const ash_rule *r, uint32_t k, const char *role,
                              const ash_tensor **out) {
  ASH_TRY(ash_rule_input(r, k, role, out));
  return ash_rule_rank(r, r->op->inputs[k], 2, 2);
}

static ash_status check_svdf_parts(const ash_rule *r, int32_t filters,
                                   int32_t memory, int32_t units) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  const uint32_t wf = 1u << ash_op_in(r->g, r->op, 1)->type;
  const uint32_t wt = 1u << ash_op_in(r->g, r->op, 2)->type;
  const bool real = in->type == ASH_FLOAT32;
  ASH_TRY(check_part(r, 1, real ? REAL_WEIGHTS : ASH_T(INT8), 2, filters,
                     in->shape.dim[1]));
  ASH_TRY(check_part(r, 2, real ? wf : ASH_T(INT16) | ASH_T(INT8), 2, filters,
                     memory));
  ASH_TRY(check_part(r, 3, real ? ASH_T(FLOAT32) : ASH_T(INT32), 1, units, 1));
  return check_state(r, 4, real ? ASH_T(FLOAT32) : wt, in->shape.dim[0],
                     (int64_t)memory * filters);
}

ash_status ash_op_shape_svdf(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0), *wf, *wt;
  int64_t rank;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 2, 2));
  ASH_TRY(read_matrix(r, 1, "weights of features", &wf));
  ASH_TRY(read_matrix(r, 2, "weights of time", &wt));
  ASH_TRY(ash_rule_int(r, "rank", 1, 1, &rank));
  const int32_t filters = wf->shape.dim[0], memory = wt->shape.dim[1];
  if (filters < 1 || memory < 1 || filters % rank != 0)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[1],
                         "%" PRId32 " filters of rank %" PRId64, filters, rank);
  const int32_t units = (int32_t)(filters / rank);
  ASH_TRY(check_svdf_parts(r, filters, memory, units));
  ASH_TRY(check_scales(r));
  ASH_TRY(ash_rule_act(r));
  *r->out = (ash_shape){2, {in->shape.dim[0], units}};
  return ASH_OK;
}

/* [batch, depth], [batch, time, depth] or [time, batch, depth]. */
static ash_status read_steps(const ash_rule *r, int32_t *batches,
                             int32_t *depth) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 2, 3));
  const bool time = ash_attr_int(r->op, "time_major", 0) != 0;
  *batches = in->dim[in->rank == 3 && time ? 1 : 0];
  *depth = in->dim[in->rank - 1];
  return ASH_OK;
}

ash_status ash_op_shape_rnn(const ash_rule *r) {
  const ash_tensor *w;
  int32_t batches, depth;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(read_steps(r, &batches, &depth));
  ASH_TRY(ash_rule_input(r, 1, "weights", &w));
  ASH_TRY(ash_rule_type(r, r->op->inputs[1], REAL_WEIGHTS));
  ASH_TRY(check_scales(r));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[1], 2, 2));
  const int32_t units = w->shape.dim[0];
  ASH_TRY(need_part(r, 1, "weights", 1u << w->type, units, depth));
  ASH_TRY(need_part(r, 2, "weights", 1u << w->type, units, units));
  ASH_TRY(check_part(r, 3, ASH_T(FLOAT32), 1, units, 1));
  ASH_TRY(check_state(r, 4, ASH_T(FLOAT32), batches, units));
  if (strcmp(ash_attr_string(r->op, "act", "none"), "tanh") != 0)
    ASH_TRY(ash_rule_act(r));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  r->out->dim[r->out->rank - 1] = units;
  return ASH_OK;
}

/* ---- recurrence --------------------------------------------------------- */

static uint32_t gates_of(const ash_op *op) {
  const char *cell = ash_attr_string(op, "cell", "");
  return strcmp(cell, "lstm") == 0  ? 4
         : strcmp(cell, "gru") == 0 ? 3
         : strcmp(cell, "rnn") == 0 ? 1
                                    : 0;
}

static ash_status need_state(const ash_rule *r, uint32_t k, int32_t batches,
                             int32_t units) {
  return need_part(r, k, "first state", ASH_T(FLOAT32), batches, units);
}

ash_status ash_op_shape_recurrence(const ash_rule *r) {
  const ash_tensor *back;
  const int32_t gates = (int32_t)gates_of(r->op);
  if (gates == 0)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "cell %s, expected lstm, gru or rnn",
                         ash_attr_string(r->op, "cell", "none"));
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, 3));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_input(r, 2, "recurrent weights", &back));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[2], 2, 2));
  const int32_t units = back->shape.dim[1];
  if (units < 1 || units > INT32_MAX / 16 || in->dim[0] == INT32_MAX)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[2],
                         "%" PRId32 " units of %" PRId32 " steps", units,
                         in->dim[0]);
  const int32_t rows = gates * units;
  ASH_TRY(need_part(r, 1, "weights", ASH_T(FLOAT32), rows, in->dim[2]));
  ASH_TRY(need_part(r, 2, "weights", ASH_T(FLOAT32), rows, units));
  ASH_TRY(check_part(r, 3, ASH_T(FLOAT32), 1, rows, 1));
  ASH_TRY(check_part(r, 4, ASH_T(FLOAT32), 1, rows, 1));
  ASH_TRY(need_state(r, 5, in->dim[1], units));
  if (gates == 4)
    ASH_TRY(need_state(r, 6, in->dim[1], units));
  *r->out = (ash_shape){3, {in->dim[0] + (gates == 4), in->dim[1], units}};
  return ASH_OK;
}

/* ---- lstm --------------------------------------------------------------- */

typedef struct cell {
  bool real, coupled; /* no input gate: one minus the forget gate */
  int32_t batches, depth, cells, outputs;
} cell;

static ash_status check_gate(const ash_rule *r, const cell *c, uint32_t g,
                             uint32_t bias) {
  const uint32_t weight = 1u << ash_op_in(r->g, r->op, 2)->type;
  const uint32_t fine = c->real ? ASH_T(FLOAT32) : ASH_T(INT16);
  ASH_TRY(need_part(r, 1 + g, "weights", weight, c->cells, c->depth));
  ASH_TRY(need_part(r, 5 + g, "weights", weight, c->cells, c->outputs));
  ASH_TRY(check_part(r, 12 + g, bias, 1, c->cells, 1));
  return check_part(r, 20 + g, fine, 1, c->cells, 1);
}

static ash_status check_gates(const ash_rule *r, const cell *c) {
  const uint32_t weight = 1u << ash_op_in(r->g, r->op, 2)->type;
  const uint32_t hole = c->real ? weight : ASH_T(INT16);
  const bool wide = ash_op_in(r->g, r->op, 0)->type == ASH_INT16;
  const uint32_t bias = c->real ? ASH_T(FLOAT32)
                        : wide  ? ASH_T(INT64)
                                : ASH_T(INT32);
  for (uint32_t g = c->coupled ? 1 : 0; g < 4; g++)
    ASH_TRY(check_gate(r, c, g, bias));
  for (uint32_t g = 0; g < 3; g++)
    ASH_TRY(check_part(r, 9 + g, hole, 1, c->cells, 1));
  ASH_TRY(check_part(r, 16, weight, 2, c->outputs, c->cells));
  return check_part(r, 17, bias, 1, c->outputs, 1);
}

/* With int16 data there is the plain form alone, as in TensorFlow Lite Micro.
 */
static ash_status check_wide(const ash_rule *r) {
  static const struct {
    uint32_t input;
    const char *what;
  } others[] = {{9, "peepholes"},     {10, "peepholes"},   {11, "peepholes"},
                {16, "a projection"}, {20, "layer norms"}, {21, "layer norms"},
                {22, "layer norms"},  {23, "layer norms"}};
  for (size_t i = 0; i < ASH_COUNT_OF(others); i++)
    if (ash_op_in(r->g, r->op, others[i].input))
      return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr,
                           r->op->inputs[others[i].input], "%s with int16 data",
                           others[i].what);
  if (!ash_op_in(r->g, r->op, 1))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "no input gate with int16 data");
  return ASH_OK;
}

/* The fixed-point cell has a power of two as its scale. */
static ash_status check_fixed(const ash_rule *r) {
  const ash_tensor *state = ash_op_in(r->g, r->op, 19);
  int exponent;
  ASH_TRY(check_scales(r));
  const float part = frexpf(state->quant.scale[0], &exponent);
  if (part != 0.5f || exponent < -14 || exponent > -8)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, r->op->inputs[19],
                         "the cell's scale is no power of two from 2^-15 to "
                         "2^-9");
  if (ash_op_in(r->g, r->op, 0)->type == ASH_INT16)
    return check_wide(r);
  for (uint32_t k = 20; k < 24; k++)
    if (ash_op_in(r->g, r->op, k))
      return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, r->op->inputs[k],
                           "layer normalisation in integers");
  if (!(ash_attr_float(r->op, "hidden_scale", 0.0) > 0.0))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "the scale of the hidden state is not known");
  return ASH_OK;
}

static ash_status check_lstm_act(const ash_rule *r) {
  static const char *const known[] = {"none", "relu", "relu6", "tanh"};
  const char *act = ash_attr_string(r->op, "act", "tanh");
  const bool real = ash_op_in(r->g, r->op, 0)->type == ASH_FLOAT32;
  for (size_t i = real ? 0 : 3; i < ASH_COUNT_OF(known); i++)
    if (strcmp(act, known[i]) == 0)
      return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, act, ASH_NO_ID, "activation %s",
                       act);
}

static ash_status read_cell(const ash_rule *r, cell *c) {
  const ash_tensor *w, *u;
  ASH_TRY(read_steps(r, &c->batches, &c->depth));
  ASH_TRY(ash_rule_input(r, 2, "weights of the forget gate", &w));
  ASH_TRY(ash_rule_input(r, 6, "weights of the forget gate", &u));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[2], 2, 2));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[6], 2, 2));
  ASH_TRY(
      ash_rule_type(r, r->op->inputs[2], c->real ? REAL_WEIGHTS : ASH_T(INT8)));
  c->cells = w->shape.dim[0];
  c->outputs = u->shape.dim[1];
  return ASH_OK;
}

ash_status ash_op_shape_lstm(const ash_rule *r) {
  const ash_tensor *in = ash_op_in(r->g, r->op, 0);
  cell c = {.real = in->type == ASH_FLOAT32,
            .coupled = !ash_op_in(r->g, r->op, 1)};
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(read_cell(r, &c));
  ASH_TRY(check_gates(r, &c));
  if (!ash_op_in(r->g, r->op, 16) && c.cells != c.outputs)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, channels, r->op->inputs[6],
                         "%" PRId32 " cells make %" PRId32
                         " outputs without a projection",
                         c.cells, c.outputs);
  ASH_TRY(check_state(r, 18, 1u << in->type, c.batches, c.outputs));
  ASH_TRY(check_state(r, 19, c.real ? ASH_T(FLOAT32) : ASH_T(INT16), c.batches,
                      c.cells));
  ASH_TRY(check_lstm_act(r));
  ASH_TRY(c.real ? check_scales(r) : check_fixed(r));
  *r->out = in->shape;
  r->out->dim[r->out->rank - 1] = c.outputs;
  return ASH_OK;
}
