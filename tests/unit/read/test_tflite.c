/* test_tflite.c - the TFLite reader: what real models become, what broken ones
 * are told, and that no bytes whatever can hurt it. */
#include "base/file.h"
#include "base/rng.h"
#include "check.h"
#include "faulty.h"
#include "graph/verify.h"
#include "read/flatbuf.h"
#include "read/read.h"
#include "read/tflite/tflite.h"
#include "tflite_make.h"

#include <dirent.h>

#define MODELS TEST_SOURCE_DIR "/../shared/data/models"

/* ---- helpers ------------------------------------------------------------- */

static ash_ctx *new_ctx(void) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  return ctx;
}

/* A model read from a file; everything is freed by drop. */
typedef struct loaded {
  ash_ctx *ctx;
  ash_file file;
  ash_graph *g;
  ash_status status;
} loaded;

static loaded load(const char *path) {
  loaded l = {.ctx = new_ctx()};
  if (ash_file_read(l.ctx, &l.file, path) != ASH_OK) {
    ash_file_drop(&l.file);
    ash_ctx_free(l.ctx);
    SKIP("the shared models are not here");
  }
  l.status = ash_read_model(l.ctx, &l.g, l.file.bytes, l.file.count, path);
  return l;
}

static void drop(loaded *l) {
  ash_graph_free(l->g);
  ash_file_drop(&l->file);
  ash_ctx_free(l->ctx);
}

static const ash_tensor *by_id(const ash_graph *g, const char *id) {
  for (uint32_t i = 0; i < ash_graph_tensor_count(g); i++)
    if (strcmp(ash_graph_tensor(g, i)->id, id) == 0)
      return ash_graph_tensor(g, i);
  CHECK_STR(id, "the id of a tensor");
  return NULL;
}

static void check_shape(const ash_tensor *t, const char *want) {
  char text[128] = "";
  for (uint32_t i = 0; i < t->shape.rank; i++) {
    const size_t n = strlen(text);
    (void)snprintf(text + n, sizeof text - n, "%s%d", i ? "," : "",
                   (int)t->shape.dim[i]);
  }
  CHECK_STR(text, want);
}

static void check_pads(const ash_op *op, int top, int left, int bottom,
                       int right) {
  CHECK_EQ(ash_op_int(op, "pad_top", -1), top);
  CHECK_EQ(ash_op_int(op, "pad_left", -1), left);
  CHECK_EQ(ash_op_int(op, "pad_bottom", -1), bottom);
  CHECK_EQ(ash_op_int(op, "pad_right", -1), right);
}

/* ---- a small model, good unless a test breaks it ------------------------- */

/* x int8[1,5,4,2] -> conv 3x3 SAME stride 2 -> y -> reshape -> z -> softmax */
static const int8_t weights[3 * 3 * 3 * 2] = {1, 2, 3, -4};
static const int32_t bias[3] = {5, 6, 7};
static const int32_t new_shape[2] = {1, -1};

