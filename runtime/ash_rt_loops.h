/* ash_rt_loops.h - what loops of the emitter call. */
#ifndef ASH_RT_LOOPS_H
#define ASH_RT_LOOPS_H

#include "ash_rt.h"

float ash_rt_half_value(uint16_t bits);
uint16_t ash_rt_half_bits(float x);
float ash_rt_brain_value(uint16_t bits);
uint16_t ash_rt_brain_bits(float x);
int64_t ash_rt_integer_sqrt(int64_t x);
int64_t ash_rt_integer_pow(int64_t x, int64_t n);

#endif
