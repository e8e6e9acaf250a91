/* ports_main.c - a port of a DMA engine does what the rules of ash_dma.h say:
 * random boxes go from far memory to near memory and back, some futures with
 * several transfers, some awaited late. Built with PORT_mchan and so on. */
#define _GNU_SOURCE
#include "ash_dma.h"
#include "engines.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { NEAR = 1 << 16, FAR = 1 << 18, ROUNDS = 3000, SLOTS = 24 };

static uint8_t *near_, *far_;

#if defined PORT_mchan
#include "ash_dma_mchan.h"
static ash_dma_mchan engine;
static ash_dma port = {ash_dma_mchan_start, ash_dma_mchan_wait, &engine};
static void open_port(void) {
  engine.l1 = near_, engine.l1_bytes = NEAR;
}
#elif defined PORT_snitch
#include "ash_dma_snitch.h"
#define port ash_dma_snitch
static void open_port(void) {}
#elif defined PORT_mdma
#include "ash_dma_mdma.h"
static MDMA_HandleTypeDef handle[3];
static ash_dma_mdma engine = {{&handle[0], &handle[1], &handle[2]}, 3, 0, 0};
static ash_dma port = {ash_dma_mdma_start, ash_dma_mdma_wait, &engine};
static void open_port(void) {}
#elif defined PORT_edma
#include "ash_dma_edma.h"
static DMA_Type registers;
static ash_dma_edma engine = {&registers, {2, 5, 7}, 3, 0};
static ash_dma port = {ash_dma_edma_start, ash_dma_edma_wait, &engine};
static void open_port(void) {}
#else
#include "ash_dma_mspi.h"
static ash_dma_mspi engine;
static ash_dma port = {ash_dma_mspi_start, ash_dma_mspi_wait, &engine};
static void open_port(void) {
  engine.window = (uint32_t)(uintptr_t)far_, engine.window_bytes = FAR;
  engines_window = far_;
}
#endif

static uint32_t state = 1;

static uint32_t random_below(uint32_t n) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % n;
}

static uint8_t *low_memory(size_t bytes) {
  void *p = mmap(0, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  return p == MAP_FAILED ? 0 : (uint8_t *)p;
}

/* A box whose near side is dense. */
static ash_dma_job random_job(int inward, uint32_t slot) {
  const uint32_t bytes = 1 + random_below(40), rows = 1 + random_below(5);
  const uint32_t planes = 1 + random_below(3);
  const uint32_t row = bytes + random_below(9);
  const uint32_t plane = rows * row + random_below(9);
  uint8_t *n = near_ + slot * (NEAR / SLOTS), *f = far_ + slot * (FAR / SLOTS);
  ash_dma_job j = {
      inward ? n : f, inward ? f : n, bytes, rows, planes, 0, 0, 0, 0, 0};
  j.to_row = inward ? bytes : row;
  j.from_row = inward ? row : bytes;
  j.to_plane = inward ? bytes * rows : plane;
  j.from_plane = inward ? plane : bytes * rows;
  return j;
}

static int is_done(const ash_dma_job *j) {
  for (uint32_t p = 0; p < j->planes; p++)
    for (uint32_t r = 0; r < j->rows; r++)
      if (memcmp(j->to + p * j->to_plane + r * j->to_row,
                 j->from + p * j->from_plane + r * j->from_row, j->bytes))
        return 0;
  return 1;
}

static void fill(uint8_t *p, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++)
    p[i] = (uint8_t)random_below(256);
}

/* Two transfers with one future, the second to the slot behind. */
typedef struct pair {
  ash_dma_job job[2];
  uint32_t future;
  int open;
} pair;

static int end_pair(pair *p) {
  if (p->open && p->future)
    port.wait(port.user, p->future);
  const int right = !p->open || (is_done(&p->job[0]) && is_done(&p->job[1]));
  p->open = 0;
  return right;
}

int main(void) {
  static pair pairs[SLOTS / 2];
  near_ = low_memory(NEAR);
  far_ = low_memory(FAR);
  if (!near_ || !far_)
    return 2;
  open_port();
  for (int round = 0; round < ROUNDS; round++) {
    const uint32_t k = random_below(SLOTS / 2);
    pair *p = &pairs[k];
    if (!end_pair(p))
      return 1;
    fill(near_ + 2 * k * (NEAR / SLOTS), 2 * (NEAR / SLOTS));
    fill(far_ + 2 * k * (FAR / SLOTS), 1200);
    fill(far_ + (2 * k + 1) * (FAR / SLOTS), 1200);
    p->future = 0;
    p->open = 1;
    for (uint32_t i = 0; i < 2; i++) {
      p->job[i] = random_job((int)random_below(2), 2 * k + i);
      p->future = port.start(port.user, &p->job[i], p->future);
    }
  }
  for (uint32_t k = 0; k < SLOTS / 2; k++)
    if (!end_pair(&pairs[k]))
      return 1;
  puts("right");
  return 0;
}
