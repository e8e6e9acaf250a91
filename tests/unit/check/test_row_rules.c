/* test_row_rules.c - the checker's rules for rows against the operators
 * themselves: for operators made at random (tests/support/cut_*.c), a row of
 * the result is the same whatever stands in the rows of the operands that the
 * rule says it does not read, and the rule wants no row that the planner's
 * rule (domain/rows.h), which comes from iteration spaces, does not provide. */
#include "check/check_rows.h"
#include "cuts.h"
#include "domain/rows.h"
#include "kernel/kernel.h"
#include "ref/ref.h"

enum { ROWS_TRIED = 3 };

/* An operator under test. */
typedef struct subject {
  const ash_graph *g;
  uint32_t op;
  ash_domain_row_rule rule;
  void **values; /* by tensor: what was read, and what came out */
} subject;

/* Operators that have rules; operands that they do not read whole; rows that
 * planners would make. */
static uint32_t operators, narrow, planned;

static const ash_op *op_of(const subject *s) {
  return &s->g->ops.items[s->op];
}

/* The bytes of rows [from, to) of a tensor. */
static size_t row_bytes(const ash_tensor *t, uint32_t from, uint32_t to) {
  return (size_t)t->bytes / ash_check_row_count(t) * (to - from);
}

static void copy_rows(const ash_tensor *t, void *to, const void *from,
                      ash_check_range rows) {
  const size_t start = row_bytes(t, 0, rows.from);
  memcpy((uint8_t *)to + start, (const uint8_t *)from + start,
         row_bytes(t, rows.from, rows.to));
}

/* Other bytes wherever `row` does not read; an operand that is there twice
 * keeps what either of the two reads. */
static void **values_for(ash_zone *z, const subject *s, uint32_t row) {
  void **values = pieces_values(z, s->g);
  const ash_op *o = op_of(s);
  for (uint32_t i = 0; i < s->g->input_count; i++)
    pieces_fill(&cut_rng, &s->g->tensors.items[s->g->inputs[i]],
                values[s->g->inputs[i]]);
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID) {
      const ash_tensor *t = ash_op_in(s->g, o, k);
      const ash_check_range read = ash_check_rows_read(s->g, s->op, k, row);
      CHECK(read.from <= read.to && read.to <= ash_check_row_count(t));
      narrow += !read.is_whole;
      copy_rows(t, values[o->inputs[k]], s->values[o->inputs[k]], read);
    }
  return values;
}

static void try_row(ash_ctx *ctx, const subject *s, uint32_t row) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  void **values = values_for(&ctx->scratch, s, row);
  const ash_op *o = op_of(s);
  CHECK_EQ(ash_ref_run_op(ctx, s->g, s->op, values), ASH_OK);
  for (uint32_t k = 0; k < o->output_count; k++) {
    const ash_tensor *t = ash_op_out(s->g, o, k);
    const size_t at = row_bytes(t, 0, row);
    CHECK(memcmp((uint8_t *)values[o->outputs[k]] + at,
                 (uint8_t *)s->values[o->outputs[k]] + at,
                 row_bytes(t, row, row + 1)) == 0);
  }
  ash_zone_rewind(&ctx->scratch, mark);
}

/* Would a planner make it row by row, with any of its kernels? */
static bool can_be_planned(const subject *s) {
  const ash_kernel *kernel;
  if (!s->rule.space || s->rule.axis == ASH_NO_AXIS)
    return false;
  for (size_t i = 0; (kernel = ash_kernel_at(i)); i++)
    if (kernel->op == op_of(s)->kind &&
        ash_kernel_runs_rows(kernel, s->g, s->op, s->rule.is_row_to_row))
      return true;
  return false;
}

/* A plan has what the planner's rule wants, and has to pass the checker;
 * constants are there as a whole. */
