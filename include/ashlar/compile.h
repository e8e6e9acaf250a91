/* ashlar/compile.h - model in, C out: the pipeline, whole or stage by stage.
 *
 *   ash_ctx *ctx;
 *   const ash_device *device;
 *   ash_compiled result = {0};
 *   ash_status status = ash_ctx_new(&ctx, NULL);
 *   if (status == ASH_OK)
 *     status = ash_device_load(ctx, &device, "apollo510");
 *   if (status == ASH_OK)
 *     status = ash_compile(ctx, &result, "digits.tflite", device, NULL);
 *   if (status == ASH_OK)
 *     status = ash_write_files(ctx, "out", result.files, result.file_count);
 *   size_t count;
 *   const ash_diag *diags = ash_ctx_diags(ctx, &count);
 *   for (size_t i = 0; i < count; i++)
 *     printf("%s\n", diags[i].message);
 *   ash_compiled_drop(&result);
 *   ash_ctx_free(ctx);                                                       */
#ifndef ASHLAR_COMPILE_H
#define ASHLAR_COMPILE_H

#include "ashlar/plan.h"
#include "ashlar/render.h"
#include "ashlar/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model file (.tflite, .onnx, or the textual form) into a verified
 * graph. The graph keeps the file's bytes; free it with ash_graph_free. */
ASH_API ASH_MUST_CHECK ash_status ash_load_model(ash_ctx *ctx, ash_graph **out,
                                                 const char *path);

/* What a model file may leave open. NULL and zeros mean nothing is given. */
typedef struct ash_load_options {
  size_t struct_bytes;
  const char *const *input_shapes; /* "name=1,3,32,32" */
  size_t input_shape_count;
  const char *const *constants; /* "name=1,2,3": an input with a fixed value */
  size_t constant_count;
  bool integers; /* ONNX: float inputs and constants hold integers (QuantLib,
                    Deeploy): read them as int32 */
  const char *const *customs; /* custom operators that the user supplies */
  size_t custom_count;
  const char *const *input_types; /* "name=int8", or "int8" for all float32
                                     inputs: the integer type they hold */
  size_t input_type_count;
  const char *const *output_types; /* the same for outputs */
  size_t output_type_count;
  const char *const *states; /* "output=input": an output that the next run
                                takes as that input; * in both: any text */
  size_t state_count;
} ash_load_options;

ASH_API ASH_MUST_CHECK ash_status
ash_load_model_with(ash_ctx *ctx, ash_graph **out, const char *path,
                    const ash_load_options *options);

/* Runs all passes, so that kernels can run the graph, and verifies the result.
 */
ASH_API ASH_MUST_CHECK ash_status ash_lower(ash_ctx *ctx, ash_graph *g);
/* The same without some passes (`ashlar compile --no-pass NAME`). */
ASH_API ASH_MUST_CHECK ash_status ash_lower_without(ash_ctx *ctx, ash_graph *g,
                                                    const char *const *passes,
                                                    size_t count);

/* Runs a graph, lowered or not, in the reference interpreter: slow, obvious,
 * the oracle for generated code. Buffers in the order of the graph's inputs
 * and outputs, each of exactly its tensor's bytes. */
ASH_API ASH_MUST_CHECK ash_status ash_run_reference(ash_ctx *ctx,
                                                    const ash_graph *g,
                                                    const void *const *inputs,
                                                    void *const *outputs);

/* The same for models with state, which `state` keeps from run to run: as many
 * bytes as ash_state_bytes says, filled by ash_first_state before the first
 * run and whenever the model is to start again. */
ASH_API uint64_t ash_state_bytes(const ash_graph *g);
ASH_API void ash_first_state(const ash_graph *g, void *state);
ASH_API ASH_MUST_CHECK ash_status ash_run_reference_again(
    ash_ctx *ctx, const ash_graph *g, const void *const *inputs,
    void *const *outputs, void *state);

/* A generated file, kept by the context. */
typedef struct ash_generated {
  const char *name;
  const char *bytes;
  size_t count;
} ash_generated;

