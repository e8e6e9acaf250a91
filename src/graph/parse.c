/* parse.c - textual form -> graph (docs/ir.md). A line at a time, a word at a
 * time; the first error names the line. Tensors are looked up through a sorted
 * index built after the tensor lines, so parsing stays near-linear. */
#include "base/sort.h"
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct name {
  const char *id;
  uint32_t index;
} name;

typedef struct parser {
  ash_ctx *ctx;
  ash_graph *g;
  const char *file;
  const char *at, *end; /* of the current line */
  uint32_t line;
  struct {
    name *items;
    size_t capacity;
  } names; /* sorted by id once `sorted` */
  size_t name_count;
  bool sorted;
} parser;

/* A word for which there was no memory is not a wrong one. */
static ash_status syntax(parser *p, const char *expected) {
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  ash_loc at = ASH_NOWHERE;
  at.file = p->file;
  at.line = p->line;
  const size_t left = (size_t)(p->end - p->at);
  return ash_fail(p->ctx, ASH_MALFORMED, ASH_D_ir_syntax, at,
                  "expected %s before '%.*s'", expected,
                  (int)(left < 24 ? left : 24), p->at);
}

static void skip_blanks(parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
    p->at++;
}

static bool take(parser *p, const char *token) {
  const size_t n = strlen(token);
  skip_blanks(p);
  if ((size_t)(p->end - p->at) < n || memcmp(p->at, token, n) != 0)
    return false;
  p->at += n;
  return true;
}

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' ||
         c == '+' || c == '/' || c == ':';
}

/* A run of word characters, copied into the scratch zone. */
static const char *take_word(parser *p) {
  skip_blanks(p);
  const char *start = p->at;
  while (p->at < p->end && word_char(*p->at))
    p->at++;
  const size_t n = (size_t)(p->at - start);
  char *word = ASH_NEW_ARRAY(&p->ctx->scratch, char, n + 1);
  if (word)
    memcpy(word, start, n);
  return word && n ? word : NULL;
}

static bool take_int(parser *p, int64_t *out) {
  const char *word = take_word(p);
  char *end;
  if (!word)
    return false;
  errno = 0;
  const long long value = strtoll(word, &end, 10);
  *out = value;
  return *end == '\0' && errno == 0;
}

