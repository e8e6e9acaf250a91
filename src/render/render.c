/* render.c - the only place that turns a plan into emit-ready facts: dense
 * region ids, packed blobs, symbols, hashes. Whatever makes a plan unusable is
 * refused here with its own diagnostic, whichever backend made it. */
#include "render/render.h"

#include "base/sort.h"
#include "plan/record/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

typedef struct builder {
  ash_ctx *ctx;
  ash_zone *zone;
  const ash_plan *plan;
  const ash_graph *g;
  ash_render_plan *out;
  ash_arena *sorted; /* by region id */
  ash_render_arena *arenas;
  ash_render_blob *blobs;
  const ash_render_arena **staged;
} builder;

static ash_loc at_tensor(const builder *b, const ash_slot *s) {
  ash_loc loc = ash_graph_loc(b->g, ASH_NO_ID, s->tensor);
  loc.tensor_name = s->name;
  return loc;
}

static bool is_staged(const ash_arena *a) {
  return strcmp(a->memory, a->source_memory) != 0;
}

static const char *lower_case(ash_zone *z, const char *text) {
  char *copy = ash_zone_string(z, text);
  for (char *p = copy; p && *p; p++)
    *p = (char)tolower((unsigned char)*p);
  return copy ? copy : "";
}

const char *ash_render_symbol(ash_zone *z, const char *prefix, ash_role role,
                              const char *memory) {
  static const char *const infix[] = {"", "state_", "const_"};
  const char *symbol = ash_zone_format(z, "%s_arena_%s%s", prefix, infix[role],
                                       lower_case(z, memory));
  return symbol ? symbol : "";
}

const char *ash_render_blob_symbol(ash_zone *z, const char *arena_symbol,
                                   bool staged) {
  const char *symbol =
      ash_zone_format(z, "%s%s", arena_symbol, staged ? "__source" : "__blob");
  return symbol ? symbol : "";
}

/* ---- completeness -------------------------------------------------------- */

static ash_status check_arena(const builder *b, uint32_t i) {
  const ash_arena *a = &b->plan->arenas[i];
  if ((unsigned)a->role > ASH_CONSTANT)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_role, ASH_NOWHERE,
                    "an arena of the plan has role %u", (unsigned)a->role);
  if (!a->memory || !a->source_memory)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_memory, ASH_NOWHERE,
                    "an arena of the plan is in no memory");
  return ASH_OK;
}

/* In the order of region ids, whatever the order of the plan. */
static ash_status sort_arenas(builder *b) {
  const uint32_t count = b->plan->arena_count;
  b->sorted = ASH_NEW_ARRAY(b->zone, ash_arena, count + 1u);
  ash_arena *spare = ASH_NEW_ARRAY(b->zone, ash_arena, count + 1u);
  ASH_TRY(ash_zone_check(b->ctx, b->zone));
  for (uint32_t i = 0; i < count; i++) {
    ASH_TRY(check_arena(b, i));
    b->sorted[i] = b->plan->arenas[i];
  }
  ash_sort(b->sorted, spare, count, sizeof *spare, ash_arena_order, NULL);
  for (uint32_t i = 1; i < count; i++)
    if (ash_arena_compare(&b->sorted[i - 1], &b->sorted[i]) == 0)
      return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_arena_twice,
                      ASH_NOWHERE, "the plan has two %s arenas in %s",
                      ash_role_text(b->sorted[i].role), b->sorted[i].memory);
  return ASH_OK;
}

static const ash_arena *arena_for(const builder *b, const ash_binding *at) {
  for (uint32_t i = 0; i < b->plan->arena_count; i++)
    if (b->plan->arenas[i].role == at->role &&
        strcmp(b->plan->arenas[i].memory, at->memory) == 0)
      return &b->plan->arenas[i];
  return NULL;
}

/* Points at something, and is in a memory. */
static ash_status check_fields(const builder *b, const ash_slot *s) {
  if (!s->id)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_missing, ASH_NOWHERE,
                    "a slot of the plan has no id");
  if (s->tensor != ASH_NO_ID && s->tensor >= b->g->tensor_count)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_missing, ASH_NOWHERE,
                    "'%s' is tensor %u, the model has %zu", s->id,
                    (unsigned)s->tensor, b->g->tensor_count);
  if (!s->bound)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_unbound, at_tensor(b, s),
                    "the plan does not bind '%s'", s->id);
  if ((unsigned)s->binding.role > ASH_CONSTANT)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_role, at_tensor(b, s),
                    "'%s' has role %u", s->id, (unsigned)s->binding.role);
  if (!s->binding.memory || !s->binding.source_memory)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_memory, at_tensor(b, s),
                    "'%s' is in no memory", s->id);
  return ASH_OK;
}

