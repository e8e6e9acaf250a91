/* ops_read.c - operators and steps of a plan from JSON: who reads and writes
 * which tensor, and when. */
#include "plan/file/plan_read.h"

#include "base/sort.h"
#include "base/text.h"

#include <string.h>

typedef struct reader {
  ash_ctx *ctx;
  ash_plan_file *f;
  uint32_t *list; /* operators in the order of the steps */
} reader;

static ash_status wrong(const reader *r, const ash_yaml *at, const char *what) {
  ASH_ASSERT(at && what);
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(at),
                  "%s", what);
}

static int by_id(const void *a, const void *b, const void *user) {
  const ash_plan_file *f = user;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  ASH_ASSERT(x < f->tensor_count && y < f->tensor_count);
  return strcmp(f->plan.slots[f->tensors[x].slot].id,
                f->plan.slots[f->tensors[y].slot].id);
}

ash_status ash_plan_file_sort(ash_ctx *ctx, ash_plan_file *f) {
  ash_zone *z = &ctx->scratch;
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, f->tensor_count + 1u);
  f->by_id = ASH_NEW_ARRAY(z, uint32_t, f->tensor_count + 1u);
  ASH_TRY(ash_zone_check(ctx, z));
  for (uint32_t i = 0; i < f->tensor_count; i++)
    f->by_id[i] = i;
  ash_sort(f->by_id, spare, f->tensor_count, sizeof *spare, by_id, f);
  return ASH_OK;
}

