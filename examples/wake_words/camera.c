/* camera.c - looks at a few frames of a camera and says what the model scores.
 *
 * A module whose input is fed (--feed image) asks for line after line while it
 * runs: no frame is ever in memory. With any other module the frame is written
 * into the input first; both must print the same. */
#include "camera.h"

#include "model.h"
#include "semihost.h"

enum { FRAMES = 4, SIZE = 96, CHANNELS = 3, LINE = SIZE * CHANNELS };

static model_context ctx;

/* ---- the camera ---------------------------------------------------------- */

/* One line of a scene: a bright disc that moves in front of a noisy wall. A
 * product would wait for its sensor here. */
static void read_line(uint32_t frame, uint32_t line, int8_t *to) {
  const int32_t y = (int32_t)line - 20 - 18 * (int32_t)frame;
  uint32_t noise = (frame + 1) * 7919u + line * 104729u;
  for (int32_t x = 0; x < SIZE; x++) {
    const int32_t dx = x - 70 + 14 * (int32_t)frame;
    const int inside = dx * dx + y * y < 24 * 24;
    for (int32_t c = 0; c < CHANNELS; c++) {
      noise = noise * 1664525u + 1013904223u;
      const int32_t grain = (int32_t)(noise >> 26) - 32;
      *to++ = (int8_t)(grain + (inside ? 90 - 40 * c : 20 * c - 80));
    }
  }
}

/* ---- the model ----------------------------------------------------------- */

static uint32_t frame;

#ifdef MODEL_FED_COUNT

/* Called by the model when it wants a line, and for the place where it wants
 * it. */
static int fill(void *user, uint32_t input, uint32_t line, void *to) {
  (void)user, (void)input;
  read_line(frame, line, to);
  return 0;
}

static void attach_camera(void) {
  ctx.fill = fill;
}

#else

static void attach_camera(void) {
  int8_t *image = model_input(&ctx, 0).data;
  for (uint32_t line = 0; line < SIZE; line++)
    read_line(frame, line, image + line * LINE);
}

#endif

static void say_scores(void) {
  const int8_t *score = model_output(&ctx, 0).data;
  sh_text("frame ");
  sh_number(frame);
  sh_text(": nobody ");
  sh_number((uint64_t)(score[0] + 128));
  sh_text("/256, somebody ");
  sh_number((uint64_t)(score[1] + 128));
  sh_text("/256\n");
}

int watch(void) {
  if (model_init(&ctx) != MODEL_OK)
    return 1;
  for (frame = 0; frame < FRAMES; frame++) {
    attach_camera();
    if (model_run(&ctx) != MODEL_OK)
      return 2;
    say_scores();
  }
  return 0;
}
