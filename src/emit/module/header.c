/* header.c - <prefix>.h: what the firmware sees. */
#include "emit/cores/cores.h"
#include "emit/rows/rows.h"
#include "emit/tile/tile.h"

#include <inttypes.h>
#include <string.h>

/* ---- constants ----------------------------------------------------------- */

static void put_hashes(ash_module *m) {
  ASH_ASSERT(strlen(m->render->plan_hash) == 16);
  ash_text *t = m->text;
  ash_text_line(t, "#define %s_PLAN_HASH \"%s\"", m->upper,
                m->render->plan_hash);
  ash_text_line(t, "#define %s_TENSOR_LAYOUT_HASH \"%s\"", m->upper,
                m->render->tensor_layout_hash);
  ash_text_line(t, "#define %s_PLAN_%s 1", m->upper, m->render->plan_hash);
  ash_text_blank(t);
}

static void put_region_ids(ash_module *m) {
  ASH_ASSERT(m->render->scratch_count + m->render->persistent_count +
                 m->render->constant_count ==
             m->render->arena_count);
  ash_text *t = m->text;
  const ash_render_plan *r = m->render;
  ash_text_line(t,
                "/* Regions: one range of memory each. Scratch and state are "
                "written while the");
  ash_text_line(t, " * model runs; constants are read in place, or copied once "
                   "(staged). */");
  ash_text_line(t, "enum {");
  for (uint32_t i = 0; i < r->arena_count; i++)
    ash_text_line(t, "  %s = %" PRIu32 ",",
                  ash_emit_region(m, &r->all_arenas[i]), i);
  ash_text_line(t, "  %s_REGION_COUNT = %" PRIu32 ",", m->upper,
                r->arena_count);
  ash_text_line(t, "  %s_SCRATCH_COUNT = %" PRIu32 ",", m->upper,
                r->scratch_count);
  ash_text_line(t, "  %s_STATE_COUNT = %" PRIu32 ",", m->upper,
                r->persistent_count);
  ash_text_line(t, "  %s_CONSTANT_COUNT = %" PRIu32 ",", m->upper,
                r->constant_count);
  ash_text_line(t, "  %s_STAGED_COUNT = %" PRIu32, m->upper,
                m->render->staged_count);
  ash_text_line(t, "};");
}

static void put_regions(ash_module *m) {
  put_region_ids(m);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    ASH_ASSERT(a->region_id == i && a->alignment > 0);
    ash_text_line(m->text, "#define %s_SIZE %" PRIu64 "u",
                  ash_emit_region(m, a), a->size);
    ash_text_line(m->text, "#define %s_ALIGNMENT %" PRIu64 "u",
                  ash_emit_region(m, a), a->alignment);
  }
  ash_text_blank(m->text);
}

static void put_quant(ash_module *m, const char *name, const ash_tensor *x) {
  if (x->quant.count != 1)
    return;
  ASH_ASSERT(x->quant.scale && x->quant.zero_point);
  ash_text_format(m->text, "#define %s_SCALE ", name);
  ash_text_float(m->text, x->quant.scale[0]);
  ash_text_string(m->text, "f\n");
  ash_text_line(m->text, "#define %s_ZERO_POINT (%" PRId32 ")", name,
                x->quant.zero_point[0]);
}

