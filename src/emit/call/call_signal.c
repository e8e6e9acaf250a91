/* call_signal.c - Fourier transforms, filter banks, and calls of functions that
 * the user supplies. */
#include "emit/call/call_write.h"
#include "op/functions.h"

#include <inttypes.h>
#include <string.h>

void ash_call_rfft2d(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank >= 2 && ash_call_in(c, 1)->data);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const int32_t h = in->dim[in->rank - 2], w = in->dim[in->rank - 1];
  ash_call_open(c, "rfft2d");
  ash_call_int(c, "images", (int64_t)ash_shape_elements(in) / ((int64_t)h * w));
  ash_call_int(c, "in_h", h);
  ash_call_int(c, "in_w", w);
  ash_call_int(c, "fft_h", ash_op_ints(ash_call_op(c), "length", 0, 1));
  ash_call_int(c, "fft_w", ash_op_ints(ash_call_op(c), "length", 1, 1));
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_fixed_rfft(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->data);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const int32_t row = in->dim[in->rank - 1];
  ash_call_open(c, "fixed_rfft");
  ash_call_int(c, "rows", (int64_t)ash_shape_elements(in) / row);
  ash_call_int(c, "row", row);
  ash_call_int(c, "length", ash_attr_int(ash_call_op(c), "length", 8));
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_filter_bank(const ash_call *c) {
  ash_call_open(c, "count");
  ash_call_int(c, "count", ash_call_out(c)->shape.dim[0]);
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_complex(const ash_call *c) {
  ash_call_open(c, "count");
  ash_call_int(c, "count",
               (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_call_close(c);
  ash_call_invoke(c);
}

/* ---- custom -------------------------------------------------------------- */

/* A C string of what can be printed. */
static void put_name(const ash_call *c, const char *name) {
  ash_text_string(c->text, "\"");
  for (; *name; name++) {
    const unsigned char x = (unsigned char)*name;
    if (x < 0x20 || x > 0x7e || x == '"' || x == '\\' || x == '?')
      ash_text_format(c->text, "\\%03o", x);
    else
      ash_text_put(c->text, name, 1);
  }
  ash_text_string(c->text, "\"");
}

static void put_shape(const ash_call *c, const char *what, uint32_t k,
                      const ash_tensor *t) {
  ash_text_format(c->text, "  static const int32_t %s_%" PRIu32 "[] = {", what,
                  k);
  for (uint32_t i = 0; t && i < t->shape.rank; i++)
    ash_text_format(c->text, "%" PRId32 ", ", t->shape.dim[i]);
  ash_text_string(c->text, "0};\n");
}

static void put_tensor(const ash_call *c, const char *what, uint32_t k,
                       const ash_tensor *t, const char *expression) {
  ASH_ASSERT(!t || expression);
  if (!t) {
    ash_text_string(c->text, "      {0, 0, 0, 0, 0, 0, 0.0f, 0},\n");
    return;
  }
  ash_text_format(c->text, "      {(void *)(uintptr_t)(%s), ", expression);
  put_name(c, t->name);
  ash_text_format(
      c->text, ", %" PRIu64 "u, %" PRIu64 "u, %" PRIu32 "u, %s_%" PRIu32 ", ",
      t->bytes, ash_shape_elements(&t->shape), t->shape.rank, what, k);
  ash_text_float(c->text, t->quant.count == 1 ? t->quant.scale[0] : 0.0f);
  ash_text_format(c->text, "f, %" PRId32 "},\n",
                  t->quant.count == 1 ? t->quant.zero_point[0] : 0);
}

/* The model's bytes, two letters each. */
static uint32_t put_options(const ash_call *c) {
  const char *hex = ash_attr_string(ash_call_op(c), "options", "");
  const size_t count = strlen(hex) / 2;
  ash_text_string(c->text, "  static const uint8_t options[] = {");
  for (size_t i = 0; i < count; i++)
    ash_text_format(c->text, "%s0x%c%c,", i % 12 ? " " : "\n      ", hex[2 * i],
                    hex[2 * i + 1]);
  ash_text_string(c->text, count ? "};\n" : "0};\n");
  return (uint32_t)count;
}

void ash_call_custom_name(ash_text *text, const char *name) {
  for (; *name; name++) {
    const char x = *name;
    const bool plain = (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') ||
                       (x >= '0' && x <= '9');
    ash_text_put(text, plain ? name : "_", 1);
  }
}

void ash_call_custom(const ash_call *c) {
  ASH_ASSERT(c->prefix);
  const ash_op *op = ash_call_op(c);
  for (uint32_t k = 0; k < op->input_count; k++)
    put_shape(c, "in", k, ash_call_in(c, k));
  for (uint32_t k = 0; k < op->output_count; k++)
    put_shape(c, "out", k, ash_op_out(c->graph, op, k));
  const uint32_t bytes = put_options(c);
  ash_text_format(c->text, "  const %s_tensor inputs[] = {\n", c->prefix);
  for (uint32_t k = 0; k < op->input_count; k++)
    put_tensor(c, "in", k, ash_call_in(c, k), c->inputs[k]);
  ash_text_format(c->text, "  };\n  const %s_tensor outputs[] = {\n",
                  c->prefix);
  for (uint32_t k = 0; k < op->output_count; k++)
    put_tensor(c, "out", k, ash_op_out(c->graph, op, k), c->outputs[k]);
  ash_text_format(c->text, "  };\n  %s_custom_", c->prefix);
  ash_call_custom_name(c->text, ash_attr_string(op, "name", ""));
  ash_text_format(c->text,
                  "(inputs, %" PRIu32 "u, outputs, %" PRIu32
                  "u, options, %" PRIu32 "u);\n",
                  op->input_count, op->output_count, bytes);
}
