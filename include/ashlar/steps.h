/* ashlar/steps.h - the order of execution, which everything after the passes
 * works on. */
#ifndef ASHLAR_STEPS_H
#define ASHLAR_STEPS_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step of the execution order: the ops run together, in order. A step of a
 * single op may be a run of some of its rows only (docs/ordering.md); then the
 * runs of that op, in the order of the steps, make all its rows from the first
 * to the last. A step without ops is the arrival of rows of an input. */
typedef struct ash_step {
  const uint32_t *ops;
  uint32_t op_count;
  uint32_t first_row, row_count; /* of the op's outputs, or of the input that
                                    arrives; row_count 0: all              */
  uint32_t input; /* tensor whose rows arrive, if there are no ops          */
} ash_step;

typedef struct ash_steps {
  const ash_step *items;
  uint32_t count;
} ash_steps;

/* Which orders there are. */
typedef enum ash_order_kind {
  ASH_ORDER_AUTO,      /* operators as long as they fit, else rows           */
  ASH_ORDER_GIVEN,     /* the model's, or the caller's                       */
  ASH_ORDER_OPERATORS, /* whole operators in the best order                  */
  ASH_ORDER_ROWS       /* runs of rows                                       */
} ash_order_kind;

/* "auto", "given", "operators", "rows" */
ASH_API const char *ash_order_text(ash_order_kind kind);

/* When rows are copied to another place while the model runs. */
typedef enum ash_move_policy {
  ASH_MOVES_AUTO,    /* in an order that is chosen because nothing else fits,
                        ASH_MOVES_FIT, else ASH_MOVES_SMALLEST             */
  ASH_MOVES_NEVER,   /* each row stays where it is made                    */
  ASH_MOVES_FIT,     /* if the model does not fit otherwise                */
  ASH_MOVES_SMALLEST /* if the arena is larger otherwise                   */
} ash_move_policy;

/* "auto", "never", "fit", "smallest" */
ASH_API const char *ash_move_policy_text(ash_move_policy policy);

#ifdef __cplusplus
}
#endif
#endif
