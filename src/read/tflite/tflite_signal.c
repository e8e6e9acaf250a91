/* tflite_signal.c - the audio front end of TensorFlow Lite Micro: windows, a
 * transform in int16, filter banks and what is done to their channels. Two of
 * its operators are operators of the graph, the others become arithmetic on
 * integers of up to 64 bits. */
#include "read/tflite/tflite_detect.h"
#include "read/tflite/tflite_make.h"

#include <math.h>

enum { CUSTOM_OPTIONS = 5, SNR_BITS = 12, GAIN_BITS = 6, LOG_PARTS = 128 };

/* ---- options and inputs -------------------------------------------------- */

static int64_t option(ash_tx *m, const char *name, int64_t low, int64_t high) {
  const ash_fb_vector blob =
      ash_fb_blob(&m->r->ops[m->op].table, CUSTOM_OPTIONS);
  const ash_flex options = {m->r->bytes + blob.at, blob.count};
  const double x = ash_flex_number(&options, name, NAN);
  if (x >= (double)low && x <= (double)high)
    return (int64_t)x;
  if (m->status == ASH_OK)
    m->status = ash_fail(m->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                         ash_tflite_at_op(m->r, m->op),
                         "option %s is %g, expected %lld to %lld", name, x,
                         (long long)low, (long long)high);
  return low;
}

/* Input k, of this type and of one axis unless `rank` is 0. */
static uint32_t input(ash_tx *m, uint32_t k, ash_type type, uint32_t rank) {
  const uint32_t x = ash_tx_input(m, k);
  const ash_tensor *t = ash_tx_tensor(m, x);
  if (m->status == ASH_OK &&
      (t->type != type || (rank && t->shape.rank != rank)))
    m->status =
        ash_fail(m->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                 ash_tflite_at_op(m->r, m->op),
                 "input %u is %s with %u axes, expected %s%s", (unsigned)k,
                 ash_type_text(t->type), (unsigned)t->shape.rank,
                 ash_type_text(type), rank ? " with one" : "");
  return x;
}

static uint32_t whole(ash_tx *m, ash_type type, int64_t x) {
  const int32_t narrow = (int32_t)x;
  return ash_tx_constant(m, type, (ash_shape){0},
                         ash_type_bits(type) == 64 ? (const void *)&x
                                                   : (const void *)&narrow);
}

/* x and a number of its type. */
static uint32_t with(ash_tx *m, ash_fn fn, uint32_t x, int64_t number) {
  return ash_tx_pair(m, fn, x, whole(m, ash_tx_tensor(m, x)->type, number));
}

static uint32_t chosen(ash_tx *m, uint32_t truth, uint32_t yes, uint32_t no) {
  const uint32_t in[] = {truth, yes, no};
  return ash_tx_map(m, ASH_FN_select, in, 3, ash_tx_tensor(m, yes)->type);
}

static uint32_t one(ash_tx *m, ash_fn fn, uint32_t x) {
  return ash_tx_map(m, fn, &x, 1, ash_tx_tensor(m, x)->type);
}

/* ---- from samples to energies -------------------------------------------- */

void ash_tflite_window(ash_tx *m) {
  const uint32_t x = input(m, 0, ASH_INT16, 0), w = input(m, 1, ASH_INT16, 1);
  const int64_t shift = option(m, "shift", 0, 31);
  const ash_shape shape = *ash_tx_shape(m, x);
  if (m->status == ASH_OK &&
      (shape.rank == 0 ||
       shape.dim[shape.rank - 1] != ash_tx_shape(m, w)->dim[0]))
    m->status = ash_tx_refuse(m, "a row has another length than the window");
  const uint32_t product =
      ash_tx_pair(m, ASH_FN_mul, ash_tx_cast(m, x, ASH_INT32),
                  ash_tx_cast(m, w, ASH_INT32));
  const uint32_t y =
      with(m, ASH_FN_maximum,
           with(m, ASH_FN_minimum, with(m, ASH_FN_shift_right, product, shift),
                INT16_MAX),
           INT16_MIN);
  ash_tx_give(m, 0, ash_tx_cast(m, y, ASH_INT16), shape);
}

static uint32_t largest(ash_tx *m, uint32_t x) {
  int64_t axis = 0;
  ash_attr attrs[] = {ASH_STRING_ATTR("fn", ash_fold_text(ASH_FOLD_MAX)),
                      ASH_INTS_ATTR("axes", &axis, 1)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_reduce,
                              .inputs = &x,
                              .input_count = 1,
                              .attrs = attrs,
                              .attr_count = 2},
                     ash_tx_tensor(m, x)->type, ASH_NONE, NULL);
}

