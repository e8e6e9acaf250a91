/* pthread.h - for the browser, which has no threads for us: making one fails,
 * and then the packing search works alone, which it always can. */
#ifndef PLAYGROUND_PTHREAD_H
#define PLAYGROUND_PTHREAD_H

#include <errno.h>

typedef int pthread_t;
typedef int pthread_mutex_t;

static inline int pthread_create(pthread_t *thread, const void *attributes,
                                 void *(*run)(void *), void *user) {
  (void)thread, (void)attributes, (void)run, (void)user;
  return EAGAIN;
}
static inline int pthread_join(pthread_t thread, void **result) {
  (void)thread, (void)result;
  return ESRCH;
}
static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *how) {
  (void)lock, (void)how;
  return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *lock) {
  (void)lock;
  return 0;
}
static inline int pthread_mutex_unlock(pthread_mutex_t *lock) {
  (void)lock;
  return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *lock) {
  (void)lock;
  return 0;
}

#endif
