/* test_search.c - is the search as good as trying everything? Small worlds are
 * enumerated completely: all tile sizes, all orders of loops, one to three
 * copies of everything, each walked piece by piece to see what is moved. */
#include "tile_net.h"

#include "base/checked.h"
#include "base/rng.h"
#include "tile/search/search.h"

/* ---- a world ------------------------------------------------------------ */

typedef struct world {
  ash_tile_problem p;
  int64_t tile[ASH_TILE_LEVELS][ASH_TILE_AXES];
  uint32_t order[ASH_TILE_LEVELS][ASH_TILE_AXES];
  uint32_t copies[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
} world;

typedef struct moves {
  uint64_t loads[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
  uint64_t bytes[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
  uint64_t largest[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
  uint64_t rows[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
  uint64_t most_rows[ASH_TILE_LEVELS][ASH_OPERANDS_MAX]; /* of the first box */
  uint64_t added[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];     /* to a row of it */
  uint64_t regions[ASH_TILE_LEVELS];
  uint64_t tiles;
  bool gaps; /* a piece of what is read where it lives is no run of bytes */
} moves;

static ash_tile_problem problem_of(net *n, uint32_t levels, uint64_t room) {
  ash_tile_problem p = {.ctx = n->ctx,
                        .g = n->g,
                        .level_count = levels,
                        .per_kilocycle = 3000,
                        .elements_per_kilocycle = 2000,
                        .call_cycles = 20,
                        .ticks = 100000000};
  const char *why;
  CHECK_EQ(ash_tile_space_of(n->ctx, &p.space, &why, n->g, 0), ASH_OK);
  CHECK(p.space != NULL);
  for (uint32_t k = 0; k < levels; k++)
    p.hops[k] =
        (ash_tile_hop){.memory = k,
                       .room = k + 1 == levels ? room : room * 3,
                       .staged = ((uint32_t)1 << p.space->operand_count) - 1,
                       .overlaps = true,
                       .setup = 5,
                       .bytes_per_kilocycle = k + 1 == levels ? 2000 : 1500,
                       .rank = ASH_RANK_MAX,
                       .alignment = 4};
  return p;
}

/* ---- walking ------------------------------------------------------------ */

typedef struct walker {
  const world *w;
  moves *m;
  ash_box newest[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
  bool loaded[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
} walker;

static bool same_box(const ash_box *a, const ash_box *b) {
  for (uint32_t d = 0; d < a->rank; d++)
    if (a->start[d] != b->start[d] || a->size[d] != b->size[d])
      return false;
  return true;
}

/* Rows of a box in the box or tensor that it comes from, and by how many bytes
 * one is shorter than a beat. */
static uint64_t rows_of(const walker *k, uint32_t level, uint32_t o,
                        const ash_box *box, uint64_t *short_by) {
  const ash_tile_problem *p = &k->w->p;
  const ash_tensor *t = &p->g->tensors.items[p->space->operands[o].tensor];
  const bool inner = level && (p->hops[level - 1].staged >> o & 1);
  uint64_t rows = 1, row = ash_type_bits(t->type) / 8;
  bool ended = false;
  for (uint32_t d = box->rank; d-- > 0;) {
    if (ended) {
      rows *= (uint64_t)box->size[d];
      continue;
    }
    row *= (uint64_t)box->size[d];
    ended = box->size[d] !=
            (inner ? k->newest[level - 1][o].size[d] : t->shape.dim[d]);
  }
  *short_by = row < p->hops[level].beat ? p->hops[level].beat - row : 0;
  return rows;
}

static void bring(walker *k, uint32_t level, const int64_t *at,
                  const int64_t *n) {
  const ash_tile_problem *p = &k->w->p;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    ash_box box;
    ash_tile_box(&box, p->g, p->space, o, at, n);
    const uint64_t bytes =
        ash_box_bytes(p->g, p->space->operands[o].tensor, &box);
    k->m->largest[level][o] = ash_max_u64(k->m->largest[level][o], bytes);
    if (!(p->hops[level].staged >> o & 1))
      continue; /* it needs an accumulator all the same */
    if (k->loaded[level][o] && same_box(&box, &k->newest[level][o]))
      continue;
    k->loaded[level][o] = true;
    k->newest[level][o] = box;
    k->m->loads[level][o]++;
    k->m->bytes[level][o] += bytes;
    uint64_t short_by;
    const uint64_t rows = rows_of(k, level, o, &box, &short_by);
    if (k->m->loads[level][o] == 1) {
      k->m->most_rows[level][o] = rows;
      k->m->added[level][o] = short_by;
    }
    k->m->rows[level][o] += rows;
  }
}

/* Elements from the first to the last of a box that is read in its tensor: more
 * than the box has, if there are others between them. */
static void see_gaps(walker *k, const int64_t *at, const int64_t *n) {
  const ash_tile_problem *p = &k->w->p;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    const ash_shape *s =
        &p->g->tensors.items[p->space->operands[o].tensor].shape;
    int64_t first = 0, last = 0, elements = 1;
    ash_box box;
    if (p->hops[p->level_count - 1].staged >> o & 1)
      continue;
    ash_tile_box(&box, p->g, p->space, o, at, n);
    for (uint32_t d = 0; d < box.rank; d++) {
      first = first * s->dim[d] + box.start[d];
      last = last * s->dim[d] + box.start[d] + box.size[d] - 1;
      elements *= box.size[d];
    }
    k->m->gaps |= elements != 0 && last - first + 1 != elements;
  }
}

/* The pieces of a region, in the order of the loops. Levels are few. */
static void walk(walker *k, uint32_t level, const int64_t *from,
                 const int64_t *size) {
  const ash_tile_problem *p = &k->w->p;
  const uint32_t axes = p->space->axis_count;
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
  if (level >= p->level_count || level >= ASH_TILE_LEVELS) {
    k->m->tiles++;
    see_gaps(k, from, size);
    return;
  }
  k->m->regions[level]++;
  for (uint32_t a = 0; a < axes; a++)
    at[a] = from[a];
  for (;;) {
    for (uint32_t a = 0; a < axes; a++) {
      const int64_t left = from[a] + size[a] - at[a];
      n[a] = left < k->w->tile[level][a] ? left : k->w->tile[level][a];
    }
    bring(k, level, at, n);
    walk(k, level + 1, at, n);
    uint32_t d = axes;
    while (d-- > 0) {
      const uint32_t a = k->w->order[level][d];
      at[a] += k->w->tile[level][a];
      if (at[a] < from[a] + size[a])
        break;
      at[a] = from[a];
    }
    if (d == UINT32_MAX)
      return;
  }
}

static void count_moves(const world *w, moves *m) {
  static walker k;
  int64_t from[ASH_TILE_AXES] = {0}, size[ASH_TILE_AXES];
  k = (walker){.w = w, .m = m};
  *m = (moves){0};
  for (uint32_t a = 0; a < w->p.space->axis_count; a++)
    size[a] = w->p.space->axes[a].extent;
  walk(&k, 0, from, size);
}

/* ---- what model.h says -------------------------------------------------- */

/* The pieces of an axis in the last level: how many, and how many positions
 * when each is rounded up to the multiple that the kernel likes. */
static uint64_t pieces_of(const world *w, uint32_t a, uint64_t *rounded) {
  const ash_tile_axis *axis = &w->p.space->axes[a];
  const uint64_t multiple = axis->multiple > 1 ? (uint64_t)axis->multiple : 1;
  uint64_t pieces = 0;
  *rounded = 0;
  for (int64_t at = 0; at < axis->extent;) {
    int64_t end = axis->extent, start = 0;
    for (uint32_t k = 0; k < w->p.level_count; k++) {
      while (start + w->tile[k][a] <= at)
        start += w->tile[k][a];
      end = start + w->tile[k][a] < end ? start + w->tile[k][a] : end;
    }
    pieces++;
    *rounded += ash_align_up((uint64_t)(end - at), multiple);
    at = end;
  }
  return pieces;
}

static uint64_t compute_of(const world *w, const moves *m) {
  uint64_t work = w->p.space->work;
  for (uint32_t a = 0; a < w->p.space->axis_count; a++) {
    const uint64_t extent = (uint64_t)w->p.space->axes[a].extent;
    uint64_t rounded;
    (void)pieces_of(w, a, &rounded);
    work += work * ((rounded - extent) * 1024 / extent) / 1024;
  }
  return m->tiles * w->p.call_cycles + work * 1000 / w->p.per_kilocycle;
}

static uint64_t accumulator_of(const world *w, const moves *m,
                               uint64_t *extra) {
  const ash_tile_space *s = w->p.space;
  const uint32_t last = w->p.level_count - 1;
  uint64_t again = 1, all = 1, out = 0, rounded;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    if (s->axes[a].kind == ASH_AXIS_SUM)
      again *= pieces_of(w, a, &rounded);
    else
      all *= (uint64_t)s->axes[a].extent;
  }
  *extra = all * (again - 1) * 1000 / w->p.elements_per_kilocycle;
  for (uint32_t o = 0; o < s->operand_count; o++)
    if (s->operands[o].is_output)
      out = m->largest[last][o] /
            (ash_type_bits(w->p.g->tensors.items[s->operands[o].tensor].type) /
             8);
  return again > 1 ? out * s->accumulator_bytes : 0;
}

static bool value_of(const world *w, const moves *m, ash_tile_value *v) {
  const ash_tile_space *s = w->p.space;
  uint64_t extra;
  const uint64_t sums = accumulator_of(w, m, &extra);
  *v = (ash_tile_value){.cycles = compute_of(w, m) + extra};
  for (uint32_t k = w->p.level_count; k-- > 0;) {
    const ash_tile_hop *hop = &w->p.hops[k];
    uint64_t serial = 0, hidden = 0, room = 0;
    if (k + 1 == w->p.level_count)
      room = ash_align_up(sums, 4);
    for (uint32_t o = 0; o < s->operand_count; o++) {
      if (!(hop->staged >> o & 1))
        continue;
      const uint64_t added = m->added[k][o], rows = m->most_rows[k][o];
      const uint64_t time = m->loads[k][o] * hop->setup +
                            m->rows[k][o] * hop->row_cycles +
                            (m->bytes[k][o] + m->rows[k][o] * added) * 1000 /
                                hop->bytes_per_kilocycle;
      const uint64_t one =
          hop->setup + rows * hop->row_cycles +
          (m->largest[k][o] + rows * added) * 1000 / hop->bytes_per_kilocycle;
      const uint64_t fill =
          ash_min_u64(time, ash_min_u64(m->loads[k][o], m->regions[k]) * one);
      room += w->copies[k][o] * ash_align_up(m->largest[k][o], 4);
      const bool hides = w->copies[k][o] > 1 && hop->overlaps;
      serial += hides ? fill : time;
      hidden += hides ? time - fill : 0;
      v->bytes += m->bytes[k][o];
      v->busy += time;
    }
    if (room > hop->room)
      return false;
    v->footprint += room;
    v->cycles = serial + ash_max_u64(v->cycles, hidden);
  }
  v->price = v->cycles * 1000 + v->bytes * w->p.byte_price;
  return true;
}

/* ---- everything --------------------------------------------------------- */

static bool next_permutation(uint32_t *v, uint32_t n) {
  uint32_t i = n - 1;
  while (i > 0 && v[i - 1] > v[i])
    i--;
  for (uint32_t lo = i, hi = n - 1; lo < hi; lo++, hi--) {
    const uint32_t t = v[lo];
    v[lo] = v[hi];
    v[hi] = t;
  }
  if (i == 0)
    return false;
  uint32_t k = i;
  while (v[k] < v[i - 1])
    k++;
  const uint32_t t = v[k];
  v[k] = v[i - 1];
  v[i - 1] = t;
  return true;
}

static bool is_legal(const world *w) {
  const ash_tile_space *s = w->p.space;
  bool outside = false;
  for (uint32_t k = 0; k < w->p.level_count; k++) {
    bool sum = false;
    for (uint32_t d = 0; d < s->axis_count; d++) {
      const uint32_t a = w->order[k][d];
      const int64_t region = k ? w->tile[k - 1][a] : s->axes[a].extent;
      if (w->tile[k][a] == region)
        continue;
      if (s->axes[a].kind == ASH_AXIS_SUM) {
        if (!s->accumulator_bytes)
          return false;
        sum = true;
      } else if (sum || outside)
        return false;
    }
    outside |= sum;
  }
  return true;
}

typedef struct best {
  bool found;
  ash_tile_value value;
  uint64_t tried;
} best;

static void try_copies(world *w, const moves *m, best *b) {
  const uint32_t all = w->p.level_count * w->p.space->operand_count;
  uint64_t count = 1;
  for (uint32_t i = 0; i < all; i++)
    count *= 3;
  for (uint64_t c = 0; c < count; c++) {
    uint64_t rest = c;
    ash_tile_value v;
    for (uint32_t i = 0; i < all; i++, rest /= 3)
      w->copies[i / w->p.space->operand_count][i % w->p.space->operand_count] =
          1 + (uint32_t)(rest % 3);
    b->tried++;
    if (!value_of(w, m, &v) || (b->found && !ash_value_less(&v, &b->value)))
      continue;
    b->found = true;
    b->value = v;
  }
}

static void try_orders(world *w, uint32_t level, best *b) {
  const uint32_t axes = w->p.space->axis_count;
  if (level >= w->p.level_count || level >= ASH_TILE_LEVELS) {
    moves m;
    if (!is_legal(w))
      return;
    count_moves(w, &m);
    if (!m.gaps)
      try_copies(w, &m, b);
    return;
  }
  for (uint32_t a = 0; a < axes; a++)
    w->order[level][a] = a;
  do
    try_orders(w, level + 1, b);
  while (next_permutation(w->order[level], axes));
}

static void try_tiles(world *w, uint32_t variable, best *b) {
  const uint32_t axes = w->p.space->axis_count;
  if (axes == 0 || variable >= axes * w->p.level_count ||
      variable / axes >= ASH_TILE_LEVELS) {
    try_orders(w, 0, b);
    return;
  }
  const uint32_t k = variable / axes, a = variable % axes;
  const ash_tile_axis *axis = &w->p.space->axes[a];
  const int64_t region = k ? w->tile[k - 1][a] : axis->extent;
  for (int64_t t = 1; t <= region; t++) {
    if (t < region && axis->granule > 1 && t % axis->granule)
      continue;
    w->tile[k][a] = t;
    try_tiles(w, variable + 1, b);
  }
}

/* What is different from world to world. */
typedef struct variety {
  bool blocking;   /* transfers of the outer level */
  uint32_t nearby; /* bit o: operand o lives in the memory of the outer level */
  uint32_t here;   /* bit o: operand o lives where the kernel reads           */
  int64_t multiple; /* that kernels like, of all axes; 0: none */
  uint64_t price;   /* of a byte */
  uint64_t outer;   /* room of the outer level; 0: three times as much */
  uint64_t rows;    /* cycles of a row */
  uint64_t beat;
} variety;

static void set_hints(ash_tile_problem *p, int64_t multiple) {
  ash_tile_space *own = ASH_NEW(&p->ctx->keep, ash_tile_space);
  *own = *p->space;
  for (uint32_t a = 0; a < own->axis_count; a++)
    own->axes[a].multiple = multiple ? multiple : 1;
  p->space = own;
}

static uint64_t compare_in(net *n, uint32_t levels, uint64_t room,
                           variety kind) {
  static world w;
  ash_tile_found found = {0};
  ash_facts *f;
  best b = {0};
  w = (world){.p = problem_of(n, levels, room)};
  set_hints(&w.p, kind.multiple);
  w.p.byte_price = kind.price;
  for (uint32_t k = 0; k < levels; k++) {
    w.p.hops[k].row_cycles = kind.rows;
    w.p.hops[k].beat = kind.beat;
    w.p.hops[k].staged &= ~kind.here;
  }
  w.p.hops[0].overlaps = !kind.blocking;
  if (levels > 1 && kind.outer)
    w.p.hops[0].room = kind.outer;
  if (levels > 1)
    w.p.hops[0].staged &= ~kind.nearby;
  const ash_mark mark = ash_zone_mark(&n->ctx->scratch);
  CHECK_EQ(ash_facts_new(&f, &w.p), ASH_OK);
  CHECK_EQ(ash_search_cost(&w.p, f, &found), ASH_OK);
  try_tiles(&w, 0, &b);
  CHECK_EQ(found.found, b.found);
  if (b.found) {
    CHECK_EQ(found.value.price, b.value.price);
    CHECK_EQ(found.value.cycles, b.value.cycles);
    CHECK_EQ(found.lower_bound, found.value.price);
    CHECK_EQ(found.value.bytes, b.value.bytes);
    CHECK_EQ(found.value.footprint, b.value.footprint);
    CHECK_EQ(found.verdict, ASH_OPTIMAL);
  } else {
    CHECK_EQ(found.verdict, ASH_INFEASIBLE);
  }
  ash_zone_rewind(&n->ctx->scratch, mark);
  return b.tried;
}

static uint64_t compare(net *n, uint32_t levels, uint64_t room) {
  return compare_in(n, levels, room, (variety){0});
}

static void products_in_one_level_equal_brute_force(void) {
  static const int32_t shapes[][3] = {
      {3, 4, 5}, {4, 2, 6}, {5, 5, 2}, {1, 8, 3}};
  for (size_t i = 0; i < ASH_COUNT_OF(shapes); i++) {
    net n = matmul_net(1, shapes[i][0], shapes[i][1], shapes[i][2]);
    for (uint64_t room = 12; room <= 300; room += 24)
      (void)compare(&n, 1, room);
    net_free(&n);
  }
}

static void windows_in_one_level_equal_brute_force(void) {
  static const int32_t shapes[][4] = {{6, 5, 2, 1}, {7, 4, 3, 2}, {5, 5, 1, 3}};
  for (size_t i = 0; i < ASH_COUNT_OF(shapes); i++) {
    net n = pool_net(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
    for (uint64_t room = 4; room <= 160; room += 12)
      (void)compare(&n, 1, room);
    net_free(&n);
  }
}

static void batches_in_one_level_equal_brute_force(void) {
  net n = matmul_net(2, 3, 2, 3);
  for (uint64_t room = 12; room <= 200; room += 28)
    (void)compare(&n, 1, room);
  net_free(&n);
}

static void two_levels_equal_brute_force(void) {
  static const int32_t shapes[][3] = {{3, 1, 2}, {2, 2, 2}, {4, 1, 2}};
  for (size_t i = 0; i < ASH_COUNT_OF(shapes); i++) {
    net n = matmul_net(1, shapes[i][0], shapes[i][1], shapes[i][2]);
    for (uint64_t room = 12; room <= 48; room += 12)
      for (uint32_t kind = 0; kind < 16; kind++)
        (void)compare_in(&n, 2, room,
                         (variety){.blocking = kind & 1, .nearby = kind >> 1});
    net_free(&n);
  }
}

static void windows_in_two_levels_equal_brute_force(void) {
  static const int32_t shapes[][4] = {{4, 2, 1, 1}, {3, 3, 1, 1}, {5, 1, 2, 2}};
  for (size_t i = 0; i < ASH_COUNT_OF(shapes); i++) {
    net n = pool_net(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
    for (uint64_t room = 8; room <= 32; room += 8)
      for (uint32_t kind = 0; kind < 8; kind++)
        (void)compare_in(&n, 2, room,
                         (variety){.blocking = kind & 1, .nearby = kind >> 1});
    net_free(&n);
  }
}

/* ---- other operators ---------------------------------------------------- */

/* [a, b] + [b] */
static net broadcast_net(int32_t a, int32_t b) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(a, b), 0, 0);
  const uint32_t row = net_input(&n, ASH_FLOAT32, NET_DIMS(b), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(a, b), 0, 0);
  (void)net_op(&n, ASH_FN_ROW(add), NET_IDS(x, row), y);
  return n;
}

/* [a, b] and [c, b], joined along the first dimension: some boxes are empty. */
static net join_net(int32_t a, int32_t c, int32_t b) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(a, b), 0, 0);
  const uint32_t z = net_input(&n, ASH_FLOAT32, NET_DIMS(c, b), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(a + c, b), 0, 0);
  net_int(&n, net_op(&n, ASH_OP_concatenation, NET_IDS(x, z), y), "axis", 0);
  return n;
}

/* [a, b], summed along the first dimension. */
static net sum_net(int32_t a, int32_t b) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(a, b), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(b), 0, 0);
  (void)net_fold(&n, "sum", x, y, (const int64_t[]){0}, 1);
  return n;
}

