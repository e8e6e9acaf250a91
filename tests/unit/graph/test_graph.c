/* Building graphs: what has no id gets one that nothing has. */
#include "check.h"
#include "net.h"

static uint32_t tensor_with(net *n, const char *id) {
  uint32_t t = ASH_NO_ID;
  CHECK_EQ(ash_graph_add_tensor(n->g, &t,
                                (ash_tensor){.name = "",
                                             .id = id,
                                             .type = ASH_INT8,
                                             .shape = NET_DIMS(1),
                                             .file_byte = UINT64_MAX}),
           ASH_OK);
  return t;
}

static const char *id_of(const net *n, uint32_t t) {
  return n->g->tensors.items[t].id;
}

/* A file numbers tensors that nothing uses; they are left out. */
static void tensors_that_are_made_get_numbers_of_their_own(void) {
  net n = net_new();
  (void)tensor_with(&n, "1");
  (void)tensor_with(&n, "3");
  const uint32_t first = tensor_with(&n, NULL);
  const uint32_t named = tensor_with(&n, "add_2_scale");
  const uint32_t second = tensor_with(&n, NULL);
  CHECK_STR(id_of(&n, first), "4");
  CHECK_STR(id_of(&n, named), "add_2_scale");
  CHECK_STR(id_of(&n, second), "5");
  net_free(&n);
}

static void places_are_numbers_where_nothing_is_left_out(void) {
  net n = net_new();
  (void)tensor_with(&n, "x");
  CHECK_STR(id_of(&n, tensor_with(&n, NULL)), "1");
  (void)tensor_with(&n, "12345678901");
  CHECK_STR(id_of(&n, tensor_with(&n, NULL)), "3");
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(tensors_that_are_made_get_numbers_of_their_own)                            \
  X(places_are_numbers_where_nothing_is_left_out)
TEST_MAIN(TESTS)
