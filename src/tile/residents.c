/* residents.c - which results stay in the compute memory (residents.h).
 *
 * A result that stays is neither stored nor loaded again, but takes room from
 * the tiles of every operator that runs while it is alive. More memory must
 * not make any operator slower, so the choice is that of a memory that grows:
 * each result has some sizes of the memory at which it is tried, from the one
 * that just holds it to several times the one in which its operators run in
 * one piece. The trials of all results are made in the order of their sizes,
 * as if the memory had just that size, up to the size that it has. What is
 * accepted stays accepted, and it is accepted only if no operator that runs
 * meanwhile is slower for it. So what stays in a memory also stays in a larger
 * one, and neither a step of growth nor one of acceptance slows anything. */
#include "tile/residents.h"

#include "base/checked.h"
#include "graph/graph.h"
#include "op/views.h"

/* Sizes that are tried: quarters of the way from the least room to that in
 * which everything is there at once. */
static const uint32_t tries[] = {1, 2, 3, 4, 6, 8, 12};

/* A result, with the views of it: they live and move together. */
typedef struct stay {
  uint32_t tensor;
  ash_use life;
  uint64_t bytes;
  bool barred;    /* a rule, the caller or an untiled op says where it lives */
  uint32_t tried; /* of `tries`                                             */
  uint64_t next;  /* the size at which it is tried next                     */
  bool settled;   /* accepted, or tried in vain                             */
} stay;

typedef struct chooser {
  ash_hierarchy *h;
  ash_op_pricer *price;
  void *user;
  uint32_t compute; /* the memory */
  uint32_t *root;   /* by tensor: what it is a view of, or itself */
  stay *stays;      /* by tensor; those of roots count */
  uint32_t *op_at;  /* by step */
  ash_op_price *before;
} chooser;

/* ---- candidates ---------------------------------------------------------- */

static const ash_tensor *tensor_at(const chooser *c, uint32_t i) {
  ASH_ASSERT(i < c->h->g->tensor_count);
  return &c->h->g->tensors.items[i];
}

static void find_roots(chooser *c) {
  const ash_graph *g = c->h->g;
  for (uint32_t i = 0; i < g->tensor_count; i++)
    c->root[i] = i;
  for (uint32_t op = 0; op < g->op_count; op++) {
    const ash_op *o = &g->ops.items[op];
    for (uint32_t k = 0; k < o->output_count; k++) {
      uint32_t input;
      uint64_t offset;
      if (ash_op_is_view(g, op, k, &input, &offset) &&
          !tensor_at(c, o->outputs[k])->is_output)
        c->root[o->outputs[k]] = c->root[o->inputs[input]];
    }
  }
}

static bool may_leave(const chooser *c, uint32_t tensor) {
  const ash_hierarchy *h = c->h;
  const ash_tensor *t = tensor_at(c, tensor);
  uint32_t path[ASH_MEMORY_MAX];
  return t->kind == ASH_TENSOR_ACTIVATION && !t->is_output &&
         !h->ruled[tensor] && t->bytes > 0 && h->home[tensor] != c->compute &&
         ash_device_path(h->device, h->home[tensor], c->compute, path) > 0;
}

static void join(chooser *c, uint32_t tensor) {
  const ash_use *u = &c->h->uses[tensor];
  stay *s = &c->stays[c->root[tensor]];
  s->barred |= !may_leave(c, tensor);
  if (u->end == 0)
    return;
  s->life.first =
      s->life.end ? (uint32_t)ash_min_u64(s->life.first, u->first) : u->first;
  s->life.end = (uint32_t)ash_max_u64(s->life.end, u->end);
  s->bytes = ash_max_u64(s->bytes, tensor_at(c, tensor)->bytes);
}

static bool is_at(const chooser *c, uint32_t tensor, uint32_t i) {
  return tensor != ASH_NO_ID && c->root[tensor] == i;
}

/* ---- sizes --------------------------------------------------------------- */

/* What an op touches that does not live in the compute memory. */
static uint64_t bytes_elsewhere(const chooser *c, uint32_t op, uint32_t but) {
  const ash_op *o = &c->h->g->ops.items[op];
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < o->input_count + o->output_count; k++) {
    const uint32_t t =
        k < o->input_count ? o->inputs[k] : o->outputs[k - o->input_count];
    if (t != ASH_NO_ID && !is_at(c, t, but) && c->h->home[t] != c->compute)
      bytes += ash_align_up(tensor_at(c, t)->bytes, c->h->device->alignment);
  }
  return bytes;
}

/* The size of the memory at which `s` is tried next, after `past`. */
static void schedule(const chooser *c, stay *s, uint64_t past) {
  uint64_t least = 0, all = 0;
  for (uint32_t step = s->life.first; step < s->life.end; step++) {
    const uint64_t here = c->h->taken[c->compute][step] + s->bytes;
    least = ash_max_u64(least, here);
    all =
        ash_max_u64(all, here + bytes_elsewhere(c, c->op_at[step], s->tensor));
  }
  ASH_ASSERT(all >= least);
  for (; s->tried < ASH_COUNT_OF(tries); s->tried++) {
    s->next = least + (all - least) / 4 * tries[s->tried];
    if (s->next > past)
      return;
  }
  s->settled = true;
}

