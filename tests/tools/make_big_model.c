/* make_big_model.c - writes an ONNX model of many megabytes of weights, for the
 * test that reading does not copy them: a chain of linear layers.
 * Usage: make_big_model FILE MEGABYTES */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1600, WEIGHTS = SIDE * SIDE * 4 }; /* bytes of one matrix */

/* A message under way: small, built before it is written. */
typedef struct message {
  uint8_t bytes[512];
  size_t count;
} message;

static void put_varint(message *m, uint64_t x) {
  for (; x > 127; x >>= 7)
    m->bytes[m->count++] = (uint8_t)(x | 128);
  m->bytes[m->count++] = (uint8_t)x;
}

static void put_number(message *m, uint32_t field, uint64_t x) {
  put_varint(m, field << 3);
  put_varint(m, x);
}

static void put_bytes(message *m, uint32_t field, const void *bytes, size_t n) {
  put_varint(m, field << 3 | 2);
  put_varint(m, n);
  memcpy(m->bytes + m->count, bytes, n);
  m->count += n;
}

static void put_text(message *m, uint32_t field, const char *text) {
  put_bytes(m, field, text, strlen(text));
}

static void put_message(message *m, uint32_t field, const message *inside) {
  put_bytes(m, field, inside->bytes, inside->count);
}

/* A value's name, float32, [1, SIDE]. */
static message value_of(const char *name) {
  message dim = {0}, shape = {0}, tensor = {0}, type = {0}, value = {0};
  put_number(&dim, 1, 1);
  put_message(&shape, 1, &dim);
  dim.count = 0;
  put_number(&dim, 1, SIDE);
  put_message(&shape, 1, &dim);
  put_number(&tensor, 1, 1);
  put_message(&tensor, 2, &shape);
  put_message(&type, 1, &tensor);
  put_text(&value, 1, name);
  put_message(&value, 2, &type);
  return value;
}

static message node_of(int i) {
  message node = {0}, turned = {0};
  char name[32];
  (void)snprintf(name, sizeof name, "x%d", i);
  put_text(&node, 1, name);
  (void)snprintf(name, sizeof name, "w%d", i);
  put_text(&node, 1, name);
  (void)snprintf(name, sizeof name, "x%d", i + 1);
  put_text(&node, 2, name);
  put_text(&node, 4, "Gemm"); /* weights as linear layers store them */
  put_text(&turned, 1, "transB");
  put_number(&turned, 3, 1);
  put_number(&turned, 20, 2);
  put_message(&node, 5, &turned);
  return node;
}

/* A matrix's head; its bytes follow as field 9. */
static message head_of(int i) {
  message head = {0};
  char name[32];
  (void)snprintf(name, sizeof name, "w%d", i);
  put_number(&head, 1, SIDE);
  put_number(&head, 1, SIDE);
  put_number(&head, 2, 1);
  put_text(&head, 8, name);
  put_varint(&head, 9 << 3 | 2);
  put_varint(&head, WEIGHTS);
  return head;
}

static size_t varint_size(uint64_t x) {
  message m = {0};
  put_varint(&m, x);
  return m.count;
}

static size_t matrix_size(int i) {
  const size_t n = head_of(i).count + WEIGHTS;
  return 1 + varint_size(n) + n;
}

static void write_message(FILE *f, const message *m) {
  (void)fwrite(m->bytes, 1, m->count, f);
}

static void write_matrix(FILE *f, int i) {
  const message head = head_of(i);
  message start = {0};
  static uint8_t row[SIDE * 4];
  put_varint(&start, 5 << 3 | 2);
  put_varint(&start, head.count + WEIGHTS);
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
  message head = {0}, opset = {0}, ends = {0};
  char last[32];
  if (!f)
    return 64;
  (void)snprintf(last, sizeof last, "x%d", count);
  const message in = value_of("x0"), out = value_of(last);
  put_message(&ends, 11, &in);
  put_message(&ends, 12, &out);
  size_t size = ends.count;
  for (int i = 0; i < count; i++) {
    const message node = node_of(i);
    size += 1 + varint_size(node.count) + node.count + matrix_size(i);
  }
  put_number(&head, 1, 8);
  put_text(&head, 2, "ashlar");
  put_varint(&head, 7 << 3 | 2);
  put_varint(&head, size);
  write_message(f, &head);
  for (int i = 0; i < count; i++) {
    const message node = node_of(i);
    message wrapped = {0};
    put_message(&wrapped, 1, &node);
    write_message(f, &wrapped);
  }
  for (int i = 0; i < count; i++)
    write_matrix(f, i);
  write_message(f, &ends);
  put_number(&opset, 2, 13);
  message tail = {0};
  put_message(&tail, 8, &opset);
  write_message(f, &tail);
  return fclose(f) == 0 ? 0 : 74;
}