static void put_end(ash_module *m, const char *what, size_t i, uint32_t tensor,
                    bool in_rows) {
  const ash_tensor *x = &m->g->tensors.items[tensor];
  ASH_ASSERT(x->type != ASH_NONE && x->shape.rank <= ASH_RANK_MAX);
  ash_text *t = m->text;
  ash_text_line(t, "/* %s %zu: '%s' %s */", what, i,
                ash_emit_comment(m, x->name), ash_emit_type(m, x));
  const char *name = ash_zone_format(&m->ctx->scratch, "%s_%s_%zu", m->upper,
                                     ash_emit_upper(m, what), i);
  if (!name)
    return;
  ash_text_line(t, "#define %s_BYTES %" PRIu64 "u", name, x->bytes);
  ash_text_line(t, "#define %s_ELEMENTS %" PRIu64 "u", name,
                ash_shape_elements(&x->shape));
  ash_text_line(t, "#define %s_TYPE %s", name, ash_type_c(x->type));
  if (in_rows) {
    const ash_tensor *shown = ash_emit_rows_shown(m, tensor);
    ash_text_line(t, "#define %s_ROWS %" PRIu32 "u", name,
                  ash_domain_row_count(shown));
    ash_text_line(t, "#define %s_ROW_BYTES %" PRIu64 "u", name,
                  ash_domain_row_bytes(shown));
  }
  put_quant(m, name, x);
}

/* How often <prefix>_step is called in one run. */
static void put_run_steps(ash_module *m) {
  size_t count = m->rows ? m->rows->entries.count : 0;
  for (uint32_t op = 0; !m->rows && op < m->g->op_count; op++)
    count += m->code[op].kernel != NULL;
  ash_text_line(m->text, "#define %s_RUN_STEPS %zu", m->upper,
                count ? count : 1);
}

/* How many inputs arrive and outputs leave row by row, where there are any. */
static void put_row_ends(ash_module *m) {
  uint32_t drained = 0;
  for (size_t i = 0; i < m->g->output_count; i++)
    drained += ash_emit_is_drained(m, i);
  if (m->rows && m->rows->feed_count > 0)
    ash_text_line(m->text, "#define %s_FED_COUNT %" PRIu32, m->upper,
                  m->rows->feed_count);
  if (drained > 0)
    ash_text_line(m->text, "#define %s_DRAINED_COUNT %" PRIu32, m->upper,
                  drained);
}

static void put_ends(ash_module *m) {
  const ash_graph *g = m->g;
  ash_text_line(m->text, "#define %s_INPUT_COUNT %zu", m->upper,
                g->input_count);
  ash_text_line(m->text, "#define %s_OUTPUT_COUNT %zu", m->upper,
                g->output_count);
  put_row_ends(m);
  for (size_t i = 0; i < g->input_count; i++)
    put_end(m, "input", i, g->inputs[i], ash_emit_is_fed(m, i));
  for (size_t i = 0; i < g->output_count; i++)
    put_end(m, "output", i, g->outputs[i], ash_emit_is_drained(m, i));
  ash_text_line(m->text, "#define %s_STEP_COUNT %" PRIu32, m->upper,
                m->plan->steps.count);
  if (ash_emit_is_stepped(m))
    put_run_steps(m);
  if (ash_emit_has_cores(m))
    ash_text_line(m->text, "#define %s_CORES %" PRIu32, m->upper,
                  ash_emit_most_cores(m));
  ash_text_blank(m->text);
}

/* ---- types and functions ------------------------------------------------- */

static const char *const types[] = {
    "/* What functions return. */",
    "enum {",
    "  $_OK = 0,",
    "  $_UNKNOWN_REGION = 1,   /* no region has that number            */",
    "  $_NULL_BUFFER = 2,",
    "  $_UNDERSIZED = 3,       /* the buffer is smaller than *_SIZE    */",
    "  $_MISALIGNED = 4,       /* ... or not aligned to *_ALIGNMENT    */",
    "  $_CONSTANT_REGION = 5,  /* constants read in place take none    */",
    "  $_UNBOUND = 10,         /* init: a region has no buffer         */",
    "  $_CONSTANTS_MISSING = 12, /* init: ... or no constants          */",
    "  $_NULL_CONTEXT = 13,",
    "  $_NOT_INITIALISED = 14,",
    "  $_NOT_CONSTANTS = 20,     /* load: no file of constants         */",
    "  $_OTHER_CONSTANTS = 21,   /* ... of another build or region     */",
    "  $_CORRUPT_CONSTANTS = 22, /* ... the CRC is wrong               */",
    "  $_NULL_ARGUMENT = 100,  /* bind_arenas                          */",
    "  $_WRONG_COUNT = 101     /* ... count is not $_REGION_COUNT */",
    "};",
    "",
    ("/* An input or output. scale and zero_point: real = scale * (q - zero). "
     "*/"),
    "typedef struct %_tensor {",
    "  void *data;",
    "  const char *name;",
    "  uint32_t bytes;",
    "  uint32_t elements;",
    "  uint32_t rank;",
    "  const int32_t *shape;",
    "  float scale;",
    "  int32_t zero_point;",
    NULL};

