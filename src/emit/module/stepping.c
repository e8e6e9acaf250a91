/* stepping.c - runs that can be interrupted: <prefix>_step, and what arrives
 * and leaves between steps. */
#include "emit/rows/rows.h"

#include <inttypes.h>

bool ash_emit_is_stepped(const ash_module *m) {
  return m->options.step || m->rows;
}

static bool has_feeds(const ash_module *m) {
  return m->rows && m->rows->feed_count > 0;
}

/* ---- <prefix>.h ---------------------------------------------------------- */

static const char *const step_status[] = {
    "enum { $_MORE = 30 }; /* step: the run goes on */", NULL};

static const char *const feed_types[] = {
    "enum {",
    "  $_WANTS_ROW = 31, /* step, run: a row of an input is not there yet */",
    "  $_NOT_WANTED = 32 /* push_row: it is not the turn of that input    */",
    "};",
    "",
    "/* Writes row `row` of input `input` to `to`, all its bytes, and gives 0;",
    " * or another number: the row is not there yet. */",
    "typedef int %_fill(void *user, uint32_t input, uint32_t row, void *to);",
    NULL};

static const char *const drain_types[] = {
    "enum { $_DRAIN_MISSING = 33 }; /* step, run: ctx->drain is 0 */",
    "",
    "/* Takes row `row` of output `output`; its bytes are gone afterwards. */",
    "typedef void %_drain(void *user, uint32_t output, uint32_t row,",
    "                     const void *bytes);",
    NULL};

void ash_emit_stepping_types(ash_module *m) {
  ash_emit_template(m, step_status);
  if (has_feeds(m))
    ash_emit_template(m, feed_types);
  if (ash_emit_has_drains(m))
    ash_emit_template(m, drain_types);
  ash_text_blank(m->text);
}

static const char *const feed_field[] = {
    "  %_fill *fill; /* 0: rows are pushed */", NULL};
static const char *const drain_field[] = {"  %_drain *drain;", NULL};
static const char *const position_field[] = {
    "  uint32_t position; /* of the next step */", NULL};

void ash_emit_stepping_fields(ash_module *m) {
  if (has_feeds(m))
    ash_emit_template(m, feed_field);
  if (ash_emit_has_drains(m))
    ash_emit_template(m, drain_field);
  ash_emit_template(m, position_field);
  if (m->rows)
    ash_emit_row_fields(m);
}

static const char *const step_function[] = {
    "/* Runs the next step of the model and returns $_MORE, or $_OK if it was",
    " * the last: then the outputs are there, the next call starts again. A",
    " * run needs $_RUN_STEPS calls. Inputs and the arenas belong to the model",
    " * until the run is over. */",
    "int %_step(%_context *ctx);",
    "",
    "/* Gives up a run that is not over: the next step is the first one, at",
    " * which %_run always starts. */",
    "int %_restart(%_context *ctx);",
    "",
    NULL};

static const char *const push_function[] = {
    "/* Gives the model the next row of an input, which is copied, and runs it",
    " * until another row is wanted ($_MORE) or the run is over ($_OK). Rows",
    " * arrive from the first to the last. $_NOT_WANTED: that of",
    " * another input is. */",
    "int %_push_row(%_context *ctx, uint32_t input, const void *row);",
    "",
    "/* The input whose row is wanted; $_INPUT_COUNT: steps come first. */",
    "uint32_t %_wanted(const %_context *ctx);",
    "",
    NULL};

void ash_emit_stepping_functions(ash_module *m) {
  ash_emit_template(m, step_function);
  if (has_feeds(m))
    ash_emit_template(m, push_function);
}

/* ---- whole operators ----------------------------------------------------- */

static const char *const checks[] = {
    "  if (!ctx)", "    return $_NULL_CONTEXT;", "  if (!ctx->ready)",
    "    return $_NOT_INITIALISED;", NULL};

