/* ash_rt_choices.h - choices among candidates. */
#ifndef ASH_RT_CHOICES_H
#define ASH_RT_CHOICES_H

#include "ash_rt_types.h"

/* `k` boxes of each class; decay: -1 / 2 sigma, 0: scores stay. */
typedef struct ash_rt_non_max_suppression_params {
  int32_t batches, classes, boxes, k, centre;
  float iou, least, decay;
} ash_rt_non_max_suppression_params;

void ash_rt_non_max_suppression_f32(const ash_rt_non_max_suppression_params *p,
                                    const float *boxes, const float *scores,
                                    int32_t *places, float *best);

/* `work`: classes rows of classes + 1 numbers. */
typedef struct ash_rt_pairwise_coupling_params {
  int32_t rows, classes;
} ash_rt_pairwise_coupling_params;

void ash_rt_pairwise_coupling_f32(const ash_rt_pairwise_coupling_params *p,
                                  const float *pairs, float *out, void *work);

#endif