/* A layer with float activations: weights and bias. */
static net dense_net(int32_t rows, int32_t depth, int32_t out) {
  static const float zeros[64];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(rows, depth), 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_FLOAT32, NET_DIMS(out, depth), zeros, 0, 0);
  const uint32_t b = net_constant(&n, ASH_FLOAT32, NET_DIMS(out), zeros, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(rows, out), 0, 0);
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w, b), y);
  return n;
}

static void other_operators_equal_brute_force(void) {
  net nets[] = {broadcast_net(5, 4), broadcast_net(2, 7), join_net(3, 2, 3),
                join_net(1, 5, 2),   sum_net(6, 3),       sum_net(3, 5),
                dense_net(3, 4, 3),  dense_net(2, 5, 4)};
  uint64_t tried = 0;
  for (size_t i = 0; i < ASH_COUNT_OF(nets); i++) {
    for (uint64_t room = 8; room <= 200; room += 16)
      tried += compare(&nets[i], 1, room);
    net_free(&nets[i]);
  }
  CHECK(tried > 100000);
}

static void other_operators_in_two_levels_equal_brute_force(void) {
  net nets[] = {broadcast_net(3, 3), join_net(2, 1, 2), join_net(1, 3, 1),
                sum_net(3, 2), sum_net(4, 2)};
  for (size_t i = 0; i < ASH_COUNT_OF(nets); i++) {
    for (uint64_t room = 8; room <= 56; room += 16)
      for (uint32_t kind = 0; kind < 8; kind++)
        (void)compare_in(&nets[i], 2, room,
                         (variety){.blocking = kind & 1, .nearby = kind >> 1});
    net_free(&nets[i]);
  }
}

