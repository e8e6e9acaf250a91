/* ash_dma_trace.c - see ash_dma_trace.h. */
#include "ash_dma_trace.h"

#include <stddef.h>

/* ---- noting -------------------------------------------------------------- */

static uint32_t now(const ash_dma_trace *t) {
  return t->clock(t->of);
}

/* NULL: no room. */
static ash_dma_event *note(ash_dma_trace *t, ash_dma_event_kind kind,
                           uint32_t begin) {
  if (t->count >= t->room) {
    t->lost++;
    return NULL;
  }
  ash_dma_event *const e = &t->events[t->count++];
  *e = (ash_dma_event){begin, begin, 0, 0, (uint8_t)kind};
  return e;
}

static int is_local(const ash_dma_trace *t, const void *at) {
  return (uintptr_t)at - (uintptr_t)t->local < t->local_bytes;
}

uint32_t ash_dma_trace_start(void *user, const ash_dma_job *job,
                             uint32_t future) {
  ash_dma_trace *const t = user;
  const uint32_t begin = now(t);
  const uint32_t number = t->port->start(t->port->user, job, future);
  ash_dma_event *const e =
      note(t, is_local(t, job->to) ? ASH_DMA_EVENT_LOAD : ASH_DMA_EVENT_STORE,
           begin);
  if (e) {
    e->future = number;
    e->bytes = job->bytes * job->rows * job->planes;
    e->end = now(t);
  }
  return number;
}

void ash_dma_trace_wait(void *user, uint32_t future) {
  ash_dma_trace *const t = user;
  const uint32_t begin = now(t);
  t->port->wait(t->port->user, future);
  ash_dma_event *const e = note(t, ASH_DMA_EVENT_WAIT, begin);
  if (e) {
    e->future = future;
    e->end = now(t);
  }
}

void ash_dma_trace_layer(ash_dma_trace *t, uint32_t op, int done) {
  if (done) {
    if (t->layer)
      t->events[t->layer - 1].end = now(t);
    t->layer = 0;
    return;
  }
  ash_dma_event *const e = note(t, ASH_DMA_EVENT_LAYER, now(t));
  t->layer = e ? t->count : 0;
  if (e)
    e->bytes = op;
}

void ash_dma_trace_clear(ash_dma_trace *t) {
  t->count = t->lost = t->layer = 0;
}

/* ---- sums ---------------------------------------------------------------- */

ash_dma_times ash_dma_trace_times(const ash_dma_trace *t) {
  ash_dma_times sums = {0};
  for (uint32_t i = 0; i < t->count; i++) {
    const ash_dma_event *const e = &t->events[i];
    const uint32_t took = e->end - e->begin;
    sums.layers += e->kind == ASH_DMA_EVENT_LAYER ? took : 0;
    sums.waiting += e->kind == ASH_DMA_EVENT_WAIT ? took : 0;
    sums.starting += e->kind <= ASH_DMA_EVENT_STORE ? took : 0;
    sums.loaded += e->kind == ASH_DMA_EVENT_LOAD ? e->bytes : 0;
    sums.stored += e->kind == ASH_DMA_EVENT_STORE ? e->bytes : 0;
  }
  const uint64_t busy = sums.starting + sums.waiting;
  sums.computing = sums.layers > busy ? sums.layers - busy : 0;
  return sums;
}

/* ---- JSON ---------------------------------------------------------------- */

typedef struct writer {
  const ash_dma_trace *t;
  void (*put)(void *to, char c);
  void *to;
  uint32_t first; /* what the clock said at the first event */
  int any;
} writer;

static void put_text(const writer *w, const char *text) {
  for (; *text; text++)
    w->put(w->to, *text);
}

static void put_number(const writer *w, uint32_t n) {
  char digits[10];
  int count = 0;
  do {
    digits[count++] = (char)('0' + n % 10);
    n /= 10;
  } while (n);
  while (count)
    w->put(w->to, digits[--count]);
}

static void put_name(const writer *w, const char *name) {
  for (; *name; name++) {
    if (*name == '"' || *name == '\\')
      w->put(w->to, '\\');
    if ((unsigned char)*name >= ' ')
      w->put(w->to, *name);
  }
}

enum { LANE_LAYERS = 1, LANE_CORE, LANE_LOADS, LANE_STORES };

