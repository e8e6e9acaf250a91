/* ashlar/annotate.h - plans for TensorFlow Lite Micro: the offsets of a model's
 * tensors are stored in the model, as its metadata "OfflineMemoryAllocation",
 * and the interpreter uses them instead of planning. */
#ifndef ASHLAR_ANNOTATE_H
#define ASHLAR_ANNOTATE_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_offline_plan {
  const int32_t *offsets; /* one per tensor of the file, -1: not planned;
                             NULL: the file has no plan. Kept by the context */
  uint32_t count;
  uint64_t bytes;       /* of the arena's head                               */
  uint64_t lower_bound; /* no placement is smaller                           */
  ash_verdict verdict;
  uint64_t greedy_bytes; /* what the interpreter's planner needs for the same
                            tensors; 0: not computed                         */
} ash_offline_plan;

/* Plans the activations of a .tflite model for the interpreter, which keeps
 * every tensor apart and aligns to 16 bytes, and returns the model with the
 * plan in it (replacing one that it had). Weights and everything else stay
 * byte for byte. `out` is kept by the context. */
ASH_API ASH_MUST_CHECK ash_status
ash_annotate_tflite(ash_ctx *ctx, const uint8_t **out, size_t *out_count,
                    ash_offline_plan *plan, const uint8_t *bytes, size_t count,
                    const char *file);

/* The plan in a model, checked: no two tensors share a byte while both are
 * alive. A model without a plan is not an error. */
ASH_API ASH_MUST_CHECK ash_status ash_read_offline_plan(ash_ctx *ctx,
                                                        ash_offline_plan *plan,
                                                        const uint8_t *bytes,
                                                        size_t count,
                                                        const char *file);

#ifdef __cplusplus
}
#endif
#endif
