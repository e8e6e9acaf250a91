/* ash_dma_usoc.h - the engine of the SoC model in tests/tools/usoc.c: sixteen
 * transfers of rank 1 and 2 at a time. */
#ifndef ASH_DMA_USOC_H
#define ASH_DMA_USOC_H

#include "ash_dma.h"

extern const ash_dma ash_dma_usoc;

#endif
