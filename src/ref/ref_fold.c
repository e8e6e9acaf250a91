/* ref_fold.c - sums and means of quantised values, choices, poses. */
#include "ref/ref_any.h"
#include "ref/ref_fixed.h"

#include <math.h>

/* Which axes are folded. */
typedef struct fold {
  uint32_t axes; /* as bits */
  int64_t count; /* elements that make one result */
} fold;

static fold fold_of(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  fold f = {.axes = ash_op_folded(c->op, in->rank), .count = 1};
  for (uint32_t i = 0; i < in->rank; i++)
    f.count *= f.axes >> i & 1 ? in->dim[i] : 1;
  return f;
}

/* The result that the element at `at` belongs to. */
static uint64_t target(const fold *f, const ash_shape *in, const int32_t *at) {
  uint64_t index = 0;
  for (uint32_t i = 0; i < in->rank; i++)
    if (!(f->axes >> i & 1))
      index = index * (uint64_t)in->dim[i] + (uint64_t)at[i];
  return index;
}

/* The division by the count is part of the factor, which is not normalised
 * again: up to one bit of precision is lost there. */
static ash_ref_factor divide_factor(ash_ref_factor f, int64_t count) {
  int32_t shift = 0;
  while (shift < 62 && count >> (shift + 1) != 0)
    shift++;
  shift = shift < 32 ? shift : 32;
  shift = shift < 31 + f.shift ? shift : 31 + f.shift;
  return (ash_ref_factor){
      (int32_t)(((int64_t)f.multiplier * ((int64_t)1 << shift)) / count),
      f.shift - shift};
}

/* Sums of centred values. */
static ash_status sum_ints(const ash_ref_call *c, const fold *f,
                           int64_t **sums) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const uint64_t results = ash_ref_elements(ash_ref_out(c, 0));
  const uint64_t count = ash_shape_elements(in);
  int32_t at[ASH_RANK_MAX] = {0};
  *sums = ASH_NEW_ARRAY(&c->ctx->scratch, int64_t, (size_t)results + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++, ash_ref_next(in, at)) {
    const int64_t x = ash_ref_get(ash_ref_in(c, 0), ash_ref_read(c, 0), i) -
                      ash_ref_zero_of(ash_ref_in(c, 0));
    int64_t *sum = &(*sums)[target(f, in, at)];
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)x);
  }
  return ASH_OK;
}

ash_status ash_ref_scaled_sum(const ash_ref_call *c) {
  const ash_tensor *out = ash_ref_out(c, 0);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const double ratio = (double)ash_ref_scale_of(ash_ref_in(c, 0)) /
                       (double)ash_ref_scale_of(out);
  const fold f = fold_of(c);
  const bool mean = ash_op_fold(c->op) == ASH_FOLD_MEAN;
  ash_ref_factor factor = ash_ref_factor_of(ratio);
  int64_t *sums;
  ASH_TRY(sum_ints(c, &f, &sums));
  if (out->quant.once)
    factor = ash_ref_factor_once(mean ? ratio / (double)f.count : ratio);
  else if (mean)
    factor = divide_factor(factor, f.count);
  for (uint64_t i = 0; i < ash_ref_elements(out); i++)
    ash_ref_put_int(c, &limits, i,
                    ash_ref_rescale(ash_ref_wrap(sums[i]), factor));
  return ASH_OK;
}

/* ---- choices --------------------------------------------------------------
 */

/* Intersection over union of two boxes, each step rounded to float32. */
static float overlap(const float *a, const float *b, bool centre) {
  float low[2], high[2], area[2], sides[2];
  for (uint32_t d = 0; d < 2; d++) { /* along one axis, then the other */
    float from[2], to[2];
    for (uint32_t k = 0; k < 2; k++) {
      const float *box = k ? b : a;
      const float half = box[2 + d] / 2;
      from[k] = centre ? box[d] - half : fminf(box[d], box[d + 2]);
      to[k] = centre ? box[d] + half : fmaxf(box[d], box[d + 2]);
    }
    low[d] = fmaxf(from[0], from[1]);
    high[d] = fminf(to[0], to[1]);
    for (uint32_t k = 0; k < 2; k++)
      area[k] = d == 0 ? to[k] - from[k] : (to[k] - from[k]) * area[k];
    sides[d] = fmaxf(high[d] - low[d], 0);
  }
  const float both = sides[0] * sides[1];
  return area[0] > 0 && area[1] > 0 ? both / (area[0] + area[1] - both) : 0;
}

