/* test_pie.c - the ESP32-S3's instructions in C against what its manual says,
 * in wide arithmetic, at the ends of their ranges; and sums made of them. */
#include "pie/ash_rt_pie.h"

#include "check.h"
#include "kernel_data.h"

#include <string.h>

enum { ROUNDS = 2000, ROOM = 1024 };

static ASH_RT_ALIGN(16) int8_t x[ROOM], w[ROOM];

static ash_rt_q_pie all(int8_t value) {
  ash_rt_q_pie q;
  memset(q.at, value, sizeof q.at);
  return q;
}

static void loads_ignore_four_bits_of_the_address(void) {
  fill_s8(x, ROOM);
  for (int32_t at = 0; at < 48; at++) {
    const ash_rt_q_pie q = ash_rt_vld_pie(x + at);
    CHECK(memcmp(q.at, x + at / 16 * 16, 16) == 0);
  }
  CHECK(ash_rt_is_aligned_pie(x) && !ash_rt_is_aligned_pie(x + 8));
}

static void sums_of_40_bits_saturate(void) {
  const int64_t most = (INT64_C(1) << 39) - 1, step = 16 * 128 * 128;
  const ash_rt_q_pie low = all(-128), high = all(127);
  CHECK_EQ(ash_rt_vmulas_accx_pie(most - step, low, low), most);
  CHECK_EQ(ash_rt_vmulas_accx_pie(most - step + 1, low, low), most);
  CHECK_EQ(ash_rt_vmulas_accx_pie(most - step - 1, low, low), most - 1);
  CHECK_EQ(ash_rt_vmulas_accx_pie(-most, low, high), -most - 1);
  CHECK_EQ(ash_rt_vmulas_accx_pie(0, low, high), -16 * 128 * 127);
}

static void lanes_of_20_bits_saturate(void) {
  const int32_t most = (1 << 19) - 1;
  ash_rt_qacc_pie q = {{most - 16384, most - 16383, -most, 5}};
  ash_rt_qacc_pie r = q;
  ash_rt_vmulas_qacc_pie(&q, all(-128), all(-128));
  CHECK_EQ(q.lane[0], most);
  CHECK_EQ(q.lane[1], most);
  CHECK_EQ(q.lane[3], 16389);
  ash_rt_vmulas_qacc_pie(&r, all(-128), all(127));
  CHECK_EQ(r.lane[2], -most - 1);
  CHECK_EQ(r.lane[3], 5 - 128 * 127);
}

static void lanes_come_back_from_memory(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    ash_rt_qacc_pie q;
    uint32_t words[ASH_RT_PIE_WORDS];
    for (int i = 0; i < 16; i++)
      q.lane[i] = random_between(-(1 << 19), (1 << 19) - 1);
    ash_rt_st_qacc_pie(words, &q);
    for (int i = 0; i < 16; i++)
      CHECK_EQ(ash_rt_lane_pie(words + i / 8 * 8, i % 8), q.lane[i]);
  }
  const uint32_t one[5] = {0xfffff, 0, 0, 0, 0x80000000};
  CHECK_EQ(ash_rt_lane_pie(one, 0), -1);
  CHECK_EQ(ash_rt_lane_pie(one, 1), 0);
  CHECK_EQ(ash_rt_lane_pie(one, 7), -(1 << 19));
}

static void sums_are_those_of_the_definition(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const int32_t blocks = random_between(1, 20);
    int64_t want = 0;
    fill_s8(x, ROOM);
    fill_s8(w, ROOM);
    for (int32_t i = 0; i < 16 * blocks; i++)
      want += x[i] * w[i];
    CHECK_EQ(ash_rt_dot_pie(x, w, blocks), want);
  }
}

static void lanes_are_those_of_the_definition(void) {
  for (int32_t turn = 0; turn < ROUNDS; turn++) {
    const int32_t count = random_between(1, 25), pitch = 32, at = 16;
    const int8_t *taps[25];
    int32_t sums[16];
    fill_s8(x, ROOM);
    fill_s8(w, ROOM);
    if (turn == 0) {
      memset(x, -128, ROOM);
      memset(w, -128, ROOM);
    }
    for (int32_t i = 0; i < count; i++)
      taps[i] = x + 16 * random_between(0, ROOM / 16 - 2);
    ash_rt_lanes_pie(taps, at, w, pitch, count, sums);
    for (int32_t c = 0; c < 16; c++) {
      int32_t want = 0;
      for (int32_t i = 0; i < count; i++)
        want += taps[i][at + c] * w[i * pitch + c];
      CHECK_EQ(sums[c], want);
    }
  }
}

#define TESTS(X)                                                               \
  X(loads_ignore_four_bits_of_the_address)                                     \
  X(sums_of_40_bits_saturate)                                                  \
  X(lanes_of_20_bits_saturate)                                                 \
  X(lanes_come_back_from_memory)                                               \
  X(sums_are_those_of_the_definition)                                          \
  X(lanes_are_those_of_the_definition)
TEST_MAIN(TESTS)
