# toolchain.cmake - the cross compiler of a board:
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake -DBOARD=mps2-an386 \
#         -DCOMPILER=gcc|clang ...
#
# clang compiles, GCC's driver links: it knows where the C library is.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BOARD COMPILER)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
include(${CMAKE_CURRENT_LIST_DIR}/boards/${BOARD}.cmake)
set(CMAKE_SYSTEM_NAME Generic)

if(BOARD_FAMILY STREQUAL arm)
  set(CMAKE_SYSTEM_PROCESSOR arm)
  set(tools arm-none-eabi-)
  set(specs --specs=nano.specs)
  set(clang_flags "--target=arm-none-eabi -munaligned-access -fshort-enums -ffp-contract=off -isystem /usr/include/newlib")
else()
  set(CMAKE_SYSTEM_PROCESSOR ${BOARD_FAMILY})
  set(tools riscv64-unknown-elf-)
  set(specs "-misa-spec=2.2 --specs=picolibc.specs")
  set(clang_flags "--target=${BOARD_FAMILY}-unknown-elf -fshort-enums -ffp-contract=off -ffreestanding")
endif()

# Multiplying and adding in one step would give other floats than the reference;
# GCC does not do that in ISO C, clang does.
if(COMPILER STREQUAL clang)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_C_FLAGS_INIT "${BOARD_FLAGS} ${clang_flags}")
else()
  set(CMAKE_C_COMPILER ${tools}gcc)
  set(CMAKE_C_FLAGS_INIT "${BOARD_FLAGS} ${specs}")
endif()
set(CMAKE_OBJCOPY ${tools}objcopy)
set(CMAKE_AR ${tools}ar)
set(CMAKE_RANLIB ${tools}ranlib)

# GCC 12 finds its libraries for vectors under the name without them.
string(REPLACE gcv gc link_flags "${BOARD_FLAGS}")
set(CMAKE_C_LINK_EXECUTABLE
  "${tools}gcc ${link_flags} ${specs} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
