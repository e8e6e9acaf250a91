/* coverage.c - the table of what generated code can run, from the tables of
 * kernels and of tile rules. */
#include "ashlar/graph.h"
#include "domain/domain.h"
#include "kernel/kernel.h"

#include <string.h>

static void put(char *buf, size_t size, const char *text) {
  ASH_ASSERT(strlen(buf) < size);
  const size_t used = strlen(buf), length = strlen(text);
  if (used + length < size)
    memcpy(buf + used, text, length + 1);
}

static void put_type(char *buf, size_t size, ash_type type) {
  put(buf, size, type == ASH_NONE ? "any" : ash_type_text(type));
}

/* Types at the end that are not looked at are left out. */
static void put_types(const ash_kernel *k, char *buf, size_t size) {
  ASH_ASSERT(k->op < ASH_OP_COUNT && size > 0);
  uint32_t count = ASH_KERNEL_TYPED_INPUTS;
  while (count > 1 && k->inputs[count - 1] == ASH_NONE)
    count--;
  buf[0] = '\0';
  for (uint32_t i = 0; i < count; i++) {
    put(buf, size, i ? ", " : "");
    put_type(buf, size, k->inputs[i]);
  }
  put(buf, size, " -> ");
  put_type(buf, size, k->output);
}

static bool same_row(const ash_kernel *a, const ash_kernel *b) {
  return a->op == b->op && strcmp(a->name, b->name) == 0 &&
         memcmp(a->inputs, b->inputs, sizeof a->inputs) == 0 &&
         a->output == b->output;
}

/* Variants that differ only in what they include are one row. */
static bool is_first(size_t index) {
  ASH_ASSERT(ash_kernel_at(index));
  for (size_t i = 0; i < index; i++)
    if (same_row(ash_kernel_at(i), ash_kernel_at(index)))
      return false;
  return true;
}

bool ash_op_row_at(size_t index, ash_op_row *out, char *buf, size_t size) {
  if (size == 0)
    return false;
  for (size_t i = 0; ash_kernel_at(i); i++) {
    const ash_kernel *k = ash_kernel_at(i);
    if (!is_first(i) || index-- > 0)
      continue;
    put_types(k, buf, size);
    *out = (ash_op_row){.op = ash_op_kind_text(k->op),
                        .types = buf,
                        .kernel = k->name,
                        .feature = k->feature,
                        .tiled = ash_op_is_tiled(k->op),
                        .in_place = k->in_place};
    return true;
  }
  return false;
}
