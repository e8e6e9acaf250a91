/* tflite_make.c */
#include "tflite_make.h"

void make_put(make_file *f, uint64_t value, uint32_t size) {
  assert(f->count + size <= MAKE_BYTES);
  for (uint32_t i = 0; i < size; i++)
    f->bytes[f->count++] = (uint8_t)(value >> (8 * i));
}

/* Zeros until count % of == rest. */
static void make_align(make_file *f, size_t of, size_t rest) {
  while (f->count % of != rest)
    make_put(f, 0, 1);
}

void make_patch(make_file *f, size_t at) {
  const size_t distance = f->count - at;
  for (uint32_t i = 0; i < 4; i++)
    f->bytes[at + i] = (uint8_t)(distance >> (8 * i));
}

void make_child(make_file *f, size_t from, size_t *where,
                const make_field *fields, uint32_t count) {
  uint32_t slots = 0, bytes = 4;
  uint16_t offset[16] = {0};
  for (uint32_t size = 8; size; size /= 2)
    for (uint32_t i = 0; i < count; i++)
      if (fields[i].size == size) {
        offset[fields[i].slot] = (uint16_t)bytes;
        bytes += size;
        slots = fields[i].slot + 1 > slots ? fields[i].slot + 1 : slots;
      }
  make_align(f, 8, (4 - (4 + 2 * slots) % 8 + 8) % 8);
  make_put(f, 4 + 2 * slots, 2);
  make_put(f, bytes, 2);
  for (uint32_t i = 0; i < slots; i++)
    make_put(f, offset[i], 2);
  make_patch(f, from);
  make_put(f, 4 + 2 * slots, 4);
  for (uint32_t size = 8; size; size /= 2)
    for (uint32_t i = 0; i < count; i++)
      if (fields[i].size == size) {
        where[fields[i].slot] = f->count;
        make_put(f, (uint64_t)fields[i].value, size);
      }
}

void make_count(make_file *f, size_t from, uint32_t count, uint32_t size) {
  make_align(f, 8, (size == 8) != f->by_fours ? 4 : 0);
  make_patch(f, from);
  make_put(f, count, 4);
}

static void make_ints(make_file *f, size_t from, const make_list *list) {
  make_count(f, from, list->count, 4);
  for (uint32_t i = 0; i < list->count; i++)
    make_put(f, (uint32_t)list->items[i], 4);
}

static void make_string(make_file *f, size_t from, const char *text) {
  make_count(f, from, (uint32_t)strlen(text), 1);
  for (const char *p = text; *p; p++)
    make_put(f, (uint8_t)*p, 1);
  make_put(f, 0, 1);
}

size_t make_refs(make_file *f, size_t from, uint32_t count) {
  make_count(f, from, count, 4);
  const size_t at = f->count;
  for (uint32_t i = 0; i < count; i++)
    make_put(f, 0, 4);
  return at;
}

static void make_put_quant(make_file *f, size_t from, const make_tensor *t) {
  size_t w[16];
  make_child(
      f, from, w,
      (make_field[]){{2, 4, 0}, {3, 4, 0}, {4, 1, t->details}, {6, 4, t->axis}},
      4);
  make_count(f, w[2], t->scale_count, 4);
  for (uint32_t i = 0; i < t->scale_count; i++) {
    uint32_t bits;
    memcpy(&bits, &t->scale[i], sizeof bits);
    make_put(f, bits, 4);
  }
  make_count(f, w[3], t->zero_count, 8);
  for (uint32_t i = 0; i < t->zero_count; i++)
    make_put(f, (uint64_t)t->zero[i], 8);
}

static void make_put_tensor(make_file *f, size_t from, const make_tensor *t) {
  size_t w[16];
  const uint32_t has_quant = t->scale_count || t->details;
  make_child(f, from, w,
             (make_field[]){{0, 4, 0},
                            {1, 1, t->type},
                            {2, 4, t->buffer},
                            {3, 4, 0},
                            {4, has_quant ? 4 : 0, 0},
                            {5, 1, t->variable},
                            {6, t->sparse ? 4 : 0, 4},
                            {7, t->signature.count ? 4 : 0, 0},
                            {10, t->external ? 4 : 0, t->external}},
             9);
  make_ints(f, w[0], &t->shape);
  make_string(f, w[3], t->name);
  if (has_quant)
    make_put_quant(f, w[4], t);
  if (t->signature.count)
    make_ints(f, w[7], &t->signature);
}

static void make_put_op(make_file *f, size_t from, const make_op *op) {
  size_t w[16], ow[16];
  make_field fields[MAKE_LIST + 1];
  uint32_t count = 0;
  const uint32_t ref = op->options_type ? 4 : 0;
  make_child(f, from, w,
             (make_field[]){{0, 4, op->code},
                            {1, 4, 0},
                            {2, 4, 0},
                            {3, 1, op->options_type},
                            {4, ref, 0}},
             5);
  make_ints(f, w[1], &op->inputs);
  make_ints(f, w[2], &op->outputs);
  if (!op->options_type)
    return;
  while (count < MAKE_LIST && op->options[count].size)
    fields[count] = op->options[count], count++;
  if (op->options_vector.count)
    fields[count++] = (make_field){0, 4, 0};
  make_child(f, w[4], ow, fields, count);
  if (op->options_vector.count)
    make_ints(f, ow[0], &op->options_vector);
}

