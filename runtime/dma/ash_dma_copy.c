/* ash_dma_copy.c - the port for processors that copy themselves (Cortex-M
 * without a DMA engine, or with one that is busy elsewhere). A module without
 * a port does the same; this file is where a port of your own starts. */
#include "ash_dma_copy.h"

#include <string.h>

static uint32_t start(void *user, const ash_dma_job *job, uint32_t future) {
  (void)user;
  (void)future;
  for (uint32_t p = 0; p < job->planes; p++)
    for (uint32_t r = 0; r < job->rows; r++)
      memcpy(job->to + p * job->to_plane + r * job->to_row,
             job->from + p * job->from_plane + r * job->from_row, job->bytes);
#if defined(__ARM_ARCH)
  __asm__ volatile("dmb" ::: "memory"); /* others may read what was copied */
#endif
  return 0; /* all of it is done */
}

static void wait(void *user, uint32_t future) {
  (void)user;
  (void)future;
}

const ash_dma ash_dma_copy = {start, wait, 0};
