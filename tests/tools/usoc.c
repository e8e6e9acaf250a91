/* usoc.c - a PULP-like SoC on libunicorn, for tests of tiled modules: an RV32
 * core, L1, L2 (code too), an L3 that only DMA reaches, and a DMA engine.
 *
 *   usoc PROGRAM.elf [lazy=0|1|2] [bw=N] [setup=N] [l2=N]
 *
 *   L1 64 KiB @0x10000000   L2 1 MiB @0x1C000000   L3 8 MiB @0x80000000
 *   DMA @0x1A100000: +0 FROM +4 TO +8 BYTES +c ROWS +10 FROM_STEP +14 TO_STEP
 *        +18 START (reads back as the transfer's number) +1c BUSY mask
 *        +40+4*n: is transfer n busy?
 *   CTL @0x1A200000: +0 EXIT +4 PUTC +8 CYCLES
 *
 * Time is deterministic: a cycle an instruction, more for L2. Data of a
 * transfer is copied when it is complete; until then the destination holds
 * poison, and every access of the processor is checked against all transfers
 * in flight. lazy=1: transfers complete only while software polls, in order;
 * lazy=2: only the very one that is polled. Exit codes: the program's own, 90
 * bad DMA address, 91 bad access of the processor, 92 too many transfers, 93
 * unicorn, 94 hazards. */
#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum { JOBS = 16, POISON = 0xA5 };
enum { FROM, TO, BYTES, ROWS, FROM_STEP, TO_STEP, START, BUSY, REGISTERS };
enum {
  BAD_DMA = 90,
  BAD_ACCESS = 91,
  QUEUE_FULL = 92,
  BROKEN = 93,
  HAZARDS = 94
};

typedef struct memory {
  const char *name;
  uint32_t base, size;
  uint8_t *bytes;
  bool reach_cpu;
} memory;

static memory memories[] = {{"L1", 0x10000000u, 0x10000u, NULL, true},
                            {"L2", 0x1C000000u, 0x100000u, NULL, true},
                            {"L3", 0x80000000u, 0x800000u, NULL, false}};
enum { MEMORIES = sizeof memories / sizeof *memories };

typedef struct transfer {
  bool live;
  uint32_t reg[REGISTERS];
  uint64_t done;
} transfer;

static uc_engine *uc;
static transfer jobs[JOBS];
static int flying, result = -1;
static uint32_t reg[REGISTERS];
static uint64_t cycles, instructions, stalls, hazards, dma_bytes, busy_until;
static unsigned l2_cycles = 4, bytes_per_cycle = 4, setup = 20, lazy;

static void stop(int code) {
  result = code;
  (void)uc_emu_stop(uc);
}

static uint8_t *at(uint32_t address, uint32_t count) {
  for (int i = 0; i < MEMORIES; i++) {
    const memory *m = &memories[i];
    if (address >= m->base && address - m->base <= m->size &&
        count <= m->size - (address - m->base))
      return m->bytes + (address - m->base);
  }
  return NULL;
}

/* ---- the engine --------------------------------------------------------- */

static void finish(transfer *j) {
  for (uint32_t r = 0; r < j->reg[ROWS]; r++)
    memmove(at(j->reg[TO] + r * j->reg[TO_STEP], j->reg[BYTES]),
            at(j->reg[FROM] + r * j->reg[FROM_STEP], j->reg[BYTES]),
            j->reg[BYTES]);
  j->live = false;
  flying--;
}

/* `polled`: the transfer that software waits for, or -1. */
static void retire(int polled) {
  transfer *oldest = NULL;
  for (int i = 0; i < JOBS; i++) {
    transfer *j = &jobs[i];
    if (!j->live)
      continue;
    if (!lazy && cycles >= j->done)
      finish(j);
    else if (lazy == 1 && polled >= 0 && (!oldest || j->done < oldest->done))
      oldest = j;
    else if (lazy == 2 && polled == i)
      oldest = j;
  }
  if (oldest)
    finish(oldest);
}

static bool poison(const transfer *j) {
  for (uint32_t r = 0; r < j->reg[ROWS]; r++) {
    uint8_t *to = at(j->reg[TO] + r * j->reg[TO_STEP], j->reg[BYTES]);
    if (!to || !at(j->reg[FROM] + r * j->reg[FROM_STEP], j->reg[BYTES])) {
      fprintf(stderr, "usoc: DMA outside of all memories: 0x%x to 0x%x\n",
              j->reg[FROM], j->reg[TO]);
      stop(BAD_DMA);
      return false;
    }
    memset(to, POISON, j->reg[BYTES]);
  }
  return true;
}

