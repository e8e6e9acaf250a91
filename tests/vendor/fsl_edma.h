/* fsl_edma.h - of NXP's SDK, what a port uses: enough to compile it. */
#ifndef FSL_EDMA_H
#define FSL_EDMA_H

#include <stdint.h>

typedef struct {
  uint32_t id[16]; /* of the test: the transfer of a channel */
} DMA_Type;

enum { kEDMA_DoneFlag = 1 };
typedef enum { kEDMA_MemoryToMemory } edma_transfer_type_t;

typedef struct {
  uint32_t srcAddr, destAddr, minorLoopBytes, majorLoopCounts;
} edma_transfer_config_t;
typedef struct edma_tcd edma_tcd_t;

void EDMA_PrepareTransfer(edma_transfer_config_t *config, void *srcAddr,
                          uint32_t srcWidth, void *destAddr, uint32_t destWidth,
                          uint32_t bytesEachRequest, uint32_t transferBytes,
                          edma_transfer_type_t type);
void EDMA_SetTransferConfig(DMA_Type *base, uint32_t channel,
                            const edma_transfer_config_t *config,
                            edma_tcd_t *nextTcd);
void EDMA_TriggerChannelStart(DMA_Type *base, uint32_t channel);
uint32_t EDMA_GetChannelStatusFlags(DMA_Type *base, uint32_t channel);
void EDMA_ClearChannelStatusFlags(DMA_Type *base, uint32_t channel,
                                  uint32_t mask);

#endif
