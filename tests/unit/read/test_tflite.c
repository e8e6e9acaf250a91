/* test_tflite.c - the TFLite reader on models written field by field: what they
 * become, and what broken ones are told. */
#include "check.h"
#include "context.h"
#include "loaded.h"
#include "read/flatbuf.h"
#include "read/read.h"
#include "read/tflite/tflite.h"
#include "tflite_make.h"

static make_file written;

static loaded read_made(const make_model *m) {
  loaded l = {.ctx = new_ctx()};
  make_write(&written, m);
  l.status = ash_read_tflite(l.ctx, &l.g, written.bytes, written.count,
                             "dir/made.tflite");
  return l;
}

/* The model must be refused with this diagnostic, whose text has `words`. */
static void refuses(const make_model *m, ash_status status, ash_diag_id id,
                    const char *words) {
  loaded l = read_made(m);
  char text[600] = "no diagnostic";
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  if (count)
    (void)ash_diag_format(text, sizeof text, &d[count - 1]);
  const bool good = l.status == status && l.g == NULL && count &&
                    d[count - 1].id == (uint32_t)id && strstr(text, words);
  if (!good)
    fprintf(stderr, "status %d, want '%s' in: %s\n", (int)l.status, words,
            text);
  loaded_drop(&l);
  CHECK(good);
}

static void reads(const make_model *m) {
  loaded l = read_made(m);
  char text[600] = "";
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  if (count)
    (void)ash_diag_format(text, sizeof text, &d[count - 1]);
  const ash_status status = l.status;
  loaded_drop(&l);
  if (status != ASH_OK)
    fprintf(stderr, "%s\n", text);
  CHECK_EQ(status, ASH_OK);
}

static void reads_a_small_model_whole(void) {
  const make_model m = make_good_model();
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_STR(ash_graph_name(l.g), "made");
  CHECK_EQ(ash_graph_tensor_count(l.g), 7);
  CHECK_EQ(ash_graph_op_count(l.g), 3);
  const ash_op *conv = ash_graph_op(l.g, 0);
  CHECK_STR(conv->id, "conv_2d_0");
  check_pads(conv, 1, 0, 1, 1); /* 5 -> 3 pads 2, 4 -> 2 pads 1 */
  CHECK_STR(ash_attr_string(conv, "act", ""), "relu");
  CHECK_EQ(ash_attr_int(conv, "stride_h", 0), 2);
  const ash_tensor *w = tensor_by_id(l.g, "1");
  CHECK_EQ(w->kind, ASH_TENSOR_CONSTANT);
  CHECK(w->data >= written.bytes && w->data < written.bytes + written.count);
  CHECK_EQ(w->data - written.bytes, w->file_byte);
  CHECK(memcmp(w->data, m.buffers[1].data, m.buffers[1].count) == 0);
  CHECK_EQ(w->quant.count, 3);
  CHECK(w->quant.scale[2] == 3.0f);
  CHECK_EQ(tensor_by_id(l.g, "0")->kind, ASH_TENSOR_INPUT);
  CHECK_EQ(tensor_by_id(l.g, "0")->quant.zero_point[0], -128);
  CHECK_EQ(tensor_by_id(l.g, "3")->kind, ASH_TENSOR_ACTIVATION);
  CHECK(tensor_by_id(l.g, "6")->is_output);
  CHECK(ash_attr_float(ash_graph_op(l.g, 2), "beta", 0) == 1.0);
  CHECK_EQ(l.ctx->scratch.newest == NULL, 1);
  loaded_drop(&l);
}

static void leaves_unused_tensors_out(void) {
  make_model m = make_good_model();
  m.tensors[m.tensor_count++] =
      (make_tensor){.name = "idle", .type = 5, .shape = MAKE_IDS(-1)};
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_tensor_count(l.g), 7);
  loaded_drop(&l);
}

static void resolves_valid_padding_to_none(void) {
  make_model m = make_good_model();
  m.ops[0].options[0].value = 1;
  m.tensors[3].shape = (make_list)MAKE_IDS(1, 2, 1, 3);
  m.tensors[5].shape = m.tensors[6].shape = (make_list)MAKE_IDS(1, 6);
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  check_pads(ash_graph_op(l.g, 0), 0, 0, 0, 0);
  loaded_drop(&l);
}

