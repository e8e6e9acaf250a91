/* ash_dma_mdma.h - MDMA of the STM32H7 and STM32MP1 through ST's HAL: channels
 * that are initialised for transfers by software request (MDMA_REQUEST_SW,
 * MDMA_REPEAT_BLOCK_TRANSFER, bytes on both sides, both incrementing); the port
 * sets the steps between rows. `ranks: [1, 2]` and `max_transfer: 65536` in the
 * device file: a row has at most 64 KiB, and there are at most 4096. Caches:
 * data that DMA moves belongs into memory that is not cached, or the port's
 * user cleans it.
 *
 *   static ash_dma_mdma mdma = {.channel = {&hmdma0, &hmdma1}, .count = 2};
 *   static const ash_dma port = {ash_dma_mdma_start, ash_dma_mdma_wait, &mdma};
 */
#ifndef ASH_DMA_MDMA_H
#define ASH_DMA_MDMA_H

#include "ash_dma.h"

#include <stm32h7xx_hal.h>

enum { ASH_DMA_MDMA_CHANNELS = 16 };

typedef struct ash_dma_mdma {
  MDMA_HandleTypeDef *channel[ASH_DMA_MDMA_CHANNELS];
  uint32_t count;
  uint32_t busy;   /* bits of channels that were not awaited     */
  uint32_t failed; /* transfers that the HAL refused or gave up  */
} ash_dma_mdma;

/* ash_dma.start and ash_dma.wait, `user` being the ash_dma_mdma. */
uint32_t ash_dma_mdma_start(void *user, const ash_dma_job *job,
                            uint32_t future);
void ash_dma_mdma_wait(void *user, uint32_t future);

#endif
