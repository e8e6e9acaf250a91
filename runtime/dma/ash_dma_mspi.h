/* ash_dma_mspi.h - the DMA of Ambiq's MSPI (Apollo4, Apollo5) through
 * AmbiqSuite: between internal memory and a device behind the MSPI (PSRAM,
 * flash), whose window of addresses the port turns into the device's own.
 * `ranks: [1]` in the device file. The MSPI is initialised with a queue for its
 * transfers. Bytes and addresses must be multiples of what the device asks for
 * (usually 4): alignment there.
 *
 *   static ash_dma_mspi mspi = {.handle = h, .window = 0x60000000u,
 *                               .window_bytes = 32u << 20};
 *   static const ash_dma port = {ash_dma_mspi_start, ash_dma_mspi_wait, &mspi};
 */
#ifndef ASH_DMA_MSPI_H
#define ASH_DMA_MSPI_H

#include "ash_dma.h"

typedef struct ash_dma_mspi {
  void *handle; /* of am_hal_mspi_initialize */
  uint32_t window, window_bytes;
  uint32_t begun;          /* transfers so far                          */
  volatile uint32_t ended; /* of these, counted by the interrupt        */
  uint32_t failed;         /* transfers that were refused or went wrong */
} ash_dma_mspi;

/* ash_dma.start and ash_dma.wait, `user` being the ash_dma_mspi. */
uint32_t ash_dma_mspi_start(void *user, const ash_dma_job *job,
                            uint32_t future);
void ash_dma_mspi_wait(void *user, uint32_t future);

#endif
