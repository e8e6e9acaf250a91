/* tflite_internal.h - what the files of the TFLite reader share: tflite.c walks
 * the file, tflite_tensor.c reads tensors, tflite_op.c operators. Tensor and
 * operator numbers are those of the file unless a name says `graph`. */
#ifndef ASH_READ_TFLITE_INTERNAL_H
#define ASH_READ_TFLITE_INTERNAL_H

#include "read/customs.h"
#include "read/flatbuf.h"
#include "read/tflite/tflite.h"

enum {
  ASH_TFLITE_TENSORS_MAX = 1 << 18,
  ASH_TFLITE_OPS_MAX = 1 << 16,
  ASH_TFLITE_CODES_MAX = 1 << 12,
};

/* One entry of the file's table of operator codes. */
typedef struct ash_tflite_code {
  int32_t builtin, version;
  const char *custom; /* name of a custom operator, or NULL       */
  uint32_t uses;      /* operators of the subgraph that are this  */
  uint32_t first_use; /* the first of them                        */
} ash_tflite_code;

/* An operator as the file has it. Inputs may be ASH_NO_ID. */
typedef struct ash_tflite_op {
  ash_fb_table table;
  const ash_tflite_code *code;
  uint32_t input_count, output_count;
  uint32_t *inputs, *outputs;
} ash_tflite_op;

/* What the walk knows about a tensor before and after it is read. */
typedef struct ash_tflite_use {
  bool used, is_input;
  uint32_t writer;   /* operator, ASH_NO_ID if none               */
  uint32_t graph;    /* index in the graph, ASH_NO_ID if left out */
  uint32_t variable; /* that the tensor is a handle of, or ASH_NO_ID */
  bool given;        /* by whoever wrote the subgraph out          */
  bool loose;        /* its shape is inferred: open, or stored for other
                        inputs                                       */
} ash_tflite_use;

/* State: all handles of one name. */
typedef struct ash_tflite_variable {
  const char *container, *name;
  uint32_t handle;     /* tensor: the first of them                        */
  uint32_t value;      /* tensor: read or assigned, ASH_NO_ID: nobody does */
  const uint8_t *data; /* its first value, NULL: zeros                     */
  uint64_t file_byte;
} ash_tflite_variable;

typedef struct ash_tflite {
  ash_ctx *ctx;
  ash_graph *g;
  const char *file;
  const ash_load_options *options; /* or NULL */
  ash_customs customs;             /* operators that the user supplies */
  const uint8_t *bytes; /* the whole file, also what lies behind the ... */
  uint64_t count;
  ash_fb fb; /* ... FlatBuffer */
  ash_fb_table model, subgraph;
  ash_fb_vector buffers, tensors;
  ash_tflite_code *codes;
  uint32_t code_count, op_count;
  ash_tflite_op *ops;
  uint32_t *inputs, *outputs; /* of the subgraph */
  uint32_t input_count, output_count;
  ash_tflite_use *uses; /* one a tensor */
  ash_tflite_variable *variables;
  uint32_t variable_count;
  uint32_t assumed_count;  /* inputs with an open dimension ... */
  uint32_t assumed_tensor; /* ... and the first                 */
  bool resized;            /* an input has another shape than the file says */
  bool warned_stale;       /* of a stored shape that contradicts */
  const char *prefix;      /* of ids, in a subgraph that is written out */
  uint32_t depth;          /* of subgraphs inside subgraphs */
  uint32_t *rounds;        /* subgraphs written out so far */
} ash_tflite;

/* ---- tflite.c ------------------------------------------------------------ */

/* Writes out a subgraph: its operators are added to the graph, with the graph's
 * tensors `given` as its inputs; `made` gets those of its outputs. */
ash_status ash_tflite_write_out(ash_tflite *r, uint32_t op, int32_t subgraph,
                                const uint32_t *given, uint32_t given_count,
                                uint32_t *made, uint32_t made_count);

/* ---- tflite_flow.c ------------------------------------------------------- */

