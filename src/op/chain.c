/* chain.c - see chain.h. */
#include "op/chain.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WORD = 48 };

/* ---- reading ------------------------------------------------------------ */

typedef struct scan {
  const char *at;
  const ash_graph *g;
  const ash_op *op;
  ash_chain *chain;
} scan;

/* The next word of the stage; empty at its end. */
static bool next_word(scan *s, char word[WORD]) {
  while (*s->at == ' ')
    s->at++;
  const size_t n = strcspn(s->at, " ;");
  if (n >= WORD)
    return false;
  memcpy(word, s->at, n);
  word[n] = '\0';
  s->at += n;
  return true;
}

static ash_type type_of(const char *name, size_t length) {
  for (unsigned t = 0; t < ASH_TYPE_COUNT; t++) {
    const char *text = ash_type_text((ash_type)t);
    if (strlen(text) == length && memcmp(text, name, length) == 0)
      return (ash_type)t;
  }
  return ASH_NONE;
}

static bool read_value(ash_chain_arg *a, const char *word) {
  const size_t n = strcspn(word, ":");
  a->source = ASH_CHAIN_VALUE;
  a->type = word[n] ? type_of(word, n) : ASH_NONE;
  if (a->type == ASH_NONE)
    return false;
  return ash_type_is_float(a->type) ? ash_number_double(&a->x, word + n + 1)
                                    : ash_number_i64(&a->i, word + n + 1);
}

static bool read_arg(const scan *s, ash_chain_arg *a, const char *word) {
  uint64_t index;
  const char *end;
  if (strchr(word, ':'))
    return read_value(a, word);
  if (!ash_number_u64(&index, *word ? word + 1 : word, &end) || *end)
    return false;
  a->index = (uint32_t)index;
  if (*word == 'i' && index < s->op->input_count &&
      ash_op_in(s->g, s->op, a->index)) {
    a->source = ASH_CHAIN_INPUT;
    a->type = ash_op_in(s->g, s->op, a->index)->type;
    return true;
  }
  a->source = ASH_CHAIN_STAGE;
  if (*word != 's' || index >= s->chain->count)
    return false;
  a->type = s->chain->stages[index].type;
  return true;
}

bool ash_chain_folds(ash_fold fold) {
  return fold <= ASH_FOLD_SUM_SQUARE;
}

uint32_t ash_chain_operands(const ash_chain_stage *s) {
  return s->folds ? 1 : ash_fn_operands(s->fn);
}

static const char fold_word[] = "fold_";

static bool is_fold(const scan *s, const char *word) {
  return s->op->kind == ASH_OP_row_chain &&
         strncmp(word, fold_word, sizeof fold_word - 1) == 0;
}

static bool read_fold(scan *s, ash_chain_stage *stage, char word[WORD]) {
  stage->folds = true;
  stage->fold = ash_fold_find(word + sizeof fold_word - 1);
  return ash_chain_folds(stage->fold) && next_word(s, word) &&
         read_arg(s, &stage->args[0], word) &&
         stage->args[0].source != ASH_CHAIN_VALUE && next_word(s, word) &&
         !*word && (ash_types_like(stage->args[0].type) >> stage->type & 1);
}

static bool read_stage(scan *s, ash_chain_stage *stage) {
  char word[WORD];
  ash_type types[ASH_FN_OPERANDS] = {ASH_NONE};
  if (!next_word(s, word))
    return false;
  stage->type = type_of(word, strlen(word));
  if (stage->type == ASH_NONE || !next_word(s, word))
    return false;
  if (is_fold(s, word))
    return read_fold(s, stage, word);
  stage->fn = ash_fn_find(word);
  if (stage->fn == ASH_FN_COUNT)
    return false;
  const uint32_t count = ash_fn_operands(stage->fn);
  for (uint32_t k = 0; k < count; k++) {
    if (!next_word(s, word) || !read_arg(s, &stage->args[k], word))
      return false;
    types[k] = stage->args[k].type;
    if (!(ash_fn_wants(stage->fn, types, k) >> types[k] & 1))
      return false;
  }
  return next_word(s, word) && !*word &&
         (ash_fn_wants(stage->fn, types, count) >> stage->type & 1);
}

bool ash_chain_read(ash_chain *out, const ash_graph *g, const ash_op *op,
                    uint32_t *stage) {
  scan s = {ash_attr_string(op, "code", ""), g, op, out};
  *out = (ash_chain){0};
  for (bool more = true; more; out->count++) {
    *stage = out->count;
    if (out->count == ASH_CHAIN_STAGES ||
        !read_stage(&s, &out->stages[out->count]))
      return false;
    more = *s.at == ';';
    s.at += more;
  }
  return true;
}

static bool is_narrow(const bool *narrow, const ash_graph *g, const ash_op *op,
                      const ash_chain_arg *a) {
  if (a->source == ASH_CHAIN_STAGE)
    return narrow[a->index];
  if (a->source == ASH_CHAIN_VALUE)
    return true;
  const ash_shape *s = &ash_op_in(g, op, a->index)->shape;
  return s->rank == 0 || s->dim[s->rank - 1] == 1;
}

void ash_chain_narrow(bool narrow[ASH_CHAIN_STAGES], const ash_chain *c,
                      const ash_graph *g, const ash_op *op) {
  for (uint32_t k = 0; k < c->count; k++) {
    const ash_chain_stage *s = &c->stages[k];
    narrow[k] = true;
    for (uint32_t i = 0; i < ash_chain_operands(s) && !s->folds; i++)
      narrow[k] = narrow[k] && is_narrow(narrow, g, op, &s->args[i]);
  }
}

uint32_t ash_op_stages(const ash_op *op) {
  uint32_t count = 1;
  for (const char *p = ash_attr_string(op, "code", ""); *p; p++)
    count += *p == ';';
  return count;
}

/* ---- writing ------------------------------------------------------------ */

static void put_real(ash_text *t, double x) {
  if (isnan(x))
    ash_text_string(t, ".nan");
  else if (isinf(x))
    ash_text_string(t, x < 0 ? "-.inf" : ".inf");
  else
    ash_text_double(t, x);
}

static void put_arg(ash_text *t, const ash_chain_arg *a) {
  switch (a->source) {
  case ASH_CHAIN_INPUT:
    ash_text_format(t, " i%" PRIu32, a->index);
    break;
  case ASH_CHAIN_STAGE:
    ash_text_format(t, " s%" PRIu32, a->index);
    break;
  default:
    ash_text_format(t, " %s:", ash_type_text(a->type));
    if (ash_type_is_float(a->type))
      put_real(t, a->x);
    else
      ash_text_format(t, "%" PRId64, a->i);
  }
}

void ash_chain_write(ash_text *t, const ash_chain *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    const ash_chain_stage *s = &c->stages[i];
    ash_text_format(t, "%s%s %s%s", i ? "; " : "", ash_type_text(s->type),
                    s->folds ? fold_word : "",
                    s->folds ? ash_fold_text(s->fold) : ash_fn_text(s->fn));
    for (uint32_t k = 0; k < ash_chain_operands(s); k++)
      put_arg(t, &s->args[k]);
  }
}
