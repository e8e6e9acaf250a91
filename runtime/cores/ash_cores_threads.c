/* ash_cores_threads.c - see ash_cores_threads.h. Whoever is free takes the next
 * share: the threads, and the one that called `run`. */
#include "ash_cores_threads.h"

/* Makes shares as long as there are some; called and left with the lock. */
static void take_shares(ash_cores_threads *t) {
  while (t->taken < t->count) {
    const uint32_t core = t->taken++;
    pthread_mutex_unlock(&t->lock);
    t->share(t->argument, core);
    pthread_mutex_lock(&t->lock);
    if (--t->running == 0)
      pthread_cond_signal(&t->done);
  }
}

static void *serve(void *user) {
  ash_cores_threads *t = (ash_cores_threads *)user;
  pthread_mutex_lock(&t->lock);
  while (!t->over) {
    take_shares(t);
    if (!t->over)
      pthread_cond_wait(&t->begun, &t->lock);
  }
  pthread_mutex_unlock(&t->lock);
  return 0;
}

void ash_cores_threads_run(void *user, ash_share *share, const void *argument,
                           uint32_t count) {
  ash_cores_threads *t = (ash_cores_threads *)user;
  pthread_mutex_lock(&t->lock);
  t->share = share;
  t->argument = argument;
  t->count = t->running = count;
  t->taken = 0;
  pthread_cond_broadcast(&t->begun);
  take_shares(t);
  while (t->running)
    pthread_cond_wait(&t->done, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

int ash_cores_threads_start(ash_cores_threads *t, uint32_t count) {
  int status = 0;
  pthread_mutex_init(&t->lock, 0);
  pthread_cond_init(&t->begun, 0);
  pthread_cond_init(&t->done, 0);
  t->count = t->taken = t->running = t->threads = 0;
  t->over = 0;
  while (!status && t->threads + 1 < count &&
         t->threads < ASH_CORES_THREADS_MAX) {
    status = pthread_create(&t->thread[t->threads], 0, serve, t);
    if (!status)
      t->threads++;
  }
  if (status)
    ash_cores_threads_stop(t);
  return status;
}

void ash_cores_threads_stop(ash_cores_threads *t) {
  pthread_mutex_lock(&t->lock);
  t->over = 1;
  pthread_cond_broadcast(&t->begun);
  pthread_mutex_unlock(&t->lock);
  while (t->threads)
    pthread_join(t->thread[--t->threads], 0);
  pthread_cond_destroy(&t->done);
  pthread_cond_destroy(&t->begun);
  pthread_mutex_destroy(&t->lock);
}