static void begin(void) {
  int i = 0;
  while (i < JOBS && jobs[i].live)
    i++;
  if (i == JOBS) {
    fprintf(stderr, "usoc: the DMA queue is full\n");
    stop(QUEUE_FULL);
    return;
  }
  transfer *j = &jobs[i];
  memcpy(j->reg, reg, sizeof reg);
  if (!poison(j))
    return;
  const uint64_t bytes = (uint64_t)reg[BYTES] * reg[ROWS];
  const uint64_t start = cycles > busy_until ? cycles : busy_until;
  j->live = true;
  j->done = busy_until = start + setup + 4u * (uint64_t)reg[ROWS] +
                         (bytes + bytes_per_cycle - 1) / bytes_per_cycle;
  dma_bytes += bytes;
  flying++;
  reg[START] = (uint32_t)i;
}

static uint64_t read_dma(uc_engine *u, uint64_t offset, unsigned size,
                         void *user) {
  uint32_t mask = 0;
  (void)u, (void)size, (void)user;
  if (offset == 4 * START)
    return reg[START];
  for (int i = 0; i < JOBS; i++)
    mask |= (uint32_t)jobs[i].live << i;
  const int one = offset >= 0x40 ? (int)(offset - 0x40) / 4 : -1;
  if (one >= 0)
    mask = mask >> one & 1u;
  stalls += mask != 0;
  retire(one); /* shows at the next poll */
  return mask;
}

static void write_dma(uc_engine *u, uint64_t offset, unsigned size,
                      uint64_t value, void *user) {
  (void)u, (void)size, (void)user;
  reg[offset / 4 % REGISTERS] = (uint32_t)value;
  if (offset == 4 * START)
    begin();
}

/* ---- the processor ------------------------------------------------------- */

static bool meets(uint32_t a, uint32_t n, const transfer *j, int side,
                  int step) {
  uint32_t row = j->reg[side];
  for (uint32_t r = 0; r < j->reg[ROWS]; r++, row += j->reg[step])
    if (a < row + j->reg[BYTES] && row < a + n)
      return true;
  return false;
}

static void complain(uint64_t address, int job, const char *what) {
  if (hazards++ < 4)
    fprintf(stderr, "usoc: hazard: %s @0x%" PRIx64 " (transfer %d)\n", what,
            address, job);
}

static void on_memory(uc_engine *u, uc_mem_type type, uint64_t address, int n,
                      int64_t value, void *user) {
  const bool writes = type == UC_MEM_WRITE;
  const uint32_t a = (uint32_t)address;
  (void)u, (void)value, (void)user;
  if (a >= 0x1A000000u && a < 0x1B000000u)
    return;
  if (a >= memories[1].base && a - memories[1].base < memories[1].size)
    cycles += l2_cycles;
  for (int i = 0; flying && i < JOBS; i++) {
    if (!jobs[i].live)
      continue;
    if (meets(a, (uint32_t)n, &jobs[i], TO, TO_STEP))
      complain(address, i,
               writes ? "a store to where a transfer writes"
                      : "a load from where a transfer writes");
    else if (writes && meets(a, (uint32_t)n, &jobs[i], FROM, FROM_STEP))
      complain(address, i, "a store to what a transfer reads");
  }
}

static void on_instruction(uc_engine *u, uint64_t address, uint32_t size,
                           void *user) {
  (void)u, (void)address, (void)size, (void)user;
  instructions++;
  cycles++;
  if (flying)
    retire(-1);
}

static bool on_unmapped(uc_engine *u, uc_mem_type type, uint64_t address, int n,
                        int64_t value, void *user) {
  (void)u, (void)n, (void)value, (void)user;
  fprintf(stderr, "usoc: bad %s @0x%" PRIx64 "%s\n",
          type == UC_MEM_WRITE_UNMAPPED ? "store" : "load", address,
          address >= memories[2].base ? " (only DMA reaches L3)" : "");
  result = BAD_ACCESS;
  return false;
}

