/* test_dma.c - boxes moved by every kind of engine, and stages that rotate
 * buffers: against copies made element by element. */
#include "ash_dma_copy.h"
#include "ash_dma_host.h"
#include "ash_rt_tile.h"
#include "base/rng.h"
#include "check.h"

enum { ROOM = 4096 };

/* A tensor of positions: dimension d follows axis d. */
static ash_rt_tensor tensor_of(int32_t rank, const int32_t *dims,
                               int32_t bytes) {
  ash_rt_tensor t = {.rank = rank, .bytes = bytes};
  for (int32_t d = 0; d < rank; d++)
    t.dim[d] = (ash_rt_dim){d, 1, 1, 0, 1, dims[d]};
  return t;
}

static uint32_t below(ash_rng *rng, uint32_t n) {
  return (uint32_t)ash_rng_below(rng, n);
}

static ash_rt_box random_box(ash_rng *rng, const ash_rt_tensor *t) {
  ash_rt_box b = {{0}, {0}};
  for (int32_t d = 0; d < t->rank; d++) {
    const uint32_t n = (uint32_t)t->dim[d].extent;
    b.size[d] = 1 + (int32_t)below(rng, n);
    if (below(rng, 3) == 0)
      b.size[d] = (int32_t)n;
    b.start[d] = (int32_t)below(rng, n - (uint32_t)b.size[d] + 1);
  }
  return b;
}

/* The slow, obvious way. */
static void copy_box(const ash_rt_tensor *t, const ash_rt_box *b,
                     const uint8_t *whole, uint8_t *dense, int inward,
                     uint8_t *whole_out) {
  int32_t at[ASH_RT_DIMS] = {0};
  for (size_t n = 0;; n++) {
    size_t place = 0;
    for (int32_t d = 0; d < t->rank; d++)
      place = place * (size_t)t->dim[d].extent + (size_t)(b->start[d] + at[d]);
    for (int32_t k = 0; k < t->bytes; k++)
      if (inward)
        dense[n * (size_t)t->bytes + (size_t)k] =
            whole[place * (size_t)t->bytes + (size_t)k];
      else
        whole_out[place * (size_t)t->bytes + (size_t)k] =
            dense[n * (size_t)t->bytes + (size_t)k];
    int32_t d = t->rank - 1;
    while (d >= 0 && ++at[d] == b->size[d])
      at[d--] = 0;
    if (d < 0)
      return;
  }
}

static void move_randomly(ash_rng *rng, ash_dma_host_kind kind) {
  static uint8_t whole[ROOM], want[ROOM], got[ROOM], dense[ROOM];
  int32_t dims[ASH_RT_DIMS];
  const int32_t rank = 1 + (int32_t)below(rng, 5);
  for (int32_t d = 0; d < rank; d++)
    dims[d] = 1 + (int32_t)below(rng, 4);
  const ash_rt_tensor t = tensor_of(rank, dims, 1 << below(rng, 3));
  ash_dma_host *h = ash_dma_host_new(kind);
  const uint32_t ranks = 2u | below(rng, 4) << 2;
  const uint32_t limit = below(rng, 2) ? 1 + below(rng, 40) : 0;
  ash_dma_host_limit(h, 3, ranks, limit);
  const ash_rt_way way = {ash_dma_host_port(h), 3, ranks, limit,
                          below(rng, 4) == 0};
  ash_rt_part home, part = {dense, random_box(rng, &t)};
  for (size_t i = 0; i < ROOM; i++)
    whole[i] = got[i] = (uint8_t)below(rng, 256);
  ash_rt_home(&t, whole, &home);
  const uint32_t in = ash_rt_move_box(&way, &t, &home, &part, 1);
  if (in)
    way.dma->wait(way.dma->user, in);
  memset(want, 0, sizeof want);
  copy_box(&t, &part.box, whole, want, 1, NULL);
  size_t bytes = (size_t)t.bytes;
  for (int32_t d = 0; d < rank; d++)
    bytes *= (size_t)part.box.size[d];
  CHECK(memcmp(dense, want, bytes) == 0);
  for (size_t i = 0; i < bytes; i++)
    dense[i] ^= 0x5a;
  memcpy(want, whole, sizeof want);
  copy_box(&t, &part.box, NULL, dense, 0, want);
  ash_rt_home(&t, got, &home);
  const uint32_t out = ash_rt_move_box(&way, &t, &home, &part, 0);
  if (out)
    way.dma->wait(way.dma->user, out);
  CHECK(memcmp(got, want, sizeof got) == 0);
  CHECK(ash_dma_host_error(h, 1) == NULL);
  CHECK_EQ(ash_dma_host_bytes(h), 2 * bytes);
  ash_dma_host_drop(h);
}

