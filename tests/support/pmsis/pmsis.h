/* pmsis.h - of PMSIS, what ports use: enough to compile them. */
#ifndef PMSIS_H
#define PMSIS_H

#include <stdint.h>

uint32_t pi_core_id(void);
uint32_t pi_cl_cluster_nb_cores(void);
void pi_cl_team_fork(int cores, void (*entry)(void *), void *argument);

#endif