static void compare_with_planner(const subject *s, uint32_t row) {
  const ash_op *o = op_of(s);
  planned++;
  const uint32_t first = row - row % s->rule.granule;
  const uint32_t rows = ash_check_row_count(ash_op_out(s->g, o, 0));
  const uint32_t count =
      s->rule.granule < rows - first ? s->rule.granule : rows - first;
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID && !ash_op_in(s->g, o, k)->data &&
        ash_domain_row_rule_operand(&s->rule, false, k) != ASH_NO_ID) {
      const ash_check_range want = ash_check_rows_read(s->g, s->op, k, row);
      const ash_domain_row_range has = ash_domain_row_rule_range(
          s->g, &s->rule, false, k, o->inputs[k], first, count);
      CHECK(want.from >= want.to ||
            (want.from >= has.from && want.to <= has.to));
    }
}

static uint32_t axes_of(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_tile_space *space;
  const char *why;
  CHECK_EQ(ash_tile_space_of(ctx, &space, &why, g, op), ASH_OK);
  return space ? space->axis_count : 0;
}

static uint32_t rows_are_enough(net *n, uint32_t op) {
  subject s = {.g = n->g, .op = op};
  const ash_mark mark = ash_zone_mark(&n->ctx->scratch);
  const uint32_t axes = axes_of(n->ctx, n->g, op);
  CHECK_EQ(ash_domain_row_rule_of(n->ctx, &s.rule, n->g, op), ASH_OK);
  if (!ash_check_has_rows(n->g, op)) {
    CHECK(
        !can_be_planned(&s)); /* or the checker would refuse what is planned */
    return axes;
  }
  operators++;
  s.values = pieces_values(&n->ctx->scratch, n->g);
  for (uint32_t i = 0; i < n->g->input_count; i++)
    pieces_fill(&cut_rng, &n->g->tensors.items[n->g->inputs[i]],
                s.values[n->g->inputs[i]]);
  CHECK_EQ(ash_ref_run_op(n->ctx, n->g, op, s.values), ASH_OK);
  const uint32_t rows = ash_check_row_count(ash_op_out(n->g, op_of(&s), 0));
  for (uint32_t i = 0; i < ROWS_TRIED; i++) {
    const uint32_t row =
        i < 2 ? i * (rows - 1) : (uint32_t)cut_pick(0, (int32_t)rows - 1);
    try_row(n->ctx, &s, row);
    if (can_be_planned(&s))
      compare_with_planner(&s, row);
  }
  ash_zone_rewind(&n->ctx->scratch, mark);
  return axes;
}

static void enough_was_tried(void) {
  CHECK(operators > 500);
  CHECK(narrow > 1000);
  CHECK(planned > 1000);
}

/* Rules that only ask for more are right, too; these must not. */
static void chosen_elements_are_followed_by_their_indices(void) {
  static const int32_t zeros[8];
  for (int64_t batch = 0; batch < 2; batch++) {
    net n = net_new();
    const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 5, 3), 0, 0);
    const uint32_t k = net_constant(
        &n, ASH_INT32, batch ? NET_DIMS(1, 4, 2) : NET_DIMS(4, 2), zeros, 0, 0);
    const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(1, 4, 2, 3), 0, 0);
    const uint32_t op = net_op(&n, ASH_OP_gather, NET_IDS(x, k), y);
    net_int(&n, op, "axis", 1);
    net_int(&n, op, "batch_dims", batch);
    CHECK(ash_check_has_rows(n.g, op));
    const ash_check_range data = ash_check_rows_read(n.g, op, 0, 2);
    const ash_check_range index = ash_check_rows_read(n.g, op, 1, 2);
    CHECK(data.is_whole && data.from == 0 && data.to == 5);
    CHECK(!index.is_whole && index.from == 2 && index.to == 3);
    net_free(&n);
  }
}

static const check_case last[] = {
    {"enough_was_tried", enough_was_tried},
    {"chosen_elements_are_followed_by_their_indices",
     chosen_elements_are_followed_by_their_indices},
    {NULL, NULL}};

int main(int argc, char **argv) {
  const check_case *tables[16];
  uint32_t count = 0;
  while (cut_tables[count]) {
    tables[count] = cut_tables[count];
    count++;
  }
  tables[count] = last;
  tables[count + 1] = NULL;
  cut_sink = rows_are_enough;
  return check_main(tables, argc, argv);
}
