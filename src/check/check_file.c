/* check_file.c - a plan file, without its model: nothing is believed that the
 * file itself contradicts. */
#include "check/check_model.h"

#include "base/sort.h"
#include "plan/file/hash.h"
#include "plan/file/residency.h"

#include <inttypes.h>
#include <string.h>

/* ---- operators by id ----------------------------------------------------- */

static int by_id(const void *a, const void *b, const void *user) {
  const ash_plan_file *f = user;
  return strcmp(f->ops[*(const uint32_t *)a].id,
                f->ops[*(const uint32_t *)b].id);
}

static ash_status sort_ops(ash_file_check *k) {
  const ash_plan_file *f = k->f;
  ash_zone *z = &k->ctx->scratch;
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, f->op_count + 1u);
  k->by_id = ASH_NEW_ARRAY(z, uint32_t, f->op_count + 1u);
  ASH_TRY(ash_zone_check(k->ctx, z));
  for (uint32_t i = 0; i < f->op_count; i++)
    k->by_id[i] = i;
  ash_sort(k->by_id, spare, f->op_count, sizeof *spare, by_id, f);
  for (uint32_t i = 1; i < f->op_count; i++)
    if (by_id(&k->by_id[i - 1], &k->by_id[i], f) == 0)
      return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_step_twice,
                      ash_yaml_loc(f->ops[k->by_id[i]].at), "%s is there twice",
                      f->ops[k->by_id[i]].id);
  return ASH_OK;
}

uint32_t ash_check_file_op(const ash_file_check *k, const char *id,
                           size_t count) {
  uint32_t lo = 0, hi = k->f->op_count;
  while (lo < hi) {
    const uint32_t mid = lo + (hi - lo) / 2;
    const char *other = k->f->ops[k->by_id[mid]].id;
    int order = strncmp(other, id, count);
    if (order == 0 && other[count] == '\0')
      return k->by_id[mid];
    if (order < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return ASH_NO_ID;
}

/* The last place of `word` in `id`. */
static const char *last_of(const char *id, const char *word) {
  const char *found = NULL;
  for (const char *at = id; (at = strstr(at, word)) != NULL; at++)
    found = at;
  return found;
}

uint32_t ash_check_file_owner(const ash_file_check *k, uint32_t entry) {
  const ash_file_tensor *t = &k->f->tensors[entry];
  const char *id = k->f->plan.slots[t->slot].id;
  const bool tile = t->kind && strcmp(t->kind, "tile") == 0;
  const char *word = tile ? "_tile" : t->kind ? "_accumulator" : "_scratch";
  const char *cut = last_of(id, word);
  if (t->has_type || !cut || (!tile && cut[strlen(word)] != '\0'))
    return ASH_NO_ID;
  return ash_check_file_op(k, id, (size_t)(cut - id));
}

/* ---- the file ------------------------------------------------------------ */

static ash_status check_hashes(const ash_file_check *k) {
  const ash_plan_file *f = k->f;
  char plan[17], layout[17];
  ASH_TRY(ash_plan_hashes(k->ctx, plan, layout, &f->plan));
  if (strcmp(plan, f->plan_hash) != 0 || strcmp(layout, f->layout_hash) != 0)
    return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_hash,
                    ash_yaml_loc(f->top),
                    "the contents hash to %s and %s, the file says %s and %s",
                    plan, layout, f->plan_hash, f->layout_hash);
  return ASH_OK;
}

/* Of everything that stands before it; files of others may have none. */
static ash_status check_content(const ash_file_check *k, const char *text,
                                size_t count) {
  static const char key[] = "\"content_hash\"";
  const ash_yaml *claim = ash_yaml_get(k->f->top, "content_hash");
  const ash_yaml_item *last = k->f->top->first;
  const char *said;
  char hash[17];
  size_t at = count;
  if (!claim)
    return ASH_OK;
  ASH_TRY(ash_yaml_string(k->ctx, &said, claim, "content_hash"));
  while (last->next)
    last = last->next;
  if (last->node != claim)
    return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_hash, ash_yaml_loc(claim),
                    "content_hash is not the last key of the file");
  while (at > 0 && (count - at < sizeof key - 1 ||
                    memcmp(text + at, key, sizeof key - 1) != 0))
    at--;
  ash_plan_content_hash(hash, text, at);
  if (strcmp(hash, said) == 0)
    return ASH_OK;
  return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_hash, ash_yaml_loc(claim),
                  "what stands before hashes to %s, the file says %s", hash,
                  said);
}

static ash_status check_parts(ash_file_check *k) {
  k->c = (ash_checker){.ctx = k->ctx, .plan = &k->f->plan};
  ASH_TRY(ash_check_find(&k->c));
  ASH_TRY(sort_ops(k));
  ASH_TRY(ash_check_file_tensors(k));
  if (ash_yaml_get(k->f->top, "runs")) {
    ASH_TRY(ash_check_file_rows(k));
  } else {
    ASH_TRY(ash_check_file_lives(k));
    ASH_TRY(ash_check_file_run(k));
  }
  ASH_TRY(ash_check_file_arenas(k));
  ASH_TRY(ash_check_file_layers(k));
  return check_hashes(k);
}

