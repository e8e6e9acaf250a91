/* test_tile_moves.c - operators cut at random agree with the whole: see
 * pieces.h. */
#include "cut_moves.h"

/* ---- all of them --------------------------------------------------------- */

/* Functions of the user and layers with state take their tensors whole. */
static bool is_whole(ash_op_kind kind) {
  static const ash_op_kind whole[] = {ASH_OP_custom, ASH_OP_svdf, ASH_OP_rnn,
                                      ASH_OP_lstm};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (whole[i] == kind)
      return true;
  return false;
}

static void every_operator_has_a_rule(void) {
  for (ash_op_kind kind = 0; kind < ASH_OP_COUNT; kind++)
    CHECK(ash_op_is_tiled(kind) != is_whole(kind));
}

#define TESTS(X) CUT_MOVES_LIST(X) X(every_operator_has_a_rule)
TEST_MAIN(TESTS)
