/* ash_dma_host.c - see ash_dma_host.h. */
#define _POSIX_C_SOURCE 200809L
#include "ash_dma_host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#define UNCHECKED __attribute__((no_sanitize_address, noinline))
#else
#define UNCHECKED
#endif

enum { ENGINES = 32, POISON = 0xA5 };

typedef struct transfer {
  ash_dma_job job;
  uint64_t sum; /* of the source, when it began */
  pthread_t thread;
  struct transfer *next; /* of the same future */
} transfer;

/* Futures are numbers that are never used twice; those in flight are a list. */
typedef struct future {
  uint32_t number;
  transfer *transfers;
  struct future *next;
} future;

struct ash_dma_host {
  ash_dma port;
  ash_dma_host_kind kind;
  uint32_t newest;
  future *flying;
  uint64_t bytes, jobs;
  uint32_t ranks[ENGINES];
  uint64_t limit[ENGINES];
  char error[160];
};

static void complain(ash_dma_host *h, const char *what) {
  if (!h->error[0])
    (void)snprintf(h->error, sizeof h->error, "transfer %llu: %s",
                   (unsigned long long)h->jobs, what);
}

/* ---- bytes --------------------------------------------------------------- */

/* Byte by byte, so that no checked function of the C library is called. The
 * sources are volatile so that the compiler does not call it either. */
UNCHECKED void ash_dma_host_copy(void *to, const void *from, size_t count) {
  volatile unsigned char *d = to;
  const volatile unsigned char *s = from;
  for (size_t i = 0; i < count; i++)
    d[i] = s[i];
}

UNCHECKED static void fill(void *to, size_t count) {
  volatile unsigned char *d = to;
  for (size_t i = 0; i < count; i++)
    d[i] = POISON;
}

UNCHECKED static uint64_t sum_of(const void *from, size_t count, uint64_t sum) {
  const volatile unsigned char *s = from;
  for (size_t i = 0; i < count; i++)
    sum = (sum ^ s[i]) * 1099511628211u;
  return sum;
}

void ash_dma_host_hide(const void *bytes, size_t count, int hidden) {
#ifdef WITH_ASAN
  if (hidden)
    __asan_poison_memory_region(bytes, count);
  else
    __asan_unpoison_memory_region(bytes, count);
#else
  (void)bytes, (void)count, (void)hidden;
#endif
}

/* ---- rows ---------------------------------------------------------------- */

static uint8_t *to_row(const ash_dma_job *j, uint32_t p, uint32_t r) {
  return j->to + (size_t)p * j->to_plane + (size_t)r * j->to_row;
}

static const uint8_t *from_row(const ash_dma_job *j, uint32_t p, uint32_t r) {
  return j->from + (size_t)p * j->from_plane + (size_t)r * j->from_row;
}

#define EACH_ROW(j, p, r)                                                      \
  for (uint32_t p = 0; p < (j)->planes; p++)                                   \
    for (uint32_t r = 0; r < (j)->rows; r++)

static void copy_rows(const ash_dma_job *j) {
  EACH_ROW(j, p, r)
  ash_dma_host_copy(to_row(j, p, r), from_row(j, p, r), j->bytes);
}

static uint64_t sum_rows(const ash_dma_job *j) {
  uint64_t sum = 14695981039346656037u;
  EACH_ROW(j, p, r)
  sum = sum_of(from_row(j, p, r), j->bytes, sum);
  return sum;
}

/* First and last byte of one side. */
typedef struct range {
  const uint8_t *first, *last;
} range;

static range range_of(const ash_dma_job *j, int to) {
  if (to)
    return (range){j->to, to_row(j, j->planes - 1, j->rows - 1) + j->bytes - 1};
  return (range){j->from,
                 from_row(j, j->planes - 1, j->rows - 1) + j->bytes - 1};
}

/* Do two sides share a byte? Exact, row by row, only where ranges meet. */
static int meet(const ash_dma_job *a, int a_to, const ash_dma_job *b,
                int b_to) {
  const range x = range_of(a, a_to), y = range_of(b, b_to);
  if (x.last < y.first || y.last < x.first)
    return 0;
  EACH_ROW(a, p, r) {
    const uint8_t *s = a_to ? to_row(a, p, r) : from_row(a, p, r);
    if (y.last < s || s + a->bytes <= y.first)
      continue;
    EACH_ROW(b, q, t) {
      const uint8_t *u = b_to ? to_row(b, q, t) : from_row(b, q, t);
      if (s < u + b->bytes && u < s + a->bytes)
        return 1;
    }
  }
  return 0;
}

/* ---- checks -------------------------------------------------------------- */

