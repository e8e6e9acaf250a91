/* test_tflite_moves.c - data movement of TFLite files, whose constant inputs
 * become attributes: what comes out, and what broken files are told. */
#include "check.h"
#include "context.h"
#include "loaded.h"
#include "read/tflite/tflite.h"
#include "ref/ref.h"
#include "tflite_make.h"

#include <stdio.h>

static make_file written;
static const int8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8};

/* int8 [2,4], lists of int32, one operator. */
static make_model moving(int32_t code, make_list out) {
  return (make_model){
      .version = 3,
      .subgraph_count = 1,
      .code_count = 1,
      .codes = {{(int8_t)(code < 127 ? code : 127), code, 1, NULL}},
      .buffer_count = 1,
      .tensor_count = 2,
      .tensors = {{.name = "x", .type = 9, .shape = MAKE_IDS(2, 4)},
                  {.name = "y", .type = 9, .shape = out}},
      .op_count = 1,
      .ops = {{.inputs = MAKE_IDS(0), .outputs = MAKE_IDS(1)}},
      .inputs = MAKE_IDS(0),
      .outputs = MAKE_IDS(1)};
}

static void add_list(make_model *m, const int32_t *values, uint32_t count) {
  m->buffers[m->buffer_count] = (make_buffer){values, 4 * count, 0, 0};
  m->tensors[m->tensor_count] = (make_tensor){.name = "list",
                                              .type = 2,
                                              .shape = {1, {(int32_t)count}},
                                              .buffer = m->buffer_count++};
  m->ops[0].inputs.items[m->ops[0].inputs.count++] = (int32_t)m->tensor_count++;
}
#define LIST(m, ...)                                                           \
  add_list(m, (const int32_t[]){__VA_ARGS__},                                  \
           sizeof((int32_t[]){__VA_ARGS__}) / 4)

static loaded read_made(const make_model *m) {
  loaded l = {.ctx = new_ctx()};
  make_write(&written, m);
  l.status = ash_read_tflite(l.ctx, &l.g, written.bytes, written.count, "m");
  return l;
}

static void gives(const make_model *m, const char *kind, const int8_t *want,
                  size_t count) {
  loaded l = read_made(m);
  int8_t got[16] = {0};
  const void *inputs[] = {data};
  void *outputs[] = {got};
  CHECK_EQ(l.status, ASH_OK);
  CHECK_STR(ash_op_kind_text(ash_graph_op(l.g, 0)->kind), kind);
  CHECK_EQ(ash_graph_op(l.g, 0)->input_count, 1);
  CHECK_EQ(ash_ref_run(l.ctx, l.g, inputs, outputs), ASH_OK);
  CHECK(memcmp(got, want, count) == 0);
  loaded_drop(&l);
}
#define GIVES(m, kind, ...)                                                    \
  gives(m, kind, (const int8_t[]){__VA_ARGS__}, sizeof((int8_t[]){__VA_ARGS__}))

static void refuses(const make_model *m, ash_status status, const char *words) {
  loaded l = read_made(m);
  char text[600] = "no diagnostic";
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  if (count)
    (void)ash_diag_format(text, sizeof text, &d[count - 1]);
  const bool good = l.status == status && strstr(text, words);
  if (!good)
    fprintf(stderr, "status %d, want '%s' in: %s\n", (int)l.status, words,
            text);
  loaded_drop(&l);
  CHECK(good);
}

static make_list dims(int32_t a, int32_t b) {
  return (make_list){2, {a, b}};
}

enum { TRANSPOSE = 39, STRIDED_SLICE = 45, SLICE = 65, REVERSE = 105 };

static void transposing_permutes(void) {
  make_model m = moving(TRANSPOSE, dims(4, 2));
  LIST(&m, 1, -2);
  GIVES(&m, "strided", 1, 5, 2, 6, 3, 7, 4, 8);
  m = moving(TRANSPOSE, dims(2, 4));
  LIST(&m, 0, 1);
  GIVES(&m, "reshape", 1, 2, 3, 4, 5, 6, 7, 8);
  m = moving(TRANSPOSE, dims(4, 2));
  LIST(&m, 1, 1);
  refuses(&m, ASH_MALFORMED, "an axis that appears twice is 1");
  m = moving(TRANSPOSE, dims(4, 2));
  refuses(&m, ASH_UNSUPPORTED, "the permutation must be constant");
}

static void slices_take_boxes(void) {
  make_model m = moving(SLICE, dims(1, 3));
  LIST(&m, 1, 1);
  LIST(&m, 1, -1);
  GIVES(&m, "strided", 6, 7, 8);
  m = moving(SLICE, dims(1, 2));
  LIST(&m, 1, 3);
  LIST(&m, 1, 2);
  refuses(&m, ASH_MALFORMED, "outside the input");
  m = moving(SLICE, dims(1, 2));
  LIST(&m, 1);
  LIST(&m, 1, 2);
  refuses(&m, ASH_MALFORMED, "one begin and one size per axis");
}

static void reversing_turns(void) {
  make_model m = moving(REVERSE, dims(2, 4));
  LIST(&m, -1);
  GIVES(&m, "strided", 4, 3, 2, 1, 8, 7, 6, 5);
  m = moving(REVERSE, dims(2, 4));
  LIST(&m, 2);
  refuses(&m, ASH_MALFORMED, "an axis is 2");
}

/* One begin, end and stride for two axes; `mask` is the option's slot. */
static make_model strided(make_list out, uint32_t mask, int32_t bits) {
  make_model m = moving(STRIDED_SLICE, out);
  m.ops[0].options_type = 32;
  m.ops[0].options[0] = (make_field){mask, 4, bits};
  return m;
}

static void strided_slices_step_and_turn(void) {
  make_model m = strided(dims(1, 2), 0, 0);
  LIST(&m, 0, 3);
  LIST(&m, 1, -5);
  LIST(&m, 1, -2);
  GIVES(&m, "strided", 4, 2);
  m = strided((make_list){1, {4}}, 4, 1);
  m.ops[0].options[1] = (make_field){0, 4, 2};
  LIST(&m, -1, 9);
  LIST(&m, 9, 9);
  LIST(&m, 1, 1);
  GIVES(&m, "strided", 5, 6, 7, 8);
  m = strided((make_list){3, {1, 1, 4}}, 3, 1);
  LIST(&m, 0, 1);
  LIST(&m, 0, 3);
  LIST(&m, 1, 1);
  GIVES(&m, "strided", 5, 6, 7, 8);
  m = strided(dims(2, 1), 2, 1);
  LIST(&m, 0, 1);
  LIST(&m, 0, 2);
  LIST(&m, 1, 1);
  GIVES(&m, "strided", 2, 6);
}

static void empty_and_endless_slices_are_refused(void) {
  make_model m = strided(dims(1, 1), 0, 0);
  LIST(&m, 1, 2);
  LIST(&m, 1, 3);
  LIST(&m, 1, 1);
  refuses(&m, ASH_MALFORMED, "an axis of the result is empty");
  m = strided(dims(2, 2), 0, 0);
  LIST(&m, 0, 0);
  LIST(&m, 2, 4);
  LIST(&m, 1, 0);
  refuses(&m, ASH_MALFORMED, "a stride is 0");
}

#define TESTS(X)                                                               \
  X(transposing_permutes)                                                      \
  X(slices_take_boxes)                                                         \
  X(reversing_turns)                                                           \
  X(strided_slices_step_and_turn)                                              \
  X(empty_and_endless_slices_are_refused)

TEST_MAIN(TESTS)
