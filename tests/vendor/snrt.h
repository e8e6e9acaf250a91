/* snrt.h - of the Snitch runtime, what a port uses: enough to compile it. */
#ifndef SNRT_H
#define SNRT_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t snrt_dma_txid_t;

snrt_dma_txid_t snrt_dma_start_1d(void *dst, const void *src, size_t size);
snrt_dma_txid_t snrt_dma_start_2d(void *dst, const void *src, size_t size,
                                  size_t dst_stride, size_t src_stride,
                                  size_t repeat);
void snrt_dma_wait(snrt_dma_txid_t id);

#endif
