/* shared.c - <prefix>_scratch.[ch]: scratch arenas for models that never run at
 * the same time, in each memory as large as the largest of them needs. */
#include "base/checked.h"
#include "emit/module/module.h"
#include "render/render.h"

#include <inttypes.h>
#include <string.h>

/* ---- the envelope -------------------------------------------------------- */

static ash_arena *find_arena(ash_arena *arenas, uint32_t count,
                             const char *memory) {
  ASH_ASSERT(count <= ASH_MEMORY_MAX);
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(arenas[i].memory, memory) == 0)
      return &arenas[i];
  return NULL;
}

static void widen(ash_plan *shared, ash_arena *arenas, const ash_arena *a) {
  ASH_ASSERT(a->role == ASH_SCRATCH && shared->arena_count <= ASH_MEMORY_MAX);
  ash_arena *have = find_arena(arenas, shared->arena_count, a->memory);
  if (!have)
    have = &arenas[shared->arena_count++], *have = *a;
  have->size = a->size > have->size ? a->size : have->size;
  if (a->alignment > have->alignment)
    have->alignment = a->alignment;
}

static void join(ash_plan *shared, ash_arena *arenas,
                 const ash_plan *const *plans, size_t plan_count) {
  for (size_t p = 0; p < plan_count; p++)
    for (uint32_t i = 0; i < plans[p]->arena_count; i++)
      if (plans[p]->arenas[i].role == ASH_SCRATCH)
        widen(shared, arenas, &plans[p]->arenas[i]);
  shared->arenas = arenas;
}

static uint64_t kept_in(const ash_plan *const *plans, size_t plan_count,
                        const char *memory) {
  ASH_ASSERT(memory);
  uint64_t bytes = 0;
  for (size_t p = 0; p < plan_count; p++)
    for (uint32_t i = 0; i < plans[p]->arena_count; i++) {
      const ash_arena *a = &plans[p]->arenas[i];
      if (a->role == ASH_CONSTANT && strcmp(a->source_memory, memory) == 0 &&
          strcmp(a->memory, memory) != 0)
        bytes += a->size; /* the source of a staged arena */
      if (a->role != ASH_SCRATCH && strcmp(a->memory, memory) == 0)
        bytes += ash_align_up(a->size, a->alignment);
    }
  return bytes;
}

static ash_status check_room(ash_module *m, ash_arena *arenas,
                             const ash_plan *const *plans, size_t plan_count) {
  for (uint32_t i = 0; i < m->device->memory_count; i++) {
    const ash_memory *memory = &m->device->memories[i];
    const ash_arena *a = find_arena(arenas, m->plan->arena_count, memory->name);
    const uint64_t need =
        kept_in(plans, plan_count, memory->name) + (a ? a->size : 0);
    const uint64_t room = ash_device_memory_budget(memory);
    if (need > room)
      return ash_fail(m->ctx, ASH_NOFIT, ASH_D_emit_shared_nofit, ASH_NOWHERE,
                      "together the models need %" PRIu64 " bytes of %s on %s, "
                      "which has %" PRIu64 ": %" PRIu64 " bytes short",
                      need, memory->name, m->device->name, room, need - room);
  }
  return ASH_OK;
}

/* ---- the files ----------------------------------------------------------- */

static ash_status write_header(ash_module *m) {
  ASH_ASSERT(m->render->scratch_count == m->render->arena_count);
  ash_text *t = m->text;
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_scratch.h", m->prefix),
                  "arenas of models that never run at the same time");
  ash_text_line(t, "#ifndef %s_SCRATCH_H", m->upper);
  ash_text_line(t, "#define %s_SCRATCH_H", m->upper);
  ash_text_blank(t);
  ash_text_line(t, "#include \"%s_memory.h\"", m->prefix);
  ash_text_blank(t);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    ash_text_line(t, "#define %s_SIZE %" PRIu64 "u", ash_emit_region(m, a),
                  a->size);
    ash_text_line(t, "#define %s_ALIGNMENT %" PRIu64 "u", ash_emit_region(m, a),
                  a->alignment);
    ash_text_line(t, "extern uint8_t %s[%" PRIu64 "];", a->symbol, a->size);
  }
  ash_text_blank(t);
  ash_text_line(t, "#endif");
  return ASH_OK;
}

