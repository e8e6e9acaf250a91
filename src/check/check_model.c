/* check_model.c - a plan file against its model: tensors and operators are
 * those of the graph after the passes, kernels can run them, and in the
 * graph's numbers the plan passes the judge that every plan of the compiler
 * passes. */
#include "check/check_model.h"

#include "plan/record/record.h"

#include <inttypes.h>
#include <string.h>

#define REFUSE(x, at, ...)                                                     \
  ash_fail((x)->k->ctx, ASH_MALFORMED, ASH_D_plan_model, ash_yaml_loc(at),     \
           __VA_ARGS__)

/* ---- tensors ------------------------------------------------------------- */

static const char *id_of(const ash_model_match *x, uint32_t entry) {
  return x->k->f->plan.slots[x->k->f->tensors[entry].slot].id;
}

static ash_status compare_tensor(const ash_model_match *x, uint32_t entry,
                                 const ash_tensor *t) {
  const ash_file_tensor *f = &x->k->f->tensors[entry];
  const char *name = x->k->f->plan.slots[f->slot].name;
  char here[ASH_SHAPE_TEXT], there[ASH_SHAPE_TEXT];
  if (!f->has_type || f->type != t->type ||
      !ash_shape_equal(&f->shape, &t->shape))
    return REFUSE(x, f->at, "'%s' is %s%s, in the model %s%s", t->id,
                  f->has_type ? ash_type_text(f->type) : "no tensor",
                  f->has_type ? ash_shape_text(here, &f->shape) : "",
                  ash_type_text(t->type), ash_shape_text(there, &t->shape));
  if (strcmp(name, t->name) != 0)
    return REFUSE(x, f->at, "'%s' is called '%s', in the model '%s'", t->id,
                  name, t->name);
  return ASH_OK;
}

/* Every entry with a type is a tensor of the graph. */
static ash_status match_tensors(ash_model_match *x) {
  const ash_plan_file *f = x->k->f;
  const ash_graph *g = x->m->graph;
  for (uint32_t i = 0; i < f->tensor_count; i++)
    x->tensor[i] = ASH_NO_ID;
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    const uint32_t entry = ash_plan_file_find(f, g->tensors.items[t].id);
    if (entry == ASH_NO_ID)
      continue; /* whoever reads it will miss it */
    x->tensor[entry] = t;
    ASH_TRY(compare_tensor(x, entry, &g->tensors.items[t]));
  }
  for (uint32_t i = 0; i < f->tensor_count; i++)
    if (f->tensors[i].has_type && x->tensor[i] == ASH_NO_ID)
      return REFUSE(x, f->tensors[i].at, "the model has no tensor '%s'",
                    id_of(x, i));
  return ASH_OK;
}

/* ---- operators ----------------------------------------------------------- */

/* The ids of a list are those of the tensors, without absent ones. */
static bool same_ids(const ash_model_match *x, const ash_yaml *list,
                     const uint32_t *tensors, uint32_t count) {
  const ash_yaml_item *at = list->first;
  for (uint32_t i = 0; i < count; i++) {
    if (tensors[i] == ASH_NO_ID)
      continue;
    if (!at ||
        strcmp(at->node->text, x->m->graph->tensors.items[tensors[i]].id) != 0)
      return false;
    at = at->next;
  }
  return at == NULL;
}

/* Does the kernel of the plan read a tensor at any place? */
static bool reads(const ash_model_match *x, uint32_t op, uint32_t tensor) {
  const ash_op *o = &x->m->graph->ops.items[op];
  bool any = false;
  for (uint32_t k = 0; k < o->input_count; k++)
    any |=
        o->inputs[k] == tensor && ash_plan_reads(&x->plan, x->m->graph, op, k);
  return any;
}

static ash_status compare_reads(const ash_model_match *x, uint32_t file_op) {
  const ash_file_op *f = &x->k->f->ops[file_op];
  const ash_op *o = &x->m->graph->ops.items[x->op[file_op]];
  uint32_t at = 0;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID)
      continue;
    const bool read = reads(x, x->op[file_op], o->inputs[k]);
    if (f->reads[at++] != read)
      return REFUSE(x, f->at, "the kernel of %s %s '%s'", f->id,
                    read ? "reads" : "does not read",
                    x->m->graph->tensors.items[o->inputs[k]].id);
  }
  return ASH_OK;
}

static bool is_called(const ash_choice *choice, const char *name) {
  return choice->kernel ? name && strcmp(choice->kernel->name, name) == 0
                        : !name;
}