static void boxes_of_any_rank_arrive_whole_with_every_engine(void) {
  ash_rng rng = {7};
  for (int k = 0; k < ASH_DMA_HOST_KINDS; k++)
    for (int i = 0; i < 300; i++)
      move_randomly(&rng, (ash_dma_host_kind)k);
}

static void rows_side_by_side_are_one_transfer(void) {
  static uint8_t whole[24], dense[24];
  const int32_t dims[] = {4, 3, 2};
  const ash_rt_tensor t = tensor_of(3, dims, 1);
  ash_dma_host *h = ash_dma_host_new(ASH_DMA_IMMEDIATE);
  const ash_rt_way way = {ash_dma_host_port(h), 0, 2, 0, 0};
  ash_rt_part home, part = {dense, {{1, 0, 0}, {2, 3, 2}}};
  ash_rt_home(&t, whole, &home);
  CHECK_EQ(ash_rt_move_box(&way, &t, &home, &part, 1), 0);
  CHECK_EQ(ash_dma_host_jobs(h), 1);
  ash_dma_host_drop(h);
}

/* Limits are kept, nothing is started for no bytes, and engines that make the
 * processor wait leave no future behind. */
static void rows_alone_arrive_whole(void) {
  static uint8_t from[100], to[100];
  ash_rng rng = {3};
  for (int i = 0; i < 200; i++) {
    ash_dma_host *h = ash_dma_host_new((ash_dma_host_kind)(i % 3));
    const uint32_t limit = below(&rng, 2) ? 1 + below(&rng, 40) : 0;
    const uint32_t bytes = below(&rng, 101);
    ash_dma_host_limit(h, 1, 2, limit);
    const ash_rt_way way = {ash_dma_host_port(h), 1, 2, limit, below(&rng, 2)};
    for (size_t k = 0; k < sizeof from; k++)
      from[k] = (uint8_t)(1 + below(&rng, 255));
    memset(to, 0, sizeof to);
    const uint32_t future = ash_rt_move_row(&way, to, from, bytes);
    CHECK(!future || !way.waits);
    ash_rt_move_wait(&way, future);
    CHECK(memcmp(to, from, bytes) == 0 && (bytes == 100 || to[bytes] == 0));
    CHECK_EQ(ash_dma_host_bytes(h), bytes);
    CHECK(ash_dma_host_error(h, 1) == NULL);
    ash_dma_host_drop(h);
  }
}

static ash_dma_job row(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  return (ash_dma_job){to, from, bytes, 1, 1, 0, 0, 0, 0, 0};
}

static void a_source_that_changes_in_flight_is_noticed(void) {
  static uint8_t a[8], b[8];
  ash_dma_host *h = ash_dma_host_new(ASH_DMA_LAZY);
  const ash_dma *dma = ash_dma_host_port(h);
  const ash_dma_job job = row(b, a, 8);
  const uint32_t f = dma->start(dma->user, &job, 0);
  a[3]++;
  dma->wait(dma->user, f);
  CHECK(strstr(ash_dma_host_error(h, 1), "source changed") != NULL);
  ash_dma_host_drop(h);
}

static void transfers_that_meet_in_flight_are_noticed(void) {
  static uint8_t a[8], b[8], c[8];
  const char *const words[] = {
      "reads what", "writes what another transfer still writes", "still reads"};
  const ash_dma_job second[] = {row(c, b + 4, 4), row(b + 7, c, 1),
                                row(a, c, 1)};
  for (int i = 0; i < 3; i++) {
    ash_dma_host *h = ash_dma_host_new(ASH_DMA_LAZY);
    const ash_dma *dma = ash_dma_host_port(h);
    const ash_dma_job job = row(b, a, 8);
    (void)dma->start(dma->user, &job, 0);
    (void)dma->start(dma->user, &second[i], 0);
    CHECK(strstr(ash_dma_host_error(h, 0), words[i]) != NULL);
    ash_dma_host_drop(h);
  }
}

