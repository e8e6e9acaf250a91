/* ash_dma_usoc.c - see ash_dma_usoc.h. A future is the set of its transfers'
 * numbers, as bits; one that another future has taken over meanwhile is waited
 * for too, which costs time but is never wrong. */
#include "ash_dma_usoc.h"

enum { FROM, TO, BYTES, ROWS, FROM_STEP, TO_STEP, START, BUSY, EACH = 16 };
enum { QUEUE = 16 };

static volatile uint32_t *registers(void) {
  return (volatile uint32_t *)(uintptr_t)0x1A100000u;
}

static void wait(void *user, uint32_t future) {
  volatile uint32_t *dma = registers();
  (void)user;
  for (uint32_t i = 0; i < QUEUE; i++)
    while ((future >> i & 1u) && dma[EACH + i]) {
    }
  __asm__ volatile("fence" ::: "memory");
}

static uint32_t start_plane(const ash_dma_job *job, uint32_t p) {
  volatile uint32_t *dma = registers();
  if (dma[BUSY] == 0xFFFFu)
    wait(0, 1u); /* any one: the queue must have room */
  dma[FROM] = (uint32_t)(uintptr_t)(job->from + p * job->from_plane);
  dma[TO] = (uint32_t)(uintptr_t)(job->to + p * job->to_plane);
  dma[BYTES] = job->bytes;
  dma[ROWS] = job->rows;
  dma[FROM_STEP] = job->from_row;
  dma[TO_STEP] = job->to_row;
  dma[START] = 1;
  return 1u << dma[START];
}

static uint32_t start(void *user, const ash_dma_job *job, uint32_t future) {
  (void)user;
  __asm__ volatile("fence" ::: "memory");
  for (uint32_t p = 0; p < job->planes; p++)
    future |= start_plane(job, p);
  return future;
}

const ash_dma ash_dma_usoc = {start, wait, 0};
