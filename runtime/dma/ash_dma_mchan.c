/* ash_dma_mchan.c - see ash_dma_mchan.h. A future is the set of its commands,
 * as bits, so that transfers are added to any of them. */
#include "ash_dma_mchan.h"

static void await(ash_dma_mchan *m, uint32_t commands) {
  for (uint32_t i = 0; i < ASH_DMA_MCHAN_COMMANDS; i++)
    if (commands & m->busy & 1u << i)
      pi_cl_dma_cmd_wait(&m->command[i]);
  m->busy &= ~commands;
}

/* A command that is free; where there is none, the first one is awaited: its
 * future finds it done. */
static uint32_t take_command(ash_dma_mchan *m) {
  uint32_t i = 0;
  while (i < ASH_DMA_MCHAN_COMMANDS && (m->busy & 1u << i))
    i++;
  if (i == ASH_DMA_MCHAN_COMMANDS) {
    i = 0;
    await(m, 1u);
  }
  m->busy |= 1u << i;
  return i;
}

static int is_local(const ash_dma_mchan *m, const void *p) {
  return (uintptr_t)p - (uintptr_t)m->l1 < m->l1_bytes;
}

/* The rows of the local side follow each other. */
static uint32_t start_plane(ash_dma_mchan *m, uint8_t *to, const uint8_t *from,
                            const ash_dma_job *job) {
  const uint32_t i = take_command(m);
  const int inward = is_local(m, to);
  const uint32_t local = (uint32_t)(uintptr_t)(inward ? to : from);
  const uint32_t far = (uint32_t)(uintptr_t)(inward ? from : to);
  const pi_cl_dma_dir_e way =
      inward ? PI_CL_DMA_DIR_EXT2LOC : PI_CL_DMA_DIR_LOC2EXT;
  if (job->rows == 1)
    pi_cl_dma_cmd(far, local, job->bytes, way, &m->command[i]);
  else
    pi_cl_dma_cmd_2d(far, local, job->bytes * job->rows,
                     inward ? job->from_row : job->to_row, job->bytes, way,
                     &m->command[i]);
  return 1u << i;
}

uint32_t ash_dma_mchan_start(void *user, const ash_dma_job *job,
                             uint32_t future) {
  ash_dma_mchan *m = (ash_dma_mchan *)user;
  for (uint32_t p = 0; p < job->planes; p++)
    future |= start_plane(m, job->to + p * job->to_plane,
                          job->from + p * job->from_plane, job);
  return future;
}

void ash_dma_mchan_wait(void *user, uint32_t future) {
  await((ash_dma_mchan *)user, future);
}
