/* layers.h - what make_layers.c writes and layers_main.c reads, both little
 * endian. */
#ifndef ASH_TESTS_LAYERS_H
#define ASH_TESTS_LAYERS_H

#include <stdint.h>

enum layer_kind {
  LAYER_CONV,
  LAYER_DEPTHWISE,
  LAYER_DENSE,
  LAYER_ADD,
  LAYER_MUL,
  LAYER_AVERAGE,
  LAYER_MAX,
  LAYER_SOFTMAX,
  LAYER_CONV_F32,
  LAYER_DEPTHWISE_F32,
  LAYER_DENSE_F32,
  LAYER_ADD_F32,
  LAYER_MUL_F32,
  LAYER_CONV_S16,
  LAYER_DEPTHWISE_S16,
  LAYER_DENSE_S16,
  LAYER_ADD_S16,
  LAYER_MUL_S16,
  LAYER_AVERAGE_S16,
  LAYER_MAX_S16,
  LAYER_MATMUL,
  LAYER_SVDF,
  LAYER_LSTM,
  LAYER_GROUPS,
  LAYER_TURNED,
  LAYER_KINDS
};

enum { LAYER_INPUTS = 24, LAYER_ALIGN = 16 };

/* Then follow the inputs, the output that is wanted (none of float layers: the
 * portable kernel's is), and the constants, by input of the operator. States
 * are constants, their first values; those after the layer follow the output,
 * each at a multiple of LAYER_ALIGN. */
typedef struct layer_head {
  uint32_t kind;
  uint32_t in_bytes, other_bytes, out_bytes, want_bytes, scratch_bytes;
  uint32_t constant_bytes[LAYER_INPUTS];
  /* ash_rt_window; fully connected: batches, inputs, outputs; softmax: rows,
   * depth; pairs: elements of a row, rows, which operand has one row; matmul:
   * batches, rows, depth, columns, is a turned, is b, has b no batches; svdf:
   * batches, depth, filters, memory, rank */
  int32_t window[15];
  int32_t groups; /* of a convolution of several */
  int32_t in_offset, out_offset, per_channel, act_min, act_max;
  int32_t pair[9]; /* offset, multiplier, shift of both inputs, output */
  float low, high;
  int32_t cells[41]; /* ash_rt_lstm_s8_params */
} layer_head;

#endif
