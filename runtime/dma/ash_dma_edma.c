/* ash_dma_edma.c - see ash_dma_edma.h. A future is the set of its channels, as
 * bits. */
#include "ash_dma_edma.h"

static void await(ash_dma_edma *e, uint32_t channels) {
  for (uint32_t i = 0; i < e->count; i++)
    while ((channels & e->busy & 1u << i) &&
           !(EDMA_GetChannelStatusFlags(e->base, e->channel[i]) &
             (uint32_t)kEDMA_DoneFlag)) {
    }
  e->busy &= ~channels;
}

static uint32_t take_channel(ash_dma_edma *e) {
  uint32_t i = 0;
  while (i < e->count && (e->busy & 1u << i))
    i++;
  if (i == e->count) { /* its future finds it done */
    i = 0;
    await(e, 1u);
  }
  e->busy |= 1u << i;
  return i;
}

/* Widths of four bytes, where both sides and the length allow them. */
static uint32_t width_of(const uint8_t *to, const uint8_t *from,
                         uint32_t bytes) {
  return (((uintptr_t)to | (uintptr_t)from | bytes) & 3u) ? 1u : 4u;
}

static uint32_t start_row(ash_dma_edma *e, uint8_t *to, const uint8_t *from,
                          uint32_t bytes) {
  const uint32_t i = take_channel(e), width = width_of(to, from, bytes);
  edma_transfer_config_t row;
  EDMA_PrepareTransfer(&row, (void *)(uintptr_t)from, width, to, width, bytes,
                       bytes, kEDMA_MemoryToMemory);
  EDMA_ClearChannelStatusFlags(e->base, e->channel[i],
                               (uint32_t)kEDMA_DoneFlag);
  EDMA_SetTransferConfig(e->base, e->channel[i], &row, 0);
  EDMA_TriggerChannelStart(e->base, e->channel[i]);
  return 1u << i;
}

uint32_t ash_dma_edma_start(void *user, const ash_dma_job *job,
                            uint32_t future) {
  ash_dma_edma *e = (ash_dma_edma *)user;
  for (uint32_t p = 0; p < job->planes; p++)
    for (uint32_t r = 0; r < job->rows; r++)
      future |= start_row(e, job->to + p * job->to_plane + r * job->to_row,
                          job->from + p * job->from_plane + r * job->from_row,
                          job->bytes);
  return future;
}

void ash_dma_edma_wait(void *user, uint32_t future) {
  await((ash_dma_edma *)user, future);
}
