/* loop_element_rows.c - functions of a row and folds of it: row_chain. A row is
 * gone through once for every fold that needs the one before, and a last time
 * for the result; what is between is computed again each time, so that nothing
 * is stored. */
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME = 16 };

/* A stage's turn: the pass over the row in which it is computed, or, of one
 * that has a value a row, before which. */
typedef struct plan {
  const ash_call *c;
  ash_chain chain;
  bool narrow[ASH_CHAIN_STAGES];
  uint32_t turn[ASH_CHAIN_STAGES];
  ash_nest rows;
  int32_t length;
} plan;

static bool is_wide_input(const plan *p, uint32_t k) {
  ASH_ASSERT(k < ash_call_op(p->c)->input_count);
  const ash_shape *s = &ash_call_in(p->c, k)->shape;
  return s->rank > 0 && s->dim[s->rank - 1] != 1;
}

static void find_turns(plan *p) {
  ASH_ASSERT(p->chain.count <= ASH_CHAIN_STAGES);
  for (uint32_t k = 0; k < p->chain.count; k++) {
    const ash_chain_stage *s = &p->chain.stages[k];
    p->turn[k] = 0;
    for (uint32_t i = 0; i < ash_chain_operands(s); i++)
      if (s->args[i].source == ASH_CHAIN_STAGE &&
          p->turn[s->args[i].index] > p->turn[k])
        p->turn[k] = p->turn[s->args[i].index];
    p->turn[k] += s->folds; /* it is there before the next pass */
  }
}

static const char *name_arg(char name[NAME], const ash_chain_arg *a) {
  (void)snprintf(name, NAME, "%c%" PRIu32,
                 a->source == ASH_CHAIN_INPUT ? 'x' : 's', a->index);
  return name;
}

static void put_load(const plan *p, uint32_t k) {
  const ash_type type = ash_call_in(p->c, k)->type;
  char index[ASH_LOOP_TEXT], at[ASH_LOOP_TEXT + 8], array[NAME];
  char value[3 * ASH_LOOP_TEXT];
  (void)snprintf(array, sizeof array, "p%" PRIu32, k);
  ash_loop_index(index, &p->rows, k + 1, "i");
  (void)snprintf(at, sizeof at, "%s%s", index,
                 is_wide_input(p, k) ? " + j" : "");
  ash_text_line(p->c->text, "const %s x%" PRIu32 " = %s;", ash_loop_held(type),
                k, ash_loop_load(value, type, array, at));
}

static void put_stage(const plan *p, uint32_t k) {
  char value[2 * ASH_LOOP_TEXT], name[NAME];
  const ash_chain_stage *s = &p->chain.stages[k];
  ash_type yields;
  const bool named = ash_loop_stage(value, sizeof value, p->c, s, &yields);
  ASH_ASSERT(named);
  (void)named;
  (void)snprintf(name, sizeof name, "s%" PRIu32, k);
  ash_loop_keep(p->c, s->type, yields, name, value);
}

/* ---- what a pass needs --------------------------------------------------- */

typedef struct needs {
  bool stage[ASH_CHAIN_STAGES], input[ASH_CHAIN_INPUTS];
} needs;

static void need(const plan *p, needs *n, const ash_chain_arg *a) {
  if (a->source == ASH_CHAIN_INPUT)
    n->input[a->index] = n->input[a->index] || is_wide_input(p, a->index);
  else if (a->source == ASH_CHAIN_STAGE)
    n->stage[a->index] = n->stage[a->index] || !p->narrow[a->index];
}

static bool folds_in(const plan *p, uint32_t k, uint32_t turn) {
  return p->chain.stages[k].folds && p->turn[k] == turn + 1;
}

/* What the folds of a pass read, or the result, and so on backwards. */
static needs needs_of(const plan *p, uint32_t turn) {
  needs n = {{false}, {false}};
  const uint32_t last = p->chain.count - 1;
  for (uint32_t k = p->chain.count; k-- > 0;) {
    const ash_chain_stage *s = &p->chain.stages[k];
    n.stage[k] = n.stage[k] || (k == last && turn == p->turn[last]);
    if (n.stage[k] || folds_in(p, k, turn))
      for (uint32_t i = 0; i < ash_chain_operands(s); i++)
        need(p, &n, &s->args[i]);
  }
  return n;
}

/* ---- a pass -------------------------------------------------------------- */

static bool picks(ash_fold fold) {
  return fold == ASH_FOLD_MAX || fold == ASH_FOLD_MIN;
}

