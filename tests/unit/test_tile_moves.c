/* test_tile_moves.c - operators cut at random agree with the whole: see
 * pieces.h. */
#include "cut_moves.h"

/* ---- all of them --------------------------------------------------------- */

static void every_operator_without_state_has_a_rule(void) {
  for (ash_op_kind kind = 0; kind < ASH_OP_COUNT; kind++)
    CHECK(ash_op_is_tiled(kind) ||
          (ash_op_info_of(kind)->flags & ASH_OP_STATE));
}

#define TESTS(X) CUT_MOVES_LIST(X) X(every_operator_without_state_has_a_rule)
TEST_MAIN(TESTS)
