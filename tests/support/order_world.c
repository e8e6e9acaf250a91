/* order_world.c - see order_world.h. The smallest peak is computed over the
 * lattice of all states, from the definition of the problem, without any of the
 * techniques of src/order. */
#include "order_world.h"

void world_clear(order_world *w) {
  memset(w, 0, sizeof *w);
  w->p.tensors = w->tensors;
  w->p.ops = w->ops;
}

static uint32_t add_tensor(order_world *w, uint32_t rows, uint64_t row_bytes) {
  CHECK(w->p.tensor_count < WORLD_TENSORS && rows <= WORLD_ROWS);
  w->tensors[w->p.tensor_count] =
      (ash_order_tensor){.rows = rows, .row_bytes = row_bytes};
  return w->p.tensor_count++;
}

static uint32_t newest(const order_world *w) {
  return w->p.op_count - 1;
}

/* The newest operator also writes rows of another tensor, one a step. */
static uint32_t add_write(order_world *w, uint32_t rows, uint64_t row_bytes) {
  ash_order_op *o = &w->ops[newest(w)];
  ash_order_range *ranges = w->rows[newest(w)][WORLD_ACCESSES + o->write_count];
  const uint32_t tensor = add_tensor(w, rows, row_bytes);
  for (uint32_t r = 0; r < rows; r++)
    ranges[r] = (ash_order_range){r, r + 1};
  w->writes[newest(w)][o->write_count++] = (ash_order_access){tensor, ranges};
  return tensor;
}

uint32_t world_op(order_world *w, uint32_t rows, uint64_t row_bytes) {
  CHECK(w->p.op_count < WORLD_OPS);
  const uint32_t op = w->p.op_count++;
  w->ops[op] = (ash_order_op){
      .steps = rows, .reads = w->reads[op], .writes = w->writes[op]};
  return add_write(w, rows, row_bytes);
}

uint32_t world_input(order_world *w, uint32_t rows, uint64_t row_bytes,
                     bool is_fed) {
  if (is_fed)
    return world_op(w, rows, row_bytes);
  const uint32_t tensor = add_tensor(w, rows, row_bytes);
  w->tensors[tensor].is_present = true;
  return tensor;
}

uint32_t world_rows_after(uint32_t rows, world_window x) {
  const int32_t rest = (int32_t)rows + 2 * x.before - x.window;
  return rest < 0 ? 0 : (uint32_t)(rest / x.stride + 1);
}

static uint32_t clip(int32_t row, uint32_t rows) {
  return row < 0 ? 0 : row > (int32_t)rows ? rows : (uint32_t)row;
}

static ash_order_range *add_read(order_world *w, uint32_t tensor) {
  ash_order_op *o = &w->ops[newest(w)];
  CHECK(o->read_count < WORLD_ACCESSES);
  ash_order_range *ranges = w->rows[newest(w)][o->read_count];
  w->reads[newest(w)][o->read_count++] = (ash_order_access){tensor, ranges};
  return ranges;
}

void world_read(order_world *w, uint32_t tensor, world_window x) {
  const uint32_t rows = w->tensors[tensor].rows;
  ash_order_range *ranges = add_read(w, tensor);
  for (uint32_t s = 0; s < w->ops[newest(w)].steps; s++) {
    const int32_t at = (int32_t)s * x.stride - x.before;
    ranges[s] = (ash_order_range){clip(at, rows), clip(at + x.window, rows)};
  }
}

void world_read_all(order_world *w, uint32_t tensor) {
  ash_order_range *ranges = add_read(w, tensor);
  for (uint32_t s = 0; s < w->ops[newest(w)].steps; s++)
    ranges[s] = (ash_order_range){0, w->tensors[tensor].rows};
}

void world_make_whole(order_world *w) {
  ash_order_op *o = &w->ops[newest(w)];
  CHECK_EQ(o->read_count, 0);
  for (uint32_t k = 0; k < o->write_count; k++)
    w->rows[newest(w)][WORLD_ACCESSES + k][0].to = o->steps;
  o->steps = 1;
}

void world_in_place(order_world *w, uint32_t k) {
  CHECK(k < w->ops[newest(w)].read_count);
  w->ops[newest(w)].in_place |= 1u << k;
}

static bool is_read(const order_world *w, uint32_t tensor) {
  for (uint32_t op = 0; op < w->p.op_count; op++)
    for (uint32_t k = 0; k < w->ops[op].read_count; k++)
      if (w->reads[op][k].tensor == tensor)
        return true;
  return false;
}

