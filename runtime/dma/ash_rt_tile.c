/* ash_rt_tile.c - see ash_rt_tile.h. */
#include "ash_rt_tile.h"
#include "ash_rt.h"

/* ---- pieces and boxes ---------------------------------------------------- */

int32_t ash_rt_pieces(const ash_rt_cuts *cuts, const ash_rt_piece *region) {
  int32_t count = 1;
  for (int32_t k = 0; k < cuts->count; k++) {
    const int32_t n = region->n[cuts->axis[k]];
    count *= (n + cuts->tile[k] - 1) / cuts->tile[k];
  }
  return count;
}

void ash_rt_piece_at(const ash_rt_cuts *cuts, const ash_rt_piece *region,
                     int32_t i, ash_rt_piece *out) {
  *out = *region;
  for (int32_t k = 0; k < cuts->count; k++) {
    const int32_t axis = cuts->axis[k], tile = cuts->tile[k];
    const int32_t n = region->n[axis];
    const int32_t steps = (n + tile - 1) / tile;
    const int32_t from = i % steps * tile;
    i /= steps;
    out->at[axis] = region->at[axis] + from;
    out->n[axis] = n - from < tile ? n - from : tile;
  }
}

static int32_t ash_rt_tile_floor_divide(int32_t a, int32_t b) {
  if (b == 1)
    return a;
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

void ash_rt_box_of(const ash_rt_tensor *t, const ash_rt_piece *piece,
                   ash_rt_box *out) {
  for (int32_t d = 0; d < t->rank; d++) {
    const ash_rt_dim *r = &t->dim[d];
    int32_t from = 0, last = r->extent - 1;
    if (r->axis < ASH_RT_AXES) {
      const int32_t at = piece->at[r->axis], n = piece->n[r->axis];
      from = ash_rt_tile_floor_divide(at * r->stride - r->before, r->divide);
      last = ash_rt_tile_floor_divide(
          (at + n - 1) * r->stride - r->before + r->window - 1, r->divide);
    }
    from = from < 0 ? 0 : from > r->extent ? r->extent : from;
    last = last >= r->extent ? r->extent - 1 : last;
    out->start[d] = from;
    out->size[d] = last >= from ? last - from + 1 : 0;
  }
}

static int32_t ash_rt_tile_same_box(const ash_rt_tensor *t, const ash_rt_box *a,
                                    const ash_rt_box *b) {
  for (int32_t d = 0; d < t->rank; d++)
    if (a->start[d] != b->start[d] || a->size[d] != b->size[d])
      return 0;
  return 1;
}

void ash_rt_home(const ash_rt_tensor *t, uint8_t *data, ash_rt_part *out) {
  out->data = data;
  for (int32_t d = 0; d < t->rank; d++) {
    out->box.start[d] = 0;
    out->box.size[d] = t->dim[d].extent;
  }
}

/* Bytes from the start of `outer` to where `box` begins. */
static uint32_t ash_rt_tile_offset_in(const ash_rt_tensor *t,
                                      const ash_rt_box *outer,
                                      const ash_rt_box *box) {
  uint32_t at = 0;
  for (int32_t d = 0; d < t->rank; d++)
    at = at * (uint32_t)outer->size[d] +
         (uint32_t)(box->start[d] - outer->start[d]);
  return at * (uint32_t)t->bytes;
}

uint8_t *ash_rt_inside(const ash_rt_tensor *t, const ash_rt_part *part,
                       const ash_rt_piece *piece) {
  ash_rt_box box;
  ash_rt_box_of(t, piece, &box);
  return part->data + ash_rt_tile_offset_in(t, &part->box, &box);
}

/* ---- transfers ----------------------------------------------------------- */

void ash_rt_copy_rows(const ash_dma_job *job) {
  for (uint32_t p = 0; p < job->planes; p++)
    for (uint32_t r = 0; r < job->rows; r++)
      ASH_RT_COPY(job->to + p * job->to_plane + r * job->to_row,
                  job->from + p * job->from_plane + r * job->from_row,
                  job->bytes);
}

/* A box as loops, innermost first; dimensions that lie side by side on both
 * sides are one. `rank` counts a row as 1. */
typedef struct ash_rt_nest {
  int32_t rank;
  uint32_t size[ASH_RT_DIMS + 1];  /* [0] in bytes */
  uint32_t outer[ASH_RT_DIMS + 1]; /* steps in bytes */
  uint32_t inner[ASH_RT_DIMS + 1];
} ash_rt_nest;

static void ash_rt_tile_nest_of(ash_rt_nest *out, const ash_rt_tensor *t,
                                const ash_rt_box *outer,
                                const ash_rt_box *box) {
  uint32_t far = (uint32_t)t->bytes, near = (uint32_t)t->bytes;
  out->rank = 1;
  out->size[0] = (uint32_t)t->bytes;
  out->outer[0] = out->inner[0] = 1;
  for (int32_t d = t->rank - 1; d >= 0; d--) {
    const uint32_t n = (uint32_t)box->size[d];
    const int32_t top = out->rank - 1;
    if (out->outer[top] * out->size[top] == far &&
        out->inner[top] * out->size[top] == near) {
      out->size[top] *= n;
    } else if (n != 1) {
      out->size[out->rank] = n;
      out->outer[out->rank] = far;
      out->inner[out->rank] = near;
      out->rank++;
    }
    far *= (uint32_t)outer->size[d];
    near *= n;
  }
}

/* The largest rank up to 3 and `want` that the engine has; 1 is always left. */
static int32_t ash_rt_tile_rank_of(const ash_rt_way *way, int32_t want) {
  int32_t rank = want < 3 ? want : 3;
  while (rank > 1 && !(way->ranks >> rank & 1))
    rank--;
  return rank;
}

static uint32_t ash_rt_tile_give(const ash_rt_way *way, const ash_dma_job *job,
                                 uint32_t future) {
  if (!way->dma) {
    ash_rt_copy_rows(job);
    return 0;
  }
  return way->dma->start(way->dma->user, job, future);
}

/* Pieces of at most `limit` bytes: fewer planes, then rows, then bytes. */
static uint32_t ash_rt_tile_split(const ash_rt_way *way, ash_dma_job job,
                                  uint32_t future) {
  const uint32_t limit = way->limit;
  uint32_t *count = &job.planes, unit = job.bytes * job.rows;
  uint32_t to = job.to_plane, from = job.from_plane;
  if (!limit || (uint64_t)unit * job.planes <= limit)
    return ash_rt_tile_give(way, &job, future);
  if (unit > limit) {
    count = &job.rows, unit = job.bytes, to = job.to_row, from = job.from_row;
    if (unit > limit)
      count = &job.bytes, unit = 1, to = 1, from = 1;
  }
  /* What is outside the split loop is done one by one. */
  const uint32_t planes = count == &job.planes ? 1 : job.planes;
  const uint32_t rows = count == &job.bytes ? job.rows : 1;
  const uint32_t total = *count, most = limit / unit ? limit / unit : 1;
  for (uint32_t p = 0; p < planes; p++)
    for (uint32_t r = 0; r < rows; r++)
      for (uint32_t at = 0; at < total; at += most) {
        ash_dma_job part = job;
        const uint32_t n = total - at < most ? total - at : most;
        part.to += p * job.to_plane + r * job.to_row + at * to;
        part.from += p * job.from_plane + r * job.from_row + at * from;
        if (count != &job.planes)
          part.planes = 1;
        if (count == &job.bytes)
          part.rows = 1;
        *(count == &job.planes ? &part.planes
          : count == &job.rows ? &part.rows
                               : &part.bytes) = n;
        future = ash_rt_tile_give(way, &part, future);
      }
  return future;
}

/* The transfer of the innermost `rank` loops of a nest. */
static ash_dma_job ash_rt_tile_job_of(const ash_rt_way *way,
                                      const ash_rt_nest *n, int32_t rank,
                                      int32_t inward) {
  const uint32_t *to = inward ? n->inner : n->outer;
  const uint32_t *from = inward ? n->outer : n->inner;
  ash_dma_job job = {0, 0, n->size[0], 1, 1, 0, 0, 0, 0, way->engine};
  if (rank > 1) {
    job.rows = n->size[1];
    job.to_row = to[1];
    job.from_row = from[1];
  }
  if (rank > 2) {
    job.planes = n->size[2];
    job.to_plane = to[2];
    job.from_plane = from[2];
  }
  return job;
}

uint32_t ash_rt_move_row(const ash_rt_way *way, uint8_t *to,
                         const uint8_t *from, uint32_t bytes) {
  const ash_dma_job job = {to, from, bytes, 1, 1, 0, 0, 0, 0, way->engine};
  if (bytes == 0)
    return 0;
  const uint32_t future = way->limit && bytes > way->limit
                              ? ash_rt_tile_split(way, job, 0)
                              : ash_rt_tile_give(way, &job, 0);
  if (!way->waits)
    return future;
  ash_rt_move_wait(way, future);
  return 0;
}

void ash_rt_move_wait(const ash_rt_way *way, uint32_t future) {
  if (future)
    way->dma->wait(way->dma->user, future);
}

uint32_t ash_rt_move_job(const ash_dma *dma, const ash_dma_job *job) {
  if (dma)
    return dma->start(dma->user, job, 0);
  ash_rt_copy_rows(job);
  return 0;
}

uint32_t ash_rt_move_jobs(const ash_dma *dma, const ash_dma_job *job,
                          uint32_t count, uint32_t to, uint32_t from) {
  ash_dma_job next = *job;
  uint32_t future = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (dma)
      future = dma->start(dma->user, &next, future);
    else
      ash_rt_copy_rows(&next);
    next.to += to;
    next.from += from;
  }
  return future;
}

