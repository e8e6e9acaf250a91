/* quant_layers.c - the scalings of softmax, slopes and layers with state. Which
 * products and quotients are of floats and which of doubles is TensorFlow
 * Lite's choice. */
#include "kernel/quant.h"

#include <math.h>

/* ---- rows ---------------------------------------------------------------- */

/* Differences in units of 10 / 65535. */
bool ash_quant_softmax_s16(ash_scaling *out, const ash_tensor *in,
                           double beta) {
  const float product = ash_quant_scale(in) * (float)beta;
  return ash_quant_scaling(out, (double)product / (10.0 / 65535.0));
}

bool ash_quant_softmax(ash_scaling *out, const ash_tensor *in, double beta) {
  const double real = beta * (double)ash_quant_scale(in) * (double)(1 << 26);
  return ash_quant_scaling(out, real < 2147483647.0 ? real : 2147483647.0);
}

bool ash_quant_log_softmax(ash_scaling *out, ash_scaling *back,
                           const ash_tensor *in) {
  return ash_quant_softmax(out, in, 1.0) &&
         ash_quant_scaling(back, ldexp(1.0, 31 - out->shift) /
                                     (double)out->multiplier);
}

/* Of two products, as ash_quant_matmul has them: the scores are no tensor, and
 * rounded as the result is. */
bool ash_quant_attention(ash_scaling *scores, ash_scaling *result,
                         const ash_graph *g, const ash_op *op) {
  const float score = (float)ash_attr_float(op, "score_scale", 1.0);
  const float share = (float)ash_attr_float(op, "share_scale", 1.0);
  const float qk = ash_quant_scale(ash_op_in(g, op, 0)) *
                   ash_quant_scale(ash_op_in(g, op, 1));
  const float sv = share * ash_quant_scale(ash_op_in(g, op, 2));
  const ash_tensor *out = ash_op_out(g, op, 0);
  return ash_quant_scaling_to(scores, out, (double)qk / (double)score) &&
         ash_quant_scaling_to(result, out,
                              (double)sv / (double)ash_quant_scale(out));
}

bool ash_quant_leaky(ash_scaling *above, ash_scaling *below,
                     const ash_tensor *in, const ash_tensor *result,
                     double alpha) {
  const float slope = (float)alpha;
  const float product = ash_quant_scale(in) * (slope < 0 ? -slope : slope);
  const float sloped = product / ash_quant_scale(result);
  return ash_quant_relu(above, in, result) &&
         ash_quant_scaling(below, (double)sloped);
}

/* ---- layers with state --------------------------------------------------- */

static float scale_of(const ash_graph *g, const ash_op *op, uint32_t k) {
  return ash_quant_scale(ash_op_in(g, op, k));
}

/* Scales multiplied and divided as floats. */
static bool scale_product(ash_scaling *out, float a, float b, float below) {
  const float product = a * b;
  const float real = product / below;
  return ash_quant_scaling(out, (double)real);
}

bool ash_quant_svdf(ash_scaling *in, ash_scaling *out, const ash_graph *g,
                    const ash_op *op) {
  const float state = scale_of(g, op, 4);
  return scale_product(in, scale_of(g, op, 0), scale_of(g, op, 1), state) &&
         scale_product(out, state, scale_of(g, op, 2),
                       ash_quant_scale(ash_op_out(g, op, 0)));
}

/* The four gates, with weights from `first` on. */
static bool scale_gates(ash_scaling *out, const ash_graph *g, const ash_op *op,
                        uint32_t first, float in) {
  for (uint32_t k = 0; k < 4; k++)
    if (ash_op_in(g, op, first + k) &&
        !scale_product(&out[k], scale_of(g, op, first + k), in, 0x1p-12f))
      return false;
  return true;
}

/* Peepholes: none of the cell gate. */
static bool scale_peepholes(ash_scaling *out, const ash_graph *g,
                            const ash_op *op) {
  int32_t power;
  (void)ash_quant_power(&power, ash_op_in(g, op, 19));
  for (uint32_t k = 0; k < 3; k++) {
    if (!ash_op_in(g, op, 9 + k))
      continue;
    const float real =
        (float)(ldexp(1.0, power) * (double)scale_of(g, op, 9 + k) * 4096.0);
    if (!ash_quant_scaling(&out[k < 2 ? k : 3], (double)real))
      return false;
  }
  return true;
}

bool ash_quant_lstm(ash_lstm_scaling *out, const ash_graph *g,
                    const ash_op *op) {
  const float hidden = (float)ash_attr_float(op, "hidden_scale", 1.0);
  const float ratio =
      (float)(ldexp(1.0, -15) / (double)hidden * ldexp(1.0, -15));
  *out = (ash_lstm_scaling){0};
  return scale_gates(out->in, g, op, 1, scale_of(g, op, 0)) &&
         scale_gates(out->state, g, op, 5, scale_of(g, op, 18)) &&
         scale_peepholes(out->cell, g, op) &&
         ash_quant_scaling(&out->hidden, (double)ratio) &&
         (!ash_op_in(g, op, 16) ||
          scale_product(&out->projection, scale_of(g, op, 16), hidden,
                        scale_of(g, op, 18)));
}

/* Scales as TensorFlow Lite Micro has them: the product of two in float, the
 * rest in double. */
static bool scale_wide_gates(ash_scaling *out, const ash_graph *g,
                             const ash_op *op, uint32_t first, float in) {
  for (uint32_t k = 0; k < 4; k++) {
    const float product = in * scale_of(g, op, first + k);
    if (!ash_quant_scaling(&out[k], (double)product * 4096.0) ||
        out[k].shift >= 15)
      return false;
  }
  return true;
}

bool ash_quant_lstm_s16(ash_lstm_scaling *out, const ash_graph *g,
                        const ash_op *op) {
  const float state = scale_of(g, op, 18);
  *out = (ash_lstm_scaling){0};
  return scale_wide_gates(out->in, g, op, 1, scale_of(g, op, 0)) &&
         scale_wide_gates(out->state, g, op, 5, state) &&
         ash_quant_scaling(&out->update,
                           ldexp(1.0, -30) / (double)scale_of(g, op, 19)) &&
         ash_quant_scaling(&out->hidden, ldexp(1.0, -30) / (double)state);
}
