/* test_signal.c - the audio front end in the reference interpreter: transforms
 * of integers and filter banks, and what their shape rules refuse. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "run_net.h"

static net transform_net(int32_t samples, int64_t length) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT16, NET_DIMS(samples), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT16, NET_DIMS(10), 0, 0);
  net_int(&n, net_op(&n, ASH_OP_fixed_rfft, NET_IDS(x), y), "length", length);
  return n;
}

/* Values of TensorFlow Lite Micro's operator. */
static void transforms_round_at_every_step(void) {
  static const int16_t x[] = {1000, -2000, 3000, 4000, -32767, 600, 32767, 5};
  static const int16_t y[] = {825, 0,    3637,  3596, -8440,
                              675, 4803, -3844, 175,  0};
  net n = transform_net(8, 8);
  gives_bytes(&n, x, NULL, sizeof y, y);
}

static void short_rows_are_filled_with_zeros(void) {
  static const int16_t x[] = {30000, 30000, 30000, 30000, 30000};
  static const int16_t y[] = {18747, 0, 0, -9052, 3749, 0, -1, -1553, 3749, 0};
  net n = transform_net(5, 8);
  gives_bytes(&n, x, NULL, sizeof y, y);
}

static ash_status shape_of(net n) {
  ash_shape shape;
  const ash_status status = ash_infer_shape(n.ctx, n.g, 0, &shape);
  net_free(&n);
  return status;
}

static void lengths_are_powers_of_two_and_hold_a_row(void) {
  CHECK_EQ(shape_of(transform_net(8, 8)), ASH_OK);
  CHECK_EQ(shape_of(transform_net(8, 12)), ASH_UNSUPPORTED);
  CHECK_EQ(shape_of(transform_net(4, 4)), ASH_UNSUPPORTED);
  CHECK_EQ(shape_of(transform_net(8, 1 << 16)), ASH_UNSUPPORTED);
  CHECK_EQ(shape_of(transform_net(9, 8)), ASH_MALFORMED);
}

/* Two channels of two frequencies each, half of the middle one in both. */
static net bank_net(int16_t last_start) {
  static const int16_t weights[] = {1, 2, 3}, unweights[] = {4, 5, 6};
  static const int16_t weight_starts[] = {0, 1, 2}, widths[] = {1, 1, 1};
  const int16_t starts[] = {0, 1, last_start};
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_UINT32, NET_DIMS(4), 0, 0);
  const uint32_t in[] = {
      net_constant(&n, ASH_INT16, NET_DIMS(3), weights, 0, 0),
      net_constant(&n, ASH_INT16, NET_DIMS(3), unweights, 0, 0),
      net_constant(&n, ASH_INT16, NET_DIMS(3), starts, 0, 0),
      net_constant(&n, ASH_INT16, NET_DIMS(3), weight_starts, 0, 0),
      net_constant(&n, ASH_INT16, NET_DIMS(3), widths, 0, 0)};
  const uint32_t y = net_result(&n, ASH_UINT64, NET_DIMS(2), 0, 0);
  net_op(&n, ASH_OP_filter_bank, NET_IDS(x, in[0], in[1], in[2], in[3], in[4]),
         y);
  return n;
}

static void channels_share_frequencies(void) {
  static const uint32_t x[] = {10, 4000000000u, 7, 100};
  static const uint64_t y[] = {4 * 10 + 2 * UINT64_C(4000000000),
                               5 * UINT64_C(4000000000) + 3 * 100};
  net n = bank_net(3);
  gives_bytes(&n, x, NULL, sizeof y, y);
}

static void channels_outside_the_spectrum_are_refused(void) {
  CHECK_EQ(shape_of(bank_net(3)), ASH_OK);
  CHECK_EQ(shape_of(bank_net(4)), ASH_MALFORMED);
  CHECK_EQ(shape_of(bank_net(-1)), ASH_MALFORMED);
}

#define TESTS(X)                                                               \
  X(transforms_round_at_every_step)                                            \
  X(short_rows_are_filled_with_zeros)                                          \
  X(lengths_are_powers_of_two_and_hold_a_row)                                  \
  X(channels_share_frequencies)                                                \
  X(channels_outside_the_spectrum_are_refused)
TEST_MAIN(TESTS)
