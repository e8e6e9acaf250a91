/* registry.c - planner backends by name: the built-in ones, and those that
 * were registered with a context, which die with it. */
#include "plan/planner.h"

#include <string.h>

typedef struct entry {
  const ash_planner *planner;
  struct entry *next; /* in the order of registration */
} entry;

static const ash_planner *const builtin[] = {
    &ash_planner_exact, &ash_planner_greedy, &ash_planner_first_fit,
    &ash_planner_naive,
    /* Deeploy's, for comparison */
    &ash_planner_tetris_random, &ash_planner_tetris_chosen,
    &ash_planner_minimalloc};

const ash_planner *ash_planner_at(const ash_ctx *ctx, size_t index) {
  if (!ctx)
    return NULL;
  if (index < ASH_COUNT_OF(builtin))
    return builtin[index];
  index -= ASH_COUNT_OF(builtin);
  const entry *e = ctx->planners;
  while (e && index-- > 0)
    e = e->next;
  return e ? e->planner : NULL;
}

const ash_planner *ash_find_planner(const ash_ctx *ctx, const char *name) {
  if (!(ctx && name))
    return NULL;
  const ash_planner *p;
  for (size_t i = 0; (p = ash_planner_at(ctx, i)); i++)
    if (strcmp(p->name, name) == 0)
      return p;
  return NULL;
}

bool ash_planner_is_builtin(const ash_planner *planner) {
  ASH_ASSERT(planner != NULL);
  for (size_t i = 0; i < ASH_COUNT_OF(builtin); i++)
    if (builtin[i] == planner)
      return true;
  return false;
}

ash_status ash_planner_check(ash_ctx *ctx, const ash_planner *planner,
                             const char *where, bool named) {
  if (planner->abi != ASH_PLANNER_ABI)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_planner_abi, ASH_NOWHERE,
                    "%s was made for version %u of the planner interface, this "
                    "is version %u",
                    where, (unsigned)planner->abi, (unsigned)ASH_PLANNER_ABI);
  if ((named && (!planner->name || !*planner->name)) || !planner->plan)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_planner_abi, ASH_NOWHERE,
                    "%s has no name or no plan function", where);
  return ASH_OK;
}

ash_status ash_register_planner(ash_ctx *ctx, const ash_planner *planner) {
  ASH_NEED(ctx, ctx && planner);
  ASH_TRY(ash_planner_check(ctx, planner, "a planner to be registered", true));
  if (strchr(planner->name, '/') || strncmp(planner->name, "exec:", 5) == 0)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_planner_abi, ASH_NOWHERE,
                    "'%s' cannot be the name of a planner: it would be taken "
                    "for a file or a program",
                    planner->name);
  if (ash_find_planner(ctx, planner->name))
    return ash_fail(ctx, ASH_MISUSE, ASH_D_planner_taken, ASH_NOWHERE,
                    "there is already a planner called '%s'", planner->name);
  entry *made = ASH_NEW(&ctx->keep, entry);
  if (!made)
    return ash_nomem(ctx);
  made->planner = planner;
  entry *last = ctx->planners;
  while (last && last->next)
    last = last->next;
  if (last)
    last->next = made;
  else
    ctx->planners = made;
  return ASH_OK;
}
