/* tflite_option.h - an operator of a TFLite file while it is read, and what the
 * readers of options (tflite_option*.c) share. Private to src/read/tflite. */
#ifndef ASH_READ_TFLITE_OPTION_H
#define ASH_READ_TFLITE_OPTION_H

#include "read/tflite/tflite_internal.h"

enum { ASH_TFLITE_ATTRS = 16 };

typedef struct ash_tflite_call ash_tflite_call;

/* How an operator is read: a row of tflite_ops.def. */
typedef struct ash_tflite_rule {
  int32_t code; /* TFLite's builtin operator */
  ash_op_kind kind;
  const char *fn; /* of operators that are named by one */
  int32_t version_max;
  uint32_t options; /* their number in the format's union; 0: not read */
  ash_status (*read)(ash_tflite_call *c);
  const char *fields, *order;
  bool scaled; /* narrow integers need scale and zero point */
  const char *types;
} ash_tflite_rule;

struct ash_tflite_call {
  ash_tflite *r;
  const ash_tflite_rule *rule;
  uint32_t index; /* in the file */
  ash_fb_table options;
  ash_op op; /* tensors are those of the graph */
  ash_attr attrs[ASH_TFLITE_ATTRS];
};

ash_status ash_tflite_bad_options(const ash_tflite_call *c, const char *what,
                                  int64_t value);
/* The place of one of the operator's tensors, by the file's number; of input
 * or output k. */
ash_loc ash_tflite_at_op_tensor(const ash_tflite_call *c, uint32_t tensor);
ash_loc ash_tflite_at_input(const ash_tflite_call *c, uint32_t k);
ash_loc ash_tflite_at_output(const ash_tflite_call *c, uint32_t k);

void ash_tflite_put(ash_tflite_call *c, ash_attr attr);
void ash_tflite_put_int(ash_tflite_call *c, const char *name, int64_t value);
/* Integers that must be at least `least`. */
ash_status ash_tflite_put_field(ash_tflite_call *c, const char *name,
                                uint32_t field, int32_t otherwise,
                                int32_t least);
ash_status ash_tflite_put_act(ash_tflite_call *c, uint32_t field);
/* An integer put before. */
int64_t ash_tflite_got(const ash_tflite_call *c, const char *name);

/* A constant input of integers. */
typedef struct ash_tflite_list {
  const int64_t *at;
  uint32_t count;
} ash_tflite_list;

/* Input k, which says how to compute and so must be constant. */
ash_status ash_tflite_take_list(const ash_tflite_call *c, uint32_t k,
                                const char *what, ash_tflite_list *out);

/* Is the shape of the outputs inferred, whatever the file says? Then a reader
 * that needs it before it is known puts it. */
bool ash_tflite_is_loose(const ash_tflite_call *c);
ash_status ash_tflite_put_shape(ash_tflite_call *c, uint32_t k,
                                const ash_shape *shape);

const ash_shape *ash_tflite_shape_in(const ash_tflite_call *c, uint32_t k);
ash_status ash_tflite_need_rank(const ash_tflite_call *c, uint32_t input,
                                uint32_t rank);
/* Float data with int8 weights? What is absent is refused by shape rules. */
bool ash_tflite_is_hybrid(const ash_tflite_call *c, uint32_t weights);

/* The readers. */
#define TFLITE(number, op, columns) columns
#define READ(reader)                ash_status ash_tflite_read_##reader(ash_tflite_call *c);
#include "read/tflite/tflite_ops.def"
#undef TFLITE

#endif
