/* annotate.c - a plan for TensorFlow Lite Micro, inside the model: lifetimes as
 * its interpreter sees them -> the packing solver -> metadata. */
#include "ashlar/annotate.h"

#include "annotate/tflite_lives.h"
#include "annotate/tflite_metadata.h"
#include "ashlar/place.h"
#include "base/checked.h"

#include <string.h>

#define METADATA_NAME "OfflineMemoryAllocation"
enum { FORMAT_VERSION = 1, HEADER_WORDS = 3, ALIGNMENT = 16 };

/* The tensors that take room in the interpreter's head, as buffers. */
typedef struct problem {
  ash_buffer *buffers;
  uint32_t *tensors; /* the file's number of each */
  size_t count;
  uint32_t file_tensors;
} problem;

/* Whatever the operators are: lifetimes and sizes are all that counts. The
 * plan has one offset for each tensor of all subgraphs; we place those of the
 * first and leave the others to the interpreter. */
static ash_status read_problem(ash_ctx *ctx, problem *p,
                               const ash_model_file *file) {
  const ash_tflite_life *lives;
  uint32_t tensors;
  ASH_TRY(ash_annotate_lives(ctx, &lives, &tensors, &p->file_tensors,
                             &ctx->scratch, file));
  p->buffers = ASH_NEW_ARRAY(&ctx->scratch, ash_buffer, (size_t)tensors + 1);
  p->tensors = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, (size_t)tensors + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < tensors; i++) {
    if (lives[i].bytes == 0)
      continue;
    p->buffers[p->count] =
        (ash_buffer){.lower = lives[i].lower,
                     .upper = lives[i].upper,
                     .size = ash_align_up(lives[i].bytes, ALIGNMENT),
                     .alignment = ALIGNMENT,
                     .offset = ASH_FREE_OFFSET,
                     .hint = ASH_FREE_OFFSET};
    p->tensors[p->count++] = i;
  }
  return ASH_OK;
}

static ash_status solve(ash_ctx *ctx, const problem *p, int32_t *words,
                        ash_offline_plan *plan) {
  const ash_place_problem question = {.buffers = p->buffers,
                                      .buffer_count = p->count,
                                      .capacity = INT32_MAX,
                                      .minimise = true};
  ash_place_result answer;
  uint64_t height;
  ASH_TRY(ash_place(ctx, &answer, &question, NULL));
  if (!answer.offsets)
    return ash_fail(ctx, ASH_NOFIT, ASH_D_offline_plan, ASH_NOWHERE,
                    "the tensors need more than 2 gigabytes");
  ASH_TRY(ash_place_check(ctx, &height, &question, answer.offsets));
  words[0] = FORMAT_VERSION;
  words[1] = 0;
  words[2] = (int32_t)p->file_tensors;
  for (uint32_t i = 0; i < p->file_tensors; i++)
    words[HEADER_WORDS + i] = -1;
  for (size_t i = 0; i < p->count; i++)
    words[HEADER_WORDS + p->tensors[i]] = (int32_t)answer.offsets[i];
  *plan = (ash_offline_plan){.offsets = words + HEADER_WORDS,
                             .count = p->file_tensors,
                             .bytes = height,
                             .lower_bound = answer.lower_bound,
                             .verdict = answer.verdict};
  return ASH_OK;
}

/* What the interpreter's own planner takes: the largest first, each at the
 * lowest free place. */
static ash_status ask_greedy(ash_ctx *ctx, const problem *p,
                             ash_offline_plan *plan) {
  const ash_place_problem question = {.buffers = p->buffers,
                                      .buffer_count = p->count};
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .heuristic = "greedy-by-size"};
  ash_place_result answer;
  ASH_TRY(ash_place(ctx, &answer, &question, &options));
  plan->greedy_bytes = answer.offsets ? answer.height : 0;
  return ASH_OK;
}

static void put_words(uint8_t *to, const int32_t *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (unsigned k = 0; k < 4; k++)
      to[4 * i + k] = (uint8_t)((uint32_t)words[i] >> (8 * k));
}

