/* sequence_ops.c - operators of sequences and optional values. All of them are
 * done while the model is read: their results are tensors in another order. */
#include "read/onnx/sequence/sequence.h"

#include <string.h>

static const uint32_t *members_in(ash_ox *m, uint32_t k, uint32_t *count) {
  return ash_ox_members(m, ash_ox_in_any(m, k), count);
}

/* ---- making and taking apart --------------------------------------------- */

static void read_construct(ash_ox *m) {
  uint32_t *ids = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t,
                                (size_t)m->node->input_count + 1);
  m->status = m->status == ASH_OK ? ash_zone_check(m->ctx, &m->ctx->scratch)
                                  : m->status;
  for (uint32_t k = 0; k < m->node->input_count && m->status == ASH_OK; k++)
    ids[k] = ash_ox_in(m, k);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ox_sequence(m, ids, m->node->input_count));
}

static void read_empty(ash_ox *m) {
  ash_ox_out(m, 0, ash_ox_sequence(m, NULL, 0));
}

static void read_length(ash_ox *m) {
  uint32_t count;
  (void)members_in(m, 0, &count);
  ash_ox_out(m, 0, ash_ox_scalar(m, ASH_INT64, count));
}

/* The position that input k gives, `otherwise` without one; from the end if it
 * is negative, and below `end`. */
static uint32_t position(ash_ox *m, uint32_t k, uint32_t count,
                         uint32_t otherwise, uint32_t end) {
  int64_t at = otherwise;
  if (ash_ox_has(m, k))
    (void)ash_ox_list(m, ash_ox_in(m, k), &at, 1);
  at += at < 0 ? (int64_t)count : 0;
  if (m->status == ASH_OK && (at < 0 || at >= (int64_t)end))
    ash_ox_bad(m, "a position outside the sequence");
  return m->status == ASH_OK ? (uint32_t)at : 0;
}

static void read_at(ash_ox *m) {
  uint32_t count;
  const uint32_t *ids = members_in(m, 0, &count);
  const uint32_t at = position(m, 1, count, 0, count);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ids[at]);
}

static uint32_t *copy_of(ash_ox *m, const uint32_t *ids, uint32_t count) {
  uint32_t *copy = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, count + 1u);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status == ASH_OK && count > 0)
    memcpy(copy, ids, count * sizeof *copy);
  return copy;
}

static void read_insert(ash_ox *m) {
  uint32_t count;
  const uint32_t *ids = members_in(m, 0, &count);
  const uint32_t added = ash_ox_in(m, 1);
  const uint32_t at = position(m, 2, count, count, count + 1);
  uint32_t *now = copy_of(m, ids, count);
  if (m->status != ASH_OK)
    return;
  memmove(now + at + 1, now + at, (count - at) * sizeof *now);
  now[at] = added;
  ash_ox_out(m, 0, ash_ox_sequence(m, now, count + 1));
}

static void read_erase(ash_ox *m) {
  uint32_t count;
  const uint32_t *ids = members_in(m, 0, &count);
  const uint32_t at = position(m, 1, count, count > 0 ? count - 1 : 0, count);
  uint32_t *now = copy_of(m, ids, count);
  if (m->status != ASH_OK)
    return;
  memmove(now + at, now + at + 1, (count - at - 1) * sizeof *now);
  ash_ox_out(m, 0, ash_ox_sequence(m, now, count - 1));
}

/* ---- tensors cut and joined ---------------------------------------------- */

/* Sizes of the parts of an axis of `size`; how many. */
static uint32_t part_sizes(ash_ox *m, int64_t size, int64_t *sizes) {
  int64_t each = 1;
  uint32_t count = 0;
  if (ash_ox_has(m, 1) && ash_ox_rank(m, ash_ox_in(m, 1)) == 1) {
    count = ash_ox_list(m, ash_ox_in(m, 1), sizes, ASH_OX_MEMBERS_MAX);
  } else {
    if (ash_ox_has(m, 1))
      (void)ash_ox_list(m, ash_ox_in(m, 1), &each, 1);
    for (int64_t at = 0; m->status == ASH_OK && at < size &&
                         count < ASH_OX_MEMBERS_MAX && each > 0;
         at += each)
      sizes[count++] = size - at < each ? size - at : each;
  }
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (sizes[i] < 1 || sizes[i] > size)
      ash_ox_refuse(m, "a part without elements");
    sum += sizes[i];
  }
  if (m->status == ASH_OK && sum != size)
    ash_ox_bad(m, "the parts are not the whole");
  return count;
}

static uint32_t without_axis(ash_ox *m, uint32_t x, uint32_t axis) {
  ash_shape s = *ash_ox_shape(m, x);
  if (m->status != ASH_OK || axis >= s.rank)
    return x;
  for (uint32_t d = axis; d + 1 < s.rank; d++)
    s.dim[d] = s.dim[d + 1];
  s.rank--;
  return ash_ox_reshape(m, x, s);
}

