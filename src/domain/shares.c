/* shares.c - see shares.h. */
#include "domain/shares.h"

#include "base/checked.h"
#include "domain/domain.h"
#include "domain/piece_graph.h"

/* ---- how much each gets -------------------------------------------------- */

int64_t ash_domain_share_first(const ash_domain_shares *s, uint32_t core) {
  ASH_ASSERT(core <= s->count);
  const int64_t at = s->blocks * core / s->count * s->granule;
  return at < s->extent ? at : s->extent;
}

uint32_t ash_domain_share_largest(const ash_domain_shares *s) {
  int64_t most = 0;
  for (uint32_t core = 0; core < s->count; core++) {
    const int64_t n =
        ash_domain_share_first(s, core + 1) - ash_domain_share_first(s, core);
    most = n > most ? n : most;
  }
  ASH_ASSERT(s->extent > 0 && most <= s->extent);
  return (uint32_t)((most * 1000 + s->extent - 1) / s->extent);
}

void ash_domain_share_piece(const ash_domain_shares *s, uint32_t core,
                            int64_t *at, int64_t *n) {
  ASH_ASSERT(s->space && core < s->count && s->axis < s->space->axis_count);
  for (uint32_t a = 0; a < s->space->axis_count; a++) {
    at[a] = 0;
    n[a] = s->space->axes[a].extent;
  }
  at[s->axis] = ash_domain_share_first(s, core);
  n[s->axis] = ash_domain_share_first(s, core + 1) - at[s->axis];
}

/* ---- where it lies ------------------------------------------------------- */

/* Nothing behind the first dimension of more than one element may be cut. */
static bool lies_in_a_row(const ash_shape *shape, const ash_box *box) {
  bool longer = false;
  ASH_ASSERT(shape->rank == box->rank);
  for (uint32_t d = 0; d < box->rank; d++) {
    if (box->size[d] == 0 || (longer && box->size[d] < shape->dim[d]))
      return false;
    longer = longer || box->size[d] > 1;
  }
  return true;
}

static ash_byte_range box_bytes(const ash_tensor *t, const ash_box *box) {
  uint64_t first = 0, count = 1;
  for (uint32_t d = 0; d < box->rank; d++) {
    first = first * (uint64_t)t->shape.dim[d] + (uint64_t)box->start[d];
    count *= (uint64_t)box->size[d];
  }
  const uint64_t bytes = ash_type_bits(t->type) / 8;
  return (ash_byte_range){first * bytes, (first + count) * bytes};
}

static uint32_t operand_of(const ash_tile_space *s, bool is_output,
                           uint32_t position) {
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (s->operands[i].is_output == is_output &&
        s->operands[i].position == position)
      return i;
  return ASH_NO_ID;
}

/* Lines of the result; of inputs nothing is known but that they are read. */
static ash_byte_range line_bytes(const ash_domain_shares *s, uint32_t core,
                                 const ash_tensor *t, bool is_output) {
  const uint64_t line = t->bytes / (uint64_t)s->extent;
  if (!is_output)
    return (ash_byte_range){0, t->bytes};
  return (ash_byte_range){line * (uint64_t)ash_domain_share_first(s, core),
                          line * (uint64_t)ash_domain_share_first(s, core + 1)};
}

ash_byte_range ash_domain_share_bytes(const ash_graph *g,
                                      const ash_domain_shares *s, uint32_t op,
                                      uint32_t core, bool is_output,
                                      uint32_t position) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *t =
      &g->tensors.items[is_output ? o->outputs[position] : o->inputs[position]];
  if (s->lines)
    return line_bytes(s, core, t, is_output);
  const uint32_t operand = operand_of(s->space, is_output, position);
  if (operand == ASH_NO_ID)
    return (ash_byte_range){0, t->bytes};
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
  ash_box box;
  ash_domain_share_piece(s, core, at, n);
  ash_tile_box(&box, g, s->space, operand, at, n);
  return box_bytes(t, &box);
}

/* ---- which axis ---------------------------------------------------------- */

