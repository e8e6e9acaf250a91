/* code.h - what is written for every operator, settled before anything is
 * written: emitters choose and refuse nothing. */
#ifndef ASH_RENDER_CODE_H
#define ASH_RENDER_CODE_H

#include "ashlar/plan.h"
#include "kernel/kernel.h"

/* How the code of an operator goes about its rows. */
typedef enum ash_code_rows {
  ASH_CODE_WHOLE, /* all at once                              */
  ASH_CODE_LINES, /* some lines, with the kernel's function
                     for lines (runtime/ash_rt_lines.h)       */
  ASH_CODE_PIECES /* some rows, one after the other           */
} ash_code_rows;

typedef struct ash_code {
  const ash_kernel *kernel; /* NULL: nothing, its results are in place already;
                               else it can run the operator, checked        */
  const ash_tiling *tiling; /* NULL: it runs as a whole                     */
  bool special; /* it has its own copy of the kernel, made for its shape by the
                   C compiler: parameters are constants there, so that loops of
                   few rounds are unrolled and cases that do not occur go
                   away. Its step is beside that copy in <prefix>_kernels.c */
  ash_code_rows rows;
  const char *function; /* of the kernel: its name, or name_lines            */
  uint32_t cores;       /* it is split over these; 1: it is not. Of a tiled
                           operator: its pieces may be                      */
} ash_code;

/* By operator; kept by `ctx`. ASH_UNSUPPORTED names an operator that the kernel
 * of the plan cannot run. */
ash_status ash_settle_code(ash_ctx *ctx, const ash_code **out,
                           const ash_plan *plan, const ash_graph *g,
                           ash_specialise how);

#endif
