/* engines.c - the vendors' functions on a host: transfers wait in a queue, and
 * one is done when somebody waits for it or for a later one, not earlier. */
#include "am_mcu_apollo.h"
#include "fsl_edma.h"
#include "pmsis.h"
#include "snrt.h"
#include "stm32h7xx_hal.h"

#include "engines.h"

#include <string.h>

enum { QUEUE = 4096 };

typedef struct transfer {
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes, rows, to_row, from_row;
} transfer;

static transfer queue[QUEUE];
static uint32_t begun = 1, done = 1;
const uint8_t *engines_window; /* of the MSPI */

static void *at(uint32_t address) {
  return (void *)(uintptr_t)address;
}

static uint32_t enqueue(void *to, const void *from, uint32_t bytes,
                        uint32_t rows, uint32_t to_row, uint32_t from_row) {
  queue[begun % QUEUE] = (transfer){
      (uint8_t *)to, (const uint8_t *)from, bytes, rows, to_row, from_row};
  return begun++;
}

static void finish(uint32_t id) {
  for (; done <= id; done++) {
    const transfer *t = &queue[done % QUEUE];
    for (uint32_t r = 0; r < t->rows; r++)
      memcpy(t->to + r * t->to_row, t->from + r * t->from_row, t->bytes);
  }
}

/* ---- PMSIS --------------------------------------------------------------- */

void pi_cl_dma_cmd(uint32_t ext, uint32_t loc, uint32_t size,
                   pi_cl_dma_dir_e dir, pi_cl_dma_cmd_t *cmd) {
  pi_cl_dma_cmd_2d(ext, loc, size, size, size, dir, cmd);
}

void pi_cl_dma_cmd_2d(uint32_t ext, uint32_t loc, uint32_t size,
                      uint32_t stride, uint32_t length, pi_cl_dma_dir_e dir,
                      pi_cl_dma_cmd_t *cmd) {
  cmd->id =
      dir == PI_CL_DMA_DIR_EXT2LOC
          ? enqueue(at(loc), at(ext), length, size / length, length, stride)
          : enqueue(at(ext), at(loc), length, size / length, stride, length);
}

void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t *cmd) {
  finish(cmd->id);
}

/* ---- Snitch -------------------------------------------------------------- */

snrt_dma_txid_t snrt_dma_start_1d(void *dst, const void *src, size_t size) {
  return enqueue(dst, src, (uint32_t)size, 1, 0, 0);
}

snrt_dma_txid_t snrt_dma_start_2d(void *dst, const void *src, size_t size,
                                  size_t dst_stride, size_t src_stride,
                                  size_t repeat) {
  return enqueue(dst, src, (uint32_t)size, (uint32_t)repeat,
                 (uint32_t)dst_stride, (uint32_t)src_stride);
}

void snrt_dma_wait(snrt_dma_txid_t id) {
  finish(id);
}

/* ---- STM32 --------------------------------------------------------------- */

HAL_StatusTypeDef HAL_MDMA_Init(MDMA_HandleTypeDef *h) {
  return h->id >= done ? HAL_BUSY : HAL_OK;
}

HAL_StatusTypeDef HAL_MDMA_Start(MDMA_HandleTypeDef *h, uint32_t source,
                                 uint32_t destination, uint32_t block_length,
                                 uint32_t block_count) {
  h->id = enqueue(at(destination), at(source), block_length, block_count,
                  block_length + (uint32_t)h->Init.DestBlockAddressOffset,
                  block_length + (uint32_t)h->Init.SourceBlockAddressOffset);
  return HAL_OK;
}

HAL_StatusTypeDef HAL_MDMA_PollForTransfer(MDMA_HandleTypeDef *h,
                                           HAL_MDMA_LevelCompleteTypeDef level,
                                           uint32_t timeout) {
  (void)level, (void)timeout;
  finish(h->id);
  return HAL_OK;
}

/* ---- NXP ----------------------------------------------------------------- */

static edma_transfer_config_t configured[16];

void EDMA_PrepareTransfer(edma_transfer_config_t *config, void *srcAddr,
                          uint32_t srcWidth, void *destAddr, uint32_t destWidth,
                          uint32_t bytesEachRequest, uint32_t transferBytes,
                          edma_transfer_type_t type) {
  (void)srcWidth, (void)destWidth, (void)type;
  *config = (edma_transfer_config_t){
      (uint32_t)(uintptr_t)srcAddr, (uint32_t)(uintptr_t)destAddr,
      bytesEachRequest, transferBytes / bytesEachRequest};
}

void EDMA_SetTransferConfig(DMA_Type *base, uint32_t channel,
                            const edma_transfer_config_t *config,
                            edma_tcd_t *nextTcd) {
  (void)base, (void)nextTcd;
  configured[channel] = *config;
}

void EDMA_TriggerChannelStart(DMA_Type *base, uint32_t channel) {
  const edma_transfer_config_t *c = &configured[channel];
  base->id[channel] =
      enqueue(at(c->destAddr), at(c->srcAddr), c->minorLoopBytes, 1, 0, 0);
}

uint32_t EDMA_GetChannelStatusFlags(DMA_Type *base, uint32_t channel) {
  finish(base->id[channel]);
  return kEDMA_DoneFlag;
}

void EDMA_ClearChannelStatusFlags(DMA_Type *base, uint32_t channel,
                                  uint32_t mask) {
  (void)base, (void)channel, (void)mask;
}

/* ---- Ambiq --------------------------------------------------------------- */

/* The one transfer before is over when the next one starts: its interrupt. */
uint32_t am_hal_mspi_nonblocking_transfer(void *handle, void *transfer,
                                          am_hal_mspi_trans_e mode,
                                          am_hal_mspi_callback_t callback,
                                          void *context) {
  const am_hal_mspi_dma_transfer_t *t =
      (const am_hal_mspi_dma_transfer_t *)transfer;
  uint8_t *const device =
      (uint8_t *)(uintptr_t)engines_window + t->ui32DeviceAddress;
  (void)handle;
  if (mode != AM_HAL_MSPI_TRANS_DMA)
    return AM_HAL_STATUS_FAIL;
  finish(t->eDirection == AM_HAL_MSPI_RX
             ? enqueue(at(t->ui32SRAMAddress), device, t->ui32TransferCount, 1,
                       0, 0)
             : enqueue(device, at(t->ui32SRAMAddress), t->ui32TransferCount, 1,
                       0, 0));
  callback(context, AM_HAL_STATUS_SUCCESS);
  return AM_HAL_STATUS_SUCCESS;
}
