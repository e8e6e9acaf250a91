/* ash_dma_edma.h - eDMA of NXP's i.MX RT, Kinetis and MCX through the SDK
 * (fsl_edma.h): channels with handles, started by software. A request moves one
 * row: `ranks: [1]` in the device file, so that transfers are rows.
 *
 *   static ash_dma_edma edma = {.base = DMA0, .channel = {0, 1}, .count = 2};
 *   static const ash_dma port = {ash_dma_edma_start, ash_dma_edma_wait, &edma};
 */
#ifndef ASH_DMA_EDMA_H
#define ASH_DMA_EDMA_H

#include "ash_dma.h"

#include <fsl_edma.h>

enum { ASH_DMA_EDMA_CHANNELS = 16 };

typedef struct ash_dma_edma {
  DMA_Type *base;
  uint32_t channel[ASH_DMA_EDMA_CHANNELS];
  uint32_t count;
  uint32_t busy; /* bits of `channel` that were not awaited */
} ash_dma_edma;

/* ash_dma.start and ash_dma.wait, `user` being the ash_dma_edma. */
uint32_t ash_dma_edma_start(void *user, const ash_dma_job *job,
                            uint32_t future);
void ash_dma_edma_wait(void *user, uint32_t future);

#endif
