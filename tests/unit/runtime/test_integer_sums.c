/* test_integer_sums.c - sums of blocks against the definition, one product at a
 * time in 64 bits: all types, one and two pixels, all numbers of channels, runs
 * of all lengths. */
#include "ash_rt_loops.h"
#include "check.h"
#include "kernel_data.h"

#include <stdbool.h>

enum { ROUNDS = 3000, ROOM = 4096, UNTOUCHED = 0x5a5a5a5a };

static uint8_t x[ROOM], w[ROOM];

typedef void adder(const ash_rt_block *b, int32_t pixels, int32_t channels,
                   const void *x, const void *w, uint32_t *sums);

static const struct {
  adder *add;
  bool x_signed, w_signed;
  enum { SAME, OWN, ACROSS } reads;
} adders[] = {{ash_rt_sums_s8_s8, true, true, SAME},
              {ash_rt_sums_s8_u8, true, false, SAME},
              {ash_rt_sums_u8_s8, false, true, SAME},
              {ash_rt_sums_u8_u8, false, false, SAME},
              {ash_rt_columns_s8_s8, true, true, OWN},
              {ash_rt_columns_s8_u8, true, false, OWN},
              {ash_rt_columns_u8_s8, false, true, OWN},
              {ash_rt_columns_u8_u8, false, false, OWN},
              {ash_rt_across_s8_s8, true, true, ACROSS},
              {ash_rt_across_s8_u8, true, false, ACROSS},
              {ash_rt_across_u8_s8, false, true, ACROSS},
              {ash_rt_across_u8_u8, false, false, ACROSS}};

static int64_t value(uint8_t byte, bool is_signed) {
  return is_signed && byte > 127 ? byte - 256 : byte;
}

static int64_t one_sum(const ash_rt_block *b, int32_t pixel, int32_t channel,
                       int kind) {
  const bool own = adders[kind].reads == OWN;
  int64_t sum = 0;
  for (int32_t r = 0; r < b->rows; r++)
    for (int32_t i = 0; i < b->run; i++) {
      const int32_t from =
          pixel * b->x_pixel + r * b->x_row + (own ? i * b->step + channel : i);
      const int32_t by = r * b->w_row + (adders[kind].reads == SAME
                                             ? channel * b->w_channel + i
                                             : i * b->step + channel);
      sum += value(x[from], adders[kind].x_signed) *
             value(w[by], adders[kind].w_signed);
    }
  return sum;
}

static ash_rt_block random_block(int kind) {
  const bool own = adders[kind].reads == OWN;
  const int32_t rows = adders[kind].reads == ACROSS ? 1 : random_between(0, 3);
  const int32_t run = random_between(1, own ? 4 : 23);
  const int32_t step =
      adders[kind].reads == SAME ? 0 : random_between(ASH_RT_BLOCK, 19);
  const int32_t row = own ? run * step : run;
  return (ash_rt_block){rows,
                        run,
                        step,
                        row + random_between(0, 40),
                        row,
                        random_between(0, own ? 40 : run),
                        3 * row + random_between(0, 9)};
}

static void check_block(int kind) {
  const ash_rt_block b = random_block(kind);
  const int32_t pixels = random_between(1, 2);
  const int32_t channels = random_between(1, ASH_RT_BLOCK);
  uint32_t sums[2 * ASH_RT_BLOCK];
  for (int32_t i = 0; i < ROOM; i++) {
    x[i] = (uint8_t)random_s8();
    w[i] = (uint8_t)random_s8();
  }
  for (int32_t i = 0; i < 2 * ASH_RT_BLOCK; i++)
    sums[i] = UNTOUCHED;
  adders[kind].add(&b, pixels, channels, x, w, sums);
  for (int32_t p = 0; p < 2; p++)
    for (int32_t o = 0; o < ASH_RT_BLOCK; o++)
      CHECK_EQ(sums[ASH_RT_BLOCK * p + o],
               p < pixels && o < channels ? (uint32_t)one_sum(&b, p, o, kind)
                                          : UNTOUCHED);
}

static void blocks_are_sums_of_products(void) {
  for (int i = 0; i < ROUNDS; i++)
    check_block(i % (int)(sizeof adders / sizeof *adders));
}

#define TESTS(X) X(blocks_are_sums_of_products)
TEST_MAIN(TESTS)
