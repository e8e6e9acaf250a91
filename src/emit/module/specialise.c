/* specialise.c - which layers get a copy of their kernel for themselves, made
 * for their shape by the C compiler: parameters are constants there, so that
 * loops of few rounds are unrolled and cases that do not occur go away. */
#include "emit/tile/tile.h"

#include <string.h>

/* A column of more than that is a loop anyway, and clang 14 unrolls one of
 * eight blocks of sixteen to something slower than the loop. */
enum { SHORT_COLUMN = 64 };

/* Kernels for which it was measured (docs/kernels.md). */
static bool can_specialise(const ash_module *m, uint32_t op) {
  const ash_kernel *k = m->kernels[op];
  if (!k || !k->file || ash_emit_tiling(m, op) || strstr(k->name, "_cmsis"))
    return false;
  return k->output == ASH_INT8 && strstr(k->name, "_s8") &&
         (k->op == ASH_OP_conv_2d || k->op == ASH_OP_depthwise_conv_2d ||
          k->op == ASH_OP_fully_connected);
}

bool ash_emit_same_kernel(const ash_kernel *a, const ash_kernel *b) {
  return a && b && strcmp(a->name, b->name) == 0;
}

static bool is_only_user(const ash_module *m, uint32_t op) {
  for (uint32_t i = 0; i < m->g->op_count; i++)
    if (i != op && ash_emit_same_kernel(m->kernels[i], m->kernels[op]))
      return false;
  return !ash_emit_is_tiled(m);
}

static bool has_short_column(const ash_module *m, uint32_t op) {
  const ash_op *o = &m->g->ops.items[op];
  const ash_shape *in = &m->g->tensors.items[o->inputs[0]].shape;
  const ash_shape *w = &m->g->tensors.items[o->inputs[1]].shape;
  return (int64_t)w->dim[1] * w->dim[2] * in->dim[3] <= SHORT_COLUMN;
}

bool ash_emit_is_special(const ash_module *m, uint32_t op) {
  if (m->options.specialise == ASH_SPECIALISE_NONE || !can_specialise(m, op))
    return false;
  if (m->options.specialise == ASH_SPECIALISE_ALL)
    return true;
  if (strcmp(m->kernels[op]->name, "conv_2d_s8_mve") == 0)
    return has_short_column(m, op);
  return strcmp(m->kernels[op]->name, "fully_connected_s8_mve") == 0 ||
         is_only_user(m, op);
}

bool ash_emit_has_special(const ash_module *m, const ash_kernel *kernel) {
  for (uint32_t op = 0; op < m->g->op_count; op++)
    if ((!kernel || ash_emit_same_kernel(m->kernels[op], kernel)) &&
        ash_emit_is_special(m, op))
      return true;
  return false;
}
