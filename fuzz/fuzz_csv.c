/* fuzz_csv.c - any bytes as a CSV file of buffers. What is read must be solved
 * or refused, and what is written must read back the same. */
#include "ashlar/place.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void compare(const ash_csv *a, const ash_csv *b,
                    const int64_t *offsets) {
  if (a->count != b->count)
    abort();
  for (size_t i = 0; i < a->count; i++) {
    const ash_buffer *x = &a->buffers[i], *y = &b->buffers[i];
    if (x->lower != y->lower || x->upper != y->upper || x->size != y->size ||
        x->gap_count != y->gap_count || y->offset != offsets[i] ||
        strcmp(a->ids[i], b->ids[i]) != 0)
      abort();
  }
}

static void round_trip(ash_ctx *ctx, const ash_csv *csv,
                       const int64_t *offsets) {
  const char *text;
  size_t count;
  ash_csv again;
  if (ash_csv_write(ctx, &text, &count, csv, offsets) != ASH_OK ||
      ash_csv_read(ctx, &again, text, count, "again") != ASH_OK)
    abort();
  compare(csv, &again, offsets);
}

/* Names with carriage returns and negative gap times have no written form. */
static bool is_writable(const ash_csv *csv) {
  for (size_t i = 0; i < csv->count; i++)
    for (size_t g = 0; g < csv->buffers[i].gap_count; g++)
      if (csv->buffers[i].gaps[g].lower < 0)
        return false;
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  ash_ctx *ctx;
  ash_csv csv;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  if (ash_csv_read(ctx, &csv, (const char *)bytes, count, "fuzz") == ASH_OK &&
      csv.count < 200) {
    const ash_place_problem problem = {.buffers = csv.buffers,
                                       .buffer_count = csv.count};
    const ash_place_options options = {.struct_bytes = sizeof options,
                                       .ticks = 2000};
    ash_place_result r;
    if (ash_place(ctx, &r, &problem, &options) == ASH_OK && r.offsets &&
        is_writable(&csv))
      round_trip(ctx, &csv, r.offsets);
  }
  ash_ctx_free(ctx);
  return 0;
}