/* By the definition: the scores of all that are left, after every choice. */
static ash_status choose(const ash_ref_call *c, const float *boxes,
                         const float *scores, int32_t *places, float *best) {
  const uint64_t n = (uint64_t)ash_ref_in(c, 0)->shape.dim[1];
  const float iou = (float)ash_attr_float(c->op, "iou", 0);
  const float least = (float)ash_attr_float(c->op, "least", 0);
  const double sigma = ash_attr_float(c->op, "sigma", 0);
  const bool centre = ash_attr_int(c->op, "centre", 0) != 0;
  float *now = ASH_NEW_ARRAY(&c->ctx->scratch, float, n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < n; i++)
    now[i] = scores[i] > least ? scores[i] : least;
  for (int64_t k = 0; k < ash_attr_int(c->op, "k", 1); k++) {
    uint64_t next = 0;
    for (uint64_t i = 1; i < n; i++)
      next = now[i] > now[next] ? i : next;
    const bool found = now[next] > least;
    places[k] = found ? (int32_t)next : -1;
    best[k] = found ? now[next] : 0;
    for (uint64_t i = 0; found && i < n; i++) {
      const float v = overlap(&boxes[4 * i], &boxes[4 * next], centre);
      if (i == next || v > iou)
        now[i] = least;
      else if (sigma > 0 && now[i] > least) /* who is out stays out */
        now[i] *= expf((float)(-0.5 / sigma) * v * v);
    }
  }
  return ASH_OK;
}

ash_status ash_ref_non_max_suppression(const ash_ref_call *c) {
  const ash_shape *s = &ash_ref_in(c, 1)->shape;
  const int64_t k = ash_attr_int(c->op, "k", 1);
  const float *boxes = ash_ref_read(c, 0), *scores = ash_ref_read(c, 1);
  int32_t *places = ash_ref_write(c, 0);
  float *best = ash_ref_write(c, 1);
  for (int64_t i = 0; i < (int64_t)s->dim[0] * s->dim[1]; i++)
    ASH_TRY(choose(c, boxes + i / s->dim[1] * 4 * s->dim[2],
                   scores + i * s->dim[2], places + i * k, best + i * k));
  return ASH_OK;
}

/* How likely class i is, if it is i or j. */
static float rather(const float *r, int64_t n, int64_t i, int64_t j) {
  return i < j ? r[i * n + j] : 1 - r[j * n + i];
}

/* Entry of the matrix Q of the quadratic form that is made least. */
static float form(const float *r, int64_t n, int64_t i, int64_t j) {
  float sum = 0;
  if (i != j)
    return -rather(r, n, j, i) * rather(r, n, i, j);
  for (int64_t k = 0; k < n; k++)
    sum += k == i ? 0 : rather(r, n, k, i) * rather(r, n, k, i);
  return sum;
}

/* Q p, and p' Q p. */
static float apply(const float *r, int64_t n, const float *p, float *qp) {
  float pqp = 0;
  for (int64_t i = 0; i < n; i++) {
    qp[i] = 0;
    for (int64_t j = 0; j < n; j++)
      qp[i] += form(r, n, i, j) * p[j];
    pqp += p[i] * qp[i];
  }
  return pqp;
}

/* One sweep over the classes, in float32; true when it was not needed. */
static bool couple(int64_t n, const float *r, float *p, float *qp) {
  float pqp = apply(r, n, p, qp), worst = 0;
  for (int64_t i = 0; i < n; i++)
    worst = fmaxf(worst, fabsf(qp[i] - pqp));
  if (worst < 0.005f / (float)n)
    return true;
  for (int64_t i = 0; i < n; i++) {
    const float own = form(r, n, i, i), d = (pqp - qp[i]) / own;
    p[i] += d;
    pqp = (pqp + d * (d * own + 2 * qp[i])) / (1 + d) / (1 + d);
    for (int64_t j = 0; j < n; j++) {
      qp[j] = (qp[j] + d * form(r, n, i, j)) / (1 + d);
      p[j] /= 1 + d;
    }
  }
  return false;
}

