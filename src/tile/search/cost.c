/* cost.c - see cost.h. */
#include "tile/search/cost.h"

#include "base/checked.h"
#include "graph/graph.h"

enum { SUBSET_MAX = 7 }; /* operands whose copies are tried in all ways */

static uint64_t bytes_of(const ash_tile_problem *p, uint32_t o,
                         uint64_t elements) {
  ASH_ASSERT(o < p->space->operand_count);
  const uint32_t tensor = p->space->operands[o].tensor;
  const uint64_t bits = ash_type_bits(p->g->tensors.items[tensor].type);
  return (elements * bits + 7) / 8;
}

static bool is_staged(const ash_tile_problem *p, uint32_t level, uint32_t o) {
  ASH_ASSERT(level < p->level_count && o < ASH_OPERANDS_MAX);
  return p->hops[level].staged >> o & 1;
}

/* A buffer of operand o, rounded up. */
static uint64_t room_for(const ash_tile_problem *p, const ash_tile_sizes *s,
                         uint32_t level, uint32_t o) {
  ASH_ASSERT(is_staged(p, level, o));
  const uint32_t tensor = p->space->operands[o].tensor;
  const uint64_t element = ash_type_bits(p->g->tensors.items[tensor].type) / 8;
  return ash_align_up(s->box[level][o],
                      ash_max_u64(p->hops[level].alignment, element));
}

/* ---- sizes -------------------------------------------------------------- */

static int64_t piece_of(const ash_tile_cut *cut, uint32_t level,
                        uint32_t axis) {
  ASH_ASSERT(axis == ASH_NO_AXIS || axis < ASH_TILE_AXES);
  return axis == ASH_NO_AXIS ? 1 : cut->at[level][axis];
}

/* Transfers that the engine makes for one box: dimensions that are there as a
 * whole join the one outside, the engine's rank and length limit the rest. */
static uint64_t transfers_of(const ash_tile_problem *p, uint32_t level,
                             uint32_t o, uint64_t bytes,
                             const ash_tile_cut *cut) {
  ASH_ASSERT(is_staged(p, level, o) && p->hops[level].rank > 0);
  const ash_tile_operand *operand = &p->space->operands[o];
  const ash_shape *shape = &p->g->tensors.items[operand->tensor].shape;
  const ash_tile_hop *hop = &p->hops[level];
  const bool inner = level > 0 && is_staged(p, level - 1, o);
  uint64_t count = 1, merged = 1;
  uint32_t rank = 0;
  for (uint32_t d = operand->rank; d-- > 0;) {
    const ash_tile_dim *dim = &operand->dim[d];
    const uint64_t whole = (uint64_t)shape->dim[d];
    const uint64_t size =
        ash_dim_nominal(dim, whole, piece_of(cut, level, dim->axis));
    const uint64_t outside =
        inner ? ash_dim_nominal(dim, whole, piece_of(cut, level - 1, dim->axis))
              : whole;
    merged *= size;
    if (size == outside && d)
      continue;
    rank++;
    if (rank > hop->rank)
      count *= merged;
    merged = 1;
  }
  if (hop->transfer_max)
    count = ash_max_u64(count, ash_ceil_div(bytes, hop->transfer_max));
  return count;
}

/* What the engine needs for that many transfers, rows and bytes. */
static uint64_t time_of(const ash_tile_hop *hop, uint64_t transfers,
                        uint64_t rows, uint64_t bytes) {
  ASH_ASSERT(hop->bytes_per_kilocycle > 0);
  return transfers * hop->setup + rows * hop->row_cycles +
         bytes * 1000 / hop->bytes_per_kilocycle;
}

