/* test_onnx_model.c - the protobuf layer and the structure of ONNX files. */
#include "ashlar/compile.h"
#include "base/file.h"
#include "base/rng.h"
#include "check.h"
#include "faulty.h"
#include "graph/graph.h"
#include "onnx_make.h"
#include "read/onnx/onnx_model.h"

#define MODELS TEST_SOURCE_DIR "/../shared/data/models"

/* ---- messages ----------------------------------------------------------- */

/* An attribute of one int list, one number per field. */
static wire pads_attr(void) {
  wire a = {.count = 0};
  wire_text(&a, 1, "pads");
  wire_int(&a, 8, 1);
  wire_int(&a, 8, -1);
  wire_int(&a, 20, 7);
  return a;
}

static wire conv_node(void) {
  const wire pads = pads_attr();
  wire n = {.count = 0};
  wire_text(&n, 1, "x");
  wire_text(&n, 1, "w");
  wire_text(&n, 1, "");
  wire_text(&n, 2, "y");
  wire_text(&n, 3, "first");
  wire_text(&n, 4, "Conv");
  wire_message(&n, 5, &pads);
  return n;
}

/* int8 [2,2] as packed varints in int32_data: must be decoded. */
static wire weight_tensor(void) {
  wire packed = {.count = 0}, t = {.count = 0};
  wire_varint(&packed, 1);
  wire_varint(&packed, 2);
  wire_varint(&packed, (uint64_t)-3);
  wire_varint(&packed, 127);
  wire_int(&t, 1, 2);
  wire_int(&t, 1, 2);
  wire_int(&t, 2, 3);
  wire_message(&t, 5, &packed);
  wire_text(&t, 8, "w");
  return t;
}

static wire small_model(void) {
  const wire node = conv_node(), w = weight_tensor();
  const uint8_t raw[8] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40};
  wire g = {.count = 0};
  wire_message(&g, 1, &node);
  wire_text(&g, 2, "main");
  wire_message(&g, 5, &w);
  onnx_constant(&g, "r", ONNX_FLOAT, 1, ONNX_INTS(2), raw, sizeof raw);
  onnx_value(&g, 11, "x", ONNX_FLOAT, 2, ONNX_INTS(-1, 3));
  return onnx_model(&g);
}

/* ---- reading ------------------------------------------------------------- */

typedef struct parsed {
  ash_ctx *ctx;
  ash_zone zone;
  ash_onnx_model model;
  ash_status status;
} parsed;

static void parse(parsed *p, const uint8_t *bytes, size_t count) {
  CHECK_EQ(ash_ctx_new(&p->ctx, NULL), ASH_OK);
  ash_zone_init(&p->zone, &p->ctx->mem);
  p->status =
      ash_onnx_read_model(p->ctx, &p->model, &p->zone, bytes, count, "f");
}

static void drop(parsed *p) {
  ash_zone_drop(&p->zone);
  ash_ctx_free(p->ctx);
}

static void reads_nodes_constants_and_types(void) {
  const wire m = small_model();
  parsed p;
  parse(&p, m.bytes, m.count);
  CHECK_EQ(p.status, ASH_OK);
  const ash_onnx_graph *g = &p.model.graph;
  CHECK_EQ(p.model.ir_version, 8);
  CHECK_EQ(p.model.opsets[0].version, 13);
  CHECK_STR(p.model.producer, "made");
  CHECK_EQ(g->node_count, 1);
  CHECK_STR(g->nodes[0].type, "Conv");
  CHECK_EQ(g->nodes[0].input_count, 3);
  CHECK_STR(g->nodes[0].inputs[2], "");
  const ash_onnx_attr *pads = &g->nodes[0].attrs[0];
  CHECK(pads->kind == ASH_ONNX_INTS && pads->count == 2);
  CHECK_EQ(pads->ints[1], -1);
  const ash_onnx_tensor *w = &g->constants[0], *raw = &g->constants[1];
  CHECK(w->type == ASH_INT8 && w->bytes == 4 && w->file_byte == UINT64_MAX);
  CHECK_EQ((int8_t)w->data[2], -3);
  CHECK_EQ(w->data[3], 127);
  CHECK(raw->bytes == 8 && raw->data == m.bytes + raw->file_byte);
  CHECK(g->inputs[0].type == ASH_FLOAT32 && g->inputs[0].rank == 2);
  CHECK_STR(g->inputs[0].dims[0].name, "n");
  CHECK_EQ(g->inputs[0].dims[0].value, -1);
  CHECK_EQ(g->inputs[0].dims[1].value, 3);
  drop(&p);
}

