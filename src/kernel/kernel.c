/* kernel.c - the table of kernels and what can be read off it. */
#include "kernel/kernel.h"

#include "ashlar/compile.h"
#include "base/checked.h"
#include "kernel/quant.h"
#include "kernel/runtime_files.h"
#include "op/attention.h"
#include "op/broadcast.h"
#include "op/functions.h"
#include "op/reads.h"
#include "op/sums.h"

#include <string.h>

/* Can the inputs be copied as they are? */
static bool scales_agree(const ash_graph *g, const ash_op *op) {
  for (uint32_t i = 0; i < op->input_count; i++) {
    const ash_tensor *t = ash_op_in(g, op, i);
    if (t && !ash_quant_equal(t, ash_op_out(g, op, 0)))
      return false;
  }
  return true;
}

static bool scales_differ(const ash_graph *g, const ash_op *op) {
  return !scales_agree(g, op);
}

/* One operand, whose 256 results, or 513 to interpolate between, are a table.
 */
static bool has_table(const ash_graph *g, const ash_op *op) {
  const ash_fn fn = ash_op_fn(op);
  return ash_fn_operands(fn) == 1 &&
         (ash_op_in(g, op, 0)->type != ASH_INT16 || ash_fn_has_table16(fn));
}

static bool is_packed(const ash_graph *g, const ash_op *op) {
  (void)g;
  return ash_op_is_prepared(op);
}

/* Depthwise: one output channel an input channel. */
static bool is_one_to_one(const ash_graph *g, const ash_op *op) {
  return ash_op_in(g, op, 0)->shape.dim[3] ==
         ash_op_out(g, op, 0)->shape.dim[3];
}

/* Depthwise: more taps than the variant for small windows has pointers for, or
 * several output channels an input channel. */
static bool is_packed_large(const ash_graph *g, const ash_op *op) {
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  return is_packed(g, op) &&
         ((int64_t)w->dim[1] * w->dim[2] > ASH_KERNEL_DEPTHWISE_TAPS ||
          !is_one_to_one(g, op));
}

static bool is_padded(const ash_op *op) {
  return ash_attr_int(op, "pad_top", 0) != 0 ||
         ash_attr_int(op, "pad_left", 0) != 0 ||
         ash_attr_int(op, "pad_bottom", 0) != 0 ||
         ash_attr_int(op, "pad_right", 0) != 0;
}

/* Convolution of points with so few products that columns do not pay. */
static bool is_packed_few(const ash_graph *g, const ash_op *op) {
  const ash_tensor *w = ash_op_in(g, op, 1);
  return is_packed(g, op) && w->shape.dim[1] == 1 && w->shape.dim[2] == 1 &&
         ash_shape_elements(&w->shape) <= ASH_KERNEL_FEW_PRODUCTS &&
         !is_padded(op);
}

/* Convolution of several groups. */
static bool is_packed_groups(const ash_graph *g, const ash_op *op) {
  return is_packed(g, op) &&
         ash_op_in(g, op, 0)->shape.dim[3] != ash_op_in(g, op, 1)->shape.dim[3];
}

bool ash_kernel_is_packed(const ash_kernel *kernel) {
  return kernel->fits == is_packed || kernel->fits == is_packed_large ||
         kernel->fits == is_packed_few || kernel->fits == is_packed_groups;
}

/* No broadcasting. */
static bool is_one_shape(const ash_graph *g, const ash_op *op) {
  const ash_shape *out = &ash_op_out(g, op, 0)->shape;
  return ash_shape_equal(&ash_op_in(g, op, 0)->shape, out) &&
         ash_shape_equal(&ash_op_in(g, op, 1)->shape, out);
}

/* Both operands are dense along the last axis, broadcast along others. */
static bool has_dense_runs(const ash_graph *g, const ash_op *op) {
  const ash_broadcast s = ash_broadcast_of(g, op);
  return s.rank >= 1 && s.rank <= ASH_KERNEL_RANK &&
         s.step_a[s.rank - 1] == 1 && s.step_b[s.rank - 1] == 1;
}

/* Kernels of pairs walk through few dimensions; loops through any number. */
static bool has_few_axes(const ash_graph *g, const ash_op *op) {
  return ash_broadcast_of(g, op).rank <= ASH_KERNEL_RANK;
}

