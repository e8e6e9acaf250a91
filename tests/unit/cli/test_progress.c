/* test_progress.c - the library says how far it is; the program says how long
 * that may take. */
#include "ashlar/place.h"
#include "check.h"
#include "progress.h"

typedef struct heard {
  uint64_t calls, last, most;
  bool backwards;
} heard;

static void hear(void *user, const char *what, uint64_t done, uint64_t most) {
  heard *h = user;
  CHECK_STR(what, "placing");
  h->backwards = h->backwards || done < h->last;
  h->calls++;
  h->last = done;
  h->most = most;
}

static void a_search_tells_its_ticks(void) {
  ash_ctx *ctx;
  heard h = {0};
  ash_buffer buffers[40];
  ash_place_result answer;
  for (int64_t i = 0; i < 40; i++)
    buffers[i] = (ash_buffer){.lower = i / 3,
                              .upper = i / 3 + 2 + i * 7 % 5,
                              .size = 1 + (uint64_t)(i * 37 % 23),
                              .alignment = 1,
                              .offset = ASH_FREE_OFFSET,
                              .hint = ASH_FREE_OFFSET};
  const ash_place_problem problem = {.buffers = buffers, .buffer_count = 40};
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  ash_ctx_on_progress(ctx, hear, &h);
  CHECK_EQ(ash_place(ctx, &answer, &problem, NULL), ASH_OK);
  CHECK(h.calls > 0 && !h.backwards && h.last <= answer.ticks && h.most > 0);
  ash_ctx_on_progress(ctx, NULL, NULL);
  const uint64_t before = h.calls;
  CHECK_EQ(ash_place(ctx, &answer, &problem, NULL), ASH_OK);
  CHECK_EQ(h.calls, before);
  ash_ctx_free(ctx);
}

static void estimates_are_for_people(void) {
  char text[32];
  progress_estimate(text, sizeof text, 10, 50, 100);
  CHECK_STR(text, "10 s");
  progress_estimate(text, sizeof text, 60, 10, 100);
  CHECK_STR(text, "9 min");
  progress_estimate(text, sizeof text, 10, 99, 100);
  CHECK_STR(text, "1 s");
  progress_estimate(text, sizeof text, 10, 0, 100); /* too early to tell */
  CHECK_STR(text, "");
  progress_estimate(text, sizeof text, 10, 50, 0); /* the end is not known */
  CHECK_STR(text, "");
}

#define TESTS(X)                                                               \
  X(a_search_tells_its_ticks)                                                  \
  X(estimates_are_for_people)

TEST_MAIN(TESTS)
