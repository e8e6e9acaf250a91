/* ash_dma_snitch.h - iDMA of a Snitch cluster through the Snitch runtime
 * (snrt_dma_start_2d). The core that has the engine runs the module; transfers
 * are done in order. `ranks: [1, 2]` in the device file. */
#ifndef ASH_DMA_SNITCH_H
#define ASH_DMA_SNITCH_H

#include "ash_dma.h"

/* ctx.dma = &ash_dma_snitch; */
extern const ash_dma ash_dma_snitch;

#endif