static bool is_right_place(const ash_graph *g, const ash_domain_shares *s,
                           uint32_t operand) {
  const ash_tile_operand *o = &s->space->operands[operand];
  const ash_tensor *t = &g->tensors.items[o->tensor];
  uint64_t end = 0; /* of the results so far */
  if (ash_type_bits(t->type) % 8)
    return false;
  for (uint32_t core = 0; core < s->count; core++) {
    int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
    ash_box box;
    ash_domain_share_piece(s, core, at, n);
    ash_tile_box(&box, g, s->space, operand, at, n);
    if (!lies_in_a_row(&t->shape, &box))
      return false;
    const ash_byte_range bytes = box_bytes(t, &box);
    if (o->is_output && bytes.from != end)
      return false;
    end = bytes.to;
  }
  return !o->is_output || end == t->bytes;
}

/* Can the kernel run the piece of a share? Its operator may be another. */
static ash_status runs(ash_ctx *ctx, bool *yes, const ash_graph *g,
                       const ash_domain_shares *s, const ash_kernel *kernel,
                       uint32_t core) {
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
  ash_graph *piece = NULL;
  ash_domain_share_piece(s, core, at, n);
  ASH_TRY(
      ash_domain_piece_graph(ctx, &piece, g, s->space, at, n, ASH_PART_WHOLE));
  *yes = ash_kernel_suits(kernel, piece, 0);
  ash_graph_free(piece);
  return ASH_OK;
}

static ash_status is_possible(ash_ctx *ctx, bool *yes, const ash_graph *g,
                              const ash_domain_shares *s,
                              const ash_kernel *kernel) {
  *yes = s->space->axes[s->axis].kind == ASH_AXIS_FREE && s->count > 1;
  for (uint32_t i = 0; *yes && i < s->space->operand_count; i++)
    *yes = is_right_place(g, s, i);
  for (uint32_t core = 0; *yes && core < s->count; core++)
    ASH_TRY(runs(ctx, yes, g, s, kernel, core));
  return ASH_OK;
}

static void deal(ash_domain_shares *s, int64_t extent, int64_t granule,
                 uint32_t cores) {
  ASH_ASSERT(extent > 0 && granule > 0);
  s->extent = extent;
  s->granule = granule;
  s->blocks = (extent + granule - 1) / granule;
  s->count = s->blocks < cores ? (uint32_t)s->blocks : cores;
}

static ash_status find_axis(ash_ctx *ctx, ash_domain_shares *out,
                            const ash_graph *g, const ash_kernel *kernel,
                            uint32_t cores) {
  const ash_tile_space *space = out->space;
  for (uint32_t a = 0; a < space->axis_count; a++) {
    ash_domain_shares s = {.space = space, .axis = a};
    bool yes;
    deal(&s, space->axes[a].extent, space->axes[a].granule, cores);
    if (out->count > 1 &&
        ash_domain_share_largest(&s) >= ash_domain_share_largest(out))
      continue;
    ASH_TRY(is_possible(ctx, &yes, g, &s, kernel));
    if (yes)
      *out = s;
  }
  return ASH_OK;
}

/* Some of their results may be in place already, and are not copied. */
static bool is_moved(const ash_op *o) {
  return o->kind == ASH_OP_concatenation || o->output_count != 1;
}

ash_status ash_domain_shares_of(ash_ctx *ctx, ash_domain_shares *out,
                                const ash_graph *g, uint32_t op,
                                const ash_kernel *kernel, uint32_t cores,
                                bool lines) {
  const ash_op *o = &g->ops.items[op];
  const char *why;
  *out =
      (ash_domain_shares){.count = 1, .blocks = 1, .granule = 1, .extent = 1};
  cores = cores < ASH_SHARES_MAX ? cores : ASH_SHARES_MAX;
  if (!kernel || cores < 2 || is_moved(o) || ash_op_has(o, ASH_OP_STATE))
    return ASH_OK;
  if (lines && ash_kernel_makes_lines(kernel, g, op)) {
    out->lines = true;
    deal(out, ash_op_out(g, o, 0)->shape.dim[1], 1, cores);
    return ASH_OK;
  }
  ASH_TRY(ash_tile_space_of(ctx, &out->space, &why, g, op));
  return out->space ? find_axis(ctx, out, g, kernel, cores) : ASH_OK;
}
