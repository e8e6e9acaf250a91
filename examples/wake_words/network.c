/* network.c - writes a network for visual wake words ("is there a person?"):
 * MobileNetV1 x 0.25 on a colour image of 96 x 96 pixels, the shape of MLPerf
 * Tiny's benchmark, in Ashlar's textual form (docs/ir.md). Its weights are
 * random numbers, always the same: where memory goes is a matter of shapes.
 *
 *   cc network.c -o network && ./network > wake_words.ir */
#include <stdint.h>
#include <stdio.h>

#define ACTIVATION_SCALE "0.05"

static uint32_t seed = 1;
static int tensors, ops;

static int next_byte(void) {
  seed = seed * 1664525u + 1013904223u;
  return (int)(seed >> 24);
}

static void put_bytes(long count) {
  for (long i = 0; i < count; i++)
    printf("%02x", next_byte());
}

/* An int8 image of that many pixels a side; its number. */
static int activation(int size, int channels) {
  printf("tensor %%%d activation int8[1,%d,%d,%d] axis 0 scale "
         "[" ACTIVATION_SCALE "] zero [-128] \"t%d\"\n",
         tensors, size, size, channels, tensors);
  return tensors++;
}

/* Weights of `outer` x `size` x `size` x `inner`, and as many biases as the
 * layer has channels; the number of the weights. Sums of `taps` products stay
 * in the range of the result. */
static int weights(int outer, int size, int inner, int channels, int taps) {
  double scale = 0.02;
  for (int i = 1; i < taps; i *= 4)
    scale /= 2;
  printf("tensor %%%d constant int8[%d,%d,%d,%d] axis 0 scale [%.9f] zero [0] "
         "\"w%d\" data ",
         tensors, outer, size, size, inner, scale, tensors);
  put_bytes((long)outer * size * size * inner);
  printf(
      "\ntensor %%%d constant int32[%d] axis 0 scale [%.9f] zero [0] \"b%d\" "
      "data ",
      tensors + 1, channels, scale * 0.05, tensors + 1);
  for (int i = 0; i < channels; i++)
    printf("%02x000000", next_byte());
  printf("\n");
  tensors += 2;
  return tensors - 2;
}

static void put_layer(const char *kind, int in, int w, int out, int stride,
                      int before, int after, const char *more) {
  printf("op %s_%d %d %s(%%%d, %%%d, %%%d) -> (%%%d) stride_h=%d stride_w=%d "
         "dilation_h=1 dilation_w=1 pad_top=%d pad_bottom=%d pad_left=%d "
         "pad_right=%d %sact=\"relu\"\n",
         kind, ops, ops, kind, in, w, w + 1, out, stride, stride, before, after,
         before, after, more);
  ops++;
}

/* A convolution whose result has `size` pixels a side. */
static int conv(int in, int size, int from, int channels, int kernel,
                int stride) {
  const int w =
      weights(channels, kernel, from, channels, kernel * kernel * from);
  const int out = activation(size, channels);
  put_layer("conv_2d", in, w, out, stride, 0, kernel > 1, "");
  return out;
}

static int depthwise(int in, int size, int channels, int stride) {
  const int w = weights(1, 3, channels, channels, 9);
  const int out = activation(size, channels);
  put_layer("depthwise_conv_2d", in, w, out, stride, stride == 1, 1,
            "multiplier=1 ");
  return out;
}

/* Mean over all pixels, two classes. */
static void put_head(int in, int size, int channels) {
  const int mean = tensors, flat = tensors + 1;
  printf("tensor %%%d activation int8[1,1,1,%d] axis 0 scale "
         "[" ACTIVATION_SCALE "] zero [-128] \"mean\"\n",
         mean, channels);
  printf("tensor %%%d activation int8[1,%d] axis 0 scale "
         "[" ACTIVATION_SCALE "] zero [-128] \"flat\"\n",
         flat, channels);
  printf("tensor %%%d constant int8[2,%d] axis 0 scale [0.04] zero [0] "
         "\"classes\" data ",
         tensors + 2, channels);
  put_bytes(2L * channels);
  printf("\ntensor %%%d constant int32[2] axis 0 scale [0.002] zero [0] "
         "\"class_bias\" data 0000000000000000\n",
         tensors + 3);
  printf("tensor %%%d activation int8[1,2] axis 0 scale [0.1] zero [0] "
         "\"logits\"\n",
         tensors + 4);
  printf("tensor %%%d activation int8[1,2] axis 0 scale [0.00390625] zero "
         "[-128] \"scores\"\n",
         tensors + 5);
  printf("op average_pool_2d_%d %d average_pool_2d(%%%d) -> (%%%d) stride_h=%d "
         "stride_w=%d filter_h=%d filter_w=%d pad_top=0 pad_bottom=0 "
         "pad_left=0 pad_right=0 act=\"none\"\n",
         ops, ops, in, mean, size, size, size, size);
  printf("op reshape_%d %d reshape(%%%d) -> (%%%d)\n", ops + 1, ops + 1, mean,
         flat);
  printf("op fully_connected_%d %d fully_connected(%%%d, %%%d, %%%d) -> (%%%d) "
         "keep_num_dims=0 act=\"none\"\n",
         ops + 2, ops + 2, flat, flat + 1, flat + 2, flat + 3);
  printf("op softmax_%d %d softmax(%%%d) -> (%%%d) beta=1.0\n", ops + 3,
         ops + 3, flat + 3, flat + 4);
  printf("inputs (%%0)\noutputs (%%%d)\n", flat + 4);
}

int main(void) {
  static const struct {
    int stride, channels;
  } blocks[] = {{1, 16},  {2, 32},  {1, 32},  {2, 64},  {1, 64},
                {2, 128}, {1, 128}, {1, 128}, {1, 128}, {1, 128},
                {1, 128}, {2, 256}, {1, 256}};
  int size = 48, channels = 8;
  printf("graph \"wake_words\"\n");
  printf("tensor %%0 input int8[1,96,96,3] axis 0 scale [" ACTIVATION_SCALE
         "] zero [0] \"image\"\n");
  tensors = 1;
  int x = conv(0, size, 3, channels, 3, 2);
  for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    size /= blocks[i].stride;
    x = depthwise(x, size, channels, blocks[i].stride);
    x = conv(x, size, channels, blocks[i].channels, 1, 1);
    channels = blocks[i].channels;
  }
  put_head(x, size, channels);
  return 0;
}