/* Dimensions that are there as a whole join the one outside in a row. */
static void find_rows(const ash_tile_problem *p, ash_tile_sizes *s,
                      uint32_t level, uint32_t o, const ash_tile_cut *cut) {
  ASH_ASSERT(is_staged(p, level, o));
  const ash_tile_operand *operand = &p->space->operands[o];
  const ash_shape *shape = &p->g->tensors.items[operand->tensor].shape;
  const bool inner = level > 0 && is_staged(p, level - 1, o);
  ash_box_rows *rows = &s->rows[level][o];
  uint64_t row = 1;
  uint32_t outside = 0;
  bool ended = false;
  *rows = (ash_box_rows){.base = 1, .most = 1};
  for (uint32_t d = operand->rank; d-- > 0;) {
    const ash_tile_dim *dim = &operand->dim[d];
    const uint64_t whole = (uint64_t)shape->dim[d];
    const uint64_t size =
        ash_dim_nominal(dim, whole, piece_of(cut, level, dim->axis));
    const uint32_t axis = dim->axis == ASH_NO_AXIS ? 0 : 1u << dim->axis;
    if (!ended) {
      row *= size;
      rows->inside |= axis;
      ended =
          size != (inner ? ash_dim_nominal(dim, whole,
                                           piece_of(cut, level - 1, dim->axis))
                         : whole);
      continue;
    }
    outside |= axis;
    rows->most *= size;
    rows->base *= axis ? 1 : whole;
  }
  rows->inside &= ~outside;
  const uint64_t bytes = bytes_of(p, o, row);
  rows->added = p->hops[level].beat > bytes ? p->hops[level].beat - bytes : 0;
}

static void size_level(const ash_facts *f, const ash_tile_problem *p,
                       ash_tile_sizes *s, uint32_t level,
                       const ash_tile_cut *cut) {
  ASH_ASSERT(p->hops[level].bytes_per_kilocycle > 0);
  const ash_tile_hop *hop = &p->hops[level];
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    uint64_t elements = ash_facts_base(f, o);
    if (!is_staged(p, level, o))
      continue;
    for (uint32_t a = 0; a < p->space->axis_count; a++)
      elements *= s->fact[level][a]->operands[o].most;
    const uint64_t bytes = bytes_of(p, o, elements);
    s->box[level][o] = bytes;
    s->pieces[level][o] = transfers_of(p, level, o, bytes, cut);
    find_rows(p, s, level, o, cut);
    const ash_box_rows *rows = &s->rows[level][o];
    s->cycles[level][o] = time_of(hop, s->pieces[level][o], rows->most,
                                  bytes + rows->most * rows->added);
  }
}

/* Elements of the outputs of one piece, and how often a sum is taken up
 * again. */
static void size_sums(const ash_facts *f, const ash_tile_problem *p,
                      ash_tile_sizes *s) {
  const ash_tile_space *space = p->space;
  const uint32_t last = p->level_count - 1;
  uint64_t elements = 0, again = 1, all = 1;
  for (uint32_t a = 0; a < space->axis_count; a++) {
    if (space->axes[a].kind == ASH_AXIS_SUM)
      again *= s->fact[last][a]->pieces;
    else
      all *= (uint64_t)space->axes[a].extent;
  }
  s->sum_cut = again > 1;
  s->accumulator = 0;
  if (!s->sum_cut)
    return;
  for (uint32_t o = 0; o < space->operand_count; o++) {
    uint64_t box = ash_facts_base(f, o);
    if (!space->operands[o].is_output)
      continue;
    for (uint32_t a = 0; a < space->axis_count; a++)
      box *= s->fact[last][a]->operands[o].most;
    elements = ash_max_u64(elements, box);
  }
  ASH_ASSERT(elements > 0 && space->accumulator_bytes > 0);
  s->accumulator = elements * space->accumulator_bytes;
  s->compute += all * (again - 1) * 1000 / p->elements_per_kilocycle;
}

