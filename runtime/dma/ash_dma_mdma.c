/* ash_dma_mdma.c - see ash_dma_mdma.h. A future is the set of its channels, as
 * bits. */
#include "ash_dma_mdma.h"

static void await(ash_dma_mdma *m, uint32_t channels) {
  for (uint32_t i = 0; i < m->count; i++)
    if ((channels & m->busy & 1u << i) &&
        HAL_MDMA_PollForTransfer(m->channel[i], HAL_MDMA_FULL_TRANSFER,
                                 HAL_MAX_DELAY) != HAL_OK)
      m->failed++;
  m->busy &= ~channels;
}

static uint32_t take_channel(ash_dma_mdma *m) {
  uint32_t i = 0;
  while (i < m->count && (m->busy & 1u << i))
    i++;
  if (i == m->count) { /* its future finds it done */
    i = 0;
    await(m, 1u);
  }
  m->busy |= 1u << i;
  return i;
}

static uint32_t start_plane(ash_dma_mdma *m, const uint8_t *to,
                            const uint8_t *from, const ash_dma_job *job) {
  const uint32_t i = take_channel(m);
  MDMA_HandleTypeDef *h = m->channel[i];
  const int rows = job->rows > 1; /* steps are counted from the end of a row */
  h->Init.SourceBlockAddressOffset =
      rows ? (int32_t)(job->from_row - job->bytes) : 0;
  h->Init.DestBlockAddressOffset =
      rows ? (int32_t)(job->to_row - job->bytes) : 0;
  if (HAL_MDMA_Init(h) != HAL_OK ||
      HAL_MDMA_Start(h, (uint32_t)(uintptr_t)from, (uint32_t)(uintptr_t)to,
                     job->bytes, job->rows) != HAL_OK) {
    m->failed++;
    m->busy &= ~(1u << i);
    return 0;
  }
  return 1u << i;
}

uint32_t ash_dma_mdma_start(void *user, const ash_dma_job *job,
                            uint32_t future) {
  ash_dma_mdma *m = (ash_dma_mdma *)user;
  for (uint32_t p = 0; p < job->planes; p++)
    future |= start_plane(m, job->to + p * job->to_plane,
                          job->from + p * job->from_plane, job);
  return future;
}

void ash_dma_mdma_wait(void *user, uint32_t future) {
  await((ash_dma_mdma *)user, future);
}