/* No zero points: the variants of int16 know none. */
static bool has_no_zeros(const ash_graph *g, const ash_op *op) {
  const ash_tensor *w = ash_op_in(g, op, 1);
  return ash_quant_zero(ash_op_in(g, op, 0)) == 0 &&
         ash_quant_zero(ash_op_out(g, op, 0)) == 0 &&
         (w->quant.count > 1 || ash_quant_zero(w) == 0);
}

static bool is_wide_conv(const ash_graph *g, const ash_op *op) {
  return has_no_zeros(g, op) &&
         ash_op_in(g, op, 0)->shape.dim[3] == ash_op_in(g, op, 1)->shape.dim[3];
}

/* Sums of int16 by int8 that fit 32 bits. */
static bool is_wide_depthwise(const ash_graph *g, const ash_op *op) {
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  return has_no_zeros(g, op) && is_one_to_one(g, op) && w->dim[1] < 512 &&
         w->dim[2] < 512 && w->dim[1] * w->dim[2] < 512;
}

/* Is the list absent, or do its numbers stay within 2^29? */
static bool is_small_list(const ash_tensor *t) {
  const int32_t most = 1 << 29;
  for (uint64_t i = 0; t && t->data && i < ash_shape_elements(&t->shape); i++) {
    int32_t x;
    memcpy(&x, (const uint8_t *)t->data + 4 * i, sizeof x);
    if (x > most || x < -most)
      return false;
  }
  return !t || t->data;
}

/* Layers with state: are the sums of products with their data, and the biases
 * of an LSTM's gates, within 2^29 each? */
static bool has_small_sums(const ash_graph *g, const ash_op *op) {
  const bool lstm = op->kind == ASH_OP_lstm;
  for (uint32_t k = 12; lstm && k < 16; k++)
    if (!is_small_list(ash_op_in(g, op, k)))
      return false;
  return ash_op_in(g, op, lstm ? 2 : 1)->shape.dim[1] <= 1 << 14 &&
         (!lstm || ash_op_in(g, op, 6)->shape.dim[1] <= 1 << 14);
}

/* Where all scales are powers of two, sums have a rule of their own. */
static bool has_wide_runs(const ash_graph *g, const ash_op *op) {
  int32_t p, q;
  return has_dense_runs(g, op) &&
         !(ash_attr_int(op, "pot", 0) &&
           ash_quant_shifts(&p, &q, ash_op_in(g, op, 0), ash_op_in(g, op, 1),
                            ash_op_out(g, op, 0)));
}

/* Such products whose scaling is below a half. */
static bool shrinks(const ash_graph *g, const ash_op *op) {
  ash_scaling s;
  return has_dense_runs(g, op) &&
         ash_quant_mul(&s, ash_op_in(g, op, 0), ash_op_in(g, op, 1),
                       ash_op_out(g, op, 0)) &&
         s.shift < 0;
}

/* Sums of its elements fit 16 bits. */
static bool is_small_window(const ash_graph *g, const ash_op *op) {
  (void)g;
  const int64_t h = ash_attr_int(op, "filter_h", 1);
  const int64_t w = ash_attr_int(op, "filter_w", 1);
  return h <= 255 && w <= 255 && h * w <= 255;
}

/* ---- why a variant does not fit ------------------------------------------ */

static const char *why_not_packed(const ash_kernel *kernel, const ash_graph *g,
                                  const ash_op *op) {
  const ash_tensor *x = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  if (!w->data)
    return "its weights are not constant";
  if (op->kind == ASH_OP_conv_2d && x->shape.dim[3] != w->shape.dim[3] &&
      kernel->fits != is_packed_groups)
    return "it has several groups";
  if (op->kind == ASH_OP_depthwise_conv_2d && !is_one_to_one(g, op))
    return "it makes several channels of one";
  if (op->kind == ASH_OP_depthwise_conv_2d &&
      (int64_t)w->shape.dim[1] * w->shape.dim[2] > ASH_KERNEL_DEPTHWISE_TAPS)
    return "its window has more than 25 taps";
  if (op->kind == ASH_OP_transpose_conv &&
      (ash_attr_int(op, "stride_h", 1) > w->shape.dim[1] ||
       ash_attr_int(op, "stride_w", 1) > w->shape.dim[2]))
    return "its stride is larger than its filter";
  return "its scales or sums are outside the range of packed layers";
}