/* The bytes that are written into the blob are the tensor's, all of them. */
static ash_status check_payload(const builder *b, const ash_slot *s) {
  const ash_tensor *t =
      s->tensor == ASH_NO_ID ? NULL : &b->g->tensors.items[s->tensor];
  if (s->binding.role != ASH_CONSTANT || !s->size)
    return ASH_OK;
  if (!t || !t->data)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_payload, at_tensor(b, s),
                    "constant '%s' has no bytes", s->id);
  if (s->size != t->bytes)
    return ash_fail(
        b->ctx, ASH_MALFORMED,
        s->size < t->bytes ? ASH_D_plan_undersized : ASH_D_plan_payload,
        at_tensor(b, s),
        "constant '%s' has %" PRIu64 " bytes, the plan gives it %" PRIu64,
        s->id, t->bytes, s->size);
  return ASH_OK;
}

static ash_status check_slot(const builder *b, const ash_slot *s) {
  ASH_TRY(check_fields(b, s));
  const ash_arena *a = arena_for(b, &s->binding);
  if (!a)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_no_arena, at_tensor(b, s),
                    "'%s' is bound to a %s arena in %s, and the plan has none",
                    s->id, ash_role_text(s->binding.role), s->binding.memory);
  if (s->binding.offset > a->size || s->size > a->size - s->binding.offset)
    return ash_fail(
        b->ctx, ASH_MALFORMED, ASH_D_plan_beyond_arena, at_tensor(b, s),
        "'%s' ends at %" PRIu64 ", beyond its arena's %" PRIu64 " bytes", s->id,
        s->binding.offset + s->size, a->size);
  if (strcmp(s->binding.source_memory, a->source_memory) != 0)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_plan_source, at_tensor(b, s),
                    "'%s' comes from %s, others of its arena from %s", s->id,
                    s->binding.source_memory, a->source_memory);
  return check_payload(b, s);
}

static ash_status check_tensor(const builder *b, uint32_t op, uint32_t tensor) {
  if (ash_plan_slot_of_tensor(b->plan, tensor) != ASH_NO_ID)
    return ASH_OK;
  const ash_tensor *t = &b->g->tensors.items[tensor];
  return ash_fail(b->ctx, ASH_MALFORMED,
                  t->kind == ASH_TENSOR_CONSTANT ? ASH_D_plan_constant_missing
                                                 : ASH_D_plan_unbound,
                  ash_graph_loc(b->g, op, tensor),
                  "the plan has no allocation for '%s'", t->id);
}

static ash_status check_op(const builder *b, uint32_t op) {
  const ash_op *o = &b->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID && ash_plan_reads(b->plan, b->g, op, k))
      ASH_TRY(check_tensor(b, op, o->inputs[k]));
  for (uint32_t k = 0; k < o->output_count; k++)
    ASH_TRY(check_tensor(b, op, o->outputs[k]));
  return ASH_OK;
}

/* Views have no step in an order of rows, and no slot where only other views
 * see them. */
static ash_status check_ops(const builder *b) {
  const uint32_t count = (uint32_t)b->g->op_count;
  bool *runs = ASH_NEW_ARRAY(&b->ctx->scratch, bool, (size_t)count + 1);
  ASH_TRY(ash_zone_check(b->ctx, &b->ctx->scratch));
  for (uint32_t i = 0; i < b->plan->steps.count; i++)
    for (uint32_t k = 0; k < b->plan->steps.items[i].op_count; k++)
      runs[b->plan->steps.items[i].ops[k]] = true;
  for (uint32_t op = 0; op < count; op++)
    if (runs[op] || !ash_op_has(&b->g->ops.items[op], ASH_OP_VIEW))
      ASH_TRY(check_op(b, op));
  return ASH_OK;
}

/* Every tensor that a kernel or the caller touches has a slot. */
static ash_status check_complete(const builder *b) {
  const ash_graph *g = b->g;
  for (uint32_t i = 0; i < b->plan->slot_count; i++)
    ASH_TRY(check_slot(b, &b->plan->slots[i]));
  ASH_TRY(check_ops(b));
  for (size_t i = 0; i < g->input_count; i++)
    ASH_TRY(check_tensor(b, ASH_NO_ID, g->inputs[i]));
  for (size_t i = 0; i < g->output_count; i++)
    ASH_TRY(check_tensor(b, ASH_NO_ID, g->outputs[i]));
  return ASH_OK;
}

/* ---- building ------------------------------------------------------------ */

