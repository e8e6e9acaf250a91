/* ash_dma_host.h - three DMA engines on a host, for tests of tiled modules.
 *
 *   immediate  copies at once;
 *   lazy       copies when the future is awaited, no earlier; until then the
 *              destination is poisoned and the source must not change;
 *   thread     every transfer is a thread of its own: under ThreadSanitizer a
 *              missing wait is a data race whatever the timing.
 *
 * Code that passes all three waits where it must. Every one checks that jobs
 * keep to what the engine can do and that futures are awaited exactly once. */
#ifndef ASH_DMA_HOST_H
#define ASH_DMA_HOST_H

#include "ash_dma.h"

#include <stddef.h>

typedef enum ash_dma_host_kind {
  ASH_DMA_IMMEDIATE,
  ASH_DMA_LAZY,
  ASH_DMA_THREAD,
  ASH_DMA_HOST_KINDS
} ash_dma_host_kind;

typedef struct ash_dma_host ash_dma_host;

/* NULL without memory. */
ash_dma_host *ash_dma_host_new(ash_dma_host_kind kind);
const ash_dma *ash_dma_host_port(const ash_dma_host *h);
/* What engine `engine` refuses: ranks that it lacks (bit r), longer transfers
 * (0: none). Engines nobody described may do everything. */
void ash_dma_host_limit(ash_dma_host *h, uint32_t engine, uint32_t ranks,
                        uint64_t limit);
/* The first thing that was wrong, or NULL; futures nobody awaited count when
 * `finished` is set. */
const char *ash_dma_host_error(const ash_dma_host *h, int finished);
uint64_t ash_dma_host_bytes(const ash_dma_host *h);
uint64_t ash_dma_host_jobs(const ash_dma_host *h);
/* Waits for all that is left, and frees. */
void ash_dma_host_drop(ash_dma_host *h);

/* Bytes that the processor must not reach: AddressSanitizer reports it, engines
 * do (where there is no sanitizer, nothing happens). */
void ash_dma_host_hide(const void *bytes, size_t count, int hidden);
/* Copies that may reach hidden bytes. */
void ash_dma_host_copy(void *to, const void *from, size_t count);

#endif
