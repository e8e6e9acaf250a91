/* test_cuts.c - operators cut at random agree with the whole (pieces.h). The
 * cases are in tests/support/cut_*.c because tests/tools/make_pieces.c runs
 * them too. */
#include "cuts.h"

int main(int argc, char **argv) {
  return check_main(cut_tables, argc, argv);
}