static const char *const whole_step[] = {
    "  const uint32_t i = ctx->position;",
    "  if (i < (uint32_t)%_step_count) {",
    "    if (ctx->callback)",
    "      ctx->callback(ctx->user, %_steps[i].op, 0);",
    "    %_steps[i].run(ctx);",
    "    if (ctx->callback)",
    "      ctx->callback(ctx->user, %_steps[i].op, 1);",
    "    ctx->position = i + 1u;",
    "  }",
    "  if (ctx->position < (uint32_t)%_step_count)",
    "    return $_MORE;",
    "  ctx->position = 0;",
    "  return $_OK;",
    "}",
    "",
    NULL};

/* ---- rows ---------------------------------------------------------------- */

/* What a run starts with. */
static void put_begin(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "/* Before the first step. */");
  ash_text_line(t, "static void %s_begin(%s_context *ctx) {", m->prefix,
                m->prefix);
  ash_text_line(t, "  for (int i = 0; i < %" PRIu32 "; i++)",
                m->rows->source_count);
  ash_text_line(t, "    ctx->made[i] = 0;");
  for (uint32_t i = 0; i < m->rows->tensor_count; i++)
    if (m->rows->tensors[i].moves)
      ash_text_line(t,
                    "  %s_RT_COPY(ctx->rows_%" PRIu32 ", %s_rows_%" PRIu32
                    ", sizeof %s_rows_%" PRIu32 ");",
                    m->upper, i, m->prefix, i, m->prefix, i);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static const char *const next[] = {
    "static int %_next(%_context *ctx) {",
    "  ctx->position += %_order[ctx->position] & %_counted ? 2u : 1u;",
    "  if (ctx->position < (uint32_t)%_order_count)",
    "    return $_MORE;",
    "  ctx->position = 0;",
    "  return $_OK;",
    "}",
    "",
    NULL};

/* Inputs that are fed: which, where their rows go, and how long they are. */
static void put_feeds(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "static const struct {");
  ash_text_line(t, "  uint32_t input, row_bytes;");
  ash_text_line(t, "} %s_feeds[] = {", m->prefix);
  for (uint32_t i = 0; i < m->rows->feed_count; i++) {
    const uint32_t input = m->rows->sources[i].input;
    ash_text_line(
        t, "    {%" PRIu32 ", %" PRIu64 "},", input,
        ash_domain_row_bytes(&m->g->tensors.items[m->g->inputs[input]]));
  }
  ash_text_line(t, "};");
  ash_text_line(t, "enum { %s_feed_count = %" PRIu32 " };", m->prefix,
                m->rows->feed_count);
  ash_text_blank(t);
  ash_text_line(t,
                "static uint8_t *%s_fed_row(const %s_context *ctx, uint32_t "
                "feed) {",
                m->prefix, m->prefix);
  ash_text_line(t, "  const uint32_t row = ctx->made[feed];");
  ash_text_line(t, "  (void)row; /* of an input of one row */");
  ash_text_line(t, "  switch (feed) {");
  for (uint32_t i = 0; i < m->rows->feed_count; i++) {
    const uint32_t tensor = m->g->inputs[m->rows->sources[i].input];
    const ash_row_tensor *r = ash_emit_rows_of(m, tensor);
    ash_text_line(t, "  case %" PRIu32 ":", i);
    if (r)
      ash_text_line(t, "    return %s;", ash_emit_row_at(m, r, "row"));
    else
      ash_text_line(t, "    return %s + row * %" PRIu64 "u;",
                    ash_emit_tensor(m, tensor),
                    ash_domain_row_bytes(&m->g->tensors.items[tensor]));
  }
  ash_text_line(t, "  default:");
  ash_text_line(t, "    return 0;");
  ash_text_line(t, "  }");
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static const char *const pull[] = {
    "/* Asks for the next row of an input. */",
    "static int %_pull(%_context *ctx, uint32_t feed, uint32_t rows) {",
    "  if (!ctx->fill ||",
    "      (rows && ctx->fill(ctx->user, %_feeds[feed].input,",
    "                         ctx->made[feed], %_fed_row(ctx, feed))))",
    "    return $_WANTS_ROW;",
    "  ctx->made[feed]++;",
    "  return %_next(ctx);",
    "}",
    "",
    NULL};