static make_model good_model(void) {
  return (make_model){
      .version = 3,
      .subgraph_count = 1,
      .code_count = 3,
      .codes = {{3, 3, 3, NULL}, {22, 0, 1, NULL}, {25, 25, 2, NULL}},
      .buffer_count = 4,
      .buffers = {{0},
                  {weights, sizeof weights, 0, 0},
                  {bias, sizeof bias, 0, 0},
                  {new_shape, sizeof new_shape, 0, 0}},
      .tensor_count = 7,
      .tensors = {{.name = "x",
                   .type = 9,
                   .shape = MAKE_IDS(1, 5, 4, 2),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.5f},
                   .zero = {-128}},
                  {.name = "w",
                   .type = 9,
                   .shape = MAKE_IDS(3, 3, 3, 2),
                   .buffer = 1,
                   .scale_count = 3,
                   .zero_count = 3,
                   .scale = {1, 2, 3}},
                  {.name = "b",
                   .type = 2,
                   .shape = MAKE_IDS(3),
                   .buffer = 2,
                   .scale_count = 3,
                   .zero_count = 3,
                   .scale = {1, 2, 3}},
                  {.name = "y",
                   .type = 9,
                   .shape = MAKE_IDS(1, 3, 2, 3),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.25f}},
                  {.name = "s", .type = 2, .shape = MAKE_IDS(2), .buffer = 3},
                  {.name = "z",
                   .type = 9,
                   .shape = MAKE_IDS(1, 18),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.25f}},
                  {.name = "p",
                   .type = 9,
                   .shape = MAKE_IDS(1, 18),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.00390625f},
                   .zero = {-128}}},
      .op_count = 3,
      .ops = {{.code = 0,
               .inputs = MAKE_IDS(0, 1, 2),
               .outputs = MAKE_IDS(3),
               .options_type = 1,
               .options = {{0, 1, 0}, {1, 4, 2}, {2, 4, 2}, {3, 1, 1}}},
              {.code = 1,
               .inputs = MAKE_IDS(3, 4),
               .outputs = MAKE_IDS(5),
               .options_type = 17},
              {.code = 2,
               .inputs = MAKE_IDS(5),
               .outputs = MAKE_IDS(6),
               .options_type = 9,
               .options = {{0, 4, 0x3f800000}}}},
      .inputs = MAKE_IDS(0),
      .outputs = MAKE_IDS(6),
  };
}

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
  drop(&l);
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
  drop(&l);
  if (status != ASH_OK)
    fprintf(stderr, "%s\n", text);
  CHECK_EQ(status, ASH_OK);
}

static void reads_a_small_model_whole(void) {
  const make_model m = good_model();
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_STR(ash_graph_name(l.g), "made");
  CHECK_EQ(ash_graph_tensor_count(l.g), 7);
  CHECK_EQ(ash_graph_op_count(l.g), 3);
  const ash_op *conv = ash_graph_op(l.g, 0);
  CHECK_STR(conv->id, "conv_2d_0");
  check_pads(conv, 1, 0, 1, 1); /* 5 -> 3 pads 2, 4 -> 2 pads 1 */
  CHECK_STR(ash_op_string(conv, "act", ""), "relu");
  CHECK_EQ(ash_op_int(conv, "stride_h", 0), 2);
  const ash_tensor *w = by_id(l.g, "1");
  CHECK_EQ(w->kind, ASH_TENSOR_CONSTANT);
  CHECK(w->data >= written.bytes && w->data < written.bytes + written.count);
  CHECK_EQ(w->data - written.bytes, w->file_byte);
  CHECK(memcmp(w->data, weights, sizeof weights) == 0);
  CHECK_EQ(w->quant.count, 3);
  CHECK(w->quant.scale[2] == 3.0f);
  CHECK_EQ(by_id(l.g, "0")->kind, ASH_TENSOR_INPUT);
  CHECK_EQ(by_id(l.g, "0")->quant.zero_point[0], -128);
  CHECK_EQ(by_id(l.g, "3")->kind, ASH_TENSOR_ACTIVATION);
  CHECK(by_id(l.g, "6")->is_output);
  CHECK(ash_op_float(ash_graph_op(l.g, 2), "beta", 0) == 1.0);
  CHECK_EQ(l.ctx->scratch.newest == NULL, 1);
  drop(&l);
}

static void leaves_unused_tensors_out(void) {
  make_model m = good_model();
  m.tensors[m.tensor_count++] =
      (make_tensor){.name = "idle", .type = 5, .shape = MAKE_IDS(-1)};
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_tensor_count(l.g), 7);
  drop(&l);
}

static void resolves_valid_padding_to_none(void) {
  make_model m = good_model();
  m.ops[0].options[0].value = 1;
  m.tensors[3].shape = (make_list)MAKE_IDS(1, 2, 1, 3);
  m.tensors[5].shape = m.tensors[6].shape = (make_list)MAKE_IDS(1, 6);
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  check_pads(ash_graph_op(l.g, 0), 0, 0, 0, 0);
  drop(&l);
}

static void takes_the_stored_shape_for_an_open_batch_and_says_so(void) {
  make_model m = good_model();
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
  drop(&l);
}

static void names_the_subgraphs_it_ignores(void) {
  make_model m = good_model();
  m.subgraph_count = 3;
  loaded l = read_made(&m);
  size_t count;
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(count, 1);
  CHECK_EQ(d->id, ASH_D_tflite_subgraphs);
  drop(&l);
}