/* The kernel that the file names: the fastest of the device, or the one that
 * does without work memory. */
static ash_status choose(const ash_model_match *x, ash_choice *out,
                         uint32_t file_op) {
  const ash_file_op *f = &x->k->f->ops[file_op];
  const ash_graph *g = x->m->graph;
  const ash_choice small = ash_choose_small(g, x->op[file_op], x->m->target);
  *out = ash_choose(g, x->op[file_op], x->m->target);
  if (is_called(out, f->kernel))
    return ASH_OK;
  if (!is_called(&small, f->kernel))
    return REFUSE(x, f->at, "%s is run by %s on %s, not by %s", f->id,
                  out->kernel ? out->kernel->name : "nothing",
                  x->m->device->name, f->kernel ? f->kernel : "nothing");
  *out = small;
  return ASH_OK;
}

static ash_status compare_op(const ash_model_match *x, uint32_t file_op,
                             ash_choice *choices) {
  const ash_file_op *f = &x->k->f->ops[file_op];
  const uint32_t op = x->op[file_op];
  const ash_op *o = &x->m->graph->ops.items[op];
  uint64_t source, macs;
  if (strcmp(f->kind, ash_op_text(o)) != 0)
    return REFUSE(x, f->at, "%s is a %s, in the model a %s", f->id, f->kind,
                  ash_op_text(o));
  ASH_TRY(ash_yaml_need_u64(x->k->ctx, &source, f->at, "source_index"));
  ASH_TRY(ash_yaml_need_u64(x->k->ctx, &macs, f->at, "macs"));
  if (source != o->source_index || macs != ash_op_macs(x->m->graph, op))
    return REFUSE(x, f->at,
                  "%s is operator %" PRIu64 " with %" PRIu64
                  " multiply-accumulates, in the model operator %u with "
                  "%" PRIu64,
                  f->id, source, macs, (unsigned)o->source_index,
                  ash_op_macs(x->m->graph, op));
  if (!same_ids(x, ash_yaml_get(f->at, "inputs"), o->inputs, o->input_count) ||
      !same_ids(x, ash_yaml_get(f->at, "outputs"), o->outputs, o->output_count))
    return REFUSE(x, f->at, "%s has other operands in the model", f->id);
  ASH_TRY(choose(x, &choices[op], file_op));
  return compare_reads(x, file_op);
}

/* Operators of the file and of the graph, one for one. */
static ash_status match_ops(ash_model_match *x) {
  const ash_plan_file *f = x->k->f;
  const ash_graph *g = x->m->graph;
  ash_choice *choices =
      ASH_NEW_ARRAY(&x->k->ctx->scratch, ash_choice, g->op_count + 1);
  ASH_TRY(ash_zone_check(x->k->ctx, &x->k->ctx->scratch));
  x->plan.choices = choices;
  for (uint32_t i = 0; i < f->op_count; i++)
    x->op[i] = ASH_NO_ID;
  for (uint32_t op = 0; op < g->op_count; op++) {
    const char *id = g->ops.items[op].id;
    const uint32_t found = ash_check_file_op(x->k, id, strlen(id));
    if (found == ASH_NO_ID)
      return REFUSE(x, f->top, "operator %s of the model is not in the plan",
                    id);
    x->op[found] = op;
  }
  for (uint32_t i = 0; i < f->op_count; i++) {
    if (x->op[i] == ASH_NO_ID)
      return REFUSE(x, f->ops[i].at, "the model has no operator %s",
                    f->ops[i].id);
    ASH_TRY(compare_op(x, i, choices));
  }
  return ASH_OK;
}

/* ---- ends ---------------------------------------------------------------- */

static ash_status match_ends(ash_model_match *x) {
  const ash_yaml *top = x->k->f->top;
  const ash_graph *g = x->m->graph;
  if (!same_ids(x, ash_yaml_get(top, "inputs"), g->inputs,
                (uint32_t)g->input_count) ||
      !same_ids(x, ash_yaml_get(top, "outputs"), g->outputs,
                (uint32_t)g->output_count))
    return REFUSE(x, top, "the model has other inputs or outputs");
  const ash_file_list *drained = &x->k->f->drained;
  bool *is_drained =
      ASH_NEW_ARRAY(&x->k->ctx->scratch, bool, g->output_count + 1);
  ASH_TRY(ash_zone_check(x->k->ctx, &x->k->ctx->scratch));
  for (uint32_t i = 0; i < drained->count; i++)
    for (size_t k = 0; k < g->output_count; k++)
      is_drained[k] |= g->outputs[k] == x->tensor[drained->items[i]];
  x->plan.is_drained = is_drained;
  return ASH_OK;
}

