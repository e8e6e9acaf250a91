/* shared_state.c - a model with state shares its scratch memory with another
 * that runs in between: the state stays. The exit code is the line that went
 * wrong. */
#include "digits.h"
#include "record.h"
#include "state_net_int8.h"

#include <string.h>

#define MUST(fact)                                                             \
  do {                                                                         \
    if (!(fact))                                                               \
      return __LINE__;                                                         \
  } while (0)

int main(void) {
  static state_net_int8_context net;
  static digits_context other;
  MUST(state_net_int8_init(&net) == STATE_NET_INT8_OK);
  MUST(digits_init(&other) == DIGITS_OK);
  for (int k = 0; k < RECORD_CASES; k++) {
    const state_net_int8_tensor in = state_net_int8_input(&net, 0);
    memcpy(in.data, record_in[k], in.bytes);
    MUST(state_net_int8_run(&net) == STATE_NET_INT8_OK);
    const state_net_int8_tensor out = state_net_int8_output(&net, 0);
    MUST(memcmp(out.data, record_out[k], out.bytes) == 0);
    const digits_tensor image = digits_input(&other, 0);
    memset(image.data, k, image.bytes); /* over the outputs just read */
    MUST(digits_run(&other) == DIGITS_OK);
  }
  return 0;
}
