/* ash_rt_half.c - float16 and bfloat16 to float32 and back. */
#include "ash_rt_loops.h"

typedef union ash_rt_float_word {
  uint32_t bits;
  float value;
} ash_rt_float_word;

float ash_rt_brain_value(uint16_t bits) {
  ash_rt_float_word w;
  w.bits = (uint32_t)bits << 16;
  return w.value;
}

uint16_t ash_rt_brain_bits(float x) {
  ash_rt_float_word w;
  w.value = x;
  if (x != x)
    return (uint16_t)(w.bits >> 16 | 0x40u);
  return (uint16_t)((w.bits + 0x7fffu + (w.bits >> 16 & 1u)) >> 16);
}

float ash_rt_half_value(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
  const uint32_t rest = bits & 0x7fffu;
  ash_rt_float_word w;
  if (rest >= 0x7c00u) { /* infinite, or not a number */
    w.bits = sign | 0x7f800000u | (rest & 0x3ffu) << 13;
  } else if (rest >= 0x400u) {
    w.bits = sign | ((rest << 13) + 0x38000000u);
  } else {
    w.value = (float)rest * 5.9604644775390625e-8f; /* 2^-24 */
    w.bits |= sign;
  }
  return w.value;
}

/* To the nearest, ties to even. */
uint16_t ash_rt_half_bits(float x) {
  ash_rt_float_word w;
  w.value = x;
  const uint32_t sign = w.bits >> 16 & 0x8000u;
  const uint32_t size = w.bits & 0x7fffffffu;
  if (size > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u);
  if (size >= 0x477ff000u)
    return (uint16_t)(sign | 0x7c00u);
  if (size < 0x38800000u) { /* adding 0.5 leaves steps of 2^-24 */
    w.bits = size;
    w.value += 0.5f;
    return (uint16_t)(sign | (w.bits - 0x3f000000u));
  }
  return (uint16_t)(sign |
                    ((size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13));
}
