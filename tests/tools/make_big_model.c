/* make_big_model.c - writes an ONNX model of many megabytes of weights, for the
 * test that reading does not copy them: a chain of linear layers.
 * Usage: make_big_model FILE MEGABYTES */
#include "onnx_make.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1600, WEIGHTS = SIDE * SIDE * 4 }; /* bytes of one matrix */

static wire node_of(int i) {
  wire node = {.count = 0};
  char name[32];
  (void)snprintf(name, sizeof name, "x%d", i);
  wire_text(&node, 1, name);
  (void)snprintf(name, sizeof name, "w%d", i);
  wire_text(&node, 1, name);
  (void)snprintf(name, sizeof name, "x%d", i + 1);
  wire_text(&node, 2, name);
  wire_text(&node, 4, "Gemm"); /* weights as linear layers store them */
  onnx_int(&node, "transB", 1);
  return node;
}

/* A matrix's head; its bytes follow as field 9. */
static wire head_of(int i) {
  wire head = {.count = 0};
  char name[32];
  (void)snprintf(name, sizeof name, "w%d", i);
  wire_int(&head, 1, SIDE);
  wire_int(&head, 1, SIDE);
  wire_int(&head, 2, ONNX_FLOAT);
  wire_text(&head, 8, name);
  wire_head(&head, 9, WEIGHTS);
  return head;
}

/* Bytes of a field of `count` bytes. */
static size_t field_size(uint32_t field, size_t count) {
  wire w = {.count = 0};
  wire_head(&w, field, count);
  return w.count + count;
}

static void write_message(FILE *f, const wire *m) {
  (void)fwrite(m->bytes, 1, m->count, f);
}

static void write_matrix(FILE *f, int i) {
  const wire head = head_of(i);
  wire start = {.count = 0};
  static uint8_t row[SIDE * 4];
  wire_head(&start, 5, head.count + WEIGHTS);
  write_message(f, &start);
  write_message(f, &head);
  for (size_t k = 0; k < sizeof row; k++)
    row[k] = (uint8_t)((k * 37 + (size_t)i) & 0x3f); /* small floats */
  for (int k = 0; k < SIDE; k++)
    (void)fwrite(row, 1, sizeof row, f);
}

int main(int argc, char **argv) {
  const int count = argc > 2 ? (int)(atol(argv[2]) * 1000000 / WEIGHTS) : 0;
  FILE *f = count > 0 ? fopen(argv[1], "wb") : NULL;
  wire head = {.count = 0}, opset = {.count = 0}, ends = {.count = 0};
  char last[32];
  if (!f)
    return 64;
  (void)snprintf(last, sizeof last, "x%d", count);
  onnx_value(&ends, 11, "x0", ONNX_FLOAT, 2, ONNX_INTS(1, SIDE));
  onnx_value(&ends, 12, last, ONNX_FLOAT, 2, ONNX_INTS(1, SIDE));
  size_t size = ends.count;
  for (int i = 0; i < count; i++)
    size += field_size(1, node_of(i).count) +
            field_size(5, head_of(i).count + WEIGHTS);
  wire_int(&head, 1, 8);
  wire_text(&head, 2, "ashlar");
  wire_head(&head, 7, size);
  write_message(f, &head);
  for (int i = 0; i < count; i++) {
    const wire node = node_of(i);
    wire wrapped = {.count = 0};
    wire_message(&wrapped, 1, &node);
    write_message(f, &wrapped);
  }
  for (int i = 0; i < count; i++)
    write_matrix(f, i);
  write_message(f, &ends);
  wire_int(&opset, 2, 13);
  wire tail = {.count = 0};
  wire_message(&tail, 8, &opset);
  write_message(f, &tail);
  return fclose(f) == 0 ? 0 : 74;
}
