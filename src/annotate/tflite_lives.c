/* tflite_lives.c - see tflite_lives.h. */
#include "annotate/tflite_lives.h"

#include "read/tflite/tflite_internal.h"

enum { /* fields of the format, by number */
       MODEL_SUBGRAPHS = 2,
       MODEL_BUFFERS = 4,
       SUBGRAPH_TENSORS = 0,
       SUBGRAPH_INPUTS = 1,
       SUBGRAPH_OUTPUTS = 2,
       SUBGRAPH_OPERATORS = 3,
       OPERATOR_INPUTS = 1,
       OPERATOR_OUTPUTS = 2,
       TENSOR_SHAPE = 0,
       TENSOR_TYPE = 1,
       TENSOR_BUFFER = 2,
       TENSOR_IS_VARIABLE = 5,
       BUFFER_DATA = 0,
       BUFFER_OFFSET = 1,
};

/* Bytes of an element by the file's number of its type; 0: the interpreter
 * has its own way with it (strings, resources, packed types). */
static const uint8_t element_bytes[] = {4, 2, 4,  1, 8, 0, 1, 2, 8,
                                        1, 8, 16, 8, 0, 0, 4, 2};

typedef struct walk {
  ash_ctx *ctx;
  const char *file;
  ash_fb fb;
  ash_fb_table subgraph;
  ash_fb_vector buffers, tensors;
  ash_tflite_life *lives;
} walk;

static ash_status fail_index(walk *w, const char *what, int64_t index,
                             uint32_t count) {
  ash_loc at = ASH_NOWHERE;
  at.file = w->file;
  return ash_fail(w->ctx, ASH_MALFORMED, ASH_D_tflite_index, at,
                  "%s %lld of %u", what, (long long)index, (unsigned)count);
}

static ash_status touch(walk *w, int32_t tensor, int64_t step) {
  if (tensor == -1)
    return ASH_OK; /* an optional input that is absent */
  if (tensor < 0 || (uint32_t)tensor >= w->tensors.count)
    return fail_index(w, "tensor", tensor, w->tensors.count);
  ash_tflite_life *life = &w->lives[tensor];
  if (life->lower > step)
    life->lower = step;
  if (life->upper < step + 1)
    life->upper = step + 1;
  return ASH_OK;
}

static ash_status touch_all(walk *w, const ash_fb_vector *v, int64_t step) {
  for (uint32_t i = 0; i < v->count && !w->fb.bad; i++)
    ASH_TRY(touch(w, ash_fb_at_i32(v, i), step));
  return ASH_OK;
}

/* Inputs are there from the start, outputs to the end, everything from its
 * producer to its last reader. */
static ash_status find_lives(walk *w) {
  const ash_fb_vector ops = ash_fb_vec(&w->subgraph, SUBGRAPH_OPERATORS, 4);
  const ash_fb_vector ins = ash_fb_vec(&w->subgraph, SUBGRAPH_INPUTS, 4);
  const ash_fb_vector outs = ash_fb_vec(&w->subgraph, SUBGRAPH_OUTPUTS, 4);
  for (uint32_t k = 0; k < ops.count && !w->fb.bad; k++) {
    const ash_fb_table op = ash_fb_at_table(&ops, k);
    const ash_fb_vector read = ash_fb_vec(&op, OPERATOR_INPUTS, 4);
    const ash_fb_vector made = ash_fb_vec(&op, OPERATOR_OUTPUTS, 4);
    ASH_TRY(touch_all(w, &read, k));
    ASH_TRY(touch_all(w, &made, k));
  }
  ASH_TRY(touch_all(w, &ins, 0));
  return ops.count ? touch_all(w, &outs, (int64_t)ops.count - 1) : ASH_OK;
}

/* Has it bytes in the file? A buffer that is not there may not appear later
 * either, when metadata brings one. */
