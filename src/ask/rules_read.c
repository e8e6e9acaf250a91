/* rules_read.c - rules from YAML files and from words on a command line. */
#include "ask/rules.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/yaml.h"

#include <inttypes.h>
#include <string.h>

enum { KEY_COUNT = ASH_FIELD_COUNT + 3, WORD_MAX = 256 };

static const char *const keys[KEY_COUNT] = {"type",
                                            "id",
                                            "attributes",
                                            "memory",
                                            "offset",
                                            "alignment",
                                            "scratch_placement",
                                            "code_placement",
                                            "constant_destination_memory"};

ash_status ash_rules_new(ash_ctx *ctx, ash_rules **out) {
  ASH_NEED(ctx, ctx && out);
  *out = ASH_NEW(&ctx->keep, ash_rules);
  return *out ? ASH_OK : ash_nomem(ctx);
}

/* ---- one value ----------------------------------------------------------- */

static ash_status fail_type(ash_ctx *ctx, const char *word, ash_loc loc) {
  ash_nearest near;
  ash_nearest_init(&near, word);
  for (int r = 0; r <= ASH_CONSTANT; r++)
    ash_nearest_offer(&near, ash_role_text((ash_role)r));
  for (uint32_t k = 0; k + 1 < ASH_ROW_COUNT; k++)
    ash_nearest_offer(&near, ash_row_text(k));
  (void)ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_type, loc,
                 "'%.60s' is neither a kind of tensor nor an operator", word);
  if (ash_nearest_word(&near))
    ash_hint(ctx, "did you mean '%s'?", ash_nearest_word(&near));
  else
    ash_hint(ctx, "kinds: scratch (activations and work memory), persistent "
                  "(state), constant");
  return ASH_MALFORMED;
}

/* Not counting case, as people write operator types in capitals. */
static bool same_word(const char *a, const char *b) {
  return ash_edit_distance(a, b) == 0 && strlen(a) == strlen(b);
}

static ash_status set_type(ash_ctx *ctx, ash_rule *rule, const char *word,
                           ash_loc loc) {
  if (strcmp(word, "*") == 0)
    return ASH_OK;
  for (int r = 0; r <= ASH_CONSTANT; r++)
    if (same_word(word, ash_role_text((ash_role)r))) {
      rule->type = ASH_RULE_ROLE;
      rule->role = (ash_role)r;
      return ASH_OK;
    }
  for (uint32_t k = 0; k + 1 < ASH_ROW_COUNT; k++)
    if (same_word(word, ash_row_text(k))) {
      rule->type = ASH_RULE_OP;
      rule->op = k;
      return ASH_OK;
    }
  return fail_type(ctx, word, loc);
}

static ash_status set_number(ash_ctx *ctx, ash_rule *rule, ash_rule_field field,
                             const char *word, ash_loc loc) {
  ASH_ASSERT(field == ASH_FIELD_ALIGNMENT || field == ASH_FIELD_OFFSET);
  uint64_t n;
  if (!ash_parse_bytes(&n, word))
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_value, loc,
                    "%s '%.60s' is no number of bytes", ash_rule_fields[field],
                    word);
  const bool power = n != 0 && (n & (n - 1)) == 0 && n <= 65536;
  if (field == ASH_FIELD_ALIGNMENT && !power)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_value, loc,
                    "alignment %" PRIu64 " is no power of two up to 65536", n);
  rule->number[field] = n;
  return ASH_OK;
}

static ash_status set_field(ash_ctx *ctx, ash_rule *rule, ash_rule_field field,
                            const char *word, ash_loc loc) {
  ASH_ASSERT(field < ASH_FIELD_COUNT);
  rule->text[field] = ash_zone_string(&ctx->keep, word);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  if (field == ASH_FIELD_ALIGNMENT || field == ASH_FIELD_OFFSET)
    return set_number(ctx, rule, field, word, loc);
  return ASH_OK;
}

static ash_status add_id(ash_ctx *ctx, ash_rule *rule, const char *text,
                         ash_loc loc) {
  ASH_ASSERT(text != NULL);
  ash_pattern *ids =
      ASH_NEW_ARRAY(&ctx->keep, ash_pattern, rule->id_count + 1u);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t i = 0; i < rule->id_count; i++)
    ids[i] = rule->ids[i];
  ASH_TRY(ash_pattern_make(ctx, &ids[rule->id_count], text, loc));
  rule->ids = ids;
  rule->id_count++;
  return ASH_OK;
}

/* ---- does it make sense? ------------------------------------------------- */

static ash_status wrong_subject(ash_ctx *ctx, const ash_rule *rule,
                                ash_rule_field field, const char *whose) {
  ASH_ASSERT(rule->type != ASH_RULE_ANY && field < ASH_FIELD_COUNT);
  const char *type = rule->type == ASH_RULE_OP ? ash_row_text(rule->op)
                                               : ash_role_text(rule->role);
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_conflict,
                  ash_ask_rule_loc(rule),
                  "%s is for %s, and this rule is for %s",
                  ash_rule_fields[field], whose, type);
}

