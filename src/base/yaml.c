/* yaml.c - libyaml's events into a tree. The accessors are in yaml_get.c.
 *
 * libyaml calls malloc for its own buffers and offers no way to replace it;
 * they are freed before ash_yaml_parse returns. Everything kept is in our
 * zones. The tree is built with an explicit stack of limited depth. */
#include "base/yaml.h"
#include "base/sort.h"

#include <string.h>
#include <yaml.h>

typedef struct frame { /* a list or map whose end has not come yet */
  ash_yaml *node;
  ash_yaml_item *last;
  const char *key; /* of a map: read, and its value not yet */
  uint32_t key_line;
} frame;

typedef struct anchor {
  const char *name;
  const ash_yaml *node;
  bool complete;
} anchor;

typedef struct builder {
  ash_ctx *ctx;
  ash_zone *zone;
  const char *file;
  const ash_yaml *root;
  frame stack[ASH_YAML_DEPTH_MAX];
  size_t depth;
  anchor anchors[ASH_YAML_ANCHORS_MAX];
  size_t anchor_count;
  size_t nodes; /* aliases expanded */
} builder;

static uint32_t line_of(yaml_mark_t mark) {
  return mark.line < UINT32_MAX - 1 ? (uint32_t)mark.line + 1 : UINT32_MAX - 1;
}

static ash_loc at_line(const builder *b, uint32_t line) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = b->file;
  loc.line = line;
  return loc;
}

static ash_status fail_syntax(builder *b, const yaml_parser_t *parser) {
  if (parser->error == YAML_MEMORY_ERROR)
    return ash_nomem(b->ctx);
  const char *problem = parser->problem ? parser->problem : "cannot be read";
  const ash_loc at = at_line(b, line_of(parser->problem_mark));
  if (parser->error == YAML_READER_ERROR) {
    ash_loc byte = at_line(b, UINT32_MAX);
    byte.byte = parser->problem_offset;
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_syntax, byte, "%s",
                    problem);
  }
  if (!parser->context)
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_syntax, at, "%s",
                    problem);
  return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_syntax, at,
                  "%s (%s, line %u)", problem, parser->context,
                  (unsigned)line_of(parser->context_mark));
}

static ash_status count_nodes(builder *b, size_t more, uint32_t line) {
  if (more <= ASH_YAML_NODES_MAX - b->nodes) {
    b->nodes += more;
    return ASH_OK;
  }
  return ash_fail(b->ctx, ASH_LIMIT, ASH_D_yaml_limit, at_line(b, line),
                  "more than %d values, aliases counted each time",
                  ASH_YAML_NODES_MAX);
}

/* ---- anchors ------------------------------------------------------------ */

static ash_status add_anchor(builder *b, const yaml_char_t *name,
                             const ash_yaml *node) {
  if (!name)
    return ASH_OK;
  if (b->anchor_count == ASH_YAML_ANCHORS_MAX)
    return ash_fail(b->ctx, ASH_LIMIT, ASH_D_yaml_limit, at_line(b, node->line),
                    "more than %d anchors", ASH_YAML_ANCHORS_MAX);
  const char *kept = ash_zone_string(b->zone, (const char *)name);
  if (!kept)
    return ash_nomem(b->ctx);
  b->anchors[b->anchor_count++] =
      (anchor){kept, node, node->kind == ASH_YAML_SCALAR};
  return ASH_OK;
}

static void complete_anchor(builder *b, const ash_yaml *node) {
  for (size_t i = b->anchor_count; i-- > 0;)
    if (b->anchors[i].node == node)
      b->anchors[i].complete = true;
}

static ash_status find_anchor(builder *b, const ash_yaml **out,
                              const char *name, uint32_t line) {
  for (size_t i = b->anchor_count; i-- > 0;) {
    if (strcmp(b->anchors[i].name, name) != 0)
      continue;
    if (!b->anchors[i].complete)
      return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_alias, at_line(b, line),
                      "*%s stands inside what it names", name);
    *out = b->anchors[i].node;
    return ASH_OK;
  }
  return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_alias, at_line(b, line),
                  "*%s names no anchor above it", name);
}

/* ---- the tree ----------------------------------------------------------- */