void ash_rt_move_await(const ash_dma *dma, uint32_t *future) {
  if (*future)
    dma->wait(dma->user, *future);
  *future = 0;
}

uint32_t ash_rt_move_now(const ash_dma *dma, uint32_t future) {
  ash_rt_move_await(dma, &future);
  return 0;
}

/* The bytes of a box that lies in one row of `outer`: nothing behind its first
 * dimension of more than one element is cut. 0: it does not. */
static uint32_t ash_rt_tile_row_of(const ash_rt_tensor *t,
                                   const ash_rt_box *outer,
                                   const ash_rt_box *box) {
  uint32_t bytes = (uint32_t)t->bytes;
  int32_t d = t->rank - 1;
  for (; d >= 0 && box->size[d] == outer->size[d]; d--)
    bytes *= (uint32_t)box->size[d];
  if (d >= 0)
    bytes *= (uint32_t)box->size[d--];
  for (; d >= 0; d--)
    if (box->size[d] != 1)
      return 0;
  return bytes;
}

uint32_t ash_rt_move_box(const ash_rt_way *way, const ash_rt_tensor *t,
                         const ash_rt_part *outer, const ash_rt_part *inner,
                         int32_t inward) {
  ash_rt_nest n;
  uint32_t at[ASH_RT_DIMS + 1] = {0}, future = 0;
  uint8_t *far =
      outer->data + ash_rt_tile_offset_in(t, &outer->box, &inner->box);
  uint8_t *near = inner->data;
  const uint32_t row = ash_rt_tile_row_of(t, &outer->box, &inner->box);
  if (row)
    return ash_rt_move_row(way, inward ? near : far, inward ? far : near, row);
  ash_rt_tile_nest_of(&n, t, &outer->box, &inner->box);
  for (int32_t k = 0; k < n.rank; k++)
    if (n.size[k] == 0)
      return 0;
  const int32_t rank = ash_rt_tile_rank_of(way, n.rank);
  ash_dma_job job = ash_rt_tile_job_of(way, &n, rank, inward);
  int32_t k;
  do {
    job.to = inward ? near : far;
    job.from = inward ? far : near;
    future = ash_rt_tile_split(way, job, future);
    for (k = rank; k < n.rank && ++at[k] == n.size[k]; k++) {
      far -= (size_t)n.outer[k] * (n.size[k] - 1);
      near -= (size_t)n.inner[k] * (n.size[k] - 1);
      at[k] = 0;
    }
    if (k < n.rank) { /* the loops above what the engine can do */
      far += n.outer[k];
      near += n.inner[k];
    }
  } while (k < n.rank);
  if (future && way->waits) {
    way->dma->wait(way->dma->user, future);
    future = 0;
  }
  return future;
}

