/* session.h - what model commands have in common: a context, a device with
 * --set applied, and how results and errors leave the program. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "args.h"
#include "ashlar/compile.h"

typedef struct session {
  const command *cmd;
  ash_ctx *ctx;
  const char *target; /* --target */
  arg_list sets;      /* --set MEM=SIZE */
  arg_list shapes;    /* --input-shape NAME=1,3,32,32 */
  arg_list constants; /* --constant NAME=1,2,3 */
  ash_compile_options options;
  const char *dump_after, *stop_after;
  const ash_device *device;
  bool quiet;
} session;

/* The options that all model commands take, for the head of their tables. */
#define SESSION_OPTIONS(s)                                                     \
  {"target",  't', ARG_TEXT, &(s)->target, "NAME|FILE",                        \
   "device: 'ashlar targets' lists them (default host)"},                      \
      {"set",   0,        ARG_LIST,                                            \
       &(s)->sets, "MEM=SIZE", "what if a memory had another size (64K, 1M)"}, \
      {"input-shape", 0, ARG_LIST, &(s)->shapes, "NAME=1,3,32,32",             \
       "fixes the shape of an input that the model leaves open"},              \
      {"constant", 0, ARG_LIST, &(s)->constants, "NAME=1,2,3",                 \
       "makes an input a constant (shapes and axes must be)"},                 \
      {"integers", 0, ARG_FLAG, &(s)->options.load.integers, NULL,             \
       "floats of the model hold integers: compute with integers"},            \
      {"planner", 0, ARG_TEXT, &(s)->options.plan.planner, "NAME",             \
       "exact (default), greedy, first-fit, naive"},                           \
      {"ticks", 0, ARG_NUMBER, &(s)->options.plan.ticks, "N",                  \
       "effort limit of the packing search"},                                  \
      {"dump-after", 0, ARG_TEXT, &(s)->dump_after, "STAGE",                   \
       "print the model after read, pass or plan"},                            \
      {"stop-after", 0, ARG_TEXT, &(s)->stop_after, "STAGE",                   \
       "go no further than that stage"},                                       \
  {                                                                            \
    "quiet", 'q', ARG_FLAG, &(s)->quiet, NULL, "say nothing but errors"        \
  }

/* Makes the context and the device. -1 to go on, else an exit code. */
int session_open(session *s, const command *cmd);
/* Prints what was said and frees everything; turns a status into an exit
 * code. */
int session_close(session *s, ash_status status);

/* Writes to a file, or to standard output for "-". */
ash_status write_text(session *s, const char *path, const char *text,
                      size_t count);

#endif