static void read_split(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t axis =
      ash_ox_axis(m, ash_ox_int(m, "axis", 0), ash_ox_rank(m, x));
  const bool keep = ash_ox_has(m, 1) || ash_ox_int(m, "keepdims", 1) != 0;
  int64_t *sizes = ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, ASH_OX_MEMBERS_MAX);
  uint32_t *ids = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, ASH_OX_MEMBERS_MAX);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return;
  const uint32_t count = part_sizes(m, ash_ox_dim(m, x, axis), sizes);
  int64_t at = 0;
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++) {
    ids[i] = ash_ox_slice(m, x, axis, at, 1, sizes[i]);
    ids[i] = keep ? ids[i] : without_axis(m, ids[i], axis);
    at += sizes[i];
  }
  ash_ox_out(m, 0, ash_ox_sequence(m, ids, count));
}

static uint32_t with_axis(ash_ox *m, uint32_t x, uint32_t axis) {
  ash_shape s = *ash_ox_shape(m, x);
  if (s.rank == ASH_RANK_MAX) {
    ash_ox_refuse(m, "this rank");
    return x;
  }
  for (uint32_t d = s.rank++; d > axis; d--)
    s.dim[d] = s.dim[d - 1];
  s.dim[axis] = 1;
  return ash_ox_reshape(m, x, s);
}

static void read_concat(ash_ox *m) {
  uint32_t count;
  const uint32_t *ids = members_in(m, 0, &count);
  const bool stack = ash_ox_int(m, "new_axis", 0) != 0;
  if (m->status == ASH_OK && count == 0)
    ash_ox_refuse(m, "a sequence without tensors");
  uint32_t *parts = copy_of(m, ids, count);
  if (m->status != ASH_OK)
    return;
  const uint32_t axis = ash_ox_axis(m, ash_ox_int(m, "axis", 0),
                                    ash_ox_rank(m, ids[0]) + (stack ? 1 : 0));
  for (uint32_t i = 0; i < count && stack && m->status == ASH_OK; i++)
    parts[i] = with_axis(m, ids[i], axis);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ox_join(m, parts, count, axis));
}

/* ---- a graph for each member --------------------------------------------- */

/* Input k of the body in round i: a member, or the tensor itself. */
static uint32_t argument(ash_ox *m, uint32_t k, uint32_t i) {
  const uint32_t id = ash_ox_in_any(m, k);
  uint32_t count;
  if (m->status != ASH_OK || !ash_ox_is_sequence(id))
    return id;
  const uint32_t *ids = ash_ox_members(m, id, &count);
  if (m->status == ASH_OK && i >= count)
    ash_ox_bad(m, "the sequences have different lengths");
  return m->status == ASH_OK ? ids[i] : ASH_NO_ID;
}

static void read_map(ash_ox *m) {
  uint32_t count;
  ash_onnx_graph body;
  (void)members_in(m, 0, &count);
  if (!ash_ox_open_graph(m, "body", &body))
    return;
  if (body.input_count != m->node->input_count ||
      body.output_count < m->node->output_count) {
    ash_ox_bad(m, "the body has another number of inputs or outputs");
    return;
  }
  const uint32_t outputs = m->node->output_count;
  uint32_t *made =
      ASH_NEW_ARRAY(&m->g->zone, uint32_t, (size_t)count * outputs + 1);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++) {
    for (uint32_t k = 0; k < body.input_count; k++)
      ash_ox_bind(m, body.inputs[k].name, argument(m, k, i));
    ash_ox_run_graph(m, &body);
    for (uint32_t k = 0; k < outputs; k++)
      made[k * count + i] = ash_ox_graph_output(m, &body, k);
  }
  for (uint32_t k = 0; k < outputs && m->status == ASH_OK; k++)
    ash_ox_out(m, k, ash_ox_sequence(m, made + (size_t)k * count, count));
}

/* ---- optional values ----------------------------------------------------- */

static void read_optional(ash_ox *m) {
  ash_ox_out(m, 0, ash_ox_has(m, 0) ? ash_ox_in_any(m, 0) : ash_ox_nothing(m));
}

static void read_has_element(ash_ox *m) {
  const bool there =
      ash_ox_has(m, 0) && !ash_ox_is_nothing(m, ash_ox_in_any(m, 0));
  ash_ox_out(m, 0, ash_ox_scalar(m, ASH_BOOL, there));
}

static void read_get_element(ash_ox *m) {
  const uint32_t id = ash_ox_in_any(m, 0);
  if (m->status == ASH_OK && ash_ox_is_nothing(m, id))
    ash_ox_bad(m, "the optional value holds nothing");
  ash_ox_out(m, 0, id);
}

const ash_ox_handler ash_ox_sequences[] = {
    {"SequenceConstruct", read_construct},
    {"SequenceEmpty", read_empty},
    {"SequenceLength", read_length},
    {"SequenceAt", read_at},
    {"SequenceInsert", read_insert},
    {"SequenceErase", read_erase},
    {"SequenceMap", read_map},
    {"SplitToSequence", read_split},
    {"ConcatFromSequence", read_concat},
    {"Optional", read_optional},
    {"OptionalHasElement", read_has_element},
    {"OptionalGetElement", read_get_element},
    {NULL, NULL},
};
