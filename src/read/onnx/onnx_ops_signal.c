/* onnx_ops_signal.c - spectra. A transform of known length is a product with a
 * constant matrix of cosines and sines, for which there is a dense kernel. */
#include "base/trig.h"
#include "read/onnx/onnx_import.h"

#include <math.h>

enum { LENGTH_MAX = 4096 };

/* A transform of `length` values into `bins`; `parts` of a value: 1 real, 2
 * with an imaginary part. */
typedef struct spectrum {
  int32_t length, bins, parts;
  bool inverse;
} spectrum;

/* One entry: what part `from` of value k adds to part `to` of bin j. */
static double entry(const spectrum *s, int32_t j, int32_t to, int32_t k,
                    int32_t from) {
  const int64_t turn = (int64_t)j * k % s->length;
  double c, sine;
  ash_root_of_unity(turn, s->length, &c, &sine);
  const double n = s->inverse ? sine : -sine;
  const double y = to == from ? c : to ? n : -n;
  return s->inverse ? y / s->length : y;
}

/* Rows of outputs, as dense layers have them. */
static uint32_t matrix(ash_ox *m, const spectrum *s) {
  const ash_shape shape = {2, {s->bins * 2, s->length * s->parts}};
  const size_t n = (size_t)ash_shape_elements(&shape);
  float *data = ASH_NEW_ARRAY(&m->g->zone, float, n + 1);
  size_t i = 0;
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->g->zone);
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  for (int32_t j = 0; j < s->bins; j++)
    for (int32_t to = 0; to < 2; to++)
      for (int32_t k = 0; k < s->length; k++)
        for (int32_t from = 0; from < s->parts; from++)
          data[i++] = (float)entry(s, j, to, k, from);
  return ash_ox_constant(m, ASH_FLOAT32, shape, data);
}

/* [.., length, parts] to [.., bins, 2]. */
static uint32_t transform(ash_ox *m, uint32_t x, const spectrum *s) {
  ash_shape flat = *ash_ox_shape(m, x);
  flat.rank--;
  flat.dim[flat.rank - 1] = s->length * s->parts;
  const uint32_t y =
      ash_ox_dense(m, ash_ox_reshape(m, x, flat), matrix(m, s), ASH_NO_ID);
  ash_shape out = *ash_ox_shape(m, y);
  out.dim[out.rank - 1] = s->bins;
  out.dim[out.rank++] = 2;
  return ash_ox_reshape(m, y, out);
}

/* Exchanges two axes. */
static uint32_t swap(ash_ox *m, uint32_t x, uint32_t a, uint32_t b) {
  uint32_t order[ASH_RANK_MAX];
  for (uint32_t i = 0; i < ASH_RANK_MAX; i++)
    order[i] = i == a ? b : i == b ? a : i;
  return a == b ? x : ash_ox_transpose(m, x, order);
}

/* Cut or filled with zeros to `length` along an axis. */
static uint32_t fit(ash_ox *m, uint32_t x, uint32_t axis, int64_t length) {
  const int64_t have = ash_ox_dim(m, x, axis);
  int64_t none[ASH_RANK_MAX] = {0}, after[ASH_RANK_MAX] = {0};
  if (have >= length)
    return ash_ox_slice(m, x, axis, 0, 1, length);
  after[axis] = length - have;
  return ash_ox_pad(m, x, none, after, ash_ox_scalar(m, ASH_FLOAT32, 0));
}

static bool is_signal(ash_ox *m, uint32_t x) {
  const uint32_t rank = ash_ox_rank(m, x);
  const int32_t parts = rank ? ash_ox_dim(m, x, rank - 1) : 0;
  if (m->status != ASH_OK)
    return false;
  if (ash_ox_type(m, x) == ASH_FLOAT32 && rank >= 2 && rank < ASH_RANK_MAX &&
      (parts == 1 || parts == 2))
    return true;
  ash_ox_refuse(m, "this type or shape of the signal");
  return false;
}

static bool is_length(ash_ox *m, int64_t length) {
  if (m->status == ASH_OK && length >= 1 && length <= LENGTH_MAX)
    return true;
  ash_ox_refuse(m, "this length");
  return false;
}

static void read_dft(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  int64_t axis = ash_ox_int(m, "axis", m->opset < 20 ? 1 : -2), length = 0;
  if (!is_signal(m, x))
    return;
  if (ash_ox_has(m, 2))
    (void)ash_ox_list(m, ash_ox_in(m, 2), &axis, 1);
  const uint32_t rank = ash_ox_rank(m, x), at = ash_ox_axis(m, axis, rank);
  length = ash_ox_dim(m, x, at);
  if (ash_ox_has(m, 1))
    (void)ash_ox_list(m, ash_ox_in(m, 1), &length, 1);
  if (!is_length(m, length) || at + 1 == rank)
    return;
  const bool half = ash_ox_int(m, "onesided", 0) != 0;
  spectrum s = {(int32_t)length, (int32_t)(half ? length / 2 + 1 : length),
                ash_ox_dim(m, x, rank - 1), ash_ox_int(m, "inverse", 0) != 0};
  x = swap(m, fit(m, x, at, length), at, rank - 2);
  ash_ox_out(m, 0, swap(m, transform(m, x, &s), at, rank - 2));
}