static void takes_the_stored_shape_for_an_open_batch_and_says_so(void) {
  make_model m = make_good_model();
  m.tensors[0].signature = (make_list)MAKE_IDS(-1, 5, 4, 2);
  m.tensors[3].signature = (make_list)MAKE_IDS(-1, 3, 2, 3);
  loaded l = read_made(&m);
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(count, 1);
  CHECK_EQ(d->severity, ASH_NOTE);
  CHECK_EQ(d->id, ASH_D_tensor_assumed);
  CHECK(strstr(d->message, "[-1,5,4,2]") && strstr(d->message, "[1,5,4,2]"));
  CHECK_STR(d->loc.tensor_name, "x");
  loaded_drop(&l);
}

static void reads_vectors_that_are_aligned_to_four(void) {
  make_model m = make_good_model();
  m.by_fours = true;
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(tensor_by_id(l.g, "0")->quant.zero_point[0], m.tensors[0].zero[0]);
  loaded_drop(&l);
}

static void names_the_subgraphs_it_ignores(void) {
  make_model m = make_good_model();
  m.subgraph_count = 3;
  loaded l = read_made(&m);
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(count, 1);
  CHECK_EQ(d->id, ASH_D_tflite_subgraphs);
  loaded_drop(&l);
}

static void finds_constants_after_the_flatbuffer(void) {
  make_model m = make_good_model();
  const make_buffer w = m.buffers[1];
  m.buffers[1] = (make_buffer){.offset = 1 << 15, .size = w.count};
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_bytes, "'w' at byte 0x8000");
  make_write(&written, &m);
  CHECK(written.count < 1 << 15);
  memset(written.bytes + written.count, 0, MAKE_BYTES - written.count);
  memcpy(written.bytes + (1 << 15), w.data, w.count);
  loaded l = {.ctx = new_ctx()};
  l.status =
      ash_read_tflite(l.ctx, &l.g, written.bytes, (1 << 15) + w.count, NULL);
  CHECK_EQ(l.status, ASH_OK);
  CHECK(tensor_by_id(l.g, "1")->data == written.bytes + (1 << 15));
  CHECK_STR(ash_graph_name(l.g), "model");
  loaded_drop(&l);
}

static void keeps_variables_and_absent_inputs(void) {
  make_model m = make_good_model();
  m.tensors[2].variable = 1;
  reads(&m);
  m = make_good_model();
  m.ops[0].inputs = (make_list)MAKE_IDS(0, 1, -1);
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_op(l.g, 0)->input_count, 3);
  CHECK_EQ(ash_graph_op(l.g, 0)->inputs[2], ASH_NO_ID);
  CHECK_EQ(ash_graph_tensor_count(l.g), 6);
  loaded_drop(&l);
}

static void reads_packed_int4_and_empty_constants(void) {
  make_model m = make_good_model();
  m.tensors[1].type = 17;
  m.codes[0].version = 7;
  m.buffers[1].count /= 2;
  reads(&m);
  m = make_good_model(); /* softmax over a scalar: the new shape is empty */
  m.op_count = 1;
  m.ops[0] = (make_op){.code = 1,
                       .inputs = MAKE_IDS(0, 4),
                       .outputs = MAKE_IDS(5),
                       .options_type = 17};
  m.tensors[0].shape = (make_list)MAKE_IDS(1);
  m.tensors[4].shape = (make_list)MAKE_IDS(0);
  m.tensors[4].buffer = 0;
  m.tensors[5].shape.count = 0;
  m.outputs = (make_list)MAKE_IDS(5);
  reads(&m);
}

static void takes_the_new_shape_from_options_too(void) {
  make_model m = make_good_model();
  m.ops[1].inputs = (make_list)MAKE_IDS(3);
  m.ops[1].options_vector = (make_list)MAKE_IDS(-1, 18);
  reads(&m);
  m.ops[1].options_vector = (make_list)MAKE_IDS(2, 9);
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "op 1 reshape tensor 5 'z'");
}

/* ---- refusals ------------------------------------------------------------ */

static void refuses_bad_headers(void) {
  make_model m = make_good_model();
  m.version = 4;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tflite_version, "version 4");
  m = make_good_model();
  m.subgraph_count = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_subgraph, "no subgraph");
  m = make_good_model();
  m.outputs.count = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_subgraph, "no output");
}

