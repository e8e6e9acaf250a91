/* report_html.c - a plan as one HTML file: viewer/index.html, in which every
 * tag that names another file is replaced by that file, and the two empty
 * places for plans by their JSON. */
#include "ashlar/report.h"
#include "base/assert.h"
#include "base/embedded.h"
#include "base/json.h"
#include "base/text.h"

#include <string.h>

/* The files of viewer/; the first is index.html. Made by the build. */
extern const ash_embedded ash_viewer_files[];

/* A tag of index.html: what stands before the name of a file and behind it,
 * and what goes around the file's text instead. */
typedef struct tag {
  const char *before, *behind, *open, *close;
} tag;

static const tag tags[] = {
    {"<link rel=\"stylesheet\" href=\"", "\">", "<style>\n", "</style>"},
    {"<script src=\"", "\"></script>", "<script>\n", "</script>"},
    {"<script type=\"application/json\" id=\"", "\"></script>", NULL, NULL},
};

typedef struct json_text {
  const char *id, *bytes;
  size_t count;
} json_text;

/* JSON without the blanks between its parts, and harmless inside a script
 * element: `<` can only stand in a string, where JSON may escape it. */
static void put_json(ash_text *t, const char *json, size_t count) {
  bool in_string = false;
  size_t from = 0;
  for (size_t i = 0; i < count; i++) {
    const char c = json[i];
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (c == '"')
      in_string = !in_string;
    if (in_string && c == '\\' && i + 1 < count && json[i + 1] != '<') {
      i++;
    } else if (c == '<' || (blank && !in_string)) {
      ash_text_put(t, json + from, i - from);
      if (c == '<')
        ash_text_string(t, "\\u003c");
      from = i + 1;
    }
  }
  ash_text_put(t, json + from, count - from);
}

static const ash_embedded *find_file(const char *name, size_t count) {
  for (const ash_embedded *f = ash_viewer_files; f->name; f++)
    if (strlen(f->name) == count && memcmp(f->name, name, count) == 0)
      return f;
  return NULL;
}

/* What the tag at `at` stands for; returns where the template goes on. */
static const char *put_tag(ash_text *t, const tag *g, const char *at,
                           const json_text *plans) {
  const char *name = at + strlen(g->before);
  const size_t count = strcspn(name, "\"");
  const char *end = name + count + strlen(g->behind);
  if (g->open) {
    const ash_embedded *file = find_file(name, count);
    ash_text_string(t, g->open);
    if (file)
      ash_text_put(t, file->text, file->bytes);
    ash_text_string(t, g->close);
    return end;
  }
  ash_text_put(t, at, (size_t)(end - at) - strlen("</script>"));
  for (const json_text *p = plans; p->id; p++)
    if (p->bytes && strlen(p->id) == count && memcmp(p->id, name, count) == 0)
      put_json(t, p->bytes, p->count);
  ash_text_string(t, "</script>");
  return end;
}

static const tag *tag_at(const char *at) {
  for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
    if (strncmp(at, tags[k].before, strlen(tags[k].before)) == 0)
      return &tags[k];
  return NULL;
}

static void put_page(ash_text *t, const json_text *plans) {
  const char *from = ash_viewer_files[0].text;
  for (const char *at = strchr(from, '<'); at;) {
    const tag *g = tag_at(at);
    if (!g) {
      at = strchr(at + 1, '<');
      continue;
    }
    ash_text_put(t, from, (size_t)(at - from));
    from = put_tag(t, g, at, plans);
    at = strchr(from, '<');
  }
  ash_text_string(t, from);
}

static ash_status make_page(ash_ctx *ctx, const char **text, size_t *count,
                            const json_text *plans) {
  ash_text t;
  *text = NULL;
  *count = 0;
  ash_text_init(&t, &ctx->mem);
  put_page(&t, plans);
  const size_t bytes = t.count;
  ash_text_put(&t, "", 1);
  *text = t.failed ? NULL : ash_zone_copy(&ctx->keep, t.bytes, t.count);
  ash_text_drop(&t);
  if (!*text)
    return ash_nomem(ctx);
  *count = bytes;
  return ASH_OK;
}

ash_status ash_report_html_json(ash_ctx *ctx, const char **text, size_t *count,
                                const char *json, size_t json_count,
                                const char *other, size_t other_count) {
  ASH_NEED(ctx, ctx && text && count && json && (other || other_count == 0));
  const json_text plans[] = {{"plan", json, json_count},
                             {"other", other, other_count},
                             {NULL, NULL, 0}};
  return make_page(ctx, text, count, plans);
}

ash_status ash_report_html(ash_ctx *ctx, const char **text, size_t *count,
                           const ash_plan *plan, const ash_graph *g) {
  ASH_NEED(ctx, ctx && text && count && plan && g);
  const char *json;
  size_t json_count;
  *text = NULL;
  *count = 0;
  ASH_TRY(ash_plan_json(ctx, &json, &json_count, plan, g));
  return ash_report_html_json(ctx, text, count, json, json_count, NULL, 0);
}

/* ---- a plan that does not fit -------------------------------------------- */

