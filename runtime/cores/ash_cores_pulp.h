/* ash_cores_pulp.h - the cores of a PULP cluster: PULP-Open, GAP8, GAP9,
 * Siracusa, with the cluster's team functions of PMSIS.
 *
 * The module runs on core 0 of the cluster (pi_cluster_send_task), which also
 * drives the DMA. A fork gives every core of the team one share or none. */
#ifndef ASH_CORES_PULP_H
#define ASH_CORES_PULP_H

#include "ash_cores.h"

/* ctx.cores = &ash_cores_pulp; */
extern const ash_cores ash_cores_pulp;

#endif
