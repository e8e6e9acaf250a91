/* tflite_option_recurrent.c - options of layers with state. */
#include "read/tflite/tflite_option.h"

#include <math.h>

enum { /* fields of operators and of tensors, for intermediate ones */
       OPERATOR_INTERMEDIATES = 8,
       TENSOR_QUANTIZATION = 4,
       QUANT_SCALE = 2,
       QUANT_ZERO_POINT = 3,
};

/* Such may want rows of int8 with a zero point. */
static void put_asymmetric(ash_tflite_call *c, uint32_t weights,
                           uint32_t field) {
  if (ash_tflite_is_hybrid(c, weights))
    ash_tflite_put_int(c, "asymmetric", ash_fb_bool(&c->options, field, false));
}

ash_status ash_tflite_read_svdf(ash_tflite_call *c) {
  ASH_TRY(ash_tflite_put_field(c, "rank", 0, 0, 1));
  put_asymmetric(c, 1, 2);
  return ash_tflite_put_act(c, 1);
}

ash_status ash_tflite_read_rnn(ash_tflite_call *c) {
  put_asymmetric(c, 1, 1);
  return ash_tflite_put_act(c, 0);
}

ash_status ash_tflite_read_rnn_sequence(ash_tflite_call *c) {
  put_asymmetric(c, 1, 2);
  ash_tflite_put_int(c, "time_major", ash_fb_bool(&c->options, 0, false));
  return ash_tflite_put_act(c, 1);
}

/* Scale and zero point of the hidden state are those of a tensor that only the
 * operator's list of intermediate ones names. */
static void put_hidden(ash_tflite_call *c) {
  const ash_fb_vector all =
      ash_fb_vec(&c->r->ops[c->index].table, OPERATOR_INTERMEDIATES, 4);
  if (all.count < 5)
    return;
  const uint32_t tensor = (uint32_t)ash_fb_at_i32(&all, 4);
  if (tensor >= c->r->tensors.count)
    return;
  const ash_fb_table table = ash_fb_at_table(&c->r->tensors, tensor);
  const ash_fb_table quant = ash_fb_sub(&table, TENSOR_QUANTIZATION);
  const ash_fb_vector scale = ash_fb_vec(&quant, QUANT_SCALE, 4);
  const ash_fb_vector zero = ash_fb_vec(&quant, QUANT_ZERO_POINT, 8);
  if (scale.count == 1)
    ash_tflite_put(
        c, ASH_FLOAT_ATTR("hidden_scale", (double)ash_fb_at_f32(&scale, 0)));
  if (zero.count == 1)
    ash_tflite_put_int(c, "hidden_zero", ash_fb_at_i64(&zero, 0));
}

ash_status ash_tflite_read_lstm(ash_tflite_call *c) {
  const float cell_clip = ash_fb_f32(&c->options, 1, 0);
  const float proj_clip = ash_fb_f32(&c->options, 2, 0);
  if (!isfinite(cell_clip) || !isfinite(proj_clip))
    return ash_tflite_bad_options(c, "a clip, which must be finite,", -1);
  ash_tflite_put(c, ASH_FLOAT_ATTR("cell_clip", (double)cell_clip));
  ash_tflite_put(c, ASH_FLOAT_ATTR("proj_clip", (double)proj_clip));
  ash_tflite_put_int(c, "time_major", ash_fb_bool(&c->options, 3, false));
  if (ash_op_out(c->r->g, &c->op, 0)->type == ASH_INT8)
    put_hidden(c);
  if (ash_op_in(c->r->g, &c->op, 2))
    put_asymmetric(c, 2, 4);
  return ash_tflite_put_act(c, 0);
}
