/* domain_move.c - elements taken at regular steps (strided), and views that had
 * to be copied.
 *
 * Steps in elements become steps along dimensions: each dimension of the output
 * walks along one dimension of the input, or along none (it repeats). */
#include "domain/domain.h"

#include "base/checked.h"
#include "op/functions.h"

typedef struct walks {
  uint32_t rank;               /* of the output                          */
  uint32_t from[ASH_RANK_MAX]; /* by output dimension; ASH_NO_ID: none   */
  int64_t step[ASH_RANK_MAX];  /* likewise                               */
  int64_t begin[ASH_RANK_MAX]; /* by input dimension                     */
} walks;

/* Finds the dimension along which `count` positions at `step` lie. */
static bool find_dimension(walks *w, uint32_t i, const ash_shape *in,
                           int64_t step, int64_t count, uint32_t *used) {
  const int64_t pace = step < 0 ? -step : step;
  int64_t stride = (int64_t)ash_shape_elements(in);
  for (uint32_t d = 0; d < in->rank; d++) {
    stride /= in->dim[d];
    if (in->dim[d] == 1 || pace % stride != 0 || (*used >> d & 1))
      continue;
    const int64_t end = w->begin[d] + (count - 1) * (step / stride);
    if (end < 0 || end >= in->dim[d])
      continue;
    *used |= 1u << d;
    w->from[i] = d;
    w->step[i] = step / stride;
    return true;
  }
  return false;
}

static bool walks_of(walks *w, const ash_graph *g, const ash_op *op) {
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  const ash_shape *out = &ash_op_out(g, op, 0)->shape;
  int64_t offset = ash_attr_int(op, "offset", 0);
  uint32_t used = 0;
  *w = (walks){.rank = out->rank};
  for (uint32_t d = in->rank; d-- > 0; offset /= in->dim[d])
    w->begin[d] = offset % in->dim[d];
  for (uint32_t i = 0; i < out->rank; i++) {
    const int64_t step = ash_op_ints(op, "step", i, 0);
    w->from[i] = ASH_NO_ID;
    w->step[i] = 0;
    if (step != 0 && out->dim[i] > 1 &&
        !find_dimension(w, i, in, step, out->dim[i], &used))
      return false;
  }
  return true;
}

/* ---- space and piece ----------------------------------------------------- */

static uint32_t next_long(const ash_shape *s, uint32_t d) {
  while (d < s->rank && s->dim[d] == 1)
    d++;
  return d;
}

/* Rows of the result that are parts of rows of the input; these stay whole. */
static const char *walk_rows(ash_domain_build *b, const walks *w) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const ash_shape *from = ash_domain_shape(b, in);
  const ash_shape *to = ash_domain_shape(b, out);
  const uint32_t i = next_long(to, 0), d = next_long(from, 0);
  const bool repeats = i < w->rank && w->from[i] == ASH_NO_ID;
  if (i >= w->rank || (!repeats && (w->from[i] != d || w->step[i] < 0)))
    return "rows of the result are no parts of rows of the input";
  const uint32_t axis = ash_domain_axis(b, ash_domain_name(i), to->dim[i]);
  ash_domain_follow(out, i, axis);
  if (!repeats)
    ash_domain_slide(in, d, axis, w->step[i], 1, -w->begin[d]);
  return NULL;
}

/* Dimensions that nothing walks along stay at one position; those that are
 * walked backwards stay whole. */
const char *ash_domain_strided(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const ash_shape *to = ash_domain_shape(b, out);
  bool walked[ASH_RANK_MAX] = {false};
  walks w;
  if (!walks_of(&w, b->g, b->op))
    return "steps do not follow the dimensions of the input";
  if (b->is_for_rows)
    return walk_rows(b, &w);
  for (uint32_t i = 0; i < w.rank; i++) {
    const uint32_t d = w.from[i];
    if (d != ASH_NO_ID)
      walked[d] = true;
    if (d != ASH_NO_ID && w.step[i] < 0)
      continue;
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(i), to->dim[i]);
    ash_domain_follow(out, i, axis);
    if (d != ASH_NO_ID)
      ash_domain_slide(in, d, axis, w.step[i], 1, -w.begin[d]);
  }
  const uint32_t fixed = ash_domain_axis(b, "one", 1);
  for (uint32_t d = 0; d < in->rank; d++)
    if (!walked[d])
      ash_domain_slide(in, d, fixed, 1, 1, -w.begin[d]);
  return NULL;
}

