/* ref_window_pool.c - pooling windows. Padding never enters: an average divides
 * by the elements that are really there. Integer pools work on stored values
 * and do not look at scales. */
#include "ref/ref_call.h"

#include <float.h>

typedef struct box {
  int64_t n, y0, y1, x0, x1, c; /* half-open, inside the input */
} box;

/* The part of one axis that window `i` covers. */
static void cover(const ash_ref_call *c, const char *const *names, int32_t i,
                  int32_t size, int64_t *lo, int64_t *hi) {
  const int64_t stride = ash_attr_int(c->op, names[0], 1);
  const int64_t filter = ash_attr_int(c->op, names[1], 1);
  const int64_t start = i * stride - ash_attr_int(c->op, names[2], 0);
  *lo = start < 0 ? 0 : start;
  *hi = start + filter < size ? start + filter : size;
}

static box box_of(const ash_ref_call *c, uint64_t i) {
  static const char *const h[] = {"stride_h", "filter_h", "pad_top"};
  static const char *const w[] = {"stride_w", "filter_w", "pad_left"};
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const int32_t *in = ash_ref_in(c, 0)->shape.dim;
  const uint64_t channels = (uint64_t)out->dim[3],
                 width = (uint64_t)out->dim[2];
  const uint64_t height = (uint64_t)out->dim[1];
  box b = {.n = (int64_t)(i / channels / width / height),
           .c = (int64_t)(i % channels)};
  cover(c, h, (int32_t)(i / channels / width % height), in[1], &b.y0, &b.y1);
  cover(c, w, (int32_t)(i / channels % width), in[2], &b.x0, &b.x1);
  return b;
}

static uint64_t element(const ash_ref_call *c, const box *b, int64_t y,
                        int64_t x) {
  const int32_t *d = ash_ref_in(c, 0)->shape.dim;
  return (uint64_t)(((b->n * d[1] + y) * d[2] + x) * d[3] + b->c);
}

static int64_t average_int(const ash_ref_call *c, const box *b) {
  const int64_t count = (b->y1 - b->y0) * (b->x1 - b->x0);
  int64_t sum = 0;
  for (int64_t y = b->y0; y < b->y1; y++)
    for (int64_t x = b->x0; x < b->x1; x++)
      sum += ash_ref_get(ash_ref_in(c, 0), ash_ref_read(c, 0),
                         element(c, b, y, x));
  return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

static int64_t max_int(const ash_ref_call *c, const box *b) {
  int64_t max = INT32_MIN;
  for (int64_t y = b->y0; y < b->y1; y++)
    for (int64_t x = b->x0; x < b->x1; x++) {
      const int64_t v = ash_ref_get(ash_ref_in(c, 0), ash_ref_read(c, 0),
                                    element(c, b, y, x));
      max = v > max ? v : max;
    }
  return max;
}

static float average_float(const ash_ref_call *c, const box *b) {
  const float *in = ash_ref_read(c, 0);
  const float count = (float)((b->y1 - b->y0) * (b->x1 - b->x0));
  float sum = 0;
  for (int64_t y = b->y0; y < b->y1; y++)
    for (int64_t x = b->x0; x < b->x1; x++)
      sum += in[element(c, b, y, x)];
  return sum / count;
}

static float max_float(const ash_ref_call *c, const box *b) {
  const float *in = ash_ref_read(c, 0);
  float max = -FLT_MAX;
  for (int64_t y = b->y0; y < b->y1; y++)
    for (int64_t x = b->x0; x < b->x1; x++) {
      const float v = in[element(c, b, y, x)];
      max = v > max ? v : max; /* skips NaN */
    }
  return max;
}

static ash_status pool(const ash_ref_call *c,
                       int64_t (*ints)(const ash_ref_call *, const box *),
                       float (*floats)(const ash_ref_call *, const box *)) {
  const ash_tensor *out = ash_ref_out(c, 0);
  const ash_ref_limits l =
      ash_ref_limits_of(c, ash_attr_string(c->op, "act", "none"));
  const uint64_t count = ash_ref_elements(out);
  for (uint64_t i = 0; i < count; i++) {
    const box b = box_of(c, i);
    if (ash_ref_is_float(c)) {
      ((float *)ash_ref_write(c, 0))[i] = ash_ref_clamp(&l, floats(c, &b));
      continue;
    }
    int64_t y = ints(c, &b);
    y = y < l.lo ? l.lo : y;
    y = y > l.hi ? l.hi : y;
    ash_ref_put(out, ash_ref_write(c, 0), i, y);
  }
  return ASH_OK;
}

ash_status ash_ref_average_pool(const ash_ref_call *c) {
  return pool(c, average_int, average_float);
}

ash_status ash_ref_max_pool(const ash_ref_call *c) {
  return pool(c, max_int, max_float);
}
