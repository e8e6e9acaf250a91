/* test_tflite_models.c - real models are read as LiteRT reads them, or refused
 * with a reason. */
#include "check.h"
#include "loaded.h"
#include "op/verify.h"

#include <dirent.h>

#define MODELS TEST_SOURCE_DIR "/../shared/data/models"

/* Values below were read with LiteRT's interpreter. */
static void reads_visual_wake_words_as_litert_does(void) {
  loaded l = loaded_from(MODELS "/tiny/vww_96_int8.tflite");
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_op_count(l.g), 31);
  CHECK_EQ(ash_graph_tensor_count(l.g), 89);
  const ash_op *conv = ash_graph_op(l.g, 0);
  check_pads(conv, 0, 0, 1, 1);
  CHECK_STR(ash_attr_string(conv, "act", ""), "relu");
  check_shape(tensor_by_id(l.g, "0"), "1,96,96,3");
  check_shape(tensor_by_id(l.g, "44"), "8,3,3,3");
  check_shape(tensor_by_id(l.g, "58"), "1,48,48,8");
  CHECK_EQ(tensor_by_id(l.g, "0")->quant.zero_point[0], -128);
  CHECK(tensor_by_id(l.g, "0")->quant.scale[0] == 0x1.010102p-8f);
  const ash_quant *q = &tensor_by_id(l.g, "44")->quant;
  CHECK(q->count == 8 && q->axis == 0 && q->scale[1] == 0x1.7cdb1ep-7f);
  q = &tensor_by_id(l.g, "5")->quant;
  CHECK(q->count == 8 && q->axis == 3 && q->scale[0] == 0x1.55f5f6p-7f);
  check_pads(ash_graph_op(l.g, 3), 0, 0, 1, 1);
  CHECK_EQ(ash_attr_int(ash_graph_op(l.g, 3), "multiplier", 0), 1);
  const ash_op *pool = ash_graph_op(l.g, 27);
  check_pads(pool, 0, 0, 0, 0);
  CHECK_EQ(ash_attr_int(pool, "filter_h", 0), 3);
  CHECK_EQ(tensor_by_id(l.g, "87")->quant.zero_point[0], -5);
  check_shape(tensor_by_id(l.g, "88"), "1,2");
  loaded_drop(&l);
}

static void reads_keyword_spotting_as_litert_does(void) {
  loaded l = loaded_from(MODELS "/tiny/kws_ref_model_int8.tflite");
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_graph_op_count(l.g), 13);
  check_pads(ash_graph_op(l.g, 0), 4, 1, 5, 1);
  check_pads(ash_graph_op(l.g, 1), 1, 1, 1, 1);
  CHECK_EQ(ash_attr_int(ash_graph_op(l.g, 9), "filter_h", 0), 25);
  check_shape(tensor_by_id(l.g, "17"), "64,10,4,1");
  check_shape(tensor_by_id(l.g, "34"), "1,12");
  CHECK_EQ(tensor_by_id(l.g, "0")->quant.zero_point[0], 83);
  CHECK(tensor_by_id(l.g, "0")->quant.scale[0] == 0x1.2b5e2ep-1f);
  CHECK(tensor_by_id(l.g, "17")->quant.scale[1] == 0x1.8402f8p-11f);
  CHECK_EQ(tensor_by_id(l.g, "33")->quant.zero_point[0], 14);
  loaded_drop(&l);
}

static void reads_the_int8_models_of_mlperf_tiny(void) {
  static const char *const paths[] = {
      MODELS "/tiny/ad01_int8.tflite",
      MODELS "/tiny/ic_resnet8_int8.tflite",
      MODELS "/tiny/kws_ref_model_int8.tflite",
      MODELS "/tiny/vww_96_int8.tflite",
  };
  for (size_t i = 0; i < ASH_COUNT_OF(paths); i++) {
    loaded l = loaded_from(paths[i]);
    CHECK_EQ(l.status, ASH_OK);
    loaded_drop(&l);
  }
}

/* Read and well formed (if perhaps of types no kernel has), or refused, both
 * with a reason. Which of the two is returned. */
static bool judge(const char *path) {
  loaded l = loaded_from(path);
  size_t count;
  bool explained = false;
  const ash_status read = l.status;
  if (read == ASH_OK)
    l.status = ash_op_verify(l.ctx, l.g);
  const ash_diag *d = ash_ctx_diags(l.ctx, &count);
  for (size_t i = 0; i < count; i++)
    explained = explained || (d[i].severity == ASH_ERROR && d[i].id >= 2000);
  const bool good =
      l.status == ASH_OK || (l.status == ASH_UNSUPPORTED && explained);
  loaded_drop(&l);
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
  X(reads_visual_wake_words_as_litert_does)                                    \
  X(reads_keyword_spotting_as_litert_does)                                     \
  X(reads_the_int8_models_of_mlperf_tiny)                                      \
  X(every_operator_model_of_ours_is_read)                                      \
  X(every_shared_model_is_read_or_refused_with_a_reason)
TEST_MAIN(TESTS)
