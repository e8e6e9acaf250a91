/* package_cmake.c - a static library for add_subdirectory. */
#include "emit/package/package.h"

static const char *const lists[] = {
    "# The model as a static library: add_subdirectory(...) this folder, then",
    "# target_link_libraries(firmware PRIVATE %).",
    "cmake_minimum_required(VERSION 3.16)",
    "project(% LANGUAGES C)",
    "",
    "add_library(% STATIC %.c %_constants.c %_kernels.c)",
    "target_include_directories(% PUBLIC $${CMAKE_CURRENT_SOURCE_DIR})",
    "target_compile_features(% PRIVATE c_std_99)",
    "if(NOT CMAKE_CROSSCOMPILING)",
    "  # On a host the arenas may lie anywhere.",
    "  target_compile_definitions(% PRIVATE $_NO_PLACEMENT)",
    "endif()",
    "if(CMAKE_SYSTEM_NAME STREQUAL \"Linux\")",
    "  target_link_libraries(% PUBLIC m)",
    "endif()",
    NULL};

ash_status ash_package_cmake(ash_module *m) {
  return ash_package_add(m, "CMakeLists.txt", lists);
}
