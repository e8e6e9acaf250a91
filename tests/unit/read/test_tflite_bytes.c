/* test_tflite_bytes.c - no bytes whatever can hurt the TFLite reader: files cut
 * off, changed at random, or made to be expensive, and hosts without memory. */
#include "base/rng.h"
#include "check.h"
#include "context.h"
#include "faulty.h"
#include "graph/graph.h"
#include "read/tflite/tflite.h"
#include "tflite_make.h"

static make_file written;

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
  const make_model m = make_good_model();
  make_write(&written, &m);
  for (size_t n = 0; n < written.count; n++)
    CHECK(survive_exactly(written.bytes, n) != ASH_OK);
  CHECK_EQ(survive_exactly(written.bytes, written.count), ASH_OK);
}

static void survives_random_bit_flips(void) {
  const make_model m = make_good_model();
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
  const make_model m = make_good_model();
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
  make_model m = make_good_model();
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

#define TESTS(X)                                                               \
  X(survives_every_truncation)                                                 \
  X(survives_random_bit_flips)                                                 \
  X(survives_extreme_words_anywhere)                                           \
  X(refuses_to_visit_shared_parts_for_ever)                                    \
  X(every_failed_allocation_is_reported_and_nothing_leaks)
TEST_MAIN(TESTS)