static const char *const row_field[] = {
    "  uint32_t row_bytes; /* not 0: rows arrive or leave, data is 0 */", NULL};

static const char *const context[] = {
    "} %_tensor;",
    "",
    ("/* Called before (done = 0) and after (done = 1) each operator; `op` is "
     "its"),
    " * index in the model file. */",
    "typedef void %_callback(void *user, uint32_t op, int done);",
    "",
    ("/* One instance of the model. The caller owns it; start with all zeros. "
     "Two"),
    " * instances with regions of their own may run at the same time. */",
    "typedef struct %_context {",
    "  %_callback *callback; /* may be set at any time, 0: none */",
    "  void *user;",
    "  uint8_t *region[$_REGION_COUNT];",
    NULL};

static const char *const loaded_field[] = {
    "  const uint8_t *constants[$_CONSTANT_COUNT];", NULL};

static const char *const dma_status[] = {
    "enum { $_DMA_MISSING = 15 }; /* init: only DMA reaches all memories */",
    "", NULL};

static const char *const dma_field[] = {
    ("  const ash_dma *dma; /* moves tiles; set it before init. 0: the "
     "processor does */"),
    NULL};

static const char *const cores_field[] = {
    ("  const ash_cores *cores; /* runs shares; may be set at any time. 0: one "
     "core */"),
    NULL};

static const char *const binding[] = {
    "  uint32_t ready;",
    "} %_context;",
    "",
    "/* Gives one region a buffer, before init. Regions that are not bound use",
    " * the module's own arenas, which belong to one instance; compiled with",
    " * $_EXTERNAL_ARENAS defined there are none, and all regions that are",
    " * written must be bound. */",
    "int %_bind_arena(%_context *ctx, uint32_t region, void *buffer,",
    "                 size_t bytes);",
    "",
    "/* Gives all regions their buffers, or none if one is not right. `count`",
    " * must be $_REGION_COUNT; constants that are read in place have 0 as",
    " * their buffer. */",
    "int %_bind_arenas(%_context *ctx, void *const *buffers,",
    "                  const size_t *bytes, uint32_t count);",
    "",
    "/* The stored bytes of a constant region: what is read in place, or what",
    " * hydrate copies. 0 if it is no constant region. */",
    "const void *%_constants(const %_context *ctx, uint32_t region);",
    "",
    NULL};

static const char *const loading[] = {
    ("/* Gives a constant region the contents of its file, before init, header "
     "and"),
    " * all. Nothing is copied: the bytes must stay, those of staged constants",
    (" * until init is done. Constants that are read in place must be aligned "
     "to"),
    " * the region's *_ALIGNMENT, behind a header of 32 bytes. */",
    "int %_load_constants(%_context *ctx, uint32_t region, const void *bytes,",
    "                     size_t size);",
    "",
    NULL};

static const char *const hydrating[] = {
    "/* Copies the staged constants into their regions; init calls it. A weak",
    " * function: define your own to do it by DMA, from ctx->region[...] and",
    " * %_constants. What it returns, if not $_OK, init returns. */",
    "int %_hydrate(%_context *ctx);", NULL};

