/* test_fuse.c - fusing element-wise functions changes no bit: random graphs of
 * them are run by the interpreter before and after. */
#include "net.h"

#include "base/rng.h"
#include "op/chain.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "ref/ref.h"

enum { ELEMENTS = 24, TENSORS = 40, ROUNDS = 400 };

static ash_rng dice;

static uint32_t pick(uint32_t below) {
  return (uint32_t)(ash_rng_next(&dice) % below);
}

static ash_type some_type(void) {
  static const ash_type types[] = {ASH_INT8, ASH_INT32, ASH_INT64, ASH_FLOAT32,
                                   ASH_UINT8};
  return types[pick(ASH_COUNT_OF(types))];
}

static uint32_t scalar(net *n, ash_type type) {
  const int64_t whole = (int64_t)pick(9);
  const float real = (float)whole / 4;
  return net_constant(n, type, NET_DIMS(1),
                      type == ASH_FLOAT32 ? (const void *)&real : &whole, 0, 0);
}

/* Operands k > 0: of the type that the function wants. */
static uint32_t operand(net *n, const uint32_t *made, uint32_t count,
                        uint32_t types, const ash_shape *shape) {
  for (uint32_t tries = 0; tries < 8; tries++) {
    const uint32_t t = made[pick(count)];
    const ash_tensor *tensor = &n->g->tensors.items[t];
    if ((types >> tensor->type & 1) && tensor->shape.rank <= shape->rank)
      return t;
  }
  for (unsigned type = 0; type < ASH_TYPE_COUNT; type++)
    if ((types >> type & 1) && type != ASH_BOOL)
      return scalar(n, (ash_type)type);
  return ASH_NO_ID;
}

static uint32_t some_map(net *n, const uint32_t *made, uint32_t count) {
  static const char *const names[] = {
      "add",  "sub",        "mul",  "maximum", "minimum",     "abs", "neg",
      "clip", "shift_left", "cast", "less",    "shift_right", "div", "select"};
  const char *name = names[pick(ASH_COUNT_OF(names))];
  const ash_fn fn = ash_fn_find(name);
  const ash_shape full = NET_DIMS(2, 3, 4);
  ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
  net_ids ids = {.count = ash_fn_operands(fn)};
  for (uint32_t k = 0; k < ids.count; k++) {
    ids.at[k] = operand(n, made, count, ash_fn_wants(fn, in, k), &full);
    if (ids.at[k] == ASH_NO_ID)
      return ASH_NO_ID;
    in[k] = n->g->tensors.items[ids.at[k]].type;
  }
  if (name[0] == 's' && name[1] == 'h' && ash_type_is_float(in[0]))
    return ASH_NO_ID;
  bool is_full = false;
  for (uint32_t k = 0; k < ids.count; k++)
    is_full = is_full || n->g->tensors.items[ids.at[k]].shape.rank == 3;
  const uint32_t types = ash_fn_wants(fn, in, ids.count);
  ash_type type = some_type();
  while (!(types >> type & 1))
    type = (ash_type)((type + 1) % ASH_TYPE_COUNT);
  if (!is_full)
    return ASH_NO_ID;
  const uint32_t out = net_result(n, type, full, 0, 0);
  const uint32_t op = net_op(n, ASH_OP_COUNT + fn, ids, out);
  static const char *const acts[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  const bool sum = fn == ASH_FN_add || fn == ASH_FN_sub || fn == ASH_FN_mul;
  if (sum && type == ASH_FLOAT32 && pick(2))
    net_string(n, op, "act", acts[pick(ASH_COUNT_OF(acts))]);
  return out;
}

static void build(net *n) {
  uint32_t made[TENSORS], count = 0, outputs[3], output_count = 0;
  *n = net_new();
  for (uint32_t k = 0; k < 3; k++)
    made[count++] = net_input(n, k == 1 ? ASH_INT32 : some_type(),
                              k == 2 ? NET_DIMS(4) : NET_DIMS(2, 3, 4), 0, 0);
  while (count < TENSORS / 2) {
    const uint32_t t = some_map(n, made, count);
    if (t != ASH_NO_ID)
      made[count++] = t;
  }
  outputs[output_count++] = made[count - 1];
  const uint32_t other = made[3 + pick(count - 4)];
  if (pick(2))
    outputs[output_count++] = other;
  CHECK_EQ(ash_graph_set_outputs(n->g, outputs, output_count), ASH_OK);
  CHECK_EQ(ash_pass_dead_code(n->ctx, n->g), ASH_OK);
  CHECK_EQ(ash_op_verify(n->ctx, n->g), ASH_OK);
}

typedef struct values {
  _Alignas(16) uint8_t bytes[3][ELEMENTS * 8];
} values;

static void run(const net *n, values *out) {
  values in = {{{0}}};
  const void *inputs[3];
  void *outputs[3];
  ash_rng rng = {5};
  for (uint32_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < ELEMENTS * 8; i++)
      in.bytes[k][i] = (uint8_t)ash_rng_next(&rng);
    inputs[k] = in.bytes[k];
    outputs[k] = out->bytes[k];
  }
  for (uint32_t k = 0; k < n->g->input_count; k++)
    if (n->g->tensors.items[n->g->inputs[k]].type == ASH_FLOAT32)
      for (uint32_t i = 0; i < ELEMENTS; i++) {
        const float x = (float)(int8_t)in.bytes[k][i] / 8;
        memcpy(&in.bytes[k][i * 4], &x, 4);
      }
  memset(out, 0, sizeof *out);
  CHECK_EQ(ash_ref_run(n->ctx, n->g, inputs, outputs), ASH_OK);
}

