/* ml_features.c - what is done to features before a model sees them. */
#include "read/onnx/ml/ml.h"

#include <math.h>
#include <string.h>

/* One number for all features, or one for each. */
static uint32_t per_feature(ash_ox *m, const char *name, int32_t features) {
  const uint32_t n = ash_ml_count(m, name);
  return ash_ml_floats(m, name, (ash_shape){2, {1, n == 1 ? 1 : features}});
}

static void read_scaler(ash_ox *m) {
  uint32_t x = ash_ml_rows(m, 0);
  const ash_shape s = *ash_ox_shape(m, ash_ox_in(m, 0));
  const int32_t features = ash_ox_dim(m, x, 1);
  if (ash_ml_count(m, "offset"))
    x = ash_ox_map2(m, ASH_FN_sub, x, per_feature(m, "offset", features));
  if (ash_ml_count(m, "scale"))
    x = ash_ox_map2(m, ASH_FN_mul, x, per_feature(m, "scale", features));
  ash_ox_out(m, 0, ash_ox_reshape(m, x, s));
}

/* Values that mean "missing" are replaced. */
static void read_imputer(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  const double missing = ash_ox_float(m, "replaced_value_float", 0);
  uint32_t count, value, gone;
  if (m->status != ASH_OK || s.rank == 0)
    return;
  const int32_t features = s.dim[s.rank - 1];
  if (ash_ox_is_float(m, x)) {
    value = per_feature(m, "imputed_value_floats", features);
    gone = isnan(missing) ? ash_ox_map1(m, ASH_FN_is_nan, x)
                          : ash_ox_with(m, ASH_FN_equal, x, missing);
  } else {
    const int64_t *list = ash_ox_ints(m, "imputed_value_int64s", &count);
    if (!list || (count != 1 && count != (uint32_t)features)) {
      ash_ox_bad(m, "imputed_value_int64s is not one number for each feature");
      return;
    }
    value = ash_ox_cast(
        m,
        ash_ox_constant(m, ASH_INT64, (ash_shape){1, {(int32_t)count}}, list),
        ash_ox_type(m, x));
    gone = ash_ox_with(m, ASH_FN_equal, x,
                       (double)ash_ox_int(m, "replaced_value_int64", 0));
  }
  const uint32_t wide = ash_ox_cast(m, value, ash_ox_type(m, x));
  ash_ox_out(
      m, 0, ash_ox_reshape(m, ash_ox_map3(m, ASH_FN_select, gone, wide, x), s));
}

/* Rows divided by their largest value, or by a norm; rows of zeros stay. */
static void read_normalizer(ash_ox *m) {
  const uint32_t x = ash_ml_rows(m, 0);
  const bool root = ash_ox_is(m, "norm", "L2", "MAX");
  const ash_fold fold = ash_ox_is(m, "norm", "MAX", "MAX") ? ASH_FOLD_MAX
                        : root                             ? ASH_FOLD_SUM_SQUARE
                                                           : ASH_FOLD_SUM_ABS;
  uint32_t norm = ash_ox_fold(m, fold, x, 2, true);
  if (root)
    norm = ash_ox_map1(m, ASH_FN_sqrt, norm);
  const uint32_t none = ash_ox_with(m, ASH_FN_equal, norm, 0);
  const uint32_t y = ash_ox_map3(m, ASH_FN_select, none, x,
                                 ash_ox_map2(m, ASH_FN_div, x, norm));
  ash_ox_out(m, 0, ash_ox_reshape(m, y, *ash_ox_shape(m, ash_ox_in(m, 0))));
}

static void read_binarizer(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t over =
      ash_ox_with(m, ASH_FN_greater, x, ash_ox_float(m, "threshold", 0));
  ash_ox_out(m, 0, ash_ox_cast(m, over, ash_ox_type(m, x)));
}

/* Some of the features. */
static void read_extractor(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  const uint32_t list = ash_ox_in(m, 1);
  const int32_t n = (int32_t)ash_shape_elements(ash_ox_shape(m, list));
  if (ash_ox_rank(m, x) == 1)
    x = ash_ox_reshape(m, x, (ash_shape){2, {1, ash_ox_dim(m, x, 0)}});
  if (m->status == ASH_OK)
    ash_ox_out(m, 0,
               ash_ox_gather(m, x, ash_ox_reshape(m, list, (ash_shape){1, {n}}),
                             ash_ox_rank(m, x) - 1));
}