static void open_event(writer *w, int lane, uint32_t begin, uint32_t end) {
  put_text(w, w->any ? ",\n" : "\n");
  w->any = 1;
  put_text(w, "{\"ph\": \"X\", \"pid\": 1, \"tid\": ");
  put_number(w, (uint32_t)lane);
  put_text(w, ", \"ts\": ");
  put_number(w, begin - w->first);
  put_text(w, ", \"dur\": ");
  put_number(w, end - begin);
  put_text(w, ", \"name\": \"");
}

static void put_event(writer *w, int lane, uint32_t begin, uint32_t end,
                      const char *name) {
  open_event(w, lane, begin, end);
  put_text(w, name);
  put_text(w, "\"}");
}

static void name_lane(writer *w, int lane, const char *name) {
  put_text(w, w->any ? ",\n" : "\n");
  w->any = 1;
  put_text(w, "{\"ph\": \"M\", \"pid\": 1, \"tid\": ");
  put_number(w, (uint32_t)lane);
  put_text(w, ", \"name\": \"thread_name\", \"args\": {\"name\": \"");
  put_text(w, name);
  put_text(w, "\"}}");
}

/* When its future was awaited: it was over by then. A transfer that nobody had
 * to wait for was over when it started. */
static uint32_t over(const ash_dma_trace *t, uint32_t i) {
  const ash_dma_event *const e = &t->events[i];
  for (uint32_t k = i + 1; e->future != 0 && k < t->count; k++)
    if (t->events[k].kind == ASH_DMA_EVENT_WAIT &&
        t->events[k].future == e->future)
      return t->events[k].end;
  return e->end;
}

static void put_transfer(writer *w, uint32_t i) {
  const ash_dma_event *const e = &w->t->events[i];
  const int load = e->kind == ASH_DMA_EVENT_LOAD;
  open_event(w, load ? LANE_LOADS : LANE_STORES, e->begin, over(w->t, i));
  put_text(w, load ? "load\", \"args\": {\"bytes\": "
                   : "store\", \"args\": {\"bytes\": ");
  put_number(w, e->bytes);
  put_text(w, "}}");
}

static void put_layer(writer *w, const ash_dma_event *e,
                      const char *const *names, uint32_t name_count) {
  open_event(w, LANE_LAYERS, e->begin, e->end);
  if (e->bytes < name_count && names[e->bytes]) {
    put_name(w, names[e->bytes]);
  } else {
    put_text(w, "op ");
    put_number(w, e->bytes);
  }
  put_text(w, "\"}");
}

/* What the core does in a layer: `from` is where its last event ended. */
static uint32_t put_core(writer *w, const ash_dma_event *e, uint32_t from) {
  if (e->begin != from)
    put_event(w, LANE_CORE, from, e->begin, "compute");
  put_event(w, LANE_CORE, e->begin, e->end,
            e->kind == ASH_DMA_EVENT_WAIT ? "wait" : "start");
  return e->end;
}

static void put_core_lane(writer *w) {
  const ash_dma_event *layer = NULL;
  uint32_t from = 0;
  for (uint32_t i = 0; i <= w->t->count; i++) {
    const ash_dma_event *const e = i < w->t->count ? &w->t->events[i] : NULL;
    if (e && e->kind != ASH_DMA_EVENT_LAYER) {
      from = put_core(w, e, layer ? from : e->begin);
      continue;
    }
    if (layer && from != layer->end)
      put_event(w, LANE_CORE, from, layer->end, "compute");
    layer = e;
    from = e ? e->begin : 0;
  }
}

void ash_dma_trace_write(const ash_dma_trace *t, const char *const *names,
                         uint32_t name_count, void (*put)(void *to, char c),
                         void *to) {
  writer w = {t, put, to, t->count ? t->events[0].begin : 0, 0};
  put_text(&w, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"lost\": ");
  put_number(&w, t->lost);
  put_text(&w, "}, \"traceEvents\": [");
  name_lane(&w, LANE_LAYERS, "layers");
  name_lane(&w, LANE_CORE, "core");
  name_lane(&w, LANE_LOADS, "loads");
  name_lane(&w, LANE_STORES, "stores");
  for (uint32_t i = 0; i < t->count; i++) {
    const ash_dma_event *const e = &t->events[i];
    if (e->kind == ASH_DMA_EVENT_LAYER)
      put_layer(&w, e, names, name_count);
    else if (e->kind != ASH_DMA_EVENT_WAIT)
      put_transfer(&w, i);
  }
  put_core_lane(&w);
  put_text(&w, "\n]}\n");
}
