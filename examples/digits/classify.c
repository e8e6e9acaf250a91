/* classify.c - what firmware does with a generated module: put an image into
 * the input, run, take the largest output. Here the images come from a file.
 *
 *   classify IMAGES LABELS    both raw bytes: int8 pixels as the model wants
 *                             them, and one label a byte                     */
#include "digits.h"

#include <stdio.h>

static int largest(const int8_t *scores, uint32_t count) {
  int best = 0;
  for (uint32_t i = 1; i < count; i++)
    if (scores[i] > scores[best])
      best = (int)i;
  return best;
}

int main(int argc, char **argv) {
  static digits_context model; /* all zeros: not yet initialised */
  FILE *images = argc == 3 ? fopen(argv[1], "rb") : 0;
  FILE *labels = argc == 3 ? fopen(argv[2], "rb") : 0;
  int label, right = 0, count = 0;
  if (!images || !labels || digits_init(&model) != DIGITS_OK)
    return 1;
  const digits_tensor in = digits_input(&model, 0);
  const digits_tensor out = digits_output(&model, 0);
  while ((label = getc(labels)) != EOF &&
         fread(in.data, in.bytes, 1, images) == 1) {
    if (digits_run(&model) != DIGITS_OK)
      return 1;
    right += largest((const int8_t *)out.data, out.elements) == label;
    count++;
  }
  printf("%d of %d images right: accuracy %.2f %%\n", right, count,
         100.0 * right / (count ? count : 1));
  return count == 0;
}