uint32_t ash_plan_file_find(const ash_plan_file *f, const char *id) {
  ASH_ASSERT(f->by_id && id);
  uint32_t lo = 0, hi = f->tensor_count;
  while (lo < hi) {
    const uint32_t mid = lo + (hi - lo) / 2;
    const ash_file_tensor *t = &f->tensors[f->by_id[mid]];
    const int order = strcmp(f->plan.slots[t->slot].id, id);
    if (order == 0)
      return f->by_id[mid];
    if (order < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return ASH_NO_ID;
}

/* Entries by their ids; with `listed`, each must be there. */
static ash_status read_ids(const reader *r, uint32_t **out, uint32_t *count,
                           const ash_yaml *list, const char *listed) {
  ASH_TRY(ash_yaml_want_list(r->ctx, list, "a list of tensors"));
  *count = 0;
  *out = ASH_NEW_ARRAY(&r->ctx->scratch, uint32_t, list->count + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    const char *id;
    ASH_TRY(ash_yaml_string(r->ctx, &id, i->node, "a tensor"));
    const uint32_t found = ash_plan_file_find(r->f, id);
    if (listed && found == ASH_NO_ID)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_missing,
                      ash_yaml_loc(i->node),
                      "the plan has no place for %s '%s'", listed, id);
    (*out)[(*count)++] = found;
  }
  return ASH_OK;
}

/* ---- an operator --------------------------------------------------------- */

static int by_text(const void *a, const void *b, const void *user) {
  (void)user;
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, to be looked up. */
static ash_status read_unread(const reader *r, const char ***out, size_t *count,
                              const ash_yaml *list) {
  ash_zone *z = &r->ctx->scratch;
  *count = 0;
  if (!list)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(r->ctx, list, "unread"));
  *out = ASH_NEW_ARRAY(z, const char *, list->count + 1);
  const char **spare = ASH_NEW_ARRAY(z, const char *, list->count + 1);
  ASH_TRY(ash_zone_check(r->ctx, z));
  for (const ash_yaml_item *i = list->first; i; i = i->next)
    ASH_TRY(ash_yaml_string(r->ctx, &(*out)[(*count)++], i->node, "unread"));
  ash_sort(*out, spare, *count, sizeof *spare, by_text, NULL);
  for (size_t i = 1; i < *count; i++)
    if (strcmp((*out)[i - 1], (*out)[i]) == 0)
      return wrong(r, list, "a tensor is unread twice");
  return ASH_OK;
}

/* Its place, or `count`. */
static size_t place_of(const char *const *sorted, size_t count,
                       const char *id) {
  size_t lo = 0, hi = count;
  ASH_ASSERT(id && (sorted || count == 0));
  while (lo < hi) {
    const size_t mid = lo + (hi - lo) / 2;
    if (strcmp(sorted[mid], id) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < count && strcmp(sorted[lo], id) == 0 ? lo : count;
}

static bool is_among(const char *const *sorted, size_t count, const char *id) {
  return place_of(sorted, count, id) < count;
}

/* What is unread is an input. */
static ash_status check_unread(const reader *r, const ash_yaml *inputs,
                               const char *const *unread, size_t count,
                               const ash_yaml *list) {
  ASH_ASSERT(unread || count == 0);
  bool *met = ASH_NEW_ARRAY(&r->ctx->scratch, bool, count + 1);
  size_t left = count;
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (const ash_yaml_item *i = inputs->first; i && left; i = i->next) {
    const size_t at = place_of(unread, count, i->node->text);
    left -= at < count && !met[at];
    met[at] = true;
  }
  return left == 0 ? ASH_OK : wrong(r, list, "what is no input is unread");
}

/* Inputs that the kernel does not read need no place; all others do, but for
 * names of names in an order of rows. */
static ash_status read_inputs(const reader *r, ash_file_op *op,
                              const ash_yaml *inputs, const ash_yaml *list) {
  const char **unread = NULL;
  size_t count, k = 0;
  ASH_TRY(read_ids(r, &op->inputs, &op->input_count, inputs, NULL));
  ASH_TRY(read_unread(r, &unread, &count, list));
  if (list)
    ASH_TRY(check_unread(r, inputs, unread, count, list));
  op->reads = ASH_NEW_ARRAY(&r->ctx->scratch, bool, op->input_count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (const ash_yaml_item *i = inputs->first; i; i = i->next, k++) {
    op->reads[k] = !is_among(unread, count, i->node->text);
    if (op->reads[k] && op->inputs[k] == ASH_NO_ID && op->step != ASH_NO_ID)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_missing,
                      ash_yaml_loc(i->node),
                      "%s reads '%s', for which the plan has no place", op->id,
                      i->node->text);
  }
  return ASH_OK;
}

/* Absent where one core runs it. */
static ash_status read_cores(const reader *r, uint32_t *out,
                             const ash_yaml *map) {
  const ash_yaml *at = ash_yaml_get(map, "cores");
  uint64_t cores = 1;
  if (at) {
    ASH_TRY(ash_yaml_need_u64(r->ctx, &cores, map, "cores"));
    if (cores < 2 || cores > ASH_CORES_MAX)
      return wrong(r, at, "an operator is split over 2 to 64 cores");
  }
  *out = (uint32_t)cores;
  return ASH_OK;
}

/* What nothing is concluded from is of its kind all the same. */
static ash_status check_extras(const reader *r, const ash_yaml *map) {
  static const char *const numbers[] = {"source_index", "macs", "cycles"};
  ASH_ASSERT(map != NULL);
  const ash_yaml *reason = ash_yaml_get(map, "kernel_reason");
  const char *text;
  for (size_t i = 0; i < ASH_COUNT_OF(numbers); i++) {
    const ash_yaml *at = ash_yaml_get(map, numbers[i]);
    uint64_t number;
    if (at)
      ASH_TRY(ash_yaml_u64(r->ctx, &number, at, numbers[i]));
  }
  return reason ? ash_yaml_string(r->ctx, &text, reason, "kernel_reason")
                : ASH_OK;
}

static ash_status read_op(const reader *r, ash_file_op *op, const ash_yaml *map,
                          uint32_t step) {
  const ash_yaml *inputs, *outputs, *kernel = ash_yaml_get(map, "kernel");
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "an operator"));
  *op = (ash_file_op){.at = map, .step = step};
  ASH_TRY(ash_yaml_need_string(r->ctx, &op->id, map, "id"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &op->kind, map, "kind"));
  if (!ash_text_is_identifier(op->id)) /* part of a C name */
    return wrong(r, map, "the id of an operator is no C identifier");
  ASH_TRY(check_extras(r, map));
  if (kernel)
    ASH_TRY(ash_yaml_string(r->ctx, &op->kernel, kernel, "kernel"));
  ASH_TRY(read_cores(r, &op->cores, map));
  ASH_TRY(ash_yaml_need_list(r->ctx, &inputs, map, "inputs"));
  ASH_TRY(ash_yaml_need_list(r->ctx, &outputs, map, "outputs"));
  ASH_TRY(read_inputs(r, op, inputs, ash_yaml_get(map, "unread")));
  return read_ids(r, &op->outputs, &op->output_count, outputs,
                  step == ASH_NO_ID ? NULL : "the result");
}

/* ---- steps --------------------------------------------------------------- */

/* The operators of one step; ASH_NO_ID: of all, which runs count. */
static ash_status read_list(reader *r, const ash_yaml *ops, uint32_t step) {
  for (const ash_yaml_item *i = ops->first; i; i = i->next) {
    const uint32_t op = r->f->op_count++;
    ASH_ASSERT(r->list && r->f->ops);
    r->list[op] = op;
    ASH_TRY(read_op(r, &r->f->ops[op], i->node, step));
  }
  return ASH_OK;
}

static ash_status read_step(reader *r, ash_step *out, const ash_yaml *map,
                            uint32_t step) {
  const ash_yaml *ops;
  uint64_t number;
  ASH_ASSERT(r->f->plan.steps.count == step + 1);
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "a step"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &number, map, "step"));
  if (number != step)
    return wrong(r, map, "the steps are not numbered one after the other");
  ASH_TRY(ash_yaml_need_list(r->ctx, &ops, map, "ops"));
  if (ops->count == 0)
    return wrong(r, ops, "a step has no operators");
  *out = (ash_step){.ops = r->list + r->f->op_count,
                    .op_count = (uint32_t)ops->count,
                    .input = ASH_NO_ID};
  return read_list(r, ops, step);
}