static void make_put_subgraph(make_file *f, size_t from, const make_model *m) {
  size_t w[16];
  make_child(
      f, from, w,
      (make_field[]){{0, 4, 0}, {1, 4, 0}, {2, 4, 0}, {3, 4, 0}, {4, 4, 0}}, 5);
  const size_t tensors = make_refs(f, w[0], m->tensor_count);
  make_ints(f, w[1], &m->inputs);
  make_ints(f, w[2], &m->outputs);
  const size_t ops = make_refs(f, w[3], m->op_count);
  make_string(f, w[4], "main");
  for (uint32_t i = 0; i < m->tensor_count; i++)
    make_put_tensor(f, tensors + 4 * i, &m->tensors[i]);
  for (uint32_t i = 0; i < m->op_count; i++)
    make_put_op(f, ops + 4 * i, &m->ops[i]);
}

void make_put_code(make_file *f, size_t from, const make_code *c) {
  size_t w[16];
  make_child(f, from, w,
             (make_field[]){{0, 1, c->narrow},
                            {1, c->custom ? 4 : 0, 0},
                            {2, 4, c->version},
                            {3, 4, c->wide}},
             4);
  if (c->custom)
    make_string(f, w[1], c->custom);
}

static void make_put_buffer(make_file *f, size_t from, const make_buffer *b) {
  size_t w[16];
  make_child(f, from, w,
             (make_field[]){{0, b->data ? 4 : 0, 0},
                            {1, b->offset ? 8 : 0, (int64_t)b->offset},
                            {2, b->size ? 8 : 0, (int64_t)b->size}},
             3);
  if (!b->data)
    return;
  make_count(f, w[0], b->count, 1);
  for (uint32_t i = 0; i < b->count; i++)
    make_put(f, ((const uint8_t *)b->data)[i], 1);
}

void make_write(make_file *f, const make_model *m) {
  size_t w[16];
  f->count = 0;
  f->by_fours = m->by_fours;
  make_put(f, 0, 4);
  for (const char *p = "TFL3"; *p; p++)
    make_put(f, (uint8_t)*p, 1);
  make_child(
      f, 0, w,
      (make_field[]){{0, 4, m->version}, {1, 4, 0}, {2, 4, 0}, {4, 4, 0}}, 4);
  const size_t codes = make_refs(f, w[1], m->code_count);
  const size_t subgraphs = make_refs(f, w[2], m->subgraph_count);
  const size_t buffers = make_refs(f, w[4], m->buffer_count);
  for (uint32_t i = 0; i < m->code_count; i++)
    make_put_code(f, codes + 4 * i, &m->codes[i]);
  for (uint32_t i = 0; i < m->subgraph_count; i++)
    make_put_subgraph(f, subgraphs + 4 * i, m);
  for (uint32_t i = 0; i < m->buffer_count; i++)
    make_put_buffer(f, buffers + 4 * i, &m->buffers[i]);
}

/* ---- a model ------------------------------------------------------------ */

static const int8_t weights[3 * 3 * 3 * 2] = {1, 2, 3, -4};
static const int32_t bias[3] = {5, 6, 7};
static const int32_t new_shape[2] = {1, -1};

make_model make_good_model(void) {
  return (make_model){
      .version = 3,
      .subgraph_count = 1,
      .code_count = 3,
      .codes = {{3, 3, 3, NULL}, {22, 0, 1, NULL}, {25, 25, 2, NULL}},
      .buffer_count = 4,
      .buffers = {{0},
                  {weights, sizeof weights, 0, 0},
                  {bias, sizeof bias, 0, 0},
                  {new_shape, sizeof new_shape, 0, 0}},
      .tensor_count = 7,
      .tensors = {{.name = "x",
                   .type = 9,
                   .shape = MAKE_IDS(1, 5, 4, 2),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.5f},
                   .zero = {-128}},
                  {.name = "w",
                   .type = 9,
                   .shape = MAKE_IDS(3, 3, 3, 2),
                   .buffer = 1,
                   .scale_count = 3,
                   .zero_count = 3,
                   .scale = {1, 2, 3}},
                  {.name = "b",
                   .type = 2,
                   .shape = MAKE_IDS(3),
                   .buffer = 2,
                   .scale_count = 3,
                   .zero_count = 3,
                   .scale = {1, 2, 3}},
                  {.name = "y",
                   .type = 9,
                   .shape = MAKE_IDS(1, 3, 2, 3),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.25f}},
                  {.name = "s", .type = 2, .shape = MAKE_IDS(2), .buffer = 3},
                  {.name = "z",
                   .type = 9,
                   .shape = MAKE_IDS(1, 18),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.25f}},
                  {.name = "p",
                   .type = 9,
                   .shape = MAKE_IDS(1, 18),
                   .scale_count = 1,
                   .zero_count = 1,
                   .scale = {0.00390625f},
                   .zero = {-128}}},
      .op_count = 3,
      .ops = {{.code = 0,
               .inputs = MAKE_IDS(0, 1, 2),
               .outputs = MAKE_IDS(3),
               .options_type = 1,
               .options = {{0, 1, 0}, {1, 4, 2}, {2, 4, 2}, {3, 1, 1}}},
              {.code = 1,
               .inputs = MAKE_IDS(3, 4),
               .outputs = MAKE_IDS(5),
               .options_type = 17},
              {.code = 2,
               .inputs = MAKE_IDS(5),
               .outputs = MAKE_IDS(6),
               .options_type = 9,
               .options = {{0, 4, 0x3f800000}}}},
      .inputs = MAKE_IDS(0),
      .outputs = MAKE_IDS(6),
  };
}
