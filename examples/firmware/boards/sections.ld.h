/* sections.ld.h - the sections that every board has; a board's script (run
 * through the C preprocessor) defines the memories CODE, CONSTANTS and RAM, and
 * names further memories with BOARD_MEMORIES(X). */
ENTRY(ENTRY_SYMBOL)

#if defined(__riscv_xlen) && __riscv_xlen == 64
#define ADDRESS QUAD
#else
#define ADDRESS LONG
#endif
#define COPY(section)                                                          \
  ADDRESS(LOADADDR(section)) ADDRESS(ADDR(section))                            \
  ADDRESS(ADDR(section) + SIZEOF(section))
#define ZERO(section)                                                          \
  ADDRESS(0) ADDRESS(ADDR(section)) ADDRESS(ADDR(section) + SIZEOF(section))

#define COPY_MORE(name, memory) COPY(.name##_data)
#define ZERO_MORE(name, memory) ZERO(.name##_bss)
#define PLACE_MORE(name, memory)                                               \
  .name##_data : { *(.name##_data*) . = ALIGN(8); } > memory AT > CONSTANTS    \
  .name##_bss (NOLOAD) : { *(.name##_bss*) . = ALIGN(8); } > memory

SECTIONS {
  .text : {
    KEEP(*(.vectors))
    *(.text*) *(.itcm_text*)
    . = ALIGN(8);
  } > CODE
  .rodata : {
    *(.rodata*) *(.srodata*)
    . = ALIGN(8);
    __copy_table = .;
    COPY(.data)
    BOARD_MEMORIES(COPY_MORE)
    __copy_table_end = .;
    __zero_table = .;
    ZERO(.bss)
    BOARD_MEMORIES(ZERO_MORE)
    __zero_table_end = .;
    . = ALIGN(8);
  } > CONSTANTS
  .ARM.exidx : { *(.ARM.exidx*) } > CONSTANTS
  .data : {
    __global_pointer$ = . + 0x800;
    *(.data*) *(.sdata*)
    . = ALIGN(8);
  } > RAM AT > CONSTANTS
  .bss (NOLOAD) : {
    *(.bss*) *(.sbss*) *(COMMON)
    . = ALIGN(8);
  } > RAM
  BOARD_MEMORIES(PLACE_MORE)
  .stack (NOLOAD) : {
    . = ALIGN(16);
    __stack_limit = .;
    . += 8K;
    __stack_top = .;
  } > RAM
  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) }
}