static ash_status check_rule(ash_ctx *ctx, const ash_rule *rule) {
  bool any = false;
  for (unsigned f = 0; f < ASH_FIELD_COUNT; f++) {
    if (!rule->text[f])
      continue;
    any = true;
    const bool for_op =
        f == ASH_FIELD_SCRATCH_PLACEMENT || f == ASH_FIELD_CODE_PLACEMENT;
    if (rule->type == ASH_RULE_OP && !for_op)
      return wrong_subject(ctx, rule, (ash_rule_field)f, "tensors");
    if (rule->type == ASH_RULE_ROLE && for_op)
      return wrong_subject(ctx, rule, (ash_rule_field)f, "operators");
    if (f == ASH_FIELD_DESTINATION && rule->type == ASH_RULE_ROLE &&
        rule->role != ASH_CONSTANT)
      return wrong_subject(ctx, rule, (ash_rule_field)f, "constants");
    if (f == ASH_FIELD_OFFSET && rule->type == ASH_RULE_ROLE &&
        rule->role != ASH_SCRATCH)
      return wrong_subject(ctx, rule, (ash_rule_field)f, "scratch");
  }
  if (any)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_value, ash_ask_rule_loc(rule),
                  "the rule gives nothing");
}

/* "type=constant id=5,7 memory=MRAM" */
static ash_status put_words(ash_ctx *ctx, ash_rule *rule, const char *type) {
  ASH_ASSERT(rule->id_count == 0 || rule->ids);
  ash_text t;
  ash_text_init(&t, &ctx->mem);
  if (type)
    ash_text_format(&t, "type=%s ", type);
  for (uint32_t i = 0; i < rule->id_count; i++)
    ash_text_format(&t, "%s%s%s", i ? "," : "id=", rule->ids[i].text,
                    i + 1 == rule->id_count ? " " : "");
  for (unsigned f = 0; f < ASH_FIELD_COUNT; f++)
    if (rule->text[f])
      ash_text_format(&t, "%s=%s ", ash_rule_fields[f], rule->text[f]);
  if (t.count)
    t.count--;
  rule->words =
      ash_zone_format(&ctx->keep, "%.*s", (int)t.count, t.bytes ? t.bytes : "");
  const bool failed = t.failed || !rule->words;
  ash_text_drop(&t);
  return failed ? ash_nomem(ctx) : ASH_OK;
}

static ash_status append(ash_ctx *ctx, ash_rules *rules, ash_rule *rule,
                         const char *type) {
  ASH_TRY(check_rule(ctx, rule));
  ASH_TRY(put_words(ctx, rule, type));
  if (!ash_zone_grow(&ctx->keep, (void **)&rules->items, &rules->capacity,
                     rules->count, sizeof *rules->items))
    return ash_nomem(ctx);
  ASH_ASSERT(rules->count < rules->capacity && rule->words);
  rules->items[rules->count++] = *rule;
  return ASH_OK;
}

/* ---- YAML ---------------------------------------------------------------- */

static ash_status read_ids(ash_ctx *ctx, ash_rule *rule, const ash_yaml *node) {
  const char *word;
  if (ash_yaml_is_null(node))
    return ASH_OK;
  if (node->kind != ASH_YAML_LIST) {
    ASH_TRY(ash_yaml_string(ctx, &word, node, "id"));
    return add_id(ctx, rule, word, ash_yaml_loc(node));
  }
  for (const ash_yaml_item *i = node->first; i; i = i->next) {
    ASH_TRY(ash_yaml_string(ctx, &word, i->node, "id"));
    ASH_TRY(add_id(ctx, rule, word, ash_yaml_loc(i->node)));
  }
  return ASH_OK;
}

static ash_status read_fields(ash_ctx *ctx, ash_rule *rule,
                              const ash_yaml *map) {
  for (unsigned f = 0; f < ASH_FIELD_COUNT; f++) {
    const ash_yaml *node = ash_yaml_get(map, ash_rule_fields[f]);
    const char *word;
    if (!node || ash_yaml_is_null(node))
      continue;
    ASH_TRY(ash_yaml_string(ctx, &word, node, ash_rule_fields[f]));
    ASH_TRY(set_field(ctx, rule, (ash_rule_field)f, word, ash_yaml_loc(node)));
  }
  return ASH_OK;
}

static ash_status read_type(ash_ctx *ctx, ash_rule *rule, const char **type,
                            const ash_yaml *map) {
  const ash_yaml *node = ash_yaml_get(map, "type");
  if (!node || ash_yaml_is_null(node))
    return ASH_OK;
  ASH_TRY(ash_yaml_string(ctx, type, node, "type"));
  return set_type(ctx, rule, *type, ash_yaml_loc(node));
}

static ash_status read_attributes(ash_ctx *ctx, ash_rule *rule,
                                  const ash_yaml *map) {
  ASH_TRY(ash_yaml_want_map(ctx, map, "attributes"));
  ASH_TRY(ash_yaml_check_keys(ctx, map, ash_rule_fields, ASH_FIELD_COUNT,
                              "attributes"));
  return read_fields(ctx, rule, map);
}

