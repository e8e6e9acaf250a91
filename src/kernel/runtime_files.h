/* runtime_files.h - the sources of runtime/, built into the library. The header
 * `ash_rt.h` is the first; which .c file a kernel needs is in kernels.def, and
 * which headers, in that file. */
#ifndef ASH_KERNEL_RUNTIME_FILES_H
#define ASH_KERNEL_RUNTIME_FILES_H

#include "base/embedded.h"

/* Ended by one whose name is NULL. */
extern const ash_embedded ash_runtime_files[];

/* NULL if there is none of that name. */
const ash_embedded *ash_runtime_file(const char *name);

#endif