/* A file of the runtime by its name: kernels, "ash_dma.h", and the DMA engines
 * for tests on a host, "ash_dma_host.c" and .h. NULL: there is none. */
ASH_API const char *ash_runtime_source(const char *name, size_t *count);

/* How constants are stored: X(name, text, help). */
#define ASH_CONSTANTS_MAP(X)                                                   \
  X(HEX, "hex", "arrays in C")                                                 \
  X(INCBIN, "incbin", "files that the assembler includes (ELF)")               \
  X(SIDECAR, "sidecar", "files with a header that the firmware loads")         \
  X(EMBED, "embed", "files that the compiler includes (C23)")

typedef enum ash_constants {
#define X(name, text, help) ASH_CONSTANTS_##name,
  ASH_CONSTANTS_MAP(X)
#undef X
      ASH_CONSTANTS_COUNT
} ash_constants;

ASH_API const char *ash_constants_text(ash_constants form);
/* ASH_CONSTANTS_COUNT if there is none of that name. */
ASH_API ash_constants ash_constants_find(const char *name);

/* What the module is packed as: X(name, text, help). */
#define ASH_MODULE_MAP(X)                                                      \
  X(PLAIN, "plain", "C files")                                                 \
  X(SINGLE_FILE, "single-file", "one .h and one .c")                           \
  X(CMAKE, "cmake", "with a CMakeLists.txt")                                   \
  X(ZEPHYR, "zephyr", "a Zephyr module")                                       \
  X(CMSIS_PACK, "cmsis-pack", "a .pack and its .pdsc")                         \
  X(ESP_IDF, "esp-idf", "an ESP-IDF component")                                \
  X(ARDUINO, "arduino", "an Arduino library")                                  \
  X(PLATFORMIO, "platformio", "a PlatformIO library")

typedef enum ash_module_kind {
#define X(name, text, help) ASH_MODULE_##name,
  ASH_MODULE_MAP(X)
#undef X
      ASH_MODULE_COUNT
} ash_module_kind;

ASH_API const char *ash_module_text(ash_module_kind kind);
/* ASH_MODULE_COUNT if there is none of that name. */
ASH_API ash_module_kind ash_module_find(const char *name);

/* Which layers get their own copy of a kernel, compiled for their shape:
 * X(name, text, help). */
#define ASH_SPECIALISE_MAP(X)                                                  \
  X(AUTO, "auto", "where it saves instructions for few bytes of code")         \
  X(NONE, "none", "layers share kernels")                                      \
  X(ALL, "all", "every int8 convolution and fully connected layer")

typedef enum ash_specialise {
#define X(name, text, help) ASH_SPECIALISE_##name,
  ASH_SPECIALISE_MAP(X)
#undef X
      ASH_SPECIALISE_COUNT
} ash_specialise;

ASH_API const char *ash_specialise_text(ash_specialise how);
/* ASH_SPECIALISE_COUNT if there is none of that name. */
ASH_API ash_specialise ash_specialise_find(const char *name);

typedef struct ash_emit_options {
  size_t struct_bytes;
  ash_constants constants;
  ash_module_kind module;
  bool residency; /* <prefix>_residency.json too */
  ash_specialise specialise;
  /* The prefix of scratch arenas that several modules share, NULL: the module
   * has its own. */
  const char *shared_scratch;
  bool step; /* <prefix>_step, which runs one step of the model and returns;
                modules whose operators run row by row always have it     */
  const char *version; /* of the package: "1.2.0"; NULL: "1.0.0"           */
  const char *url;     /* of the package; NULL: a page below example.com   */
  uint64_t reserved;   /* zero */
} ash_emit_options;

/* The arenas for modules with `shared_scratch` set to `prefix`: one per memory,
 * as large as the largest plan needs. ASH_NOFIT if these arenas, constants and
 * state of all plans together do not fit the device. */
ASH_API ASH_MUST_CHECK ash_status ash_emit_shared_scratch(
    ash_ctx *ctx, const ash_generated **files, size_t *file_count,
    const ash_plan *const *plans, size_t plan_count, const ash_device *device,
    const char *prefix);

