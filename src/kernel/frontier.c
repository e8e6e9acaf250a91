/* frontier.c - see frontier.h. Going through the output pixels from the last
 * to the first, the lowest input byte that is still needed is the smallest so
 * far; what has been written when a pixel is done must end before it. */
#include "kernel/frontier.h"

/* Images without batches whose windows a kernel reads pixel by pixel. */
static bool reads_pixels(const ash_graph *g, const ash_op *o,
                         const ash_kernel *kernel, uint32_t k) {
  if (!kernel || ash_kernel_is_vector(kernel) ||
      kernel->order != ASH_ORDER_PIXELS || !ash_op_has(o, ASH_OP_WINDOW) ||
      k != 0)
    return false;
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  return in->shape.rank == 4 && out->shape.rank == 4 && out->shape.dim[0] == 1;
}

static int64_t pixel_bytes(const ash_tensor *t) {
  return (int64_t)t->shape.dim[3] * ash_type_bits(t->type) / 8;
}

/* First input row or column that output `i` of an axis looks at. */
static int64_t first_tap(int64_t i, int64_t stride, int64_t pad) {
  const int64_t at = i * stride - pad;
  return at < 0 ? 0 : at;
}

bool ash_kernel_frontier(const ash_graph *g, uint32_t op,
                         const ash_kernel *kernel, uint32_t k,
                         int64_t *distance) {
  const ash_op *o = &g->ops.items[op];
  if (!reads_pixels(g, o, kernel, k))
    return false;
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  const int64_t height = out->shape.dim[1], width = out->shape.dim[2];
  const int64_t read = pixel_bytes(in), made = pixel_bytes(out);
  int64_t low = INT64_MAX, most = INT64_MIN;
  for (int64_t y = height; y-- > 0;)
    for (int64_t x = width; x-- > 0;) {
      const int64_t row = first_tap(y, ash_attr_int(o, "stride_h", 1),
                                    ash_attr_int(o, "pad_top", 0));
      const int64_t column = first_tap(x, ash_attr_int(o, "stride_w", 1),
                                       ash_attr_int(o, "pad_left", 0));
      const int64_t need = (row * in->shape.dim[2] + column) * read;
      low = need < low ? need : low;
      const int64_t written = (y * width + x + 1) * made;
      most = written - low > most ? written - low : most;
    }
  *distance = most;
  return height > 0 && width > 0;
}

bool ash_kernel_line_frontier(const ash_graph *g, uint32_t op,
                              const ash_kernel *kernel, uint32_t k,
                              int64_t *distance) {
  const ash_op *o = &g->ops.items[op];
  if (!reads_pixels(g, o, kernel, k) || !ash_kernel_makes_lines(kernel, g, op))
    return false;
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  const int64_t read = pixel_bytes(in), made = pixel_bytes(out);
  const int64_t width = out->shape.dim[2];
  int64_t low = INT64_MAX, most = INT64_MIN;
  for (int64_t x = width; x-- > 0;) {
    const int64_t column = first_tap(x, ash_attr_int(o, "stride_w", 1),
                                     ash_attr_int(o, "pad_left", 0));
    low = column * read < low ? column * read : low;
    const int64_t written = (x + 1) * made;
    most = written - low > most ? written - low : most;
  }
  *distance = most;
  return width > 0;
}