static void finds_constants_behind_the_flatbuffer(void) {
  make_model m = good_model();
  m.buffers[1] = (make_buffer){.offset = 1 << 15, .size = sizeof weights};
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_bytes, "'w' at byte 0x8000");
  make_write(&written, &m);
  CHECK(written.count < 1 << 15);
  memset(written.bytes + written.count, 0, MAKE_BYTES - written.count);
  memcpy(written.bytes + (1 << 15), weights, sizeof weights);
  loaded l = {.ctx = new_ctx()};
  l.status = ash_read_tflite(l.ctx, &l.g, written.bytes,
                             (1 << 15) + sizeof weights, NULL);
  CHECK_EQ(l.status, ASH_OK);
  CHECK(by_id(l.g, "1")->data == written.bytes + (1 << 15));
  CHECK_STR(ash_graph_name(l.g), "model");
  drop(&l);
}

static void keeps_variables_and_absent_inputs(void) {
  make_model m = good_model();
  m.tensors[2].variable = 1;
  reads(&m);
  m = good_model();
  m.ops[0].inputs = (make_list)MAKE_IDS(0, 1, -1);
  loaded l = read_made(&m);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_op(l.g, 0)->input_count, 3);
  CHECK_EQ(ash_graph_op(l.g, 0)->inputs[2], ASH_NO_ID);
  CHECK_EQ(ash_graph_tensor_count(l.g), 6);
  drop(&l);
}

static void reads_packed_int4_and_empty_constants(void) {
  make_model m = good_model();
  m.tensors[1].type = 17;
  m.codes[0].version = 7;
  m.buffers[1].count = sizeof weights / 2;
  reads(&m);
  m = good_model(); /* softmax over a scalar: the new shape is empty */
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
  make_model m = good_model();
  m.ops[1].inputs = (make_list)MAKE_IDS(3);
  m.ops[1].options_vector = (make_list)MAKE_IDS(-1, 18);
  reads(&m);
  m.ops[1].options_vector = (make_list)MAKE_IDS(2, 9);
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "op 1 reshape tensor 5 'z'");
}

/* ---- refusals ------------------------------------------------------------ */

static void refuses_bad_headers(void) {
  make_model m = good_model();
  m.version = 4;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tflite_version, "version 4");
  m = good_model();
  m.subgraph_count = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_subgraph, "no subgraph");
  m = good_model();
  m.outputs.count = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_subgraph, "no output");
}

static void refuses_operators_it_does_not_know(void) {
  make_model m = good_model();
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

static void refuses_indices_out_of_range(void) {
  make_model m = good_model();
  m.ops[2].code = 3;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "op 2: ");
  m = good_model();
  m.ops[1].inputs.items[0] = 7;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "tensor 7 does not exist");
  m = good_model();
  m.ops[1].outputs.items[0] = -1;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "op 1 reshape");
  m = good_model();
  m.tensors[1].buffer = 4;
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "tensor 1 'w'");
  m = good_model();
  m.inputs = (make_list)MAKE_IDS(0, 0);
  refuses(&m, ASH_MALFORMED, ASH_D_tflite_index, "twice");
}

static void refuses_bad_tensors(void) {
  make_model m = good_model();
  m.tensors[0].type = 5;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_type,
          "tensor 0 'x': error "
          "ASH2020: element type "
          "string");
  m.tensors[0].type = 99;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_type, "number 99");
  m = good_model();
  m.tensors[0].shape.items[0] = -1;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_dynamic, "batch_size=1");
  m = good_model();
  m.tensors[3].shape.items[0] = 0;
  m.tensors[3].signature = (make_list)MAKE_IDS(-1, 3, 2, 3);
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_dynamic, "tensor 3 'y'");
  m = good_model();
  m.tensors[3].shape.items[2] = -7;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_shape, "[1,3,-7,3]");
  m = good_model();
  m.tensors[3].shape =
      (make_list)MAKE_IDS(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_shape, "tensor 3 'y'");
  m = good_model();
  m.buffers[1].count--;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_bytes,
          "stores 53 bytes, shape and "
          "type need 54");
  m = good_model();
  m.tensors[1].sparse = 1;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_storage, "sparse");
  m = good_model();
  m.tensors[1].external = 1;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_storage, "another file");
}