const char *ash_kernel_refusal(const ash_kernel *kernel, const ash_graph *g,
                               const ash_op *op) {
  static const struct {
    bool (*fits)(const ash_graph *g, const ash_op *op);
    const char *why;
  } known[] = {
      {has_dense_runs, "an operand is repeated along the last axis"},
      {has_wide_runs, "an operand is repeated along the last axis, or all "
                      "scales are powers of two"},
      {shrinks, "an operand is repeated along the last axis, or the scale of "
                "its products is a half or more"},
      {is_small_window, "its window has more than 255 elements"},
      {is_wide_conv, "it has several groups or zero points"},
      {is_wide_depthwise, "it makes several channels of one, or has zero "
                          "points or 512 taps"},
      {has_no_zeros, "it has zero points"}};
  if (!kernel->fits || kernel->fits(g, op))
    return NULL;
  if (ash_kernel_is_packed(kernel))
    return why_not_packed(kernel, g, op);
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (kernel->fits == known[i].fits)
      return known[i].why;
  return "its shapes do not suit it";
}

/* ---- scratch of the variants: see their files in runtime/ ---------------- */

/* Taps of one output channel. */
static uint64_t taps_of(const ash_graph *g, const ash_op *op) {
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  return ash_shape_elements(w) / (uint64_t)w->dim[0];
}

/* The same of the part with most taps: a group, or every stride-th tap of a
 * transposed convolution. */
static uint64_t part_taps_of(const ash_graph *g, const ash_op *op) {
  const int32_t *w = ash_op_in(g, op, 1)->shape.dim;
  if (op->kind != ASH_OP_transpose_conv)
    return taps_of(g, op);
  const int64_t h = ash_attr_int(op, "stride_h", 1);
  const int64_t v = ash_attr_int(op, "stride_w", 1);
  return (uint64_t)((w[1] + h - 1) / h * ((w[2] + v - 1) / v) * w[3]);
}

/* Columns of 16-bit numbers, and one of bytes where blocks of four taps do not
 * begin with a pixel. */
static uint64_t columns_dsp_bytes(const ash_graph *g, const ash_op *op,
                                  uint64_t columns) {
  const uint64_t taps = part_taps_of(g, op);
  const bool blocks = ash_op_in(g, op, 1)->shape.dim[3] % 4 == 0;
  return 2 * columns * ash_align_up(taps, 8) +
         (blocks ? 0 : ash_align_up(taps, 4));
}

static uint64_t conv_dsp_bytes(const ash_target *t, const ash_graph *g,
                               const ash_op *op) {
  (void)t;
  return columns_dsp_bytes(g, op, 3);
}

/* Parts of a convolution: ash_rt_parts.h. */
static uint64_t parts_mve_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t;
  return 3 * ash_align_up(part_taps_of(g, op), 16);
}

static uint64_t parts_scalar_bytes(const ash_target *t, const ash_graph *g,
                                   const ash_op *op) {
  (void)t;
  return 2 * ash_align_up(part_taps_of(g, op), 4);
}

/* int16: ash_rt_channel_s16 of every channel. */
static uint64_t channels_wide_bytes(const ash_graph *g, const ash_op *op) {
  return 16 * (uint64_t)ash_op_in(g, op, 1)->shape.dim[0];
}

/* These, two columns side by side, and one where blocks of four taps do not
 * begin with a pixel. */
static uint64_t conv_wide_dsp_bytes(const ash_target *t, const ash_graph *g,
                                    const ash_op *op) {
  (void)t;
  const uint64_t taps = taps_of(g, op);
  const bool blocks = ash_op_in(g, op, 1)->shape.dim[3] % 4 == 0;
  return channels_wide_bytes(g, op) + 4 * ash_align_up(taps, 4) +
         (blocks ? 0 : 2 * taps);
}

static uint64_t dense_wide_dsp_bytes(const ash_target *t, const ash_graph *g,
                                     const ash_op *op) {
  (void)t;
  return 4 * ash_align_up(taps_of(g, op), 4);
}

/* A column of two pixels. */
static uint64_t conv_scalar_bytes(const ash_target *t, const ash_graph *g,
                                  const ash_op *op) {
  (void)t;
  return 2 * ash_align_up(taps_of(g, op), 4);
}

