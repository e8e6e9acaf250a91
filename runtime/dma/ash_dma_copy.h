/* ash_dma_copy.h - a port in which the processor copies. */
#ifndef ASH_DMA_COPY_H
#define ASH_DMA_COPY_H

#include "ash_dma.h"

extern const ash_dma ash_dma_copy;

#endif
