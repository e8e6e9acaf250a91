/* runtime_files.h - the sources of runtime/, built into the library. The header
 * `ash_rt.h` is the first; which .c file a kernel needs is in kernels.def, and
 * which headers, in that file. */
#ifndef ASH_KERNEL_RUNTIME_FILES_H
#define ASH_KERNEL_RUNTIME_FILES_H

#include "base/embedded.h"

#include <stdbool.h>

/* Ended by one whose name is NULL. */
extern const ash_embedded ash_runtime_files[];

/* NULL if there is none of that name. */
const ash_embedded *ash_runtime_file(const char *name);

/* A part of a file. A line that begins with a comment whose first word is
 * "kernel" or "kernels" starts one: the section is for the kernels whose names
 * follow on that line, up to a colon or the end of the comment. What precedes
 * the first such line is for all kernels of the file. */
typedef struct ash_section {
  const char *text; /* of `bytes` characters, without blank lines at the end */
  const char *next; /* where the next section begins, or the file ends       */
  size_t bytes;     /* 0: there are no more sections                         */
} ash_section;

ash_section ash_section_first(const ash_embedded *file);
ash_section ash_section_after(const ash_section *section);

/* Is the section for this kernel? */
bool ash_section_is_for(const ash_section *section, const char *kernel);

#endif
