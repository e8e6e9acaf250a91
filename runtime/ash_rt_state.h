/* ash_rt_state.h - layers with state. */
#ifndef ASH_RT_STATE_H
#define ASH_RT_STATE_H

#include "ash_rt.h"

/* Fused activations of float layers, one value at a time. */
enum {
  ASH_RT_ACT_NONE,
  ASH_RT_ACT_RELU,
  ASH_RT_ACT_RELU6,
  ASH_RT_ACT_RELU_N1_TO_1,
  ASH_RT_ACT_TANH
};

/* Each filter remembers its last `memory` answers, the newest last; a unit sums
 * those of `rank` filters. */
typedef struct ash_rt_svdf_params {
  int32_t batches, depth, filters, memory, rank;
  int32_t act;                                     /* float */
  int32_t in_offset, out_offset;                   /* int8 from here on */
  int32_t in_multiplier, in_shift;                 /* to the state */
  int32_t out_multiplier, out_shift, narrow_state; /* int8, not int16 */
} ash_rt_svdf_params;

void ash_rt_svdf_f32(const ash_rt_svdf_params *p, const float *in,
                     const float *feature, const float *time, const float *bias,
                     float *state, float *out);
/* int8 weights; the state is float. `work` holds a row of int8. */
typedef struct ash_rt_svdf_hybrid_params {
  int32_t batches, depth, filters, memory, rank, act, asymmetric;
  float feature_scale, time_scale;
} ash_rt_svdf_hybrid_params;

void ash_rt_svdf_hybrid(const ash_rt_svdf_hybrid_params *p, const float *in,
                        const int8_t *feature, const int8_t *time,
                        const float *bias, float *state, float *out,
                        void *work);
void ash_rt_svdf_s8(const ash_rt_svdf_params *p, const int8_t *in,
                    const int8_t *feature, const void *time,
                    const int32_t *bias, void *state, int8_t *out);

/* The row of data and result at (batch, step) is batch * per_batch + step *
 * per_step. */
typedef struct ash_rt_sequence {
  int32_t batches, steps, per_batch, per_step;
  int32_t depth, units;
} ash_rt_sequence;

typedef struct ash_rt_rnn_f32_params {
  ash_rt_sequence sequence;
  int32_t act;
} ash_rt_rnn_f32_params;

void ash_rt_rnn_f32(const ash_rt_rnn_f32_params *p, const float *in,
                    const float *weights, const float *recurrent,
                    const float *bias, float *state, float *out);

/* ONNX's layers: 4 gates are an LSTM, whose cells are one more row of the
 * output, 3 a GRU, 1 an RNN. `work` holds four rows of results. */
typedef struct ash_rt_recurrence_f32_params {
  int32_t gates, steps, batches, depth, units;
  int32_t back, linear_before_reset;
} ash_rt_recurrence_f32_params;

void ash_rt_recurrence_f32(const ash_rt_recurrence_f32_params *p,
                           const float *in, const float *weights,
                           const float *recurrent, const float *bias,
                           const float *back_bias, const float *first,
                           const float *first_cell, float *out, void *work);

/* int8 weights. `work` holds a row of data and one of results, as int8. */
typedef struct ash_rt_rnn_hybrid_params {
  ash_rt_sequence sequence;
  int32_t act, asymmetric;
  float in_scale, state_scale;
} ash_rt_rnn_hybrid_params;

void ash_rt_rnn_hybrid(const ash_rt_rnn_hybrid_params *p, const float *in,
                       const int8_t *weights, const int8_t *recurrent,
                       const float *bias, float *state, float *out, void *work);

/* `parts` are the operator's inputs 1 to 23, null where absent; `units` of the
 * sequence are the outputs. `work` holds five values a cell. */
typedef struct ash_rt_lstm_f32_params {
  ash_rt_sequence sequence;
  int32_t cells, act;
  float cell_clip, proj_clip; /* 0: none */
} ash_rt_lstm_f32_params;

void ash_rt_lstm_f32(const ash_rt_lstm_f32_params *p, const float *in,
                     const void *const *parts, float *state, float *cell,
                     float *out, void *work);

/* int8 weights, the rest float; scales are those of the weights of the four
 * gates. `work` also holds a row of data, one of results and one of cells, as
 * int8. */
typedef struct ash_rt_lstm_hybrid_params {
  ash_rt_sequence sequence;
  int32_t cells, act, asymmetric;
  float cell_clip, proj_clip; /* 0: none */
  float in_scale[4], state_scale[4];
  float peephole_scale[3], proj_scale;
} ash_rt_lstm_hybrid_params;

void ash_rt_lstm_hybrid(const ash_rt_lstm_hybrid_params *p, const float *in,
                        const void *const *parts, float *state, float *cell,
                        float *out, void *work);

/* int8 data and states, cells of int16 with `cell_bits` integer bits. Gates are
 * in Q3.12; the four of each array are those of input, forget, cell, output. */
typedef struct ash_rt_lstm_s8_params {
  ash_rt_sequence sequence;
  int32_t cells;
  int32_t in_offset, state_offset; /* -zero points */
  int32_t in_multiplier[4], in_shift[4];
  int32_t state_multiplier[4], state_shift[4];
  int32_t cell_multiplier[4], cell_shift[4]; /* peepholes */
  int32_t cell_bits, cell_clip;
  int32_t hidden_multiplier, hidden_shift, hidden_zero;
  int32_t proj_multiplier, proj_shift, proj_clip;
} ash_rt_lstm_s8_params;

void ash_rt_lstm_s8(const ash_rt_lstm_s8_params *p, const int8_t *in,
                    const void *const *parts, int8_t *state, int16_t *cell,
                    int8_t *out, void *work);

/* int16 data and states; the last of `parts` is the table of the curves (see
 * ash_rt_curve_s16_params). */
typedef struct ash_rt_lstm_s16_params {
  ash_rt_sequence sequence;
  int32_t in_offset, state_offset; /* -zero points */
  int32_t in_multiplier[4], in_shift[4];
  int32_t state_multiplier[4], state_shift[4];
  int32_t cell_shift; /* 12 + the power of its scale */
  int32_t cell_clip;
  int32_t update_multiplier, update_shift;
  int32_t hidden_multiplier, hidden_shift;
} ash_rt_lstm_s16_params;

void ash_rt_lstm_s16(const ash_rt_lstm_s16_params *p, const int16_t *in,
                     const void *const *parts, int16_t *state, int16_t *cell,
                     int16_t *out);

#endif
