/* session.h - what model commands have in common: a context, a device with
 * --set applied, and how results and errors leave the program. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "args.h"
#include "ashlar/compile.h"
#include "ashlar/report.h"
#include "progress.h"
#include "term.h"

typedef struct session {
  const command *cmd;
  char **words; /* what was typed behind the command, NULL at the end */
  ash_ctx *ctx;
  const char *target;         /* --target */
  arg_list sets;              /* --set MEM=SIZE */
  arg_list budgets;           /* --budget MEM=SIZE */
  arg_list rule_files, rules; /* --rules FILE, -r RULE */
  uint64_t timeout;           /* --planner-timeout */
  const char *buffering;      /* --buffering */
  const char *kernels;        /* --kernels */
  const char *order;          /* --order */
  const char *cores;          /* --cores */
  const char *moves;          /* --moves */
  arg_list feeds, drains;     /* --feed INPUT, --drain OUTPUT */
  ash_memory_constraint constraints[ARG_LIST_MAX];
  char names[ARG_LIST_MAX][64];
  ash_rules *book;
  arg_list shapes;    /* --input-shape NAME=1,3,32,32 */
  arg_list types;     /* --input-type NAME=int8 */
  arg_list out_types; /* --output-type NAME=int8 */
  arg_list constants; /* --constant NAME=1,2,3 */
  arg_list states;    /* --state OUTPUT=INPUT */
  arg_list customs;   /* --custom NAME */
  arg_list no_passes; /* --no-pass NAME */
  ash_compile_options options;
  const char *dump_after, *stop_after;
  const ash_device *device;
  term out; /* standard output */
  progress progress;
  const char *color; /* --color */
  bool quiet, verbose, ascii;
} session;

/* The options that every command takes. */
/* clang-format off */
#define OUTPUT_OPTIONS(s)                                                      \
  {"color", 0, ARG_TEXT, &(s)->color, "WHEN",                                  \
   "auto (default: on terminals, unless NO_COLOR is set), always, never"},     \
  {"verbose", 'v', ARG_FLAG, &(s)->verbose, NULL, "say more"},                 \
  {"quiet", 'q', ARG_FLAG, &(s)->quiet, NULL, "say nothing but errors"}

/* What a model file leaves open: for commands that read one. */
#define LOAD_OPTIONS(s)                                                        \
  {"input-shape", 0, ARG_LIST, &(s)->shapes, "NAME=1,3,32,32",                 \
   "shape of an input that the model leaves open"},                            \
  {"input-type", 0, ARG_LIST, &(s)->types, "NAME=int8",                        \
   "integer type that a float input holds: int8, uint8, int16 or int32; "      \
   "without NAME: every float input"},                                         \
  {"output-type", 0, ARG_LIST, &(s)->out_types, "NAME=int8",                   \
   "the same for outputs"},                                                    \
  {"constant", 0, ARG_LIST, &(s)->constants, "NAME=1,2,3",                     \
   "make an input a constant: shapes, axes and paddings must be known"},       \
  {"state", 0, ARG_LIST, &(s)->states, "OUTPUT=INPUT",                         \
   "keep an output as the input of the next run, in memory that survives "     \
   "runs (caches of decoders); * in both: any text (repeatable)"}

#define CUSTOM_OPTION(s)                                                       \
  {"custom", 0, ARG_LIST, &(s)->customs, "NAME|FILE.yaml",                     \
   "custom operator that you supply as a C function; a file describes its "    \
   "outputs, work memory and whether it works in place (repeatable)"}

/* What becomes of its operators. */
#define LOWER_OPTIONS(s)                                                       \
  CUSTOM_OPTION(s),                                                            \
  {"no-pass", 0, ARG_LIST, &(s)->no_passes, "NAME",                            \
   "leave out a pass of docs/passes.md: common, padding, ... (repeatable)"},   \
  {"integers", 0, ARG_FLAG, &(s)->options.load.integers, NULL,                 \
   "ONNX: read float inputs and constants that hold integers as int32"}

