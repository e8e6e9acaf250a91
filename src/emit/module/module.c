/* module.c - graph, plan and device -> the files of a module. */
#include "base/nearest.h"
#include "emit/package/package.h"

#include "emit/cores/cores.h"
#include "emit/rows/rows.h"
#include "emit/tile/tile.h"
#include "kernel/runtime_files.h"
#include "plan/file/residency.h"

#include <string.h>

/* One file of the module. */
typedef struct module_file {
  const char *ending; /* behind the prefix */
  ash_status (*emit)(ash_module *m);
} module_file;

static const module_file module_files[] = {
    {".h", ash_emit_header},
    {".c", ash_emit_source},
    {"_memory.h", ash_emit_memory},
    {"_constants.c", ash_emit_constants},
    {"_kernels.h", ash_emit_kernels_header},
    {"_kernels.c", ash_emit_kernels_source},
    {".ld", ash_emit_linker},
};

ash_status ash_emit_add_file(ash_module *m, const char *name, const void *bytes,
                             size_t count) {
  if (!name || !bytes || !ASH_GROW(m->zone, &m->files, m->files.count))
    return ash_nomem(m->ctx);
  m->files.items[m->files.count++] =
      (ash_generated){.name = name, .bytes = bytes, .count = count};
  return ASH_OK;
}

ash_status ash_emit_text(ash_module *m, const char *name,
                         ash_status (*write)(ash_module *m)) {
  ASH_ASSERT(write);
  ash_text t;
  const ash_mark mark = ash_zone_mark(&m->ctx->scratch);
  ash_text_init(&t, &m->ctx->mem);
  m->text = &t;
  ash_status status = write(m);
  if (status == ASH_OK)
    status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (status == ASH_OK)
    status = ash_text_check(m->ctx, &t);
  ash_zone_rewind(&m->ctx->scratch, mark);
  if (status == ASH_OK)
    status = ash_emit_add_file(
        m, name, ash_zone_copy(m->zone, t.bytes, t.count), t.count);
  ash_text_drop(&t);
  return status;
}

static ash_status emit_file(ash_module *m, const module_file *p) {
  ASH_ASSERT(m->prefix && p->emit);
  return ash_emit_text(
      m, ash_zone_format(m->zone, "%s%s", m->prefix, p->ending), p->emit);
}

static ash_status pack(ash_module *m) {
  ASH_ASSERT(m->options.module < ASH_MODULE_COUNT);
  switch (m->options.module) {
  case ASH_MODULE_SINGLE_FILE:
    return ash_package_single_file(m);
  case ASH_MODULE_CMAKE:
    return ash_package_cmake(m);
  case ASH_MODULE_ZEPHYR:
    return ash_package_zephyr(m);
  case ASH_MODULE_CMSIS_PACK:
    return ash_package_cmsis_pack(m);
  case ASH_MODULE_ESP_IDF:
    return ash_package_esp_idf(m);
  case ASH_MODULE_ARDUINO:
    return ash_package_arduino(m);
  case ASH_MODULE_PLATFORMIO:
    return ash_package_platformio(m);
  default:
    return ASH_OK;
  }
}

static ash_status emit_residency(ash_module *m) {
  return ash_residency_json(m->ctx, m->text, m->plan, m->prefix);
}

static ash_status add_runtime_file(ash_module *m, const char *name) {
  const ash_embedded *file = ash_runtime_file(name);
  ASH_ASSERT(file);
  return ash_emit_add_file(m, file->name, file->text, file->bytes);
}

/* What the firmware fills in: how bytes are moved, how cores are started. */
static ash_status emit_interfaces(ash_module *m) {
  if (ash_emit_is_tiled(m))
    ASH_TRY(add_runtime_file(m, "ash_dma.h"));
  if (ash_emit_has_cores(m))
    ASH_TRY(add_runtime_file(m, "ash_cores.h"));
  return ASH_OK;
}

static ash_status emit(ash_module *m) {
  ASH_ASSERT(m->code && m->render && m->device);
  m->upper = ash_emit_upper(m, m->prefix);
  ASH_TRY(ash_emit_find_rows(m));
  ASH_TRY(ash_emit_account(m));
  for (size_t i = 0; i < ASH_COUNT_OF(module_files); i++)
    ASH_TRY(emit_file(m, &module_files[i]));
  ASH_TRY(emit_interfaces(m));
  ASH_TRY(ash_emit_blobs(m));
  ASH_TRY(ash_emit_text(m, "README.md", ash_emit_readme));
  if (m->options.residency) {
    static const module_file residency = {"_residency.json", emit_residency};
    ASH_TRY(emit_file(m, &residency));
  }
  return pack(m);
}

ash_status ash_emit_rendered(ash_ctx *ctx, ash_compiled *c,
                             const ash_code *code, const ash_device *device,
                             const ash_emit_options *options) {
  ASH_ASSERT(c->graph && c->plan && c->render && code);
  ASH_TRY(ash_package_check(ctx, options));
  ASH_TRY(ash_graph_need_constants(ctx, c->graph));
  ash_module m = {.ctx = ctx,
                  .zone = &ctx->keep,
                  .g = c->graph,
                  .plan = c->plan,
                  .render = c->render,
                  .code = code,
                  .device = device,
                  .options = *options,
                  .prefix = c->render->prefix};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = emit(&m);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status != ASH_OK)
    return status;
  c->files = m.files.items;
  c->file_count = m.files.count;
  return ASH_OK;
}

ash_status ash_emit_check_device(ash_ctx *ctx, const ash_plan *plan,
                                 const ash_device *device) {
  ASH_NEED(ctx, plan && plan->target);
  if (strcmp(plan->target, device->name) == 0)
    return ASH_OK;
  return ash_fail(ctx, ASH_MISUSE, ASH_D_misuse, ASH_NOWHERE,
                  "the plan is for %s, the code for %s", plan->target,
                  device->name);
}

ash_status ash_emit_check_prefix(ash_ctx *ctx, const char *prefix) {
  ASH_ASSERT(prefix);
  if (ash_text_is_identifier(prefix))
    return ASH_OK;
  return ash_fail(ctx, ASH_MISUSE, ASH_D_emit_prefix, ASH_NOWHERE,
                  "the prefix '%s' is not a C identifier", prefix);
}

/* ---- words for options --------------------------------------------------- */

#define X(name, text, help) text,
static const char *const constants_text[] = {ASH_CONSTANTS_MAP(X)};
static const char *const module_text[] = {ASH_MODULE_MAP(X)};
static const char *const specialise_text[] = {ASH_SPECIALISE_MAP(X)};
#undef X

const char *ash_constants_text(ash_constants form) {
  return form < ASH_CONSTANTS_COUNT ? constants_text[form] : "?";
}

ash_constants ash_constants_find(const char *name) {
  return (ash_constants)ash_name_find(constants_text, sizeof *constants_text,
                                      ASH_CONSTANTS_COUNT, name);
}

const char *ash_module_text(ash_module_kind kind) {
  return kind < ASH_MODULE_COUNT ? module_text[kind] : "?";
}

ash_module_kind ash_module_find(const char *name) {
  return (ash_module_kind)ash_name_find(module_text, sizeof *module_text,
                                        ASH_MODULE_COUNT, name);
}

const char *ash_specialise_text(ash_specialise how) {
  return how < ASH_SPECIALISE_COUNT ? specialise_text[how] : "?";
}

ash_specialise ash_specialise_find(const char *name) {
  return (ash_specialise)ash_name_find(specialise_text, sizeof *specialise_text,
                                       ASH_SPECIALISE_COUNT, name);
}
