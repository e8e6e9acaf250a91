/* split_groups.c - grouped convolutions whose groups are too large to cut
 * between.
 *
 *   conv(x, w, b), G groups   ->   split(x) -> x_1 .. x_G
 *                                  conv(x_i, w_i, b_i) -> y_i
 *                                  concatenation(y_1 .. y_G)
 *
 * Tiles of a grouped convolution are whole groups (domain/domain_window.c);
 * each of the convolutions that are made here may be cut anywhere. Only for
 * devices with a compute memory, and only where one group does not fit it. */
#include "pass/pass.h"

#include "pass/decompose.h"

enum { SLACK = 64 }; /* alignment of a handful of buffers */

typedef struct grouped {
  ash_ctx *ctx;
  ash_graph *g;
  const ash_op *op;
  uint32_t line;              /* the dimension of the channels */
  int64_t groups, each, made; /* channels of a group, in and out */
  uint64_t room;              /* in the compute memory */
} grouped;

static bool is_grouped(grouped *w) {
  const ash_op *o = w->op;
  if (o->kind != ASH_OP_conv_2d && o->kind != ASH_OP_conv_nd)
    return false;
  const ash_tensor *x = ash_op_in(w->g, o, 0), *f = ash_op_in(w->g, o, 1);
  const ash_tensor *b = ash_op_in(w->g, o, 2);
  if (x->type == ASH_FLOAT32 && f->type == ASH_INT8)
    return false; /* all of the image says how it is quantised */
  w->line = o->kind == ASH_OP_conv_2d ? 3 : 1;
  w->each = f->shape.dim[w->line];
  w->groups = w->each ? x->shape.dim[w->line] / w->each : 1;
  w->made = w->groups ? f->shape.dim[0] / w->groups : 0;
  return w->groups > 1 && o->input_count <= 3 && f->data && (!b || b->data);
}

static uint64_t bytes_of(const ash_tensor *t, uint64_t elements) {
  return t ? elements * ash_type_bits(t->type) / 8 : 0;
}

/* One output pixel of one group: what it reads, its weights, all its channels
 * with bias and scales. */
static uint64_t smallest(const grouped *w) {
  const ash_tensor *f = ash_op_in(w->g, w->op, 1);
  const uint64_t made = (uint64_t)w->made;
  const uint64_t taps =
      ash_shape_elements(&f->shape) / (uint64_t)f->shape.dim[0];
  return bytes_of(ash_op_in(w->g, w->op, 0), taps) + bytes_of(f, taps * made) +
         bytes_of(ash_op_in(w->g, w->op, 2), made) +
         bytes_of(ash_op_out(w->g, w->op, 0), made) + made * 5 + SLACK;
}

/* ---- one group ----------------------------------------------------------- */

static ash_status add_part(const grouped *w, uint32_t *out, uint32_t tensor,
                           int64_t channels) {
  ash_tensor t = w->g->tensors.items[tensor];
  t.id = NULL;
  t.is_output = false;
  t.kind = ASH_TENSOR_ACTIVATION;
  t.shape.dim[w->line] = (int32_t)channels;
  return ash_graph_add_tensor(w->g, out, t);
}

/* Rows of a constant, with their scales. */
static ash_status add_rows(const grouped *w, uint32_t *out, uint32_t k,
                           int64_t group) {
  *out = ASH_NO_ID;
  if (!ash_op_in(w->g, w->op, k))
    return ASH_OK;
  ash_tensor t = *ash_op_in(w->g, w->op, k);
  const size_t row = (size_t)t.bytes / (size_t)t.shape.dim[0];
  t.id = NULL;
  t.data += row * (size_t)(group * w->made);
  t.file_byte = UINT64_MAX;
  t.shape.dim[0] = (int32_t)w->made;
  if (t.quant.count > 1) {
    t.quant.scale += group * w->made;
    t.quant.zero_point += group * w->made;
    t.quant.count = (uint32_t)w->made;
  }
  return ash_graph_add_tensor(w->g, out, t);
}

