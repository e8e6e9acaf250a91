/* test_tflite_shapes.c - shapes that a TFLite file leaves open or stores for
 * other inputs: inferred operator by operator, computed from SHAPE, given by
 * the caller, and what is said when they contradict. */
#include "check.h"
#include "context.h"
#include "loaded.h"
#include "op/verify.h"
#include "read/tflite/tflite.h"
#include "tflite_make.h"

#include <stdio.h>
#include <string.h>

enum { SHAPE = 77, STRIDED_SLICE = 45, CONCATENATION = 2, RESHAPE = 22 };
enum { SQUEEZE = 43, EXPAND_DIMS = 70, SPACE_TO_BATCH = 38, TILE = 69 };
enum { X, SHAPE_OF_X, ONE, TWO, COUNT, NEW_SHAPE, Y };

static make_file written;
static const int32_t one[] = {1}, two[] = {2};

/* x [1,4] is reshaped to [x's axis 1, 1]; the file has [1,1] for the result. */
static make_model chain(void) {
  return (make_model){
      .version = 3,
      .subgraph_count = 1,
      .code_count = 4,
      .codes = {{SHAPE, SHAPE, 1, NULL},
                {STRIDED_SLICE, STRIDED_SLICE, 1, NULL},
                {CONCATENATION, CONCATENATION, 1, NULL},
                {RESHAPE, RESHAPE, 1, NULL}},
      .buffer_count = 3,
      .buffers = {{0}, {one, 4, 0, 0}, {two, 4, 0, 0}},
      .tensor_count = 7,
      .tensors = {{.name = "x",
                   .type = 9,
                   .shape = MAKE_IDS(1, 4),
                   .signature = MAKE_IDS(-1, 4)},
                  {.name = "s", .type = 2, .shape = MAKE_IDS(2)},
                  {.name = "1", .type = 2, .shape = MAKE_IDS(1), .buffer = 1},
                  {.name = "2", .type = 2, .shape = MAKE_IDS(1), .buffer = 2},
                  {.name = "n", .type = 2, .shape = MAKE_IDS(1)},
                  {.name = "p", .type = 2, .shape = MAKE_IDS(2)},
                  {.name = "y",
                   .type = 9,
                   .shape = MAKE_IDS(1, 1),
                   .signature = MAKE_IDS(-1, -1)}},
      .op_count = 4,
      .ops = {{.code = 0, .inputs = MAKE_IDS(X), .outputs = MAKE_IDS(1)},
              {.code = 1,
               .inputs = MAKE_IDS(SHAPE_OF_X, ONE, TWO, ONE),
               .outputs = MAKE_IDS(COUNT)},
              {.code = 2,
               .inputs = MAKE_IDS(COUNT, ONE),
               .outputs = MAKE_IDS(NEW_SHAPE)},
              {.code = 3,
               .inputs = MAKE_IDS(X, NEW_SHAPE),
               .outputs = MAKE_IDS(Y)}},
      .inputs = MAKE_IDS(X),
      .outputs = MAKE_IDS(Y)};
}

static loaded read_with(const make_model *m, const char *shape,
                        const char *constant) {
  const ash_load_options options = {.input_shapes = &shape,
                                    .input_shape_count = shape != NULL,
                                    .constants = &constant,
                                    .constant_count = constant != NULL};
  loaded l = {.ctx = new_ctx()};
  make_write(&written, m);
  l.status = ash_read_tflite_with(l.ctx, &l.g, written.bytes, written.count,
                                  "m", &options);
  if (l.status == ASH_OK)
    l.status = ash_op_verify(l.ctx, l.g);
  return l;
}

static void makes(const make_model *m, const char *shape, const char *want) {
  loaded l = read_with(m, shape, NULL);
  CHECK_EQ(l.status, ASH_OK);
  if (l.status == ASH_OK)
    check_shape(&l.g->tensors.items[l.g->outputs[0]], want);
  loaded_drop(&l);
}

static void says(const make_model *m, const char *shape, const char *constant,
                 const char *words) {
  loaded l = read_with(m, shape, constant);
  size_t count;
  char text[600] = "";
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  for (size_t i = 0; i < count; i++)
    (void)snprintf(text, sizeof text, "%s; %s", d[i].message,
                   d[i].hint ? d[i].hint : "");
  CHECK(l.status != ASH_OK);
  if (!strstr(text, words))
    CHECK_STR(text, words);
  loaded_drop(&l);
}

static void shapes_are_numbers_to_compute_with(void) {
  const make_model m = chain();
  makes(&m, NULL, "4,1");
  loaded l = read_with(&m, NULL, NULL);
  CHECK_EQ(l.g->op_count, 1); /* the reshape; all others are done */
  loaded_drop(&l);
}

static void the_caller_gives_an_inputs_shape(void) {
  make_model m = chain();
  makes(&m, "x=1,6", "6,1");
  m.tensors[X].signature = (make_list){0}; /* also of a fixed one */
  m.tensors[Y].signature = (make_list){0};
  makes(&m, "x=1,6", "6,1");
}

static void a_name_that_no_input_has_is_an_error(void) {
  const make_model m = chain();
  says(&m, "xx=1,6", NULL, "no input 'xx'; did you mean 'x'?");
  says(&m, "nosuch=1,6", NULL, "an input is 'x'");
  says(&m, NULL, "nosuch=1", "no input 'nosuch'");
  says(&m, NULL, "x=1", "ONNX");
  says(&m, "x=1,-6", NULL, "'1,-6' is not a shape for input 'x'");
}

