/* ash_cores_bare.h - cores without an operating system that share memory: two
 * Cortex-M33, the harts of a RISC-V, the cores of an RP2040 or RP2350.
 *
 * Core 0 runs the model; every other one calls ash_cores_bare_serve with its
 * number after start-up and never returns. How cores wait and wake each other
 * is the board's: an event (sev, wfe), an interrupt between cores (CLINT,
 * mailbox), or nothing at all: then they poll. Memory must be coherent.
 *
 *   static ash_cores_bare cores = {.count = 2, .wake = wake, .sleep = sleep};
 *   static const ash_cores port = {ash_cores_bare_run, &cores};
 *   core 1: ash_cores_bare_serve(&cores, 1);
 *   core 0: ctx.cores = &port; */
#ifndef ASH_CORES_BARE_H
#define ASH_CORES_BARE_H

#include "ash_cores.h"

enum { ASH_CORES_BARE_MAX = 16 };

typedef struct ash_cores_bare {
  uint32_t count; /* cores, the one that runs the model included             */
  /* Wakes a core that sleeps, or is about to: a wake between its last look and
   * its sleep must not be lost. 0: cores poll. */
  void (*wake)(uint32_t core);
  /* Returns after a wake, or earlier. 0: cores poll. */
  void (*sleep)(uint32_t core);
  ash_share *share;
  const void *argument;
  uint32_t shares;
  uint32_t round;                    /* the newest                     */
  uint32_t go[ASH_CORES_BARE_MAX];   /* by core: its newest            */
  uint32_t done[ASH_CORES_BARE_MAX]; /* .. and the newest that is over */
} ash_cores_bare;

/* ash_cores.run, `user` being the ash_cores_bare; called by core 0. */
void ash_cores_bare_run(void *user, ash_share *share, const void *argument,
                        uint32_t count);
/* What every other core does. */
void ash_cores_bare_serve(ash_cores_bare *c, uint32_t core);

#endif
