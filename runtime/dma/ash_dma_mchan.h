/* ash_dma_mchan.h - MCHAN, the cluster DMA of PULP-Open, GAP8, GAP9 and
 * Siracusa, through PMSIS (pi_cl_dma_cmd). Moves between L1 and L2, one or two
 * dimensions: `ranks: [1, 2]` in the device file, `max_transfer: 65535` on
 * GAP8, whose lengths have 16 bits.
 *
 *   static ash_dma_mchan mchan = {.l1 = L1_BASE, .l1_bytes = L1_SIZE};
 *   static const ash_dma port = {ash_dma_mchan_start, ash_dma_mchan_wait,
 *                                &mchan}; */
#ifndef ASH_DMA_MCHAN_H
#define ASH_DMA_MCHAN_H

#include "ash_dma.h"

#include <pmsis.h>

enum { ASH_DMA_MCHAN_COMMANDS = 16 };

typedef struct ash_dma_mchan {
  const void *l1; /* what lies in it is the local side of a transfer */
  uint32_t l1_bytes;
  uint32_t busy; /* bits of commands that were not awaited          */
  pi_cl_dma_cmd_t command[ASH_DMA_MCHAN_COMMANDS];
} ash_dma_mchan;

/* ash_dma.start and ash_dma.wait, `user` being the ash_dma_mchan. */
uint32_t ash_dma_mchan_start(void *user, const ash_dma_job *job,
                             uint32_t future);
void ash_dma_mchan_wait(void *user, uint32_t future);

#endif