static ash_status annotate(ash_ctx *ctx, const uint8_t **out, size_t *out_count,
                           ash_offline_plan *plan, const ash_model_file *file) {
  problem p = {0};
  ASH_TRY(read_problem(ctx, &p, file));
  const size_t n = HEADER_WORDS + (size_t)p.file_tensors;
  int32_t *words = ASH_NEW_ARRAY(&ctx->keep, int32_t, n);
  uint8_t *data = ASH_NEW_ARRAY(&ctx->scratch, uint8_t, 4 * n);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(solve(ctx, &p, words, plan));
  ASH_TRY(ask_greedy(ctx, &p, plan));
  put_words(data, words, n);
  return ash_annotate_metadata_set(ctx, out, out_count, METADATA_NAME, data,
                                   4 * n, file);
}

ash_status ash_annotate_tflite(ash_ctx *ctx, const uint8_t **out,
                               size_t *out_count, ash_offline_plan *plan,
                               const uint8_t *bytes, size_t count,
                               const char *file) {
  ASH_NEED(ctx, ctx && out && out_count && plan && (bytes || count == 0));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *out = NULL;
  *out_count = 0;
  *plan = (ash_offline_plan){0};
  const ash_status status = annotate(ctx, out, out_count, plan,
                                     &(ash_model_file){bytes, count, file});
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

/* ---- reading one --------------------------------------------------------- */

static int32_t word_at(const uint8_t *data, size_t index) {
  uint32_t value = 0;
  for (unsigned k = 0; k < 4; k++)
    value |= (uint32_t)data[4 * index + k] << (8 * k);
  return (int32_t)value;
}

static ash_status bad_plan(ash_ctx *ctx, const char *file, const char *what) {
  ash_loc at = ASH_NOWHERE;
  at.file = file;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_offline_plan, at, "%s", what);
}

/* Planned tensors only: what is left to the interpreter cannot collide. */
static ash_status check_offsets(ash_ctx *ctx, const problem *p,
                                ash_offline_plan *plan) {
  int64_t *offsets = ASH_NEW_ARRAY(&ctx->scratch, int64_t, p->count + 1);
  size_t n = 0;
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < p->count; i++) {
    const int32_t offset = plan->offsets[p->tensors[i]];
    if (offset < 0)
      continue;
    p->buffers[n] = p->buffers[i];
    p->buffers[n].alignment = 1;
    offsets[n++] = offset;
  }
  const ash_place_problem question = {.buffers = p->buffers, .buffer_count = n};
  return ash_place_check(ctx, &plan->bytes, &question, offsets);
}

static ash_status read_plan(ash_ctx *ctx, ash_offline_plan *plan,
                            const ash_model_file *file) {
  const uint8_t *data;
  size_t data_count;
  problem p = {0};
  ASH_TRY(
      ash_annotate_metadata_get(ctx, &data, &data_count, METADATA_NAME, file));
  if (!data)
    return ASH_OK;
  ASH_TRY(read_problem(ctx, &p, file));
  const size_t words = data_count / 4;
  if (words < HEADER_WORDS || word_at(data, 2) < 0 ||
      (uint32_t)word_at(data, 2) != p.file_tensors ||
      words - HEADER_WORDS < p.file_tensors)
    return bad_plan(ctx, file->name, "it does not have one offset a tensor");
  int32_t *offsets = ASH_NEW_ARRAY(&ctx->keep, int32_t, p.file_tensors + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t i = 0; i < p.file_tensors; i++)
    offsets[i] = word_at(data, HEADER_WORDS + i);
  plan->offsets = offsets;
  plan->count = p.file_tensors;
  plan->verdict = ASH_FEASIBLE;
  return check_offsets(ctx, &p, plan);
}

ash_status ash_read_offline_plan(ash_ctx *ctx, ash_offline_plan *plan,
                                 const uint8_t *bytes, size_t count,
                                 const char *file) {
  ASH_NEED(ctx, ctx && plan && (bytes || count == 0));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *plan = (ash_offline_plan){0};
  const ash_status status =
      read_plan(ctx, plan, &(ash_model_file){bytes, count, file});
  ash_zone_rewind(&ctx->scratch, mark);
  if (status != ASH_OK)
    *plan = (ash_offline_plan){0};
  return status;
}