static void refuses_operators_it_does_not_know(void) {
  make_model m = make_good_model();
  m.codes[2] = (make_code){103, 103, 1, NULL};
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_unsupported, "op 2 UNIQUE");
  m.codes[2] = (make_code){127, 206, 1, NULL};
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_unsupported, "STABLEHLO_COMPOSITE");
  m.codes[2] = (make_code){127, 777, 1, NULL};
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_unsupported, "TFLite operator 777");
  m.codes[2] = (make_code){32, 32, 1, "ethos-u"};
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_custom, "before Vela");
  m.codes[2] = (make_code){25, 25, 9, NULL};
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_version, "version 9 of SOFTMAX");
}

/* An empty shape without the flag has_rank is one that nobody knows. */
static void custom_operators_need_the_shapes_of_their_results(void) {
  static const char *const names[] = {"Detect"};
  const ash_load_options o = {.customs = names, .custom_count = 1};
  make_model m = make_good_model();
  m.codes[2] = (make_code){32, 32, 1, "Detect"};
  for (uint32_t open = 0; open < 2; open++) {
    loaded l = {.ctx = new_ctx()};
    if (open)
      m.tensors[6].shape.count = 0;
    make_write(&written, &m);
    l.status = ash_read_tflite_with(l.ctx, &l.g, written.bytes, written.count,
                                    "made.tflite", &o);
    CHECK_EQ(l.status, open ? ASH_UNSUPPORTED : ASH_OK);
    loaded_drop(&l);
  }
}

static void refuses_indices_out_of_range(void) {
  make_model m = make_good_model();
  m.ops[2].code = 3;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "op 2: ");
  m = make_good_model();
  m.ops[1].inputs.items[0] = 7;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "tensor 7 does not exist");
  m = make_good_model();
  m.ops[1].outputs.items[0] = -1;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "op 1 reshape");
  m = make_good_model();
  m.tensors[1].buffer = 4;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "tensor 1 'w'");
  m = make_good_model();
  m.inputs = (make_list)MAKE_IDS(0, 0);
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "twice");
}

static void refuses_bad_tensors(void) {
  make_model m = make_good_model();
  m.tensors[0].type = 5;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_type,
          "tensor 0 'x': error "
          "ASH2020: element type "
          "string");
  m.tensors[0].type = 99;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_type, "number 99");
  m = make_good_model();
  m.tensors[1].shape.items[0] = -1;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_dynamic, "batch_size=1");
  m = make_good_model();
  m.tensors[3].shape.items[2] = -7;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_shape, "[1,3,-7,3]");
  m = make_good_model();
  m.tensors[3].shape =
      (make_list)MAKE_IDS(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_shape, "tensor 3 'y'");
  m = make_good_model();
  m.buffers[1].count--;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_bytes,
          "stores 53 bytes, shape and "
          "type need 54");
  m = make_good_model();
  m.tensors[1].sparse = 1;
  refuses(&m, ASH_MALFORMED, ASH_D_flatbuffer, "vtable");
  m = make_good_model();
  m.tensors[1].external = 1;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_storage, "another file");
}

static void refuses_bad_quantisation(void) {
  make_model m = make_good_model();
  m.tensors[1].scale[1] = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "positive finite");
  m = make_good_model();
  m.tensors[1].zero[1] = 128;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "zero point");
  m.tensors[1].zero[1] = (int64_t)1 << 32;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "zero point");
  m = make_good_model();
  m.tensors[1].scale_count = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "2 scales but 3 zero points");
  m.tensors[1].zero_count = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "2 scales for 3 elements");
  m = make_good_model();
  m.tensors[1].axis = 4;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "axis 4 of 4");
  m = make_good_model();
  m.tensors[1].details = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "block-wise");
  m = make_good_model();
  m.tensors[1].details = 1;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_storage, "custom quantisation");
  m = make_good_model();
  m.tensors[3].scale_count = 0;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_quant, "op 0 conv_2d tensor 3 'y'");
}

