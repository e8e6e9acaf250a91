/* team.c - PMSIS's team on a host: one core after the other, each of them
 * counted. */
#include "pmsis.h"

static uint32_t core;

uint32_t pi_core_id(void) {
  return core;
}

uint32_t pi_cl_cluster_nb_cores(void) {
  return 8;
}

void pi_cl_team_fork(int cores, void (*entry)(void *), void *argument) {
  for (core = 0; core < (uint32_t)cores; core++)
    entry(argument);
}