static bool take_double(parser *p, double *out) {
  const char *word = take_word(p);
  char *end;
  if (!word)
    return false;
  *out = strtod(word, &end);
  return *end == '\0';
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "text" with \xHH escapes; the result is never longer than the source. */
static const char *take_quoted(parser *p) {
  if (!take(p, "\""))
    return NULL;
  char *text =
      ASH_NEW_ARRAY(&p->ctx->scratch, char, (size_t)(p->end - p->at) + 1);
  char *to = text;
  while (text && p->at < p->end && *p->at != '"') {
    if (*p->at != '\\') {
      *to++ = *p->at++;
      continue;
    }
    if (p->end - p->at < 4 || p->at[1] != 'x' || hex_digit(p->at[2]) < 0 ||
        hex_digit(p->at[3]) < 0)
      return NULL;
    *to++ = (char)(hex_digit(p->at[2]) << 4 | hex_digit(p->at[3]));
    p->at += 4;
  }
  if (!text || p->at == p->end)
    return NULL;
  p->at++;
  return text;
}

/* ---- tensors ------------------------------------------------------------ */

static bool take_kind(parser *p, ash_tensor_kind *kind) {
  static const char *const text[] = {"activation", "input", "constant",
                                     "variable"};
  for (unsigned i = 0; i < ASH_COUNT_OF(text); i++)
    if (take(p, text[i])) {
      *kind = (ash_tensor_kind)i;
      return true;
    }
  return false;
}

static ash_status parse_type(parser *p, ash_tensor *t) {
  const char *word = take_word(p);
  for (unsigned i = 1; word && i < ASH_TYPE_COUNT; i++)
    if (strcmp(word, ash_type_text((ash_type)i)) == 0)
      t->type = (ash_type)i;
  if (t->type == ASH_NONE)
    return syntax(p, "an element type such as int8");
  if (!take(p, "["))
    return syntax(p, "'[' and a shape");
  while (!take(p, "]")) {
    int64_t dim;
    if (t->shape.rank && !take(p, ","))
      return syntax(p, "',' or ']'");
    if (t->shape.rank == ASH_RANK_MAX || !take_int(p, &dim) || dim < 0 ||
        dim > INT32_MAX)
      return syntax(p, "a dimension (at most eight, not negative)");
    t->shape.dim[t->shape.rank++] = (int32_t)dim;
  }
  return ASH_OK;
}

static size_t count_commas(const parser *p) {
  size_t n = 1;
  for (const char *c = p->at; c < p->end && *c != ']'; c++)
    n += *c == ',';
  return n;
}

static ash_status parse_quant(parser *p, ash_quant *q) {
  int64_t axis, zero;
  double scale;
  if (!take(p, "axis"))
    return ASH_OK;
  if (!take_int(p, &axis) || !take(p, "scale") || !take(p, "["))
    return syntax(p, "an axis, then 'scale ['");
  const size_t n = count_commas(p);
  float *scales = ASH_NEW_ARRAY(&p->ctx->scratch, float, n);
  int32_t *zeros = ASH_NEW_ARRAY(&p->ctx->scratch, int32_t, n);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  for (size_t i = 0; i < n; i++) {
    if ((i && !take(p, ",")) || !take_double(p, &scale))
      return syntax(p, "a scale");
    scales[i] = (float)scale;
  }
  if (!take(p, "]") || !take(p, "zero") || !take(p, "["))
    return syntax(p, "'] zero ['");
  for (size_t i = 0; i < n; i++) {
    if ((i && !take(p, ",")) || !take_int(p, &zero) || zero < INT32_MIN ||
        zero > INT32_MAX)
      return syntax(p, "as many zero points as scales");
    zeros[i] = (int32_t)zero;
  }
  if (!take(p, "]"))
    return syntax(p, "']'");
  const bool once = take(p, "once");
  *q = (ash_quant){(uint32_t)n, (int32_t)axis, scales, zeros, once};
  return ASH_OK;
}

static ash_status parse_data(parser *p, ash_tensor *t) {
  uint64_t bytes;
  if (!take(p, "data"))
    return ASH_OK;
  (void)take(p, "empty");
  skip_blanks(p);
  if (!ash_shape_bytes(&bytes, &t->shape, t->type) ||
      (uint64_t)(p->end - p->at) < bytes * 2)
    return syntax(p, "as many bytes of data as the shape needs");
  uint8_t *data = ash_zone_alloc(&p->g->zone, bytes ? (size_t)bytes : 1, 1, 16);
  if (!data)
    return ash_nomem(p->ctx);
  for (uint64_t i = 0; i < bytes; i++, p->at += 2) {
    const int high = hex_digit(p->at[0]), low = hex_digit(p->at[1]);
    if (high < 0 || low < 0)
      return syntax(p, "two lower-case hex digits a byte");
    data[i] = (uint8_t)(high << 4 | low);
  }
  t->data = data;
  return ASH_OK;
}

static ash_status parse_tensor(parser *p) {
  ash_tensor t = {.file_byte = UINT64_MAX};
  uint32_t index;
  if (!take(p, "%"))
    return syntax(p, "'%' and an id");
  t.id = take_word(p);
  if (!t.id || !take_kind(p, &t.kind))
    return syntax(p, "an id, then activation, input, constant or variable");
  ASH_TRY(parse_type(p, &t));
  ASH_TRY(parse_quant(p, &t.quant));
  t.name = take_quoted(p);
  if (!t.name)
    return syntax(p, "the tensor's name in quotes");
  ASH_TRY(parse_data(p, &t));
  ASH_TRY(ash_graph_add_tensor(p->g, &index, t));
  if (!ASH_GROW(&p->ctx->scratch, &p->names, p->name_count))
    return ash_nomem(p->ctx);
  p->names.items[p->name_count++] =
      (name){p->g->tensors.items[index].id, index};
  p->sorted = false;
  return ASH_OK;
}

static int by_id(const void *a, const void *b, const void *user) {
  (void)user;
  return strcmp(((const name *)a)->id, ((const name *)b)->id);
}

static ash_status find_tensor(parser *p, const char *id, uint32_t *out) {
  if (!p->sorted) {
    name *spare = ASH_NEW_ARRAY(&p->ctx->scratch, name, p->name_count + 1);
    if (!spare)
      return ash_nomem(p->ctx);
    ash_sort(p->names.items, spare, p->name_count, sizeof *spare, by_id, NULL);
    p->sorted = true;
  }
  size_t low = 0, high = p->name_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(p->names.items[middle].id, id) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == p->name_count || strcmp(p->names.items[low].id, id) != 0)
    return syntax(p, "a tensor declared above");
  *out = p->names.items[low].index;
  return ASH_OK;
}

