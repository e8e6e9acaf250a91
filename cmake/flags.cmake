# ashlar_flags(target): the warnings, sanitizers and definitions of our own code.
function(ashlar_flags target)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    # -ffp-contract=off: a fused multiply-add would make results differ
    # between machines.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic
      -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes
      -Wmissing-prototypes -Wvla -Wundef -Wcast-qual -Wformat=2
      -ffp-contract=off $<$<BOOL:${ASHLAR_WERROR}>:-Werror>)
  endif()
  if(ASHLAR_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ASHLAR_SANITIZE}
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${ASHLAR_SANITIZE})
  endif()
  # Assertions (src/base/assert.h) are on in Debug and sanitizer builds.
  if(ASHLAR_SANITIZE)
    target_compile_definitions(${target} PRIVATE ASH_DEBUG)
  else()
    target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:ASH_DEBUG>)
  endif()
endfunction()
