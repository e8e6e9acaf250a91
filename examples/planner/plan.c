/* plan.c - the planner as a library: budgets, rules, a backend of one's own,
 * the plan, the render plan.
 *
 *   example_plan examples/digits/digits.tflite                              */
#include "ashlar/compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A backend needs nothing but a plan function. This one stacks up what it is
 * given and reuses nothing. */
static ash_status stack_up(void *user, ash_ctx *ctx,
                           const ash_plan_request *ask,
                           ash_plan_answer *answer) {
  uint64_t top[ASH_MEMORY_MAX] = {0};
  (void)user, (void)ctx;
  for (uint32_t i = 0; i < ask->slot_count; i++) {
    ash_slot *s = &answer->slots[i];
    if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID)
      continue;
    const uint32_t m = ask->memory[i] == ASH_NO_MEMORY
                           ? ask->device->default_memory
                           : ask->memory[i];
    top[m] = (top[m] + s->alignment - 1) / s->alignment * s->alignment;
    s->bound = true;
    s->binding.memory = ask->memories[m].memory;
    s->binding.offset = top[m];
    top[m] += s->size;
  }
  return ASH_OK;
}

static const ash_planner stacker = {.abi = ASH_PLANNER_ABI,
                                    .name = "stack",
                                    .help = "no reuse",
                                    .plan = stack_up};

static void print_plan(const ash_plan *p, const ash_render_plan *r) {
  printf("%s by %s: %s, plan %s, layout %s\n", p->model, p->planner,
         ash_verdict_text(p->verdict), r->plan_hash, r->tensor_layout_hash);
  for (uint32_t i = 0; i < r->arena_count; i++)
    printf("  region %" PRIu32 ": %s in %s%s, %" PRIu64 " bytes\n",
           r->all_arenas[i].region_id, r->all_arenas[i].role,
           r->all_arenas[i].memory,
           r->all_arenas[i].is_staged ? " (staged)" : "",
           r->all_arenas[i].size);
}

static ash_status plan_with(ash_ctx *ctx, const ash_graph *g,
                            const ash_device *device, const ash_rules *rules,
                            const char *planner) {
  const ash_memory_constraint budget = {"DTCM", 64 * 1024};
  const ash_plan_options options = {.struct_bytes = sizeof options,
                                    .planner = planner,
                                    .rules = rules,
                                    .constraints = &budget,
                                    .constraint_count = 1};
  const ash_plan *plan;
  const ash_render_plan *render;
  ash_status status = ash_plan_model(ctx, &plan, g, device, &options);
  if (status == ASH_OK)
    status = ash_check_plan(ctx, plan, g, device);
  if (status == ASH_OK)
    status = ash_build_render_plan(ctx, &render, plan, g, "example");
  if (status == ASH_OK)
    print_plan(plan, render);
  return status;
}

static ash_status show(ash_ctx *ctx, ash_graph **g, const char *path) {
  const ash_device *device;
  ash_rules *rules;
  ash_constraints constraints;
  const ash_planner *p;
  ash_status status = ash_load_model(ctx, g, path);
  if (status == ASH_OK)
    status = ash_lower(ctx, *g);
  if (status == ASH_OK)
    status = ash_device_load(ctx, &device, "apollo510");
  if (status == ASH_OK)
    status = ash_rules_new(ctx, &rules);
  if (status == ASH_OK)
    status = ash_rules_add(ctx, rules,
                           "type=constant constant_destination_memory=DTCM");
  if (status == ASH_OK)
    status = ash_fill_tensor_constraints(ctx, &constraints, *g, device, rules);
  if (status == ASH_OK)
    status = ash_register_planner(ctx, &stacker);
  for (size_t i = 0; status == ASH_OK && (p = ash_planner_at(ctx, i)); i++)
    status = plan_with(ctx, *g, device, rules, p->name);
  return status;
}

int main(int argc, char **argv) {
  ash_ctx *ctx;
  ash_graph *g = NULL;
  char text[512];
  size_t count;
  if (argc != 2 || ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 64;
  const ash_status status = show(ctx, &g, argv[1]);
  const ash_diag *said = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; i < count; i++) {
    (void)ash_diag_format(text, sizeof text, &said[i]);
    fprintf(stderr, "%s\n", text);
  }
  ash_graph_free(g);
  ash_ctx_free(ctx);
  return status == ASH_OK ? 0 : 1;
}
