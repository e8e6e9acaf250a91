/* test_tokens.c - plan files with one token replaced: a number by another, by
 * none or by a word, a word by another or by a number, a key by one that nobody
 * knows. The file is refused as malformed, never in another way, and accepted
 * only where the key is one of those that may be otherwise in a legal plan,
 * which are named. What each check must refuse is in tests/e2e/plan_mutations;
 * here every token of a file has its turn. */
#include "ashlar/compile.h"
#include "check.h"
#include "context.h"

#include <ctype.h>

#define SMALL TEST_SOURCE_DIR "/tests/models/small.ir"

enum { WAYS = 5, ROOM = 1 << 18 };

typedef struct world {
  ash_ctx *ctx;
  const ash_device *device;
  ash_compile_options options;
  ash_compiled made;
  char text[ROOM], bad[ROOM];
  size_t count;
  bool with_model;
  uint32_t tried, accepted, wrong;
} world;

typedef struct token {
  const char *at;
  size_t count;
  const char *key; /* that it is, or of which it is the value */
  size_t key_count;
} token;

/* Keys that may be missing or have another value in a legal plan, and why. */
static const char *const free_keys[] = {
    /* text for people, and effort */
    "name", "model", "planner", "ticks", "reason", "scope",
    /* ids of operators, and other spellings of the same word */
    "id", "inputs", "alias_kind",
    /* what needs the model: kernels, boxes, which rows a window reads */
    "kind", "kernel", "macs", "source_index", "transfers", "rows",
    "bytes_without_reuse", "buffer_bytes", "runs", "of", "last_steps",
    "first_steps", "unread",
    /* what needs the device, or may be left out */
    "target", "mhz", "set", "L1", "power", "memory", "bank_bytes", "banks",
    "used", "cycles", "compute_cycles", "price", "total_size", "estimate",
    /* fewer cores, or one; tiles that are as many */
    "cores", "h",
    /* bounds of searches, and claims that are left out */
    "lower_bound", "peak", "peak_with_work", "lower_bound_with_work",
    "moved_rows", "moves", "order", "drained",
    /* a life that is longer, no alias or one that says no more */
    "first_step", "last_step", "alias_of", "aliases", "follows", "alignment"};

static bool is_free(const token *t) {
  for (size_t i = 0; i < sizeof free_keys / sizeof *free_keys; i++)
    if (strlen(free_keys[i]) == t->key_count &&
        memcmp(free_keys[i], t->key, t->key_count) == 0)
      return true;
  return false;
}

static bool is_number(char c) {
  return isdigit((unsigned char)c) || c == '-';
}

/* The next string or number from `at`; NULL at the end. */
static const char *next_token(const char *at, size_t *count) {
  while (*at && *at != '"' && !is_number(*at))
    at++;
  if (!*at)
    return NULL;
  const char *end = at + 1;
  if (*at == '"') {
    while (*end != '"')
      end++;
    end++;
  } else {
    while (is_number(*end))
      end++;
  }
  *count = (size_t)(end - at);
  return at;
}

/* What stands there instead in way `way`. */
static const char *other(const token *t, unsigned way, char *room,
                         size_t room_bytes) {
  static const char *const words[WAYS] = {"\"zz\"", "7", "\"\"", "null",
                                          "\"optimal\""};
  static const char *const numbers[WAYS] = {"0", NULL, "18446744073709551615",
                                            "\"x\"", NULL};
  if (t->at == t->key - 1)
    return "\"zz\"";
  if (*t->at == '"')
    return words[way];
  if (numbers[way])
    return numbers[way];
  (void)snprintf(room, room_bytes, "%lld",
                 strtoll(t->at, NULL, 10) + (way == 1 ? 1 : -1));
  return room;
}

static ash_status judge(world *w, size_t count) {
  const ash_plan_text text = {.text = w->bad, .count = count, .file = "bad"};
  const ash_status status =
      w->with_model ? ash_check_plan_of_model(w->ctx, &text, SMALL, w->device,
                                              &w->options)
                    : ash_check_plan_file(w->ctx, &text, w->device);
  ash_ctx_forget(w->ctx);
  return status;
}

