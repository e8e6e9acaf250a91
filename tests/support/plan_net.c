/* plan_net.c - see plan_net.h. */
#include "plan_net.h"

uint32_t row_input(net *n, int32_t bytes) {
  return net_input(n, ASH_FLOAT32, NET_DIMS(1, bytes / 4), 0, 0);
}

uint32_t row_tensor(net *n, int32_t bytes) {
  const ash_tensor t = {.name = "t",
                        .kind = ASH_TENSOR_ACTIVATION,
                        .type = ASH_FLOAT32,
                        .shape = NET_DIMS(1, bytes / 4)};
  return net_tensor(n, t, 0, 0);
}

int32_t row_bytes(const net *n, uint32_t t) {
  return (int32_t)n->g->tensors.items[t].bytes;
}

uint32_t row_relu(net *n, uint32_t x) {
  const uint32_t y = row_tensor(n, row_bytes(n, x));
  net_op(n, ASH_FN_ROW(relu), NET_IDS(x), y);
  return y;
}

uint32_t row_add(net *n, uint32_t a, uint32_t b) {
  const uint32_t y = row_tensor(n, row_bytes(n, a));
  net_op(n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  return y;
}

uint32_t row_reshape(net *n, uint32_t x) {
  const uint32_t y = row_tensor(n, row_bytes(n, x));
  net_op(n, ASH_OP_reshape, NET_IDS(x), y);
  return y;
}

uint32_t row_concat(net *n, uint32_t a, uint32_t b) {
  const uint32_t y = row_tensor(n, row_bytes(n, a) + row_bytes(n, b));
  const uint32_t op = net_op(n, ASH_OP_concatenation, NET_IDS(a, b), y);
  net_int(n, op, "axis", 1);
  return y;
}

uint32_t row_slice(net *n, uint32_t x, int32_t first, int32_t count) {
  const int64_t step[] = {row_bytes(n, x) / 4, 1};
  const uint32_t y = row_tensor(n, count * 4);
  net_strided(n, x, y, NET_DIMS(1, count), step, first);
  return y;
}

void row_split(net *n, uint32_t x, uint32_t *halves) {
  uint32_t op;
  halves[0] = row_tensor(n, row_bytes(n, x) / 2);
  halves[1] = row_tensor(n, row_bytes(n, x) / 2);
  CHECK_EQ(ash_graph_add_op(n->g, &op,
                            (ash_op){.kind = ASH_OP_split,
                                     .source_index = (uint32_t)n->g->op_count,
                                     .inputs = &x,
                                     .input_count = 1,
                                     .outputs = halves,
                                     .output_count = 2}),
           ASH_OK);
  const int64_t sizes[] = {row_bytes(n, x) / 8, row_bytes(n, x) / 8};
  net_int(n, op, "axis", 1);
  net_ints(n, op, "sizes", sizes, 2);
}

uint32_t row_read(net *n, uint32_t variable) {
  const uint32_t y = row_tensor(n, row_bytes(n, variable));
  net_op(n, ASH_OP_read_variable, NET_IDS(variable), y);
  return y;
}

void row_assign(net *n, uint32_t variable, uint32_t value) {
  net_op(n, ASH_OP_assign_variable, NET_IDS(value), variable);
}

uint32_t row_constant(net *n, int32_t bytes, float first) {
  float data[256] = {0};
  for (int32_t i = 0; i < bytes / 4; i++)
    data[i] = first + (float)i;
  return net_constant(n, ASH_FLOAT32, NET_DIMS(1, bytes / 4), data, 0, 0);
}

uint32_t row_variable(net *n, int32_t bytes) {
  ash_tensor t = {.name = "state",
                  .kind = ASH_TENSOR_VARIABLE,
                  .type = ASH_FLOAT32,
                  .shape = NET_DIMS(1, bytes / 4)};
  t.data = ash_zone_alloc(&n->g->zone, (size_t)bytes, 1, 16);
  return net_tensor(n, t, 0, 0);
}

void row_end(net *n, uint32_t y) {
  CHECK_EQ(ash_graph_set_outputs(n->g, &y, 1), ASH_OK);
  n->g->tensors.items[y].is_output = true;
}

ash_rules *rules_from(net *n, const char *text) {
  ash_rules *rules;
  CHECK_EQ(ash_rules_new(n->ctx, &rules), ASH_OK);
  CHECK_EQ(ash_rules_parse(n->ctx, rules, text, strlen(text), "rules.yaml"),
           ASH_OK);
  return rules;
}

const ash_device *small_device(net *n) {
  static const char text[] = "name: small\n"
                             "cpu: cortex-m4\n"
                             "alignment: 16\n"
                             "memories:\n"
                             "  - {name: FAST, bytes: 1K, read_cost: 100}\n"
                             "  - {name: SLOW, bytes: 4K, read_cost: 900}\n"
                             "  - {name: FAR, bytes: 1M, linkable: false}\n"
                             "  - {name: ROM, bytes: 64K, kind: nvm}\n"
                             "default: FAST\n"
                             "constants: ROM\n"
                             "order: [FAST, SLOW]\n";
  const ash_device *device;
  CHECK_EQ(ash_device_parse(n->ctx, &device, text, strlen(text), "small"),
           ASH_OK);
  return device;
}

const ash_plan *must_plan(net *n, const ash_device *device,
                          const ash_plan_options *options) {
  const ash_plan *plan;
  const ash_status status =
      ash_plan_model(n->ctx, &plan, n->g, device, options);
  if (status != ASH_OK)
    print_newest(n->ctx);
  CHECK_EQ(status, ASH_OK);
  return plan;
}

const ash_slot *slot_of(const ash_plan *p, uint32_t tensor) {
  const uint32_t i = ash_plan_slot_of_tensor(p, tensor);
  CHECK(i != ASH_NO_ID);
  return &p->slots[i];
}

const ash_diag *last_diag(const net *n) {
  size_t count;
  const ash_diag *d = ash_ctx_diags(n->ctx, &count);
  CHECK(count > 0);
  return &d[count - 1];
}

bool has_diag(const net *n, uint32_t id) {
  size_t count;
  const ash_diag *d = ash_ctx_diags(n->ctx, &count);
  for (size_t i = 0; i < count; i++)
    if (d[i].id == id)
      return true;
  return false;
}

const char *shared_data(void) {
  const char *given = getenv("ASHLAR_DATA");
  return given ? given : TEST_SOURCE_DIR "/../shared/data";
}