static void an_open_input_is_named_with_what_is_known(void) {
  make_model m = chain();
  m.tensors[X].shape = (make_list)MAKE_IDS(-1, -1);
  m.tensors[X].signature = (make_list){0};
  says(&m, NULL, NULL, "--input-shape x=1,?");
  m.tensors[X].shape = (make_list)MAKE_IDS(-1, 4);
  makes(&m, NULL, "4,1"); /* the batch alone is 1 */
}

static void shapes_without_numbers_are_inferred(void) {
  make_model m = chain();
  m.tensors[Y].shape = m.tensors[Y].signature = (make_list){0};
  makes(&m, NULL, "4,1");
  m.tensors[Y].shape = (make_list)MAKE_IDS(-1, 1);
  makes(&m, NULL, "4,1");
  for (int k = SHAPE_OF_X; k <= NEW_SHAPE; k += k == SHAPE_OF_X ? 3 : 1)
    m.tensors[k].shape = (make_list){0};
  makes(&m, NULL, "4,1");
}

/* One operator on x [2,1,4], with a list as its second input. */
static make_model single(int32_t code, const int32_t *list, uint32_t count) {
  return (make_model){
      .version = 3,
      .subgraph_count = 1,
      .code_count = 1,
      .codes = {{(int8_t)code, code, 1, NULL}},
      .buffer_count = 2,
      .buffers = {{0}, {list, 4 * count, 0, 0}},
      .tensor_count = 3,
      .tensors = {{.name = "x", .type = 9, .shape = MAKE_IDS(2, 1, 4)},
                  {.name = "list",
                   .type = 2,
                   .shape = {1, {(int32_t)count}},
                   .buffer = 1},
                  {.name = "y", .type = 9}},
      .op_count = 1,
      .ops = {{.inputs = MAKE_IDS(0, 1), .outputs = MAKE_IDS(2)}},
      .inputs = MAKE_IDS(0),
      .outputs = MAKE_IDS(2)};
}

static void every_operator_that_declares_its_result_infers_it(void) {
  const int32_t last[] = {-1}, rest[] = {4, -1}, times[] = {1, 3, 1};
  make_model m = single(RESHAPE, rest, 2);
  makes(&m, NULL, "4,2");
  m = single(EXPAND_DIMS, last, 1);
  makes(&m, NULL, "2,1,4,1");
  m = single(TILE, times, 3);
  makes(&m, NULL, "2,3,4");
  m = single(SQUEEZE, last, 1);
  m.ops[0].inputs = (make_list)MAKE_IDS(0);
  makes(&m, NULL, "2,4");
  m.ops[0].options_type = 30;
  m.ops[0].options_vector = (make_list)MAKE_IDS(1);
  makes(&m, NULL, "2,4");
  m.ops[0].options_vector = (make_list)MAKE_IDS(2);
  says(&m, NULL, NULL, "an axis that is squeezed is 2");
  const int32_t odd[] = {3, -1};
  m = single(RESHAPE, odd, 2);
  says(&m, NULL, NULL, "expected 8 as in [2,1,4]");
}

static void a_stale_shape_is_replaced_with_a_warning(void) {
  const int32_t times[] = {1, 3, 1};
  make_model m = single(TILE, times, 3);
  m.tensors[0].signature = (make_list)MAKE_IDS(-1, 1, 4);
  m.tensors[2].shape = (make_list)MAKE_IDS(2, 1, 4);
  loaded l = read_with(&m, NULL, NULL);
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(count, 2);
  CHECK_EQ(d[1].severity, ASH_WARNING);
  CHECK_EQ(d[1].id, ASH_D_shape_stale);
  check_shape(&l.g->tensors.items[l.g->outputs[0]], "2,3,4");
  loaded_drop(&l);
  m.tensors[0].signature = (make_list){0}; /* nothing is open: a damaged file */
  says(&m, NULL, NULL, "declared as [2,1,4], the operator makes [2,3,4]");
}

static void a_shape_that_only_the_data_say_is_refused(void) {
  make_model m = single(RESHAPE, one, 1);
  m.tensors[1] = (make_tensor){.name = "p", .type = 2, .shape = MAKE_IDS(2)};
  m.inputs = (make_list)MAKE_IDS(0, 1);
  says(&m, NULL, NULL, "only known when the model runs");
  m.tensors[2].shape = (make_list)MAKE_IDS(4, 2); /* declared: believed */
  makes(&m, NULL, "4,2");
}

static void the_hint_names_the_input_that_was_taken(void) {
  const int32_t axis[] = {-1};
  make_model m = single(RESHAPE, axis, 1);
  const int32_t five[] = {5, 2};
  m.buffers[1] = (make_buffer){five, 8, 0, 0};
  m.tensors[1].shape = (make_list)MAKE_IDS(2);
  m.tensors[0].signature = (make_list)MAKE_IDS(-1, 1, 4);
  says(&m, NULL, NULL, "--input-shape x=..");
}

#define TESTS(X)                                                               \
  X(shapes_are_numbers_to_compute_with)                                        \
  X(the_caller_gives_an_inputs_shape)                                          \
  X(a_name_that_no_input_has_is_an_error)                                      \
  X(an_open_input_is_named_with_what_is_known)                                 \
  X(shapes_without_numbers_are_inferred)                                       \
  X(every_operator_that_declares_its_result_infers_it)                         \
  X(a_stale_shape_is_replaced_with_a_warning)                                  \
  X(a_shape_that_only_the_data_say_is_refused)                                 \
  X(the_hint_names_the_input_that_was_taken)

TEST_MAIN(TESTS)
