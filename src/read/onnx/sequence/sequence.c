/* sequence.c - see sequence.h. */
#include "read/onnx/sequence/sequence.h"

#include <string.h>

static const ash_ox_bundle *value_of(const ash_ox *m, uint32_t id) {
  const uint32_t index = id - ASH_OX_SEQUENCE;
  ASH_ASSERT(ash_ox_is_sequence(id));
  return index < m->values.count ? &m->values.items[index] : NULL;
}

static uint32_t add_value(ash_ox *m, ash_ox_bundle value) {
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  if (m->values.count == m->values.capacity) {
    const uint32_t capacity = m->values.capacity ? 2 * m->values.capacity : 16;
    ash_ox_bundle *items = ASH_NEW_ARRAY(&m->g->zone, ash_ox_bundle, capacity);
    m->status = ash_zone_check(m->ctx, &m->g->zone);
    if (m->status != ASH_OK)
      return ASH_NO_ID;
    if (m->values.count > 0)
      memcpy(items, m->values.items, m->values.count * sizeof *items);
    m->values.items = items;
    m->values.capacity = capacity;
  }
  m->values.items[m->values.count] = value;
  return ASH_OX_SEQUENCE + m->values.count++;
}

uint32_t ash_ox_sequence(ash_ox *m, const uint32_t *members, uint32_t count) {
  if (m->status == ASH_OK && count > ASH_OX_MEMBERS_MAX)
    ash_ox_refuse(m, "a sequence of more than 4096 tensors");
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++)
    if (members[i] >= m->g->tensor_count)
      ash_ox_refuse(m, "a sequence of sequences or optional values");
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  uint32_t *own = ASH_NEW_ARRAY(&m->g->zone, uint32_t, count + 1u);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  if (m->status == ASH_OK && count > 0)
    memcpy(own, members, count * sizeof *own);
  return add_value(m, (ash_ox_bundle){.members = own, .count = count});
}

const uint32_t *ash_ox_members(ash_ox *m, uint32_t id, uint32_t *count) {
  const ash_ox_bundle *v =
      m->status == ASH_OK && ash_ox_is_sequence(id) ? value_of(m, id) : NULL;
  *count = v && v->members ? v->count : 0;
  if (!v || !v->members)
    ash_ox_bad(m, "an input is no sequence");
  return v ? v->members : NULL;
}

uint32_t ash_ox_nothing(ash_ox *m) {
  return add_value(m, (ash_ox_bundle){0});
}

bool ash_ox_is_nothing(const ash_ox *m, uint32_t id) {
  const ash_ox_bundle *v = ash_ox_is_sequence(id) ? value_of(m, id) : NULL;
  return v && !v->members;
}