static void refuses_bad_quantisation(void) {
  make_model m = good_model();
  m.tensors[1].scale[1] = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "positive finite");
  m = good_model();
  m.tensors[1].zero[1] = 128;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "zero point");
  m.tensors[1].zero[1] = (int64_t)1 << 32;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "zero point");
  m = good_model();
  m.tensors[1].scale_count = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "2 scales but 3 zero points");
  m.tensors[1].zero_count = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "2 scales for 3 elements");
  m = good_model();
  m.tensors[1].axis = 4;
  refuses(&m, ASH_MALFORMED, ASH_D_tensor_quant, "axis 4 of 4");
  m = good_model();
  m.tensors[1].details = 2;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_storage, "block-wise");
  m = good_model();
  m.tensors[3].scale_count = 0;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_tensor_quant, "op 0 conv_2d tensor 3 'y'");
}

static void refuses_bad_operators(void) {
  make_model m = good_model();
  m.tensors[0].type = 0;
  refuses(&m, ASH_UNSUPPORTED, ASH_D_op_types, "(float32 int8 int32)");
  m = good_model();
  m.ops[0].inputs = (make_list)MAKE_IDS(0, 1, 2, 2);
  refuses(&m, ASH_MALFORMED, ASH_D_op_arity, "op 0 conv_2d");
  m.ops[0].inputs = (make_list)MAKE_IDS(0);
  refuses(&m, ASH_MALFORMED, ASH_D_op_arity, "number of inputs");
  m.ops[0].inputs = (make_list)MAKE_IDS(0, -1, 2);
  refuses(&m, ASH_MALFORMED, ASH_D_op_arity, "required input is absent");
  m = good_model();
  m.ops[0].options[1].value = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "stride_w is 0");
  m = good_model();
  m.ops[0].options[0].value = 2;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "padding");
  m = good_model();
  m.ops[0].options[3].value = 6;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "activation");
  m = good_model();
  m.ops[0].options_type = 5;
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "another operator");
  m = good_model();
  m.tensors[0].shape = (make_list)MAKE_IDS(5, 4, 2);
  refuses(&m, ASH_MALFORMED, ASH_D_op_options, "op 0 conv_2d tensor 0 'x'");
}

static void refuses_orders_that_are_not_topological(void) {
  make_model m = good_model();
  const make_op first = m.ops[0];
  m.ops[0] = m.ops[1];
  m.ops[1] = first;
  refuses(&m, ASH_MALFORMED, ASH_D_op_order,
          "op 0 reshape tensor 3 'y': error ASH2035: the operator reads what "
          "only operator 1 writes");
  m = good_model();
  m.inputs.count = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_op_order, "op 0 conv_2d tensor 0 'x'");
  m = good_model();
  m.ops[2].outputs.items[0] = 3;
  refuses(&m, ASH_MALFORMED, ASH_D_op_writes, "already written by operator 0");
  m = good_model();
  m.ops[2].outputs.items[0] = 0;
  refuses(&m, ASH_MALFORMED, ASH_D_op_writes, "an input of the model");
  m = good_model();
  m.ops[2].outputs.items[0] = 4;
  refuses(&m, ASH_MALFORMED, ASH_D_op_writes, "'s'");
  m = good_model();
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

/* ---- hostile bytes ------------------------------------------------------- */

/* Reading must end in a status; a graph must have its constants inside. */
static ash_status survive(const uint8_t *bytes, size_t count) {
  ash_ctx *ctx = new_ctx();
  ash_graph *g;
  const ash_status status = ash_read_tflite(ctx, &g, bytes, count, "f");
  CHECK((status == ASH_OK) == (g != NULL));
  CHECK(status != ASH_INTERNAL && status != ASH_NOMEM);
  for (uint32_t i = 0; g && i < ash_graph_tensor_count(g); i++) {
    const ash_tensor *t = ash_graph_tensor(g, i);
    CHECK(!t->data || t->file_byte == UINT64_MAX || /* decoded */
          (t->data >= bytes && t->bytes <= count &&
           t->data + t->bytes <= bytes + count));
  }
  size_t said;
  (void)ash_ctx_diags(ctx, &said);
  CHECK(status == ASH_OK || said > 0);
  ash_graph_free(g);
  ash_ctx_free(ctx);
  return status;
}

