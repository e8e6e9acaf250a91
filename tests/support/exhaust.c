/* exhaust.c - see exhaust.h. */
#include "exhaust.h"

#include "base/zone.h"
#include "check.h"
#include "context.h"
#include "faulty.h"

enum { CHAINS = 1 << 16, DEPTH = 32, STACK_BYTES = 1 << 22 };

static struct {
  uint64_t chains[CHAINS]; /* an open-addressing table; 0: free */
  size_t count;
  bool armed, hit, inside;
} state;

/* Of the return addresses: the frames of builds without optimisation are
 * linked. */
static uint64_t hash_of_chain(void *const *frame, const void *innermost) {
  uint64_t hash = (uint64_t)(uintptr_t)innermost * 0x9E3779B97F4A7C15u | 1;
#if !defined(__OPTIMIZE__) && (defined(__x86_64__) || defined(__aarch64__))
  for (int i = 0; i < DEPTH; i++) {
    void *const *next = *frame;
    if (next <= frame ||
        (uintptr_t)next - (uintptr_t)frame > (uintptr_t)STACK_BYTES ||
        (uintptr_t)next % sizeof(void *) != 0)
      break;
    hash = (hash ^ (uint64_t)(uintptr_t)next[1]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    frame = next;
  }
#else
  (void)frame;
#endif
  return hash | 1;
}

/* Is it new? Then it is no longer. */
static bool is_new(uint64_t chain) {
  size_t at = (size_t)(chain >> 20) % CHAINS;
  while (state.chains[at] != 0 && state.chains[at] != chain)
    at = (at + 1) % CHAINS;
  if (state.chains[at] == chain)
    return false;
  CHECK(state.count < CHAINS / 2);
  state.chains[at] = chain;
  state.count++;
  return true;
}

static bool fails(void *const *frame, const void *innermost) {
  if (!state.armed || state.hit || state.inside ||
      !is_new(hash_of_chain(frame, innermost)))
    return false;
  return state.hit = true;
}

#define FAILS() fails(__builtin_frame_address(0), __builtin_return_address(0))

void *__real_ash_zone_alloc(ash_zone *z, size_t count, size_t size,
                            size_t align);
void *__wrap_ash_zone_alloc(ash_zone *z, size_t count, size_t size,
                            size_t align);
void *__real_ash_zone_copy(ash_zone *z, const void *bytes, size_t count);
void *__wrap_ash_zone_copy(ash_zone *z, const void *bytes, size_t count);
char *__real_ash_zone_string(ash_zone *z, const char *text);
char *__wrap_ash_zone_string(ash_zone *z, const char *text);
bool __real_ash_zone_grow(ash_zone *z, void **items, size_t *capacity,
                          size_t count, size_t size);
bool __wrap_ash_zone_grow(ash_zone *z, void **items, size_t *capacity,
                          size_t count, size_t size);

/* What a wrapped function does when memory has run out. */
static bool fail(ash_zone *z) {
  z->failed = true;
  return true;
}

void *__wrap_ash_zone_alloc(ash_zone *z, size_t count, size_t size,
                            size_t align) {
  if (FAILS() && fail(z))
    return NULL;
  state.inside = true;
  void *made = __real_ash_zone_alloc(z, count, size, align);
  state.inside = false;
  return made;
}

void *__wrap_ash_zone_copy(ash_zone *z, const void *bytes, size_t count) {
  if (bytes && FAILS() && fail(z))
    return NULL;
  state.inside = true;
  void *made = __real_ash_zone_copy(z, bytes, count);
  state.inside = false;
  return made;
}

char *__wrap_ash_zone_string(ash_zone *z, const char *text) {
  if (text && FAILS() && fail(z))
    return NULL;
  state.inside = true;
  char *made = __real_ash_zone_string(z, text);
  state.inside = false;
  return made;
}

bool __wrap_ash_zone_grow(ash_zone *z, void **items, size_t *capacity,
                          size_t count, size_t size) {
  if (count >= *capacity && FAILS() && fail(z))
    return false;
  state.inside = true;
  const bool grown = __real_ash_zone_grow(z, items, capacity, count, size);
  state.inside = false;
  return grown;
}

/* Texts and files ask the allocator itself. */
static void *resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
  if (new_bytes > 0 && FAILS())
    return NULL;
  const ash_allocator below = faulty_allocator(user);
  return below.resize(below.user, ptr, old_bytes, new_bytes);
}

static bool is_said(const ash_ctx *ctx) {
  size_t count;
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; i < count; i++)
    if (diags[i].code == ASH_NOMEM)
      return true;
  return false;
}

/* One run; false: nothing failed, so all has. */
static bool run_once(ash_status (*scenario)(ash_ctx *ctx)) {
  faulty below = {0};
  const ash_allocator mem = {.resize = resize, .user = &below};
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, &mem), ASH_OK);
  state.hit = false;
  state.armed = true;
  const ash_status status = scenario(ctx);
  state.armed = false;
  if (status != (state.hit ? ASH_NOMEM : ASH_OK))
    print_newest(ctx);
  CHECK_EQ(status, state.hit ? ASH_NOMEM : ASH_OK);
  CHECK(!state.hit || is_said(ctx));
  ash_ctx_free(ctx);
  CHECK_EQ(below.live_bytes, 0);
  return state.hit;
}

size_t exhaust(ash_status (*scenario)(ash_ctx *ctx)) {
  memset(&state, 0, sizeof state);
  size_t failures = 0;
  while (run_once(scenario))
    failures++;
  return failures;
}