static void refuses_bad_operators(void) {
  make_model m = make_good_model();
  m.tensors[0].type = 0;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_types, "(float32 int8 int32)");
  m = make_good_model();
  m.ops[0].inputs = (make_list)MAKE_IDS(0, 1, 2, 2);
  refuses(&m, ASH_MALFORMED, ASH_D_op_arity, "op 0 conv_2d");
  m.ops[0].inputs = (make_list)MAKE_IDS(0);
  refuses(&m, ASH_MALFORMED, ASH_D_op_arity, "number of inputs");
  m.ops[0].inputs = (make_list)MAKE_IDS(0, -1, 2);
  refuses(&m, ASH_MALFORMED, ASH_D_op_arity, "required input is absent");
  m = make_good_model();
  m.ops[0].options[1].value = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "stride_w is 0");
  m = make_good_model();
  m.ops[0].options[0].value = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "padding");
  m = make_good_model();
  m.ops[0].options[3].value = 6;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "activation");
  m = make_good_model();
  m.ops[0].options_type = 5;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "another operator");
  m = make_good_model();
  m.tensors[0].shape = (make_list)MAKE_IDS(5, 4, 2);
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "op 0 conv_2d tensor 0 'x'");
}

static void refuses_orders_that_are_not_topological(void) {
  make_model m = make_good_model();
  const make_op first = m.ops[0];
  m.ops[0] = m.ops[1];
  m.ops[1] = first;
  refuses(&m, ASH_MALFORMED, ASH_D_op_order,
          "op 0 reshape tensor 3 'y': error ASH2035: the operator reads what "
          "only operator 1 writes");
  m = make_good_model();
  m.inputs.count = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_op_order, "op 0 conv_2d tensor 0 'x'");
  m = make_good_model();
  m.ops[2].outputs.items[0] = 3;
  refuses(&m, ASH_MALFORMED, ASH_D_op_writes, "already written by operator 0");
  m = make_good_model();
  m.ops[2].outputs.items[0] = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_op_writes, "an input of the model");
  m = make_good_model();
  m.ops[2].outputs.items[0] = 4;
  refuses(&m, ASH_MALFORMED, ASH_D_op_writes, "'s'");
  m = make_good_model();
  m.op_count = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_op_order, "tensor 6 'p'");
}

static void says_what_a_file_that_is_no_model_looks_like(void) {
  static const struct {
    const char *bytes;
    size_t count;
    const char *words;
  } files[] = {
      {"", 0, "empty"},
      {"PK\003\004xxxxxxxx", 12, "zip"},
      {"\x1f\x8b\x08xxxxx", 8, "gzip"},
      {"\x89HDF\r\n\x1a\nxxxx", 12, "Keras"},
      {"version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull"},
      {"{\"a\": 1}", 8, "JSON"},
      {"\x7f"
       "ELF\2\1\1",
       7, "ELF"},
      {"\x18\0\0\0TFL2xxxx", 12, "schema version"},
      {"ab", 2, "61 62"},
  };
  for (size_t i = 0; i < ASH_COUNT_OF(files); i++) {
    ash_ctx *ctx = new_ctx();
    ash_graph *g;
    char text[600];
    size_t count;
    CHECK_EQ(ash_read_model(ctx, &g, (const uint8_t *)files[i].bytes,
                            files[i].count, "f"),
             ASH_MALFORMED);
    CHECK(g == NULL);
    (void)ash_diag_format(text, sizeof text, ash_ctx_diags(ctx, &count));
    if (!strstr(text, files[i].words))
      CHECK_STR(text, files[i].words);
    ash_ctx_free(ctx);
  }
}

#define TESTS(X)                                                               \
  X(reads_a_small_model_whole)                                                 \
  X(leaves_unused_tensors_out)                                                 \
  X(resolves_valid_padding_to_none)                                            \
  X(takes_the_stored_shape_for_an_open_batch_and_says_so)                      \
  X(reads_vectors_that_are_aligned_to_four)                                    \
  X(names_the_subgraphs_it_ignores)                                            \
  X(finds_constants_after_the_flatbuffer)                                      \
  X(keeps_variables_and_absent_inputs)                                         \
  X(reads_packed_int4_and_empty_constants)                                     \
  X(takes_the_new_shape_from_options_too)                                      \
  X(refuses_bad_headers)                                                       \
  X(refuses_operators_it_does_not_know)                                        \
  X(custom_operators_need_the_shapes_of_their_results)                         \
  X(refuses_indices_out_of_range)                                              \
  X(refuses_bad_tensors)                                                       \
  X(refuses_bad_quantisation)                                                  \
  X(refuses_bad_operators)                                                     \
  X(refuses_orders_that_are_not_topological)                                   \
  X(says_what_a_file_that_is_no_model_looks_like)

TEST_MAIN(TESTS)