void ash_local_strided(ash_domain_local *l) {
  const ash_box in = ash_local_in(l, 0), out = ash_local_out(l, 0);
  int64_t stride[ASH_RANK_MAX], step[ASH_RANK_MAX] = {0}, offset = 0;
  walks w;
  if (!walks_of(&w, l->g, l->op))
    return;
  for (uint32_t d = in.rank; d-- > 0;)
    stride[d] = d + 1 == in.rank ? 1 : stride[d + 1] * in.size[d + 1];
  for (uint32_t d = 0; d < in.rank; d++)
    offset += (w.begin[d] - in.start[d]) * stride[d];
  for (uint32_t i = 0; i < w.rank; i++)
    if (w.from[i] != ASH_NO_ID) {
      step[i] = w.step[i] * stride[w.from[i]];
      offset += out.start[i] * step[i];
    }
  ash_local_ints(l, "dim", out.size, out.rank);
  ash_local_ints(l, "step", step, out.rank);
  ash_local_int(l, "offset", offset);
}

/* ---- views --------------------------------------------------------------- */

/* The number of dimensions up to the last that is not 1, below `end`. */
static uint32_t last_long(const ash_shape *s, uint32_t end) {
  ASH_ASSERT(end <= s->rank);
  while (end > 0 && s->dim[end - 1] == 1)
    end--;
  return end;
}

/* Dimensions [i, i_end) of the input and [k, k_end) of the output. */
typedef struct middle {
  uint32_t i, i_end, k, k_end;
} middle;

static void follow_same(ash_domain_build *b, uint32_t i, uint32_t k) {
  ASH_ASSERT(ash_domain_shape(b, ash_domain_in(b, 0))->dim[i] ==
             ash_domain_shape(b, ash_domain_out(b, 0))->dim[k]);
  ash_tile_operand *x = ash_domain_in(b, 0), *y = ash_domain_out(b, 0);
  const uint32_t axis =
      ash_domain_axis(b, ash_domain_name(k), ash_domain_shape(b, y)->dim[k]);
  ash_domain_follow(x, i, axis);
  ash_domain_follow(y, k, axis);
}

/* Follows dimensions that are the same, from the front and from the back. */
static middle follow_ends(ash_domain_build *b) {
  const ash_shape *in = ash_domain_shape(b, ash_domain_in(b, 0));
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  middle m = {next_long(in, 0), last_long(in, in->rank), next_long(out, 0),
              last_long(out, out->rank)};
  while (m.i < m.i_end && m.k < m.k_end && in->dim[m.i] == out->dim[m.k]) {
    follow_same(b, m.i, m.k);
    m.i = next_long(in, m.i + 1);
    m.k = next_long(out, m.k + 1);
  }
  while (m.i < m.i_end && m.k < m.k_end &&
         in->dim[m.i_end - 1] == out->dim[m.k_end - 1]) {
    follow_same(b, --m.i_end, --m.k_end);
    m.i_end = last_long(in, m.i_end);
    m.k_end = last_long(out, m.k_end);
  }
  return m;
}

/* The first dimension in which two shapes differ is cut where both have a
 * border. */
const char *ash_domain_view(ash_domain_build *b) {
  ash_tile_operand *x = ash_domain_in(b, 0), *y = ash_domain_out(b, 0);
  const ash_shape *in = ash_domain_shape(b, x), *out = ash_domain_shape(b, y);
  const middle m = follow_ends(b);
  if (m.i >= m.i_end || m.k >= m.k_end)
    return NULL;
  const int64_t from = in->dim[m.i], to = out->dim[m.k];
  const uint32_t axis = ash_domain_axis(b, ash_domain_name(m.k), to);
  ash_domain_follow(y, m.k, axis);
  x->dim[m.i] = (ash_tile_dim){axis, from, from, 0, to};
  b->space->axes[axis].granule =
      to / (int64_t)ash_gcd_u64((uint64_t)from, (uint64_t)to);
  return NULL;
}

/* Between a variable and a value: the piece is neither. */
void ash_local_copy(ash_domain_local *l) {
  ash_local_kind(l, ASH_OP_reshape);
}