static ash_status make_room(reader *r, size_t ops) {
  ASH_ASSERT(!r->f->ops && !r->list);
  ash_zone *z = &r->ctx->scratch;
  r->f->ops = ASH_NEW_ARRAY(z, ash_file_op, ops + 1);
  r->list = ASH_NEW_ARRAY(z, uint32_t, ops + 1);
  return ash_zone_check(r->ctx, z);
}

static ash_status read_steps(reader *r, const ash_yaml *steps) {
  size_t ops = 0;
  for (const ash_yaml_item *i = steps->first; i; i = i->next) {
    const ash_yaml *list = ash_yaml_get(i->node, "ops");
    ops += list ? list->count : 0;
  }
  ash_step *items = ASH_NEW_ARRAY(&r->ctx->scratch, ash_step, steps->count + 1);
  ASH_TRY(make_room(r, ops));
  r->f->plan.steps = (ash_steps){items, 0};
  for (const ash_yaml_item *i = steps->first; i; i = i->next) {
    const uint32_t step = r->f->plan.steps.count++;
    ASH_TRY(read_step(r, &items[step], i->node, step));
  }
  return ASH_OK;
}

/* ---- names of names ------------------------------------------------------ */

/* In an order of rows, results that are not listed: names, sorted. */
static ash_status list_names(const reader *r, const char ***out,
                             size_t *count) {
  const ash_plan_file *f = r->f;
  ash_zone *z = &r->ctx->scratch;
  size_t most = 1;
  *count = 0;
  for (uint32_t i = 0; i < f->op_count; i++)
    most += f->ops[i].output_count;
  *out = ASH_NEW_ARRAY(z, const char *, most);
  const char **spare = ASH_NEW_ARRAY(z, const char *, most);
  ASH_TRY(ash_zone_check(r->ctx, z));
  for (uint32_t i = 0; i < f->op_count; i++) {
    const ash_yaml_item *at = ash_yaml_get(f->ops[i].at, "outputs")->first;
    for (uint32_t k = 0; k < f->ops[i].output_count; k++, at = at->next)
      if (f->ops[i].outputs[k] == ASH_NO_ID)
        (*out)[(*count)++] = at->node->text;
  }
  ash_sort(*out, spare, *count, sizeof *spare, by_text, NULL);
  return ASH_OK;
}

