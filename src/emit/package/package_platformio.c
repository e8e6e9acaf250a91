/* package_platformio.c - a library for the folder lib/ of a PlatformIO project,
 * or for its registry. */
#include "emit/package/package.h"

static const char *const manifest[] = {
    "{",
    "  \"name\": \"%\",",
    "  \"version\": \"$^\",",
    "  \"description\": \"The model % as C: no heap, no interpreter\",",
    "  \"keywords\": [\"neural network\", \"model\", \"inference\"],",
    "  \"homepage\": \"$@\",",
    "  \"license\": \"Apache-2.0\",",
    "  \"authors\": [{\"name\": \"Ashlar\"}],",
    "  \"frameworks\": \"*\",",
    "  \"platforms\": \"*\",",
    "  \"headers\": \"%.h\",",
    "  \"build\": {\"srcDir\": \"src\", \"includeDir\": \"include\"},",
    "  \"examples\": [",
    "    {\"name\": \"run\",",
    "     \"base\": \"examples/run\",",
    "     \"files\": [\"main.c\"]}",
    "  ]",
    "}",
    NULL};

static const char *const entry[] = {"int main(void) {",
                                    "  printf(\"% ran: $%d\\n\", run_model());",
                                    "  return 0;", "}", NULL};

ash_status ash_package_platformio(ash_module *m) {
  ASH_TRY(ash_package_move(m, "src", "include"));
  ASH_TRY(ash_package_add_licence(m));
  ASH_TRY(ash_package_add(m, "library.json", manifest));
  return ash_package_add_program(m, "examples/run/main.c", entry);
}
