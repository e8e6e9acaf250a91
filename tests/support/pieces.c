/* pieces.c - see pieces.h. */
#include "pieces.h"

#include "domain/piece_graph.h"
#include "op/shape/shape.h"
#include "op/verify.h"
#include "ref/ref.h"

void pieces_fill(ash_rng *rng, const ash_tensor *t, void *to) {
  const uint64_t n = ash_shape_elements(&t->shape);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t r = ash_rng_next(rng);
    switch (t->type) {
    case ASH_FLOAT32:
      ((float *)to)[i] = (float)((int64_t)(r % 257) - 128) / 32.0f;
      break;
    case ASH_COMPLEX64:
      ((float *)to)[2 * i] = (float)((int64_t)(r % 257) - 128) / 32.0f;
      ((float *)to)[2 * i + 1] = (float)((int64_t)(r % 251) - 125) / 32.0f;
      break;
    case ASH_INT32:
      ((int32_t *)to)[i] = (int32_t)(r % 3);
      break;
    case ASH_INT64:
      ((int64_t *)to)[i] = (int64_t)(r % 3);
      break;
    case ASH_INT16:
      ((int16_t *)to)[i] = (int16_t)r;
      break;
    case ASH_BOOL:
      ((uint8_t *)to)[i] = r & 1;
      break;
    default:
      ((uint8_t *)to)[i] = (uint8_t)r;
    }
  }
}

void **pieces_values(ash_zone *z, const ash_graph *g) {
  void **values = ASH_NEW_ARRAY(z, void *, g->tensor_count + 1);
  CHECK(values);
  for (size_t i = 0; i < g->tensor_count; i++) {
    const ash_tensor *t = &g->tensors.items[i];
    values[i] = ash_zone_alloc(z, (size_t)t->bytes + 16, 1, 16);
    CHECK(values[i]);
    if (t->data)
      memcpy(values[i], t->data, (size_t)t->bytes);
  }
  return values;
}

/* Copies between a box of a tensor and a dense piece. */
static void pieces_copy(const ash_tensor *t, uint8_t *whole, uint8_t *piece,
                        const ash_box *box, bool out) {
  const size_t size = ash_type_bits(t->type) / 8;
  int64_t at[ASH_RANK_MAX] = {0};
  uint64_t n = 1;
  for (uint32_t d = 0; d < box->rank; d++) {
    CHECK(box->start[d] >= 0 && box->size[d] >= 0);
    CHECK(box->start[d] + box->size[d] <= t->shape.dim[d]);
    n *= (uint64_t)box->size[d];
  }
  for (uint64_t i = 0; i < n; i++) {
    uint64_t from = 0;
    for (uint32_t d = 0; d < box->rank; d++)
      from =
          from * (uint64_t)t->shape.dim[d] + (uint64_t)(box->start[d] + at[d]);
    if (out)
      memcpy(whole + from * size, piece + i * size, size);
    else
      memcpy(piece + i * size, whole + from * size, size);
    for (uint32_t d = box->rank; d-- > 0 && ++at[d] == box->size[d];)
      at[d] = 0;
  }
}

/* Pieces of something joined or split may have parts that are empty or unequal,
 * which models may not. */
static bool pieces_are_an_operator(const ash_graph *p) {
  bool yes = p->ops.items[0].kind != ASH_OP_split;
  for (size_t i = 0; i < p->tensor_count; i++)
    yes = yes && p->tensors.items[i].bytes > 0;
  return yes;
}

/* One piece; `values` are the whole operator's, `made` what pieces made. */
static void pieces_run_one(ash_ctx *ctx, const ash_graph *g,
                           const ash_tile_space *s, const int64_t *at,
                           const int64_t *n, void **values, void **made) {
  ash_graph *p;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  CHECK_EQ(ash_domain_piece_graph(ctx, &p, g, s, at, n, ASH_PART_WHOLE),
           ASH_OK);
  if (pieces_are_an_operator(p)) {
    if (ash_op_verify(ctx, p) != ASH_OK)
      print_newest(ctx);
    CHECK_EQ(ash_op_verify(ctx, p), ASH_OK);
  }
  void **small = pieces_values(&ctx->scratch, p);
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < s->operand_count; i++) {
      const ash_tile_operand *o = &s->operands[i];
      const ash_op *op = &p->ops.items[0];
      ash_box box;
      if (o->is_output != (pass == 1))
        continue;
      ash_tile_box(&box, g, s, i, at, n);
      const uint32_t id =
          pass ? op->outputs[o->position] : op->inputs[o->position];
      CHECK_EQ(p->tensors.items[id].bytes, ash_box_bytes(g, o->tensor, &box));
      pieces_copy(&g->tensors.items[o->tensor],
                  pass ? made[o->tensor] : values[o->tensor], small[id], &box,
                  pass == 1);
    }
    if (pass == 0)
      CHECK_EQ(ash_ref_run_op(ctx, p, 0, small), ASH_OK);
  }
  ash_graph_free(p);
  ash_zone_rewind(&ctx->scratch, mark);
}