static void futures_are_awaited_once(void) {
  static uint8_t a[8], b[8];
  const ash_dma_job job = row(b, a, 8);
  ash_dma_host *h = ash_dma_host_new(ASH_DMA_LAZY);
  const ash_dma *dma = ash_dma_host_port(h);
  const uint32_t f = dma->start(dma->user, &job, 0);
  CHECK(strstr(ash_dma_host_error(h, 1), "never awaited") != NULL);
  CHECK(ash_dma_host_error(h, 0) == NULL);
  dma->wait(dma->user, f);
  dma->wait(dma->user, f);
  CHECK(strstr(ash_dma_host_error(h, 0), "not in flight") != NULL);
  ash_dma_host_drop(h);
}

static void engines_refuse_what_they_cannot_do(void) {
  static uint8_t a[64], b[64];
  ash_dma_host *h = ash_dma_host_new(ASH_DMA_IMMEDIATE);
  const ash_dma *dma = ash_dma_host_port(h);
  const ash_dma_job flat = row(b, a, 32);
  const ash_dma_job deep = {b, a, 4, 2, 2, 4, 8, 8, 16, 0};
  ash_dma_host_limit(h, 0, 6, 31);
  (void)dma->start(dma->user, &flat, 0);
  CHECK(strstr(ash_dma_host_error(h, 0), "longest") != NULL);
  ash_dma_host_drop(h);
  h = ash_dma_host_new(ASH_DMA_IMMEDIATE);
  dma = ash_dma_host_port(h);
  ash_dma_host_limit(h, 0, 6, 0);
  (void)dma->start(dma->user, &deep, 0);
  CHECK(strstr(ash_dma_host_error(h, 0), "rank") != NULL);
  ash_dma_host_drop(h);
}

static void the_port_of_processors_copies_at_once(void) {
  const uint8_t a[6] = {1, 2, 3, 4, 5, 6};
  uint8_t b[4] = {0};
  const ash_dma_job job = {b, a, 2, 2, 1, 2, 0, 4, 0, 0};
  CHECK_EQ(ash_dma_copy.start(ash_dma_copy.user, &job, 0), 0);
  CHECK(b[0] == 1 && b[1] == 2 && b[2] == 5 && b[3] == 6);
}

/* ---- stages -------------------------------------------------------------- */

/* y[i][j] = x[i][j] + v[j], cut and ordered at random; v does not follow the
 * first axis, so that it is loaded again only where its box changes. */
typedef struct sums {
  ash_rt_tensor x, v;
  ash_rt_cuts cuts;
  ash_rt_piece all;
  uint8_t hx[400], hv[20], hy[400], bx[3][400], bv[3][20], by[3][400];
  uint64_t loads;
} sums;

static ash_rt_stage stage_of(const ash_rt_tensor *t, const ash_dma *dma,
                             int32_t copies, uint8_t *buffers, size_t each) {
  const ash_rt_way way = {dma, 0, 6, 0, 0};
  uint8_t *const copy[] = {buffers, buffers + each, buffers + 2 * each};
  ash_rt_stage s;
  memset(&s, 0x5a, sizeof s);
  ash_rt_stage_begin(&s, t, &way, copy, copies);
  return s;
}

static void add_box(const ash_rt_part *x, const ash_rt_part *v,
                    const ash_rt_part *y) {
  const int32_t w = x->box.size[1];
  for (int32_t i = 0; i < x->box.size[0]; i++)
    for (int32_t j = 0; j < w; j++)
      y->data[i * w + j] = (uint8_t)(x->data[i * w + j] + v->data[j]);
}

static void run_sums(sums *m, ash_dma_host *h, const int32_t *copies) {
  const ash_dma *dma = ash_dma_host_port(h);
  ash_rt_stage x = stage_of(&m->x, dma, copies[0], m->bx[0], sizeof m->bx[0]);
  ash_rt_stage v = stage_of(&m->v, dma, copies[1], m->bv[0], sizeof m->bv[0]);
  ash_rt_stage y = stage_of(&m->x, dma, copies[2], m->by[0], sizeof m->by[0]);
  ash_rt_part hx, hv, hy;
  ash_rt_home(&m->x, m->hx, &hx);
  ash_rt_home(&m->v, m->hv, &hv);
  ash_rt_home(&m->x, m->hy, &hy);
  const int32_t count = ash_rt_pieces(&m->cuts, &m->all);
  for (int32_t i = 0; i < count; i++) {
    ash_rt_piece p;
    ash_rt_piece_at(&m->cuts, &m->all, i, &p);
    if (ash_rt_stage_turns(&y, &p)) {
      ash_rt_stage_store(&y, &hy);
      ash_rt_stage_open(&y);
    }
    ash_rt_stage_fetch(&x, &hx, &m->cuts, &m->all, &p, i, count);
    ash_rt_stage_fetch(&v, &hv, &m->cuts, &m->all, &p, i, count);
    ash_rt_stage_await(&x);
    ash_rt_stage_await(&v);
    ash_rt_stage_await(&y);
    add_box(ash_rt_stage_current(&x), ash_rt_stage_current(&v),
            ash_rt_stage_current(&y));
  }
  ash_rt_stage_flush(&y, &hy);
  m->loads = v.begun;
}

