/* ashlar/rules.h - what is asked of a plan: budgets of memories, and rules for
 * tensors and operators. */
#ifndef ASHLAR_RULES_H
#define ASHLAR_RULES_H

#include "ashlar/base.h"
#include "ashlar/device.h"
#include "ashlar/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memories ------------------------------------------------------------ */

#define ASH_NO_LIMIT UINT64_MAX

/* A writable budget the caller sets for one memory. */
typedef struct ash_memory_constraint {
  const char *memory; /* by name, ignoring case                            */
  uint64_t max_size;  /* bytes a plan may use; ASH_NO_LIMIT: the device's  */
} ash_memory_constraint;

/* What a plan may use of one memory of the device. */
typedef struct ash_memory_budget {
  const char *memory;
  uint64_t max_size; /* the constraint, else the device's bytes less reserve */
  bool constrained;  /* by the caller                                       */
  bool writable;     /* activations and variables may lie here              */
  bool automatic;    /* a planner may choose it without being asked         */
} ash_memory_budget;

/* One budget per memory of the device, in the device's order: what the
 * constraints say, the rest filled from the device. The later of two
 * constraints on one memory wins. Kept by `ctx`. */
ASH_API ASH_MUST_CHECK ash_status ash_fill_memory_constraints(
    ash_ctx *ctx, const ash_memory_budget **out, const ash_device *device,
    const ash_memory_constraint *constraints, size_t count);

typedef enum ash_role {
  ASH_SCRATCH,    /* reused while the model runs             */
  ASH_PERSISTENT, /* survives a run                          */
  ASH_CONSTANT    /* known at compile time                   */
} ash_role;

ASH_API const char *ash_role_text(ash_role role);

/* ---- tensors and operators ----------------------------------------------- */

/* Attribute rules (docs/rules.md): what they match and what they set. */
typedef struct ash_rules ash_rules;

/* No rules yet. They live as long as the context. */
ASH_API ASH_MUST_CHECK ash_status ash_rules_new(ash_ctx *ctx, ash_rules **out);
/* Appends the rules of a YAML file, or of its text. */
ASH_API ASH_MUST_CHECK ash_status ash_rules_load(ash_ctx *ctx, ash_rules *rules,
                                                 const char *path);
ASH_API ASH_MUST_CHECK ash_status ash_rules_parse(ash_ctx *ctx,
                                                  ash_rules *rules,
                                                  const char *text,
                                                  size_t count,
                                                  const char *file);
/* Appends one rule: "type=constant memory=MRAM", words separated by blanks. */
ASH_API ASH_MUST_CHECK ash_status ash_rules_add(ash_ctx *ctx, ash_rules *rules,
                                                const char *text);
ASH_API size_t ash_rules_count(const ash_rules *rules);
/* Rule `index` in words, and its file and line (UINT32_MAX: none). */
ASH_API const char *ash_rules_text(const ash_rules *rules, size_t index);
ASH_API const char *ash_rules_file(const ash_rules *rules, size_t index);
ASH_API uint32_t ash_rules_line(const ash_rules *rules, size_t index);

#define ASH_NO_RULE   UINT32_MAX
#define ASH_NO_OFFSET UINT64_MAX

/* What the rules set for one tensor, each field with its rule. */
typedef struct ash_tensor_attributes {
  uint32_t memory;      /* of the device, or ASH_NO_MEMORY: the planner's
                           choice. Constants: where the bytes are stored    */
  uint32_t destination; /* constants: where kernels read them, or
                           ASH_NO_MEMORY: where they are stored             */
  uint64_t alignment;   /* 0: the device's                                  */
  uint64_t offset;      /* pinned in its arena, or ASH_NO_OFFSET            */
  uint32_t memory_rule, destination_rule, alignment_rule, offset_rule;
} ash_tensor_attributes;

/* What the rules set for one operator. */
typedef struct ash_op_attributes {
  uint32_t scratch_placement; /* memory of its work memory, ASH_NO_MEMORY   */
  uint32_t code_placement;    /* memory of its code, ASH_NO_MEMORY          */
  uint32_t scratch_rule, code_rule;
} ash_op_attributes;

typedef struct ash_constraints {
  const ash_tensor_attributes *tensors; /* one per tensor of the graph      */
  const ash_op_attributes *ops;         /* one per operator                 */
} ash_constraints;

/* Resolves the rules for every tensor and operator: more specific rules win
 * (type and id, id, type, neither), among equals the later, field by field.
 * `rules` NULL: none. A rule that matches nothing is a warning, one that cannot
 * be obeyed an error. Kept by `ctx`. */
ASH_API ASH_MUST_CHECK ash_status ash_fill_tensor_constraints(
    ash_ctx *ctx, ash_constraints *out, const ash_graph *g,
    const ash_device *device, const ash_rules *rules);

/* Does rule `index` match this tensor or operator? (ASH_NO_ID: none given.) */
ASH_API bool ash_rules_match(const ash_rules *rules, size_t index,
                             const ash_graph *g, uint32_t tensor, uint32_t op);

#ifdef __cplusplus
}
#endif
#endif
