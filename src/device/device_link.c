/* device_link.c - names in a device file into indices: neighbours, the
 * default, compute and constant memories, the order, what a DMA engine
 * reaches; and what follows where a file does not say. */
#include "device/device.h"

#include <string.h>

static ash_status find(ash_device_draft *draft, uint32_t *out,
                       const ash_yaml *node, const char *what, ash_diag_id id) {
  const char *name;
  ASH_TRY(ash_yaml_string(draft->ctx, &name, node, what));
  *out = ash_device_memory_named(draft->device, name);
  if (*out != ASH_NO_MEMORY)
    return ASH_OK;
  const ash_status status =
      ash_fail(draft->ctx, ASH_MALFORMED, id, ash_yaml_loc(node),
               "%s: there is no memory '%.40s'", what, name);
  ash_device_hint_memory(draft->ctx, draft->device, name);
  return status;
}

/* Names are compared without case: they become upper-case in hashes and
 * lower-case in C symbols. */
static ash_status check_unique(ash_device_draft *draft) {
  const ash_device *d = draft->device;
  for (uint32_t i = 1; i < d->memory_count; i++) {
    const uint32_t first = ash_device_memory_named(d, d->memories[i].name);
    if (first == i)
      continue;
    const ash_status status =
        ash_fail(draft->ctx, ASH_MALFORMED, ASH_D_device_duplicate,
                 ash_device_loc(d, d->memories[i].line),
                 "the memory %s is already described in line %u",
                 d->memories[i].name, (unsigned)d->memories[first].line);
    ash_hint(draft->ctx, "names must differ in more than upper and lower case");
    return status;
  }
  return ASH_OK;
}

/* ---- neighbours --------------------------------------------------------- */

static ash_status add_neighbour(ash_device_draft *draft, uint32_t *list,
                                uint32_t self, const ash_yaml *node) {
  ash_memory *m = &draft->memories[self];
  uint32_t other;
  ASH_TRY(find(draft, &other, node, "'neighbours'",
               ASH_D_device_neighbour_unknown));
  for (uint32_t i = 0; i < m->neighbour_count; i++)
    if (list[i] == other)
      return ash_fail(draft->ctx, ASH_MALFORMED, ASH_D_device_repeated,
                      ash_yaml_loc(node), "%s lists its neighbour %s twice",
                      m->name, draft->memories[other].name);
  if (other == self)
    return ash_fail(draft->ctx, ASH_MALFORMED, ASH_D_device_neighbour_self,
                    ash_yaml_loc(node), "%s cannot be its own neighbour",
                    m->name);
  list[m->neighbour_count++] = other;
  return ASH_OK;
}

static ash_status read_neighbours(ash_device_draft *draft, uint32_t self) {
  const ash_yaml *node = ash_yaml_get(draft->memory_nodes[self], "neighbours");
  if (!node)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(draft->ctx, node, "'neighbours'"));
  uint32_t *list =
      ASH_NEW_ARRAY(&draft->ctx->keep, uint32_t, draft->device->memory_count);
  ASH_TRY(ash_zone_check(draft->ctx, &draft->ctx->keep));
  draft->memories[self].neighbours = list;
  for (const ash_yaml_item *i = node->first; i; i = i->next)
    ASH_TRY(add_neighbour(draft, list, self, i->node));
  return ASH_OK;
}

/* A file that names no neighbours describes a flat device: the processor
 * copies between any two memories it reaches. */
static ash_status imply_neighbours(ash_device_draft *draft) {
  const uint32_t count = draft->device->memory_count;
  for (uint32_t a = 0; a < count; a++) {
    ash_memory *m = &draft->memories[a];
    uint32_t *list = ASH_NEW_ARRAY(&draft->ctx->keep, uint32_t, count);
    ASH_TRY(ash_zone_check(draft->ctx, &draft->ctx->keep));
    m->neighbours = list;
    for (uint32_t b = 0; b < count; b++)
      if (a != b && m->reach_cpu && draft->memories[b].reach_cpu)
        list[m->neighbour_count++] = b;
  }
  return ASH_OK;
}

static ash_status link_neighbours(ash_device_draft *draft) {
  bool said = false;
  for (uint32_t i = 0; i < draft->device->memory_count; i++)
    said |= ash_yaml_get(draft->memory_nodes[i], "neighbours") != NULL;
  if (!said)
    return imply_neighbours(draft);
  for (uint32_t i = 0; i < draft->device->memory_count; i++)
    ASH_TRY(read_neighbours(draft, i));
  return ASH_OK;
}

/* ---- roles and order ---------------------------------------------------- */

