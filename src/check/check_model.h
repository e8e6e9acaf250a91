/* check_model.h - a plan file against the model that it says it is of. */
#ifndef ASH_CHECK_CHECK_MODEL_H
#define ASH_CHECK_CHECK_MODEL_H

#include "check/check_file.h"
#include "kernel/target.h"

/* The model after the passes, for the device of the plan. */
typedef struct ash_check_model {
  const ash_graph *graph;
  const ash_device *device;
  const ash_target *target;
} ash_check_model;

/* The device that a plan file was made for: `given`, or NULL: the built-in one
 * that it names; with the sizes that the file says were set. */
ash_status ash_check_file_device(ash_ctx *ctx, const ash_device **out,
                                 const ash_plan_text *text,
                                 const ash_device *given);

/* ash_check_plan_file, then everything that follows from the model. */
ash_status ash_check_file_of(ash_ctx *ctx, const ash_plan_text *text,
                             const ash_check_model *model);

/* ---- parts --------------------------------------------------------------- */

/* Which tensor and which operator of the graph those of the file are, and the
 * plan in the graph's numbers; in the scratch zone. */
typedef struct ash_model_match {
  const ash_file_check *k;
  const ash_check_model *m;
  uint32_t *tensor; /* by entry of `tensors`: of the graph, or ASH_NO_ID */
  uint32_t *op;     /* by operator of the file: of the graph             */
  ash_slot *slots;  /* of `plan`                                         */
  ash_plan plan;
} ash_model_match;

/* Tensors, operators and ends are those of the graph; fills the match but for
 * the tilings. */
ash_status ash_check_model_match(ash_model_match *x);
/* Fills the tilings from `layers`, and the tiles among the slots. */
ash_status ash_check_model_layers(ash_model_match *x);
/* Everything: the match, then all that ash_check_plan knows. */
ash_status ash_check_file_model(const ash_file_check *k,
                                const ash_check_model *m);

#endif