/* Shifted as far as the largest sample allows; zeros stay where they are. */
void ash_tflite_auto_scale(ash_tx *m) {
  const uint32_t x = input(m, 0, ASH_INT16, 1);
  const ash_shape shape = *ash_tx_shape(m, x);
  const uint32_t wide = ash_tx_cast(m, x, ASH_INT32);
  const uint32_t most = largest(m, one(m, ASH_FN_abs, wide));
  const uint32_t spare =
      with(m, ASH_FN_maximum,
           ash_tx_pair(m, ASH_FN_sub, whole(m, ASH_INT32, 15),
                       one(m, ASH_FN_bit_length, most)),
           0);
  const uint32_t bits = chosen(m, with(m, ASH_FN_greater, most, 0), spare,
                               whole(m, ASH_INT32, 0));
  const uint32_t y = ash_tx_pair(m, ASH_FN_shift_left, wide, bits);
  ash_tx_give(m, 0, ash_tx_cast(m, y, ASH_INT16), shape);
  ash_tx_give(m, 1, bits, (ash_shape){0});
}

void ash_tflite_rfft(ash_tx *m) {
  uint32_t x = input(m, 0, ASH_INT16, 0);
  ash_attr length = ASH_INT_ATTR("length", option(m, "fft_length", 1, 1 << 15));
  const uint32_t y = ash_tx_make(m,
                                 (ash_op){.kind = ASH_OP_fixed_rfft,
                                          .inputs = &x,
                                          .input_count = 1,
                                          .attrs = &length,
                                          .attr_count = 1},
                                 ASH_INT16, ASH_NONE, NULL);
  ash_tx_give(m, 0, y, *ash_tx_shape(m, y));
}

/* Zeros outside `start` to `end`, where the runtime leaves what was there. */
static uint32_t framed(ash_tx *m, uint32_t x, int64_t before, int64_t after) {
  uint32_t in[] = {x, whole(m, ash_tx_tensor(m, x)->type, 0)};
  ash_attr attrs[] = {ASH_INTS_ATTR("before", &before, 1),
                      ASH_INTS_ATTR("after", &after, 1)};
  return before + after == 0
             ? x
             : ash_tx_make(m,
                           (ash_op){.kind = ASH_OP_pad,
                                    .inputs = in,
                                    .input_count = 2,
                                    .attrs = attrs,
                                    .attr_count = 2},
                           ash_tx_tensor(m, x)->type, ASH_NONE, NULL);
}

void ash_tflite_energy(ash_tx *m) {
  const uint32_t x = input(m, 0, ASH_INT16, 1);
  const int32_t n = ash_tx_shape(m, x)->dim[0] / 2;
  const int32_t start = (int32_t)option(m, "start_index", 0, INT32_MAX);
  const int32_t end = (int32_t)option(m, "end_index", 0, INT32_MAX);
  if (m->status == ASH_OK && (start >= end || end > n))
    m->status = ash_tx_refuse(m, "start and end are no part of the spectrum");
  if (m->status != ASH_OK)
    return;
  const uint32_t part =
      ash_tx_columns(m, x, 1, 2 * n, 2 * start, 2 * (end - start));
  const uint32_t re = ash_tx_columns(m, part, end - start, 2, 0, 1);
  const uint32_t im = ash_tx_columns(m, part, end - start, 2, 1, 1);
  const uint32_t sum = ash_tx_pair(
      m, ASH_FN_add, one(m, ASH_FN_square, ash_tx_cast(m, re, ASH_INT32)),
      one(m, ASH_FN_square, ash_tx_cast(m, im, ASH_INT32)));
  const uint32_t row = ash_tx_reshape(m, ash_tx_cast(m, sum, ASH_UINT32),
                                      (ash_shape){1, {end - start}});
  ash_tx_give(m, 0, framed(m, row, start, n - end), (ash_shape){1, {n}});
}

/* ---- channels ------------------------------------------------------------ */