static ash_status read_role(ash_device_draft *draft, uint32_t *out,
                            const char *key) {
  const ash_yaml *node = ash_yaml_get(draft->root, key);
  *out = ASH_NO_MEMORY;
  if (!node || ash_yaml_is_null(node))
    return ASH_OK;
  return find(draft, out, node, key, ASH_D_device_memory_unknown);
}

static ash_status read_order(ash_device_draft *draft, uint32_t *order,
                             const ash_yaml *list) {
  ash_device *d = draft->device;
  ASH_TRY(ash_yaml_want_list(draft->ctx, list, "'order'"));
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    uint32_t memory;
    ASH_TRY(
        find(draft, &memory, i->node, "'order'", ASH_D_device_memory_unknown));
    for (uint32_t k = 0; k < d->order_count; k++)
      if (order[k] == memory)
        return ash_fail(draft->ctx, ASH_MALFORMED, ASH_D_device_repeated,
                        ash_yaml_loc(i->node), "'order' lists %s twice",
                        d->memories[memory].name);
    order[d->order_count++] = memory;
  }
  return ASH_OK;
}

/* The default first, then what both linker and processor reach, as listed. */
static void imply_order(ash_device *d, uint32_t *order) {
  order[d->order_count++] = d->default_memory;
  for (uint32_t i = 0; i < d->memory_count; i++)
    if (i != d->default_memory && d->memories[i].linkable &&
        d->memories[i].reach_cpu)
      order[d->order_count++] = i;
}

static ash_status link_order(ash_device_draft *draft) {
  ash_device *d = draft->device;
  const ash_yaml *list = ash_yaml_get(draft->root, "order");
  uint32_t *order =
      ASH_NEW_ARRAY(&draft->ctx->keep, uint32_t, d->memory_count + 1);
  ASH_TRY(ash_zone_check(draft->ctx, &draft->ctx->keep));
  d->order = order;
  if (list)
    return read_order(draft, order, list);
  imply_order(d, order);
  return ASH_OK;
}

/* Cold constants: the first nvm of the order, else the default memory. */
static uint32_t imply_constants(const ash_device *d) {
  for (uint32_t i = 0; i < d->order_count; i++)
    if (d->memories[d->order[i]].kind == ASH_MEMORY_NVM)
      return d->order[i];
  return d->default_memory;
}

static ash_status link_roles(ash_device_draft *draft) {
  ash_device *d = draft->device;
  ASH_TRY(read_role(draft, &d->default_memory, "default"));
  ASH_TRY(read_role(draft, &d->compute_memory, "compute"));
  ASH_TRY(read_role(draft, &d->constant_memory, "constants"));
  if (d->default_memory == ASH_NO_MEMORY) {
    const ash_status status =
        ash_fail(draft->ctx, ASH_MALFORMED, ASH_D_device_no_default,
                 ash_yaml_loc(draft->root),
                 "the device does not say which memory is the default");
    ash_hint(draft->ctx, "add 'default: NAME', the memory where tensors live "
                         "unless a rule says otherwise");
    return status;
  }
  ASH_TRY(link_order(draft));
  if (d->constant_memory == ASH_NO_MEMORY)
    d->constant_memory = imply_constants(d);
  return ASH_OK;
}

/* ---- DMA engines -------------------------------------------------------- */

static uint32_t all_for_dma(const ash_device *d) {
  uint32_t memories = 0;
  for (uint32_t i = 0; i < d->memory_count; i++)
    memories |= d->memories[i].reach_dma ? 1u << i : 0;
  return memories;
}

static ash_status link_dma(ash_device_draft *draft, uint32_t index) {
  ash_dma *dma = &draft->dmas[index];
  const ash_yaml *list = ash_yaml_get(draft->dma_nodes[index], "memories");
  if (!list) {
    dma->memories = all_for_dma(draft->device);
    return ASH_OK;
  }
  ASH_TRY(ash_yaml_want_list(draft->ctx, list, "'memories'"));
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    uint32_t memory;
    ASH_TRY(find(draft, &memory, i->node, "'memories'",
                 ASH_D_device_memory_unknown));
    if (!draft->memories[memory].reach_dma)
      return ash_fail(draft->ctx, ASH_MALFORMED, ASH_D_device_dma,
                      ash_yaml_loc(i->node),
                      "%s is said not to be reached by dma, but %s does",
                      draft->memories[memory].name, dma->name);
    dma->memories |= 1u << memory;
  }
  return ASH_OK;
}

ash_status ash_device_link(ash_device_draft *draft) {
  ASH_TRY(check_unique(draft));
  ASH_TRY(link_neighbours(draft));
  ASH_TRY(link_roles(draft));
  for (uint32_t i = 0; i < draft->device->dma_count; i++)
    ASH_TRY(link_dma(draft, i));
  return ASH_OK;
}