ash_status ash_ref_pairwise_coupling(const ash_ref_call *c) {
  enum { ROUNDS = 100 };
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const int64_t n = out->dim[1];
  const float *pair = ash_ref_read(c, 0);
  float *p = ash_ref_write(c, 0);
  float *r = ASH_NEW_ARRAY(&c->ctx->scratch, float, (size_t)(n * n));
  float *qp = ASH_NEW_ARRAY(&c->ctx->scratch, float, (size_t)n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (int64_t row = 0; row < out->dim[0]; row++, p += n) {
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i + 1; j < n; j++)
        r[i * n + j] = *pair++;
    for (int64_t i = 0; i < n; i++)
      p[i] = 1 / (float)n;
    for (uint32_t round = 0; round < ROUNDS; round++)
      if (couple(n, r, p, qp))
        break;
  }
  return ASH_OK;
}

/* ---- poses ---------------------------------------------------------------
 */

enum { JOINTS = 17, BONES = 16 };

typedef struct person {
  float at[JOINTS][2], score[JOINTS], mean;
} person;

typedef struct pose_maps {
  const float *of[3]; /* joints, offsets, bones */
  int32_t size[2];
  float least, radius;
  person *people;
  uint32_t count;
} pose_maps;

/* The joint nearer to the nose, of joints 1 to 16. */
static const uint32_t inner_joint[] = {0, 0, 0, 1, 2,  0,  0,  5, 6,
                                       7, 8, 5, 6, 11, 12, 13, 14};
/* The bone that ends there. */
static const uint32_t bone_of[] = {0, 0,  2, 1,  3, 4,  10, 5, 11,
                                   6, 12, 7, 13, 8, 14, 9,  15};

static float within_map(float v, int32_t size) {
  return isnan(v) ? 0 : fminf(fmaxf(v, 0), (float)(size - 1));
}

/* Weighted mean of the four pixels around a place. */
static float between(const pose_maps *m, uint32_t map, const float *at,
                     uint32_t channel) {
  static const uint32_t channels[] = {JOINTS, 2 * JOINTS, 4 * BONES};
  float corner[2][2], part[2];
  for (uint32_t y = 0; y < 2; y++)
    for (uint32_t x = 0; x < 2; x++) {
      const float row = y ? ceilf(at[0]) : floorf(at[0]);
      const float column = x ? ceilf(at[1]) : floorf(at[1]);
      const uint64_t pixel =
          (uint64_t)row * (uint64_t)m->size[1] + (uint64_t)column;
      corner[y][x] = m->of[map][pixel * channels[map] + channel];
    }
  for (uint32_t d = 0; d < 2; d++)
    part[d] = at[d] - floorf(at[d]);
  return (1 - part[0]) *
             ((1 - part[1]) * corner[0][0] + part[1] * corner[0][1]) +
         part[0] * ((1 - part[1]) * corner[1][0] + part[1] * corner[1][1]);
}

static void shift_by(const pose_maps *m, uint32_t map, float *at,
                     uint32_t channel, uint32_t apart) {
  const float by[] = {between(m, map, at, channel),
                      between(m, map, at, channel + apart)};
  for (uint32_t d = 0; d < 2; d++)
    at[d] = within_map(at[d] + by[d], m->size[d]);
}

/* From one joint to its neighbour: bones outwards are channels 0 to 31, inwards
 * 32 to 63. */
static void step_to(const pose_maps *m, person *p, uint32_t from, uint32_t to) {
  const bool out = to != 0 && inner_joint[to] == from;
  const uint32_t bone = bone_of[out ? to : from];
  for (uint32_t d = 0; d < 2; d++)
    p->at[to][d] = p->at[from][d];
  shift_by(m, 2, p->at[to], out ? bone : 2 * BONES + bone, BONES);
  for (uint32_t i = 0; i < 5; i++)
    shift_by(m, 1, p->at[to], to, JOINTS);
}