void world_end(order_world *w) {
  for (uint32_t t = 0; t < w->p.tensor_count; t++)
    w->tensors[t].is_kept = w->tensors[t].is_kept || !is_read(w, t);
}

/* ---- at random ----------------------------------------------------------- */

static uint32_t below(ash_rng *rng, uint32_t limit) {
  return (uint32_t)ash_rng_below(rng, limit);
}

static void read_some(order_world *w, ash_rng *rng, uint32_t tensors) {
  const uint32_t op = newest(w), reads = 1 + below(rng, 2);
  for (uint32_t k = 0; k < reads; k++) {
    const uint32_t tensor = tensors - 1 - below(rng, tensors < 3 ? tensors : 3);
    const uint32_t rows = w->tensors[tensor].rows, steps = w->ops[op].steps;
    const int32_t stride = (int32_t)(rows > steps ? rows / steps : 1);
    const bool takes =
        rows == steps && w->tensors[tensor].row_bytes >=
                             w->tensors[w->writes[op][0].tensor].row_bytes;
    if (takes && w->ops[op].write_count == 1 && below(rng, 2)) {
      world_read(w, tensor, (world_window){1, 1, 0});
      world_in_place(w, k);
    } else if (below(rng, 6) == 0) {
      world_read_all(w, tensor);
    } else {
      world_read(w, tensor,
                 (world_window){1 + (int32_t)below(rng, 3), stride,
                                (int32_t)below(rng, 2)});
    }
  }
}

void world_random(order_world *w, ash_rng *rng, uint32_t ops, uint32_t rows) {
  world_clear(w);
  (void)world_input(w, 1 + below(rng, rows), 1 + below(rng, 4), below(rng, 2));
  while (w->p.op_count < ops) {
    const uint32_t tensors = w->p.tensor_count;
    const uint32_t result =
        world_op(w, 1 + below(rng, rows), 1 + below(rng, 6));
    if (below(rng, 8) == 0)
      (void)add_write(w, w->tensors[result].rows, 1 + below(rng, 3));
    if (below(rng, 6) == 0)
      world_make_whole(w);
    if (below(rng, 4) == 0)
      w->ops[w->p.op_count - 1].work = 1 + below(rng, 6);
    if (below(rng, 12) > 0) /* some read nothing */
      read_some(w, rng, tensors);
    w->tensors[result].is_kept = below(rng, 10) == 0;
  }
  world_end(w);
}

/* ---- the smallest peak --------------------------------------------------- */

/* A row: the step that writes it, and by op the last step that reads it. */
typedef struct row_facts {
  uint32_t writer, written;     /* UINT32_MAX: it is there from the start */
  uint32_t read_end[WORLD_OPS]; /* the last step that reads it, and 1; or 0 */
} row_facts;

typedef struct lattice {
  const ash_order_problem *p;
  row_facts rows[WORLD_TENSORS][WORLD_ROWS];
  uint64_t *peak; /* by state, a number of mixed radix: the best so far */
  size_t count;
} lattice;

static void unpack(const lattice *l, size_t state, uint32_t *done) {
  for (uint32_t op = 0; op < l->p->op_count; op++) {
    done[op] = (uint32_t)(state % (l->p->ops[op].steps + 1));
    state /= l->p->ops[op].steps + 1;
  }
}

static void note_access(lattice *l, const ash_order_access *a, uint32_t op,
                        uint32_t step, bool writes) {
  for (uint32_t r = a->rows[step].from; r < a->rows[step].to; r++) {
    row_facts *row = &l->rows[a->tensor][r];
    if (writes) {
      row->writer = op;
      row->written = step;
    } else {
      row->read_end[op] = step + 1;
    }
  }
}

static void find_facts(lattice *l) {
  for (uint32_t t = 0; t < WORLD_TENSORS; t++)
    for (uint32_t r = 0; r < WORLD_ROWS; r++)
      l->rows[t][r].writer = UINT32_MAX;
  for (uint32_t op = 0; op < l->p->op_count; op++) {
    const ash_order_op *o = &l->p->ops[op];
    for (uint32_t step = 0; step < o->steps; step++) {
      for (uint32_t k = 0; k < o->write_count; k++)
        note_access(l, &o->writes[k], op, step, true);
      for (uint32_t k = 0; k < o->read_count; k++)
        note_access(l, &o->reads[k], op, step, false);
    }
  }
}