/* What lives where the kernel reads is read there: pieces without gaps. */
static void operands_read_in_place_equal_brute_force(void) {
  net nets[] = {matmul_net(1, 4, 3, 3), matmul_net(2, 2, 3, 2),
                pool_net(5, 6, 2, 1),   pool_net(6, 6, 2, 2),
                pool_net(5, 9, 1, 3),   pool_net(1, 8, 2, 2),
                broadcast_net(4, 5),    join_net(3, 2, 3),
                sum_net(4, 3),          dense_net(3, 4, 3)};
  uint64_t tried = 0;
  for (size_t i = 0; i < ASH_COUNT_OF(nets); i++) {
    const uint32_t operands = problem_of(&nets[i], 1, 64).space->operand_count;
    for (uint64_t room = 0; room <= 120; room += 24)
      for (uint32_t here = 1; here < (uint32_t)1 << operands; here++)
        tried += compare_in(&nets[i], 1, room, (variety){.here = here});
    net_free(&nets[i]);
  }
  CHECK(tried > 20000);
}

/* int8: results are a byte each, sums are not. */
static net int8_product_net(int32_t m, int32_t k, int32_t n) {
  net made = net_new();
  const uint32_t a = net_input(&made, ASH_INT8, NET_DIMS(1, m, k), 1, 0);
  const uint32_t b = net_input(&made, ASH_INT8, NET_DIMS(1, k, n), 1, 0);
  const uint32_t y = net_result(&made, ASH_INT8, NET_DIMS(1, m, n), 1, 0);
  (void)net_op(&made, ASH_OP_matmul, NET_IDS(a, b), y);
  return made;
}

