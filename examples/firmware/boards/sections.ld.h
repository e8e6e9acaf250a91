/* sections.ld.h - the sections that every board has; a board's script (run
 * through the C preprocessor) names the memories VECTORS (where the processor
 * starts), CODE, CONSTANTS and RAM. What the model has in which memory is the
 * business of the fragment that Ashlar writes, which comes first: the first
 * pattern that matches wins. */
ENTRY(ENTRY_SYMBOL)

#if defined(__riscv_xlen) && __riscv_xlen == 64
#define ADDRESS QUAD
#else
#define ADDRESS LONG
#endif

#ifndef STACK_BYTES
#define STACK_BYTES 8K
#endif

SECTIONS {
  .vectors : { KEEP(*(.vectors)) . = ALIGN(8); } > VECTORS
#ifdef MODEL_FRAGMENT
  INCLUDE MODEL_FRAGMENT
#else
  model_ranges = 0;
  model_ranges_end = 0;
#endif
  .text : {
    *(.text*)
    . = ALIGN(8);
  } > CODE
  .rodata : {
    *(.rodata*) *(.srodata*)
    . = ALIGN(8);
    __ranges = .;
    ADDRESS(LOADADDR(.data))
    ADDRESS(ADDR(.data))
    ADDRESS(ADDR(.data) + SIZEOF(.data))
    ADDRESS(0)
    ADDRESS(ADDR(.bss))
    ADDRESS(ADDR(.bss) + SIZEOF(.bss))
    __ranges_end = .;
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
  .stack (NOLOAD) : {
    . = ALIGN(16);
    __stack_limit = .;
    . += STACK_BYTES;
    __stack_top = .;
  } > RAM
  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) }
}
