/* tflite_make.h - makes operators of the graph for one of the file that has no
 * counterpart. Private to src/read/tflite. */
#ifndef ASH_READ_TFLITE_MAKE_H
#define ASH_READ_TFLITE_MAKE_H

#include "op/functions.h"
#include "read/tflite/tflite_internal.h"

/* Zeroed but for r and op. After a failure nothing more is made. */
typedef struct ash_tx {
  ash_tflite *r;
  uint32_t op, steps;
  ash_status status;
} ash_tx;

ash_status ash_tx_refuse(const ash_tx *m, const char *what);

const ash_tensor *ash_tx_tensor(const ash_tx *m, uint32_t id);
const ash_shape *ash_tx_shape(const ash_tx *m, uint32_t id);

/* Input k of the file's operator; quantised values as the numbers they mean. */
uint32_t ash_tx_input(ash_tx *m, uint32_t k);
/* Result x becomes output k of the file's operator, in this shape. */
void ash_tx_give(ash_tx *m, uint32_t k, uint32_t x, ash_shape shape);

/* An operator with up to two results; the first of them. `shape` is for those
 * whose results have the shape that the model says. */
uint32_t ash_tx_make(ash_tx *m, ash_op op, ash_type type, ash_type second,
                     const ash_shape *shape);
uint32_t ash_tx_map(ash_tx *m, ash_fn fn, const uint32_t *in, uint32_t count,
                    ash_type type);
uint32_t ash_tx_pair(ash_tx *m, ash_fn fn, uint32_t a, uint32_t b);
uint32_t ash_tx_cast(ash_tx *m, uint32_t x, ash_type type);
uint32_t ash_tx_reshape(ash_tx *m, uint32_t x, ash_shape shape);
uint32_t ash_tx_gather(ash_tx *m, uint32_t x, uint32_t at);
/* Elements from .. from + count of the last axis, of rows of `row`. */
uint32_t ash_tx_columns(ash_tx *m, uint32_t x, int32_t rows, int32_t row,
                        int32_t from, int32_t count);

/* Zeros where there is no data. */
uint32_t ash_tx_constant(ash_tx *m, ash_type type, ash_shape shape,
                         const void *data);
uint32_t ash_tx_real(ash_tx *m, float x);
uint32_t ash_tx_whole(ash_tx *m, int32_t x);

/* ---- readers of such operators ------------------------------------------- */

/* tflite_detect.c */
void ash_tflite_suppression(ash_tx *m);
void ash_tflite_soft_suppression(ash_tx *m);
void ash_tflite_scatter_nd(ash_tx *m);
void ash_tflite_post_process(ash_tx *m);
void ash_tflite_decode_poses(ash_tx *m);

/* tflite_mediapipe.c */
void ash_tflite_pool_places(ash_tx *m);
void ash_tflite_unpool(ash_tx *m);
void ash_tflite_transpose_conv_bias(ash_tx *m);

/* tflite_signal.c */
void ash_tflite_window(ash_tx *m);
void ash_tflite_auto_scale(ash_tx *m);
void ash_tflite_rfft(ash_tx *m);
void ash_tflite_energy(ash_tx *m);
void ash_tflite_filter_bank(ash_tx *m);
void ash_tflite_filter_root(ash_tx *m);
void ash_tflite_spectral_subtraction(ash_tx *m);
void ash_tflite_pcan(ash_tx *m);
void ash_tflite_filter_log(ash_tx *m);

#endif