static bool exists(const lattice *l, const uint32_t *done, uint32_t tensor,
                   uint32_t row) {
  const row_facts *f = &l->rows[tensor][row];
  return f->writer == UINT32_MAX || f->written < done[f->writer];
}

static bool is_needed(const lattice *l, const uint32_t *done, uint32_t tensor,
                      uint32_t row) {
  for (uint32_t op = 0; op < l->p->op_count; op++)
    if (done[op] < l->rows[tensor][row].read_end[op])
      return true;
  return l->p->tensors[tensor].is_kept;
}

static uint64_t load_of(const lattice *l, const uint32_t *done) {
  uint64_t load = 0;
  for (uint32_t t = 0; t < l->p->tensor_count; t++)
    for (uint32_t r = 0; r < l->p->tensors[t].rows; r++)
      if (exists(l, done, t, r) && is_needed(l, done, t, r))
        load += l->p->tensors[t].row_bytes;
  return load;
}

static bool can_run(const lattice *l, const uint32_t *done, uint32_t op) {
  const ash_order_op *o = &l->p->ops[op];
  if (done[op] == o->steps)
    return false;
  for (uint32_t k = 0; k < o->read_count; k++) {
    const ash_order_range rows = o->reads[k].rows[done[op]];
    for (uint32_t r = rows.from; r < rows.to; r++)
      if (!exists(l, done, o->reads[k].tensor, r))
        return false;
  }
  return true;
}

static uint64_t bytes_of(const lattice *l, const ash_order_access *a,
                         uint32_t step) {
  return (a->rows[step].to - a->rows[step].from) *
         l->p->tensors[a->tensor].row_bytes;
}

/* `done` is after the step. */
static bool is_over(const lattice *l, const uint32_t *done, uint32_t op,
                    uint32_t k) {
  const ash_order_op *o = &l->p->ops[op];
  const uint32_t step = done[op] - 1;
  const ash_order_range rows = o->reads[k].rows[step];
  if (bytes_of(l, &o->reads[k], step) < bytes_of(l, &o->writes[0], step))
    return false;
  for (uint32_t r = rows.from; r < rows.to; r++)
    if (is_needed(l, done, o->reads[k].tensor, r))
      return false;
  return true;
}

/* What the step adds while it runs; `done` is after it. */
static uint64_t adds(const lattice *l, const uint32_t *done, uint32_t op) {
  const ash_order_op *o = &l->p->ops[op];
  uint64_t bytes = o->work;
  for (uint32_t k = 0; k < o->read_count; k++)
    if ((o->in_place >> k & 1) && is_over(l, done, op, k))
      return o->work;
  for (uint32_t k = 0; k < o->write_count; k++)
    bytes += bytes_of(l, &o->writes[k], done[op] - 1);
  return bytes;
}

static void leave(lattice *l, size_t state) {
  uint32_t done[WORLD_OPS];
  size_t weight = 1;
  if (l->peak[state] == UINT64_MAX)
    return;
  unpack(l, state, done);
  const uint64_t load = load_of(l, done);
  for (uint32_t op = 0; op < l->p->op_count; op++) {
    if (can_run(l, done, op)) {
      done[op]++;
      const uint64_t step = load + adds(l, done, op);
      const uint64_t peak = step > l->peak[state] ? step : l->peak[state];
      done[op]--;
      if (peak < l->peak[state + weight])
        l->peak[state + weight] = peak;
    }
    weight *= l->p->ops[op].steps + 1;
  }
}

uint64_t world_smallest_peak(const order_world *w) {
  lattice l = {.p = &w->p, .count = 1};
  uint64_t start = 0;
  for (uint32_t op = 0; op < w->p.op_count; op++)
    l.count *= w->ops[op].steps + 1;
  for (uint32_t t = 0; t < w->p.tensor_count; t++)
    if (w->tensors[t].is_present)
      start += w->tensors[t].rows * w->tensors[t].row_bytes;
  l.peak = malloc(l.count * sizeof *l.peak);
  CHECK(l.peak);
  for (size_t i = 0; i < l.count; i++)
    l.peak[i] = UINT64_MAX;
  l.peak[0] = start;
  find_facts(&l);
  for (size_t i = 0; i < l.count; i++)
    leave(&l, i);
  const uint64_t peak = l.peak[l.count - 1];
  free(l.peak);
  return peak;
}