/* Where the depth is whole everything fits, where it is cut the accumulator
 * does not. */
static void accumulators_that_do_not_fit_equal_brute_force(void) {
  static const int32_t shapes[][3] = {{5, 2, 5}, {7, 3, 4}, {3, 2, 9}};
  for (size_t i = 0; i < ASH_COUNT_OF(shapes); i++) {
    net n = int8_product_net(shapes[i][0], shapes[i][1], shapes[i][2]);
    const ash_tile_problem p = problem_of(&n, 1, 64);
    CHECK(p.space->accumulator_bytes == 4);
    for (uint64_t room = 4; room <= 140; room += 4)
      (void)compare(&n, 1, room);
    net_free(&n);
  }
  net n = int8_product_net(3, 2, 2);
  for (uint64_t room = 4; room <= 28; room += 4)
    for (uint64_t outer = 8; outer <= 32; outer += 8)
      (void)compare_in(&n, 2, room, (variety){.outer = outer});
  net_free(&n);
}

/* [n] int8, negated: one axis that may be long. */
static net line_net(int32_t length) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(length), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(length), 0, 0);
  (void)net_op(&n, ASH_FN_ROW(neg), NET_IDS(x), y);
  return n;
}

/* Regions are cut where a single cut has no boundary: pieces may be rounded
 * less and lie elsewhere than in any cut of one level. */