static ash_status read_rule(ash_ctx *ctx, ash_rules *rules, const ash_yaml *map,
                            const char *file) {
  ash_rule rule = {.file = file, .line = map->line};
  const char *type = NULL;
  ASH_TRY(ash_yaml_want_map(ctx, map, "a rule"));
  ASH_TRY(ash_yaml_check_keys(ctx, map, keys, KEY_COUNT, "a rule"));
  ASH_TRY(read_type(ctx, &rule, &type, map));
  const ash_yaml *ids = ash_yaml_get(map, "id");
  if (ids)
    ASH_TRY(read_ids(ctx, &rule, ids));
  ASH_TRY(read_fields(ctx, &rule, map));
  const ash_yaml *attributes = ash_yaml_get(map, "attributes");
  if (attributes)
    ASH_TRY(read_attributes(ctx, &rule, attributes));
  return append(ctx, rules, &rule, type);
}

static ash_status read_list(ash_ctx *ctx, ash_rules *rules,
                            const ash_yaml *root, const char *file) {
  static const char *const top[] = {"rules"};
  if (ash_yaml_is_null(root))
    return ASH_OK;
  if (root->kind == ASH_YAML_MAP) {
    ASH_TRY(ash_yaml_check_keys(ctx, root, top, 1, "the file"));
    ASH_TRY(ash_yaml_need(ctx, &root, root, "rules", "the file"));
  }
  ASH_TRY(ash_yaml_want_list(ctx, root, "rules"));
  for (const ash_yaml_item *i = root->first; i; i = i->next)
    ASH_TRY(read_rule(ctx, rules, i->node, file));
  return ASH_OK;
}

ash_status ash_rules_parse(ash_ctx *ctx, ash_rules *rules, const char *text,
                           size_t count, const char *file) {
  ASH_NEED(ctx, ctx && rules && text);
  const ash_yaml *root;
  const char *kept = ash_zone_string(&ctx->keep, file);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status =
      ash_yaml_parse(ctx, &root, &ctx->scratch, text, count, file);
  if (status == ASH_OK)
    status = read_list(ctx, rules, root, kept);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

ash_status ash_rules_load(ash_ctx *ctx, ash_rules *rules, const char *path) {
  ASH_NEED(ctx, ctx && rules && path);
  ash_file file;
  ash_status status = ash_file_read(ctx, &file, path);
  if (status == ASH_OK)
    status =
        ash_rules_parse(ctx, rules, (const char *)file.bytes, file.count, path);
  ash_file_drop(&file);
  return status;
}

/* ---- words --------------------------------------------------------------- */

static ash_status unknown_key(ash_ctx *ctx, const char *key, ash_loc loc) {
  (void)ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_key, loc, "a rule has no '%s'",
                 key);
  const char *near = ash_nearest_of(key, keys, KEY_COUNT);
  if (near)
    ash_hint(ctx, "did you mean '%s'?", near);
  else
    ash_hint(ctx, "its keys: type, id, memory, offset, alignment, "
                  "scratch_placement, code_placement, "
                  "constant_destination_memory");
  return ASH_MALFORMED;
}

static ash_status add_ids(ash_ctx *ctx, ash_rule *rule, char *list,
                          ash_loc loc) {
  ASH_ASSERT(list != NULL);
  for (char *next; list; list = next) {
    next = strchr(list, ',');
    if (next)
      *next++ = '\0';
    ASH_TRY(add_id(ctx, rule, list, loc));
  }
  return ASH_OK;
}

static ash_status take_word(ash_ctx *ctx, ash_rule *rule, const char **type,
                            char *word) {
  const ash_loc loc = ash_ask_rule_loc(rule);
  char *value = strchr(word, '=');
  if (!value)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_key, loc,
                    "'%s' is not KEY=VALUE, as in memory=SRAM", word);
  *value++ = '\0';
  if (strcmp(word, "type") == 0) {
    *type = ash_zone_string(&ctx->keep, value);
    return set_type(ctx, rule, value, loc);
  }
  if (strcmp(word, "id") == 0)
    return add_ids(ctx, rule, value, loc);
  for (unsigned f = 0; f < ASH_FIELD_COUNT; f++)
    if (strcmp(word, ash_rule_fields[f]) == 0)
      return set_field(ctx, rule, (ash_rule_field)f, value, loc);
  return unknown_key(ctx, word, loc);
}

ash_status ash_rules_add(ash_ctx *ctx, ash_rules *rules, const char *text) {
  ASH_NEED(ctx, ctx && rules && text);
  ash_rule rule = {.file = "-r", .line = UINT32_MAX};
  const char *type = NULL;
  char *copy = ash_zone_string(&ctx->keep, text);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (char *at = copy; *at;) {
    at += strspn(at, " \t");
    char *end = at + strcspn(at, " \t");
    const bool more = *end != '\0';
    *end = '\0';
    if (*at)
      ASH_TRY(take_word(ctx, &rule, &type, at));
    at = more ? end + 1 : end;
  }
  return append(ctx, rules, &rule, type);
}