static ash_status add_conv(const grouped *w, uint32_t x, uint32_t y,
                           int64_t group) {
  uint32_t in[3] = {x, 0, 0}, op;
  ASH_TRY(add_rows(w, &in[1], 1, group));
  ASH_TRY(add_rows(w, &in[2], 2, group));
  ash_op o = *w->op;
  o.id = ash_zone_format(&w->g->zone, "%s_group%u", w->op->id, (unsigned)group);
  ASH_TRY(ash_zone_check(w->ctx, &w->g->zone));
  o.inputs = in;
  o.outputs = &y;
  ASH_TRY(ash_graph_add_op(w->g, &op, o));
  return o.kind == ASH_OP_conv_nd
             ? ash_graph_set_attr(w->g, op, ASH_INT_ATTR("groups", 1))
             : ASH_OK;
}

/* ---- all of them --------------------------------------------------------- */

static ash_status add_split(const grouped *w, uint32_t *parts) {
  const uint32_t groups = (uint32_t)w->groups;
  int64_t *sizes = ASH_NEW_ARRAY(&w->ctx->scratch, int64_t, groups);
  uint32_t op;
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t i = 0; i < groups; i++)
    sizes[i] = w->each;
  ash_attr attrs[] = {ASH_INT_ATTR("axis", w->line),
                      ASH_INTS_ATTR("sizes", sizes, groups)};
  return ash_graph_add_op(
      w->g, &op,
      (ash_op){.kind = ASH_OP_split,
               .id = ash_zone_format(&w->g->zone, "%s_split", w->op->id),
               .source_index = w->op->source_index,
               .input_count = 1,
               .output_count = groups,
               .attr_count = 2,
               .inputs = w->op->inputs,
               .outputs = parts,
               .attrs = attrs});
}

static ash_status add_join(const grouped *w, uint32_t *parts) {
  ash_attr axis = ASH_INT_ATTR("axis", w->line);
  uint32_t op;
  return ash_graph_add_op(
      w->g, &op,
      (ash_op){.kind = ASH_OP_concatenation,
               .id = ash_zone_format(&w->g->zone, "%s_join", w->op->id),
               .source_index = w->op->source_index,
               .input_count = (uint32_t)w->groups,
               .output_count = 1,
               .attr_count = 1,
               .inputs = parts,
               .outputs = w->op->outputs,
               .attrs = &axis});
}

static ash_status decompose(const grouped *w) {
  ash_zone *z = &w->ctx->scratch;
  uint32_t *x = ASH_NEW_ARRAY(z, uint32_t, (size_t)w->groups);
  uint32_t *y = ASH_NEW_ARRAY(z, uint32_t, (size_t)w->groups);
  ASH_TRY(ash_zone_check(w->ctx, z));
  for (int64_t i = 0; i < w->groups; i++) {
    ASH_TRY(add_part(w, &x[i], w->op->inputs[0], w->each));
    ASH_TRY(add_part(w, &y[i], w->op->outputs[0], w->made));
  }
  ASH_TRY(add_split(w, x));
  for (int64_t i = 0; i < w->groups; i++)
    ASH_TRY(add_conv(w, x[i], y[i], i));
  ASH_TRY(add_join(w, y));
  return ash_zone_check(w->ctx, &w->g->zone);
}

static bool is_too_large(grouped *w) {
  return is_grouped(w) && smallest(w) > w->room;
}

static bool wants(void *user, const ash_op *op) {
  grouped *w = user;
  w->op = op;
  return is_too_large(w);
}

static ash_status put(void *user, const ash_op *op) {
  grouped *w = user;
  w->op = op;
  return decompose(w);
}

ash_status ash_pass_split_groups(ash_ctx *ctx, ash_graph *g,
                                 const ash_target *target) {
  grouped w = {.ctx = ctx, .g = g, .room = target->compute_bytes};
  const ash_decomposer decomposer = {&w, wants, put};
  return w.room ? ash_pass_decompose(g, &decomposer) : ASH_OK;
}
