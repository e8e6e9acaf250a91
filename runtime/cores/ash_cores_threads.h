/* ash_cores_threads.h - cores as POSIX threads: hosts, Linux on Cortex-A, and
 * real-time systems that have them (compile with -pthread). */
#ifndef ASH_CORES_THREADS_H
#define ASH_CORES_THREADS_H

#include "ash_cores.h"

#include <pthread.h>

enum { ASH_CORES_THREADS_MAX = 64 };

/* The caller owns it. */
typedef struct ash_cores_threads {
  pthread_mutex_t lock;
  pthread_cond_t begun, done;
  ash_share *share;
  const void *argument;
  uint32_t count;   /* shares of this round                               */
  uint32_t taken;   /* of these, by now                                   */
  uint32_t running; /* shares that have not returned                      */
  int over;
  uint32_t threads;
  pthread_t thread[ASH_CORES_THREADS_MAX];
} ash_cores_threads;

/* Starts count - 1 threads beside the caller's; 0, or what pthread_create says.
 * Fewer than the module was made for still run all shares. */
int ash_cores_threads_start(ash_cores_threads *t, uint32_t count);
/* Ends them. */
void ash_cores_threads_stop(ash_cores_threads *t);
/* ash_cores.run, `user` being the ash_cores_threads. */
void ash_cores_threads_run(void *user, ash_share *share, const void *argument,
                           uint32_t count);

#endif