static void size_work(const ash_tile_problem *p, ash_tile_sizes *s,
                      const ash_tile_cut *cut) {
  const uint32_t last = p->level_count - 1;
  /* Work in proportion to positions; fractions of a factor are kept in 1024ths
   * so that all machines agree. */
  uint64_t work = p->space->work;
  s->tiles = 1;
  for (uint32_t a = 0; a < p->space->axis_count; a++) {
    const uint64_t extent = (uint64_t)p->space->axes[a].extent;
    s->tiles *= s->fact[last][a]->pieces;
    if (s->fact[last][a]->rounded != extent && extent)
      work +=
          work * ((s->fact[last][a]->rounded - extent) * 1024 / extent) / 1024;
  }
  ASH_ASSERT(s->tiles > 0 && p->per_kilocycle > 0);
  s->compute = s->tiles * p->call_cycles + work * 1000 / p->per_kilocycle;
  s->work = ash_tile_work_bytes(p->g, p->space, cut->at[last]);
}

bool ash_model_sizes(ash_facts *f, const ash_tile_problem *p,
                     ash_tile_sizes *out, const ash_tile_cut *cut) {
  ASH_ASSERT(0 < p->level_count && p->level_count <= ASH_TILE_LEVELS);
  ASH_ASSERT(p->space->operand_count <= ASH_OPERANDS_MAX);
  for (uint32_t k = 0; k < p->level_count; k++) {
    out->regions[k] = 1;
    for (uint32_t a = 0; a < p->space->axis_count; a++) {
      out->fact[k][a] = ash_facts_get(f, a, k, cut);
      if (!out->fact[k][a])
        return false;
      if (k)
        out->regions[k] *= out->fact[k - 1][a]->pieces;
    }
    size_level(f, p, out, k, cut);
  }
  size_work(p, out, cut);
  size_sums(f, p, out);
  return true;
}

uint64_t ash_model_least(const ash_tile_problem *p, const ash_tile_sizes *s,
                         uint32_t level) {
  ASH_ASSERT(level < p->level_count);
  const uint64_t alignment = p->hops[level].alignment;
  uint64_t sum = 0;
  for (uint32_t o = 0; o < p->space->operand_count; o++)
    if (is_staged(p, level, o))
      sum += room_for(p, s, level, o);
  if (level + 1 == p->level_count)
    sum += ash_align_up(s->accumulator,
                        ash_max_u64(alignment, p->space->accumulator_bytes)) +
           ash_align_up(s->work, ash_max_u64(alignment, 8));
  return sum;
}

/* ---- moves -------------------------------------------------------------- */

static uint64_t distinct(const ash_tile_sizes *s, uint32_t level, uint32_t a,
                         uint32_t o) {
  return s->fact[level][a]->operands[o].distinct;
}

uint64_t ash_model_asked(const ash_tile_problem *p, const ash_tile_sizes *s,
                         uint32_t level) {
  uint64_t sum = ash_model_least(p, s, level);
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    bool moves = false;
    if (!is_staged(p, level, o))
      continue;
    for (uint32_t a = 0; a < p->space->axis_count; a++)
      moves |= distinct(s, level, a, o) > 1;
    const uint64_t copies = p->wanted[level][o]     ? p->wanted[level][o]
                            : moves && p->buffering ? p->buffering
                                                    : 1;
    ASH_ASSERT(copies >= 1 && copies <= ASH_TILE_COPIES);
    sum += (copies - 1) * room_for(p, s, level, o);
  }
  return sum;
}

/* The innermost loop that changes the operand's box: its level, and its place
 * in the order of that level. False: one box does. */
static bool find_loop(const ash_tile_problem *p, const ash_tile_sizes *s,
                      const ash_tile_choice *c, uint32_t level, uint32_t o,
                      uint32_t *at_level, uint32_t *at_depth) {
  ASH_ASSERT(level < p->level_count && o < p->space->operand_count);
  for (uint32_t k = level + 1; k-- > 0;)
    for (uint32_t d = p->space->axis_count; d-- > 0;) {
      const uint32_t a = c->order[k][d];
      if (distinct(s, k, a, o) > (k ? distinct(s, k - 1, a, o) : 1)) {
        *at_level = k;
        *at_depth = d;
        return true;
      }
    }
  return false;
}

