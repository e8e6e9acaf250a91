/* ash_cores.h - what modules ask of several cores, and what a port gives.
 *
 * A module splits an operator, or a piece of it, into shares that touch nothing
 * of each other. It never starts a core itself: it calls the port that the
 * firmware put into the context (ctx->cores), and makes one share after the
 * other where there is none. The file is the same for all modules, so one port
 * serves them all.
 *
 *   static void run(void *user, ash_share *share, const void *argument,
 *                   uint32_t count);
 *   static const ash_cores port = {run, &my_cores};
 *   ctx.cores = &port;
 *
 * The rules between both:
 *   - `run` calls share(argument, core) once for each core below `count`, which
 *     is never more than the number of cores that the module was made for.
 *     Which core calls which is the port's business, and so is the order.
 *   - It returns when all have returned: a barrier. What the module wrote
 *     before `run` is there for every share, and what shares wrote is there
 *     afterwards for whoever called it (on cores with caches that are not
 *     coherent, that is the port's business).
 *   - Shares do not call `run`, nor DMA: one core drives both. */
#ifndef ASH_CORES_H
#define ASH_CORES_H

#include <stdint.h>

typedef void ash_share(const void *argument, uint32_t core);

typedef struct ash_cores {
  void (*run)(void *user, ash_share *share, const void *argument,
              uint32_t count);
  void *user;
} ash_cores;

#endif