/* Writes all files into `folder`, or none: nothing partial is left behind. */
ASH_API ASH_MUST_CHECK ash_status ash_write_files(ash_ctx *ctx,
                                                  const char *folder,
                                                  const ash_generated *files,
                                                  size_t file_count);

/* ---- the whole pipeline ------------------------------------------------- */

/* Stages in order; each can be dumped. */
typedef enum ash_stage {
  ASH_STAGE_READ,
  ASH_STAGE_PASS,
  ASH_STAGE_PLAN,
  ASH_STAGE_EMIT,
  ASH_STAGE_COUNT
} ash_stage;

ASH_API const char *ash_stage_text(ash_stage stage);
/* ASH_STAGE_COUNT if there is none of that name. */
ASH_API ash_stage ash_stage_find(const char *name);

/* Which kernels run the operators. */
typedef enum ash_kernels {
  ASH_KERNELS_AUTO,     /* for the device's processor          */
  ASH_KERNELS_PORTABLE, /* portable C only                     */
  ASH_KERNELS_CMSIS_NN, /* calls of the user's copy of CMSIS-NN
                           where it has the operator, else ours */
  ASH_KERNELS_COUNT
} ash_kernels;

/* ASH_KERNELS_COUNT if there is none of that name ("cmsis-nn"). */
ASH_API ash_kernels ash_kernels_find(const char *name);

typedef struct ash_compile_options {
  size_t struct_bytes;
  const char *prefix; /* NULL: made from the model's file name */
  ash_plan_options plan;
  ash_emit_options emit;
  ash_stage stop_after; /* with `stop` set */
  bool stop;
  /* Called after every stage with its textual form (graph or plan JSON). */
  void (*dump)(void *user, ash_stage stage, const char *text, size_t count);
  void *dump_user;
  ash_load_options load;
  ash_tile_options tile; /* for devices with a compute memory */
  ash_kernels kernels;
  const char *const *no_passes; /* passes to leave out, by name */
  size_t no_pass_count;
  bool fast_math; /* float kernels may fuse products with sums and add up in
                     another order (docs/numerics.md)                      */
} ash_compile_options;

typedef struct ash_compiled {
  ash_graph *graph;
  const ash_plan *plan;
  const ash_render_plan *render;
  const ash_generated *files;
  size_t file_count;
} ash_compiled;

ASH_API ASH_MUST_CHECK ash_status
ash_compile(ash_ctx *ctx, ash_compiled *out, const char *path,
            const ash_device *device, const ash_compile_options *options);
ASH_API void ash_compiled_drop(ash_compiled *compiled);

/* The last stage alone: the module of c->graph as c->plan has it
 * (docs/generated-code.md) becomes c->files. `prefix` must be a C identifier;
 * NULL for `options`: all defaults. */
ASH_API ASH_MUST_CHECK ash_status
ash_emit_module(ash_ctx *ctx, ash_compiled *c, const ash_device *device,
                const char *prefix, const ash_emit_options *options);

typedef struct ash_compiled_set {
  ash_compiled *models;       /* the caller's: room for one per path    */
  const ash_generated *files; /* of all modules and of the arenas, for
                                 one folder                             */
  size_t file_count;
} ash_compiled_set;

/* Compiles models that never run at the same time, with one scratch arena
 * per memory for all: `prefix` starts its names, options->prefix is ignored. */
ASH_API ASH_MUST_CHECK ash_status ash_compile_shared(
    ash_ctx *ctx, ash_compiled_set *out, const char *const *paths, size_t count,
    const ash_device *device, const char *prefix,
    const ash_compile_options *options);

/* Checks a plan file (ash_check_plan_file) and compares it with the model at
 * `path`: everything that follows from the graph, which is read and rewritten
 * with `options` as for the plan. `device` NULL: the built-in one that the file
 * names. */
ASH_API ASH_MUST_CHECK ash_status ash_check_plan_of_model(
    ash_ctx *ctx, const ash_plan_text *plan, const char *path,
    const ash_device *device, const ash_compile_options *options);

/* A C identifier made from a model's file name; kept by the context. */
ASH_API const char *ash_default_prefix(ash_ctx *ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