/* Inwards from the root to the nose, then everything else outwards. */
static void walk_skeleton(const pose_maps *m, person *p, uint32_t root) {
  bool known[JOINTS] = {false};
  known[root] = true;
  for (uint32_t k = root; k != 0; k = inner_joint[k]) {
    step_to(m, p, k, inner_joint[k]);
    known[inner_joint[k]] = true;
  }
  for (uint32_t k = 1; k < JOINTS; k++)
    if (!known[k]) /* joints nearer to the nose have lower numbers */
      step_to(m, p, inner_joint[k], k);
  for (uint32_t k = 0; k < JOINTS; k++)
    p->score[k] = (float)(1 / (1 + exp(-(double)between(m, 0, p->at[k], k))));
}

static bool same_place(const pose_maps *m, const float *a, const float *b) {
  const float dy = b[0] - a[0], dx = b[1] - a[1];
  return dy * dy + dx * dx <= m->radius * m->radius;
}

/* The mean of scores that count, added up from the largest. */
static float mean_score(const person *p, const bool *out) {
  bool used[JOINTS] = {false};
  float sum = 0;
  for (uint32_t i = 0; i < JOINTS; i++) {
    uint32_t k = JOINTS;
    for (uint32_t j = 0; j < JOINTS; j++)
      k = !used[j] && (k == JOINTS || p->score[j] > p->score[k]) ? j : k;
    used[k] = true;
    sum += out[k] ? 0 : p->score[k];
  }
  return sum / JOINTS;
}

static void sort_people(pose_maps *m) {
  for (uint32_t i = 1; i < m->count; i++)
    for (uint32_t k = i; k > 0 && m->people[k].mean > m->people[k - 1].mean;
         k--) {
      const person p = m->people[k];
      m->people[k] = m->people[k - 1];
      m->people[k - 1] = p;
    }
}

static bool is_peak(const pose_maps *m, int32_t y, int32_t x, int32_t joint) {
  const float s = m->of[0][(y * m->size[1] + x) * JOINTS + joint];
  for (int32_t i = y - 1; i <= y + 1; i++)
    for (int32_t k = x - 1; k <= x + 1; k++)
      if (i >= 0 && i < m->size[0] && k >= 0 && k < m->size[1] &&
          m->of[0][(i * m->size[1] + k) * JOINTS + joint] > s)
        return false;
  return true;
}

/* A person from the joint at `index`, if it is nobody's yet. */
static void add_person(pose_maps *m, int32_t index) {
  static const bool none[JOINTS] = {false};
  const uint32_t joint = (uint32_t)(index % JOINTS);
  const int32_t pixel = index / JOINTS;
  const float *by = &m->of[1][(int64_t)pixel * 2 * JOINTS];
  person *p = &m->people[m->count];
  const int32_t y = pixel / m->size[1], x = pixel % m->size[1];
  p->at[joint][0] = within_map((float)y + by[joint], m->size[0]);
  p->at[joint][1] = within_map((float)x + by[joint + JOINTS], m->size[1]);
  for (uint32_t i = 0; i < m->count; i++)
    if (same_place(m, p->at[joint], m->people[i].at[joint]))
      return;
  walk_skeleton(m, p, joint);
  p->mean = mean_score(p, none);
  m->count += p->mean >= m->least;
}