ash_tile_moves ash_model_moves(const ash_facts *f, const ash_tile_problem *p,
                               const ash_tile_sizes *s,
                               const ash_tile_choice *c, uint32_t level,
                               uint32_t o) {
  const ash_box_rows *box = &s->rows[level][o];
  uint64_t loads = 1, elements = ash_facts_base(f, o), rows = box->base;
  uint32_t k, depth;
  if (!find_loop(p, s, c, level, o, &k, &depth))
    return (ash_tile_moves){1, s->box[level][o], box->most};
  for (uint32_t d = 0; d < p->space->axis_count; d++) {
    const uint32_t a = c->order[k][d];
    const ash_axis_fact *fact = d <= depth ? s->fact[k][a]
                                : k        ? s->fact[k - 1][a]
                                           : NULL;
    const ash_operand_fact *own = fact ? &fact->operands[o] : NULL;
    uint64_t times = fact ? fact->pieces : 1, size = times;
    if (d == depth) {
      ASH_ASSERT(own != NULL);
      times = own->distinct;
      size = own->fresh;
    } else if (ash_facts_followers(f, a) >> o & 1) {
      size = fact ? own->sum : s->fact[level][a]->operands[o].most;
    }
    loads *= times;
    elements *= size;
    rows *= box->inside >> a & 1 ? times : size;
  }
  return (ash_tile_moves){loads, bytes_of(p, o, elements), rows};
}

/* ---- one level ---------------------------------------------------------- */

typedef struct level_moves {
  uint64_t loads[ASH_OPERANDS_MAX];
  uint64_t time[ASH_OPERANDS_MAX], fill[ASH_OPERANDS_MAX];
  uint64_t all_bytes, all_transfers, all_rows, busy;
} level_moves;

static void count_moves(const ash_facts *f, const ash_tile_problem *p,
                        const ash_tile_sizes *s, const ash_tile_choice *c,
                        uint32_t level, level_moves *m) {
  const ash_tile_hop *hop = &p->hops[level];
  m->all_bytes = m->all_transfers = m->all_rows = m->busy = 0;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    if (!is_staged(p, level, o))
      continue;
    const ash_tile_moves own = ash_model_moves(f, p, s, c, level, o);
    const uint64_t transfers = own.loads * s->pieces[level][o];
    m->loads[o] = own.loads;
    m->time[o] = time_of(hop, transfers, own.rows,
                         own.bytes + own.rows * s->rows[level][o].added);
    const uint64_t first =
        ash_min_u64(own.loads, s->regions[level]) * s->cycles[level][o];
    m->fill[o] = ash_min_u64(first, m->time[o]);
    ASH_ASSERT(own.loads > 0);
    m->all_bytes += own.bytes;
    m->all_transfers += transfers;
    m->all_rows += own.rows;
    m->busy += m->time[o];
  }
}

static uint64_t cycles_of(const ash_tile_problem *p, const level_moves *m,
                          uint32_t level, const uint8_t *copies,
                          uint64_t inside) {
  uint64_t serial = 0, hidden = 0;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    if (!is_staged(p, level, o))
      continue;
    if (copies[o] < 2 || !p->hops[level].overlaps) {
      serial += m->time[o];
    } else {
      serial += m->fill[o];
      ASH_ASSERT(m->time[o] >= m->fill[o]);
      hidden += m->time[o] - m->fill[o];
    }
  }
  return serial + ash_max_u64(inside, hidden);
}

static uint64_t room_of(const ash_tile_problem *p, const ash_tile_sizes *s,
                        uint32_t level, const uint8_t *copies) {
  ASH_ASSERT(level < p->level_count);
  uint64_t sum = ash_model_least(p, s, level);
  for (uint32_t o = 0; o < p->space->operand_count; o++)
    if (is_staged(p, level, o) && copies[o] > 1)
      sum += (copies[o] - 1u) * room_for(p, s, level, o);
  return sum;
}

typedef struct level_best {
  uint64_t cycles, room;
  uint8_t *copies; /* by operand             */
  bool guessed;    /* not all were tried     */
} level_best;