/* The source whose operator makes an output, or what it shows. */
static uint32_t maker_of(const ash_module *m, uint32_t tensor) {
  ASH_ASSERT(m->rows);
  const uint32_t root = m->rows->root[tensor];
  for (uint32_t i = 0; i < m->rows->source_count; i++) {
    const ash_row_source *s = &m->rows->sources[i];
    for (uint32_t k = 0;
         s->kind == ASH_ROWS_OP && k < m->g->ops.items[s->op].output_count; k++)
      if (m->g->ops.items[s->op].outputs[k] == root)
        return i;
  }
  return ASH_NO_ID;
}

/* Output `index`, whose rows are made one by one or all at once. */
static void put_leaving(ash_module *m, uint32_t index) {
  const uint32_t tensor = m->g->outputs[index];
  const ash_row_tensor *r = ash_emit_rows_of(m, tensor);
  const ash_tensor *x = ash_emit_rows_shown(m, tensor);
  const uint32_t maker = maker_of(m, tensor);
  ASH_ASSERT(maker != ASH_NO_ID);
  ash_text *t = m->text;
  ash_text_line(t, "  if (what == %" PRIu32 ")", maker);
  if (m->code[m->rows->sources[maker].op].rows == ASH_CODE_WHOLE)
    ash_text_line(t, "    for (uint32_t row = 0; row < %" PRIu32 "; row++)",
                  ash_domain_row_count(x));
  else
    ash_text_line(t, "    for (uint32_t row = from; row < to; row++)");
  ash_text_line(t, "      ctx->drain(ctx->user, %" PRIu32 ", row, %s);", index,
                r ? ash_emit_row_at(m, r, "row")
                  : ash_zone_format(&m->ctx->scratch, "%s + row * %" PRIu64,
                                    ash_emit_tensor(m, tensor),
                                    ash_domain_row_bytes(x)));
}

static void put_drain(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "/* Rows that were just made leave. */");
  ash_text_line(t,
                "static void %s_leave(const %s_context *ctx, uint32_t what, "
                "uint32_t from,",
                m->prefix, m->prefix);
  ash_text_line(t, "    uint32_t to) {");
  ash_text_line(t,
                "  (void)from, (void)to; /* of an operator that runs whole */");
  for (uint32_t i = 0; i < m->g->output_count; i++)
    if (ash_emit_is_drained(m, i))
      put_leaving(m, i);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static const char *const row_step[] = {
    "  if (ctx->position == 0)", "    %_begin(ctx);",
    "  const uint32_t what = %_order[ctx->position] & ~%_counted;",
    "  const uint32_t rows = %_entry_rows(ctx->position);", NULL};

static const char *const step_feed[] = {"  if (what < (uint32_t)%_feed_count)",
                                        "    return %_pull(ctx, what, rows);",
                                        NULL};

static const char *const step_rows[] = {
    "  const uint32_t from = ctx->made[what], to = from + rows;", NULL};

static const char *const step_op[] = {
    "  if (ctx->callback)",
    "    ctx->callback(ctx->user, %_steps[op].op, 0);",
    "  %_steps[op].run(ctx, (int32_t)from, (int32_t)to);",
    "  if (ctx->callback)",
    "    ctx->callback(ctx->user, %_steps[op].op, 1);",
    NULL};

