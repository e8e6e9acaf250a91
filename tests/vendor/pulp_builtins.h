/* pulp_builtins.h - what the builtins of PULP compilers compute, of four bytes:
 * for tests of code that uses them, by compilers that do not have them. */
#ifndef PULP_BUILTINS_H
#define PULP_BUILTINS_H

#include <stdint.h>

typedef int8_t pulp_v4s __attribute__((vector_size(4)));
typedef uint8_t pulp_v4u __attribute__((vector_size(4)));

/* Signed by signed; unsigned by signed; unsigned by unsigned. */
static inline __attribute__((unused)) int32_t
__builtin_pulp_sdotsp4(pulp_v4s x, pulp_v4s w, int32_t sum) {
  for (int i = 0; i < 4; i++)
    sum = (int32_t)((uint32_t)sum + (uint32_t)(x[i] * w[i]));
  return sum;
}

static inline __attribute__((unused)) int32_t
__builtin_pulp_sdotusp4(pulp_v4u x, pulp_v4s w, int32_t sum) {
  for (int i = 0; i < 4; i++)
    sum = (int32_t)((uint32_t)sum + (uint32_t)(x[i] * w[i]));
  return sum;
}

static inline __attribute__((unused)) uint32_t
__builtin_pulp_sdotup4(pulp_v4u x, pulp_v4u w, uint32_t sum) {
  for (int i = 0; i < 4; i++)
    sum += (uint32_t)(x[i] * w[i]);
  return sum;
}

#endif