/* ---- one trial ----------------------------------------------------------- */

/* A tensor and its views have one home. */
static void set_home(const chooser *c, const stay *s, uint32_t home) {
  for (uint32_t i = 0; i < c->h->g->tensor_count; i++)
    if (c->root[i] == s->tensor)
      c->h->home[i] = home;
}

static void occupy(const chooser *c, const stay *s, bool add) {
  const uint64_t own =
      ash_align_up(s->bytes, c->h->device->memories[c->compute].alignment);
  for (uint32_t step = s->life.first; step < s->life.end; step++) {
    uint64_t *taken = &c->h->taken[c->compute][step];
    ASH_ASSERT(add || *taken >= own);
    *taken = add ? *taken + own : *taken - own;
  }
}

/* Is no op of its life slower, and are all together cheaper? */
static ash_status compare(const chooser *c, const stay *s, bool *better) {
  ash_tile_value was = {0}, is = {0};
  *better = false;
  for (uint32_t step = s->life.first; step < s->life.end; step++) {
    const ash_op_price *b = &c->before[step];
    ash_op_price a;
    ASH_TRY(c->price(c->user, c->op_at[step], &a));
    if (!a.fits || !b->fits || a.value.cycles > b->value.cycles ||
        a.value.price > b->value.price)
      return ASH_OK;
    was.price += b->value.price;
    was.bytes += b->value.bytes;
    is.price += a.value.price;
    is.bytes += a.value.bytes;
  }
  *better = ash_value_less(&is, &was);
  return ASH_OK;
}

static ash_status price_before(const chooser *c, const stay *s, bool *all) {
  *all = true;
  for (uint32_t step = s->life.first; *all && step < s->life.end; step++) {
    ASH_TRY(c->price(c->user, c->op_at[step], &c->before[step]));
    *all = c->before[step].fits;
  }
  return ASH_OK;
}

/* It does not take room at its old home any more. */
static void leave_home(const chooser *c, const stay *s) {
  for (uint32_t i = 0; i < c->h->g->tensor_count; i++)
    if (c->root[i] == s->tensor) {
      ash_hierarchy_leave(c->h, i);
      c->h->stays[i] = true;
    }
}

/* The memory as if it had the size at which `s` is tried. */
static ash_status try_stay(const chooser *c, const stay *s, bool *better) {
  const uint32_t from = c->h->home[s->tensor];
  ASH_ASSERT(from != c->compute);
  c->h->limit = s->next;
  ash_status status = price_before(c, s, better);
  if (status != ASH_OK || !*better)
    return status;
  set_home(c, s, c->compute);
  occupy(c, s, true);
  status = compare(c, s, better);
  set_home(c, s, from);
  if (status == ASH_OK && *better) {
    leave_home(c, s);
    set_home(c, s, c->compute);
  } else {
    occupy(c, s, false);
  }
  return status;
}

/* ---- all of them --------------------------------------------------------- */

/* The trial with the smallest size, if the memory has it. */
static stay *next_trial(const chooser *c, uint64_t size) {
  stay *best = NULL;
  for (uint32_t i = 0; i < c->h->g->tensor_count; i++) {
    stay *s = &c->stays[i];
    if (!s->settled && s->next <= size && (!best || s->next < best->next))
      best = s;
  }
  return best;
}

static void list_stays(chooser *c) {
  const ash_graph *g = c->h->g;
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    c->stays[i].tensor = i;
    join(c, i);
  }
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    stay *s = &c->stays[i];
    s->settled = c->root[i] != i || s->barred || s->life.end == 0;
    if (!s->settled)
      schedule(c, s, 0);
  }
}

static ash_status choose(chooser *c) {
  ash_hierarchy *h = c->h;
  const uint64_t own = h->ask->memories[c->compute].max_size;
  const uint64_t size =
      own - own / 1024 * ash_min_u64(1024, h->options->shrink);
  list_stays(c);
  for (stay *s; (s = next_trial(c, size));) {
    bool better;
    ASH_TRY(try_stay(c, s, &better));
    s->settled = better;
    if (!better) {
      s->tried++;
      schedule(c, s, s->next);
    }
  }
  h->limit = 0;
  return ASH_OK;
}

ash_status ash_residents_choose(ash_hierarchy *h, ash_op_pricer *price,
                                void *user) {
  const size_t tensors = h->g->tensor_count;
  ash_zone *z = &h->ctx->scratch;
  chooser c = {.h = h,
               .price = price,
               .user = user,
               .compute = h->device->compute_memory,
               .root = ASH_NEW_ARRAY(z, uint32_t, tensors + 1),
               .stays = ASH_NEW_ARRAY(z, stay, tensors + 1),
               .op_at = ASH_NEW_ARRAY(z, uint32_t, h->step_count + 1u),
               .before = ASH_NEW_ARRAY(z, ash_op_price, h->step_count + 1u)};
  ASH_TRY(ash_zone_check(h->ctx, z));
  for (uint32_t s = 0; s < h->step_count; s++)
    if (h->sharers[s] != 1)
      return ASH_OK; /* buffers of a pattern live together */
  for (uint32_t op = 0; op < h->g->op_count; op++)
    c.op_at[h->step_of[op]] = op;
  find_roots(&c);
  return choose(&c);
}