/* A column of whole blocks of sixteen. */
static uint64_t column_pie_bytes(const ash_target *t, const ash_graph *g,
                                 const ash_op *op) {
  (void)t;
  return ash_align_up(taps_of(g, op), 16);
}

static uint64_t line_bytes(const ash_shape *s) {
  return (uint64_t)s->dim[2] * (uint64_t)s->dim[3];
}

/* Rows are for want of memory: the columns of two pixels where those of three
 * take more than the lines that they are made of and for. */
static uint64_t conv_dsp_line_bytes(const ash_target *t, const ash_graph *g,
                                    const ash_op *op) {
  (void)t;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  const uint64_t lines =
      (uint64_t)w->dim[1] * line_bytes(&ash_op_in(g, op, 0)->shape) +
      line_bytes(&ash_op_out(g, op, 0)->shape);
  return columns_dsp_bytes(
      g, op, 6 * ash_align_up(taps_of(g, op), 8) <= lines ? 3 : 2);
}

/* Columns of three pixels, unless a pixel can be read where it is. */
static uint64_t conv_mve_bytes(const ash_target *t, const ash_graph *g,
                               const ash_op *op) {
  (void)t;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  if (w->dim[1] == 1 && w->dim[2] == 1 && w->dim[3] % 16 == 0 && !is_padded(op))
    return 0;
  return 3 * ash_align_up(taps_of(g, op), 16);
}

/* Channels, and two columns, unless pixels can be read where they are. */
static uint64_t conv_wide_mve_bytes(const ash_target *t, const ash_graph *g,
                                    const ash_op *op) {
  (void)t;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  const bool point = w->dim[1] == 1 && w->dim[2] == 1 && !is_padded(op);
  return channels_wide_bytes(g, op) + (point ? 0 : 4 * taps_of(g, op));
}

static uint64_t conv_rvv_bytes(const ash_target *t, const ash_graph *g,
                               const ash_op *op) {
  (void)t;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  const bool plain = w->dim[1] == 1 && w->dim[2] == 1 && !is_padded(op);
  return plain ? 0 : taps_of(g, op);
}

/* Columns of eight pixels; a copy may write up to 64 bytes too far. */
static uint64_t columns_simd_bytes(uint64_t columns, uint64_t taps) {
  return (columns < 8 ? columns : 8) * ash_align_up(taps, 4) + 64;
}

static uint64_t conv_simd_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t;
  return columns_simd_bytes(8, taps_of(g, op));
}

/* One pixel of zero points. */
static uint64_t padding_bytes(const ash_target *t, const ash_graph *g,
                              const ash_op *op) {
  (void)t;
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  return is_padded(op) ? (uint64_t)in->dim[3] : 0;
}

/* A pointer for each tap, and the pixel of zero points. */
static uint64_t large_mve_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  return 4 * (uint64_t)w->dim[1] * (uint64_t)w->dim[2] +
         (uint64_t)ash_op_in(g, op, 0)->shape.dim[3];
}

static uint64_t dense_dsp_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t;
  if (ash_op_in(g, op, 1)->shape.dim[0] <= 2)
    return 0;
  return 2 * ash_align_up(taps_of(g, op), 8);
}

static uint64_t dense_simd_bytes(const ash_target *t, const ash_graph *g,
                                 const ash_op *op) {
  (void)t;
  const uint64_t taps = taps_of(g, op);
  return columns_simd_bytes(
      ash_shape_elements(&ash_op_in(g, op, 0)->shape) / taps, taps);
}

static uint64_t conv_simd_f32_bytes(const ash_target *t, const ash_graph *g,
                                    const ash_op *op) {
  (void)t;
  const uint64_t pixels = 8;
  return sizeof(float) * pixels * taps_of(g, op);
}

/* A single row is read where it is. */
static uint64_t dense_simd_f32_bytes(const ash_target *t, const ash_graph *g,
                                     const ash_op *op) {
  (void)t;
  const uint64_t taps = taps_of(g, op);
  const uint64_t rows = ash_shape_elements(&ash_op_in(g, op, 0)->shape) / taps;
  return rows == 1 ? 0 : 4 * (rows < 8 ? rows : 8) * taps;
}