static void tiled_regions_equal_brute_force(void) {
  for (int32_t length = 7; length <= 24; length++) {
    net n = line_net(length);
    for (uint64_t room = 24; room <= 96; room += 24)
      for (int64_t multiple = 1; multiple <= 5; multiple += 2)
        (void)compare_in(&n, 2, room,
                         (variety){.multiple = multiple,
                                   .outer = 8u * (uint64_t)length - 24});
    net_free(&n);
  }
  static const int32_t images[][2] = {{9, 1}, {11, 1}, {7, 2}, {5, 3}};
  for (size_t i = 0; i < ASH_COUNT_OF(images); i++) {
    net n = pool_net(images[i][0], images[i][1], 1, 1);
    for (uint64_t room = 8; room <= 24; room += 4)
      for (int64_t multiple = 1; multiple <= 3; multiple++)
        (void)compare_in(&n, 2, room,
                         (variety){.multiple = multiple, .outer = 24});
    net_free(&n);
  }
}

/* Axes of which not all sizes are tried. */
static void long_axes_equal_brute_force(void) {
  for (int32_t length = 25; length <= 61; length += 6) {
    net lines = line_net(length), image = pool_net(length, 2, 1, 1);
    net strided = pool_net(length, 1, 2, 2), joined = join_net(9, length, 1);
    for (uint64_t room = 16; room <= 136; room += 12)
      for (int64_t multiple = 1; multiple <= 7; multiple += 3) {
        const variety kind = {.multiple = multiple};
        (void)compare_in(&lines, 1, room, kind);
        (void)compare_in(&image, 1, room, kind);
        (void)compare_in(&strided, 1, room, kind);
        (void)compare_in(&joined, 1, room, kind);
      }
    net_free(&lines);
    net_free(&image);
    net_free(&strided);
    net_free(&joined);
  }
}

