/* header.c - <prefix>.h: what the firmware sees. */
#include "emit/module.h"

#include <inttypes.h>
#include <string.h>

/* "ARENA_DTCM", "ARENA_CONST_MRAM": a region's name without the prefix. */
static const char *region_name(ash_module *m, const ash_render_arena *a) {
  return ash_emit_upper(m, a->symbol + strlen(m->prefix) + 1);
}

static void put_regions(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "/* Regions: one range of memory each. Scratch and state are "
                   "written while the");
  ash_text_line(t, " * model runs; constants are read in place. */");
  ash_text_line(t, "enum {");
  for (uint32_t i = 0; i < m->render->arena_count; i++)
    ash_text_line(t, "  %s_%s = %" PRIu32 ",", m->upper,
                  region_name(m, &m->render->all_arenas[i]), i);
  ash_text_line(t, "  %s_REGION_COUNT = %" PRIu32, m->upper,
                m->render->arena_count);
  ash_text_line(t, "};");
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    ash_text_line(t, "#define %s_%s_SIZE %" PRIu64 "u", m->upper,
                  region_name(m, a), a->size);
    ash_text_line(t, "#define %s_%s_ALIGNMENT %" PRIu64 "u", m->upper,
                  region_name(m, a), a->alignment);
  }
  ash_text_blank(t);
}

static void put_end(ash_module *m, const char *what, size_t i,
                    const ash_tensor *x) {
  ash_text *t = m->text;
  ash_text_line(t, "/* %s %zu: '%s' %s */", what, i,
                ash_emit_comment(m, x->name), ash_emit_type(m, x));
  const char *name = ash_emit_upper(m, what);
  ash_text_line(t, "#define %s_%s_%zu_BYTES %" PRIu64 "u", m->upper, name, i,
                x->bytes);
  ash_text_line(t, "#define %s_%s_%zu_ELEMENTS %" PRIu64 "u", m->upper, name, i,
                ash_shape_elements(&x->shape));
  ash_text_line(t, "#define %s_%s_%zu_TYPE %s", m->upper, name, i,
                ash_type_c(x->type));
}

static void put_ends(ash_module *m) {
  const ash_graph *g = m->g;
  ash_text_line(m->text, "#define %s_INPUT_COUNT %zu", m->upper,
                g->input_count);
  ash_text_line(m->text, "#define %s_OUTPUT_COUNT %zu", m->upper,
                g->output_count);
  for (size_t i = 0; i < g->input_count; i++)
    put_end(m, "input", i, &g->tensors.items[g->inputs[i]]);
  for (size_t i = 0; i < g->output_count; i++)
    put_end(m, "output", i, &g->tensors.items[g->outputs[i]]);
  ash_text_line(m->text, "#define %s_STEP_COUNT %" PRIu32, m->upper,
                m->plan->steps.count);
  ash_text_blank(m->text);
}

/* Lines in which % stands for the prefix and $ for the prefix in capitals. */
static void put_template(ash_module *m, const char *const *lines) {
  for (; *lines; lines++) {
    for (const char *p = *lines; *p; p++) {
      if (*p == '%')
        ash_text_string(m->text, m->prefix);
      else if (*p == '$')
        ash_text_string(m->text, m->upper);
      else
        ash_text_put(m->text, p, 1);
    }
    ash_text_blank(m->text);
  }
}

static const char *const types[] = {
    "/* What functions return. */",
    "enum {",
    "  $_OK = 0,",
    "  $_UNKNOWN_REGION = 1, /* no region has that number          */",
    "  $_NULL_BUFFER = 2,",
    "  $_UNDERSIZED = 3,     /* the buffer is smaller than *_SIZE  */",
    "  $_MISALIGNED = 4,     /* ... or not aligned to *_ALIGNMENT  */",
    "  $_UNBOUND = 10,       /* init: a region has no buffer       */",
    "  $_NULL_CONTEXT = 13,",
    "  $_NOT_INITIALISED = 14",
    "};",
    "",
    "/* An input or output. scale and zero_point: real = scale * (q - zero). */",
    "typedef struct %_tensor {",
    "  void *data;",
    "  const char *name;",
    "  uint32_t bytes;",
    "  uint32_t elements;",
    "  uint32_t rank;",
    "  const int32_t *shape;",
    "  float scale;",
    "  int32_t zero_point;",
    "} %_tensor;",
    "",
    "/* Called before (done = 0) and after (done = 1) each operator; `op` is its",
    " * index in the model file. */",
    "typedef void %_callback(void *user, uint32_t op, int done);",
    "",
    "/* One instance of the model. The caller owns it; start with all zeros. Two",
    " * instances with regions of their own may run at the same time. */",
    "typedef struct %_context {",
    "  %_callback *callback; /* may be set at any time, 0: none */",
    "  void *user;",
    "  uint8_t *region[$_REGION_COUNT];",
    "  uint32_t ready;",
    "} %_context;",
    "",
    "/* Gives one region a buffer, before init. Regions that are not bound use",
    " * the module's own arenas, which belong to one instance; compiled with",
    " * $_EXTERNAL_ARENAS defined there are none, and all scratch and state",
    " * regions must be bound. */",
    "int %_bind_arena(%_context *ctx, uint32_t region, void *buffer,",
    "                 size_t bytes);",
    NULL};

static const char *const functions[] = {
    "/* Runs the model once: fill the inputs, run, read the outputs. Outputs and",
    " * inputs share memory with intermediate results: write every input before",
    " * each run. */",
    "int %_run(%_context *ctx);",
    "",
    "/* Views of inputs and outputs; `data` is 0 if there is none of that index",
    " * or the context is not initialised. */",
    "%_tensor %_input(const %_context *ctx, uint32_t index);",
    "%_tensor %_output(const %_context *ctx, uint32_t index);",
    "",
    "#ifdef __cplusplus",
    "}",
    "#endif",
    "#endif",
    NULL};

/* The symbol carries the plan's hash, so that an object compiled against an
 * older header does not link. */
static void put_init(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "/* Makes a context ready. The symbol carries the plan's "
                   "hash: an object that was");
  ash_text_line(t, " * compiled against another plan does not link. */");
  ash_text_line(t, "#define %s_init %s_init_%s", m->prefix, m->prefix,
                m->render->plan_hash);
  ash_text_line(t, "int %s_init(%s_context *ctx);", m->prefix, m->prefix);
  ash_text_blank(t);
}

static void put_inline_assert(ash_module *m) {
  ash_text_line(m->text, "#define %s_PLAN_HASH \"%s\"", m->upper,
                m->render->plan_hash);
  ash_text_line(m->text, "#define %s_TENSOR_LAYOUT_HASH \"%s\"", m->upper,
                m->render->tensor_layout_hash);
  ash_text_blank(m->text);
}

void ash_emit_header(ash_module *m) {
  ash_text *t = m->text;
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.h", m->prefix),
                  "the interface of the generated model");
  ash_text_line(t, "#ifndef %s_H", m->upper);
  ash_text_line(t, "#define %s_H", m->upper);
  ash_text_blank(t);
  ash_text_line(t, "#include <stddef.h>");
  ash_text_line(t, "#include <stdint.h>");
  ash_text_blank(t);
  ash_text_string(t, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  put_inline_assert(m);
  put_regions(m);
  put_ends(m);
  put_template(m, types);
  ash_text_blank(t);
  put_init(m);
  put_template(m, functions);
}
