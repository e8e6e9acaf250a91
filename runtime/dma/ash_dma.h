/* ash_dma.h - what tiled modules ask of DMA engines, and what a port gives.
 *
 * A module moves boxes of tensors between memories. It never touches an engine
 * itself: it calls the port that the firmware put into the context (ctx->dma),
 * and copies with the processor where there is none. The file is the same for
 * all modules, so one port serves them all.
 *
 *   static uint32_t start(void *user, const ash_dma_job *job, uint32_t future);
 *   static void wait(void *user, uint32_t future);
 *   static const ash_dma port = {start, wait, &my_engine};
 *   ctx.dma = &port;
 *
 * The rules between both:
 *   - `start` begins a transfer and returns without waiting for it. Until its
 *     future has been awaited, the module neither reads nor writes the bytes it
 *     goes to, and does not write those it comes from.
 *   - Futures are the port's own numbers. Future 0 asks for a new one; any
 * other adds the transfer to that future, which is the one that the newest
 * `start` returned and has not been awaited yet: a port whose engine only adds
 * to its newest channel needs no more. A port that has done all of it already
 * may return 0.
 *   - Every future but 0 is awaited exactly once; `wait` returns when all its
 *     transfers are done. Transfers of different futures are independent of
 *     each other and may be done in any order.
 *   - Where engines are few, `start` may wait for older transfers to make room;
 *     their futures stay valid. */
#ifndef ASH_DMA_H
#define ASH_DMA_H

#include <stdint.h>

/* bytes in a row, rows in a plane, planes. Rank 1: rows and planes are 1; rank
 * 2: planes is 1. Steps are in bytes, from row to row and from plane to plane;
 * the bytes of a row lie side by side. */
typedef struct ash_dma_job {
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes, rows, planes;
  uint32_t to_row, to_plane, from_row, from_plane;
  uint32_t engine; /* its number in the device's description */
} ash_dma_job;

typedef struct ash_dma {
  uint32_t (*start)(void *user, const ash_dma_job *job, uint32_t future);
  void (*wait)(void *user, uint32_t future);
  void *user;
} ash_dma;

#endif