static uint64_t dense_mve_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t;
  const uint64_t taps = taps_of(g, op);
  return taps % 16 == 0 ? 0 : ash_align_up(taps, 16);
}

/* A number for each column, and where they do not lie in one piece, columns and
 * a row. */
static uint64_t matmul_mve_bytes(const ash_target *t, const ash_graph *g,
                                 const ash_op *op) {
  (void)t;
  const ash_shape *a = &ash_op_in(g, op, 0)->shape;
  const ash_shape *out = &ash_op_out(g, op, 0)->shape;
  const bool turned_a = ash_attr_int(op, "transpose_a", 0) != 0;
  const bool turned_b = ash_attr_int(op, "transpose_b", 0) != 0;
  const uint64_t depth = (uint64_t)a->dim[a->rank - (turned_a ? 2 : 1)];
  const uint64_t columns = (uint64_t)out->dim[out->rank - 1];
  return 4 * ash_align_up(columns, 4) + (turned_b ? 0 : columns * depth) +
         (turned_a ? depth : 0);
}

static uint64_t matmul_dsp_bytes(const ash_target *t, const ash_graph *g,
                                 const ash_op *op) {
  (void)t;
  const ash_shape *a = &ash_op_in(g, op, 0)->shape;
  const ash_shape *out = &ash_op_out(g, op, 0)->shape;
  const bool turned_a = ash_attr_int(op, "transpose_a", 0) != 0;
  const uint64_t depth =
      ash_align_up((uint64_t)a->dim[a->rank - (turned_a ? 2 : 1)], 4);
  const uint64_t columns = (uint64_t)out->dim[out->rank - 1];
  return 4 * columns + 2 * depth + columns * depth;
}

/* The scores of a row; of int8, and the sums of a row of results. */
static uint64_t attention_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t;
  const ash_attention a = ash_attention_of(g, op);
  return ash_op_out(g, op, 0)->type == ASH_FLOAT32
             ? 4 * (uint64_t)a.keys
             : 4 * (uint64_t)a.columns + (uint64_t)a.keys;
}

/* Quantised activations of one image or row. */
static uint64_t hybrid_bytes(const ash_target *t, const ash_graph *g,
                             const ash_op *op) {
  (void)t;
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  if (op->kind == ASH_OP_fully_connected)
    return (uint64_t)w->dim[1];
  return ash_shape_elements(in) / (uint64_t)(in->dim[0] ? in->dim[0] : 1);
}

/* And what vectors of hosts need: a number for each channel, columns. */
static uint64_t conv_hybrid_simd_bytes(const ash_target *t, const ash_graph *g,
                                       const ash_op *op) {
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  return ash_align_up(hybrid_bytes(t, g, op), 16) +
         4 * ash_align_up((uint64_t)w->dim[0], 32) +
         columns_simd_bytes(8, taps_of(g, op));
}

/* A row of data and one of results. */
static uint64_t recurrent_hybrid_bytes(const ash_target *t, const ash_graph *g,
                                       const ash_op *op) {
  (void)t;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  return (uint64_t)w->dim[1] +
         (op->kind == ASH_OP_rnn ? (uint64_t)w->dim[0] : 0);
}

/* Four rows, of gates or what a GRU keeps of its past. */
static uint64_t recurrence_bytes(const ash_target *t, const ash_graph *g,
                                 const ash_op *op) {
  (void)t;
  return 16 * (uint64_t)ash_op_in(g, op, 2)->shape.dim[1];
}

/* Four gates in float; the hidden state in int8. int8 weights need rows of
 * data, results and cells as int8, too. */
static uint64_t lstm_bytes(const ash_target *t, const ash_graph *g,
                           const ash_op *op) {
  (void)t;
  const uint64_t cells = (uint64_t)ash_op_in(g, op, 2)->shape.dim[0];
  if (ash_op_out(g, op, 0)->type == ASH_FLOAT32 &&
      ash_op_in(g, op, 2)->type == ASH_INT8)
    return 17 * cells + (uint64_t)ash_op_in(g, op, 2)->shape.dim[1] +
           (uint64_t)ash_op_in(g, op, 6)->shape.dim[1];
  return ash_op_out(g, op, 0)->type == ASH_FLOAT32 ? 16 * cells : cells;
}

