/* counter.h - instructions executed, exact to one in QEMU with -icount (the
 * options are in `run`). On hardware the same functions would count cycles. */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdint.h>

void counter_start(void);
/* Since counter_start. */
uint64_t counter_read(void);
void counter_stop(void);

#endif