/* Bytes have a price. */
static void prices_equal_brute_force(void) {
  net n = int8_product_net(5, 3, 4), window = pool_net(6, 5, 1, 1);
  for (uint64_t room = 8; room <= 80; room += 8)
    for (uint64_t price = 100; price <= 100000; price *= 10) {
      (void)compare_in(&n, 1, room, (variety){.price = price});
      (void)compare_in(&window, 1, room, (variety){.price = price});
    }
  net_free(&n);
  net_free(&window);
}

/* Rows cost, short ones as much as a beat. The model takes the rows of all
 * boxes to be as long as those of the first. */
static void rows_that_cost_equal_brute_force(void) {
  net nets[] = {matmul_net(1, 4, 3, 5), int8_product_net(6, 2, 7),
                broadcast_net(5, 6), line_net(40), int8_product_net(30, 1, 2)};
  for (size_t i = 0; i < ASH_COUNT_OF(nets); i++) {
    for (uint64_t room = 12; room <= 132; room += 12)
      for (uint64_t beat = 1; beat <= 9; beat += 4)
        (void)compare_in(&nets[i], 1, room,
                         (variety){.rows = beat, .beat = beat * 2});
    net_free(&nets[i]);
  }
  net small = int8_product_net(3, 1, 3), line = line_net(13);
  for (uint64_t room = 12; room <= 36; room += 8)
    for (uint64_t cost = 1; cost <= 9; cost += 4) {
      const variety kind = {.rows = cost, .beat = cost, .outer = room + 12};
      (void)compare_in(&small, 2, room, kind);
      (void)compare_in(&line, 2, room, kind);
    }
  net_free(&small);
  net_free(&line);
}

