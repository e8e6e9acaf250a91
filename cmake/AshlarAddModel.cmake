# ashlar_add_model(<target> MODEL <file> TARGET <device>
#                  [PREFIX <name>] [RULES <file>] [OPTIONS <option>...])
#
# Runs `ashlar compile` at build time and compiles what it wrote, also when
# CMAKE_C_COMPILER is a cross compiler. An existing <target> gets the files as
# sources and their folder as include folder; otherwise <target> becomes a
# static library of them.
#
#   find_package(ashlar REQUIRED)
#   ashlar_add_model(digits MODEL digits.tflite TARGET apollo510)
#   target_link_libraries(firmware PRIVATE digits)       # #include "digits.h"
#
# MODEL, RULES and a TARGET that is a file are relative to the current source
# folder. PREFIX is the start of every C name; without it the model's file name
# gives it. OPTIONS go to `ashlar compile` as they are. The plan is written
# beside the C as <prefix>_plan.json; the target's property ASHLAR_PLANS lists
# these files, for `ashlar check`.

# The same name that `ashlar compile` makes from a file name.
function(_ashlar_default_prefix out model)
  get_filename_component(name ${model} NAME)
  string(REGEX REPLACE "\\.[^.]*$" "" stem "${name}")
  string(TOLOWER "${stem}" stem)
  string(REGEX REPLACE "[^a-z0-9]" "_" stem "${stem}")
  if(NOT stem MATCHES "^[a-z]")
    string(PREPEND stem "m_")
  endif()
  set(${out} ${stem} PARENT_SCOPE)
endfunction()

function(_ashlar_absolute out path)
  get_filename_component(full ${path} ABSOLUTE
    BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  set(${out} ${full} PARENT_SCOPE)
endfunction()

function(ashlar_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;TARGET;PREFIX;RULES"
    "OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "ashlar_add_model: what is '${ARG_UNPARSED_ARGUMENTS}'?")
  endif()
  if(NOT ARG_MODEL OR NOT ARG_TARGET)
    message(FATAL_ERROR "ashlar_add_model(${target} MODEL <file> TARGET "
      "<device>): both are needed")
  endif()
  _ashlar_absolute(model ${ARG_MODEL})
  if(NOT ARG_PREFIX)
    _ashlar_default_prefix(ARG_PREFIX ${model})
  endif()
  set(depends ${model} $<TARGET_FILE:ashlar::program>)
  set(device ${ARG_TARGET})
  if(device MATCHES "/|\\.(yaml|yml|json)$")
    _ashlar_absolute(device ${device})
    list(APPEND depends ${device})
  endif()
  set(rules "")
  if(ARG_RULES)
    _ashlar_absolute(file ${ARG_RULES})
    set(rules --rules ${file})
    list(APPEND depends ${file})
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_${ARG_PREFIX})
  set(start ${folder}/${ARG_PREFIX})
  set(made ${start}.c ${start}_constants.c ${start}_kernels.c
    ${start}.h ${start}_kernels.h ${start}_memory.h)
  set(plan ${start}_plan.json)
  add_custom_command(OUTPUT ${made} ${plan}
    COMMAND ashlar::program compile ${model} --target ${device}
      --prefix ${ARG_PREFIX} ${rules} ${ARG_OPTIONS} --json ${plan}
      --quiet -o ${folder}
    DEPENDS ${depends} VERBATIM COMMENT "Compiling ${ARG_MODEL} for ${ARG_TARGET}")
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    target_compile_features(${target} PRIVATE c_std_99)
    target_link_libraries(${target} PUBLIC $<$<PLATFORM_ID:Linux>:m>)
  endif()
  if(NOT CMAKE_CROSSCOMPILING)
    # On a host the arenas may lie anywhere.
    string(TOUPPER ${ARG_PREFIX} upper)
    target_compile_definitions(${target} PRIVATE ${upper}_NO_PLACEMENT)
  endif()
  target_sources(${target} PRIVATE ${made})
  target_include_directories(${target} PUBLIC ${folder})
  set_property(TARGET ${target} APPEND PROPERTY ASHLAR_PLANS ${plan})
endfunction()