/* ---- stages -------------------------------------------------------------- */

void ash_rt_stage_begin(ash_rt_stage *s, const ash_rt_tensor *tensor,
                        const ash_rt_way *way, uint8_t *const *copy,
                        int32_t copies) {
  s->tensor = tensor;
  s->way = *way;
  s->copies = copies;
  s->ahead = s->open = 0;
  s->begun = s->turn = 0;
  for (int32_t k = 0; k < copies; k++) {
    s->future[k] = 0;
    s->part[k].data = copy[k];
  }
}

static ash_rt_part *ash_rt_tile_part_of(ash_rt_stage *s, uint32_t turn) {
  return &s->part[turn % (uint32_t)s->copies];
}

const ash_rt_part *ash_rt_stage_current(const ash_rt_stage *s) {
  return &s->part[(s->turn - 1) % (uint32_t)s->copies];
}

static void ash_rt_tile_await_copy(ash_rt_stage *s, uint32_t copy) {
  if (s->future[copy])
    s->way.dma->wait(s->way.dma->user, s->future[copy]);
  s->future[copy] = 0;
}

void ash_rt_stage_await(ash_rt_stage *s) {
  ash_rt_tile_await_copy(s, (s->turn - 1) % (uint32_t)s->copies);
}

/* Loads what a piece needs unless the newest load brought it. */
static int32_t ash_rt_tile_look_at(ash_rt_stage *s, const ash_rt_part *outer,
                                   const ash_rt_piece *piece, int32_t number) {
  ash_rt_box box;
  ash_rt_box_of(s->tensor, piece, &box);
  if (s->begun &&
      ash_rt_tile_same_box(s->tensor, &box,
                           &ash_rt_tile_part_of(s, s->begun - 1)->box))
    return 0;
  const uint32_t copy = s->begun++ % (uint32_t)s->copies;
  s->part[copy].box = box;
  s->from[copy] = number;
  s->future[copy] =
      ash_rt_move_box(&s->way, s->tensor, outer, &s->part[copy], 1);
  return 1;
}