/* What is read is listed, or another name of something that is. */
static ash_status check_names(const reader *r) {
  const ash_plan_file *f = r->f;
  const char **names;
  size_t count;
  ASH_ASSERT(f->ops || f->op_count == 0);
  ASH_TRY(list_names(r, &names, &count));
  for (uint32_t i = 0; i < f->op_count; i++) {
    const ash_file_op *op = &f->ops[i];
    const ash_yaml_item *at = ash_yaml_get(op->at, "inputs")->first;
    for (uint32_t k = 0; k < op->input_count; k++, at = at->next)
      if (op->reads[k] && op->inputs[k] == ASH_NO_ID &&
          !is_among(names, count, at->node->text))
        return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_missing,
                        ash_yaml_loc(at->node),
                        "%s reads '%s', for which the plan has no place",
                        op->id, at->node->text);
  }
  return ASH_OK;
}

/* ---- all of it ----------------------------------------------------------- */

/* What arrives is an input, what leaves an output. */
static ash_status check_ends(const reader *r, const ash_yaml *list,
                             const ash_file_list *some,
                             const ash_file_list *all, bool arrive) {
  const ash_yaml_item *at = list->first;
  for (uint32_t i = 0; i < some->count; i++, at = at->next) {
    uint32_t k = 0;
    while (k < all->count && all->items[k] != some->items[i])
      k++;
    if (k == all->count)
      return ash_fail(
          r->ctx, ASH_MALFORMED, ASH_D_plan_row_feed, ash_yaml_loc(at->node),
          "rows of '%s' %s, which is not %s", at->node->text,
          arrive ? "arrive" : "leave", arrive ? "an input" : "an output");
  }
  return ASH_OK;
}

static ash_status read_ends(const reader *r) {
  const ash_yaml *inputs, *outputs;
  ash_plan_file *f = r->f;
  ASH_ASSERT(f->top && f->by_id);
  const ash_yaml *fed = ash_yaml_get(f->top, "fed");
  const ash_yaml *drained = ash_yaml_get(f->top, "drained");
  ASH_TRY(ash_yaml_need_list(r->ctx, &inputs, f->top, "inputs"));
  ASH_TRY(ash_yaml_need_list(r->ctx, &outputs, f->top, "outputs"));
  ASH_TRY(read_ids(r, &f->inputs.items, &f->inputs.count, inputs, "the input"));
  ASH_TRY(
      read_ids(r, &f->outputs.items, &f->outputs.count, outputs, "the output"));
  if (fed) {
    ASH_TRY(read_ids(r, &f->fed.items, &f->fed.count, fed, "the input"));
    ASH_TRY(check_ends(r, fed, &f->fed, &f->inputs, true));
  }
  if (!drained)
    return ASH_OK;
  ASH_TRY(
      read_ids(r, &f->drained.items, &f->drained.count, drained, "the output"));
  return check_ends(r, drained, &f->drained, &f->outputs, false);
}

ash_status ash_plan_read_ops(ash_ctx *ctx, ash_plan_file *f) {
  reader r = {.ctx = ctx, .f = f};
  const ash_yaml *runs = ash_yaml_get(f->top, "runs"), *list;
  ASH_TRY(read_ends(&r));
  ASH_TRY(ash_yaml_need_list(ctx, &list, f->top, runs ? "ops" : "steps"));
  if (!runs)
    return read_steps(&r, list);
  ASH_TRY(make_room(&r, list->count));
  ASH_TRY(read_list(&r, list, ASH_NO_ID));
  return check_names(&r);
}