/* A copy of exactly that size, so that a sanitizer sees one byte too many. */
static ash_status survive_exactly(const uint8_t *bytes, size_t count) {
  uint8_t *copy = malloc(count ? count : 1);
  CHECK(copy != NULL);
  memcpy(copy, bytes, count);
  const ash_status status = survive(copy, count);
  free(copy);
  return status;
}

static void survives_every_truncation(void) {
  const make_model m = good_model();
  make_write(&written, &m);
  for (size_t n = 0; n < written.count; n++)
    CHECK(survive_exactly(written.bytes, n) != ASH_OK);
  CHECK_EQ(survive_exactly(written.bytes, written.count), ASH_OK);
}

static void survives_random_bit_flips(void) {
  const make_model m = good_model();
  ash_rng rng = {11};
  size_t unharmed = 0;
  make_write(&written, &m);
  const size_t count = written.count;
  for (int i = 0; i < 10000; i++) {
    static make_file copy;
    memcpy(copy.bytes, written.bytes, count);
    for (uint64_t k = 1 + ash_rng_below(&rng, 3); k; k--)
      copy.bytes[ash_rng_below(&rng, count)] ^=
          (uint8_t)(1u << ash_rng_below(&rng, 8));
    unharmed += survive(copy.bytes, count) == ASH_OK;
  }
  CHECK(unharmed > 100 && unharmed < 9900);
}

static void survives_extreme_words_anywhere(void) {
  static const uint32_t extremes[] = {0,          1,          0x7fffffff,
                                      0x80000000, 0xffffffff, 0xfffffffc,
                                      0x00010000, 0x3fffffff};
  const make_model m = good_model();
  make_write(&written, &m);
  for (size_t at = 8; at + 4 <= written.count; at += 4)
    for (size_t k = 0; k < ASH_COUNT_OF(extremes); k++) {
      static make_file copy;
      memcpy(copy.bytes, written.bytes, written.count);
      for (uint32_t b = 0; b < 4; b++)
        copy.bytes[at + b] = (uint8_t)(extremes[k] >> (8 * b));
      (void)survive(copy.bytes, written.count);
    }
}

/* A vector of references that all lead to one table with a long vector: small
 * in the file, enormous to visit. */
static void refuses_to_visit_shared_parts_for_ever(void) {
  enum { REFS = 8000, LONG = 8000 };
  size_t w[16] = {0};
  make_file *f = &written;
  f->count = 0;
  make_put(f, 0, 4);
  for (const char *p = "TFL3"; *p; p++)
    make_put(f, (uint8_t)*p, 1);
  make_child(f, 0, w, (make_field[]){{0, 4, 3}, {1, 4, 0}, {2, 4, 0}}, 3);
  const size_t subgraphs = make_refs(f, w[2], 1);
  const size_t codes = make_refs(f, w[1], 1);
  const make_code code = {0, 0, 1, NULL};
  make_put_code(f, codes, &code);
  make_child(f, subgraphs, w, (make_field[]){{3, 4, 0}}, 1);
  const size_t ops = make_refs(f, w[3], REFS);
  make_child(f, ops, w, (make_field[]){{0, 4, 0}, {1, 4, 0}}, 2);
  const size_t table = w[0] - 4;
  make_count(f, w[1], LONG, 4);
  for (uint32_t i = 0; i < LONG; i++)
    make_put(f, UINT32_MAX, 4);
  for (uint32_t i = 0; i < REFS; i++) { /* all lead to the one operator */
    const size_t end = f->count;
    f->count = table;
    make_patch(f, ops + 4 * i);
    f->count = end;
  }
  ash_ctx *ctx = new_ctx();
  ash_graph *g;
  size_t count;
  CHECK_EQ(ash_read_tflite(ctx, &g, f->bytes, f->count, "f"), ASH_MALFORMED);
  CHECK_EQ(ash_ctx_diags(ctx, &count)->id, ASH_D_flatbuffer);
  CHECK(strstr(ash_ctx_diags(ctx, &count)->message, "more often") != NULL);
  ash_ctx_free(ctx);
}