static void render_arenas(builder *b) {
  ash_render_plan *r = b->out;
  for (uint32_t i = 0; i < b->plan->arena_count; i++) {
    const ash_arena *a = &b->sorted[i];
    b->arenas[i] =
        (ash_render_arena){.region_id = i,
                           .role = ash_role_text(a->role),
                           .memory = a->memory,
                           .source_memory = a->source_memory,
                           .size = a->size,
                           .alignment = a->alignment,
                           .is_staged = is_staged(a),
                           .symbol = ash_render_symbol(b->zone, b->out->prefix,
                                                       a->role, a->memory)};
    r->scratch_count += a->role == ASH_SCRATCH;
    r->persistent_count += a->role == ASH_PERSISTENT;
    r->constant_count += a->role == ASH_CONSTANT;
  }
  r->all_arenas = b->arenas;
  r->arena_count = b->plan->arena_count;
  r->scratch_arenas = b->arenas;
  r->persistent_arenas = r->scratch_arenas + r->scratch_count;
  r->constant_arenas = r->persistent_arenas + r->persistent_count;
  for (uint32_t i = 0; i < r->constant_count; i++)
    if (r->constant_arenas[i].is_staged)
      b->staged[r->staged_count++] = &r->constant_arenas[i];
  r->staged_constant_arenas = b->staged;
}

static void fill_payload(const builder *b, const ash_arena *a,
                         uint8_t *payload) {
  for (uint32_t i = 0; i < b->plan->slot_count; i++) {
    const ash_slot *s = &b->plan->slots[i];
    if (s->binding.role == ASH_CONSTANT && s->size &&
        strcmp(s->binding.memory, a->memory) == 0)
      memcpy(payload + s->binding.offset, b->g->tensors.items[s->tensor].data,
             s->size);
  }
}

static ash_status render_blobs(builder *b) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < b->plan->arena_count; i++) {
    const ash_arena *a = &b->sorted[i];
    if (a->role != ASH_CONSTANT)
      continue;
    const char *symbol =
        ash_render_blob_symbol(b->zone, b->arenas[i].symbol, is_staged(a));
    uint8_t *payload = ash_zone_alloc(b->zone, a->size ? a->size : 1, 1, 16);
    const char *file = ash_zone_format(b->zone, "%s.bin", symbol);
    ASH_TRY(ash_zone_check(b->ctx, b->zone));
    fill_payload(b, a, payload);
    b->blobs[made++] = (ash_render_blob){.memory = a->memory,
                                         .is_staged = is_staged(a),
                                         .sidecar_filename = file,
                                         .symbol = symbol,
                                         .payload = payload,
                                         .size = a->size};
  }
  b->out->constant_blobs = b->blobs;
  return ASH_OK;
}

ash_status ash_build_render_plan(ash_ctx *ctx, const ash_render_plan **out,
                                 const ash_plan *plan, const ash_graph *g,
                                 const char *prefix) {
  ASH_NEED(ctx, ctx && out);
  builder b = {.ctx = ctx, .zone = &ctx->keep, .plan = plan, .g = g};
  *out = NULL;
  if (!plan || !g || !prefix)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_plan_missing, ASH_NOWHERE,
                    "no plan, no graph or no prefix to render");
  b.out = ASH_NEW(b.zone, ash_render_plan);
  b.arenas = ASH_NEW_ARRAY(b.zone, ash_render_arena, plan->arena_count + 1u);
  b.blobs = ASH_NEW_ARRAY(b.zone, ash_render_blob, plan->arena_count + 1u);
  b.staged =
      ASH_NEW_ARRAY(b.zone, const ash_render_arena *, plan->arena_count + 1u);
  ASH_TRY(ash_zone_check(ctx, b.zone));
  b.out->prefix = ash_zone_string(b.zone, prefix);
  ASH_TRY(sort_arenas(&b));
  ASH_TRY(check_complete(&b));
  render_arenas(&b);
  ASH_TRY(render_blobs(&b));
  ASH_TRY(
      ash_plan_hashes(ctx, b.out->plan_hash, b.out->tensor_layout_hash, plan));
  ASH_TRY(ash_zone_check(ctx, b.zone));
  *out = b.out;
  return ASH_OK;
}

const ash_render_arena *ash_render_region(const ash_render_plan *plan,
                                          ash_role role, const char *memory) {
  if (!(plan && plan->all_arenas))
    return NULL;
  for (uint32_t i = 0; memory && i < plan->arena_count; i++)
    if (strcmp(plan->all_arenas[i].role, ash_role_text(role)) == 0 &&
        strcmp(plan->all_arenas[i].memory, memory) == 0)
      return &plan->all_arenas[i];
  return NULL;
}
