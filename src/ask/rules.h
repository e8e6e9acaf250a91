/* rules.h - attribute rules as the planner keeps them. The public face and
 * the words are in ashlar/rules.h and docs/rules.md. */
#ifndef ASH_ASK_RULES_H
#define ASH_ASK_RULES_H

#include "ashlar/rules.h"
#include "base/ctx.h"
#include "op/functions.h"

#include <regex.h>

typedef enum ash_pattern_kind {
  ASH_PATTERN_EXACT,
  ASH_PATTERN_GLOB, /* * and ?     */
  ASH_PATTERN_REGEX /* /extended/  */
} ash_pattern_kind;

typedef struct ash_pattern {
  ash_pattern_kind kind;
  const char *text;
  regex_t *regex;
} ash_pattern;

/* Whom a rule is for. */
typedef enum ash_rule_type {
  ASH_RULE_ANY,
  ASH_RULE_ROLE, /* scratch, persistent or constant tensors */
  ASH_RULE_OP    /* operators of a kind                     */
} ash_rule_type;

/* What a rule may give; ash_rule_fields has their names. */
typedef enum ash_rule_field {
  ASH_FIELD_MEMORY,
  ASH_FIELD_DESTINATION,
  ASH_FIELD_ALIGNMENT,
  ASH_FIELD_OFFSET,
  ASH_FIELD_SCRATCH_PLACEMENT,
  ASH_FIELD_CODE_PLACEMENT,
  ASH_FIELD_COUNT
} ash_rule_field;

extern const char *const ash_rule_fields[ASH_FIELD_COUNT];

typedef struct ash_rule {
  ash_rule_type type;
  ash_role role;
  uint32_t op; /* row, op/functions.h */
  const ash_pattern *ids;
  uint32_t id_count;                 /* 0: any */
  const char *text[ASH_FIELD_COUNT]; /* as written; NULL: not given */
  uint64_t number[ASH_FIELD_COUNT];  /* of alignment and offset     */
  const char *words;                 /* the rule on one line        */
  const char *file;
  uint32_t line;
} ash_rule;

struct ash_rules {
  ash_rule *items;
  size_t capacity;
  uint32_t count;
};

/* What a rule is matched against. */
typedef struct ash_subject {
  const char *id, *name; /* name may be NULL */
  bool is_op;
  ash_role role; /* of a tensor   */
  uint32_t op;   /* row of an operator */
} ash_subject;

bool ash_ask_rule_matches(const ash_rule *rule, const ash_subject *subject);
/* 3 type and id, 2 id, 1 type, 0 neither. */
uint32_t ash_ask_rule_specificity(const ash_rule *rule);

ash_loc ash_ask_rule_loc(const ash_rule *rule);
ash_status ash_pattern_make(ash_ctx *ctx, ash_pattern *out, const char *text,
                            ash_loc loc);
ash_role ash_ask_tensor_role(const ash_tensor *t);

#endif
