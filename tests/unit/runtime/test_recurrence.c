/* test_recurrence.c - ONNX's LSTM, GRU and RNN: the operator `recurrence` in
 * the interpreter and its kernel, against the same layer unrolled into products
 * and functions. A clip that nothing reaches makes the reader unroll. */
#include "ash_rt_state.h"
#include "check.h"
#include "kernel_data.h"
#include "onnx_make.h"
#include "onnx_read.h"
#include "ref/ref.h"

#include <math.h>
#include <string.h>

enum { STEPS = 5, BATCH = 2, DEPTH = 3, UNITS = 2, ROOM = 256 };

typedef struct layer {
  const char *type, *direction, *output;
  int64_t gates, both, late, outputs;
} layer;

static float numbers[ROOM];

static void fill(void) {
  for (int i = 0; i < ROOM; i++)
    numbers[i] = (float)random_between(-1000, 1000) / 700.0f;
}

static void put_float(wire *node, const char *name, float value) {
  wire a = {.count = 0};
  wire_text(&a, 1, name);
  wire_varint(&a, 2 << 3 | 5);
  memcpy(a.bytes + a.count, &value, sizeof value);
  a.count += sizeof value;
  wire_int(&a, 20, 1);
  wire_message(node, 5, &a);
}

static void put_text(wire *node, const char *name, const char *value) {
  wire a = {.count = 0};
  wire_text(&a, 1, name);
  wire_text(&a, 4, value);
  wire_int(&a, 20, 3);
  wire_message(node, 5, &a);
}

/* x, weights, recurrent weights, biases, first results, first cells. */
static wire graph_of(const layer *l, bool unrolled) {
  static const char *const inputs[] = {"x", "w", "r", "b", "", "h", "c"};
  const int64_t d = l->both ? 2 : 1, rows = l->gates * UNITS;
  wire g = {.count = 0}, n = {.count = 0};
  for (int k = 0; k < (l->gates == 4 ? 7 : 6); k++)
    wire_text(&n, 1, inputs[k]);
  for (int k = 0; k < l->outputs; k++)
    wire_text(&n, 2, k + 1 == l->outputs ? "y" : "");
  wire_text(&n, 4, l->type);
  put_text(&n, "direction", l->direction);
  onnx_int(&n, "hidden_size", UNITS);
  if (l->gates == 3)
    onnx_int(&n, "linear_before_reset", l->late);
  if (unrolled)
    put_float(&n, "clip", 1e9f);
  wire_message(&g, 1, &n);
  onnx_constant(&g, "w", 1, 3, ONNX_INTS(d, rows, DEPTH), numbers,
                (size_t)(4 * d * rows * DEPTH));
  onnx_constant(&g, "r", 1, 3, ONNX_INTS(d, rows, UNITS), numbers + 48,
                (size_t)(4 * d * rows * UNITS));
  onnx_constant(&g, "b", 1, 2, ONNX_INTS(d, 2 * rows), numbers + 80,
                (size_t)(8 * d * rows));
  onnx_constant(&g, "h", 1, 3, ONNX_INTS(d, BATCH, UNITS), numbers + 112,
                (size_t)(4 * d * BATCH * UNITS));
  onnx_constant(&g, "c", 1, 3, ONNX_INTS(d, BATCH, UNITS), numbers + 120,
                (size_t)(4 * d * BATCH * UNITS));
  onnx_value(&g, 11, "x", 1, 3, ONNX_INTS(STEPS, BATCH, DEPTH));
  onnx_value(&g, 12, "y", 1, 0, NULL);
  return g;
}

static uint64_t run(const layer *l, bool unrolled, float *y, size_t *ops) {
  const wire g = graph_of(l, unrolled);
  onnx_loaded loaded;
  onnx_load(&loaded, &g, NULL);
  CHECK_EQ(loaded.status, ASH_OK);
  const void *in[] = {numbers + 200};
  void *out[] = {y};
  CHECK_EQ(ash_ref_run(loaded.ctx, loaded.g, in, out), ASH_OK);
  *ops = loaded.g->op_count;
  const uint64_t count =
      ash_shape_elements(&loaded.g->tensors.items[loaded.g->outputs[0]].shape);
  onnx_drop(&loaded);
  return count;
}

static void check_layer(layer l) {
  float want[ROOM], got[ROOM];
  size_t few, many;
  fill();
  const uint64_t count = run(&l, true, want, &many);
  CHECK_EQ(run(&l, false, got, &few), count);
  CHECK(few <= 12 && many > 2 * few);
  for (uint64_t i = 0; i < count; i++)
    CHECK(fabsf(got[i] - want[i]) < 1e-5f);
}

static void check_directions(layer l) {
  for (l.outputs = 1; l.outputs <= (l.gates == 4 ? 3 : 2); l.outputs++) {
    l.direction = "forward";
    l.both = 0;
    check_layer(l);
    l.direction = "reverse";
    check_layer(l);
    l.direction = "bidirectional";
    l.both = 1;
    check_layer(l);
  }
}

static void a_loop_is_what_unrolled_layers_are(void) {
  check_directions((layer){.type = "LSTM", .gates = 4});
  check_directions((layer){.type = "GRU", .gates = 3});
  check_directions((layer){.type = "GRU", .gates = 3, .late = 1});
  check_directions((layer){.type = "RNN", .gates = 1});
}

/* The kernel against the interpreter: y of a forward or reverse layer. */
static void check_kernel(int32_t gates, int32_t late, int32_t back) {
  static const char *const types[] = {"", "RNN", "", "GRU", "LSTM"};
  const ash_rt_recurrence_f32_params p = {.gates = gates,
                                          .steps = STEPS,
                                          .batches = BATCH,
                                          .depth = DEPTH,
                                          .units = UNITS,
                                          .back = back,
                                          .linear_before_reset = late};
  const layer l = {.type = types[gates],
                   .direction = back ? "reverse" : "forward",
                   .gates = gates,
                   .late = late,
                   .outputs = 1};
  float want[ROOM], got[ROOM], work[4 * UNITS];
  size_t ops;
  fill();
  const uint64_t count = run(&l, false, want, &ops);
  ash_rt_recurrence_f32(&p, numbers + 200, numbers, numbers + 48, numbers + 80,
                        numbers + 80 + (ptrdiff_t)gates * UNITS, numbers + 112,
                        numbers + 120, got, work);
  for (uint64_t i = 0; i < count; i++)
    CHECK(fabsf(got[i] - want[i]) < 1e-5f);
}

static void the_kernel_is_the_interpreter(void) {
  for (int32_t back = 0; back < 2; back++) {
    check_kernel(4, 0, back);
    check_kernel(3, 0, back);
    check_kernel(3, 1, back);
    check_kernel(1, 0, back);
  }
}

#define TESTS(X)                                                               \
  X(a_loop_is_what_unrolled_layers_are)                                        \
  X(the_kernel_is_the_interpreter)

TEST_MAIN(TESTS)
