/* faulty.h - an allocator that counts, and fails when told. */
#ifndef ASH_TESTS_FAULTY_H
#define ASH_TESTS_FAULTY_H

#include "ashlar/base.h"

typedef struct faulty {
  size_t fail_at; /* which request fails; 0: none */
  size_t calls, live_bytes;
} faulty;

ash_allocator faulty_allocator(faulty *f);

#endif