static ash_status find_people(const ash_ref_call *c, pose_maps *m, int64_t k) {
  const float logit = (float)ash_attr_float(c->op, "logit", 0);
  const int32_t n = m->size[0] * m->size[1] * JOINTS;
  bool *left = ASH_NEW_ARRAY(&c->ctx->scratch, bool, (size_t)n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (int32_t i = 0; i < n; i++)
    left[i] =
        m->of[0][i] >= logit && is_peak(m, i / JOINTS / m->size[1],
                                        i / JOINTS % m->size[1], i % JOINTS);
  while (m->count < k) {
    int32_t best = -1;
    for (int32_t i = 0; i < n; i++)
      if (left[i] && (best < 0 || m->of[0][i] > m->of[0][best]))
        best = i;
    if (best < 0)
      break;
    left[best] = false;
    add_person(m, best);
  }
  return ASH_OK;
}

/* Joints that a better person has do not count. */
static void score_again(pose_maps *m) {
  sort_people(m);
  for (uint32_t i = 0; i < m->count; i++) {
    bool taken[JOINTS] = {false};
    for (uint32_t j = 0; j < i; j++)
      for (uint32_t k = 0; k < JOINTS; k++)
        taken[k] =
            taken[k] || same_place(m, m->people[i].at[k], m->people[j].at[k]);
    m->people[i].mean = mean_score(&m->people[i], taken);
  }
  sort_people(m);
}

ash_status ash_ref_decode_poses(const ash_ref_call *c) {
  const ash_shape *s = &ash_ref_in(c, 0)->shape;
  const int64_t k = ash_attr_int(c->op, "k", 1);
  float *poses = ash_ref_write(c, 0), *scores = ash_ref_write(c, 1);
  pose_maps m = {
      .of = {ash_ref_read(c, 0), ash_ref_read(c, 1), ash_ref_read(c, 2)},
      .size = {s->dim[1], s->dim[2]},
      .least = (float)ash_attr_float(c->op, "least", 0),
      .radius = (float)ash_attr_float(c->op, "radius", 0),
      .people = ASH_NEW_ARRAY(&c->ctx->scratch, person, (size_t)k + 1)};
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  ASH_TRY(find_people(c, &m, k));
  score_again(&m);
  for (int64_t i = 0; i < k; i++) {
    const bool found = i < m.count && m.people[i].mean >= m.least;
    scores[i] = found ? m.people[i].mean : -1;
    for (uint32_t j = 0; j < JOINTS; j++) {
      float *to = &poses[(i * JOINTS + j) * 3];
      to[0] = found ? m.people[i].at[j][0] : 0;
      to[1] = found ? m.people[i].at[j][1] : 0;
      to[2] = found ? m.people[i].score[j] : 0;
    }
  }
  return ASH_OK;
}

/* Where a pixel's joints are. */
static void point_out(const pose_maps *m, int32_t pixel, float (*at)[2]) {
  const int32_t y = pixel / m->size[1], x = pixel % m->size[1];
  for (uint32_t k = 0; k < JOINTS; k++) {
    at[k][0] = (float)y;
    at[k][1] = (float)x;
    for (uint32_t i = 0; i < 3; i++)
      shift_by(m, 1, at[k], k, JOINTS);
  }
}

ash_status ash_ref_pose_masks(const ash_ref_call *c) {
  const ash_shape *s = &ash_ref_out(c, 0)->shape;
  const float *poses = ash_ref_read(c, 0), *scores = ash_ref_read(c, 1);
  const pose_maps m = {.of = {NULL, ash_ref_read(c, 2)},
                       .size = {s->dim[1], s->dim[2]}};
  const int32_t pixels = s->dim[1] * s->dim[2];
  float *masks = ash_ref_write(c, 0);
  for (int32_t pixel = 0; pixel < pixels; pixel++) {
    float at[JOINTS][2], least = INFINITY;
    int32_t owner = -1;
    point_out(&m, pixel, at);
    for (int32_t i = 0; i < s->dim[0]; i++) {
      float sum = 0;
      for (uint32_t k = 0; k < JOINTS; k++) {
        const float *p = &poses[((size_t)i * JOINTS + k) * 3];
        const float dy = at[k][0] - p[0], dx = at[k][1] - p[1];
        sum += dy * dy + dx * dx;
      }
      owner = scores[i] >= 0 && sum < least ? i : owner;
      least = owner == i ? sum : least;
    }
    for (int32_t i = 0; i < s->dim[0]; i++)
      masks[(int64_t)i * pixels + pixel] = i == owner ? 1 : 0;
  }
  return ASH_OK;
}