static void replace(world *w, const token *t, unsigned way) {
  char room[32];
  const char *to = other(t, way, room, sizeof room);
  const size_t n = strlen(to), before = (size_t)(t->at - w->text);
  if ((n == t->count && memcmp(to, t->at, n) == 0) ||
      (n + 2 == t->count && memcmp(to, t->at + 1, n) == 0))
    return; /* the same, or without its quotation marks */
  memcpy(w->bad, w->text, before);
  memcpy(w->bad + before, to, n);
  memcpy(w->bad + before + n, t->at + t->count, w->count - before - t->count);
  const ash_status status = judge(w, w->count - t->count + n);
  w->tried++;
  w->accepted += status == ASH_OK;
  if (status == ASH_MALFORMED || (status == ASH_OK && is_free(t)))
    return;
  fprintf(stderr, "status %d: %.*s of %.*s becomes %s\n", (int)status,
          (int)t->count, t->at, (int)t->key_count, t->key, to);
  w->wrong++;
}

/* Every token in two of the ways, others from token to token. */
static void spoil(world *w) {
  token t = {.key = ""};
  unsigned n = 0;
  for (const char *at = w->text; (t.at = next_token(at, &t.count)) != NULL;
       at = t.at + t.count, n++) {
    if (*t.at == '"' && t.at[t.count] == ':') {
      t.key = t.at + 1;
      t.key_count = t.count - 2;
    }
    w->with_model = n % 4 == 0;
    replace(w, &t, n % WAYS);
    replace(w, &t, (n / WAYS + n + 2) % WAYS);
  }
}

/* Without the hash of everything, which nothing could pass. */
static void write_plan(world *w) {
  const char *text;
  size_t count;
  CHECK_EQ(ash_plan_json(w->ctx, &text, &count, w->made.plan, w->made.graph),
           ASH_OK);
  CHECK(count < ROOM - 64);
  memcpy(w->text, text, count);
  char *hash = strstr(w->text, ",\n  \"content_hash\"");
  CHECK(hash != NULL);
  memcpy(hash, "\n}\n", 4);
  w->count = strlen(w->text);
}

static void check_tokens(const char *device, const char *memory, uint64_t bytes,
                         const ash_plan_options *plan) {
  static world w;
  w = (world){.ctx = new_ctx(),
              .options = {.struct_bytes = sizeof w.options, .plan = *plan}};
  CHECK_EQ(ash_device_load(w.ctx, &w.device, device), ASH_OK);
  if (memory)
    CHECK_EQ(ash_device_set_bytes(w.ctx, &w.device, memory, bytes), ASH_OK);
  CHECK_EQ(ash_compile(w.ctx, &w.made, SMALL, w.device, &w.options), ASH_OK);
  write_plan(&w);
  memcpy(w.bad, w.text, w.count);
  for (int model = 0; model < 2; model++) {
    w.with_model = model;
    CHECK_EQ(judge(&w, w.count), ASH_OK);
  }
  spoil(&w);
  CHECK_EQ(w.wrong, 0);
  CHECK(w.tried > 500);
  CHECK(w.accepted * 5 < w.tried);
  ash_compiled_drop(&w.made);
  ash_ctx_free(w.ctx);
}

static void tokens_of_plans_of_whole_operators(void) {
  check_tokens("apollo510", NULL, 0,
               &(ash_plan_options){.struct_bytes = sizeof(ash_plan_options)});
}

static void tokens_of_plans_in_tiles(void) {
  check_tokens("deeploy", "L1", 360,
               &(ash_plan_options){.struct_bytes = sizeof(ash_plan_options)});
}

static void tokens_of_plans_in_rows(void) {
  static const char *const feed[] = {"image"};
  check_tokens("stm32f446re", NULL, 0,
               &(ash_plan_options){.struct_bytes = sizeof(ash_plan_options),
                                   .order = ASH_ORDER_ROWS,
                                   .order_ticks = 2000,
                                   .feed = feed,
                                   .feed_count = 1});
}

#define TESTS(X)                                                               \
  X(tokens_of_plans_of_whole_operators)                                        \
  X(tokens_of_plans_in_tiles)                                                  \
  X(tokens_of_plans_in_rows)
TEST_MAIN(TESTS)