static void random_graphs_keep_every_bit(void) {
  size_t before = 0, after = 0;
  dice = (ash_rng){11};
  for (int round = 0; round < ROUNDS; round++) {
    net n;
    values was, is;
    build(&n);
    run(&n, &was);
    before += n.g->op_count;
    CHECK_EQ(ash_pass_fuse(n.ctx, n.g), ASH_OK);
    CHECK_EQ(ash_op_verify(n.ctx, n.g), ASH_OK);
    after += n.g->op_count;
    run(&n, &is);
    CHECK(memcmp(&was, &is, sizeof is) == 0);
    net_free(&n);
  }
  CHECK(after * 5 < before * 4);
}

/* ---- the code ------------------------------------------------------------ */

static net with_code(const char *code) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT32, NET_DIMS(4), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(4), 0, 0);
  net_string(&n, net_op(&n, ASH_OP_chain, NET_IDS(x), y), "code", code);
  return n;
}

static void check_code(const char *code, ash_status want) {
  net n = with_code(code);
  CHECK_EQ(ash_op_verify(n.ctx, n.g), want);
  net_free(&n);
}

static void code_is_read_back_as_it_was_written(void) {
  static const char text[] = "float32 cast i0; float32 mul s0 float32:0.25; "
                             "int64 cast s1; int64 clip s2 int64:-128 "
                             "int64:127; int8 cast s3";
  net n = with_code(text);
  ash_chain chain;
  uint32_t stage;
  ash_text t;
  ash_text_init(&t, &n.ctx->mem);
  CHECK(ash_chain_read(&chain, n.g, &n.g->ops.items[0], &stage));
  ash_chain_write(&t, &chain);
  CHECK_EQ(t.count, sizeof text - 1);
  CHECK(memcmp(t.bytes, text, t.count) == 0);
  CHECK_EQ(ash_op_stages(&n.g->ops.items[0]), 5);
  ash_text_drop(&t);
  net_free(&n);
}

static void bad_code_is_refused(void) {
  check_code("int8 cast i0", ASH_OK);
  check_code("", ASH_MALFORMED);
  check_code("int8", ASH_MALFORMED);
  check_code("int8 cast", ASH_MALFORMED);
  check_code("int8 cast i1", ASH_MALFORMED);      /* no such input   */
  check_code("int8 cast s0", ASH_MALFORMED);      /* not before it   */
  check_code("int8 cast i0 i0", ASH_MALFORMED);   /* one too many    */
  check_code("int8 cast i0;", ASH_MALFORMED);     /* nothing follows */
  check_code("float32 add i0 i0", ASH_MALFORMED); /* another type    */
  check_code("int32 add i0 i0", ASH_UNSUPPORTED); /* not the output's */
  check_code("int8 cast int32:x", ASH_MALFORMED);
  check_code("int8 cast none:1", ASH_MALFORMED);
  check_code("int8 nothing i0", ASH_MALFORMED);
}

/* y = -(a + b), with a reduction of something else in between or not. */
static size_t operators_left(bool between) {
  const ash_shape shape = NET_DIMS(2, 3, 4);
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_FLOAT32, shape, 0, 0);
  const uint32_t b = net_input(&n, ASH_FLOAT32, shape, 0, 0);
  const uint32_t c = net_input(&n, ASH_FLOAT32, shape, 0, 0);
  const uint32_t t = net_result(&n, ASH_FLOAT32, shape, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, shape, 0, 0);
  const uint32_t sum = net_result(&n, ASH_FLOAT32, NET_DIMS(2, 3), 0, 0);
  const int64_t axes[] = {2};
  (void)net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), t);
  if (between)
    (void)net_fold(&n, "sum", c, sum, axes, 1);
  (void)net_op(&n, ASH_FN_ROW(neg), NET_IDS(t), y);
  if (!between)
    (void)net_fold(&n, "sum", c, sum, axes, 1);
  const uint32_t ends[] = {y, sum};
  CHECK_EQ(ash_graph_set_outputs(n.g, ends, 2), ASH_OK);
  CHECK_EQ(ash_pass_fuse(n.ctx, n.g), ASH_OK);
  const size_t left = n.g->op_count;
  net_free(&n);
  return left;
}

static void two_operands_are_not_kept_for_a_later_function(void) {
  CHECK_EQ(operators_left(false), 2);
  CHECK_EQ(operators_left(true), 3);
}

#define TESTS(X)                                                               \
  X(random_graphs_keep_every_bit)                                              \
  X(two_operands_are_not_kept_for_a_later_function)                            \
  X(code_is_read_back_as_it_was_written)                                       \
  X(bad_code_is_refused)
TEST_MAIN(TESTS)
