/* ash_cores_pulp.c - see ash_cores_pulp.h. Names of PMSIS: pi_cl_team_fork runs
 * a function on the first cores of the cluster and waits for all of them,
 * pi_core_id says which one runs. */
#include "ash_cores_pulp.h"

#include <pmsis.h>

typedef struct ash_cores_pulp_work {
  ash_share *share;
  const void *argument;
  uint32_t count, team;
} ash_cores_pulp_work;

/* More shares than cores: each makes several. */
static void ash_cores_pulp_entry(void *argument) {
  const ash_cores_pulp_work *w = (const ash_cores_pulp_work *)argument;
  for (uint32_t k = (uint32_t)pi_core_id(); k < w->count; k += w->team)
    w->share(w->argument, k);
}

static void ash_cores_pulp_run(void *user, ash_share *share,
                               const void *argument, uint32_t count) {
  const uint32_t cores = (uint32_t)pi_cl_cluster_nb_cores();
  ash_cores_pulp_work w = {share, argument, count,
                           count < cores ? count : cores};
  (void)user;
  pi_cl_team_fork((int)w.team, ash_cores_pulp_entry, &w);
}

const ash_cores ash_cores_pulp = {ash_cores_pulp_run, 0};
