/* The textual form: what is dumped parses to the same graph, and text that
 * contradicts itself is refused. */
#include "ashlar/graph.h"

#include "check.h"
#include "context.h"

static const char two_layers[] =
    "graph \"two\"\n"
    "tensor %x input float32[2,3] \"x\"\n"
    "tensor %c constant float32[1] \"c\" data 0000803f\n"
    "tensor %t activation float32[2,3] \"t\"\n"
    "tensor %y activation float32[2,3] \"y\"\n"
    "op map_0 0 map(%x, %c) -> (%t) fn=\"add\"\n"
    "op map_1 1 map(%t) -> (%y) fn=\"abs\"\n"
    "inputs (%x)\n"
    "outputs (%y)\n";

static ash_status parse(ash_ctx *ctx, ash_graph **g, const char *text) {
  return ash_graph_parse(ctx, g, text, strlen(text), "test.ir");
}

static void text_that_is_dumped_parses_to_the_same_text(void) {
  ash_ctx *ctx = new_ctx();
  ash_graph *g;
  const char *text;
  size_t count;
  CHECK_EQ(parse(ctx, &g, two_layers), ASH_OK);
  CHECK_EQ(ash_graph_dump(ctx, &text, &count, g), ASH_OK);
  CHECK_EQ(count, strlen(two_layers));
  CHECK_STR(text, two_layers);
  ash_graph_free(g);
  ash_ctx_free(ctx);
}

static void check_refused(const char *text) {
  ash_ctx *ctx = new_ctx();
  ash_graph *g;
  CHECK_EQ(parse(ctx, &g, text), ASH_MALFORMED);
  CHECK(g == NULL);
  ash_ctx_free(ctx);
}

static void text_that_contradicts_itself_is_refused(void) {
  check_refused(
      "graph \"g\"\ntensor %x input float32[2] \"x\"\n"
      "tensor %x input float32[2] \"x\"\ninputs (%x)\noutputs (%x)\n");
  check_refused("graph \"g\"\ntensor %x input float32[2] \"x\"\n"
                "inputs (%z)\noutputs (%x)\n");
  check_refused("graph \"g\"\ntensor %x input float32[2] \"x\"\n"
                "op no_0 0 no_such_operator(%x) -> (%x)\n"
                "inputs (%x)\noutputs (%x)\n");
  check_refused("tensor %x input float32[2] \"x\"\n");
}

#define TESTS(X)                                                               \
  X(text_that_is_dumped_parses_to_the_same_text)                               \
  X(text_that_contradicts_itself_is_refused)
TEST_MAIN(TESTS)
