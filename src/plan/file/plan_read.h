/* plan_read.h - plan JSON -> plan, with what the file claims of it. */
#ifndef ASH_PLAN_PLAN_READ_H
#define ASH_PLAN_PLAN_READ_H

#include "ashlar/plan.h"
#include "base/yaml.h"

/* An entry of `tensors`. */
typedef struct ash_file_tensor {
  const ash_yaml *at;
  uint32_t slot;          /* its first one                                   */
  uint32_t rows;          /* slots before moves; 0: it is whole              */
  bool has_type;          /* else it is work memory, a tile, an accumulator  */
  ash_type type;          /* with has_type                                   */
  ash_shape shape;        /* with has_type                                   */
  uint64_t bytes;         /* with has_type: what they take                   */
  uint64_t offset;        /* as it says: of row 0                            */
  uint64_t size;          /* as it says: of all rows                         */
  ash_lifetime life;      /* as it says: of all rows                         */
  const char *alias_kind; /* NULL: none                                      */
  const char *kind;       /* NULL: none                                      */
} ash_file_tensor;

/* An operator of `steps` or `ops`; operands are places in `tensors`, or
 * ASH_NO_ID: it is not listed there. */
typedef struct ash_file_op {
  const ash_yaml *at;
  const char *id, *kind;
  const char *kernel; /* or NULL */
  uint32_t cores;     /* that it is split over                          */
  uint32_t step;      /* its place in `steps`; ASH_NO_ID: there are runs */
  uint32_t *inputs, *outputs;
  bool *reads; /* by input: does the kernel read it? */
  uint32_t input_count, output_count;
} ash_file_op;

/* Places in `tensors`. */
typedef struct ash_file_list {
  uint32_t *items;
  uint32_t count;
} ash_file_list;

typedef struct ash_plan_file {
  const ash_yaml *top;
  ash_plan plan; /* in the scratch zone, like everything here */
  const char *plan_hash, *layout_hash;
  ash_file_tensor *tensors;
  uint32_t tensor_count;
  uint32_t *by_id; /* places in `tensors`, sorted by id */
  ash_file_op *ops;
  uint32_t op_count;
  ash_file_list inputs, outputs, fed, drained;
} ash_plan_file;

ash_status ash_plan_read(ash_ctx *ctx, ash_plan_file *out, const ash_yaml *top);

/* Makes `by_id`; then the entry of an id can be found. ASH_NO_ID: there is
 * none. */
ash_status ash_plan_file_sort(ash_ctx *ctx, ash_plan_file *f);
uint32_t ash_plan_file_find(const ash_plan_file *f, const char *id);

/* Operators, steps (unless there are runs), inputs and outputs, once the
 * tensors are known. */
ash_status ash_plan_read_ops(ash_ctx *ctx, ash_plan_file *f);

#endif
