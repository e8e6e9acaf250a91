/* minimalloc_main.c - the solver under the name of the program it replaces, for
 * tools that call minimalloc. */
#include "commands.h"

int main(int argc, char **argv) {
  static char name[] = "minimalloc";
  if (argc > 0)
    argv[0] = name;
  return cmd_solve(argc, argv);
}