void ash_tflite_filter_bank(ash_tx *m) {
  uint32_t in[6];
  for (uint32_t k = 0; k < 6; k++)
    in[k] = input(m, k, k ? ASH_INT16 : ASH_UINT32, 1);
  const int32_t count = (int32_t)option(m, "num_channels", 1, INT16_MAX);
  const uint32_t y = ash_tx_make(
      m, (ash_op){.kind = ASH_OP_filter_bank, .inputs = in, .input_count = 6},
      ASH_UINT64, ASH_NONE, NULL);
  if (m->status == ASH_OK && ash_tx_shape(m, y)->dim[0] != count)
    m->status = ash_tx_refuse(m, "num_channels is not one less than the "
                                 "starts of channels");
  ash_tx_give(m, 0, y, (ash_shape){1, {count}});
}

/* To the nearest, but not above 16 bits for numbers of up to 32. */
void ash_tflite_filter_root(ash_tx *m) {
  const uint32_t x = ash_tx_cast(m, input(m, 0, ASH_UINT64, 1), ASH_INT64);
  const uint32_t bits = ash_tx_cast(m, input(m, 1, ASH_INT32, 0), ASH_INT64);
  const uint32_t down = one(m, ASH_FN_integer_sqrt, x);
  const uint32_t rest =
      ash_tx_pair(m, ASH_FN_sub, x, one(m, ASH_FN_square, down));
  const uint32_t more =
      ash_tx_cast(m, ash_tx_pair(m, ASH_FN_greater, rest, down), ASH_INT64);
  const uint32_t most =
      chosen(m, with(m, ASH_FN_less, x, (int64_t)1 << 32),
             whole(m, ASH_INT64, UINT16_MAX), whole(m, ASH_INT64, UINT32_MAX));
  const uint32_t root = ash_tx_pair(
      m, ASH_FN_minimum, ash_tx_pair(m, ASH_FN_add, down, more), most);
  const uint32_t y =
      ash_tx_cast(m,
                  ash_tx_pair(m, ASH_FN_shift_right, root,
                              ash_tx_reshape(m, bits, (ash_shape){0})),
                  ASH_UINT32);
  ash_tx_give(m, 0, y, *ash_tx_shape(m, y));
}

/* A variable of zeros, which survives the run. */
static uint32_t state(ash_tx *m, ash_type type, ash_shape shape) {
  uint32_t id = ASH_NO_ID;
  uint64_t bytes = 0;
  if (m->status == ASH_OK && !ash_shape_bytes(&bytes, &shape, type))
    m->status = ash_tx_refuse(m, "a result is too large");
  if (m->status == ASH_OK)
    m->status = ash_graph_add_tensor(m->r->g, &id,
                                     (ash_tensor){.name = "noise",
                                                  .kind = ASH_TENSOR_VARIABLE,
                                                  .type = type,
                                                  .shape = shape,
                                                  .bytes = bytes,
                                                  .file_byte = UINT64_MAX});
  return id;
}

static uint32_t state_read(ash_tx *m, uint32_t variable) {
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_read_variable,
                              .inputs = &variable,
                              .input_count = 1},
                     ash_tx_tensor(m, variable)->type, ASH_NONE, NULL);
}

static void state_write(ash_tx *m, uint32_t variable, uint32_t x) {
  uint32_t ignored;
  const ash_op op = {
      .kind = ASH_OP_assign_variable,
      .source_index = m->op,
      .id = ash_zone_format(&m->r->ctx->scratch, "assign_variable_%s%u_%u",
                            m->r->prefix ? m->r->prefix : "", (unsigned)m->op,
                            (unsigned)m->steps++),
      .inputs = &x,
      .input_count = 1,
      .outputs = &variable,
      .output_count = 1};
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_op(m->r->g, &ignored, op);
}

/* Weights of even and of odd channels, in turn. */
static uint32_t in_turn(ash_tx *m, int32_t count, const char *even,
                        const char *odd) {
  const int64_t of[] = {option(m, even, 0, UINT32_MAX),
                        option(m, odd, 0, UINT32_MAX)};
  uint64_t *data = ASH_NEW_ARRAY(&m->r->ctx->scratch, uint64_t, (size_t)count);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  for (int32_t i = 0; i < count && m->status == ASH_OK; i++)
    data[i] = (uint64_t)of[i % 2];
  return ash_tx_constant(m, ASH_UINT64, (ash_shape){1, {count}}, data);
}

/* The noise moves towards the signal by a share of it; the signal is what is
 * above the noise, and at least a share of itself. */
