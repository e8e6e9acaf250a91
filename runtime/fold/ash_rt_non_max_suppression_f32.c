/* ash_rt_non_max_suppression_f32.c - greedy choice of boxes that do not
 * overlap. Needs no work memory: candidates are found in the order of their
 * scores by looking for the next below the last. */
#include "ash_rt_choices.h"

#include <math.h>

typedef struct ash_rt_box {
  float y0, x0, y1, x1;
} ash_rt_box;

static ash_rt_box ash_rt_box_of(const ash_rt_non_max_suppression_params *p,
                                const float *b) {
  ash_rt_box r;
  if (p->centre) {
    r.y0 = b[1] - b[3] / 2.0f;
    r.x0 = b[0] - b[2] / 2.0f;
    r.y1 = b[1] + b[3] / 2.0f;
    r.x1 = b[0] + b[2] / 2.0f;
    return r;
  }
  r.y0 = b[0] < b[2] ? b[0] : b[2];
  r.x0 = b[1] < b[3] ? b[1] : b[3];
  r.y1 = b[0] < b[2] ? b[2] : b[0];
  r.x1 = b[1] < b[3] ? b[3] : b[1];
  return r;
}

/* Intersection over union; 0 where a box is empty. */
static float ash_rt_overlap(const ash_rt_non_max_suppression_params *p,
                            const float *a, const float *b) {
  const ash_rt_box s = ash_rt_box_of(p, a), t = ash_rt_box_of(p, b);
  const float area_s = (s.y1 - s.y0) * (s.x1 - s.x0);
  const float area_t = (t.y1 - t.y0) * (t.x1 - t.x0);
  const float h = (s.y1 < t.y1 ? s.y1 : t.y1) - (s.y0 > t.y0 ? s.y0 : t.y0);
  const float w = (s.x1 < t.x1 ? s.x1 : t.x1) - (s.x0 > t.x0 ? s.x0 : t.x0);
  if (area_s <= 0.0f || area_t <= 0.0f || h <= 0.0f || w <= 0.0f)
    return 0.0f;
  return h * w / (area_s + area_t - h * w);
}

/* What is left of the score of box i beside `count` chosen ones; `least` where
 * it is out. */
static float ash_rt_left(const ash_rt_non_max_suppression_params *p,
                         const float *boxes, float score, int32_t i,
                         const int32_t *places, int32_t count) {
  for (int32_t j = 0; j < count; j++) {
    const float iou = ash_rt_overlap(p, boxes + 4 * (ptrdiff_t)i,
                                     boxes + 4 * (ptrdiff_t)places[j]);
    if (places[j] == i || iou > p->iou)
      return p->least;
    if (p->decay != 0.0f)
      score *= expf(p->decay * iou * iou);
    if (!(score > p->least))
      return p->least;
  }
  return score;
}

/* Scores that never change are looked at once, in their order. */
static int32_t ash_rt_choose(const ash_rt_non_max_suppression_params *p,
                             const float *boxes, const float *scores,
                             int32_t *places, float *best) {
  int32_t count = 0, last = -1;
  while (count < p->k) {
    int32_t next = -1;
    for (int32_t i = 0; i < p->boxes; i++) {
      const float s = scores[i];
      const int after =
          last < 0 || s < scores[last] || (s == scores[last] && i > last);
      if (s > p->least && after && (next < 0 || s > scores[next]))
        next = i;
    }
    if (next < 0)
      return count;
    last = next;
    if (ash_rt_left(p, boxes, scores[next], next, places, count) > p->least) {
      places[count] = next;
      best[count++] = scores[next];
    }
  }
  return count;
}

static int32_t ash_rt_choose_soft(const ash_rt_non_max_suppression_params *p,
                                  const float *boxes, const float *scores,
                                  int32_t *places, float *best) {
  int32_t count = 0;
  while (count < p->k) {
    int32_t next = -1;
    float most = p->least;
    for (int32_t i = 0; i < p->boxes; i++) {
      const float s = scores[i] > most
                          ? ash_rt_left(p, boxes, scores[i], i, places, count)
                          : p->least;
      if (s > most) {
        most = s;
        next = i;
      }
    }
    if (next < 0)
      return count;
    places[count] = next;
    best[count++] = most;
  }
  return count;
}

void ash_rt_non_max_suppression_f32(const ash_rt_non_max_suppression_params *p,
                                    const float *boxes, const float *scores,
                                    int32_t *places, float *best) {
  for (int32_t b = 0; b < p->batches; b++) {
    for (int32_t c = 0; c < p->classes; c++) {
      int32_t count = p->decay != 0.0f
                          ? ash_rt_choose_soft(p, boxes, scores, places, best)
                          : ash_rt_choose(p, boxes, scores, places, best);
      for (; count < p->k; count++) {
        places[count] = -1;
        best[count] = 0.0f;
      }
      scores += p->boxes;
      places += p->k;
      best += p->k;
    }
    boxes += 4 * (ptrdiff_t)p->boxes;
  }
}