/* Puts a finished node, or one about to be filled, where it belongs. */
static ash_status attach(builder *b, const ash_yaml *node, uint32_t line) {
  if (b->depth == 0) {
    b->root = node;
    return ASH_OK;
  }
  frame *top = &b->stack[b->depth - 1];
  ash_yaml_item *item = ASH_NEW(b->zone, ash_yaml_item);
  if (!item)
    return ash_nomem(b->ctx);
  *item =
      (ash_yaml_item){top->key, top->key ? top->key_line : line, node, NULL};
  if (top->last)
    top->last->next = item;
  else
    top->node->first = item;
  top->last = item;
  top->node->count++;
  top->key = NULL;
  return ASH_OK;
}

static bool wants_key(const builder *b) {
  return b->depth && b->stack[b->depth - 1].node->kind == ASH_YAML_MAP &&
         !b->stack[b->depth - 1].key;
}

static ash_status new_node(builder *b, ash_yaml **out, ash_yaml_kind kind,
                           const yaml_event_t *event) {
  ash_yaml *node = ASH_NEW(b->zone, ash_yaml);
  *out = node;
  if (!node)
    return ash_nomem(b->ctx);
  *node = (ash_yaml){.kind = kind,
                     .line = line_of(event->start_mark),
                     .weight = 1,
                     .file = b->file,
                     .text = ""};
  return count_nodes(b, 1, node->line);
}

static ash_status refuse_tag(builder *b, const yaml_event_t *event,
                             const yaml_char_t *tag) {
  if (!tag)
    return ASH_OK;
  return ash_fail(b->ctx, ASH_UNSUPPORTED, ASH_D_yaml_tag,
                  at_line(b, line_of(event->start_mark)),
                  "the tag %s is not supported", (const char *)tag);
}

static ash_status add_scalar(builder *b, const yaml_event_t *event) {
  const uint32_t line = line_of(event->start_mark);
  const size_t count = event->data.scalar.length;
  ASH_TRY(refuse_tag(b, event, event->data.scalar.tag));
  if (memchr(event->data.scalar.value, '\0', count))
    return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_syntax, at_line(b, line),
                    "a NUL character inside a text");
  const char *text =
      ash_zone_copy(b->zone, event->data.scalar.value, count + 1);
  if (!text)
    return ash_nomem(b->ctx);
  if (wants_key(b)) {
    b->stack[b->depth - 1].key = text;
    b->stack[b->depth - 1].key_line = line;
    return ASH_OK;
  }
  ash_yaml *node;
  ASH_TRY(new_node(b, &node, ASH_YAML_SCALAR, event));
  node->text = text;
  node->count = count;
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  ASH_TRY(add_anchor(b, event->data.scalar.anchor, node));
  return attach(b, node, line);
}

static ash_status refuse_key(builder *b, uint32_t line) {
  return ash_fail(b->ctx, ASH_UNSUPPORTED, ASH_D_yaml_key, at_line(b, line),
                  "a key must be a plain text");
}

static ash_status open_container(builder *b, const yaml_event_t *event,
                                 ash_yaml_kind kind) {
  const uint32_t line = line_of(event->start_mark);
  const bool map = kind == ASH_YAML_MAP;
  ASH_TRY(refuse_tag(b, event,
                     map ? event->data.mapping_start.tag
                         : event->data.sequence_start.tag));
  if (wants_key(b))
    return refuse_key(b, line);
  if (b->depth == ASH_YAML_DEPTH_MAX)
    return ash_fail(b->ctx, ASH_LIMIT, ASH_D_yaml_limit, at_line(b, line),
                    "nested deeper than %d levels", ASH_YAML_DEPTH_MAX);
  ash_yaml *node;
  ASH_TRY(new_node(b, &node, kind, event));
  ASH_TRY(add_anchor(b,
                     map ? event->data.mapping_start.anchor
                         : event->data.sequence_start.anchor,
                     node));
  ASH_TRY(attach(b, node, line));
  b->stack[b->depth++] = (frame){.node = node};
  return ASH_OK;
}

static int by_key_then_line(const void *a, const void *b, const void *user) {
  const ash_yaml_item *x = *(const ash_yaml_item *const *)a;
  const ash_yaml_item *y = *(const ash_yaml_item *const *)b;
  (void)user;
  return strcmp(x->key, y->key);
}

