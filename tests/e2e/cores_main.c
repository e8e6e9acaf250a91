/* cores_main.c - every port runs every share once, more than there are cores
 * too, round after round; built with PORT_threads, PORT_bare or PORT_pulp. */
#include "ash_cores.h"

#include <pthread.h>
#include <stdio.h>

enum { SHARES = 13, ROUNDS = 200 };

typedef struct job {
  int *made;
  int step;
} job;

static void share(const void *argument, uint32_t core) {
  const job *j = (const job *)argument;
  j->made[core] += j->step;
}

#ifdef PORT_threads
#include "ash_cores_threads.h"
static ash_cores_threads threads;
static const ash_cores port = {ash_cores_threads_run, &threads};
static int start(void) {
  return ash_cores_threads_start(&threads, 4);
}
static void stop(void) {
  ash_cores_threads_stop(&threads);
}
#elif defined PORT_bare
#include "ash_cores_bare.h"
static ash_cores_bare bare = {.count = 4};
static const ash_cores port = {ash_cores_bare_run, &bare};
static void *serve(void *core) {
  ash_cores_bare_serve(&bare, (uint32_t)(uintptr_t)core);
  return 0;
}
static int start(void) { /* they never end, as cores do not */
  pthread_t thread;
  int status = 0;
  for (uintptr_t core = 1; core < 4; core++)
    status |= pthread_create(&thread, 0, serve, (void *)core) ||
              pthread_detach(thread);
  return status;
}
static void stop(void) {}
#else
#include "ash_cores_pulp.h"
#define port ash_cores_pulp
static int start(void) {
  return 0;
}
static void stop(void) {}
#endif

int main(void) {
  int made[SHARES] = {0}, want[SHARES] = {0};
  if (start())
    return 2;
  for (int round = 1; round <= ROUNDS; round++) {
    const uint32_t count = (uint32_t)(round % SHARES) + 1;
    const job j = {made, round};
    port.run(port.user, share, &j, count);
    for (uint32_t k = 0; k < SHARES; k++) {
      want[k] += k < count ? round : 0;
      if (made[k] != want[k])
        return 1;
    }
  }
  stop();
  puts("right");
  return 0;
}