/* IF and WHILE: is it one, and what it becomes. */
bool ash_tflite_is_flow(int32_t code);
ash_status ash_tflite_add_flow(ash_tflite *r, uint32_t op);
bool ash_tflite_flow_runs(const ash_tflite *r, uint32_t op, uint32_t subgraph);

/* ---- tflite_make.c ------------------------------------------------------- */

/* Operators without a counterpart in the graph, which become several. */
bool ash_tflite_is_made(const ash_tflite_code *code);
ash_status ash_tflite_add_made(ash_tflite *r, uint32_t op);

/* ---- tflite_sparse.c ----------------------------------------------------- */

/* The bytes of a constant, `stored` in the file, become those of all its
 * elements. */
ash_status ash_tflite_unpack_sparse(ash_tflite *r, const ash_fb_table *sparsity,
                                    ash_tensor *t, uint64_t stored, ash_loc at);

/* ---- tflite_tensor.c --------------------------------------------------- */

ash_loc ash_tflite_at_tensor(ash_tflite *r, uint32_t tensor);
/* One note for all open dimensions that were taken from the stored shapes. */
void ash_tflite_note_assumed(ash_tflite *r);
/* Does the file say it? */
bool ash_tflite_has_shape(ash_tflite *r, uint32_t tensor);
/* May the tensor have this shape? `stored` gets what the file says. */
bool ash_tflite_allows_shape(ash_tflite *r, uint32_t tensor,
                             const ash_shape *shape, char *stored, size_t size);
ash_status ash_tflite_add_tensor(ash_tflite *r, uint32_t tensor);
/* Type, name and stored bytes of a tensor of any subgraph. */
ash_status ash_tflite_read_value(ash_tflite *r, const ash_fb_table *table,
                                 ash_tensor *out);
/* A name without control characters, in the scratch zone. */
const char *ash_tflite_clean(ash_tflite *r, const char *raw);

/* ---- tflite_shape.c ---------------------------------------------------- */

/* Outputs of an operator with open tensors are open. */
void ash_tflite_spread_loose(ash_tflite *r, uint32_t op);
/* The shapes of what the newest operator of the graph makes. */
ash_status ash_tflite_infer(ash_tflite *r, uint32_t op);
/* Tensor `to` of the graph gets the shape of `from`. */
void ash_tflite_copy_shape(ash_tflite *r, uint32_t from, uint32_t to);
/* Operators of the graph from `first` on that work on constants and make at
 * most `bytes_max` bytes are computed and go. */
ash_status ash_tflite_fold(ash_tflite *r, size_t first, uint64_t bytes_max);

/* ---- tflite_types.c ---------------------------------------------------- */

/* Whether the types of an operator's tensors are a combination of `types`. */
bool ash_tflite_types_match(const ash_graph *g, const ash_op *op,
                            const char *types);
uint32_t ash_tflite_types_inputs_max(const char *types);
/* The inputs' types for a message: "float32 int8 none". */
const char *ash_tflite_types_text(char *buf, size_t size, const ash_graph *g,
                                  const ash_op *op);

/* ---- tflite_op.c ------------------------------------------------------- */

ash_loc ash_tflite_at_op(const ash_tflite *r, uint32_t op);
/* Reports every operator code in use that the reader does not know. */
ash_status ash_tflite_check_codes(ash_tflite *r);
ash_status ash_tflite_add_op(ash_tflite *r, uint32_t op);
/* The bits of a float32 with the value of a float16. */
uint32_t ash_tflite_widen_half(uint32_t half);

/* ---- tflite_variable.c ------------------------------------------------- */

/* VAR_HANDLE and CALL_ONCE: they become tensors and data, not operators. */
bool ash_tflite_makes_handles(int32_t code);
/* Before tensors are added, and after. */
ash_status ash_tflite_find_variables(ash_tflite *r);
ash_status ash_tflite_add_variables(ash_tflite *r);
/* Was it used up for first values? */
bool ash_tflite_subgraph_is_run(const ash_tflite *r, uint32_t subgraph);

#endif
