/* am_mcu_apollo.h - of AmbiqSuite, what a port uses: enough to compile it. */
#ifndef AM_MCU_APOLLO_H
#define AM_MCU_APOLLO_H

#include <stdint.h>

enum { AM_HAL_STATUS_SUCCESS, AM_HAL_STATUS_FAIL };
typedef enum { AM_HAL_MSPI_RX, AM_HAL_MSPI_TX } am_hal_mspi_dir_e;
typedef enum {
  AM_HAL_MSPI_TRANS_PIO,
  AM_HAL_MSPI_TRANS_DMA
} am_hal_mspi_trans_e;
typedef void (*am_hal_mspi_callback_t)(void *context, uint32_t status);

typedef struct {
  uint8_t ui8Priority;
  am_hal_mspi_dir_e eDirection;
  uint32_t ui32TransferCount, ui32DeviceAddress, ui32SRAMAddress;
  uint32_t ui32PauseCondition, ui32StatusSetClr;
} am_hal_mspi_dma_transfer_t;

uint32_t am_hal_mspi_nonblocking_transfer(void *handle, void *transfer,
                                          am_hal_mspi_trans_e mode,
                                          am_hal_mspi_callback_t callback,
                                          void *context);

#endif
