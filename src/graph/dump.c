/* dump.c - graph -> textual form. One tensor a line, one operator a line; the
 * grammar is in docs/ir.md. dump(parse(dump(g))) == dump(g), byte for byte. */
#include "base/text.h"
#include "graph/graph.h"

#include <inttypes.h>

static const char *const kind_text[] = {"activation", "input", "constant",
                                        "variable"};

static void put_quoted(ash_text *t, const char *s) {
  ash_text_string(t, "\"");
  for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
    if (*p == '"' || *p == '\\' || *p < 0x20 || *p >= 0x7f)
      ash_text_format(t, "\\x%02x", *p);
    else
      ash_text_put(t, (const char *)p, 1);
  }
  ash_text_string(t, "\"");
}

static void put_type(ash_text *t, const ash_tensor *x) {
  ash_text_format(t, " %s[", ash_type_text(x->type));
  for (uint32_t i = 0; i < x->shape.rank; i++)
    ash_text_format(t, "%s%" PRId32, i ? "," : "", x->shape.dim[i]);
  ash_text_string(t, "]");
}

static void put_quant(ash_text *t, const ash_quant *q) {
  if (q->count == 0)
    return;
  ash_text_format(t, " axis %" PRId32 " scale [", q->axis);
  for (uint32_t i = 0; i < q->count; i++) {
    ash_text_string(t, i ? "," : "");
    ash_text_float(t, q->scale[i]);
  }
  ash_text_string(t, "] zero [");
  for (uint32_t i = 0; i < q->count; i++)
    ash_text_format(t, "%s%" PRId32, i ? "," : "", q->zero_point[i]);
  ash_text_string(t, q->once ? "] once" : "]");
}

static void put_data(ash_text *t, const ash_tensor *x) {
  static const char digits[] = "0123456789abcdef";
  if (!x->data)
    return;
  ash_text_string(t, " data ");
  if (x->bytes == 0)
    ash_text_string(t, "empty");
  for (uint64_t i = 0; i < x->bytes; i++) {
    const char pair[2] = {digits[x->data[i] >> 4], digits[x->data[i] & 15]};
    ash_text_put(t, pair, 2);
  }
}

static void put_tensor(ash_text *t, const ash_tensor *x) {
  ash_text_format(t, "tensor %%%s %s", x->id, kind_text[x->kind]);
  put_type(t, x);
  put_quant(t, &x->quant);
  ash_text_string(t, " ");
  put_quoted(t, x->name);
  put_data(t, x);
  ash_text_blank(t);
}

static void put_list(ash_text *t, const ash_graph *g, const uint32_t *ids,
                     size_t count) {
  for (size_t i = 0; i < count; i++)
    if (ids[i] == ASH_NO_ID)
      ash_text_string(t, i ? ", _" : "_");
    else
      ash_text_format(t, "%s%%%s", i ? ", " : "", g->tensors.items[ids[i]].id);
}

static void put_attr(ash_text *t, const ash_attr *a) {
  ash_text_format(t, " %s=", a->name);
  switch (a->kind) {
  case ASH_ATTR_INT:
    ash_text_format(t, "%" PRId64, a->i);
    break;
  case ASH_ATTR_FLOAT:
    ash_text_double(t, a->f);
    break;
  case ASH_ATTR_STRING:
    put_quoted(t, a->s);
    break;
  case ASH_ATTR_INTS:
    ash_text_string(t, "[");
    for (uint32_t i = 0; i < a->count; i++)
      ash_text_format(t, "%s%" PRId64, i ? "," : "", a->ints[i]);
    ash_text_string(t, "]");
    break;
  }
}

static void put_op(ash_text *t, const ash_graph *g, const ash_op *op) {
  ash_text_format(t, "op %s %" PRIu32 " %s(", op->id, op->source_index,
                  ash_op_kind_text(op->kind));
  put_list(t, g, op->inputs, op->input_count);
  ash_text_string(t, ") -> (");
  put_list(t, g, op->outputs, op->output_count);
  ash_text_string(t, ")");
  for (uint32_t i = 0; i < op->attr_count; i++)
    put_attr(t, &op->attrs[i]);
  if (op->name) {
    ash_text_string(t, " ");
    put_quoted(t, op->name);
  }
  ash_text_blank(t);
}

static void put_graph(ash_text *t, const ash_graph *g) {
  ash_text_string(t, "graph ");
  put_quoted(t, g->name);
  ash_text_blank(t);
  for (size_t i = 0; i < g->tensor_count; i++)
    put_tensor(t, &g->tensors.items[i]);
  for (size_t i = 0; i < g->op_count; i++)
    put_op(t, g, &g->ops.items[i]);
  ash_text_string(t, "inputs (");
  put_list(t, g, g->inputs, g->input_count);
  ash_text_string(t, ")\noutputs (");
  put_list(t, g, g->outputs, g->output_count);
  ash_text_string(t, ")\n");
}

ash_status ash_graph_dump(ash_ctx *ctx, const char **text, size_t *count,
                          const ash_graph *g) {
  ASH_NEED(ctx, ctx && text && count && g);
  ash_text t;
  *text = NULL;
  *count = 0;
  ash_text_init(&t, &ctx->mem);
  put_graph(&t, g);
  const size_t bytes = t.count;
  ash_text_put(&t, "", 1);
  const char *kept =
      t.failed ? NULL : ash_zone_copy(&ctx->keep, t.bytes, t.count);
  ash_text_drop(&t);
  if (!kept)
    return ash_nomem(ctx);
  *text = kept;
  *count = bytes;
  return ASH_OK;
}