/* ---- allocation failure -------------------------------------------------- */

static void every_failed_allocation_is_reported_and_nothing_leaks(void) {
  make_model m = good_model();
  m.tensors[0].signature = (make_list)MAKE_IDS(-1, 5, 4, 2);
  make_write(&written, &m);
  for (size_t n = 1;; n++) {
    faulty f = {.fail_at = n};
    const ash_allocator mem = faulty_allocator(&f);
    ash_ctx *ctx;
    ash_graph *g = NULL;
    ash_status status = ash_ctx_new(&ctx, &mem);
    if (status == ASH_OK)
      status = ash_read_tflite(ctx, &g, written.bytes, written.count, "f");
    ash_graph_free(g);
    ash_ctx_free(ctx);
    CHECK_EQ(f.live_bytes, 0);
    if (status == ASH_OK)
      break;
    CHECK_EQ(status, ASH_NOMEM);
  }
}

/* ---- the models of others ------------------------------------------------ */

/* Values below were read with LiteRT's interpreter. */
static void reads_visual_wake_words_as_litert_does(void) {
  loaded l = load(MODELS "/tiny/vww_96_int8.tflite");
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_op_count(l.g), 31);
  CHECK_EQ(ash_graph_tensor_count(l.g), 89);
  const ash_op *conv = ash_graph_op(l.g, 0);
  check_pads(conv, 0, 0, 1, 1);
  CHECK_STR(ash_op_string(conv, "act", ""), "relu");
  check_shape(by_id(l.g, "0"), "1,96,96,3");
  check_shape(by_id(l.g, "44"), "8,3,3,3");
  check_shape(by_id(l.g, "58"), "1,48,48,8");
  CHECK_EQ(by_id(l.g, "0")->quant.zero_point[0], -128);
  CHECK(by_id(l.g, "0")->quant.scale[0] == 0x1.010102p-8f);
  const ash_quant *q = &by_id(l.g, "44")->quant;
  CHECK(q->count == 8 && q->axis == 0 && q->scale[1] == 0x1.7cdb1ep-7f);
  q = &by_id(l.g, "5")->quant;
  CHECK(q->count == 8 && q->axis == 3 && q->scale[0] == 0x1.55f5f6p-7f);
  check_pads(ash_graph_op(l.g, 3), 0, 0, 1, 1);
  CHECK_EQ(ash_op_int(ash_graph_op(l.g, 3), "multiplier", 0), 1);
  const ash_op *pool = ash_graph_op(l.g, 27);
  check_pads(pool, 0, 0, 0, 0);
  CHECK_EQ(ash_op_int(pool, "filter_h", 0), 3);
  CHECK_EQ(by_id(l.g, "87")->quant.zero_point[0], -5);
  check_shape(by_id(l.g, "88"), "1,2");
  drop(&l);
}

static void reads_keyword_spotting_as_litert_does(void) {
  loaded l = load(MODELS "/tiny/kws_ref_model_int8.tflite");
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_op_count(l.g), 13);
  check_pads(ash_graph_op(l.g, 0), 4, 1, 5, 1);
  check_pads(ash_graph_op(l.g, 1), 1, 1, 1, 1);
  CHECK_EQ(ash_op_int(ash_graph_op(l.g, 9), "filter_h", 0), 25);
  check_shape(by_id(l.g, "17"), "64,10,4,1");
  check_shape(by_id(l.g, "34"), "1,12");
  CHECK_EQ(by_id(l.g, "0")->quant.zero_point[0], 83);
  CHECK(by_id(l.g, "0")->quant.scale[0] == 0x1.2b5e2ep-1f);
  CHECK(by_id(l.g, "17")->quant.scale[1] == 0x1.8402f8p-11f);
  CHECK_EQ(by_id(l.g, "33")->quant.zero_point[0], 14);
  drop(&l);
}

