/* target.h - what passes and the choice of kernels know of the device. */
#ifndef ASH_KERNEL_TARGET_H
#define ASH_KERNEL_TARGET_H

#include "ashlar/compile.h"
#include "graph/graph.h"

typedef struct ash_target {
  uint32_t features;      /* ASH_FEATURE_ bits, 0: portable C alone         */
  uint64_t compute_bytes; /* of the compute memory, 0: there is none        */
} ash_target;

/* `device` may be NULL: no features. */
ash_target ash_target_of(const ash_device *device, ash_kernels kernels,
                         const ash_memory_constraint *constraints,
                         size_t constraint_count);

#endif
