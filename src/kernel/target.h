/* target.h - what passes and the choice of kernels know of the device. */
#ifndef ASH_KERNEL_TARGET_H
#define ASH_KERNEL_TARGET_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* Instructions that kernels may use, as bits. */
enum ash_features {
  ASH_FEATURE_DSP = 1,
  ASH_FEATURE_MVE = 2,
  ASH_FEATURE_RVV = 4,
  ASH_FEATURE_MVE_FLOAT = 8,
  ASH_FEATURE_CMSIS_NN = 16, /* calls of the user's copy of that library */
  ASH_FEATURE_SIMD = 32,     /* vectors of x86-64 and AArch64 */
  ASH_FEATURE_SCALAR = 64, /* a processor that is known to have none of these */
  ASH_FEATURE_MVE_FAST = 128, /* MVE_FLOAT that may round otherwise */
  ASH_FEATURE_PIE = 256       /* vectors of the ESP32-S3 */
};

typedef struct ash_target {
  uint32_t features;      /* ASH_FEATURE_ bits, 0: portable C alone         */
  uint64_t compute_bytes; /* of the compute memory, 0: there is none        */
} ash_target;

/* `device` may be NULL: no features. */
ash_target ash_target_of(const ash_device *device,
                         const ash_compile_options *options);

/* Are layers prepared for kernels of the processor? CMSIS-NN's are prepared in
 * another way. */
bool ash_target_is_packed(const ash_target *target);

#endif
