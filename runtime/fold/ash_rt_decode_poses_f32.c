/* ash_rt_decode_poses_f32.c - people from maps of their joints.
 *
 * The best joint that nobody has yet starts a person; from there the skeleton,
 * a tree, is walked along its bones: a map of offsets says where the other end
 * is, another one corrects the place. Needs no work memory: first joints are
 * found in the order of their scores by looking for the next below the last,
 * and people are sorted where they are. */
#include "ash_rt_choices.h"

#include <math.h>

enum {
  ASH_RT_JOINTS = 17,
  ASH_RT_BONES = 16,
  ASH_RT_CORRECTIONS = 5,
  ASH_RT_POSE = 3 * ASH_RT_JOINTS /* y, x, score of each */
};

typedef struct ash_rt_pose_maps {
  const ash_rt_decode_poses_params *p;
  const float *heat, *offsets, *bones;
} ash_rt_pose_maps;

typedef struct ash_rt_joint {
  float y, x;
} ash_rt_joint;

/* What is no number is at the start. */
static float ash_rt_inside(float v, int32_t size) {
  const float last = (float)(size - 1);
  return !(v > 0.0f) ? 0.0f : v > last ? last : v;
}

/* One channel of a map, between its pixels. */
static float ash_rt_sample(const ash_rt_pose_maps *m, const float *map,
                           int32_t channels, ash_rt_joint at, int32_t c) {
  const int32_t y = (int32_t)at.y, x = (int32_t)at.x;
  const float down = at.y - (float)y, right = at.x - (float)x;
  const ptrdiff_t line = (ptrdiff_t)m->p->width * channels;
  const float *const a = map + y * line + (ptrdiff_t)x * channels + c;
  const float *const b = down > 0.0f ? a + line : a;
  const ptrdiff_t next = right > 0.0f ? channels : 0;
  return (1.0f - down) * ((1.0f - right) * a[0] + right * a[next]) +
         down * ((1.0f - right) * b[0] + right * b[next]);
}

static ash_rt_joint ash_rt_moved(const ash_rt_pose_maps *m, const float *map,
                                 int32_t channels, ash_rt_joint at, int32_t c,
                                 int32_t apart) {
  ash_rt_joint to;
  to.y = ash_rt_inside(at.y + ash_rt_sample(m, map, channels, at, c),
                       m->p->height);
  to.x = ash_rt_inside(at.x + ash_rt_sample(m, map, channels, at, c + apart),
                       m->p->width);
  return to;
}

/* kernel decode_poses_f32 */
/* From the nose outwards: face, left side, right side. */
static const uint8_t ash_rt_bones[ASH_RT_BONES][2] = {
    {0, 1},   {1, 3},   {0, 2}, {2, 4}, {0, 5},  {5, 7},  {7, 9},   {5, 11},
    {11, 13}, {13, 15}, {0, 6}, {6, 8}, {8, 10}, {6, 12}, {12, 14}, {14, 16}};

/* Channels are y and x of all bones outwards, then y and x of all inwards. */
static ash_rt_joint ash_rt_other_end(const ash_rt_pose_maps *m, ash_rt_joint at,
                                     int32_t bone, int32_t joint) {
  const int32_t c = bone >= ASH_RT_BONES ? bone + ASH_RT_BONES : bone;
  at = ash_rt_moved(m, m->bones, 4 * ASH_RT_BONES, at, c, ASH_RT_BONES);
  for (int32_t i = 0; i < ASH_RT_CORRECTIONS; i++)
    at = ash_rt_moved(m, m->offsets, 2 * ASH_RT_JOINTS, at, joint,
                      ASH_RT_JOINTS);
  return at;
}

static void ash_rt_put_joint(const ash_rt_pose_maps *m, ash_rt_joint at,
                             int32_t joint, float *pose) {
  const float s = ash_rt_sample(m, m->heat, ASH_RT_JOINTS, at, joint);
  pose[3 * joint] = at.y;
  pose[3 * joint + 1] = at.x;
  pose[3 * joint + 2] = 1.0f / (1.0f + expf(-s));
}