static void reads_the_int8_models_of_mlperf_tiny(void) {
  static const char *const paths[] = {
      MODELS "/tiny/ad01_int8.tflite",
      MODELS "/tiny/ic_resnet8_int8.tflite",
      MODELS "/tiny/kws_ref_model_int8.tflite",
      MODELS "/tiny/vww_96_int8.tflite",
  };
  for (size_t i = 0; i < ASH_COUNT_OF(paths); i++) {
    loaded l = load(paths[i]);
    CHECK_EQ(l.status, ASH_OK);
    drop(&l);
  }
}

/* Read and well formed (if perhaps of types no kernel has), or refused, both
 * with a reason. Which of the two is returned. */
static bool judge(const char *path) {
  loaded l = load(path);
  size_t count;
  bool explained = false;
  const ash_status read = l.status;
  if (read == ASH_OK)
    l.status = ash_graph_verify(l.ctx, l.g);
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  for (size_t i = 0; i < count; i++)
    explained = explained || (d[i].severity == ASH_ERROR && d[i].id >= 2000);
  const bool good =
      l.status == ASH_OK || (l.status == ASH_UNSUPPORTED && explained);
  drop(&l);
  if (!good)
    CHECK_STR(path, "a model read, or refused as unsupported");
  return read == ASH_OK;
}

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void visit_folder(const char *folder, unsigned *seen, unsigned *good) {
  char path[8192];
  DIR *dir = opendir(folder);
  if (!dir)
    return;
  for (struct dirent *e = readdir(dir); e; e = readdir(dir))
    if (ends_with(e->d_name, ".tflite")) {
      (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
      ++*seen;
      *good += judge(path);
    }
  (void)closedir(dir);
}

static void every_shared_model_is_read_or_refused_with_a_reason(void) {
  unsigned seen = 0, good = 0;
  char path[4096];
  DIR *dir = opendir(MODELS);
  if (!dir)
    SKIP("the shared models are not here");
  for (struct dirent *e = readdir(dir); e; e = readdir(dir))
    if (e->d_name[0] != '.') {
      (void)snprintf(path, sizeof path, MODELS "/%s", e->d_name);
      visit_folder(path, &seen, &good);
    }
  (void)closedir(dir);
  printf("%u of %u models read\n", good, seen);
  CHECK(seen == 0 || good >= seen / 2);
}

static void every_operator_model_of_ours_is_read(void) {
  unsigned seen = 0, good = 0;
  visit_folder(TEST_SOURCE_DIR "/tests/models/layers", &seen, &good);
  CHECK(seen > 100);
  CHECK_EQ(good, seen);
}

#define TESTS(X)                                                               \
  X(reads_a_small_model_whole)                                                 \
  X(leaves_unused_tensors_out)                                                 \
  X(resolves_valid_padding_to_none)                                            \
  X(takes_the_stored_shape_for_an_open_batch_and_says_so)                      \
  X(names_the_subgraphs_it_ignores)                                            \
  X(finds_constants_behind_the_flatbuffer)                                     \
  X(keeps_variables_and_absent_inputs)                                         \
  X(reads_packed_int4_and_empty_constants)                                     \
  X(takes_the_new_shape_from_options_too)                                      \
  X(refuses_bad_headers)                                                       \
  X(refuses_operators_it_does_not_know)                                        \
  X(refuses_indices_out_of_range)                                              \
  X(refuses_bad_tensors)                                                       \
  X(refuses_bad_quantisation)                                                  \
  X(refuses_bad_operators)                                                     \
  X(refuses_orders_that_are_not_topological)                                   \
  X(says_what_a_file_that_is_no_model_looks_like)                              \
  X(survives_every_truncation)                                                 \
  X(survives_random_bit_flips)                                                 \
  X(survives_extreme_words_anywhere)                                           \
  X(refuses_to_visit_shared_parts_for_ever)                                    \
  X(every_failed_allocation_is_reported_and_nothing_leaks)                     \
  X(reads_visual_wake_words_as_litert_does)                                    \
  X(reads_keyword_spotting_as_litert_does)                                     \
  X(reads_the_int8_models_of_mlperf_tiny)                                      \
  X(every_operator_model_of_ours_is_read)                                      \
  X(every_shared_model_is_read_or_refused_with_a_reason)
TEST_MAIN(TESTS)
