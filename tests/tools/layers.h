/* layers.h - what make_layers.c writes and layers_main.c reads, both little
 * endian. */
#ifndef ASH_TESTS_LAYERS_H
#define ASH_TESTS_LAYERS_H

#include <stdint.h>

/* Constants that follow input and output, in this order. */
enum {
  LAYER_MULTIPLIER,
  LAYER_SHIFT,
  LAYER_BIAS,
  LAYER_FILTER,
  LAYER_SCALE,
  LAYER_CONSTANTS
};

typedef struct layer_head {
  uint32_t kind; /* 0: conv_2d, 1: depthwise_conv_2d, 2: fully_connected */
  uint32_t in_bytes, out_bytes, scratch_bytes, filter_input;
  uint32_t constant_bytes[LAYER_CONSTANTS];
  /* ash_rt_window; fully connected: batches, inputs, outputs */
  int32_t window[15];
  int32_t in_offset, out_offset, per_channel, act_min, act_max;
} layer_head;

#endif