/* ---- the plan in the graph's numbers ------------------------------------- */

static ash_alias_kind alias_of(const char *word) {
  for (int a = ASH_ALIAS_VIEW; a <= ASH_ALIAS_IN_PLACE && word; a++)
    if (strcmp(word, ash_alias_text((ash_alias_kind)a)) == 0)
      return (ash_alias_kind)a;
  return ASH_ALIAS_NONE;
}

static void put_slot(const ash_model_match *x, uint32_t entry, ash_slot *s) {
  const ash_file_tensor *t = &x->k->f->tensors[entry];
  const uint32_t owner = ash_check_file_owner(x->k, entry);
  s->tensor = x->tensor[entry];
  s->alias_kind = alias_of(t->alias_kind);
  s->op =
      s->tensor == ASH_NO_ID && owner != ASH_NO_ID ? x->op[owner] : ASH_NO_ID;
  if (s->tensor == ASH_NO_ID)
    s->kind = !t->kind                       ? ASH_SLOT_WORK
              : strcmp(t->kind, "tile") == 0 ? ASH_SLOT_TILE
                                             : ASH_SLOT_ACCUMULATOR;
}

/* Rows know their entry, wherever they were moved. */
static void put_slots(ash_model_match *x) {
  const ash_plan_file *f = x->k->f;
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    x->slots[i] = f->plan.slots[i];
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    if (x->slots[i].has_row)
      put_slot(x, f->plan.slots[i].tensor, &x->slots[i]);
  for (uint32_t i = 0; i < f->tensor_count; i++)
    if (f->tensors[i].rows == 0)
      put_slot(x, i, &x->slots[f->tensors[i].slot]);
}

static ash_status put_steps(ash_model_match *x) {
  const ash_steps *from = &x->k->f->plan.steps;
  ash_zone *z = &x->k->ctx->scratch;
  size_t count = 0;
  for (uint32_t i = 0; i < from->count; i++)
    count += from->items[i].op_count;
  ash_step *items = ASH_NEW_ARRAY(z, ash_step, from->count + 1u);
  uint32_t *ops = ASH_NEW_ARRAY(z, uint32_t, count + 1);
  ASH_TRY(ash_zone_check(x->k->ctx, z));
  for (uint32_t i = 0; i < from->count; i++) {
    items[i] = from->items[i];
    items[i].ops = ops;
    for (uint32_t k = 0; k < from->items[i].op_count; k++)
      *ops++ = x->op[from->items[i].ops[k]];
    if (from->items[i].op_count == 0)
      items[i].input = x->m->graph->inputs[from->items[i].input];
  }
  x->plan.steps = (ash_steps){items, from->count};
  return ASH_OK;
}

ash_status ash_check_model_match(ash_model_match *x) {
  const ash_plan_file *f = x->k->f;
  ash_zone *z = &x->k->ctx->scratch;
  x->tensor = ASH_NEW_ARRAY(z, uint32_t, f->tensor_count + 1u);
  x->op = ASH_NEW_ARRAY(z, uint32_t, f->op_count + 1u);
  x->slots = ASH_NEW_ARRAY(z, ash_slot, f->plan.slot_count + 1u);
  ASH_TRY(ash_zone_check(x->k->ctx, z));
  x->plan = f->plan;
  ASH_TRY(match_tensors(x));
  ASH_TRY(match_ops(x));
  ASH_TRY(match_ends(x));
  put_slots(x);
  x->plan.slots = x->slots;
  return put_steps(x);
}

ash_status ash_check_file_model(const ash_file_check *k,
                                const ash_check_model *m) {
  ash_model_match x = {.k = k, .m = m};
  if (strcmp(k->f->plan.target, m->device->name) != 0)
    return REFUSE(&x, k->f->top, "the plan is for %s, not for %s",
                  k->f->plan.target, m->device->name);
  ASH_TRY(ash_check_model_match(&x));
  ASH_TRY(ash_check_model_layers(&x));
  const ash_status status =
      ash_check_plan(k->ctx, &x.plan, m->graph, m->device);
  return status == ASH_INTERNAL ? ASH_MALFORMED : status; /* not our fault */
}
