/* ash_rt_copy.c - the same bytes elsewhere: a reshape that could not share. */
#include "ash_rt_moves.h"

void ash_rt_copy(const ash_rt_copy_params *p, const void *in, void *out) {
  ASH_RT_COPY(out, in, (size_t)p->bytes);
}
