/* ash_rt_loops.h - what loops of the emitter call. */
#ifndef ASH_RT_LOOPS_H
#define ASH_RT_LOOPS_H

#include "ash_rt.h"

float ash_rt_half_value(uint16_t bits);
uint16_t ash_rt_half_bits(float x);
float ash_rt_brain_value(uint16_t bits);
uint16_t ash_rt_brain_bits(float x);
int64_t ash_rt_integer_sqrt(int64_t x);
int64_t ash_rt_bit_length(uint64_t x);
int64_t ash_rt_integer_pow(int64_t x, int64_t n);

/* Channels of a block. */
enum { ASH_RT_BLOCK = 16 };

/* A block of the results of a layer: up to two pixels, whose sums of products
 * are sums[ASH_RT_BLOCK * pixel + channel]. In `sums`, channels read the
 * same neighbours; in `columns`, each reads its own; in `across`, which knows
 * one row, their weights lie side by side. Distances are elements. */
typedef struct ash_rt_block {
  int32_t rows; /* of the window                               */
  int32_t run;  /* products in each                            */
  int32_t step; /* columns: from one product to the next; across: of weights */
  int32_t x_row, w_row; /* from a row to the next                      */
  int32_t x_pixel;      /* from a pixel to the next                    */
  int32_t w_channel;    /* sums: from a channel's weights to the next's */
} ash_rt_block;

void ash_rt_sums_s8_s8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums);
void ash_rt_sums_s8_u8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums);
void ash_rt_sums_u8_s8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums);
void ash_rt_sums_u8_u8(const ash_rt_block *b, int32_t pixels, int32_t channels,
                       const void *x, const void *w, uint32_t *sums);
void ash_rt_columns_s8_s8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums);
void ash_rt_columns_s8_u8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums);
void ash_rt_columns_u8_s8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums);
void ash_rt_columns_u8_u8(const ash_rt_block *b, int32_t pixels,
                          int32_t channels, const void *x, const void *w,
                          uint32_t *sums);
void ash_rt_across_s8_s8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums);
void ash_rt_across_s8_u8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums);
void ash_rt_across_u8_s8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums);
void ash_rt_across_u8_u8(const ash_rt_block *b, int32_t pixels,
                         int32_t channels, const void *x, const void *w,
                         uint32_t *sums);

#endif
