/* pmsis.h - of PMSIS, what ports use: enough to compile them. */
#ifndef PMSIS_H
#define PMSIS_H

#include <stdint.h>

uint32_t pi_core_id(void);
uint32_t pi_cl_cluster_nb_cores(void);
typedef enum { PI_CL_DMA_DIR_LOC2EXT, PI_CL_DMA_DIR_EXT2LOC } pi_cl_dma_dir_e;

typedef struct pi_cl_dma_cmd_s {
  uint32_t id;
} pi_cl_dma_cmd_t;

void pi_cl_dma_cmd(uint32_t ext, uint32_t loc, uint32_t size,
                   pi_cl_dma_dir_e dir, pi_cl_dma_cmd_t *cmd);
/* `size` bytes in rows of `length`, `stride` apart outside. */
void pi_cl_dma_cmd_2d(uint32_t ext, uint32_t loc, uint32_t size,
                      uint32_t stride, uint32_t length, pi_cl_dma_dir_e dir,
                      pi_cl_dma_cmd_t *cmd);
void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t *cmd);

void pi_cl_team_fork(int cores, void (*entry)(void *), void *argument);

#endif