static void read_vectorizer(ash_ox *m) {
  const uint32_t count = m->node->input_count;
  uint32_t *parts = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, count + 1u);
  if (!parts) {
    m->status = ash_nomem(m->ctx);
    return;
  }
  if (count < 1) {
    ash_ox_bad(m, "no inputs");
    return;
  }
  for (uint32_t k = 0; k < count; k++)
    parts[k] = ash_ml_rows(m, k);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ox_join(m, parts, count, 1));
}

/* Numbers of a list attribute as a constant of one axis. */
static uint32_t number_list(ash_ox *m, const char *floats, const char *ints) {
  uint32_t count;
  const int64_t *list = ash_ox_ints(m, ints, &count);
  if (list)
    return ash_ox_constant(m, ASH_INT64, (ash_shape){1, {(int32_t)count}},
                           list);
  count = ash_ml_count(m, floats);
  if (count == 0) {
    ash_ox_refuse(m, "a list of strings, or none at all,");
    return ASH_NO_ID;
  }
  return ash_ml_floats(m, floats, (ash_shape){1, {(int32_t)count}});
}

/* Which elements of x [..] are which entry of the list: [.., n]. */
static uint32_t matches(ash_ox *m, uint32_t x, uint32_t list) {
  ash_shape wide = *ash_ox_shape(m, x);
  if (m->status == ASH_OK && wide.rank == ASH_RANK_MAX)
    ash_ox_refuse(m, "so many axes");
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  wide.dim[wide.rank++] = 1;
  const ash_type type = ash_ox_type(m, list);
  return ash_ox_map2(m, ASH_FN_equal,
                     ash_ox_reshape(m, ash_ox_cast(m, x, type), wide), list);
}

/* A value for each key; the first of equal keys counts. */
static void read_label_encoder(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t keys = number_list(m, "keys_floats", "keys_int64s");
  const uint32_t values = number_list(m, "values_floats", "values_int64s");
  const bool real = m->status == ASH_OK && ash_ox_is_float(m, values);
  const double otherwise = real ? ash_ox_float(m, "default_float", 0)
                                : (double)ash_ox_int(m, "default_int64", -1);
  if (m->status == ASH_OK && ash_ox_dim(m, keys, 0) != ash_ox_dim(m, values, 0))
    ash_ox_bad(m, "keys and values differ in number");
  const uint32_t hit = ash_ox_cast(m, matches(m, x, keys), ASH_INT32);
  if (m->status != ASH_OK)
    return;
  const uint32_t last = 1u << (ash_ox_rank(m, hit) - 1);
  const uint32_t known = ash_ox_with(
      m, ASH_FN_greater, ash_ox_fold(m, ASH_FOLD_MAX, hit, last, false), 0);
  const uint32_t value = ash_ox_gather(
      m, values, ash_ox_fold(m, ASH_FOLD_ARG_MAX, hit, last, false), 0);
  ash_ox_out(m, 0,
             ash_ox_map3(m, ASH_FN_select, known, value,
                         ash_ox_scalar(m, ash_ox_type(m, values), otherwise)));
}

static void read_one_hot(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t list = number_list(m, "", "cats_int64s");
  if (!ash_ox_int(m, "zeros", 1))
    ash_ox_refuse(m, "an error for unknown categories (zeros = 0)");
  ash_ox_out(m, 0, ash_ox_cast(m, matches(m, x, list), ASH_FLOAT32));
}

/* A map from labels to probabilities: the probabilities, in the labels' order.
 */
static void read_zip_map(ash_ox *m) {
  ash_ox_out(m, 0, ash_ox_in(m, 0));
}

const ash_ox_handler ash_ml_features[] = {
    {"Scaler", read_scaler},
    {"Imputer", read_imputer},
    {"Normalizer", read_normalizer},
    {"Binarizer", read_binarizer},
    {"ArrayFeatureExtractor", read_extractor},
    {"FeatureVectorizer", read_vectorizer},
    {"LabelEncoder", read_label_encoder},
    {"OneHotEncoder", read_one_hot},
    {"ZipMap", read_zip_map},
    {NULL, NULL},
};