/* Inputs: signal, step, window, length of a frame. Frames overlap: that is a
 * matter of strides. */
static void read_stft(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  int64_t step = 0, length = 0;
  if (!is_signal(m, x))
    return;
  (void)ash_ox_list(m, ash_ox_in(m, 1), &step, 1);
  if (ash_ox_has(m, 2))
    length = ash_ox_dim(m, ash_ox_in(m, 2), 0);
  if (ash_ox_has(m, 3))
    (void)ash_ox_list(m, ash_ox_in(m, 3), &length, 1);
  const int32_t parts = ash_ox_dim(m, x, 2);
  const int64_t have = ash_ox_dim(m, x, 1);
  if (!is_length(m, length) || !is_length(m, step))
    return;
  if (ash_ox_rank(m, x) != 3 || have < length) {
    ash_ox_bad(m, "the signal is shorter than a frame");
    return;
  }
  const ash_shape frames = {4,
                            {ash_ox_dim(m, x, 0),
                             (int32_t)((have - length) / step + 1),
                             (int32_t)length, parts}};
  const int64_t steps[] = {have * parts, step * parts, parts, 1};
  x = ash_ox_strided(m, x, &frames, steps, 0);
  if (ash_ox_has(m, 2))
    x = ash_ox_map2(m, ASH_FN_mul, x,
                    ash_ox_reshape(m, ash_ox_in(m, 2),
                                   (ash_shape){2, {(int32_t)length, 1}}));
  const bool half = ash_ox_int(m, "onesided", 1) != 0;
  const spectrum s = {(int32_t)length,
                      (int32_t)(half ? length / 2 + 1 : length), parts, false};
  ash_ox_out(m, 0, transform(m, x, &s));
}

/* ---- mel weights --------------------------------------------------------- */

static double mel_of(double hertz) {
  return 2595.0 * log10(1.0 + hertz / 700.0);
}

/* Triangles whose corners are equally far apart in mel. `bin` holds the corners
 * as bins of the spectrum. */
static void fill_triangles(float *data, int64_t bands, const int64_t *bin,
                           int64_t bins) {
  for (int64_t b = 0; b < bands; b++) {
    const int64_t low = bin[b], peak = bin[b + 1], high = bin[b + 2];
    for (int64_t i = low; low < peak && i <= peak && i < bins; i++)
      data[i * bands + b] = (float)((double)(i - low) / (double)(peak - low));
    if (low == peak && peak < bins)
      data[peak * bands + b] = 1;
    for (int64_t i = peak; i < high && i < bins; i++)
      data[i * bands + b] = (float)((double)(high - i) / (double)(high - peak));
  }
}

enum { BANDS_MAX = 512 };

static void read_mel(ash_ox *m) {
  int64_t bands = 0, length = 0, rate = 0, bin[BANDS_MAX + 2], unused;
  (void)ash_ox_list(m, ash_ox_in(m, 0), &bands, 1);
  (void)ash_ox_list(m, ash_ox_in(m, 1), &length, 1);
  (void)ash_ox_list(m, ash_ox_in(m, 2), &rate, 1);
  (void)ash_ox_list(m, ash_ox_in(m, 3), &unused, 1);
  (void)ash_ox_list(m, ash_ox_in(m, 4), &unused, 1);
  const int64_t number = ash_ox_int(m, "output_datatype", 1);
  if (!is_length(m, length) || !is_length(m, bands))
    return;
  if (bands > BANDS_MAX || rate < 1 || number != 1) {
    ash_ox_refuse(m, "this number of bands, rate or type");
    return;
  }
  const double low = mel_of(ash_ox_value(m, ash_ox_in(m, 3), 0));
  const double high = mel_of(ash_ox_value(m, ash_ox_in(m, 4), 0));
  const int64_t bins = length / 2 + 1;
  for (int64_t i = 0; i < bands + 2; i++) {
    const double mel = low + (double)i * (high - low) / (double)(bands + 2);
    const double hertz = 700.0 * (pow(10.0, mel / 2595.0) - 1.0);
    const double at = floor((double)(length + 1) * hertz / (double)rate);
    bin[i] = at >= 0 && at < 1e6 ? (int64_t)at : 0;
  }
  float *data = ASH_NEW_ARRAY(&m->g->zone, float, (size_t)(bins * bands) + 1);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  if (m->status != ASH_OK)
    return;
  fill_triangles(data, bands, bin, bins);
  ash_ox_out(m, 0,
             ash_ox_constant(m, ASH_FLOAT32,
                             (ash_shape){2, {(int32_t)bins, (int32_t)bands}},
                             data));
}

const ash_ox_handler ash_ox_signal[] = {
    {"DFT", read_dft},
    {"STFT", read_stft},
    {"MelWeightMatrix", read_mel},
    {NULL, NULL},
};
