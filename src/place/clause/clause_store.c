/* clause_store.c - the clauses that were learned. Two atoms of each are
 * watched: as long as they are not false, the clause says nothing. */
#include "place/clause/clause.h"

static bool is_false(const ash_place_learner *p, ash_place_atom a) {
  return ash_place_holds(p, ash_place_not(p, a));
}

void ash_place_learner_watch(ash_place_learner *p, uint32_t clause,
                             uint32_t which) {
  ash_place_clause *c = &p->clauses.items[clause];
  ASH_ASSERT(which < 2 && c->count > which);
  const uint32_t var = p->atoms.items[c->first + which].var ^ 1;
  c->next[which] = p->watched[var];
  p->watched[var] = 2 * clause + which;
}

uint32_t ash_place_learner_add(ash_place_learner *p,
                               const ash_place_atom *atoms, uint32_t count,
                               uint32_t levels) {
  const uint32_t clause = p->clause_count;
  if (!ASH_GROW(&p->zone, &p->clauses, p->clause_count))
    return ASH_PLACE_NONE;
  p->clauses.items[clause] = (ash_place_clause){
      p->atom_count, count, {0, 0}, levels, p->clause_number++};
  for (uint32_t k = 0; k < count; k++) {
    if (!ASH_GROW(&p->zone, &p->atoms, p->atom_count))
      return ASH_PLACE_NONE;
    p->atoms.items[p->atom_count++] = atoms[k];
  }
  p->clause_count++;
  for (uint32_t k = 0; k < 2 && k < count; k++)
    ash_place_learner_watch(p, clause, k);
  return clause;
}

static void swap(ash_place_atom *a, ash_place_atom *b) {
  const ash_place_atom x = *a;
  *a = *b;
  *b = x;
}

bool ash_place_learner_rewatch(ash_place_learner *p,
                               ash_place_cause *conflict) {
  ASH_ASSERT(p->level == 0);
  for (uint32_t v = 0; v < p->var_count; v++)
    p->watched[v] = ASH_PLACE_NONE;
  for (uint32_t c = 0; c < p->clause_count; c++) {
    const ash_place_clause *clause = &p->clauses.items[c];
    ash_place_atom *atoms = p->atoms.items + clause->first;
    uint32_t open = 0;
    for (uint32_t k = 0; k < clause->count && open < 2; k++)
      if (!is_false(p, atoms[k]))
        swap(&atoms[open++], &atoms[k]);
    for (uint32_t k = 0; k < 2 && k < clause->count; k++)
      ash_place_learner_watch(p, c, k);
    if (open < 2 &&
        !ash_place_learner_set(
            p, atoms[0],
            (ash_place_cause){.kind = ASH_PLACE_BY_CLAUSE, .index = c},
            conflict))
      return false;
  }
  return true;
}

static uint32_t median_levels(const ash_place_learner *p) {
  uint32_t counts[64] = {0}, sum = 0, at = 0;
  for (uint32_t c = 0; c < p->clause_count; c++)
    counts[p->clauses.items[c].levels < 63 ? p->clauses.items[c].levels : 63]++;
  while (at < 63 && (sum += counts[at]) < p->clause_count / 2)
    at++;
  return at;
}

void ash_place_learner_forget(ash_place_learner *p) {
  const uint32_t most = median_levels(p), before = p->clause_count;
  p->clause_count = p->atom_count = 0;
  ASH_ASSERT(p->level == 0);
  for (uint32_t c = 0; c < before; c++) {
    ash_place_clause clause = p->clauses.items[c];
    if (clause.levels > 2 && clause.levels >= most && c < before - before / 8)
      continue;
    for (uint32_t k = 0; k < clause.count; k++)
      p->atoms.items[p->atom_count + k] = p->atoms.items[clause.first + k];
    clause.first = p->atom_count;
    p->atom_count += clause.count;
    p->clauses.items[p->clause_count++] = clause;
  }
}
