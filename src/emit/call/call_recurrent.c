/* call_recurrent.c - layers with state: svdf, rnn, lstm. */
#include "emit/call/call_write.h"

#include <string.h>

static void put_act(const ash_call *c, const char *otherwise) {
  static const struct {
    const char *act, *word;
  } words[] = {{"relu", "ACT_RELU"},
               {"relu6", "ACT_RELU6"},
               {"relu_n1_to_1", "ACT_RELU_N1_TO_1"},
               {"tanh", "ACT_TANH"}};
  const char *act = ash_attr_string(ash_call_op(c), "act", otherwise);
  const char *word = "ACT_NONE";
  for (size_t i = 0; i < ASH_COUNT_OF(words); i++)
    if (strcmp(words[i].act, act) == 0)
      word = words[i].word;
  ash_call_word(c, "act", word);
}

static float scale(const ash_call *c, uint32_t k) {
  ASH_ASSERT(ash_call_in(c, k));
  return ash_quant_scale(ash_call_in(c, k));
}

/* ---- svdf --------------------------------------------------------------- */

static void put_svdf_scales(const ash_call *c) {
  ash_scaling in, out;
  const ash_tensor *result = ash_call_out(c);
  const bool good = ash_quant_svdf(&in, &out, c->graph, ash_call_op(c));
  ASH_ASSERT(good);
  ash_call_int(c, "in_offset", -ash_quant_zero(ash_call_in(c, 0)));
  ash_call_int(c, "out_offset", ash_quant_zero(result));
  ash_call_int(c, "in_multiplier", in.multiplier);
  ash_call_int(c, "in_shift", in.shift);
  ash_call_int(c, "out_multiplier", out.multiplier);
  ash_call_int(c, "out_shift", out.shift);
  ash_call_int(c, "narrow_state", ash_call_in(c, 4)->type == ASH_INT8);
}

/* Float data, int8 weights? */
static bool is_hybrid(const ash_call *c, uint32_t weights) {
  ASH_ASSERT(ash_call_in(c, weights));
  return ash_call_out(c)->type == ASH_FLOAT32 &&
         ash_call_in(c, weights)->type == ASH_INT8;
}

static void put_asymmetric(const ash_call *c) {
  ash_call_int(c, "asymmetric",
               ash_attr_int(ash_call_op(c), "asymmetric", 0) != 0);
}

void ash_call_svdf(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->shape.rank == 2 &&
             ash_call_in(c, 2)->shape.rank == 2);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  ash_call_open(c, is_hybrid(c, 1) ? "svdf_hybrid" : "svdf");
  ash_call_int(c, "batches", in->dim[0]);
  ash_call_int(c, "depth", in->dim[1]);
  ash_call_int(c, "filters", ash_call_in(c, 1)->shape.dim[0]);
  ash_call_int(c, "memory", ash_call_in(c, 2)->shape.dim[1]);
  ash_call_int(c, "rank", ash_attr_int(ash_call_op(c), "rank", 1));
  if (ash_call_out(c)->type == ASH_FLOAT32)
    put_act(c, "none");
  else
    put_svdf_scales(c);
  if (is_hybrid(c, 1)) {
    put_asymmetric(c);
    ash_call_float(c, "feature_scale", scale(c, 1));
    ash_call_float(c, "time_scale", scale(c, 2));
  }
  ash_call_close(c);
  ash_call_invoke(c);
}

/* ---- sequences ----------------------------------------------------------- */

static void put_sequence(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank == 2 ||
             ash_call_in(c, 0)->shape.rank == 3);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const bool three = in->rank == 3;
  const bool time = three && ash_attr_int(ash_call_op(c), "time_major", 0) != 0;
  const int32_t batches = in->dim[time ? 1 : 0];
  const int32_t steps = three ? in->dim[time ? 0 : 1] : 1;
  ash_call_open_field(c, "sequence");
  ash_call_int(c, "batches", batches);
  ash_call_int(c, "steps", steps);
  ash_call_int(c, "per_batch", time ? 1 : steps);
  ash_call_int(c, "per_step", time ? batches : 1);
  ash_call_int(c, "depth", in->dim[in->rank - 1]);
  ash_call_int(c, "units", out->dim[out->rank - 1]);
  ash_call_close_field(c);
}

void ash_call_rnn(const ash_call *c) {
  ash_call_open(c, is_hybrid(c, 1) ? "rnn_hybrid" : "rnn_f32");
  put_sequence(c);
  put_act(c, "none");
  if (is_hybrid(c, 1)) {
    put_asymmetric(c);
    ash_call_float(c, "in_scale", scale(c, 1));
    ash_call_float(c, "state_scale", scale(c, 2));
  }
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_recurrence(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 2) && ash_call_op(c)->input_count == 7);
  const ash_op *op = ash_call_op(c);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *back = &ash_call_in(c, 2)->shape;
  ash_call_open(c, "recurrence_f32");
  ash_call_int(c, "gates", back->dim[0] / back->dim[1]);
  ash_call_int(c, "steps", in->dim[0]);
  ash_call_int(c, "batches", in->dim[1]);
  ash_call_int(c, "depth", in->dim[2]);
  ash_call_int(c, "units", back->dim[1]);
  ash_call_int(c, "back", ash_attr_int(op, "back", 0) != 0);
  ash_call_int(c, "linear_before_reset",
               ash_attr_int(op, "linear_before_reset", 0) != 0);
  ash_call_close(c);
  ash_call_invoke(c);
}