/* The device with the sizes that the file says it was planned with. */
static ash_status set_device(ash_ctx *ctx, const ash_device **device,
                             const ash_yaml *top) {
  const ash_yaml *set = ash_yaml_get(top, "set");
  if (!set)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_map(ctx, set, "set"));
  for (const ash_yaml_item *i = set->first; i; i = i->next) {
    uint64_t bytes;
    ASH_TRY(ash_yaml_u64(ctx, &bytes, i->node, i->key));
    if (*device)
      ASH_TRY(ash_device_set_bytes(ctx, device, i->key, bytes));
  }
  return ASH_OK;
}

/* `given`, or the built-in device of that name, or NULL. */
static ash_status find_device(ash_ctx *ctx, const ash_device **out,
                              const char *target, const ash_device *given,
                              const ash_yaml *top) {
  *out = given;
  for (size_t i = 0; !given && ash_device_builtin(i); i++)
    if (strcmp(ash_device_builtin(i), target) == 0)
      ASH_TRY(ash_device_load(ctx, out, target));
  return set_device(ctx, out, top);
}

static ash_status parse(ash_ctx *ctx, const ash_yaml **top,
                        const ash_plan_text *text) {
  return ash_yaml_parse(ctx, top, &ctx->scratch, text->text, text->count,
                        text->file);
}

static ash_status read_device(ash_ctx *ctx, const ash_device **out,
                              const ash_plan_text *text,
                              const ash_device *given) {
  const ash_yaml *top;
  const char *target;
  ASH_TRY(parse(ctx, &top, text));
  ASH_TRY(ash_yaml_want_map(ctx, top, "a plan"));
  if (ash_is_residency(top))
    return ash_fail(ctx, ASH_MISUSE, ASH_D_plan_device, ash_yaml_loc(top),
                    "a residency file has no steps to compare with a model; "
                    "a plan is written by ashlar plan --json");
  ASH_TRY(ash_yaml_need_string(ctx, &target, top, "target"));
  ASH_TRY(find_device(ctx, out, target, given, top));
  if (!*out)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_plan_device, ash_yaml_loc(top),
                    "the device '%s' is not built in: --target FILE gives it",
                    target);
  return ASH_OK;
}

ash_status ash_check_file_device(ash_ctx *ctx, const ash_device **out,
                                 const ash_plan_text *text,
                                 const ash_device *given) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *out = NULL;
  const ash_status status = read_device(ctx, out, text, given);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

/* On a device that says how many cores it has, an operator is split over no
 * more than these. */
static ash_status check_cores(const ash_file_check *k) {
  const ash_device *device = k->device;
  if (!device || device->features.cores < 2)
    return ASH_OK;
  for (uint32_t i = 0; i < k->f->op_count; i++) {
    const ash_file_op *op = &k->f->ops[i];
    ASH_ASSERT(op->cores > 0);
    if (op->cores > device->features.cores)
      return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_cores,
                      ash_yaml_loc(op->at),
                      "%s is split over %" PRIu32 " cores, %s has %" PRIu32,
                      op->id, op->cores, device->name, device->features.cores);
  }
  return ASH_OK;
}

/* `device` NULL: what can be said without one. */
static ash_status check_read(ash_ctx *ctx, const ash_plan_text *text,
                             ash_plan_file *f, const ash_device *device,
                             const ash_check_model *model) {
  const ash_status status = ash_check_plan(ctx, &f->plan, NULL, device);
  if (status == ASH_INTERNAL) /* the file is wrong, not we */
    return ASH_MALFORMED;
  ASH_TRY(status);
  ash_file_check k = {.ctx = ctx, .f = f, .device = device};
  ASH_TRY(check_parts(&k));
  ASH_TRY(check_cores(&k));
  ASH_TRY(check_content(&k, text->text, text->count));
  return model ? ash_check_file_model(&k, model) : ASH_OK;
}

static ash_status check_file(ash_ctx *ctx, const ash_plan_text *text,
                             const ash_device *device, bool find,
                             const ash_check_model *model) {
  ash_plan_file f;
  const ash_yaml *top;
  ASH_TRY(parse(ctx, &top, text));
  if (ash_is_residency(top))
    return ash_plan_check_residency(ctx, top);
  ASH_TRY(ash_plan_read(ctx, &f, top));
  if (find)
    ASH_TRY(find_device(ctx, &device, f.plan.target, NULL, top));
  else if (!model) /* whose device is set already */
    ASH_TRY(set_device(ctx, &device, top));
  return check_read(ctx, text, &f, device, model);
}

/* Leaves the scratch zone as it was. */
static ash_status check_and_forget(ash_ctx *ctx, const ash_plan_text *text,
                                   const ash_device *device, bool find,
                                   const ash_check_model *model) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = check_file(ctx, text, device, find, model);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

ash_status ash_check_file_of(ash_ctx *ctx, const ash_plan_text *text,
                             const ash_check_model *model) {
  ASH_ASSERT(model->graph && model->device && model->target);
  return check_and_forget(ctx, text, model->device, false, model);
}

ash_status ash_check_plan_file(ash_ctx *ctx, const ash_plan_text *plan,
                               const ash_device *device) {
  ASH_NEED(ctx, ctx && plan && plan->text);
  return check_and_forget(ctx, plan, device, false, NULL);
}

ash_status ash_check_plan_json(ash_ctx *ctx, const char *text, size_t count,
                               const char *file) {
  ASH_NEED(ctx, ctx && text);
  return check_and_forget(ctx, &(ash_plan_text){text, count, file}, NULL, true,
                          NULL);
}
