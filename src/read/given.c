/* given.c - see given.h. */
#include "read/given.h"

#include "base/nearest.h"

#include <string.h>

static const char *find(const char *const *list, size_t count,
                        const char *name) {
  const size_t n = strlen(name);
  for (size_t i = 0; i < count; i++)
    if (strncmp(list[i], name, n) == 0 && list[i][n] == '=')
      return list[i] + n + 1;
  return NULL;
}

const char *ash_given_shape(const ash_load_options *options, const char *name) {
  return options ? find(options->input_shapes, options->input_shape_count, name)
                 : NULL;
}

const char *ash_given_constant(const ash_load_options *options,
                               const char *name) {
  return options ? find(options->constants, options->constant_count, name)
                 : NULL;
}

bool ash_given_number(const char **text, double *out) {
  const char *p = *text;
  double value = 0, scale = 1;
  const bool minus = *p == '-';
  p += minus;
  if (!(*p >= '0' && *p <= '9'))
    return false;
  for (; *p >= '0' && *p <= '9'; p++)
    value = value * 10 + (*p - '0');
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9'; p++)
      value += (*p - '0') * (scale /= 10);
  *out = minus ? -value : value;
  *text = p;
  return true;
}

static bool read_shape(ash_shape *out, const char *text) {
  *out = (ash_shape){0};
  while (*text) {
    double value;
    if (out->rank == ASH_RANK_MAX || !ash_given_number(&text, &value) ||
        value < 0 || value > INT32_MAX)
      return false;
    out->dim[out->rank++] = (int32_t)value;
    text += *text == ',' || *text == 'x';
  }
  return true;
}

ash_status ash_given_read_shape(ash_ctx *ctx, ash_shape *out, const char *text,
                                const char *name) {
  if (read_shape(out, text))
    return ASH_OK;
  return ash_fail(ctx, ASH_MISUSE, ASH_D_input_open, ASH_NOWHERE,
                  "'%.100s' is not a shape for input '%.200s'", text, name);
}

/* ---- names --------------------------------------------------------------- */

static bool names_one(const char *entry, const char *const *inputs,
                      size_t count) {
  for (size_t i = 0; i < count; i++)
    if (find(&entry, 1, inputs[i]))
      return true;
  return false;
}

static ash_status refuse(ash_ctx *ctx, const char *option, const char *entry,
                         const char *const *inputs, size_t count,
                         const char *file) {
  ash_loc at = ASH_NOWHERE;
  at.file = file;
  const char *end = strrchr(entry, '=');
  const int n = end ? (int)(end - entry) : (int)strlen(entry);
  const ash_status got = ash_fail(ctx, ASH_MISUSE, ASH_D_input_name, at,
                                  "%s %.200s: the model has no input '%.*s'",
                                  option, entry, n < 200 ? n : 200, entry);
  const char *word = ash_zone_format(&ctx->scratch, "%.*s", n, entry);
  const char *near = word ? ash_nearest_of(word, inputs, count) : NULL;
  if (near || count > 0)
    ash_hint(ctx, near ? "did you mean '%.200s'?" : "an input is '%.200s'",
             near ? near : inputs[0]);
  return got;
}

static ash_status check(ash_ctx *ctx, const char *option,
                        const char *const *list, size_t listed,
                        const char *const *inputs, size_t count,
                        const char *file) {
  for (size_t i = 0; i < listed; i++)
    if (!names_one(list[i], inputs, count))
      return refuse(ctx, option, list[i], inputs, count, file);
  return ASH_OK;
}

ash_status ash_given_check(ash_ctx *ctx, const ash_load_options *options,
                           const char *const *inputs, size_t count,
                           const char *file) {
  if (!options)
    return ASH_OK;
  ASH_TRY(check(ctx, "--input-shape", options->input_shapes,
                options->input_shape_count, inputs, count, file));
  return check(ctx, "--constant", options->constants, options->constant_count,
               inputs, count, file);
}

static ash_status check_fixed(ash_ctx *ctx, const ash_load_options *o,
                              const ash_graph *g, uint32_t input) {
  const ash_tensor *t = &g->tensors.items[input];
  const char *text = ash_given_shape(o, t->name);
  char fixed[ASH_SHAPE_TEXT];
  ash_shape shape;
  if (ash_given_constant(o, t->name))
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_input_name,
                    ash_graph_loc(g, ASH_NO_ID, input),
                    "--constant is for inputs of ONNX models");
  if (!text)
    return ASH_OK;
  ASH_TRY(ash_given_read_shape(ctx, &shape, text, t->name));
  if (ash_shape_equal(&shape, &t->shape))
    return ASH_OK;
  return ash_fail(
      ctx, ASH_MISUSE, ASH_D_input_open, ash_graph_loc(g, ASH_NO_ID, input),
      "the input's shape is fixed as %s", ash_shape_text(fixed, &t->shape));
}

ash_status ash_given_check_graph(ash_ctx *ctx, const ash_load_options *options,
                                 const ash_graph *g) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const char **names =
      ASH_NEW_ARRAY(&ctx->scratch, const char *, g->input_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < g->input_count; i++)
    names[i] = g->tensors.items[g->inputs[i]].name;
  ash_status status =
      ash_given_check(ctx, options, names, g->input_count, g->file);
  for (size_t i = 0; i < g->input_count && status == ASH_OK; i++)
    status = check_fixed(ctx, options, g, g->inputs[i]);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
