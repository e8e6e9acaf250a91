/* layers_main.c - runs the kernels for a processor on recorded layers
 * (tests/tools/make_layers.c) and compares: on this machine, or on a board with
 * the start-up code of examples/firmware. VARIANT is dsp or mve. */
#include "ash_rt.h"
#include "layers.h"

#define GLUE2(a, b)  a##b
#define GLUE(a, b)   GLUE2(a, b)
#define KERNEL(name) GLUE(name, VARIANT)

#ifdef BOARD_MHZ
#include "semihost.h"
#define READ(file, to, n) sh_read(file, to, n)
#define SAY(text)         sh_text(text)
#define SAY_NUMBER(n)     sh_number(n)
#else
#include <stdio.h>
#define READ(file, to, n) fread(to, 1, n, file)
#define SAY(text)         fputs(text, stdout)
#define SAY_NUMBER(n)     printf("%lu", (unsigned long)(n))
#endif

enum { ROOM = 100000, GUARD = 16 };

static ASH_RT_ALIGN(16) int8_t in[ROOM], want[ROOM], got[ROOM], filter[ROOM];
static ASH_RT_ALIGN(16) int8_t scratch[ROOM], shift[64];
static ASH_RT_ALIGN(16) int32_t multiplier[64], bias[64], scale[256];

static void run_window(const layer_head *h, void *work) {
  const int32_t *w = h->window;
  const ash_rt_window window = {w[0],  w[1],  w[2],  w[3],  w[4],
                                w[5],  w[6],  w[7],  w[8],  w[9],
                                w[10], w[11], w[12], w[13], w[14]};
  const ash_rt_conv_2d_s8_params conv = {
      window,         1,          h->in_offset, h->out_offset,
      h->per_channel, h->act_min, h->act_max};
  const ash_rt_depthwise_conv_2d_s8_params deep = {
      window,         h->in_offset, h->out_offset,
      h->per_channel, h->act_min,   h->act_max};
  if (h->kind == 0)
    KERNEL(ash_rt_conv_2d_s8_)
  (&conv, in, multiplier, shift, bias, filter, got, work);
  else KERNEL(ash_rt_depthwise_conv_2d_s8_)(&deep, in, filter, multiplier,
                                            shift, bias, got, work);
}

static void run_layer(const layer_head *h) {
  const ash_rt_fully_connected_s8_params dense = {
      h->window[0],  h->window[1],   h->window[2], h->in_offset, 0,
      h->out_offset, h->per_channel, h->act_min,   h->act_max};
  void *work = h->scratch_bytes ? scratch : 0;
  if (h->kind == 2)
    KERNEL(ash_rt_fully_connected_s8_)
  (&dense, in, bias, filter, scale, got, work);
  else run_window(h, work);
}

/* Wrong bytes, or bytes written behind output and scratch. */
static uint32_t count_errors(const layer_head *h) {
  uint32_t errors = 0;
  for (uint32_t i = 0; i < h->out_bytes; i++)
    errors += got[i] != want[i];
  for (uint32_t i = 0; i < GUARD; i++)
    errors += got[h->out_bytes + i] != 0x5a;
  for (uint32_t i = 0; i < GUARD; i++)
    errors += scratch[h->scratch_bytes + i] != 0x5a;
  return errors;
}

#ifdef BOARD_MHZ
static int read_all(int file) {
#else
static int read_all(FILE *file) {
#endif
  static layer_head h;
  uint32_t layers = 0, wrong = 0;
  void *const constants[LAYER_CONSTANTS] = {multiplier, shift, bias, filter,
                                            scale};
  while (READ(file, &h, sizeof h) == sizeof h) {
    (void)READ(file, in, h.in_bytes);
    (void)READ(file, want, h.out_bytes);
    for (uint32_t i = 0; i < LAYER_CONSTANTS; i++)
      if (h.constant_bytes[i])
        (void)READ(file, constants[i], h.constant_bytes[i]);
    for (uint32_t i = 0; i < h.out_bytes + GUARD; i++)
      got[i] = 0x5a;
    for (uint32_t i = 0; i < h.scratch_bytes + GUARD; i++)
      scratch[i] = 0x5a;
    run_layer(&h);
    layers++;
    if (count_errors(&h) && wrong++ < 5) {
      SAY("wrong: layer ");
      SAY_NUMBER(layers - 1);
      SAY(" kind ");
      SAY_NUMBER(h.kind);
      SAY("\n");
    }
  }
  SAY("layers ");
  SAY_NUMBER(layers);
  SAY("\nwrong ");
  SAY_NUMBER(wrong);
  SAY("\n");
  return wrong != 0 || layers == 0;
}

#ifdef BOARD_MHZ
int main(void) {
  char path[200];
  sh_argument(1, path, sizeof path);
  return read_all(sh_open(path));
}
#else
int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : 0;
  if (!file)
    return 2;
  const int code = read_all(file);
  (void)fclose(file);
  return code;
}
#endif
