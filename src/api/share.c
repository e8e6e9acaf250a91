/* share.c - several models, one scratch arena: each is planned as if it were
 * alone, and the arenas they share are as large as the largest needs. */
#include "ashlar/compile.h"
#include "base/ctx.h"
#include "emit/module/module.h"

#include <string.h>

typedef struct sharer {
  ash_ctx *ctx;
  ash_compiled *models;
  const char *const *paths;
  size_t count;
  const ash_device *device;
  const char *prefix;
  ash_compile_options options;
  ash_generated *files;
  size_t file_count;
} sharer;

static ash_status check_names(sharer *s) {
  for (size_t i = 0; i < s->count; i++)
    ASH_NEED(s->ctx, s->paths[i]);
  for (size_t i = 0; i < s->count; i++)
    for (size_t k = 0; k <= i; k++) {
      const char *a = ash_default_prefix(s->ctx, s->paths[i]);
      const char *b =
          k == i ? s->prefix : ash_default_prefix(s->ctx, s->paths[k]);
      if (!a || !b)
        return ash_nomem(s->ctx);
      if (strcmp(a, b) == 0)
        return ash_fail(s->ctx, ASH_MISUSE, ASH_D_emit_shared_name, ASH_NOWHERE,
                        "'%s' would name two things", a);
    }
  return ASH_OK;
}

static ash_status plan_models(sharer *s) {
  s->options.stop = true;
  s->options.stop_after = ASH_STAGE_PLAN;
  s->options.prefix = NULL;
  for (size_t i = 0; i < s->count; i++)
    ASH_TRY(ash_compile(s->ctx, &s->models[i], s->paths[i], s->device,
                        &s->options));
  return ASH_OK;
}

/* All files lie in one folder, so a README carries the model's name. */
static ash_status keep_files(sharer *s, const ash_generated *files,
                             size_t count, const char *prefix) {
  for (size_t i = 0; i < count; i++) {
    ash_generated *to = &s->files[s->file_count++];
    *to = files[i];
    if (strcmp(to->name, "README.md") == 0)
      to->name = ash_zone_format(&s->ctx->keep, "%s_README.md", prefix);
  }
  return ash_zone_check(s->ctx, &s->ctx->keep);
}

static ash_status emit_model(sharer *s, ash_compiled *c, const char *path) {
  const char *prefix = ash_default_prefix(s->ctx, path);
  ash_emit_options emit = {0};
  ash_take_options(&emit, sizeof emit, &s->options.emit);
  emit.struct_bytes = sizeof emit;
  emit.module = ASH_MODULE_PLAIN;
  emit.shared_scratch = s->prefix;
  return ash_emit_module(s->ctx, c, s->device, prefix, &emit);
}

static ash_status emit_shared(sharer *s, const ash_generated **files,
                              size_t *count) {
  const ash_plan **plans =
      ASH_NEW_ARRAY(&s->ctx->keep, const ash_plan *, s->count + 1);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->keep));
  for (size_t i = 0; i < s->count; i++)
    plans[i] = s->models[i].plan;
  return ash_emit_shared_scratch(s->ctx, files, count, plans, s->count,
                                 s->device, s->prefix);
}

static ash_status emit_models(sharer *s) {
  const ash_generated *shared;
  size_t total;
  ASH_TRY(emit_shared(s, &shared, &total));
  const size_t shared_count = total;
  for (size_t i = 0; i < s->count; i++) {
    ASH_TRY(emit_model(s, &s->models[i], s->paths[i]));
    total += s->models[i].file_count;
  }
  s->files = ASH_NEW_ARRAY(&s->ctx->keep, ash_generated, total + 1);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->keep));
  for (size_t i = 0; i < s->count; i++)
    ASH_TRY(keep_files(s, s->models[i].files, s->models[i].file_count,
                       s->models[i].render->prefix));
  return keep_files(s, shared, shared_count, s->prefix);
}

ash_status ash_compile_shared(ash_ctx *ctx, ash_compiled_set *out,
                              const char *const *paths, size_t count,
                              const ash_device *device, const char *prefix,
                              const ash_compile_options *options) {
  ASH_NEED(ctx, ctx && out && out->models && (paths || count == 0) && device &&
                    prefix);
  sharer s = {.ctx = ctx,
              .models = out->models,
              .paths = paths,
              .count = count,
              .device = device,
              .prefix = prefix};
  out->files = NULL;
  out->file_count = 0;
  memset(out->models, 0, count * sizeof *out->models);
  ash_take_options(&s.options, sizeof s.options, options);
  ASH_TRY(check_names(&s));
  ASH_TRY(plan_models(&s));
  ASH_TRY(emit_models(&s));
  out->files = s.files;
  out->file_count = s.file_count;
  return ASH_OK;
}