static void put_sums(const plan *p, uint32_t turn) {
  for (uint32_t k = 0; k < p->chain.count; k++) {
    const ash_chain_stage *s = &p->chain.stages[k];
    if (folds_in(p, k, turn))
      ash_text_line(p->c->text, "%s a%" PRIu32 " = %d;",
                    ash_loop_fold_type(s->fold, s->args[0].type), k,
                    s->fold == ASH_FOLD_PROD);
  }
}

static void put_fold(const plan *p, uint32_t k) {
  ASH_ASSERT(p->chain.stages[k].folds);
  const ash_chain_stage *s = &p->chain.stages[k];
  const char *type = ash_loop_fold_type(s->fold, s->args[0].type);
  char name[NAME];
  ash_text_line(p->c->text, "{");
  p->c->text->indent++;
  ash_text_line(p->c->text, "const %s v = %s;", type,
                name_arg(name, &s->args[0]));
  ash_text_line(p->c->text, "%s s = a%" PRIu32 ";", type, k);
  ash_loop_fold_step(p->c, s->fold, s->args[0].type);
  ash_text_line(p->c->text, "a%" PRIu32 " = %s;", k,
                picks(s->fold) ? "j == 0 ? v : s" : "s");
  ash_loop_end(p->c);
}

static void put_folded(const plan *p, uint32_t turn) {
  for (uint32_t k = 0; k < p->chain.count; k++) {
    const ash_chain_stage *s = &p->chain.stages[k];
    char name[NAME], value[2 * NAME + 16];
    if (!folds_in(p, k, turn))
      continue;
    (void)snprintf(name, sizeof name, "s%" PRIu32, k);
    if (s->fold == ASH_FOLD_MEAN)
      (void)snprintf(value, sizeof value, "a%" PRIu32 " / %" PRId32, k,
                     p->length);
    else
      (void)snprintf(value, sizeof value, "a%" PRIu32, k);
    ash_loop_keep(p->c, s->type, s->args[0].type, name, value);
  }
}

static void put_result(const plan *p) {
  const uint32_t last = p->chain.count - 1;
  const ash_chain_stage *s = &p->chain.stages[last];
  char value[2 * ASH_LOOP_TEXT], index[ASH_LOOP_TEXT], at[ASH_LOOP_TEXT + 8];
  ash_type yields;
  const bool named = ash_loop_stage(value, sizeof value, p->c, s, &yields);
  ASH_ASSERT(named);
  (void)named;
  ash_loop_index(index, &p->rows, 0, "i");
  (void)snprintf(at, sizeof at, "%s + j", index);
  ash_loop_store(p->c, s->type, yields, "y", at, value);
}

static void put_pass(const plan *p, uint32_t turn) {
  ASH_ASSERT(turn <= p->turn[p->chain.count - 1]);
  const uint32_t last = p->chain.count - 1;
  const needs n = needs_of(p, turn);
  for (uint32_t k = 0; k < p->chain.count; k++)
    if (p->narrow[k] && !p->chain.stages[k].folds && p->turn[k] == turn)
      put_stage(p, k);
  put_sums(p, turn);
  ash_loop_for(p->c, "j", p->length);
  for (uint32_t k = 0; k < ash_call_op(p->c)->input_count; k++)
    if (n.input[k])
      put_load(p, k);
  for (uint32_t k = 0; k < p->chain.count; k++) {
    if (folds_in(p, k, turn))
      put_fold(p, k);
    else if (n.stage[k] && k == last)
      put_result(p);
    else if (n.stage[k])
      put_stage(p, k);
  }
  ash_loop_end(p->c);
  put_folded(p, turn);
}

void ash_loop_row_chain(const ash_call *c) {
  const ash_shape *out = &ash_call_out(c)->shape;
  plan p = {.c = c, .length = out->dim[out->rank - 1]};
  uint32_t stage;
  const bool read = ash_chain_read(&p.chain, c->graph, ash_call_op(c), &stage);
  ASH_ASSERT(read);
  (void)read;
  p.rows = ash_nest_of_rows(c);
  ash_chain_narrow(p.narrow, &p.chain, c->graph, ash_call_op(c));
  find_turns(&p);
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    char array[NAME];
    (void)snprintf(array, sizeof array, "p%" PRIu32, k);
    ash_loop_input(c, array, k);
  }
  ash_loop_output(c, "y", 0);
  ash_loop_open(c, &p.rows, "i");
  ash_text_line(c->text, "{");
  c->text->indent++;
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++)
    if (!is_wide_input(&p, k))
      put_load(&p, k);
  for (uint32_t turn = 0; turn <= p.turn[p.chain.count - 1]; turn++)
    put_pass(&p, turn);
  ash_loop_end(c);
  ash_loop_close(c, &p.rows);
}
