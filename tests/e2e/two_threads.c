/* two_threads.c - two instances of one model, each with its own arena, run in
 * two threads at once; both must classify the recorded images as one does. */
#include "digits.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { IMAGES = 360, IMAGE_BYTES = DIGITS_INPUT_0_BYTES };

static int8_t images[IMAGES][IMAGE_BYTES];
static int8_t results[2][IMAGES][DIGITS_OUTPUT_0_BYTES];
static uint8_t arenas[2][DIGITS_ARENA_DTCM_SIZE] __attribute__((aligned(16)));

static void *work(void *which) {
  const int me = *(const int *)which;
  digits_context ctx;
  memset(&ctx, 0, sizeof ctx);
  if (digits_bind_arena(&ctx, DIGITS_ARENA_DTCM, arenas[me],
                        sizeof arenas[me]) != DIGITS_OK ||
      digits_init(&ctx) != DIGITS_OK)
    return which;
  const digits_tensor in = digits_input(&ctx, 0), out = digits_output(&ctx, 0);
  for (int i = 0; i < IMAGES; i++) {
    memcpy(in.data, images[i], IMAGE_BYTES);
    if (digits_run(&ctx) != DIGITS_OK)
      return which;
    memcpy(results[me][i], out.data, out.bytes);
  }
  return NULL;
}

static int right_answers(FILE *labels) {
  int right = 0;
  for (int i = 0; i < IMAGES; i++) {
    int best = 0;
    for (int k = 1; k < (int)DIGITS_OUTPUT_0_BYTES; k++)
      if (results[0][i][k] > results[0][i][best])
        best = k;
    right += best == getc(labels);
  }
  return right;
}

int main(int argc, char **argv) {
  static int names[2] = {0, 1};
  pthread_t threads[2];
  void *failed[2];
  FILE *in = argc == 3 ? fopen(argv[1], "rb") : 0;
  FILE *labels = argc == 3 ? fopen(argv[2], "rb") : 0;
  if (!in || !labels || fread(images, sizeof images, 1, in) != 1)
    return 74;
  for (int i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, work, &names[i]) != 0)
      return 74;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], &failed[i]);
  if (failed[0] || failed[1] ||
      memcmp(results[0], results[1], sizeof results[0]) != 0)
    return 1;
  return right_answers(labels) * 100 < 97 * IMAGES;
}