/* A column of 16-bit numbers. */
static uint64_t svdf_bytes(const ash_target *t, const ash_graph *g,
                           const ash_op *op) {
  (void)t;
  return 2 * ash_align_up(taps_of(g, op), 4);
}

/* Sums of a gate, or of the projection; columns of data and states; three gates
 * of all cells, four numbers between them and the hidden state. */
static uint64_t lstm_dsp_bytes(const ash_target *t, const ash_graph *g,
                               const ash_op *op) {
  (void)t;
  const int32_t *w = ash_op_in(g, op, 2)->shape.dim;
  const int32_t *back = ash_op_in(g, op, 6)->shape.dim;
  const uint64_t cells = (uint64_t)w[0], units = (uint64_t)back[1];
  return 4 * (units > 2 * cells ? units : 2 * cells) +
         2 * (ash_align_up((uint64_t)w[1], 4) + ash_align_up(units, 4) + 4) +
         7 * cells;
}

/* Columns of data and states, four gates of all cells. */
static uint64_t lstm_mve_bytes(const ash_target *t, const ash_graph *g,
                               const ash_op *op) {
  (void)t;
  const int32_t *w = ash_op_in(g, op, 2)->shape.dim;
  const int32_t *back = ash_op_in(g, op, 6)->shape.dim;
  return 2 * ((uint64_t)w[1] + (uint64_t)back[1]) + 8 * (uint64_t)w[0];
}

/* ---- scratch of CMSIS-NN, as its *_get_buffer_size functions give it ---- */

static bool has_mve(const ash_target *t) {
  return (t->features & ASH_FEATURE_MVE) != 0;
}

static bool has_dsp(const ash_target *t) {
  return (t->features & ASH_FEATURE_DSP) != 0;
}

static uint64_t no_bytes(const ash_target *t, const ash_graph *g,
                         const ash_op *op) {
  (void)t;
  (void)g;
  (void)op;
  return 0;
}

/* Helium: four columns of bytes; else two of 16-bit numbers. A 1x1 window needs
 * none, but Arm's own compiler has two columns for DSP. */
static uint64_t conv_cmsis_bytes(const ash_target *t, const ash_graph *g,
                                 const ash_op *op) {
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  const bool point = w->dim[1] == 1 && w->dim[2] == 1 &&
                     ash_attr_int(op, "pad_top", 0) == 0 &&
                     ash_attr_int(op, "pad_left", 0) == 0 &&
                     ash_attr_int(op, "dilation_h", 1) == 1 &&
                     ash_attr_int(op, "dilation_w", 1) == 1;
  if (point)
    return has_dsp(t) && !has_mve(t) ? 4 * (uint64_t)w->dim[3] : 0;
  return has_mve(t) ? 4 * ash_align_up(taps_of(g, op), 16)
                    : 4 * ash_align_up(taps_of(g, op), 4);
}

/* Without dilation: Helium four windows of 124 channels, DSP one window of
 * 16-bit numbers, unless it is 3x3. A single input channel becomes a
 * convolution on Helium, with the weights turned round. */
static uint64_t depthwise_cmsis_bytes(const ash_target *t, const ash_graph *g,
                                      const ash_op *op) {
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  const uint64_t area = (uint64_t)w->dim[1] * (uint64_t)w->dim[2];
  const uint64_t in_c = (uint64_t)ash_op_in(g, op, 0)->shape.dim[3];
  const uint64_t out_c = (uint64_t)w->dim[3];
  const bool small = w->dim[1] == 3 && w->dim[2] == 3 &&
                     ash_attr_int(op, "pad_top", 0) <= 1 &&
                     ash_attr_int(op, "pad_left", 0) <= 1;
  uint64_t bytes = 0;
  if (has_mve(t))
    bytes = area * 4 * 124;
  else if (has_dsp(t) && !small)
    bytes = 2 * in_c * area;
  if (has_mve(t) && in_c == 1)
    bytes += 4 * ash_align_up(area, 16) + out_c * area;
  return bytes;
}

/* DSP: a sum for each channel. */
static uint64_t average_cmsis_bytes(const ash_target *t, const ash_graph *g,
                                    const ash_op *op) {
  return has_dsp(t) && !has_mve(t)
             ? 4 * (uint64_t)ash_op_in(g, op, 0)->shape.dim[3]
             : 0;
}

