/* tile_net.c - see tile_net.h. */
#include "tile_net.h"

const ash_device *tile_device(net *n, unsigned l1, unsigned l2,
                              const char *home) {
  char text[1024];
  const int count = snprintf(
      text, sizeof text,
      "name: three\ncpu: riscv\nfeatures: {cores: 8}\nalignment: 4\n"
      "memories:\n"
      "  - {name: L1, bytes: %u, neighbours: [L2], reach: [cpu, dma]}\n"
      "  - {name: L2, bytes: %u, neighbours: [L1, L3], reach: [cpu, dma]}\n"
      "  - {name: L3, bytes: 64M, neighbours: [L2], reach: [dma], "
      "linkable: false}\n"
      "default: %s\ncompute: L1\nconstants: %s\norder: [L2, L3]\n"
      "dma:\n"
      "  - {name: NEAR, memories: [L1, L2], ranks: [1, 2], setup_cycles: 30, "
      "bytes_per_kilocycle: 8000}\n"
      "  - {name: FAR, memories: [L2, L3], ranks: [1, 2], setup_cycles: 300, "
      "bytes_per_kilocycle: 1000}\n",
      l1, l2, home, home);
  const ash_device *device = NULL;
  CHECK_EQ(ash_device_parse(n->ctx, &device, text, (size_t)count, "three.yaml"),
           ASH_OK);
  return device;
}

net matmul_net(int32_t batch, int32_t m, int32_t k, int32_t n) {
  net made = net_new();
  const uint32_t a = net_input(&made, ASH_FLOAT32, NET_DIMS(batch, m, k), 0, 0);
  const uint32_t b = net_input(&made, ASH_FLOAT32, NET_DIMS(batch, k, n), 0, 0);
  const uint32_t y =
      net_result(&made, ASH_FLOAT32, NET_DIMS(batch, m, n), 0, 0);
  made.g->tensors.items[y].is_output = true;
  (void)net_op(&made, ASH_OP_matmul, NET_IDS(a, b), y);
  return made;
}

net pool_net(int32_t h, int32_t w, int32_t c, int32_t stride) {
  net made = net_new();
  const int32_t oh = (h + 2 - 3) / stride + 1, ow = (w + 2 - 3) / stride + 1;
  const uint32_t x = net_input(&made, ASH_INT8, NET_DIMS(1, h, w, c), 1, 0);
  const uint32_t y = net_result(&made, ASH_INT8, NET_DIMS(1, oh, ow, c), 1, 0);
  made.g->tensors.items[y].is_output = true;
  const uint32_t op = net_op(&made, ASH_OP_max_pool_2d, NET_IDS(x), y);
  static const char *const names[] = {"filter_h", "filter_w"};
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  for (int i = 0; i < 2; i++)
    net_int(&made, op, names[i], 3);
  net_int(&made, op, "stride_h", stride);
  net_int(&made, op, "stride_w", stride);
  for (int i = 0; i < 4; i++)
    net_int(&made, op, pads[i], 1);
  return made;
}

void tell_diags(const net *n) {
  size_t count;
  const ash_diag *d = ash_ctx_diags(n->ctx, &count);
  for (size_t i = 0; i < count; i++)
    fprintf(stderr, "ASH%u %s\n", (unsigned)d[i].id, d[i].message);
}

const ash_plan *must_tile(net *n, const ash_device *device,
                          const ash_tile_options *options) {
  ash_plan_options plan = {0};
  const ash_plan *out = NULL;
  ash_status status =
      ash_tile_model(n->ctx, &plan.tilings, n->g, device, &plan, options);
  if (status == ASH_OK)
    status = ash_plan_model(n->ctx, &out, n->g, device, &plan);
  if (status != ASH_OK)
    tell_diags(n);
  CHECK_EQ(status, ASH_OK);
  return out;
}