static void put_row_step(ash_module *m) {
  ash_text *t = m->text;
  const ash_rows *r = m->rows;
  const char *type = ash_emit_row_count_type(m);
  if (ash_emit_has_drains(m)) {
    ash_text_line(t, "  if (!ctx->drain)");
    ash_text_line(t, "    return %s_DRAIN_MISSING;", m->upper);
  }
  ash_emit_template(m, row_step);
  if (has_feeds(m))
    ash_emit_template(m, step_feed);
  ash_emit_template(m, step_rows);
  ash_text_line(t, "  ctx->made[what] = (%s)to;", type);
  if (r->moves.count > 0) {
    ash_text_line(t, "  if (what == %" PRIu32 ") {", r->feed_count);
    ash_text_line(t, "    %s_move(ctx, from, to);", m->prefix);
    ash_text_line(t, "    return %s_next(ctx);", m->prefix);
    ash_text_line(t, "  }");
  }
  ash_text_line(t, "  const uint32_t op = what - %" PRIu32 ";",
                r->source_count - ash_emit_row_ops(m));
  ash_emit_template(m, step_op);
  if (ash_emit_has_drains(m))
    ash_text_line(t, "  %s_leave(ctx, what, from, to);", m->prefix);
  ash_text_line(t, "  return %s_next(ctx);", m->prefix);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static const char *const push[] = {
    "uint32_t %_wanted(const %_context *ctx) {",
    "  const uint32_t what =",
    "      ctx ? %_order[ctx->position] & ~%_counted : %_feed_count;",
    "  return what < (uint32_t)%_feed_count ? %_feeds[what].input",
    "                                       : $_INPUT_COUNT;",
    "}",
    "",
    "/* Runs until a row is wanted that is not pulled. */",
    "static int %_until_wanted(%_context *ctx, uint32_t input) {",
    "  int status = $_MORE;",
    "  while (status == $_MORE) {",
    "    const uint32_t wanted = %_wanted(ctx);",
    "    if (wanted == input || (!ctx->fill && wanted < $_INPUT_COUNT))",
    "      break;",
    "    status = %_step(ctx);",
    "  }",
    "  return status;",
    "}",
    "",
    "int %_push_row(%_context *ctx, uint32_t input, const void *row) {",
    "  if (!ctx)",
    "    return $_NULL_CONTEXT;",
    "  if (!ctx->ready)",
    "    return $_NOT_INITIALISED;",
    "  if (!row)",
    "    return $_NULL_BUFFER;",
    "  int status = %_until_wanted(ctx, input);",
    "  if (status != $_MORE)",
    "    return status == $_OK ? $_NOT_WANTED : status;",
    "  if (%_wanted(ctx) != input)",
    "    return $_NOT_WANTED;",
    "  if (ctx->position == 0)",
    "    %_begin(ctx);",
    "  const uint32_t feed = %_order[ctx->position] & ~%_counted;",
    "  if (%_entry_rows(ctx->position))",
    "    $_RT_COPY(%_fed_row(ctx, feed), row, %_feeds[feed].row_bytes);",
    "  ctx->made[feed]++;",
    "  status = %_next(ctx);",
    "  return status == $_MORE ? %_until_wanted(ctx, input) : status;",
    "}",
    "",
    NULL};

/* ---- <prefix>.c ---------------------------------------------------------- */

static const char *const restart[] = {"int %_restart(%_context *ctx) {",
                                      "  if (!ctx)",
                                      "    return $_NULL_CONTEXT;",
                                      "  if (!ctx->ready)",
                                      "    return $_NOT_INITIALISED;",
                                      "  ctx->position = 0;",
                                      "  return $_OK;",
                                      "}",
                                      "",
                                      "int %_run(%_context *ctx) {",
                                      "  int status = %_restart(ctx);",
                                      "  if (status != $_OK)",
                                      "    return status;",
                                      "  do",
                                      "    status = %_step(ctx);",
                                      "  while (status == $_MORE);",
                                      "  return status;",
                                      "}",
                                      "",
                                      NULL};

static void put_row_functions(ash_module *m) {
  put_begin(m);
  ash_emit_template(m, next);
  if (has_feeds(m)) {
    put_feeds(m);
    ash_emit_template(m, pull);
  }
  if (ash_emit_has_drains(m))
    put_drain(m);
}

void ash_emit_stepping(ash_module *m) {
  ASH_ASSERT(ash_emit_is_stepped(m));
  if (m->rows)
    put_row_functions(m);
  ash_text_line(m->text, "int %s_step(%s_context *ctx) {", m->prefix,
                m->prefix);
  ash_emit_template(m, checks);
  if (m->rows)
    put_row_step(m);
  else
    ash_emit_template(m, whole_step);
  if (has_feeds(m))
    ash_emit_template(m, push);
  ash_emit_template(m, restart);
}