static ash_status find_constant(walk *w, bool *out,
                                const ash_fb_table *tensor) {
  const uint32_t number = ash_fb_u32(tensor, TENSOR_BUFFER, 0);
  *out = false;
  if (number == 0 || w->fb.bad)
    return ASH_OK;
  if (number >= w->buffers.count)
    return fail_index(w, "buffer", number, w->buffers.count);
  const ash_fb_table buffer = ash_fb_at_table(&w->buffers, number);
  *out = ash_fb_blob(&buffer, BUFFER_DATA).count > 0 ||
         ash_fb_u64(&buffer, BUFFER_OFFSET, 0) > 1;
  return ASH_OK;
}

static uint64_t bytes_of(const ash_fb_table *tensor) {
  const uint32_t type = ash_fb_u8(tensor, TENSOR_TYPE, 0);
  const ash_fb_vector shape = ash_fb_vec(tensor, TENSOR_SHAPE, 4);
  uint64_t bytes = type < sizeof element_bytes ? element_bytes[type] : 0;
  for (uint32_t i = 0; i < shape.count; i++) {
    const int32_t n = ash_fb_at_i32(&shape, i);
    bytes = n <= 0 || bytes > INT32_MAX ? 0 : bytes * (uint64_t)n;
  }
  return bytes <= INT32_MAX ? bytes : 0;
}

static ash_status find_sizes(walk *w) {
  for (uint32_t i = 0; i < w->tensors.count && !w->fb.bad; i++) {
    const ash_fb_table tensor = ash_fb_at_table(&w->tensors, i);
    bool constant;
    ASH_TRY(find_constant(w, &constant, &tensor));
    if (w->lives[i].upper > 0 && !constant &&
        !ash_fb_bool(&tensor, TENSOR_IS_VARIABLE, 0))
      w->lives[i].bytes = bytes_of(&tensor);
  }
  return ASH_OK;
}

static ash_status open_file(walk *w, uint32_t *all_tensors) {
  const ash_fb_table model = ash_fb_root(&w->fb, "TFL3");
  const ash_fb_vector subgraphs = ash_fb_vec(&model, MODEL_SUBGRAPHS, 4);
  w->buffers = ash_fb_vec(&model, MODEL_BUFFERS, 4);
  for (uint32_t i = 0; i < subgraphs.count && !w->fb.bad; i++) {
    const ash_fb_table subgraph = ash_fb_at_table(&subgraphs, i);
    const ash_fb_vector tensors = ash_fb_vec(&subgraph, SUBGRAPH_TENSORS, 4);
    if (i == 0) {
      w->subgraph = subgraph;
      w->tensors = tensors;
    }
    if (*all_tensors + (uint64_t)tensors.count > ASH_TFLITE_TENSORS_MAX)
      return ash_fail(w->ctx, ASH_LIMIT, ASH_D_model_limit, ASH_NOWHERE,
                      "more than %d tensors", ASH_TFLITE_TENSORS_MAX);
    *all_tensors += tensors.count;
  }
  ASH_TRY(ash_fb_check(w->ctx, &w->fb, w->file));
  if (subgraphs.count)
    return ASH_OK;
  ash_loc at = ASH_NOWHERE;
  at.file = w->file;
  return ash_fail(w->ctx, ASH_MALFORMED, ASH_D_tflite_index, at,
                  "the model has no subgraph");
}

ash_status ash_annotate_lives(ash_ctx *ctx, const ash_tflite_life **out,
                              uint32_t *tensors, uint32_t *all_tensors,
                              ash_zone *zone, const ash_model_file *file) {
  walk w = {.ctx = ctx,
            .file = file->name,
            .fb = ash_fb_over(file->bytes, file->count)};
  *out = NULL;
  *tensors = *all_tensors = 0;
  ASH_TRY(open_file(&w, all_tensors));
  w.lives = ASH_NEW_ARRAY(zone, ash_tflite_life, (size_t)w.tensors.count + 1);
  ASH_TRY(ash_zone_check(ctx, zone));
  for (uint32_t i = 0; i < w.tensors.count; i++)
    w.lives[i].lower = INT64_MAX;
  ASH_TRY(find_lives(&w));
  ASH_TRY(find_sizes(&w));
  *out = w.lives;
  *tensors = w.tensors.count;
  return ash_fb_check(ctx, &w.fb, file->name);
}
