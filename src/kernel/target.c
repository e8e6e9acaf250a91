/* target.c - see target.h. */
#include "kernel/target.h"

#include <string.h>

static uint32_t features_of(const ash_device *d, ash_kernels kernels) {
  if (!d || d->compute_memory != ASH_NO_MEMORY ||
      kernels == ASH_KERNELS_PORTABLE)
    return 0; /* pieces are run by portable kernels */
  return (kernels == ASH_KERNELS_CMSIS_NN ? (uint32_t)ASH_FEATURE_CMSIS_NN
                                          : 0) |
         (d->features.dsp ? (uint32_t)ASH_FEATURE_DSP : 0) |
         (d->features.mve ? (uint32_t)ASH_FEATURE_MVE : 0) |
         (d->features.mve && d->features.fpu ? (uint32_t)ASH_FEATURE_MVE_FLOAT
                                             : 0) |
         (d->features.rvv ? (uint32_t)ASH_FEATURE_RVV : 0) |
         (d->features.simd ? (uint32_t)ASH_FEATURE_SIMD : 0);
}

/* The compute memory, as far as it may be used. */
static uint64_t compute_bytes_of(const ash_device *d,
                                 const ash_memory_constraint *constraints,
                                 size_t count) {
  if (!d || d->compute_memory == ASH_NO_MEMORY)
    return 0;
  const ash_memory *m = &d->memories[d->compute_memory];
  uint64_t bytes = m->bytes;
  for (size_t i = 0; i < count; i++)
    if (strcmp(constraints[i].memory, m->name) == 0 &&
        constraints[i].max_size < bytes)
      bytes = constraints[i].max_size;
  return bytes;
}

ash_target ash_target_of(const ash_device *device, ash_kernels kernels,
                         const ash_memory_constraint *constraints,
                         size_t constraint_count) {
  return (ash_target){
      .features = features_of(device, kernels),
      .compute_bytes = compute_bytes_of(device, constraints, constraint_count)};
}