static const char *const functions[] = {
    ("/* Sets the state that survives runs to its first values; init does too. "
     "*/"),
    "int %_reset(%_context *ctx);",
    "",
    ("/* Runs the model once: fill the inputs, run, read the outputs. Outputs "
     "and"),
    (" * inputs share memory with intermediate results: write every input "
     "before"),
    " * each run. */",
    "int %_run(%_context *ctx);",
    "",
    NULL};

static const char *const view_functions[] = {
    ("/* Views of inputs and outputs; `data` is 0 if there is none of that "
     "index"),
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

/* The first op of its name declares it. */
static bool is_first(const ash_graph *g, uint32_t op) {
  ASH_ASSERT(op < g->op_count && g->ops.items[op].kind == ASH_OP_custom);
  const char *name = ash_attr_string(&g->ops.items[op], "name", "");
  for (uint32_t i = 0; i < op; i++)
    if (g->ops.items[i].kind == ASH_OP_custom &&
        strcmp(ash_attr_string(&g->ops.items[i], "name", ""), name) == 0)
      return false;
  return true;
}

static void put_custom(ash_module *m) {
  bool any = false;
  for (uint32_t i = 0; i < m->g->op_count; i++) {
    const ash_op *op = &m->g->ops.items[i];
    if (op->kind != ASH_OP_custom || !is_first(m->g, i))
      continue;
    if (!any)
      ash_text_line(m->text, "/* Custom operators: functions that you supply. "
                             "`options` are the bytes that the\n"
                             " * model stores with the operator. */");
    any = true;
    ash_text_format(m->text, "void %s_custom_", m->prefix);
    ash_call_custom_name(m->text, ash_attr_string(op, "name", ""));
    ash_text_line(m->text,
                  "(const %s_tensor *inputs,\n    uint32_t input_count, const "
                  "%s_tensor *outputs,\n    uint32_t output_count, const "
                  "uint8_t *options, size_t option_bytes);",
                  m->prefix, m->prefix);
  }
  if (any)
    ash_text_blank(m->text);
}

ash_status ash_emit_header(ash_module *m) {
  ASH_ASSERT(m->text && m->render && m->code);
  ash_text *t = m->text;
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.h", m->prefix),
                  "the interface of the generated model");
  ash_text_line(t, "#ifndef %s_H", m->upper);
  ash_text_line(t, "#define %s_H", m->upper);
  ash_text_blank(t);
  ash_text_line(t, "#include <stddef.h>");
  ash_text_line(t, "#include <stdint.h>");
  ash_text_blank(t);
  if (ash_emit_is_tiled(m)) {
    ash_text_line(t, "#include \"ash_dma.h\"");
    ash_text_blank(t);
  }
  if (ash_emit_has_cores(m)) {
    ash_text_line(t, "#include \"ash_cores.h\"");
    ash_text_blank(t);
  }
  ash_text_string(t, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  put_hashes(m);
  put_regions(m);
  put_ends(m);
  if (ash_emit_is_tiled(m))
    ash_emit_template(m, dma_status);
  if (ash_emit_is_stepped(m))
    ash_emit_stepping_types(m);
  ash_emit_template(m, types);
  if (ash_emit_has_row_ends(m))
    ash_emit_template(m, row_field);
  ash_emit_template(m, context);
  if (ash_emit_loads(m))
    ash_emit_template(m, loaded_field);
  if (ash_emit_is_tiled(m))
    ash_emit_template(m, dma_field);
  if (ash_emit_has_cores(m))
    ash_emit_template(m, cores_field);
  if (ash_emit_is_stepped(m))
    ash_emit_stepping_fields(m);
  ash_emit_template(m, binding);
  if (ash_emit_loads(m))
    ash_emit_template(m, loading);
  ash_emit_template(m, hydrating);
  ash_text_blank(t);
  put_init(m);
  put_custom(m);
  ash_emit_template(m, functions);
  if (ash_emit_is_stepped(m))
    ash_emit_stepping_functions(m);
  ash_emit_template(m, view_functions);
  return ASH_OK;
}
