/* ashlar/device.h - what a model is compiled for: memories and how they are
 * connected, DMA engines, the processor's features.
 *
 * A device is data. It comes from a YAML file (docs/devices.md) or is built
 * in; either way it has been checked: names are unique, neighbours are mutual,
 * every index is in range, sizes and alignments are valid, and there is a
 * default memory.
 *
 *   const ash_device *device;
 *   if (ash_device_load(ctx, &device, "apollo510") != ASH_OK) ...
 *
 * Devices are never changed in place and live as long as the context. */
#ifndef ASHLAR_DEVICE_H
#define ASHLAR_DEVICE_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ASH_MEMORY_MAX = 32, ASH_DMA_MAX = 8, ASH_DMA_RANK_MAX = 8 };
#define ASH_NO_MEMORY UINT32_MAX
#define ASH_NO_DMA    UINT32_MAX
#define ASH_NO_BASE   UINT64_MAX

typedef enum ash_memory_kind {
  ASH_MEMORY_RAM,
  ASH_MEMORY_NVM /* read only while the model runs: flash, MRAM, ROM */
} ash_memory_kind;

typedef struct ash_memory {
  const char *name;        /* a C identifier; unique, ignoring case           */
  const char *description; /* or NULL                                         */
  uint64_t bytes;
  ash_memory_kind kind;
  uint64_t base;              /* address, or ASH_NO_BASE                      */
  const uint32_t *neighbours; /* indices of memories it exchanges data with   */
  uint32_t neighbour_count;
  uint32_t alignment;     /* of everything placed here; a power of two        */
  uint64_t reserve_bytes; /* stack, heap: bytes a plan must leave free        */
  bool reach_cpu, reach_dma;
  uint32_t read_cost, write_cost; /* milli-cycles per byte; estimates that
                                     only rank choices. nvm: write_cost is 0  */
  uint64_t bank_bytes;            /* power-bank granularity, 0: not known     */
  const char *section_zeroed; /* linker sections; NULL: the toolchain's own   */
  const char *section_initialised;
  const char *section_code;
  bool linkable; /* the linker can place objects here                         */
  uint32_t line; /* where the file describes it                               */
  bool is_set;   /* `bytes` is not the device's (ash_device_set_bytes)        */
} ash_memory;

typedef struct ash_dma {
  const char *name;
  uint32_t memories;           /* bit i: it reaches memory i                  */
  uint32_t ranks;              /* bit r: it makes transfers of rank r         */
  uint64_t transfer_bytes_max; /* in one transfer, 0: no limit                */
  uint32_t setup_cycles;
  uint32_t bytes_per_kilocycle; /* 8000: eight bytes per cycle                */
  uint32_t row_cycles; /* for each row (bytes without gaps) of a transfer     */
  uint32_t beat; /* bytes at once: a shorter row takes as long; 0: any        */
  bool asynchronous; /* the processor can compute meanwhile        */
  uint32_t line;
} ash_dma;

typedef struct ash_device {
  const char *name;
  const char *description; /* or NULL */
  const char *cpu;         /* "cortex-m55" */
  struct {
    bool dsp, mve, fpu, rvv, simd, pie;
    uint32_t cores;
  } features;
  uint32_t mhz;       /* highest usual clock, 0: not known                    */
  uint32_t alignment; /* of memories that do not say their own                */
  const ash_memory *memories;
  uint32_t memory_count;
  uint32_t default_memory;  /* home of tensors without a constraint           */
  uint32_t compute_memory;  /* the one kernels use, or ASH_NO_MEMORY: any     */
  uint32_t constant_memory; /* where constants are read in place              */
  const uint32_t *order;    /* memories a planner may use on its own, best
                               first                                          */
  uint32_t order_count;
  const ash_dma *dmas;
  uint32_t dma_count;
  const char *file; /* or the built-in's name, for messages                   */
  /* How fast kernels are, for the cost model of tiling; estimates that only
   * rank choices. */
  uint32_t macs_per_kilocycle, elements_per_kilocycle, call_cycles;
  uint32_t byte_price; /* thousandths of a cycle for each byte that DMA moves */
} ash_device;

/* A built-in name, or a file when it ends in .yaml, .yml or .json or contains
 * a slash. */
ASH_API ASH_MUST_CHECK ash_status ash_device_load(ash_ctx *ctx,
                                                  const ash_device **out,
                                                  const char *name_or_path);
/* From text in memory; `file` is what messages call it. */
ASH_API ASH_MUST_CHECK ash_status ash_device_parse(ash_ctx *ctx,
                                                   const ash_device **out,
                                                   const char *text,
                                                   size_t count,
                                                   const char *file);
/* As YAML that parses to the same device; NUL-ended, kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_device_dump(ash_ctx *ctx,
                                                  const char **text,
                                                  size_t *count,
                                                  const ash_device *device);

/* The names of the built-in devices: index 0.. until it returns NULL. */
ASH_API const char *ash_device_builtin(size_t index);

/* "What if DTCM had 64 KiB?": replaces *device by a changed copy. On failure
 * it stays as it was. */
ASH_API ASH_MUST_CHECK ash_status
ash_device_set_bytes(ash_ctx *ctx, const ash_device **device,
                     const char *memory, uint64_t bytes);

/* "64K", "1M", "2G" (powers of 1024; KiB, MiB, GiB too), "0x100", "64000". */
ASH_API bool ash_parse_bytes(uint64_t *out, const char *text);
/* The shortest of those forms; `buf` needs 24 bytes. */
ASH_API const char *ash_format_bytes(char *buf, size_t size, uint64_t bytes);

/* By name, ignoring case. Not found: the nearest name is suggested. */
ASH_API ASH_MUST_CHECK ash_status ash_device_find_memory(
    ash_ctx *ctx, uint32_t *out, const ash_device *device, const char *name);

/* The shortest path of data from one memory to another, both ends included,
 * never through a memory that cannot be written. Returns the number of
 * memories, 0: no path. */
ASH_API uint32_t ash_device_path(const ash_device *device, uint32_t from,
                                 uint32_t to, uint32_t path[ASH_MEMORY_MAX]);

/* The fastest engine that reaches both memories, or ASH_NO_DMA. */
ASH_API uint32_t ash_device_dma(const ash_device *device, uint32_t from,
                                uint32_t to);

/* Bytes a plan may use. */
ASH_API uint64_t ash_device_memory_budget(const ash_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