static void opens_nested_graphs_when_asked(void) {
  wire inner = {.count = 0}, attr = {.count = 0}, n = {.count = 0},
       g = {.count = 0};
  const wire conv = conv_node();
  wire_message(&inner, 1, &conv);
  wire_text(&attr, 1, "then_branch");
  wire_message(&attr, 6, &inner);
  wire_text(&n, 4, "If");
  wire_message(&n, 5, &attr);
  wire_message(&g, 1, &n);
  const wire m = onnx_model(&g);
  parsed p;
  parse(&p, m.bytes, m.count);
  CHECK_EQ(p.status, ASH_OK);
  const ash_onnx_attr *a = &p.model.graph.nodes[0].attrs[0];
  CHECK_EQ(a->kind, ASH_ONNX_GRAPH);
  ash_onnx_graph nested;
  CHECK_EQ(ash_onnx_read_graph(p.ctx, &nested, &p.zone, a->s, "f"), ASH_OK);
  CHECK_EQ(nested.node_count, 1);
  CHECK_STR(nested.nodes[0].name, "first");
  drop(&p);
}

static void refuses(const wire *m, ash_diag_id id, const char *words) {
  parsed p;
  size_t count;
  char text[400] = "nothing said";
  parse(&p, m->bytes, m->count);
  const ash_diag *d = ash_ctx_diags(p.ctx, &count);
  if (count)
    (void)ash_diag_format(text, sizeof text, &d[count - 1]);
  const bool good = p.status != ASH_OK && count &&
                    d[count - 1].id == (uint32_t)id && strstr(text, words);
  drop(&p);
  if (!good)
    CHECK_STR(text, words);
}

static void refuses_what_contradicts_itself(void) {
  wire g = {.count = 0}, m = {.count = 0}, t = weight_tensor();
  wire_int(&m, 1, 8);
  refuses(&m, ASH_D_onnx_model, "no graph");
  wire_int(&t, 1, 2); /* shape [2,2,2] now */
  wire_message(&g, 5, &t);
  m = onnx_model(&g);
  refuses(&m, ASH_D_tensor_bytes, "'w': error ASH2024: the file stores 4");
  t.count = g.count = 0;
  wire_int(&t, 1, -4);
  wire_message(&g, 5, &t);
  m = onnx_model(&g);
  refuses(&m, ASH_D_onnx_model, "shape is impossible");
  g.count = 0;
  wire_text(&g, 1, "");
  m = onnx_model(&g);
  refuses(&m, ASH_D_onnx_model, "op 0");
  m = (wire){.bytes = {0x0b}, .count = 1};
  refuses(&m, ASH_D_protobuf, "wire type");
  m = (wire){.bytes = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                       0xff, 0x7f},
             .count = 11};
  refuses(&m, ASH_D_protobuf, "64 bits");
  m = (wire){.bytes = {0x3a, 0x7f}, .count = 2};
  refuses(&m, ASH_D_protobuf, "longer than its message");
}

static ash_status survive(const uint8_t *bytes, size_t count) {
  uint8_t *copy = malloc(count ? count : 1);
  CHECK(copy != NULL);
  memcpy(copy, bytes, count);
  parsed p;
  parse(&p, copy, count);
  for (uint32_t i = 0; p.status == ASH_OK && i < p.model.graph.constant_count;
       i++) {
    const ash_onnx_tensor *t = &p.model.graph.constants[i];
    uint8_t sum = 0;
    for (uint64_t k = 0; k < t->bytes; k++)
      sum = (uint8_t)(sum + t->data[k]);
    (void)sum;
  }
  const ash_status status = p.status;
  drop(&p);
  free(copy);
  return status;
}

static void survives_truncation_and_bit_flips(void) {
  const wire m = small_model();
  ash_rng rng = {5};
  for (size_t n = 0; n < m.count; n++)
    CHECK(survive(m.bytes, n) != ASH_OK);
  for (int i = 0; i < 10000; i++) {
    wire copy = m;
    for (uint64_t k = 1 + ash_rng_below(&rng, 3); k; k--)
      copy.bytes[ash_rng_below(&rng, m.count)] ^=
          (uint8_t)(1u << ash_rng_below(&rng, 8));
    (void)survive(copy.bytes, copy.count);
  }
}