static uint64_t fft_bytes(const ash_target *t, const ash_graph *g,
                          const ash_op *op) {
  (void)t, (void)g;
  const int64_t h = ash_op_ints(op, "length", 0, 0);
  const int64_t w = ash_op_ints(op, "length", 1, 0);
  return 8 * (uint64_t)(h > w ? h : w);
}

/* Half as many complex numbers of int16 as samples. */
static uint64_t fixed_fft_bytes(const ash_target *t, const ash_graph *g,
                                const ash_op *op) {
  (void)t, (void)g;
  return 2 * (uint64_t)ash_attr_int(op, "length", 8);
}

static uint64_t coupling_bytes(const ash_target *t, const ash_graph *g,
                               const ash_op *op) {
  (void)t, (void)g;
  const uint64_t n = (uint64_t)ash_attr_int(op, "classes", 0);
  return 4 * n * (n + 1);
}

/* ---- loops -------------------------------------------------------------- */

static bool is_half(const ash_tensor *t) {
  return t && (t->type == ASH_FLOAT16 || t->type == ASH_BFLOAT16);
}

static bool uses_half(const ash_graph *g, const ash_op *op) {
  bool half = is_half(ash_op_out(g, op, 0)) ||
              strstr(ash_attr_string(op, "code", ""), "float16") != NULL;
  for (uint32_t k = 0; k < op->input_count; k++)
    half = half || is_half(ash_op_in(g, op, k));
  return half;
}

/* Roots, digits and powers of integers are functions of the runtime. */
static bool calls_integer(const ash_graph *g, const ash_op *op) {
  return ash_op_fn(op) == ASH_FN_integer_sqrt ||
         ash_op_fn(op) == ASH_FN_bit_length || ash_op_is_integer_pow(g, op);
}

static bool has_no_half(const ash_graph *g, const ash_op *op) {
  return !uses_half(g, op);
}

/* May a loop write its results over what it has read? Compilers assume that
 * arrays of different types do not overlap, unless their elements are bytes;
 * of one size, each result waits for what it is written over. */
static bool types_overlap(ash_type in, ash_type out) {
  return ash_type_bits(in) == ash_type_bits(out) || ash_type_bits(in) == 8 ||
         ash_type_bits(out) == 8;
}

/* Input 0 and an output that is written behind it. */
static bool may_overlap(const ash_graph *g, const ash_op *op) {
  return types_overlap(ash_op_in(g, op, 0)->type, ash_op_out(g, op, 0)->type);
}

/* Does a window of so many taps move one by one, and see something wherever it
 * is? */
static bool is_plain_window(const ash_op *op, const char *const *names,
                            int32_t in, int32_t taps, int32_t out) {
  const int64_t pad = ash_attr_int(op, names[0], 0);
  const int64_t stride = ash_attr_int(op, names[1], 1);
  return (taps == 1 || ash_attr_int(op, names[2], 1) == 1) && pad < taps &&
         (out - 1) * stride - pad < in;
}

/* Layers without scales, of one group or one channel to one: their sums are
 * made in blocks. */
static bool adds_blocks(const ash_graph *g, const ash_op *op) {
  static const char *const h[] = {"pad_top", "stride_h", "dilation_h"};
  static const char *const w[] = {"pad_left", "stride_w", "dilation_w"};
  const int32_t *in = ash_op_in(g, op, 0)->shape.dim;
  const int32_t *filter = ash_op_in(g, op, 1)->shape.dim;
  const int32_t *out = ash_op_out(g, op, 0)->shape.dim;
  if (!ash_op_is_integer_layer(g, op))
    return false;
  if (op->kind == ASH_OP_fully_connected)
    return true;
  return (op->kind == ASH_OP_conv_2d ? in[3] == filter[3] : in[3] == out[3]) &&
         is_plain_window(op, h, in[1], filter[1], out[1]) &&
         is_plain_window(op, w, in[2], filter[2], out[2]);
}

/* The same for products of matrices, the second one turned or not. */
static bool adds_product(const ash_graph *g, const ash_op *op, bool turned) {
  const ash_type type = ash_op_out(g, op, 0)->type;
  return ash_op_is_integer_layer(g, op) && type != ASH_BOOL &&
         ash_type_bits(type) <= 32 && ash_attr_int(op, "transpose_a", 0) == 0 &&
         (ash_attr_int(op, "transpose_b", 0) != 0) == turned;
}