static uint64_t read_control(uc_engine *u, uint64_t offset, unsigned size,
                             void *user) {
  (void)u, (void)size, (void)user;
  return offset == 8 ? cycles : 0;
}

static void write_control(uc_engine *u, uint64_t offset, unsigned size,
                          uint64_t value, void *user) {
  (void)u, (void)size, (void)user;
  if (offset == 0)
    stop((int)value);
  else if (offset == 4)
    putchar((int)value);
}

/* ---- loading and running ------------------------------------------------- */

static uint8_t *read_file(const char *path, size_t *count) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  (void)fseek(f, 0, SEEK_END);
  const long n = ftell(f);
  rewind(f);
  uint8_t *bytes = n > 0 ? malloc((size_t)n) : NULL;
  *count = n > 0 ? (size_t)n : 0;
  if (bytes && fread(bytes, *count, 1, f) != 1)
    *count = 0;
  (void)fclose(f);
  return bytes;
}

/* Returns the entry, 0 for a file that is none. */
static uint32_t load_program(const uint8_t *file, size_t count) {
  Elf32_Ehdr head;
  if (count < sizeof head || memcmp(file, ELFMAG, SELFMAG) != 0)
    return 0;
  memcpy(&head, file, sizeof head);
  for (unsigned i = 0; i < head.e_phnum; i++) {
    Elf32_Phdr p;
    memcpy(&p, file + head.e_phoff + i * sizeof p, sizeof p);
    uint8_t *to = p.p_memsz ? at(p.p_paddr, p.p_memsz) : NULL;
    if (p.p_type != PT_LOAD || !p.p_memsz)
      continue;
    if (!to || p.p_filesz > p.p_memsz || p.p_offset + p.p_filesz > count)
      return 0;
    memset(to, 0, p.p_memsz);
    memcpy(to, file + p.p_offset, p.p_filesz);
  }
  return head.e_entry;
}

static bool make_machine(void) {
  uc_hook hooks[3];
  if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &uc) != UC_ERR_OK)
    return false;
  for (int i = 0; i < MEMORIES; i++) {
    memory *m = &memories[i];
    m->bytes = aligned_alloc(4096, m->size);
    if (!m->bytes)
      return false;
    memset(m->bytes, POISON, m->size);
    if (m->reach_cpu &&
        uc_mem_map_ptr(uc, m->base, m->size, UC_PROT_ALL, m->bytes))
      return false;
  }
  return !uc_mmio_map(uc, 0x1A100000, 0x1000, read_dma, NULL, write_dma,
                      NULL) &&
         !uc_mmio_map(uc, 0x1A200000, 0x1000, read_control, NULL, write_control,
                      NULL) &&
         !uc_hook_add(uc, &hooks[0], UC_HOOK_CODE, (void *)on_instruction, NULL,
                      1, 0) &&
         !uc_hook_add(uc, &hooks[1], UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                      (void *)on_memory, NULL, 1, 0) &&
         !uc_hook_add(uc, &hooks[2], UC_HOOK_MEM_UNMAPPED, (void *)on_unmapped,
                      NULL, 1, 0);
}

int main(int argc, char **argv) {
  size_t count = 0;
  uint8_t *file = argc > 1 ? read_file(argv[1], &count) : NULL;
  for (int i = 2; i < argc; i++) {
    (void)sscanf(argv[i], "lazy=%u", &lazy);
    (void)sscanf(argv[i], "bw=%u", &bytes_per_cycle);
    (void)sscanf(argv[i], "setup=%u", &setup);
    (void)sscanf(argv[i], "l2=%u", &l2_cycles);
  }
  const uint32_t entry = file && make_machine() ? load_program(file, count) : 0;
  free(file);
  if (!entry) {
    fprintf(stderr, "usage: usoc PROGRAM.elf [lazy=0|1|2]\n");
    return 2;
  }
  const uc_err error = uc_emu_start(uc, entry, 0, 0, 0);
  if (error && result < 0) {
    fprintf(stderr, "usoc: %s\n", uc_strerror(error));
    result = BROKEN;
  }
  printf("usoc: exit %d, %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64
         " polls of busy transfers, %" PRIu64 " bytes by DMA, %" PRIu64
         " hazards\n",
         result, instructions, cycles, stalls, dma_bytes, hazards);
  return hazards ? HAZARDS : result;
}
