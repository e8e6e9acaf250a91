/* ash_rt.h - what every kernel shares: words for compilers, and the integer
 * arithmetic of quantised networks. Parameters and prototypes stand in headers
 * by kind of kernel; a module carries those that its kernels include.
 *
 * C99, freestanding: no heap, no I/O, no mutable static data; every kernel may
 * run in several threads at once. A kernel takes its parameters (constants
 * known at compile time), then inputs, then outputs. Tensors are dense, with
 * channels last.
 *
 * A generated module carries copies of these files in which the two prefixes
 * are replaced by the module's own; so every name here carries one of them. */
#ifndef ASH_RT_H
#define ASH_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ASH_RT_ALIGN(n) __attribute__((aligned(n)))
#define ASH_RT_WEAK     __attribute__((weak))
/* Where arguments are constants that must become part of the code. */
#define ASH_RT_INLINE                static inline __attribute__((always_inline))
#define ASH_RT_NOINLINE              __attribute__((noinline))
#define ASH_RT_MAYBE_UNUSED          __attribute__((unused))
#define ASH_RT_COPY(to, from, bytes) ((void)__builtin_memcpy(to, from, bytes))
#define ASH_RT_FILL(to, byte, bytes) ((void)__builtin_memset(to, byte, bytes))
#else
#include <string.h>
#define ASH_RT_ALIGN(n)
#define ASH_RT_WEAK
#define ASH_RT_INLINE static inline
#define ASH_RT_NOINLINE
#define ASH_RT_MAYBE_UNUSED
#define ASH_RT_COPY(to, from, bytes) ((void)memcpy(to, from, bytes))
#define ASH_RT_FILL(to, byte, bytes) ((void)memset(to, byte, bytes))
#endif

/* For the next loop, whose rounds are many instructions even when their number
 * is known and small. */
#if defined(__clang__)
#define ASH_RT_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define ASH_RT_NO_UNROLL
#endif

/* Steps that are loops. Where one walks arrays of narrow and wide elements in
 * the same region, GCC 12 makes one address the difference of others (ivopts),
 * no longer sees a store in the loop, and drops the call as one without effect.
 * Callers must not look inside. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define ASH_RT_STEP __attribute__((noipa))
#else
#define ASH_RT_STEP
#endif

/* `name` must be unique in the translation unit. */
#define ASH_RT_STATIC_ASSERT(cond, name)                                       \
  typedef char ash_rt_assert_##name[(cond) ? 1 : -1]

/* Constants are stored as the bytes that the processor reads. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the generated constants are little-endian, this processor is not"
#endif
#endif

/* The rounding below shifts negative numbers to the right. */
ASH_RT_STATIC_ASSERT((-3 >> 1) == -2, shift_is_arithmetic);

static inline int32_t ash_rt_clamp(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : x;
}

static inline float ash_rt_clamp_f32(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}

/* a * b * 2^-31, to the nearest, ties up. Not for a == b == INT32_MIN. */
static inline int32_t ash_rt_mul_high(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* x * 2^-n for 0 <= n <= 31, to the nearest, ties away from zero. Halving
 * comes last, so that nothing overflows; x < INT32_MAX where n is 1, and
 * x > INT32_MIN, which holds for every product of ash_rt_mul_high with a
 * multiplier. */
static inline int32_t ash_rt_shift_down(int32_t x, int32_t n) {
  if (n == 0)
    return x;
  return (((x + (x >> 31)) >> (n - 1)) + 1) >> 1;
}

/* x * multiplier * 2^(shift - 31), rounded twice as TensorFlow Lite does. */
static inline int32_t ash_rt_rescale(int32_t x, int32_t multiplier,
                                     int32_t shift) {
  if (shift > 0)
    return ash_rt_mul_high((int32_t)((uint32_t)x << shift), multiplier);
  return ash_rt_shift_down(ash_rt_mul_high(x, multiplier), -shift);
}

/* The last step of a kernel: zero point and clamp. The sum wraps around, as the
 * accumulators do; only scales that make no sense get that far. */
static inline int32_t ash_rt_finish(int32_t x, int32_t offset, int32_t low,
                                    int32_t high) {
  return ash_rt_clamp((int32_t)((uint32_t)x + (uint32_t)offset), low, high);
}

/* Axes of a broadcast or of padding, at most. */
enum { ASH_RT_RANK = 6 };

#endif