/* Scales of inputs `first` and on; 0 where there is none. */
static void put_scales(const ash_call *c, const char *name, uint32_t first,
                       uint32_t count) {
  ASH_ASSERT(count <= 4);
  float scales[4] = {0};
  for (uint32_t i = 0; i < count; i++)
    if (ash_call_in(c, first + i))
      scales[i] = scale(c, first + i);
  ash_call_floats(c, name, scales, count);
}

static void put_lstm_scales(const ash_call *c) {
  put_asymmetric(c);
  put_scales(c, "in_scale", 1, 4);
  put_scales(c, "state_scale", 5, 4);
  put_scales(c, "peephole_scale", 9, 3);
  ash_call_float(c, "proj_scale", ash_call_in(c, 16) ? scale(c, 16) : 0.0f);
}

static void put_lstm_real(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 2)->shape.rank == 2);
  const ash_op *op = ash_call_op(c);
  ash_call_open(c, is_hybrid(c, 2) ? "lstm_hybrid" : "lstm_f32");
  put_sequence(c);
  ash_call_int(c, "cells", ash_call_in(c, 2)->shape.dim[0]);
  put_act(c, "tanh");
  ash_call_float(c, "cell_clip", (float)ash_attr_float(op, "cell_clip", 0.0));
  ash_call_float(c, "proj_clip", (float)ash_attr_float(op, "proj_clip", 0.0));
  if (is_hybrid(c, 2))
    put_lstm_scales(c);
}

static void put_gates(const ash_call *c, const char *name, const char *shift,
                      const ash_scaling *gates) {
  int32_t multipliers[4], shifts[4];
  for (uint32_t g = 0; g < 4; g++) {
    multipliers[g] = gates[g].multiplier;
    shifts[g] = gates[g].shift;
  }
  ash_call_ints(c, name, multipliers, 4);
  ash_call_ints(c, shift, shifts, 4);
}

static int32_t clip_of(double real, float step, int32_t most) {
  ASH_ASSERT(step > 0 && most > 0);
  const float steps = (float)real / step;
  return real > 0 ? steps > (float)most ? most : (int32_t)steps : 0;
}

static void put_hidden(const ash_call *c, const ash_lstm_scaling *s) {
  const ash_op *op = ash_call_op(c);
  ash_call_int(c, "hidden_multiplier", s->hidden.multiplier);
  ash_call_int(c, "hidden_shift", s->hidden.shift);
  ash_call_int(c, "hidden_zero", ash_attr_int(op, "hidden_zero", 0));
  ash_call_int(c, "proj_multiplier", s->projection.multiplier);
  ash_call_int(c, "proj_shift", s->projection.shift);
  ash_call_int(c, "proj_clip",
               clip_of(ash_attr_float(op, "proj_clip", 0.0),
                       ash_quant_scale(ash_call_out(c)), INT8_MAX));
}

static void put_lstm_fixed(const ash_call *c) {
  int32_t power;
  ash_lstm_scaling s;
  const bool good = ash_quant_lstm(&s, c->graph, ash_call_op(c));
  ASH_ASSERT(good);
  (void)ash_quant_power(&power, ash_call_in(c, 19));
  ash_call_open(c, "lstm_s8");
  put_sequence(c);
  ash_call_int(c, "cells", ash_call_in(c, 2)->shape.dim[0]);
  ash_call_int(c, "in_offset", -ash_quant_zero(ash_call_in(c, 0)));
  ash_call_int(c, "state_offset", -ash_quant_zero(ash_call_in(c, 18)));
  put_gates(c, "in_multiplier", "in_shift", s.in);
  put_gates(c, "state_multiplier", "state_shift", s.state);
  put_gates(c, "cell_multiplier", "cell_shift", s.cell);
  ash_call_int(c, "cell_bits", 15 + power);
  ash_call_int(c, "cell_clip",
               clip_of(ash_attr_float(ash_call_op(c), "cell_clip", 0.0),
                       scale(c, 19), INT16_MAX));
  put_hidden(c, &s);
}

static void put_lstm_wide(const ash_call *c) {
  int32_t power;
  ash_lstm_scaling s;
  const bool good = ash_quant_lstm_s16(&s, c->graph, ash_call_op(c));
  ASH_ASSERT(good);
  (void)ash_quant_power(&power, ash_call_in(c, 19));
  ash_call_open(c, "lstm_s16");
  put_sequence(c);
  ash_call_int(c, "in_offset", -ash_quant_zero(ash_call_in(c, 0)));
  ash_call_int(c, "state_offset", -ash_quant_zero(ash_call_in(c, 18)));
  put_gates(c, "in_multiplier", "in_shift", s.in);
  put_gates(c, "state_multiplier", "state_shift", s.state);
  ash_call_int(c, "cell_shift", 12 + power);
  ash_call_int(c, "cell_clip",
               clip_of(ash_attr_float(ash_call_op(c), "cell_clip", 0.0),
                       scale(c, 19), INT16_MAX));
  ash_call_int(c, "update_multiplier", s.update.multiplier);
  ash_call_int(c, "update_shift", s.update.shift);
  ash_call_int(c, "hidden_multiplier", s.hidden.multiplier);
  ash_call_int(c, "hidden_shift", s.hidden.shift);
}

void ash_call_lstm(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 18) && ash_call_in(c, 19));
  const ash_type type = ash_call_out(c)->type;
  if (type == ASH_FLOAT32)
    put_lstm_real(c);
  else if (type == ASH_INT16)
    put_lstm_wide(c);
  else
    put_lstm_fixed(c);
  ash_call_close(c);
  ash_call_parts(c, 1, type == ASH_INT16 ? 25 : 24);
  ash_call_invoke_parts(c, 18, 19);
}