/* All joints, from one on: bones with one end known, until all are. */
static void ash_rt_walk(const ash_rt_pose_maps *m, ash_rt_joint root,
                        int32_t joint, float *pose) {
  uint32_t known = 1u << joint;
  ash_rt_put_joint(m, root, joint, pose);
  while (known != (1u << ASH_RT_JOINTS) - 1)
    for (int32_t bone = 0; bone < 2 * ASH_RT_BONES; bone++) {
      const int32_t back = bone >= ASH_RT_BONES;
      const uint8_t *const ends = ash_rt_bones[bone % ASH_RT_BONES];
      const int32_t from = ends[back], to = ends[1 - back];
      ash_rt_joint at;
      if (!(known >> from & 1) || known >> to & 1)
        continue;
      at.y = pose[3 * from];
      at.x = pose[3 * from + 1];
      ash_rt_put_joint(m, ash_rt_other_end(m, at, bone, to), to, pose);
      known |= 1u << to;
    }
}

/* The mean score of joints that are not hidden, added from the best on. */
static float ash_rt_pose_score(const float *pose, uint32_t hidden) {
  uint32_t seen = 0;
  float sum = 0.0f;
  for (int32_t i = 0; i < ASH_RT_JOINTS; i++) {
    int32_t best = -1;
    for (int32_t k = 0; k < ASH_RT_JOINTS; k++)
      if (!(seen >> k & 1) &&
          (best < 0 || pose[3 * k + 2] > pose[3 * best + 2]))
        best = k;
    seen |= 1u << best;
    sum += hidden >> best & 1 ? 0.0f : pose[3 * best + 2];
  }
  return sum / (float)ASH_RT_JOINTS;
}

static int ash_rt_is_near(const ash_rt_pose_maps *m, const float *a,
                          const float *b) {
  const float dy = b[0] - a[0], dx = b[1] - a[1];
  return dy * dy + dx * dx <= m->p->radius * m->p->radius;
}

/* No pixel around has a higher score for the same joint. */
static int ash_rt_is_peak(const ash_rt_pose_maps *m, int32_t at) {
  const int32_t joint = at % ASH_RT_JOINTS, pixel = at / ASH_RT_JOINTS;
  const int32_t y = pixel / m->p->width, x = pixel % m->p->width;
  for (int32_t i = y > 0 ? y - 1 : 0; i <= y + 1 && i < m->p->height; i++)
    for (int32_t k = x > 0 ? x - 1 : 0; k <= x + 1 && k < m->p->width; k++)
      if (m->heat[((ptrdiff_t)i * m->p->width + k) * ASH_RT_JOINTS + joint] >
          m->heat[at])
        return 0;
  return 1;
}

/* The best peak after `last`, -1: none is left. Equal ones go by place. */
static int32_t ash_rt_next_peak(const ash_rt_pose_maps *m, int32_t last) {
  const int32_t count = m->p->height * m->p->width * ASH_RT_JOINTS;
  int32_t next = -1;
  for (int32_t i = 0; i < count; i++) {
    const float s = m->heat[i];
    const int after =
        last < 0 || s < m->heat[last] || (s == m->heat[last] && i > last);
    if (s >= m->p->logit && after && (next < 0 || s > m->heat[next]) &&
        ash_rt_is_peak(m, i))
      next = i;
  }
  return next;
}

/* Starts a person unless the joint is one of somebody; the mean score. */
static float ash_rt_decode_pose(const ash_rt_pose_maps *m, int32_t peak,
                                const float *poses, int32_t count,
                                float *pose) {
  const int32_t joint = peak % ASH_RT_JOINTS, pixel = peak / ASH_RT_JOINTS;
  const float *const by = m->offsets + 2 * (ptrdiff_t)pixel * ASH_RT_JOINTS;
  const float y = (float)(pixel / m->p->width);
  const float x = (float)(pixel % m->p->width);
  ash_rt_joint at;
  at.y = ash_rt_inside(y + by[joint], m->p->height);
  at.x = ash_rt_inside(x + by[joint + ASH_RT_JOINTS], m->p->width);
  for (int32_t i = 0; i < count; i++) {
    const float place[] = {at.y, at.x};
    if (ash_rt_is_near(m, place, poses + i * ASH_RT_POSE + 3 * joint))
      return -1.0f;
  }
  ash_rt_walk(m, at, joint, pose);
  return ash_rt_pose_score(pose, 0);
}

