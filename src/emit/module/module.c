/* module.c - graph, plan and device -> the files of a module. */
#include "emit/package/package.h"

#include "emit/tile/tile.h"
#include "kernel/runtime_files.h"
#include "op/views.h"
#include "plan/file/residency.h"
#include "plan/record/record.h"

#include <ctype.h>
#include <string.h>

bool ash_emit_is_identifier(const char *s) {
  if (!isalpha((unsigned char)*s) && *s != '_')
    return false;
  for (; *s; s++)
    if (!isalnum((unsigned char)*s) && *s != '_')
      return false;
  return true;
}

/* Does tensor `inner` begin `offset` bytes into tensor `outer`? */
static bool is_there(const ash_module *m, uint32_t inner, uint32_t outer,
                     uint64_t offset) {
  const uint32_t in = ash_plan_slot_of_tensor(m->plan, inner);
  const uint32_t out = ash_plan_slot_of_tensor(m->plan, outer);
  if (in == ASH_NO_ID || out == ASH_NO_ID)
    return false;
  const ash_binding *a = &m->plan->slots[in].binding;
  const ash_binding *b = &m->plan->slots[out].binding;
  return a->role == b->role && strcmp(a->memory, b->memory) == 0 &&
         a->offset == b->offset + offset;
}

bool ash_emit_in_place(const ash_module *m, uint32_t op, uint32_t k) {
  const ash_op *o = &m->g->ops.items[op];
  uint64_t offset;
  return o->inputs[k] != ASH_NO_ID && ash_op_is_piece(m->g, op, k, &offset) &&
         is_there(m, o->inputs[k], o->outputs[0], offset);
}

bool ash_emit_is_made(const ash_module *m, uint32_t op, uint32_t k) {
  const ash_op *o = &m->g->ops.items[op];
  uint32_t input = 0;
  uint64_t offset;
  return (ash_op_is_view(m->g, op, k, &input, &offset) ||
          ash_op_is_slice(m->g, op, k, &offset)) &&
         is_there(m, o->outputs[k], o->inputs[input], offset);
}

static bool all_in_place(const ash_module *m, uint32_t op) {
  const ash_op *o = &m->g->ops.items[op];
  bool any = false;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] != ASH_NO_ID && !ash_emit_in_place(m, op, k))
      return false;
    any = any || o->inputs[k] != ASH_NO_ID;
  }
  return any;
}

/* An op whose outputs are where they should be already needs no code. */
static bool is_free(const ash_module *m, uint32_t op) {
  const ash_op *o = &m->g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++)
    if (!ash_emit_is_made(m, op, k))
      return all_in_place(m, op);
  return true;
}

static ash_status select_kernels(ash_module *m) {
  m->kernels =
      ASH_NEW_ARRAY(&m->ctx->scratch, const ash_kernel *, m->g->op_count + 1);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  for (uint32_t op = 0; op < m->g->op_count; op++)
    if (!is_free(m, op)) {
      m->kernels[op] = ash_plan_choice(m->plan, m->g, op).kernel;
      ASH_TRY(ash_kernel_check(m->ctx, m->kernels[op], m->g, op));
    }
  return ASH_OK;
}

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
  return ash_emit_text(
      m, ash_zone_format(m->zone, "%s%s", m->prefix, p->ending), p->emit);
}

static ash_status pack(ash_module *m) {
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
  default:
    return ASH_OK;
  }
}

static ash_status emit_residency(ash_module *m) {
  return ash_residency_json(m->ctx, m->text, m->plan, m->prefix);
}

static ash_status emit(ash_module *m) {
  m->upper = ash_emit_upper(m, m->prefix);
  ASH_TRY(select_kernels(m));
  ASH_TRY(ash_emit_account(m));
  for (size_t i = 0; i < ASH_COUNT_OF(module_files); i++)
    ASH_TRY(emit_file(m, &module_files[i]));
  if (ash_emit_is_tiled(m)) {
    const ash_embedded *dma = ash_runtime_file("ash_dma.h");
    ASH_TRY(ash_emit_add_file(m, dma->name, dma->text, dma->bytes));
  }
  ASH_TRY(ash_emit_blobs(m));
  ASH_TRY(ash_emit_text(m, "README.md", ash_emit_readme));
  if (m->options.residency) {
    static const module_file residency = {"_residency.json", emit_residency};
    ASH_TRY(emit_file(m, &residency));
  }
  return pack(m);
}

ash_status ash_emit_rendered(ash_ctx *ctx, ash_compiled *c,
                             const ash_device *device,
                             const ash_emit_options *options) {
  ash_module m = {.ctx = ctx,
                  .zone = &ctx->keep,
                  .g = c->graph,
                  .plan = c->plan,
                  .render = c->render,
                  .device = device,
                  .prefix = c->render->prefix};
  c->files = NULL;
  c->file_count = 0;
  ash_take_options(&m.options, sizeof m.options, options);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = emit(&m);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status != ASH_OK)
    return status;
  c->files = m.files.items;
  c->file_count = m.files.count;
  return ASH_OK;
}

ash_status ash_emit_check_prefix(ash_ctx *ctx, const char *prefix) {
  if (ash_emit_is_identifier(prefix))
    return ASH_OK;
  return ash_fail(ctx, ASH_MISUSE, ASH_D_emit_prefix, ASH_NOWHERE,
                  "the prefix '%s' is not a C identifier", prefix);
}

ash_status ash_emit_module(ash_ctx *ctx, ash_compiled *c,
                           const ash_device *device, const char *prefix,
                           const ash_emit_options *options) {
  c->files = NULL;
  c->file_count = 0;
  ASH_TRY(ash_emit_check_prefix(ctx, prefix));
  ASH_TRY(ash_build_render_plan(ctx, &c->render, c->plan, c->graph, prefix));
  return ash_emit_rendered(ctx, c, device, options);
}

/* ---- words for options --------------------------------------------------- */

static const char *const constants_text[ASH_CONSTANTS_COUNT] = {
#define X(name, text, help) [ASH_CONSTANTS_##name] = (text),
    ASH_CONSTANTS_MAP(X)
#undef X
};

const char *ash_constants_text(ash_constants form) {
  return form < ASH_CONSTANTS_COUNT ? constants_text[form] : "?";
}

ash_constants ash_constants_find(const char *name) {
  unsigned i = 0;
  while (i < ASH_CONSTANTS_COUNT && strcmp(constants_text[i], name) != 0)
    i++;
  return (ash_constants)i;
}

static const char *const module_text[ASH_MODULE_COUNT] = {
#define X(name, text, help) [ASH_MODULE_##name] = (text),
    ASH_MODULE_MAP(X)
#undef X
};

const char *ash_module_text(ash_module_kind kind) {
  return kind < ASH_MODULE_COUNT ? module_text[kind] : "?";
}

ash_module_kind ash_module_find(const char *name) {
  unsigned i = 0;
  while (i < ASH_MODULE_COUNT && strcmp(module_text[i], name) != 0)
    i++;
  return (ash_module_kind)i;
}

static const char *const specialise_text[ASH_SPECIALISE_COUNT] = {
#define X(name, text, help) [ASH_SPECIALISE_##name] = (text),
    ASH_SPECIALISE_MAP(X)
#undef X
};

const char *ash_specialise_text(ash_specialise how) {
  return how < ASH_SPECIALISE_COUNT ? specialise_text[how] : "?";
}

ash_specialise ash_specialise_find(const char *name) {
  unsigned i = 0;
  while (i < ASH_SPECIALISE_COUNT && strcmp(specialise_text[i], name) != 0)
    i++;
  return (ash_specialise)i;
}