static ash_status write_source(ash_module *m) {
  ASH_ASSERT(m->render->scratch_count == m->render->arena_count);
  ash_text *t = m->text;
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_scratch.c", m->prefix),
                  "arenas of models that never run at the same time");
  ash_text_line(t, "#include \"%s_scratch.h\"", m->prefix);
  ash_text_blank(t);
  ash_text_line(t, "#if defined(__GNUC__)");
  ash_text_line(t, "#define %s_ALIGN(n) __attribute__((aligned(n)))", m->upper);
  ash_text_line(t, "#else");
  ash_text_line(t, "#define %s_ALIGN(n)", m->upper);
  ash_text_line(t, "#endif");
  ash_text_blank(t);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    const char *memory = ash_emit_upper(m, a->memory);
    ash_text_line(t, "#ifdef %s_PUT_IN_%s", m->upper, memory);
    ash_text_line(t, "%s_PUT_IN_%s uint8_t", m->upper, memory);
    ash_text_line(t, "    %s_ALIGN(%" PRIu64 ") %s[%" PRIu64 "];", m->upper,
                  a->alignment, a->symbol, a->size);
    ash_text_line(t, "#endif");
  }
  return ASH_OK;
}

static ash_status render(ash_module *m, ash_render_plan *r) {
  ASH_ASSERT(m->plan->arena_count <= ASH_MEMORY_MAX);
  ash_render_arena *arenas = ASH_NEW_ARRAY(&m->ctx->scratch, ash_render_arena,
                                           m->plan->arena_count + 1u);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  for (uint32_t i = 0; i < m->plan->arena_count; i++) {
    const ash_arena *a = &m->plan->arenas[i];
    arenas[i] = (ash_render_arena){
        .region_id = i,
        .role = ash_role_text(ASH_SCRATCH),
        .memory = a->memory,
        .source_memory = a->memory,
        .size = a->size ? a->size : 1,
        .alignment = a->alignment,
        .symbol = ash_render_symbol(&m->ctx->scratch, m->prefix, ASH_SCRATCH,
                                    a->memory)};
  }
  *r = (ash_render_plan){.prefix = m->prefix,
                         .all_arenas = arenas,
                         .arena_count = m->plan->arena_count,
                         .scratch_count = m->plan->arena_count};
  m->render = r;
  return ASH_OK;
}

static ash_status emit_shared(ash_module *m) {
  m->upper = ash_emit_upper(m, m->prefix);
  const char *start = m->prefix;
  ASH_TRY(ash_emit_text(m, ash_zone_format(m->zone, "%s_scratch.h", start),
                        write_header));
  ASH_TRY(ash_emit_text(m, ash_zone_format(m->zone, "%s_memory.h", start),
                        ash_emit_memory));
  return ash_emit_text(m, ash_zone_format(m->zone, "%s_scratch.c", start),
                       write_source);
}

ash_status ash_emit_shared_scratch(ash_ctx *ctx, const ash_generated **files,
                                   size_t *file_count,
                                   const ash_plan *const *plans,
                                   size_t plan_count, const ash_device *device,
                                   const char *prefix) {
  ASH_NEED(ctx, ctx && files && file_count && (plans || plan_count == 0) &&
                    device && prefix);
  for (size_t i = 0; i < plan_count; i++)
    ASH_TRY(ash_emit_check_device(ctx, plans[i], device));
  ash_arena arenas[ASH_MEMORY_MAX];
  ash_plan plan = {.model = prefix, .target = device->name};
  ash_render_plan rendered;
  ash_module m = {.ctx = ctx,
                  .zone = &ctx->keep,
                  .plan = &plan,
                  .device = device,
                  .prefix = prefix};
  *files = NULL;
  *file_count = 0;
  if (!ash_text_is_identifier(prefix))
    return ash_fail(ctx, ASH_MISUSE, ASH_D_emit_prefix, ASH_NOWHERE,
                    "the prefix '%s' is not a C identifier", prefix);
  join(&plan, arenas, plans, plan_count);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status = check_room(&m, arenas, plans, plan_count);
  if (status == ASH_OK)
    status = render(&m, &rendered);
  if (status == ASH_OK)
    status = emit_shared(&m);
  ash_zone_rewind(&ctx->scratch, mark);
  *files = m.files.items;
  *file_count = m.files.count;
  return status;
}