/* ---- operators ---------------------------------------------------------- */

typedef struct id_list {
  uint32_t *items;
  size_t capacity;
} id_list;

/* "(%a, _, %b)" */
static ash_status parse_list(parser *p, id_list *list, uint32_t *count) {
  *count = 0;
  *list = (id_list){0};
  if (!take(p, "("))
    return syntax(p, "'('");
  while (!take(p, ")")) {
    uint32_t id = ASH_NO_ID;
    if (*count && !take(p, ","))
      return syntax(p, "',' or ')'");
    if (!take(p, "_")) {
      const char *word = take(p, "%") ? take_word(p) : NULL;
      if (!word)
        return syntax(p, "'%' and an id, or '_'");
      ASH_TRY(find_tensor(p, word, &id));
    }
    if (!ASH_GROW(&p->ctx->scratch, list, *count))
      return ash_nomem(p->ctx);
    list->items[(*count)++] = id;
  }
  return ASH_OK;
}

static ash_status parse_ints(parser *p, ash_attr *a) {
  const size_t most = count_commas(p);
  int64_t *ints = ASH_NEW_ARRAY(&p->ctx->scratch, int64_t, most);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  a->kind = ASH_ATTR_INTS;
  a->ints = ints;
  while (!take(p, "]")) {
    if ((a->count && !take(p, ",")) || a->count == most ||
        !take_int(p, &ints[a->count]))
      return syntax(p, "integers, then ']'");
    a->count++;
  }
  return ASH_OK;
}

static ash_status parse_value(parser *p, ash_attr *a) {
  skip_blanks(p);
  if (p->at < p->end && *p->at == '"') {
    a->kind = ASH_ATTR_STRING;
    a->s = take_quoted(p);
    return a->s ? ASH_OK : syntax(p, "a quoted text");
  }
  if (take(p, "["))
    return parse_ints(p, a);
  const char *start = p->at;
  if (take_int(p, &a->i)) {
    a->kind = ASH_ATTR_INT;
    return ASH_OK;
  }
  p->at = start;
  a->kind = ASH_ATTR_FLOAT;
  return take_double(p, &a->f) ? ASH_OK : syntax(p, "a value");
}

static ash_status parse_attrs(parser *p, uint32_t op) {
  for (;;) {
    skip_blanks(p);
    if (p->at == p->end)
      return ASH_OK;
    if (*p->at == '"') {
      const char *quoted = take_quoted(p);
      if (!quoted)
        return syntax(p, "the operator's name in quotes");
      p->g->ops.items[op].name = ash_zone_string(&p->g->zone, quoted);
      continue;
    }
    ash_attr a = {.name = take_word(p)};
    if (!a.name || !take(p, "="))
      return syntax(p, "an attribute, name=value");
    ASH_TRY(parse_value(p, &a));
    ASH_TRY(ash_graph_set_attr(p->g, op, a));
  }
}

