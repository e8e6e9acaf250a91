/* target.c - see target.h. */
#include "kernel/target.h"

#include <string.h>

/* Of the processor; one that has no vectors may be a host that has some. */
static uint32_t features_of(const ash_device *d, ash_kernels kernels,
                            bool fast_math) {
  if (!d || d->compute_memory != ASH_NO_MEMORY ||
      kernels == ASH_KERNELS_PORTABLE)
    return 0; /* pieces are run by portable kernels */
  const bool vectors = d->features.dsp || d->features.mve || d->features.rvv ||
                       d->features.simd || d->features.pie ||
                       strcmp(d->cpu, "native") == 0;
  const bool floats = d->features.mve && d->features.fpu;
  return (vectors ? 0 : (uint32_t)ASH_FEATURE_SCALAR) |
         (kernels == ASH_KERNELS_CMSIS_NN ? (uint32_t)ASH_FEATURE_CMSIS_NN
                                          : 0) |
         (d->features.dsp ? (uint32_t)ASH_FEATURE_DSP : 0) |
         (d->features.mve ? (uint32_t)ASH_FEATURE_MVE : 0) |
         (floats ? (uint32_t)ASH_FEATURE_MVE_FLOAT : 0) |
         (floats && fast_math ? (uint32_t)ASH_FEATURE_MVE_FAST : 0) |
         (d->features.rvv ? (uint32_t)ASH_FEATURE_RVV : 0) |
         (d->features.simd ? (uint32_t)ASH_FEATURE_SIMD : 0) |
         (d->features.pie ? (uint32_t)ASH_FEATURE_PIE : 0);
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

ash_target ash_target_of(const ash_device *device,
                         const ash_compile_options *options) {
  return (ash_target){
      .features = features_of(device, options->kernels, options->fast_math),
      .compute_bytes = compute_bytes_of(device, options->plan.constraints,
                                        options->plan.constraint_count)};
}

bool ash_target_is_packed(const ash_target *target) {
  const uint32_t known = ASH_FEATURE_DSP | ASH_FEATURE_MVE | ASH_FEATURE_RVV |
                         ASH_FEATURE_SIMD | ASH_FEATURE_SCALAR |
                         ASH_FEATURE_PIE;
  return (target->features & known) &&
         !(target->features & ASH_FEATURE_CMSIS_NN);
}
