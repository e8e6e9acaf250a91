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

/* At most `k` people with a score of `least` or more; a first joint needs
 * `logit`. Joints nearer than `radius` pixels are one. */
typedef struct ash_rt_decode_poses_params {
  int32_t height, width, k;
  float logit, least, radius;
} ash_rt_decode_poses_params;

/* Maps [height, width, 17], [.., 2 * 17], [.., 4 * 16]; poses [k, 17, 3]: y, x,
 * score, then 0; scores, then -1. */
void ash_rt_decode_poses_f32(const ash_rt_decode_poses_params *p,
                             const float *heat, const float *offsets,
                             const float *bones, float *poses, float *scores);

/* Who each pixel belongs to: [k, height, width], 1 or 0, by offsets to the
 * joints of its person, [height, width, 2 * 17]. */
void ash_rt_pose_masks_f32(const ash_rt_decode_poses_params *p,
                           const float *poses, const float *scores,
                           const float *offsets, float *masks);

/* `work`: classes rows of classes + 1 numbers. */
typedef struct ash_rt_pairwise_coupling_params {
  int32_t rows, classes;
} ash_rt_pairwise_coupling_params;

void ash_rt_pairwise_coupling_f32(const ash_rt_pairwise_coupling_params *p,
                                  const float *pairs, float *out, void *work);

#endif