/* From the best on; equal ones keep their order. */
static void ash_rt_sort_poses(float *poses, float *scores, int32_t count) {
  for (int32_t i = 1; i < count; i++)
    for (int32_t k = i; k > 0 && scores[k] > scores[k - 1]; k--) {
      float *const a = poses + (k - 1) * ASH_RT_POSE;
      const float score = scores[k];
      scores[k] = scores[k - 1];
      scores[k - 1] = score;
      for (int32_t j = 0; j < ASH_RT_POSE; j++) {
        const float v = a[j];
        a[j] = a[j + ASH_RT_POSE];
        a[j + ASH_RT_POSE] = v;
      }
    }
}

/* Joints where a better person has the same one do not count. */
static uint32_t ash_rt_hidden(const ash_rt_pose_maps *m, const float *poses,
                              int32_t index) {
  uint32_t hidden = 0;
  for (int32_t i = 0; i < index; i++)
    for (int32_t k = 0; k < ASH_RT_JOINTS; k++)
      if (ash_rt_is_near(m, poses + index * ASH_RT_POSE + 3 * k,
                         poses + i * ASH_RT_POSE + 3 * k))
        hidden |= 1u << k;
  return hidden;
}

void ash_rt_decode_poses_f32(const ash_rt_decode_poses_params *p,
                             const float *heat, const float *offsets,
                             const float *bones, float *poses, float *scores) {
  const ash_rt_pose_maps m = {p, heat, offsets, bones};
  int32_t count = 0, peak = -1, left = 0;
  while (count < p->k && (peak = ash_rt_next_peak(&m, peak)) >= 0) {
    scores[count] =
        ash_rt_decode_pose(&m, peak, poses, count, poses + count * ASH_RT_POSE);
    count += scores[count] >= p->least && scores[count] >= 0.0f;
  }
  ash_rt_sort_poses(poses, scores, count);
  for (int32_t i = 0; i < count; i++)
    scores[i] =
        ash_rt_pose_score(poses + i * ASH_RT_POSE, ash_rt_hidden(&m, poses, i));
  ash_rt_sort_poses(poses, scores, count);
  while (left < count && scores[left] >= p->least)
    left++;
  for (int32_t i = left; i < p->k; i++)
    scores[i] = -1.0f;
  for (int32_t i = left * ASH_RT_POSE; i < p->k * ASH_RT_POSE; i++)
    poses[i] = 0.0f;
}

/* kernel pose_masks_f32 */

/* How far the joints that a pixel points to are from those of a person. */
static float ash_rt_apart(const ash_rt_joint *joints, const float *pose) {
  float sum = 0.0f;
  for (int32_t k = 0; k < ASH_RT_JOINTS; k++) {
    const float dy = joints[k].y - pose[3 * k];
    const float dx = joints[k].x - pose[3 * k + 1];
    sum += dy * dy + dx * dx;
  }
  return sum;
}

static int32_t ash_rt_nearest_pose(const ash_rt_decode_poses_params *p,
                                   const ash_rt_joint *joints,
                                   const float *poses, const float *scores) {
  int32_t near = -1;
  float least = 0.0f;
  for (int32_t i = 0; i < p->k && scores[i] >= 0.0f; i++) {
    const float apart = ash_rt_apart(joints, poses + i * ASH_RT_POSE);
    if (near < 0 || apart < least) {
      near = i;
      least = apart;
    }
  }
  return near;
}

void ash_rt_pose_masks_f32(const ash_rt_decode_poses_params *p,
                           const float *poses, const float *scores,
                           const float *offsets, float *masks) {
  const ash_rt_pose_maps m = {p, NULL, offsets, NULL};
  const int32_t pixels = p->height * p->width;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)p->k * pixels; i++)
    masks[i] = 0.0f;
  for (int32_t i = 0; i < pixels; i++) {
    ash_rt_joint joints[ASH_RT_JOINTS];
    for (int32_t k = 0; k < ASH_RT_JOINTS; k++) {
      joints[k].y = (float)(i / p->width);
      joints[k].x = (float)(i % p->width);
      for (int32_t j = 0; j < 3; j++)
        joints[k] = ash_rt_moved(&m, offsets, 2 * ASH_RT_JOINTS, joints[k], k,
                                 ASH_RT_JOINTS);
    }
    const int32_t near = ash_rt_nearest_pose(p, joints, poses, scores);
    if (near >= 0)
      masks[(ptrdiff_t)near * pixels + i] = 1.0f;
  }
}