/* ---- allocation failure -------------------------------------------------- */

static void every_failed_allocation_is_reported_and_nothing_leaks(void) {
  const wire m = small_model();
  for (size_t n = 1;; n++) {
    faulty f = {.fail_at = n};
    const ash_allocator mem = faulty_allocator(&f);
    ash_ctx *ctx;
    ash_status status = ash_ctx_new(&ctx, &mem);
    if (status == ASH_OK) {
      ash_onnx_model model;
      ash_zone zone;
      ash_zone_init(&zone, &ctx->mem);
      status = ash_onnx_read_model(ctx, &model, &zone, m.bytes, m.count, "f");
      ash_zone_drop(&zone);
    }
    ash_ctx_free(ctx);
    CHECK_EQ(f.live_bytes, 0);
    if (status == ASH_OK)
      break;
    CHECK_EQ(status, ASH_NOMEM);
  }
}

/* ---- the models of others ------------------------------------------------ */

/* Figures from the index of the shared models. */
static void reads_shared_models_as_their_index_says(void) {
  static const struct {
    const char *path;
    int ir, opset;
    uint32_t nodes;
    uint64_t parameters;
  } models[] = {
      {"DTLN/dtln_model_1.onnx", 6, 11, 36, 363457},
      {"libonnx/mnist_8.onnx", 3, 8, 12, 5998},
      {"match/convnext_block_fp16.onnx", 7, 14, 67, 235973},
      {"onnx/light_densenet121.onnx", 3, 9, 1746, 1967},
      {"onnx2c/velardo_lesson14.onnx", 6, 11, 13, 1014218},
      {"onnxruntime/ort_maui_mobilenet.onnx", 6, 11, 724, 3488008},
      {"stream/resnet18_stripped.onnx", 7, 14, 49, 11684712},
      {"tiny_results_v1.3/ic_resnet_qdq.onnx", 8, 15, 67, 79116},
      {"tiny_results_v1.3/kws_qdq.onnx", 8, 15, 58, 24966},
  };
  for (size_t i = 0; i < ASH_COUNT_OF(models); i++) {
    char path[1024];
    ash_ctx *ctx;
    ash_file file;
    parsed p;
    uint64_t parameters = 0;
    CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
    (void)snprintf(path, sizeof path, MODELS "/%s", models[i].path);
    const ash_status got = ash_file_read(ctx, &file, path);
    if (got != ASH_OK) {
      ash_file_drop(&file);
      ash_ctx_free(ctx);
      SKIP("the shared models are not here");
    }
    parse(&p, file.bytes, file.count);
    CHECK_EQ(p.status, ASH_OK);
    CHECK_EQ(p.model.ir_version, models[i].ir);
    CHECK_EQ(p.model.opsets[0].version, models[i].opset);
    CHECK_EQ(p.model.graph.node_count, models[i].nodes);
    for (uint32_t k = 0; k < p.model.graph.constant_count; k++)
      parameters += p.model.graph.constants[k].elements;
    CHECK_EQ(parameters, models[i].parameters);
    drop(&p);
    ash_file_drop(&file);
    ash_ctx_free(ctx);
  }
}

/* Plans need shapes only; bytes are asked for when they matter. */
static void a_missing_file_of_constants_is_told_and_asked_for(void) {
  ash_ctx *ctx;
  ash_graph *g;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  if (ash_load_model(ctx, &g, MODELS "/stream/resnet18_stripped.onnx") !=
      ASH_OK) {
    ash_ctx_free(ctx);
    SKIP("the shared models are not here");
  }
  CHECK(ctx->diag_count > 0);
  CHECK_EQ(ctx->diags[0].id, ASH_D_constant_absent);
  CHECK(strcmp(g->absent_file, "resnet18.external") == 0);
  CHECK_EQ(ash_graph_need_constants(ctx, g), ASH_IO);
  g->absent = NULL;
  CHECK_EQ(ash_graph_need_constants(ctx, g), ASH_OK);
  ash_graph_free(g);
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(reads_nodes_constants_and_types)                                           \
  X(opens_nested_graphs_when_asked)                                            \
  X(refuses_what_contradicts_itself)                                           \
  X(survives_truncation_and_bit_flips)                                         \
  X(every_failed_allocation_is_reported_and_nothing_leaks)                     \
  X(reads_shared_models_as_their_index_says)                                   \
  X(a_missing_file_of_constants_is_told_and_asked_for)
TEST_MAIN(TESTS)