static void cut_randomly(ash_rng *rng, ash_dma_host_kind kind) {
  static sums m;
  const int32_t dims[] = {1 + (int32_t)below(rng, 20),
                          1 + (int32_t)below(rng, 20)};
  const uint8_t first = (uint8_t)below(rng, 2);
  memset(&m, 0, sizeof m);
  m.x = tensor_of(2, dims, 1);
  m.v = (ash_rt_tensor){1, 1, {{1, 1, 1, 0, 1, dims[1]}}};
  m.all = (ash_rt_piece){{0}, {dims[0], dims[1]}};
  m.cuts =
      (ash_rt_cuts){2,
                    {first, (uint8_t)!first},
                    {1 + (int32_t)below(rng, 20), 1 + (int32_t)below(rng, 20)}};
  for (size_t i = 0; i < sizeof m.hx; i++)
    m.hx[i] = (uint8_t)below(rng, 256);
  for (size_t i = 0; i < sizeof m.hv; i++)
    m.hv[i] = (uint8_t)below(rng, 256);
  const int32_t copies[] = {1 + (int32_t)below(rng, 3),
                            1 + (int32_t)below(rng, 3),
                            1 + (int32_t)below(rng, 3)};
  ash_dma_host *h = ash_dma_host_new(kind);
  run_sums(&m, h, copies);
  if (ash_dma_host_error(h, 1))
    fprintf(stderr, "%s\n", ash_dma_host_error(h, 1));
  CHECK(ash_dma_host_error(h, 1) == NULL);
  for (int32_t i = 0; i < dims[0] * dims[1]; i++)
    CHECK_EQ(m.hy[i], (uint8_t)(m.hx[i] + m.hv[i % dims[1]]));
  /* The columns inside: as often as the rows are cut; outside: once each. */
  const int32_t rows =
      (dims[0] + m.cuts.tile[first ? 1 : 0] - 1) / m.cuts.tile[first ? 1 : 0];
  const int32_t columns =
      (dims[1] + m.cuts.tile[first ? 0 : 1] - 1) / m.cuts.tile[first ? 0 : 1];
  CHECK_EQ(m.loads, columns == 1 ? 1 : first ? rows * columns : columns);
  ash_dma_host_drop(h);
}

static void stages_bring_every_box_in_time_and_none_twice(void) {
  ash_rng rng = {11};
  for (int k = 0; k < ASH_DMA_HOST_KINDS; k++)
    for (int i = 0; i < (k == ASH_DMA_THREAD ? 60 : 400); i++)
      cut_randomly(&rng, (ash_dma_host_kind)k);
}

static void windows_are_clipped_at_the_edges_of_the_tensor(void) {
  const ash_rt_tensor t = {2, 1, {{0, 2, 5, 2, 1, 9}, {1, 1, 1, 0, 3, 4}}};
  ash_rt_piece p = {{0, 4}, {2, 5}};
  ash_rt_box b;
  ash_rt_box_of(&t, &p, &b); /* -2..4 and 4/3..8/3 */
  CHECK(b.start[0] == 0 && b.size[0] == 5 && b.start[1] == 1 && b.size[1] == 2);
  p.at[0] = 3;
  ash_rt_box_of(&t, &p, &b); /* 4..10 of 9 */
  CHECK(b.start[0] == 4 && b.size[0] == 5);
}

#define TESTS(X)                                                               \
  X(boxes_of_any_rank_arrive_whole_with_every_engine)                          \
  X(rows_side_by_side_are_one_transfer)                                        \
  X(rows_alone_arrive_whole)                                                   \
  X(a_source_that_changes_in_flight_is_noticed)                                \
  X(transfers_that_meet_in_flight_are_noticed)                                 \
  X(futures_are_awaited_once)                                                  \
  X(engines_refuse_what_they_cannot_do)                                        \
  X(the_port_of_processors_copies_at_once)                                     \
  X(stages_bring_every_box_in_time_and_none_twice)                             \
  X(windows_are_clipped_at_the_edges_of_the_tensor)
TEST_MAIN(TESTS)