void ash_rt_stage_fetch(ash_rt_stage *s, const ash_rt_part *outer,
                        const ash_rt_cuts *cuts, const ash_rt_piece *region,
                        const ash_rt_piece *piece, int32_t number,
                        int32_t count) {
  if (s->ahead <= number) { /* nobody looked at it: all copies were used */
    s->turn += (uint32_t)ash_rt_tile_look_at(s, outer, piece, number);
    s->ahead = number + 1;
  } else if (s->begun != s->turn &&
             s->from[s->turn % (uint32_t)s->copies] == number) {
    s->turn++; /* the copy used last is free */
  }
  while (s->ahead < count && s->begun + 1 - s->turn < (uint32_t)s->copies) {
    ash_rt_piece next;
    ash_rt_piece_at(cuts, region, s->ahead, &next);
    (void)ash_rt_tile_look_at(s, outer, &next, s->ahead++);
  }
}

int32_t ash_rt_stage_turns(ash_rt_stage *s, const ash_rt_piece *piece) {
  ash_rt_box_of(s->tensor, piece, &s->next);
  return !s->open || !ash_rt_tile_same_box(s->tensor, &s->next,
                                           &ash_rt_stage_current(s)->box);
}

void ash_rt_stage_store(ash_rt_stage *s, const ash_rt_part *outer) {
  if (!s->open)
    return;
  const uint32_t copy = (s->turn - 1) % (uint32_t)s->copies;
  s->future[copy] =
      ash_rt_move_box(&s->way, s->tensor, outer, &s->part[copy], 0);
  s->open = 0;
}

void ash_rt_stage_open(ash_rt_stage *s) {
  s->turn++;
  s->open = 1;
  ash_rt_tile_part_of(s, s->turn - 1)->box = s->next;
}

void ash_rt_stage_flush(ash_rt_stage *s, const ash_rt_part *outer) {
  ash_rt_stage_store(s, outer);
  for (int32_t k = 0; k < s->copies; k++)
    ash_rt_tile_await_copy(s, (uint32_t)k);
}