void ash_tflite_spectral_subtraction(ash_tx *m) {
  const uint32_t x = input(m, 0, ASH_UINT32, 1);
  const ash_shape shape = *ash_tx_shape(m, x);
  const int64_t up_bits = option(m, "smoothing_bits", 0, 31);
  const int64_t bits = option(m, "spectral_subtraction_bits", 0, 63);
  const bool clamps = option(m, "clamping", 0, 1) != 0;
  const uint32_t up = with(m, ASH_FN_shift_left, x, up_bits);
  const uint32_t noise = state(m, ASH_UINT32, shape);
  const uint32_t news =
      ash_tx_pair(m, ASH_FN_mul, ash_tx_cast(m, up, ASH_UINT64),
                  in_turn(m, shape.dim[0], "smoothing", "alternate_smoothing"));
  const uint32_t old = ash_tx_pair(
      m, ASH_FN_mul, ash_tx_cast(m, state_read(m, noise), ASH_UINT64),
      in_turn(m, shape.dim[0], "one_minus_smoothing",
              "alternate_one_minus_smoothing"));
  const uint32_t moved = ash_tx_cast(
      m,
      with(m, ASH_FN_shift_right, ash_tx_pair(m, ASH_FN_add, news, old), bits),
      ASH_UINT32);
  const uint32_t most = ash_tx_pair(m, ASH_FN_minimum, moved, up);
  const uint32_t least =
      ash_tx_cast(m,
                  with(m, ASH_FN_shift_right,
                       with(m, ASH_FN_mul, ash_tx_cast(m, x, ASH_UINT64),
                            option(m, "min_signal_remaining", 0, UINT32_MAX)),
                       bits),
                  ASH_UINT32);
  const uint32_t above = with(m, ASH_FN_shift_right,
                              ash_tx_pair(m, ASH_FN_sub, up, most), up_bits);
  ash_tx_give(m, 0, ash_tx_pair(m, ASH_FN_maximum, above, least), shape);
  ash_tx_give(m, 1, clamps ? most : moved, shape);
  state_write(m, noise, clamps ? most : moved);
}

/* A curve over the logarithm of x: up to 2 its values, from there on a value
 * and two coefficients for each number of digits. */
static uint32_t gain_of(ash_tx *m, uint32_t x, uint32_t curve) {
  const uint32_t wide = ash_tx_cast(m, x, ASH_INT64);
  const uint32_t digits = one(m, ASH_FN_bit_length, wide);
  const uint32_t part = ash_tx_cast(
      m,
      with(m, ASH_FN_bit_and,
           ash_tx_pair(m, ASH_FN_shift_right,
                       with(m, ASH_FN_shift_left, wide, 11), digits),
           0x3ff),
      ASH_INT32);
  const uint32_t at = ash_tx_cast(
      m,
      ash_tx_pair(m, ASH_FN_maximum,
                  with(m, ASH_FN_sub, with(m, ASH_FN_mul, digits, 4), 6),
                  with(m, ASH_FN_minimum, wide, 2)),
      ASH_INT32);
  uint32_t c[3];
  for (int32_t k = 0; k < 3; k++)
    c[k] = ash_tx_cast(
        m, ash_tx_gather(m, curve, k ? with(m, ASH_FN_add, at, k) : at),
        ASH_INT32);
  const uint32_t slope = ash_tx_pair(
      m, ASH_FN_add,
      with(m, ASH_FN_shift_right, ash_tx_pair(m, ASH_FN_mul, c[2], part), 5),
      with(m, ASH_FN_shift_left, c[1], 5));
  const uint32_t rise = with(
      m, ASH_FN_shift_right,
      with(m, ASH_FN_add, ash_tx_pair(m, ASH_FN_mul, slope, part), 1 << 14),
      15);
  return ash_tx_cast(m, ash_tx_pair(m, ASH_FN_add, rise, c[0]), ASH_INT16);
}

