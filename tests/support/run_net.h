/* run_net.h - runs a net (net.h) in the reference interpreter and compares. */
#ifndef ASH_TESTS_RUN_NET_H
#define ASH_TESTS_RUN_NET_H

#include "net.h"
#include "ref/ref.h"

/* Runs a net with up to two inputs; the output goes to `out`. */
void net_run(const net *n, const void *a, const void *b, void *out);
void gives_bytes(net *n, const void *a, const void *b, size_t count,
                 const void *want);
void gives_floats(net *n, const void *a, const void *b, size_t count,
                  const void *want);

#endif