static void offer(const ash_tile_problem *p, const ash_tile_sizes *s,
                  const level_moves *m, uint32_t level, uint64_t inside,
                  const uint8_t *copies, level_best *best) {
  const uint64_t room = room_of(p, s, level, copies);
  if (room > p->hops[level].room)
    return;
  const uint64_t cycles = cycles_of(p, m, level, copies, inside);
  if (cycles > best->cycles || (cycles == best->cycles && room >= best->room))
    return;
  ASH_ASSERT(cycles >= inside);
  best->cycles = cycles;
  best->room = room;
  for (uint32_t o = 0; o < p->space->operand_count; o++)
    best->copies[o] = copies[o];
}

/* The best copies of a level: all subsets of those who could gain, or, when
 * they are many, those that fit in order of what they gain. A third copy hides
 * no more than a second and takes room, so it is there only where it is asked
 * for. */
static bool choose_copies(const ash_tile_problem *p, const ash_tile_sizes *s,
                          const level_moves *m, uint32_t level, uint64_t inside,
                          level_best *best) {
  uint8_t copies[ASH_OPERANDS_MAX] = {0};
  uint32_t movers[ASH_OPERANDS_MAX], count = 0;
  best->cycles = best->room = UINT64_MAX;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    if (!is_staged(p, level, o))
      continue;
    copies[o] = 1;
    if (p->wanted[level][o])
      copies[o] = p->wanted[level][o];
    else if (m->loads[o] > 1 && p->buffering)
      copies[o] = (uint8_t)p->buffering;
    else if (m->time[o] > m->fill[o] && p->hops[level].overlaps)
      movers[count++] = o;
  }
  if (p->buffering)
    count = 0;
  offer(p, s, m, level, inside, copies, best);
  if (best->room == UINT64_MAX)
    return false;
  if (count <= SUBSET_MAX) {
    for (uint32_t set = 1; set < (uint32_t)1 << count; set++) {
      for (uint32_t i = 0; i < count; i++)
        copies[movers[i]] = (uint8_t)(1 + (set >> i & 1));
      offer(p, s, m, level, inside, copies, best);
    }
    return true;
  }
  best->guessed = true;
  for (uint32_t i = 0; i < count; i++) {
    copies[movers[i]] = 2;
    offer(p, s, m, level, inside, copies, best);
    ASH_ASSERT(best->room <= p->hops[level].room);
    if (best->copies[movers[i]] != 2)
      copies[movers[i]] = 1;
  }
  return true;
}

/* ---- the whole ---------------------------------------------------------- */

/* Of every operand its box, for every piece of the level. */
static uint64_t bytes_again(const ash_facts *f, const ash_tile_problem *p,
                            const ash_tile_sizes *s, uint32_t level) {
  uint64_t sum = 0;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    uint64_t elements = ash_facts_base(f, o);
    if (!is_staged(p, level, o))
      continue;
    for (uint32_t a = 0; a < p->space->axis_count; a++) {
      const ash_axis_fact *fact = s->fact[level][a];
      elements *= ash_facts_followers(f, a) >> o & 1 ? fact->operands[o].sum
                                                     : fact->pieces;
    }
    sum += bytes_of(p, o, elements);
  }
  return sum;
}

static void note_level(ash_tile_cost *details, const level_moves *m,
                       uint32_t level) {
  ASH_ASSERT(level < ASH_TILE_LEVELS);
  if (!details)
    return;
  details->bytes_moved[level] = m->all_bytes;
  details->transfers[level] = m->all_transfers;
  details->rows[level] = m->all_rows;
}

static void start_value(const ash_tile_sizes *s, ash_tile_value *out,
                        ash_tile_cost *details) {
  *out = (ash_tile_value){.cycles = s->compute};
  if (details)
    *details = (ash_tile_cost){.tiles = s->tiles, .compute_cycles = s->compute};
}

static void finish_value(const ash_tile_problem *p, ash_tile_value *out,
                         ash_tile_cost *details) {
  out->price = ash_tile_price(p, out->cycles, out->bytes);
  if (!details)
    return;
  details->cycles = out->cycles;
  details->price = ash_ceil_div(out->price, 1000);
}

