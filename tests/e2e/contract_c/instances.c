/* instances.c - two models in one program, one of them twice: interleaved, or
 * each in a thread of its own, over and over, compared with the records.
 *
 *   instances interleaved|threads|turns DIGITS_IN DIGITS_OUT NET_IN NET_OUT
 *
 * `turns` runs one model after the other on shared scratch arenas. */
#include "digits.h"
#include "net_int8_001.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { IMAGES = 360, NETS_MAX = 64, ROUNDS = 3 };

static uint8_t images[IMAGES][DIGITS_INPUT_0_BYTES];
static uint8_t scores[IMAGES][DIGITS_OUTPUT_0_BYTES];
static uint8_t nets_in[NETS_MAX][NET_INT8_001_INPUT_0_BYTES];
static uint8_t nets_out[NETS_MAX][NET_INT8_001_OUTPUT_0_BYTES];
static size_t nets;

static uint8_t spare[DIGITS_ARENA_DTCM_SIZE] __attribute__((aligned(16)));
static digits_context one, two;
static net_int8_001_context net;

static int run_digits(digits_context *ctx, size_t i) {
  memcpy(digits_input(ctx, 0).data, images[i], sizeof images[i]);
  return digits_run(ctx) == DIGITS_OK &&
         memcmp(digits_output(ctx, 0).data, scores[i], sizeof scores[i]) == 0;
}

static int run_net(size_t i) {
  memcpy(net_int8_001_input(&net, 0).data, nets_in[i], sizeof nets_in[i]);
  return net_int8_001_run(&net) == NET_INT8_001_OK &&
         memcmp(net_int8_001_output(&net, 0).data, nets_out[i],
                sizeof nets_out[i]) == 0;
}

/* Inputs of all are written, then all run, then all are read. */
static int interleaved(void) {
  for (size_t i = 0; i < IMAGES; i++) {
    const size_t k = IMAGES - 1 - i, n = i % nets;
    memcpy(digits_input(&one, 0).data, images[i], sizeof images[i]);
    memcpy(digits_input(&two, 0).data, images[k], sizeof images[k]);
    memcpy(net_int8_001_input(&net, 0).data, nets_in[n], sizeof nets_in[n]);
    if (digits_run(&one) || net_int8_001_run(&net) || digits_run(&two))
      return 0;
    if (memcmp(digits_output(&one, 0).data, scores[i], sizeof scores[i]) ||
        memcmp(digits_output(&two, 0).data, scores[k], sizeof scores[k]) ||
        memcmp(net_int8_001_output(&net, 0).data, nets_out[n],
               sizeof nets_out[n]))
      return 0;
  }
  return 1;
}

static int turns(void) {
  for (size_t i = 0; i < IMAGES; i++)
    if (!run_digits(&one, i) || !run_net(i % nets))
      return 0;
  return 1;
}

static void *digits_thread(void *ctx) {
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < IMAGES; i++)
      if (!run_digits(ctx, i))
        return ctx;
  return NULL;
}

static void *net_thread(void *ctx) {
  for (int round = 0; round < ROUNDS * 10; round++)
    for (size_t i = 0; i < nets; i++)
      if (!run_net(i))
        return ctx;
  return NULL;
}

static int threads(void) {
  pthread_t t[3];
  void *failed[3];
  if (pthread_create(&t[0], NULL, digits_thread, &one) ||
      pthread_create(&t[1], NULL, digits_thread, &two) ||
      pthread_create(&t[2], NULL, net_thread, &net))
    return 0;
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], &failed[i]);
  return !failed[0] && !failed[1] && !failed[2];
}

static size_t load(const char *path, void *to, size_t size, size_t most) {
  FILE *f = fopen(path, "rb");
  const size_t count = f ? fread(to, size, most, f) : 0;
  if (f)
    fclose(f);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 6 || load(argv[2], images, sizeof *images, IMAGES) != IMAGES ||
      load(argv[3], scores, sizeof *scores, IMAGES) != IMAGES)
    return 74;
  nets = load(argv[4], nets_in, sizeof *nets_in, NETS_MAX);
  if (nets == 0 || load(argv[5], nets_out, sizeof *nets_out, NETS_MAX) != nets)
    return 74;
  if (digits_bind_arena(&two, DIGITS_ARENA_DTCM, spare, sizeof spare) ||
      digits_init(&one) || digits_init(&two) || net_int8_001_init(&net))
    return 2;
  if (strcmp(argv[1], "interleaved") == 0)
    return !interleaved();
  return strcmp(argv[1], "turns") == 0 ? !turns() : !threads();
}