static ash_status parse_op(parser *p) {
  ash_op op = {0};
  id_list in, out;
  int64_t index;
  uint32_t made;
  op.id = take_word(p);
  if (!op.id || !take_int(p, &index) || index < 0 || index > INT32_MAX)
    return syntax(p, "the operator's id and source index");
  op.source_index = (uint32_t)index;
  const char *kind = take_word(p);
  op.kind = kind ? ash_kind_find(kind) : ASH_OP_COUNT;
  if (op.kind == ASH_OP_COUNT)
    return syntax(p, "the name of a known operator");
  ASH_TRY(parse_list(p, &in, &op.input_count));
  if (!take(p, "->"))
    return syntax(p, "'->'");
  ASH_TRY(parse_list(p, &out, &op.output_count));
  op.inputs = in.items;
  op.outputs = out.items;
  ASH_TRY(ash_graph_add_op(p->g, &made, op));
  return parse_attrs(p, made);
}

static ash_status parse_ends(parser *p, bool inputs) {
  id_list list;
  uint32_t count;
  const uint32_t none = 0;
  ASH_TRY(parse_list(p, &list, &count));
  for (uint32_t i = 0; i < count; i++)
    if (list.items[i] == ASH_NO_ID)
      return syntax(p, "tensors only");
  const uint32_t *ids = count ? list.items : &none;
  return inputs ? ash_graph_set_inputs(p->g, ids, count)
                : ash_graph_set_outputs(p->g, ids, count);
}

static ash_status parse_graph_line(parser *p) {
  const char *quoted = take_quoted(p);
  if (!quoted)
    return syntax(p, "the graph's name in quotes");
  p->g->name = ash_zone_string(&p->g->zone, quoted);
  return ash_zone_check(p->ctx, &p->g->zone);
}

static ash_status parse_line(parser *p) {
  ash_status status;
  skip_blanks(p);
  if (p->at == p->end || *p->at == '#')
    return ASH_OK;
  if (take(p, "tensor "))
    status = parse_tensor(p);
  else if (take(p, "op "))
    status = parse_op(p);
  else if (take(p, "inputs"))
    status = parse_ends(p, true);
  else if (take(p, "outputs"))
    status = parse_ends(p, false);
  else if (take(p, "graph "))
    status = parse_graph_line(p);
  else
    return syntax(p, "graph, tensor, op, inputs or outputs");
  if (status != ASH_OK)
    return status;
  skip_blanks(p);
  return p->at == p->end ? ASH_OK : syntax(p, "the end of the line");
}

/* Whoever declares an input must list it: nobody would write it otherwise. */
static ash_status check_inputs(parser *p) {
  const ash_graph *g = p->g;
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    bool listed = g->tensors.items[t].kind != ASH_TENSOR_INPUT;
    for (size_t i = 0; i < g->input_count && !listed; i++)
      listed = g->inputs[i] == t;
    if (!listed)
      return ash_fail(p->ctx, ASH_MALFORMED, ASH_D_ir_syntax,
                      ash_graph_loc(g, ASH_NO_ID, t),
                      "an input that the line 'inputs' does not list");
  }
  return ASH_OK;
}

static ash_status parse(parser *p, const char *text, size_t count) {
  const char *end = text + count;
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    p->at = text;
    p->end = stop ? stop : end;
    p->line++;
    ASH_TRY(parse_line(p));
    text = stop ? stop + 1 : end;
  }
  ASH_TRY(ash_zone_check(p->ctx, &p->g->zone));
  return check_inputs(p);
}

ash_status ash_graph_parse(ash_ctx *ctx, ash_graph **out, const char *text,
                           size_t count, const char *file) {
  ASH_NEED(ctx, ctx && out && text);
  parser p = {.ctx = ctx, .file = file};
  *out = NULL;
  ASH_TRY(ash_graph_new(ctx, &p.g, NULL, file));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = parse(&p, text, count);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status != ASH_OK)
    ash_graph_free(p.g);
  else
    *out = p.g;
  return status;
}
