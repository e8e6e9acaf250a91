/* ash_dma_snitch.c - see ash_dma_snitch.h. Numbers of transfers rise, and a
 * transfer is done when all before it are: a future is its newest number, plus
 * one. */
#include "ash_dma_snitch.h"

#include <snrt.h>

static uint32_t ash_dma_snitch_start(void *user, const ash_dma_job *job,
                                     uint32_t future) {
  (void)user;
  for (uint32_t p = 0; p < job->planes; p++) {
    uint8_t *to = job->to + p * job->to_plane;
    const uint8_t *from = job->from + p * job->from_plane;
    future = 1u + (job->rows == 1
                       ? snrt_dma_start_1d(to, from, job->bytes)
                       : snrt_dma_start_2d(to, from, job->bytes, job->to_row,
                                           job->from_row, job->rows));
  }
  return future;
}

static void ash_dma_snitch_wait(void *user, uint32_t future) {
  (void)user;
  snrt_dma_wait(future - 1u);
}

const ash_dma ash_dma_snitch = {ash_dma_snitch_start, ash_dma_snitch_wait, 0};