/* The options that all model commands take, for the head of their tables. */
#define SESSION_OPTIONS(s)                                                     \
  ARG_GROUP("device and memory"),                                              \
  {"target", 't', ARG_TEXT, &(s)->target, "NAME|FILE",                         \
   "device: a name that 'ashlar targets' lists, or a file (default host)"},    \
  {"set", 0, ARG_LIST, &(s)->sets, "MEM=SIZE",                                 \
   "plan as if a memory had another size: 64K, 1M, 0x10000 (repeatable)"},     \
  {"budget", 0, ARG_LIST, &(s)->budgets, "MEM=SIZE",                           \
   "use at most that many bytes of a memory (repeatable)"},                    \
  {"rules", 0, ARG_LIST, &(s)->rule_files, "FILE",                             \
   "placement rules in YAML, docs/rules.md (repeatable)"},                     \
  {"rule", 'r', ARG_LIST, &(s)->rules, "'KEY=VALUE ...'",                      \
   "one more rule: 'type=constant memory=MRAM' (repeatable)"},                 \
  ARG_GROUP("model"),                                                          \
  LOAD_OPTIONS(s),                                                             \
  LOWER_OPTIONS(s),                                                            \
  ARG_GROUP("order of steps"),                                                 \
  {"order", 0, ARG_TEXT, &(s)->order, "KIND",                                  \
   "order of steps: auto (default: whole operators, rows where these do not "  \
   "fit), given (the model's), operators (the best), rows"},                   \
  {"moves", 0, ARG_TEXT, &(s)->moves, "WHEN",                                  \
   "copy rows to other places: auto (default: smallest, but with --order "     \
   "auto fit), never, fit (where they do not fit otherwise), smallest"},       \
  {"order-ticks", 0, ARG_NUMBER, &(s)->options.plan.order_ticks, "N",          \
   "effort limit of the search for an order, the same on every machine"},      \
  {"feed", 0, ARG_LIST, &(s)->feeds, "INPUT",                                  \
   "rows of this input arrive while the model runs (repeatable)"},             \
  {"drain", 0, ARG_LIST, &(s)->drains, "OUTPUT",                               \
   "rows of this output leave while the model runs (repeatable)"},             \
  ARG_GROUP("placement"),                                                      \
  {"overlap", 0, ARG_FLAG, &(s)->options.plan.overlap, NULL,                   \
   "convolutions and pools may overwrite a dying input while they read it"},   \
  {"no-views", 0, ARG_FLAG, &(s)->options.plan.no_views, NULL,                 \
   "reshapes copy instead of sharing storage"},                                \
  {"no-slices", 0, ARG_FLAG, &(s)->options.plan.no_slices, NULL,               \
   "slices and splits copy"},                                                  \
  {"no-in-place", 0, ARG_FLAG, &(s)->options.plan.no_in_place, NULL,           \
   "no operator overwrites its input"},                                        \
  {"no-concat", 0, ARG_FLAG, &(s)->options.plan.no_concat, NULL,               \
   "concatenations copy all their inputs"},                                    \
  {"planner", 0, ARG_TEXT, &(s)->options.plan.planner, "NAME",                 \
   "exact (default), greedy, first-fit, naive, ./FILE.so, 'exec:PROG'"},       \
  {"planner-timeout", 0, ARG_NUMBER, &(s)->timeout, "SECONDS",                 \
   "time limit of an external planner (default 60)"},                          \
  {"ticks", 0, ARG_NUMBER, &(s)->options.plan.ticks, "N",                      \
   "effort limit of the packing search, the same on every machine"},           \
  {"seed", 0, ARG_NUMBER, &(s)->options.plan.seed, "N",                        \
   "of random choices: random-max, TetrisCo-Opt, repairs of a packing"},       \
  ARG_GROUP("kernels and tiles"),                                              \
  {"kernels", 0, ARG_TEXT, &(s)->kernels, "WHOSE",                             \
   "auto (default: for the processor), portable (C alone), cmsis-nn (calls "   \
   "of your copy)"},                                                           \
  {"fast-math", 0, ARG_FLAG, &(s)->options.fast_math, NULL,                    \
   "float kernels may fuse products with sums and add up in another order "    \
   "(docs/numerics.md); Helium only"},                                         \
  {"cores", 0, ARG_TEXT, &(s)->cores, "N|all",                                 \
   "split operators over so many cores, all: as many as the device has "       \
   "(default 1, in tiles all)"},                                               \
  {"default-memory", 0, ARG_TEXT, &(s)->options.tile.default_memory, "MEM",    \
   "where tensors live on a device with a compute memory"},                    \
  {"io-memory", 0, ARG_TEXT, &(s)->options.tile.io_memory, "MEM",              \
   "where the model's inputs and outputs live, on such a device"},             \
  {"buffering", 0, ARG_TEXT, &(s)->buffering, "1|2|3|auto",                    \
   "buffers per tile that moves (default auto: chosen by the search)"},        \
  {"no-residents", 0, ARG_FLAG, &(s)->options.tile.no_residents, NULL,         \
   "store every result at home, even where the compute memory has room"},      \
  {"tile-search", 0, ARG_TEXT, &(s)->options.tile.search, "NAME",              \
   "search for tile sizes: cost (default), min, max, random-max"},             \
  {"tile-alloc", 0, ARG_TEXT, &(s)->options.plan.planner, "NAME",              \
   "placement of tiles: exact (default), TetrisRandom, TetrisCo-Opt, "         \
   "MiniMalloc"},                                                              \
  ARG_GROUP("output"),                                                         \
  {"ascii", 0, ARG_FLAG, &(s)->ascii, NULL,                                    \
   "draw with plain characters"},                                              \
  OUTPUT_OPTIONS(s),                                                           \
  {"dump-after", 0, ARG_TEXT, &(s)->dump_after, "STAGE",                       \
   "print the graph after read or pass, the plan after plan"},                 \
  {"stop-after", 0, ARG_TEXT, &(s)->stop_after, "STAGE",                       \
   "stop after read, pass, plan or emit"}
/* clang-format on */

/* Makes the context and the device. -1 to go on, else an exit code. */
int session_open(session *s, const command *cmd);
/* Prints what was said and frees everything; turns a status into an exit
 * code. */
int session_close(session *s, ash_status status);

/* Prints what was said so far; with --quiet, nothing. */
void print_session_diags(session *s);

/* Is this the name of standard output, "-"? It holds what was asked for and
 * nothing else. */
bool is_stdout(const char *path);
/* Writes to a file, or to standard output for "-". */
ash_status write_text(session *s, const char *path, const char *text,
                      size_t count);
/* The plan as JSON and as a web page, which may say what its certificate does;
 * a path of NULL asks for nothing. */
ash_status write_json(session *s, const char *path, const ash_compiled *c);
ash_status write_report(session *s, const char *path, const ash_compiled *c,
                        const ash_report_certificate *certificate);

#endif
