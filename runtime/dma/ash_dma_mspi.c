/* ash_dma_mspi.c - see ash_dma_mspi.h. Transfers are done in order: a future is
 * the number of its newest one. */
#include "ash_dma_mspi.h"

#include <am_mcu_apollo.h>

static void at_end(void *user, uint32_t status) {
  ash_dma_mspi *m = (ash_dma_mspi *)user;
  if (status != AM_HAL_STATUS_SUCCESS)
    m->failed++;
  m->ended++;
}

static void start_row(ash_dma_mspi *m, const uint8_t *to, const uint8_t *from,
                      uint32_t bytes) {
  const uint32_t x = (uint32_t)(uintptr_t)to, y = (uint32_t)(uintptr_t)from;
  const int inward = y - m->window < m->window_bytes;
  am_hal_mspi_dma_transfer_t t = {0};
  t.ui8Priority = 1;
  t.eDirection = inward ? AM_HAL_MSPI_RX : AM_HAL_MSPI_TX;
  t.ui32TransferCount = bytes;
  t.ui32DeviceAddress = (inward ? y : x) - m->window;
  t.ui32SRAMAddress = inward ? x : y;
  m->begun++;
  if (am_hal_mspi_nonblocking_transfer(m->handle, &t, AM_HAL_MSPI_TRANS_DMA,
                                       at_end, m) != AM_HAL_STATUS_SUCCESS)
    at_end(m, AM_HAL_STATUS_FAIL);
}

uint32_t ash_dma_mspi_start(void *user, const ash_dma_job *job,
                            uint32_t future) {
  ash_dma_mspi *m = (ash_dma_mspi *)user;
  (void)future; /* older: done with the newest */
  for (uint32_t p = 0; p < job->planes; p++)
    for (uint32_t r = 0; r < job->rows; r++)
      start_row(m, job->to + p * job->to_plane + r * job->to_row,
                job->from + p * job->from_plane + r * job->from_row,
                job->bytes);
  if (m->begun == 0) /* no future has the number 0 */
    ash_dma_mspi_wait(m, 0);
  return m->begun;
}

/* Numbers wrap around. */
void ash_dma_mspi_wait(void *user, uint32_t future) {
  const ash_dma_mspi *m = (const ash_dma_mspi *)user;
  while ((int32_t)(m->ended - future) < 0) {
  }
}
