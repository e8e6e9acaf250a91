/* stm32h7xx_hal.h - of ST's HAL, what a port uses: enough to compile it. */
#ifndef STM32H7XX_HAL_H
#define STM32H7XX_HAL_H

#include <stdint.h>

typedef enum { HAL_OK, HAL_ERROR, HAL_BUSY, HAL_TIMEOUT } HAL_StatusTypeDef;
typedef enum { HAL_MDMA_FULL_TRANSFER } HAL_MDMA_LevelCompleteTypeDef;
#define HAL_MAX_DELAY 0xFFFFFFFFu

typedef struct {
  int32_t SourceBlockAddressOffset, DestBlockAddressOffset;
} MDMA_InitTypeDef;

typedef struct {
  MDMA_InitTypeDef Init;
  uint32_t id; /* of the test */
} MDMA_HandleTypeDef;

HAL_StatusTypeDef HAL_MDMA_Init(MDMA_HandleTypeDef *h);
HAL_StatusTypeDef HAL_MDMA_Start(MDMA_HandleTypeDef *h, uint32_t source,
                                 uint32_t destination, uint32_t block_length,
                                 uint32_t block_count);
HAL_StatusTypeDef HAL_MDMA_PollForTransfer(MDMA_HandleTypeDef *h,
                                           HAL_MDMA_LevelCompleteTypeDef level,
                                           uint32_t timeout);

#endif
