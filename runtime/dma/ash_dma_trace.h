/* ash_dma_trace.h - measures where the time of a tiled module goes: a port that
 * stands before another one, notes with a clock when transfers start and how
 * long the core waits for them, and writes that as a trace that Perfetto
 * (https://ui.perfetto.dev) and chrome://tracing open. What lies between is
 * computing. Freestanding; events are the caller's array.
 *
 *   static ash_dma_event events[2000];
 *   static ash_dma_trace trace = {.port = &mchan_port, .clock = cycles,
 *                                 .events = events, .room = 2000,
 *                                 .local = L1_BASE, .local_bytes = L1_SIZE};
 *   static const ash_dma traced = {ash_dma_trace_start, ash_dma_trace_wait,
 *                                  &trace};
 *   static void layer(void *user, uint32_t op, int done) {
 *     ash_dma_trace_layer(&trace, op, done);
 *   }
 *   ctx.dma = &traced;     before init
 *   ctx.callback = layer;  any time
 *   digits_run(&ctx);
 *   ash_dma_trace_write(&trace, NULL, 0, put_byte, NULL); */
#ifndef ASH_DMA_TRACE_H
#define ASH_DMA_TRACE_H

#include "ash_dma.h"

/* What the core did from `begin` to `end`; numbers of the clock. */
typedef struct ash_dma_event {
  uint32_t begin, end;
  uint32_t future; /* of a start: what the port returned; of a wait: for it */
  uint32_t bytes;  /* of a start; of a layer: its operator                */
  uint8_t kind;    /* ash_dma_event_kind                                  */
} ash_dma_event;

typedef enum ash_dma_event_kind {
  ASH_DMA_EVENT_LOAD,  /* a transfer to the local memory was started   */
  ASH_DMA_EVENT_STORE, /* one from there                               */
  ASH_DMA_EVENT_WAIT,
  ASH_DMA_EVENT_LAYER
} ash_dma_event_kind;

typedef struct ash_dma_trace {
  const ash_dma *port;         /* it moves the bytes                         */
  uint32_t (*clock)(void *of); /* it may wrap around, events less than once  */
  void *of;
  ash_dma_event *events;
  uint32_t room;     /* as many events as there is room for                  */
  const void *local; /* the compute memory                                   */
  uint32_t local_bytes;
  /* Written: */
  uint32_t count;
  uint32_t lost;  /* events for which there was no room                      */
  uint32_t layer; /* its event, counted from 1; 0: in none                   */
} ash_dma_trace;

/* ash_dma.start and ash_dma.wait, `user` being the ash_dma_trace. */
uint32_t ash_dma_trace_start(void *user, const ash_dma_job *job,
                             uint32_t future);
void ash_dma_trace_wait(void *user, uint32_t future);
/* From the module's callback. */
void ash_dma_trace_layer(ash_dma_trace *t, uint32_t op, int done);

/* Begins again, with the next run. */
void ash_dma_trace_clear(ash_dma_trace *t);

/* Sums in numbers of the clock, over all layers. */
typedef struct ash_dma_times {
  uint64_t layers;    /* from their begin to their end                       */
  uint64_t starting;  /* transfers                                           */
  uint64_t waiting;   /* for transfers                                       */
  uint64_t computing; /* the rest                                            */
  uint64_t loaded, stored; /* bytes                                          */
} ash_dma_times;
ash_dma_times ash_dma_trace_times(const ash_dma_trace *t);

/* Writes JSON, byte by byte. A layer is called names[op], or "op 12" where
 * there is none. One cycle is drawn as one microsecond. */
void ash_dma_trace_write(const ash_dma_trace *t, const char *const *names,
                         uint32_t name_count, void (*put)(void *to, char c),
                         void *to);

#endif