/* Sorted, because a plan written by a program may have very large maps. */
static ash_status find_duplicate(builder *b, const ash_yaml *map) {
  ash_zone *scratch = &b->ctx->scratch;
  const ash_yaml_item **items =
      ASH_NEW_ARRAY(scratch, const ash_yaml_item *, map->count);
  const ash_yaml_item **spare =
      ASH_NEW_ARRAY(scratch, const ash_yaml_item *, map->count);
  ASH_TRY(ash_zone_check(b->ctx, scratch));
  size_t count = 0;
  for (const ash_yaml_item *i = map->first; i; i = i->next)
    items[count++] = i;
  ash_sort(items, spare, count, sizeof(ash_yaml_item *), by_key_then_line,
           NULL);
  for (size_t i = 1; i < count; i++)
    if (strcmp(items[i - 1]->key, items[i]->key) == 0)
      return ash_fail(b->ctx, ASH_MALFORMED, ASH_D_yaml_duplicate,
                      at_line(b, items[i]->line),
                      "the key '%s' is already given in line %u", items[i]->key,
                      (unsigned)items[i - 1]->line);
  return ASH_OK;
}

static ash_status check_duplicates(builder *b, const ash_yaml *map) {
  if (map->kind != ASH_YAML_MAP || map->count < 2)
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&b->ctx->scratch);
  const ash_status status = find_duplicate(b, map);
  ash_zone_rewind(&b->ctx->scratch, mark);
  return status;
}

static ash_status close_container(builder *b) {
  ash_yaml *node = b->stack[--b->depth].node;
  for (const ash_yaml_item *i = node->first; i; i = i->next)
    node->weight += i->node->weight; /* count_nodes bounds the sum */
  complete_anchor(b, node);
  return check_duplicates(b, node);
}

static ash_status add_alias(builder *b, const yaml_event_t *event) {
  const uint32_t line = line_of(event->start_mark);
  const ash_yaml *node = NULL;
  if (wants_key(b))
    return refuse_key(b, line);
  ASH_TRY(find_anchor(b, &node, (const char *)event->data.alias.anchor, line));
  ASH_TRY(count_nodes(b, node->weight, line));
  return attach(b, node, line);
}

static ash_status add_event(builder *b, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return add_scalar(b, event);
  case YAML_SEQUENCE_START_EVENT:
    return open_container(b, event, ASH_YAML_LIST);
  case YAML_MAPPING_START_EVENT:
    return open_container(b, event, ASH_YAML_MAP);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    return close_container(b);
  case YAML_ALIAS_EVENT:
    return add_alias(b, event);
  case YAML_DOCUMENT_START_EVENT:
    if (b->root)
      return ash_fail(b->ctx, ASH_UNSUPPORTED, ASH_D_yaml_syntax,
                      at_line(b, line_of(event->start_mark)),
                      "a second document begins; one is expected");
    return ASH_OK;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_STREAM_END_EVENT:
  case YAML_DOCUMENT_END_EVENT:
    break;
  }
  return ASH_OK;
}

static ash_status read_events(builder *b, yaml_parser_t *parser) {
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event))
      return fail_syntax(b, parser);
    const ash_status status = add_event(b, &event);
    more = event.type != YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    ASH_TRY(status);
  }
  return ASH_OK;
}

static ash_status finish(builder *b, const ash_yaml **out) {
  if (!b->root) { /* nothing but blanks and comments */
    ash_yaml *nothing = ASH_NEW(b->zone, ash_yaml);
    if (!nothing)
      return ash_nomem(b->ctx);
    *nothing = (ash_yaml){.line = 1, .weight = 1, .file = b->file, .text = ""};
    b->root = nothing;
  }
  *out = b->root;
  return ASH_OK;
}

/* The builder is large, so it lives in the zone, not on the stack. */
ash_status ash_yaml_parse(ash_ctx *ctx, const ash_yaml **out, ash_zone *zone,
                          const char *text, size_t count, const char *file) {
  *out = NULL;
  builder *b = ASH_NEW(zone, builder);
  const char *kept = ash_zone_string(zone, file);
  if (!b || (file && !kept))
    return ash_nomem(ctx);
  *b = (builder){.ctx = ctx, .zone = zone, .file = kept};
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    return ash_nomem(ctx);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, count);
  const ash_status status = read_events(b, &parser);
  yaml_parser_delete(&parser);
  return status == ASH_OK ? finish(b, out) : status;
}