static void put_no_fit(ash_json *j, const ash_report_no_fit *why) {
  ash_json_open(j, NULL, '{');
  ash_json_open(j, "shortages", '[');
  for (size_t i = 0; i < why->shortage_count; i++) {
    ash_json_open(j, NULL, '{');
    ash_json_string(j, "memory", why->shortages[i].memory);
    ash_json_uint(j, "needs", why->shortages[i].needs);
    ash_json_uint(j, "has", why->shortages[i].has);
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
  ash_json_open(j, "fixes", '[');
  for (size_t i = 0; i < why->fix_count; i++) {
    ash_json_open(j, NULL, '{');
    ash_json_string(j, "command", why->fixes[i].command);
    ash_json_string(j, "meaning", why->fixes[i].meaning);
    ash_json_uint(j, "scratch", why->fixes[i].scratch);
    ash_json_string(j, "option", why->fixes[i].option);
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
  ash_json_close(j, '}');
}

/* The page of a plan with one more part, which `t` has as JSON; it is dropped.
 */
static ash_status make_page_with(ash_ctx *ctx, const char **text, size_t *count,
                                 const ash_plan *plan, const ash_graph *g,
                                 const char *id, ash_text *t) {
  json_text parts[] = {{"plan", NULL, 0}, {id, NULL, 0}, {NULL, NULL, 0}};
  *text = NULL;
  *count = 0;
  ash_status status = ash_text_check(ctx, t);
  parts[1].bytes = t->bytes;
  parts[1].count = t->count;
  if (status == ASH_OK)
    status = ash_plan_json(ctx, &parts[0].bytes, &parts[0].count, plan, g);
  if (status == ASH_OK)
    status = make_page(ctx, text, count, parts);
  ash_text_drop(t);
  return status;
}

ash_status ash_report_short_html(ash_ctx *ctx, const char **text, size_t *count,
                                 const ash_plan *plan, const ash_graph *g,
                                 const ash_report_no_fit *why) {
  ASH_NEED(ctx, ctx && text && count && plan && g && why &&
                    (why->shortages || why->shortage_count == 0) &&
                    (why->fixes || why->fix_count == 0));
  ash_text t;
  ash_json j;
  ash_text_init(&t, &ctx->mem);
  ash_json_init(&j, &t);
  put_no_fit(&j, why);
  return make_page_with(ctx, text, count, plan, g, "no-fit", &t);
}

/* ---- a plan among others ------------------------------------------------- */

static void put_curve(ash_json *j, const ash_report_curve *curve) {
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "memory", curve->memory);
  ash_json_uint(j, "chosen", curve->chosen);
  ash_json_open(j, "points", '[');
  for (size_t i = 0; i < curve->count; i++) {
    const ash_report_point *p = &curve->points[i];
    ash_json_open(j, NULL, '{');
    ash_json_uint(j, "bytes", p->bytes);
    ash_json_uint(j, "used", p->used);
    ash_json_uint(j, "cycles", p->cycles);
    ash_json_uint(j, "row_operators", p->row_operators);
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
  ash_json_close(j, '}');
}

ash_status ash_report_curve_html(ash_ctx *ctx, const char **text, size_t *count,
                                 const ash_plan *plan, const ash_graph *g,
                                 const ash_report_curve *curve) {
  ASH_NEED(ctx, ctx && text && count && plan && g && curve &&
                    (curve->points || curve->count == 0));
  ash_text t;
  ash_json j;
  ash_text_init(&t, &ctx->mem);
  ash_json_init(&j, &t);
  put_curve(&j, curve);
  return make_page_with(ctx, text, count, plan, g, "sweep", &t);
}

/* ---- a certificate ------------------------------------------------------- */

static void put_certificate(ash_text *t, const ash_report_certificate *c) {
  ash_json j;
  ash_json_init(&j, t);
  ash_json_open(&j, NULL, '{');
  ash_json_string(&j, "file", c->file);
  ash_json_bool(&j, "order", c->order);
  ash_json_uint(&j, "arenas", c->arenas);
  ash_json_uint(&j, "shown", c->shown);
  ash_json_close(&j, '}');
}

/* The page with more bytes at `at`. */
static ash_status insert(ash_ctx *ctx, const char **text, size_t *count,
                         size_t at, const ash_text *more) {
  ash_text t;
  ASH_ASSERT(at <= *count);
  ash_text_init(&t, &ctx->mem);
  ash_text_put(&t, *text, at);
  put_json(&t, more->bytes, more->count);
  ash_text_put(&t, *text + at, *count - at + 1);
  const char *page =
      t.failed ? NULL : ash_zone_copy(&ctx->keep, t.bytes, t.count);
  const size_t bytes = t.count;
  ash_text_drop(&t);
  if (!page)
    return ash_nomem(ctx);
  *text = page;
  *count = bytes - 1;
  return ASH_OK;
}

ash_status ash_report_certified(ash_ctx *ctx, const char **text, size_t *count,
                                const ash_report_certificate *certificate) {
  static const char place[] = "id=\"certificate\">";
  ASH_NEED(ctx,
           ctx && text && *text && count && certificate && certificate->file);
  const char *found = strstr(*text, place);
  ASH_NEED(ctx, found);
  ash_text more;
  ash_text_init(&more, &ctx->mem);
  put_certificate(&more, certificate);
  ash_status status = ash_text_check(ctx, &more);
  if (status == ASH_OK)
    status = insert(ctx, text, count,
                    (size_t)(found - *text) + sizeof place - 1, &more);
  ash_text_drop(&more);
  return status;
}