/* Tile sizes at random, multiples of the granules; sums are not cut. */
static void pieces_choose(ash_rng *rng, const ash_tile_space *s,
                          int64_t *tile) {
  for (uint32_t a = 0; a < s->axis_count; a++) {
    const ash_tile_axis *x = &s->axes[a];
    const int64_t steps = (x->extent + x->granule - 1) / x->granule;
    tile[a] = x->granule * (1 + (int64_t)ash_rng_below(rng, (uint64_t)steps));
    if (x->kind == ASH_AXIS_SUM || tile[a] > x->extent)
      tile[a] = x->extent;
  }
}

static void pieces_run(ash_ctx *ctx, const ash_graph *g,
                       const ash_tile_space *s, const int64_t *tile,
                       void **values, void **made) {
  int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES];
  for (;;) {
    for (uint32_t a = 0; a < s->axis_count; a++)
      n[a] = tile[a] < s->axes[a].extent - at[a] ? tile[a]
                                                 : s->axes[a].extent - at[a];
    pieces_run_one(ctx, g, s, at, n, values, made);
    uint32_t a = s->axis_count;
    while (a-- > 0) {
      at[a] += tile[a];
      if (at[a] < s->axes[a].extent)
        break;
      at[a] = 0;
    }
    if (a == UINT32_MAX)
      return;
  }
}

uint32_t pieces_agree(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                      ash_rng *rng, uint32_t rounds) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_op *o = &g->ops.items[op];
  const ash_tile_space *s;
  const char *why;
  CHECK_EQ(ash_tile_space_of(ctx, &s, &why, g, op), ASH_OK);
  if (!s) {
    fprintf(stderr, "%s: %s\n", ash_op_kind_text(o->kind), why);
    CHECK(s);
  }
  void **values = pieces_values(&ctx->scratch, g);
  for (size_t i = 0; i < g->input_count; i++)
    pieces_fill(rng, &g->tensors.items[g->inputs[i]], values[g->inputs[i]]);
  CHECK_EQ(ash_ref_run_op(ctx, g, op, values), ASH_OK);
  for (uint32_t r = 0; r < rounds; r++) {
    int64_t tile[ASH_TILE_AXES];
    const ash_mark round = ash_zone_mark(&ctx->scratch);
    void **made = pieces_values(&ctx->scratch, g);
    for (uint32_t k = 0; k < o->output_count; k++)
      memset(made[o->outputs[k]], 0x5a,
             (size_t)g->tensors.items[o->outputs[k]].bytes);
    pieces_choose(rng, s, tile);
    pieces_run(ctx, g, s, tile, values, made);
    for (uint32_t k = 0; k < o->output_count; k++)
      CHECK(memcmp(made[o->outputs[k]], values[o->outputs[k]],
                   (size_t)g->tensors.items[o->outputs[k]].bytes) == 0);
    ash_zone_rewind(&ctx->scratch, round);
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return s->axis_count;
}

void pieces_shape(net *n, uint32_t op) {
  ash_shape shapes[8] = {{0}};
  const ash_op *o = &n->g->ops.items[op];
  if (ash_infer_shape(n->ctx, n->g, op, shapes) != ASH_OK)
    print_newest(n->ctx);
  for (uint32_t k = 0; k < o->output_count; k++) {
    ash_tensor *t = ash_op_out(n->g, o, k);
    t->shape = shapes[k];
    CHECK(ash_shape_bytes(&t->bytes, &t->shape, t->type));
  }
}