bool ash_model_value(const ash_facts *f, const ash_tile_problem *p,
                     const ash_tile_sizes *s, ash_tile_choice *choice,
                     ash_tile_value *out, ash_tile_cost *details) {
  start_value(s, out, details);
  for (uint32_t k = p->level_count; k-- > 0;) {
    level_moves m;
    level_best best = {.copies = choice->copies[k]};
    count_moves(f, p, s, choice, k, &m);
    if (!choose_copies(p, s, &m, k, out->cycles, &best))
      return false;
    ASH_ASSERT(best.room <= p->hops[k].room && best.cycles >= out->cycles);
    out->cycles = best.cycles;
    out->footprint += best.room;
    out->bytes += m.all_bytes;
    out->busy += m.busy;
    out->guessed |= best.guessed;
    note_level(details, &m, k);
  }
  finish_value(p, out, details);
  return true;
}

bool ash_model_given(const ash_facts *f, const ash_tile_problem *p,
                     const ash_tile_sizes *s, const ash_tile_choice *choice,
                     ash_tile_value *out, ash_tile_cost *details) {
  start_value(s, out, details);
  for (uint32_t k = p->level_count; k-- > 0;) {
    level_moves m;
    count_moves(f, p, s, choice, k, &m);
    const uint64_t room = room_of(p, s, k, choice->copies[k]);
    if (room > p->hops[k].room)
      return false;
    out->cycles = cycles_of(p, &m, k, choice->copies[k], out->cycles);
    out->footprint += room;
    out->bytes += m.all_bytes;
    out->busy += m.busy;
    note_level(details, &m, k);
    if (details)
      details->bytes_without_reuse += bytes_again(f, p, s, k);
  }
  finish_value(p, out, details);
  return true;
}

/* The least cycles and bytes of moving operand o at a level. */
static uint64_t bound_moves(const ash_facts *f, const ash_tile_problem *p,
                            const ash_tile_sizes *s, uint32_t level, uint32_t o,
                            bool open, uint64_t *bytes) {
  ASH_ASSERT(is_staged(p, level, o));
  const ash_box_rows *box = &s->rows[level][o];
  const bool gaps = open && ash_facts_has_gaps(f, o);
  uint64_t loads = 1, elements = ash_facts_base(f, o), rows = box->base;
  for (uint32_t a = 0; a < p->space->axis_count; a++) {
    const uint64_t fresh = s->fact[level][a]->operands[o].fresh;
    const uint64_t size =
        open ? ash_min_u64(fresh, ash_facts_least(f, a, o)) : fresh;
    loads *= distinct(s, level, a, o);
    elements *= size;
    rows *= box->inside >> a & 1 ? distinct(s, level, a, o) : size;
  }
  *bytes = bytes_of(p, o, elements);
  return time_of(&p->hops[level], loads * (gaps ? 1 : s->pieces[level][o]),
                 gaps ? loads : rows, *bytes + (open ? 0 : rows * box->added));
}

ash_tile_value ash_model_bound(const ash_facts *f, const ash_tile_problem *p,
                               const ash_tile_sizes *s, bool open) {
  ash_tile_value out = {.cycles = s->compute};
  for (uint32_t k = p->level_count; k-- > 0;) {
    uint64_t time = 0, fill = 0;
    for (uint32_t o = 0; o < p->space->operand_count; o++) {
      uint64_t bytes;
      if (!is_staged(p, k, o))
        continue;
      const uint64_t least = bound_moves(f, p, s, k, o, open, &bytes);
      out.bytes += bytes;
      out.busy += least;
      time += least;
      if (!open)
        fill += ash_min_u64(s->cycles[k][o], least);
    }
    out.cycles = p->hops[k].overlaps ? ash_max_u64(out.cycles + fill, time)
                                     : out.cycles + time;
    if (k + 1 == p->level_count)
      out.cycles = ash_max_u64(out.cycles, p->inner_least);
    if (!open)
      out.footprint += ash_model_least(p, s, k);
  }
  out.price = ash_tile_price(p, out.cycles, out.bytes);
  return out;
}