/* The closed form of what is moved, against walking, at random. */
static void figures_are_those_of_the_walk(void) {
  ash_rng rng = {11};
  net nets[] = {matmul_net(2, 5, 7, 6), pool_net(9, 8, 4, 1),
                pool_net(10, 7, 3, 2),  join_net(5, 6, 4),
                sum_net(7, 6),          broadcast_net(6, 5),
                dense_net(5, 6, 7)};
  /* Where the ends of a tensor clip boxes, rows are those of the others. */
  static const bool clips[ASH_COUNT_OF(nets)] = {[1] = true, true, true};
  for (uint32_t round = 0; round < 7000; round++) {
    net *n = &nets[round % ASH_COUNT_OF(nets)];
    const uint32_t levels = 1 + round / 3 % 2;
    static world w;
    ash_tile_choice choice = {0};
    ash_tile_sizes sizes;
    ash_facts *f;
    moves m;
    w = (world){.p = problem_of(n, levels, 1 << 20)};
    const uint32_t axes = w.p.space->axis_count;
    for (uint32_t k = 0; k < levels; k++) {
      for (uint32_t a = 0; a < axes; a++) {
        const int64_t region = k ? w.tile[k - 1][a] : w.p.space->axes[a].extent;
        w.tile[k][a] = 1 + (int64_t)ash_rng_below(&rng, (uint64_t)region);
        /* Several levels: regions of equal size, or the form counts too much */
        if (k == 0 && levels > 1 && region % w.tile[k][a])
          w.tile[k][a] = region;
        choice.cut.at[k][a] = w.tile[k][a];
        w.order[k][a] = a;
      }
      for (uint32_t a = axes; a-- > 1;) {
        const uint32_t with = (uint32_t)ash_rng_below(&rng, a + 1);
        const uint32_t t = w.order[k][a];
        w.order[k][a] = w.order[k][with];
        w.order[k][with] = t;
      }
      for (uint32_t a = 0; a < axes; a++)
        choice.order[k][a] = (uint8_t)w.order[k][a];
    }
    const ash_mark mark = ash_zone_mark(&n->ctx->scratch);
    CHECK_EQ(ash_facts_new(&f, &w.p), ASH_OK);
    CHECK(ash_model_sizes(f, &w.p, &sizes, &choice.cut));
    count_moves(&w, &m);
    CHECK_EQ(sizes.tiles, m.tiles);
    for (uint32_t k = 0; k < levels; k++)
      for (uint32_t o = 0; o < w.p.space->operand_count; o++) {
        const ash_tile_moves own =
            ash_model_moves(f, &w.p, &sizes, &choice, k, o);
        CHECK(w.p.hops[k].staged >> o & 1);
        CHECK_EQ(own.loads, m.loads[k][o]);
        CHECK_EQ(own.bytes, m.bytes[k][o]);
        if (!clips[round % ASH_COUNT_OF(nets)])
          CHECK_EQ(own.rows, m.rows[k][o]);
        CHECK_EQ(sizes.box[k][o], m.largest[k][o]);
      }
    ash_zone_rewind(&n->ctx->scratch, mark);
  }
  for (size_t i = 0; i < ASH_COUNT_OF(nets); i++)
    net_free(&nets[i]);
}

#define TESTS(X)                                                               \
  X(products_in_one_level_equal_brute_force)                                   \
  X(windows_in_one_level_equal_brute_force)                                    \
  X(batches_in_one_level_equal_brute_force)                                    \
  X(two_levels_equal_brute_force)                                              \
  X(windows_in_two_levels_equal_brute_force)                                   \
  X(other_operators_equal_brute_force)                                         \
  X(other_operators_in_two_levels_equal_brute_force)                           \
  X(operands_read_in_place_equal_brute_force)                                  \
  X(accumulators_that_do_not_fit_equal_brute_force)                            \
  X(tiled_regions_equal_brute_force)                                           \
  X(long_axes_equal_brute_force)                                               \
  X(prices_equal_brute_force)                                                  \
  X(rows_that_cost_equal_brute_force)                                          \
  X(figures_are_those_of_the_walk)
TEST_MAIN(TESTS)
