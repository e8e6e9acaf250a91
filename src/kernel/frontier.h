/* frontier.h - how close behind its own reading a kernel may write. */
#ifndef ASH_KERNEL_FRONTIER_H
#define ASH_KERNEL_FRONTIER_H

#include "kernel/kernel.h"

/* May the output of `op` overlap input `k`, which dies there? Then every byte
 * is read before it is overwritten as soon as the input starts at least
 * `*distance` bytes (perhaps negative) behind the output's start. Only for
 * kernels in plain C that make output pixels in memory order. */
bool ash_kernel_frontier(const ash_graph *g, uint32_t op,
                         const ash_kernel *kernel, uint32_t k,
                         int64_t *distance);

/* The same for an operator that runs by rows, and one line of input `k` that
 * dies with the line that is made: the distance of their starts. */
bool ash_kernel_line_frontier(const ash_graph *g, uint32_t op,
                              const ash_kernel *kernel, uint32_t k,
                              int64_t *distance);

#endif
