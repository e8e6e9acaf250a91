/* rules.c - does a rule match, and how specific is it? */
#include "ask/rules.h"

#include <string.h>

const char *const ash_rule_fields[ASH_FIELD_COUNT] = {
    "memory", "constant_destination_memory", "alignment",
    "offset", "scratch_placement",           "code_placement"};

ash_loc ash_ask_rule_loc(const ash_rule *rule) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = rule->file;
  loc.line = rule->line;
  return loc;
}

ash_role ash_ask_tensor_role(const ash_tensor *t) {
  if (t->kind == ASH_TENSOR_CONSTANT)
    return ASH_CONSTANT;
  return t->kind == ASH_TENSOR_VARIABLE ? ASH_PERSISTENT : ASH_SCRATCH;
}

/* ---- patterns ------------------------------------------------------------ */

/* Only the newest star is remembered: earlier ones never need another try. */
static bool glob(const char *pattern, const char *text) {
  ASH_ASSERT(pattern && text);
  const char *star = NULL, *again = text;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      again = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star + 1;
      text = ++again;
    } else
      return false;
  }
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}

static bool matches(const ash_pattern *p, const char *text) {
  ASH_ASSERT(p->kind != ASH_PATTERN_REGEX || p->regex);
  if (!text)
    return false;
  switch (p->kind) {
  case ASH_PATTERN_GLOB:
    return glob(p->text, text);
  case ASH_PATTERN_REGEX:
    return regexec(p->regex, text, 0, NULL, 0) == 0;
  default:
    return strcmp(p->text, text) == 0;
  }
}

static void free_regex(void *user) {
  regfree(user);
}

static ash_status make_regex(ash_ctx *ctx, ash_pattern *out, const char *text,
                             ash_loc loc) {
  ASH_ASSERT(text[0] == '/' && strlen(text) > 2);
  char why[120];
  char *body = ash_zone_string(&ctx->keep, text + 1);
  out->regex = ASH_NEW(&ctx->keep, regex_t);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  body[strlen(body) - 1] = '\0';
  const int error = regcomp(out->regex, body, REG_EXTENDED | REG_NOSUB);
  if (error == 0) {
    const ash_status kept = ash_ctx_on_free(ctx, free_regex, out->regex);
    if (kept != ASH_OK)
      regfree(out->regex);
    return kept;
  }
  if (error == REG_ESPACE)
    return ash_nomem(ctx);
  (void)regerror(error, out->regex, why, sizeof why);
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_pattern, loc,
                  "'%s' is no regular expression: %s", text, why);
}

ash_status ash_pattern_make(ash_ctx *ctx, ash_pattern *out, const char *text,
                            ash_loc loc) {
  const size_t n = strlen(text);
  out->text = ash_zone_string(&ctx->keep, text);
  out->kind = ASH_PATTERN_EXACT;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  if (n == 0)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_rule_pattern, loc,
                    "an empty id matches nothing");
  if (n > 2 && text[0] == '/' && text[n - 1] == '/') {
    out->kind = ASH_PATTERN_REGEX;
    return make_regex(ctx, out, text, loc);
  }
  if (strpbrk(text, "*?"))
    out->kind = ASH_PATTERN_GLOB;
  return ASH_OK;
}

/* ---- rules --------------------------------------------------------------- */

static bool id_matches(const ash_rule *rule, const ash_subject *s) {
  ASH_ASSERT(rule->id_count == 0 || rule->ids);
  for (uint32_t i = 0; i < rule->id_count; i++)
    if (matches(&rule->ids[i], s->id) || matches(&rule->ids[i], s->name))
      return true;
  return rule->id_count == 0;
}

bool ash_ask_rule_matches(const ash_rule *rule, const ash_subject *s) {
  if (rule->type == ASH_RULE_ROLE && (s->is_op || s->role != rule->role))
    return false;
  if (rule->type == ASH_RULE_OP && (!s->is_op || s->op != rule->op))
    return false;
  return id_matches(rule, s);
}

uint32_t ash_ask_rule_specificity(const ash_rule *rule) {
  return (rule->id_count ? 2u : 0u) + (rule->type != ASH_RULE_ANY ? 1u : 0u);
}

size_t ash_rules_count(const ash_rules *rules) {
  return rules ? rules->count : 0;
}

const char *ash_rules_text(const ash_rules *rules, size_t index) {
  return index < ash_rules_count(rules) ? rules->items[index].words : NULL;
}

const char *ash_rules_file(const ash_rules *rules, size_t index) {
  return index < ash_rules_count(rules) ? rules->items[index].file : NULL;
}

uint32_t ash_rules_line(const ash_rules *rules, size_t index) {
  return index < ash_rules_count(rules) ? rules->items[index].line : UINT32_MAX;
}

bool ash_rules_match(const ash_rules *rules, size_t index, const ash_graph *g,
                     uint32_t tensor, uint32_t op) {
  if (!(g && (tensor == ASH_NO_ID || tensor < g->tensor_count) &&
        (op == ASH_NO_ID || op < g->op_count)))
    return false;
  ash_subject s = {0};
  if (index >= ash_rules_count(rules))
    return false;
  if (op != ASH_NO_ID) {
    const ash_op *o = &g->ops.items[op];
    s = (ash_subject){
        .id = o->id, .name = o->name, .is_op = true, .op = ash_row_of(o)};
    return ash_ask_rule_matches(&rules->items[index], &s);
  }
  ASH_ASSERT(tensor < g->tensor_count);
  const ash_tensor *t = &g->tensors.items[tensor];
  s = (ash_subject){
      .id = t->id, .name = t->name, .role = ash_ask_tensor_role(t)};
  return ash_ask_rule_matches(&rules->items[index], &s);
}
