/* check_cores.c - operators that are split over cores: every core has its own
 * work memory, the shares of the result are all of it and apart, and no core
 * writes a byte that another one reads. */
#include "check/check_plan.h"

#include "domain/shares.h"
#include "plan/record/record.h"

#include <inttypes.h>
#include <string.h>

typedef struct judge {
  const ash_checker *c;
  uint32_t op;
  ash_choice choice;
  ash_domain_shares shares;
} judge;

static ash_status refuse(const judge *j, const char *what) {
  return ash_fail(j->c->ctx, ASH_INTERNAL, ASH_D_plan_cores,
                  ash_graph_loc(j->c->g, j->op, ASH_NO_ID),
                  "%s is split over %" PRIu32 " cores: %s",
                  j->c->g->ops.items[j->op].id, j->choice.cores, what);
}

/* Nothing is there of a tensor that has no slot. */
static ash_bytes bytes_of(const judge *j, uint32_t tensor, ash_byte_range r) {
  const uint32_t slot = ash_plan_slot_of_tensor(j->c->plan, tensor);
  if (slot == ASH_NO_ID)
    return (ash_bytes){.memory = ""};
  const ash_binding *b = &j->c->plan->slots[slot].binding;
  return (ash_bytes){b->role, b->memory, b->offset + r.from, b->offset + r.to};
}

static bool meet(const ash_bytes *a, const ash_bytes *b) {
  return a->role == b->role && strcmp(a->memory, b->memory) == 0 &&
         a->lo < b->hi && b->lo < a->hi;
}

static ash_status check_reads(const judge *j, uint32_t writer,
                              uint32_t reader) {
  const ash_graph *g = j->c->g;
  const ash_op *o = &g->ops.items[j->op];
  const ash_bytes out =
      bytes_of(j, o->outputs[0],
               ash_domain_share_bytes(g, &j->shares, j->op, writer, true, 0));
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID || !ash_plan_reads(j->c->plan, g, j->op, k))
      continue;
    const ash_bytes in = bytes_of(
        j, o->inputs[k],
        ash_domain_share_bytes(g, &j->shares, j->op, reader, false, k));
    if (meet(&out, &in))
      return refuse(j, "one writes what another reads");
  }
  return ASH_OK;
}

static ash_status check_results(const judge *j) {
  const ash_tensor *t = ash_op_out(j->c->g, &j->c->g->ops.items[j->op], 0);
  uint64_t end = 0;
  for (uint32_t core = 0; core < j->shares.count; core++) {
    const ash_byte_range r =
        ash_domain_share_bytes(j->c->g, &j->shares, j->op, core, true, 0);
    if (r.from != end || r.to <= r.from)
      return refuse(j, "their results do not follow each other");
    end = r.to;
  }
  return end == t->bytes ? ASH_OK
                         : refuse(j, "a part of the result is missing");
}

static ash_status check_split(judge *j) {
  const ash_choice *c = &j->choice;
  ASH_TRY(ash_domain_shares_of(j->c->ctx, &j->shares, j->c->g, j->op, c->kernel,
                               c->cores, true));
  if (j->shares.count != c->cores)
    return refuse(j, "it cannot be");
  if (c->scratch != c->core_scratch * c->cores)
    return refuse(j, "they share work memory");
  ASH_TRY(check_results(j));
  for (uint32_t a = 0; a < c->cores; a++)
    for (uint32_t b = 0; b < c->cores; b++)
      if (a != b)
        ASH_TRY(check_reads(j, a, b));
  return ASH_OK;
}

static bool is_tiled(const ash_plan *p, uint32_t op) {
  return p->tilings && op < p->tilings->count && p->tilings->items[op].space;
}

ash_status ash_check_cores(const ash_checker *c) {
  for (uint32_t op = 0; c->plan->choices && op < c->g->op_count; op++) {
    judge j = {.c = c, .op = op, .choice = c->plan->choices[op]};
    if (j.choice.cores > 1 && !is_tiled(c->plan, op))
      ASH_TRY(check_split(&j));
  }
  return ASH_OK;
}
