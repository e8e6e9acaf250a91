/* tflite_make.h - writes small TFLite files for tests, with control over every
 * field, right or wrong. A model is a plain struct; a test takes a good one,
 * breaks a field and looks at what the reader says.
 *
 * Parents are written before their children, so that every reference is a
 * distance forward, patched in when the child's place is known. */
#ifndef ASH_TESTS_TFLITE_MAKE_H
#define ASH_TESTS_TFLITE_MAKE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAKE_LIST = 8, MAKE_BYTES = 1 << 16 };

typedef struct make_list {
  uint32_t count;
  int32_t items[MAKE_LIST];
} make_list;
#define MAKE_IDS(...)                                                          \
  {                                                                            \
    sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t), {                      \
      __VA_ARGS__                                                              \
    }                                                                          \
  }

typedef struct make_tensor {
  const char *name;
  uint8_t type;
  make_list shape, signature;
  uint32_t buffer;
  uint32_t scale_count, zero_count;
  float scale[MAKE_LIST];
  int64_t zero[MAKE_LIST];
  int32_t axis;
  uint8_t variable, details, sparse;
  uint32_t external;
} make_tensor;

typedef struct make_field { /* size 0: none */
  uint32_t slot, size;
  int64_t value;
} make_field;

typedef struct make_op {
  uint32_t code;
  make_list inputs, outputs;
  uint8_t options_type;
  make_field options[MAKE_LIST];
  make_list options_vector; /* in slot 0 of the options, if not empty */
} make_op;

typedef struct make_code {
  int8_t narrow;
  int32_t wide, version;
  const char *custom;
} make_code;

typedef struct make_buffer {
  const void *data;
  uint32_t count;
  uint64_t offset, size; /* of bytes behind the FlatBuffer */
} make_buffer;

typedef struct make_model {
  uint32_t version, subgraph_count;
  uint32_t code_count, tensor_count, op_count, buffer_count;
  make_code codes[MAKE_LIST];
  make_tensor tensors[MAKE_LIST];
  make_op ops[MAKE_LIST];
  make_buffer buffers[MAKE_LIST];
  make_list inputs, outputs;
  bool by_fours;
} make_model;

typedef struct make_file {
  uint8_t bytes[MAKE_BYTES];
  size_t count;
  bool by_fours; /* vectors of 8-byte elements lie at multiples of 4 only */
} make_file;

/* ---- bytes ------------------------------------------------------------- */

void make_put(make_file *f, uint64_t value, uint32_t size);

void make_patch(make_file *f, size_t at);

/* A table that the reference at `from` points to; `where[slot]` tells where
 * each field stands. Wide fields come first. */
void make_child(make_file *f, size_t from, size_t *where,
                const make_field *fields, uint32_t count);
void make_count(make_file *f, size_t from, uint32_t count, uint32_t size);

/* A vector of references; returns where the first stands. */
size_t make_refs(make_file *f, size_t from, uint32_t count);

/* ---- the format -------------------------------------------------------- */

void make_put_code(make_file *f, size_t from, const make_code *c);

/* x int8[1,5,4,2] -> conv 3x3 SAME stride 2 -> y -> reshape -> z -> softmax;
 * good unless a test breaks it. */
make_model make_good_model(void);

/* The whole file. */
void make_write(make_file *f, const make_model *m);

#endif
