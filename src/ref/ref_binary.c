/* ref_binary.c - two inputs, broadcast together, one element at a time. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

/* What one operator does with a pair; `scales` is its own. */
typedef struct pair_rule {
  int32_t (*quantised)(int32_t a, int32_t b, const ash_ref_factor *scales);
  float (*real)(float a, float b);
  int64_t (*whole)(int64_t a, int64_t b); /* int32, int64: not quantised */
  ash_ref_factor scales[3];
} pair_rule;

static void one_pair(const ash_ref_call *c, const pair_rule *rule,
                     const ash_ref_limits *limits, uint64_t i, uint64_t a,
                     uint64_t b) {
  const ash_tensor *p = ash_ref_in(c, 0), *q = ash_ref_in(c, 1);
  const void *left = ash_ref_read(c, 0), *right = ash_ref_read(c, 1);
  if (p->type == ASH_FLOAT32) {
    const float y =
        rule->real(((const float *)left)[a], ((const float *)right)[b]);
    ((float *)ash_ref_write(c, 0))[i] = ash_ref_clamp(limits, y);
    return;
  }
  const int64_t x = ash_ref_get(p, left, a) - ash_ref_zero_of(p);
  const int64_t y = ash_ref_get(q, right, b) - ash_ref_zero_of(q);
  if (p->type == ASH_INT32 || p->type == ASH_INT64)
    ash_ref_put(p, ash_ref_write(c, 0), i, rule->whole(x, y));
  else
    ash_ref_put_int(c, limits, i,
                    rule->quantised((int32_t)x, (int32_t)y, rule->scales));
}

static ash_status all_pairs(const ash_ref_call *c, const pair_rule *rule) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const ash_ref_limits limits =
      ash_ref_limits_of(c, ash_op_string(c->op, "act", "none"));
  const uint64_t count = ash_shape_elements(out);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++) {
    one_pair(c, rule, &limits, i,
             ash_ref_index(&ash_ref_in(c, 0)->shape, at, out->rank),
             ash_ref_index(&ash_ref_in(c, 1)->shape, at, out->rank));
    ash_ref_next(out, at);
  }
  return ASH_OK;
}

static bool is_quantised(const ash_ref_call *c) {
  const ash_type type = ash_ref_in(c, 0)->type;
  return type == ASH_INT8 || type == ASH_UINT8 || type == ASH_INT16;
}

/* ---- add ---------------------------------------------------------------- */

static int32_t add_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  const int32_t x = ash_ref_rescale(a * (1 << 20), f[0]);
  const int32_t y = ash_ref_rescale(b * (1 << 20), f[1]);
  return ash_ref_rescale(ash_ref_wrap((int64_t)x + y), f[2]);
}

static float add_real(float a, float b) {
  return a + b;
}

static int64_t add_whole(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

ash_status ash_ref_add(const ash_ref_call *c) {
  pair_rule rule = {
      .quantised = add_quantised, .real = add_real, .whole = add_whole};
  if (is_quantised(c)) {
    const float a = ash_ref_scale_of(ash_ref_in(c, 0));
    const float b = ash_ref_scale_of(ash_ref_in(c, 1));
    const double both = (double)(2 * (a > b ? a : b));
    const float fine = (float)(1 << 20) * ash_ref_scale_of(ash_ref_out(c, 0));
    rule.scales[0] = ash_ref_factor_of((double)a / both);
    rule.scales[1] = ash_ref_factor_of((double)b / both);
    rule.scales[2] = ash_ref_factor_of(both / (double)fine);
  }
  return all_pairs(c, &rule);
}

/* ---- mul ---------------------------------------------------------------- */

static int32_t mul_quantised(int32_t a, int32_t b, const ash_ref_factor *f) {
  return ash_ref_rescale(a * b, f[0]);
}

static float mul_real(float a, float b) {
  return a * b;
}

static int64_t mul_whole(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

ash_status ash_ref_mul(const ash_ref_call *c) {
  pair_rule rule = {
      .quantised = mul_quantised, .real = mul_real, .whole = mul_whole};
  if (is_quantised(c)) {
    const float product =
        ash_ref_scale_of(ash_ref_in(c, 0)) * ash_ref_scale_of(ash_ref_in(c, 1));
    const float ratio = product / ash_ref_scale_of(ash_ref_out(c, 0));
    rule.scales[0] = ash_ref_factor_of((double)ratio);
  }
  return all_pairs(c, &rule);
}
