/* test_tile_space.c - operators cut at random agree with the whole: see
 * pieces.h. */
#include "cut_layers.h"

TEST_MAIN(CUT_LAYERS_LIST)