static bool adds_rows(const ash_graph *g, const ash_op *op) {
  return adds_product(g, op, true);
}

static bool adds_across(const ash_graph *g, const ash_op *op) {
  return adds_product(g, op, false);
}

static const ash_kernel kernel_table[] = {
#define KERNEL(kind, function, columns)                                        \
  {.name = (function), .op = ASH_OP_##kind, .fn = ASH_FN_COUNT, columns},
#define MAP(of, function, columns)                                             \
  {.name = (function), .op = ASH_OP_map, .fn = ASH_FN_##of, columns},
#define TYPES(a, b, c, out)                                                    \
  .inputs = {ASH_##a, ASH_##b, ASH_##c}, .output = ASH_##out,
#define FILE(text)         .file = (text),
#define IN_PLACE(bits)     .in_place = (bits),
#define ORDER(word)        .order = ASH_ORDER_##word,
#define FEATURE(text)      .feature = (text),
#define FITS(rule)         .fits = (rule),
#define SCRATCH(rule)      .scratch = (rule),
#define LINE_SCRATCH(rule) .line_scratch = (rule),
#define PARAMS(word)       .params = ASH_PARAMS_##word, .params_name = #word,
#define SPECIAL(word)      .special = ASH_SPECIAL_##word,
#define LINES              .lines = true,
#define ADDS_BLOCKS        .blocks = true,
#include "kernel/kernels.def"
#include "kernel/loops.def"
#undef KERNEL
#undef MAP
};

const ash_kernel *ash_kernel_at(size_t index) {
  return index < ASH_COUNT_OF(kernel_table) ? &kernel_table[index] : NULL;
}

const char *ash_runtime_source(const char *name, size_t *count) {
  if (!(name && count))
    return NULL;
  const ash_embedded *file = ash_runtime_file(name);
  *count = file ? file->bytes : 0;
  return file ? file->text : NULL;
}

const ash_embedded *ash_runtime_file(const char *name) {
  for (const ash_embedded *f = ash_runtime_files; f->name; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

const ash_embedded *ash_kernel_file(const ash_kernel *kernel) {
  return kernel->file ? ash_runtime_file(kernel->file) : NULL;
}

bool ash_kernel_in_place(const ash_kernel *kernel, const ash_graph *g,
                         uint32_t op, uint32_t input) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, input);
  if (!in || input >= 32 || !(kernel->in_place >> input & 1))
    return false;
  if (o->kind == ASH_OP_custom && ash_attr_int(o, "in_place", 0) == 0)
    return false;
  const ash_tensor *out = ash_op_out(g, o, 0);
  if (!kernel->file && !types_overlap(in->type, out->type))
    return false;
  return out->bytes <= in->bytes && ash_shape_equal(&out->shape, &in->shape);
}

static bool is_one_image(const ash_tensor *t) {
  return t->shape.rank == 4 && t->shape.dim[0] == 1 && t->shape.dim[1] > 1;
}

static bool makes_lines(const ash_kernel *kernel, const ash_graph *g,
                        const ash_op *op) {
  return kernel->lines && is_one_image(ash_op_in(g, op, 0)) &&
         is_one_image(ash_op_out(g, op, 0));
}

bool ash_kernel_makes_lines(const ash_kernel *kernel, const ash_graph *g,
                            uint32_t op) {
  return makes_lines(kernel, g, &g->ops.items[op]);
}

uint64_t ash_kernel_work(const ash_kernel *kernel, const ash_target *target,
                         const ash_graph *g, uint32_t op, bool rows) {
  const ash_op *o = &g->ops.items[op];
  if (rows && kernel->line_scratch && makes_lines(kernel, g, o))
    return kernel->line_scratch(target, g, o);
  return kernel->scratch ? kernel->scratch(target, g, o) : 0;
}

bool ash_kernel_runs_rows(const ash_kernel *kernel, const ash_graph *g,
                          uint32_t op, bool is_row_to_row) {
  ASH_ASSERT(op < g->op_count);
  return kernel && (is_row_to_row || makes_lines(kernel, g, &g->ops.items[op]));
}