/* The signal times a gain that falls with the noise; below 2 its square. */
void ash_tflite_pcan(ash_tx *m) {
  const uint32_t x = input(m, 0, ASH_UINT32, 1);
  const uint32_t noise = input(m, 1, ASH_UINT32, 1);
  const uint32_t curve = input(m, 2, ASH_INT16, 1);
  const int64_t shift = option(m, "snr_shift", 0, 63);
  if (m->status == ASH_OK && ash_tx_shape(m, curve)->dim[0] < 4 * 32 - 3)
    m->status =
        ash_tx_refuse(m, "the table of gains has less than 125 entries");
  const uint32_t gain = ash_tx_cast(
      m, ash_tx_cast(m, gain_of(m, noise, curve), ASH_UINT32), ASH_UINT64);
  const uint32_t snr = ash_tx_cast(
      m,
      with(m, ASH_FN_shift_right,
           ash_tx_pair(m, ASH_FN_mul, ash_tx_cast(m, x, ASH_UINT64), gain),
           shift),
      ASH_UINT32);
  const uint32_t low = with(m, ASH_FN_shift_right, one(m, ASH_FN_square, snr),
                            2 + 2 * SNR_BITS - GAIN_BITS);
  const uint32_t high = with(
      m, ASH_FN_sub, with(m, ASH_FN_shift_right, snr, SNR_BITS - GAIN_BITS),
      1 << GAIN_BITS);
  ash_tx_give(m, 0,
              chosen(m, with(m, ASH_FN_less, snr, 2 << SNR_BITS), low, high),
              *ash_tx_shape(m, x));
}

/* How far the logarithm to the base of 2 of 1 + i / 128 is above i / 128, and
 * the differences, in 65536ths. */
static void log_tables(ash_tx *m, uint32_t *at, uint32_t *step) {
  int32_t above[LOG_PARTS + 1], steps[LOG_PARTS];
  for (int32_t i = 0; i <= LOG_PARTS; i++) {
    const double part = (double)i / LOG_PARTS;
    above[i] = (int32_t)floor(65536 * (log2(1 + part) - part) + 0.5);
  }
  for (int32_t i = 0; i < LOG_PARTS; i++)
    steps[i] = above[i + 1] - above[i];
  *at = ash_tx_constant(m, ASH_INT32, (ash_shape){1, {LOG_PARTS}}, above);
  *step = ash_tx_constant(m, ASH_INT32, (ash_shape){1, {LOG_PARTS}}, steps);
}

/* Logarithm to the base of 2, in 65536ths, of positive int64 below 2^32. */
static uint32_t log_of(ash_tx *m, uint32_t x) {
  uint32_t above, steps;
  log_tables(m, &above, &steps);
  const uint32_t digits = with(m, ASH_FN_sub, one(m, ASH_FN_bit_length, x), 1);
  const uint32_t part =
      ash_tx_cast(m,
                  with(m, ASH_FN_bit_and,
                       ash_tx_pair(m, ASH_FN_shift_right,
                                   with(m, ASH_FN_shift_left, x, 16), digits),
                       0xffff),
                  ASH_INT32);
  const uint32_t at = with(m, ASH_FN_shift_right, part, 9);
  const uint32_t rise =
      with(m, ASH_FN_shift_right,
           ash_tx_pair(m, ASH_FN_mul, ash_tx_gather(m, steps, at),
                       with(m, ASH_FN_bit_and, part, 511)),
           16);
  const uint32_t fraction = ash_tx_pair(
      m, ASH_FN_add, part,
      ash_tx_pair(m, ASH_FN_add, ash_tx_gather(m, above, at), rise));
  return ash_tx_pair(m, ASH_FN_add, with(m, ASH_FN_shift_left, digits, 16),
                     ash_tx_cast(m, fraction, ASH_INT64));
}

void ash_tflite_filter_log(ash_tx *m) {
  const uint32_t x = input(m, 0, ASH_UINT32, 1);
  const int64_t scale = option(m, "output_scale", 0, INT32_MAX);
  const uint32_t up =
      with(m, ASH_FN_shift_left, x, option(m, "input_correction_bits", 0, 31));
  const uint32_t wide = ash_tx_cast(m, up, ASH_INT64);
  const uint32_t two = log_of(m, with(m, ASH_FN_maximum, wide, 1));
  const uint32_t natural = /* 45426: ln 2 */
      with(m, ASH_FN_shift_right,
           with(m, ASH_FN_add, with(m, ASH_FN_mul, two, 45426), 1 << 15), 16);
  const uint32_t scaled =
      with(m, ASH_FN_shift_right,
           with(m, ASH_FN_add,
                with(m, ASH_FN_mul, ash_tx_cast(m, natural, ASH_UINT32), scale),
                1 << 15),
           16);
  const uint32_t y = chosen(m, with(m, ASH_FN_greater, wide, 1),
                            with(m, ASH_FN_minimum, scaled, INT16_MAX),
                            whole(m, ASH_UINT32, 0));
  ash_tx_give(m, 0, ash_tx_cast(m, y, ASH_INT16), *ash_tx_shape(m, x));
}