static void check_engine(ash_dma_host *h, const ash_dma_job *j) {
  const uint32_t rank = j->planes > 1 ? 3 : j->rows > 1 ? 2 : 1;
  const uint64_t bytes = (uint64_t)j->bytes * j->rows * j->planes;
  if (j->engine >= ENGINES || bytes == 0) {
    complain(h, "no such engine, or nothing to move");
    return;
  }
  const uint32_t ranks = h->ranks[j->engine];
  if (ranks && !(ranks >> rank)) /* a higher rank does a lower one's work */
    complain(h, "the engine makes no transfers of that rank");
  if (h->limit[j->engine] && bytes > h->limit[j->engine])
    complain(h, "longer than the engine's longest transfer");
}

/* Nothing in flight may write where this one reads or writes, or read where it
 * writes: engines do not promise any order. */
static void check_flying(ash_dma_host *h, const ash_dma_job *j) {
  for (const future *f = h->flying; f; f = f->next)
    for (const transfer *t = f->transfers; t; t = t->next) {
      if (meet(&t->job, 1, j, 0))
        complain(h, "reads what another transfer still writes");
      if (meet(&t->job, 1, j, 1))
        complain(h, "writes what another transfer still writes");
      if (meet(&t->job, 0, j, 1))
        complain(h, "writes what another transfer still reads");
    }
}

/* ---- the three ways ------------------------------------------------------ */

static void *run_thread(void *user) {
  copy_rows(&((const transfer *)user)->job);
  return NULL;
}

static void poison_rows(const ash_dma_job *j, int poisoned) {
  EACH_ROW(j, p, r) {
    if (poisoned)
      fill(to_row(j, p, r), j->bytes);
    ash_dma_host_hide(to_row(j, p, r), j->bytes, poisoned);
  }
}

static int begin(ash_dma_host *h, transfer *t) {
  if (h->kind == ASH_DMA_THREAD)
    return pthread_create(&t->thread, NULL, run_thread, t) == 0;
  t->sum = sum_rows(&t->job);
  poison_rows(&t->job, 1);
  return 1;
}

static void finish(ash_dma_host *h, transfer *t) {
  if (h->kind == ASH_DMA_THREAD) {
    (void)pthread_join(t->thread, NULL);
    return;
  }
  if (sum_rows(&t->job) != t->sum)
    complain(h, "its source changed before it was awaited");
  poison_rows(&t->job, 0);
  copy_rows(&t->job);
}

/* ---- the port ------------------------------------------------------------ */

static future **find(ash_dma_host *h, uint32_t number) {
  future **at = &h->flying;
  while (*at && (*at)->number != number)
    at = &(*at)->next;
  return at;
}

static future *open_future(ash_dma_host *h, uint32_t number) {
  future *f = number ? *find(h, number) : NULL;
  if (number && !f)
    complain(h, "joins a future that was awaited already");
  if (!f && (f = calloc(1, sizeof *f)) != NULL) {
    f->number = ++h->newest;
    f->next = h->flying;
    h->flying = f;
  }
  return f;
}

static uint32_t start(void *user, const ash_dma_job *job, uint32_t number) {
  ash_dma_host *h = user;
  h->jobs++;
  h->bytes += (uint64_t)job->bytes * job->rows * job->planes;
  check_engine(h, job);
  if (h->kind == ASH_DMA_IMMEDIATE) {
    copy_rows(job);
    return 0;
  }
  check_flying(h, job);
  transfer *t = calloc(1, sizeof *t);
  future *f = t ? open_future(h, number) : NULL;
  if (t)
    t->job = *job;
  if (!f || !begin(h, t)) {
    complain(h, "out of memory or threads");
    free(t);
    return number;
  }
  t->next = f->transfers;
  f->transfers = t;
  return f->number;
}

static void wait(void *user, uint32_t number) {
  ash_dma_host *h = user;
  future **at = find(h, number);
  future *f = *at;
  if (!f) {
    complain(h, "a future was awaited that is not in flight");
    return;
  }
  *at = f->next;
  while (f->transfers) {
    transfer *t = f->transfers;
    f->transfers = t->next;
    finish(h, t);
    free(t);
  }
  free(f);
}

ash_dma_host *ash_dma_host_new(ash_dma_host_kind kind) {
  ash_dma_host *h = calloc(1, sizeof *h);
  if (h) {
    h->kind = kind;
    h->port = (ash_dma){start, wait, h};
  }
  return h;
}

const ash_dma *ash_dma_host_port(const ash_dma_host *h) {
  return &h->port;
}

void ash_dma_host_limit(ash_dma_host *h, uint32_t engine, uint32_t ranks,
                        uint64_t limit) {
  if (engine < ENGINES) {
    h->ranks[engine] = ranks;
    h->limit[engine] = limit;
  }
}

const char *ash_dma_host_error(const ash_dma_host *h, int finished) {
  if (h->error[0])
    return h->error;
  return finished && h->flying ? "a transfer was never awaited" : NULL;
}

uint64_t ash_dma_host_bytes(const ash_dma_host *h) {
  return h->bytes;
}

uint64_t ash_dma_host_jobs(const ash_dma_host *h) {
  return h->jobs;
}

void ash_dma_host_drop(ash_dma_host *h) {
  while (h && h->flying)
    wait(h, h->flying->number);
  free(h);
}
