/* paths.c - a plugin of QEMU that records which blocks of instructions one call
 * of a function executes, each with the block before it, and how many bytes are
 * loaded from each line of memory: what a model of cycles needs
 * (bench/cycles.py). Arguments: out=FILE, function=NAME, call=N (from 1).
 *
 * Writes "path FROM LAST TO LAST COUNT" (first and last instruction of both
 * blocks; of the first block that is entered, FROM and LAST are 0) and
 * "loads LINE BYTES", addresses in hexadecimal. The interface of QEMU is
 * declared here, as far as it is used. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* QEMU 7.2 takes most stores for loads where only loads are asked for. */
enum { INTERFACE = 1, NO_REGISTERS = 0, LOADS_AND_STORES = 3 };
/* Lines of 64 bytes in pages of 1 MiB: 4096 of them are all of 32 bits. */
enum { LINE_SHIFT = 6, PAGE_SHIFT = 20, PAGES = 4096 };
enum { LINES = 1 << (PAGE_SHIFT - LINE_SHIFT) };

struct tb;
struct insn;

uint64_t qemu_plugin_tb_vaddr(const struct tb *tb);
size_t qemu_plugin_tb_n_insns(const struct tb *tb);
struct insn *qemu_plugin_tb_get_insn(const struct tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct insn *insn);
size_t qemu_plugin_insn_size(const struct insn *insn);
const char *qemu_plugin_insn_symbol(const struct insn *insn);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*on)(uint64_t, struct tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct tb *tb,
                                          void (*on)(unsigned, void *),
                                          int flags, void *user);
void qemu_plugin_register_vcpu_mem_cb(struct insn *insn,
                                      void (*on)(unsigned, uint32_t, uint64_t,
                                                 void *),
                                      int flags, int access, void *user);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*on)(uint64_t, void *),
                                    void *user);

__attribute__((visibility("default"))) int qemu_plugin_version = INTERFACE;

typedef struct block block;

typedef struct arrow {
  const block *to;
  uint64_t count;
} arrow;

struct block {
  uint64_t first, last, end; /* addresses */
  bool enters;               /* the function begins here */
  arrow *arrows;
  size_t count, room;
  block *next;
};

static const char *path, *function = "main";
static uint64_t call = 1, calls, entry, back; /* where the call returns to */
static bool inside;
static block outside, *blocks = &outside, *before = &outside;
static uint64_t *pages[PAGES];

static void *claim(void *p, size_t count, size_t size) {
  p = p ? realloc(p, count * size) : calloc(count, size);
  if (!p) {
    fputs("paths: no memory\n", stderr);
    exit(1);
  }
  return p;
}

static void follow(block *from, const block *to) {
  for (size_t i = 0; i < from->count; i++)
    if (from->arrows[i].to == to) {
      from->arrows[i].count++;
      return;
    }
  if (from->count == from->room)
    from->arrows = claim(from->arrows, from->room = from->room * 2 + 4,
                         sizeof *from->arrows);
  from->arrows[from->count++] = (arrow){to, 1};
}

static void at_run(unsigned core, void *user) {
  block *const b = user;
  (void)core;
  if (inside && b->first == back)
    inside = false;
  if (b->enters && !inside && ++calls == call) {
    inside = true;
    back = before->end;
    before = &outside;
  }
  if (inside)
    follow(before, b);
  before = b;
}

static void at_load(unsigned core, uint32_t info, uint64_t at, void *user) {
  (void)core, (void)user;
  if (!inside || qemu_plugin_mem_is_store(info) || at >> PAGE_SHIFT >= PAGES)
    return;
  uint64_t **const page = &pages[at >> PAGE_SHIFT];
  if (!*page)
    *page = claim(NULL, LINES, sizeof **page);
  (*page)[at >> LINE_SHIFT & (LINES - 1)] +=
      1u << qemu_plugin_mem_size_shift(info);
}

/* The first instruction that is ever seen of a function is where it begins. */
static bool begins_function(const struct insn *insn, uint64_t at) {
  const char *name = qemu_plugin_insn_symbol(insn);
  if (!entry && name && strcmp(name, function) == 0)
    entry = at;
  return entry && at == entry;
}

static void at_translation(uint64_t id, struct tb *tb) {
  (void)id;
  const size_t n = qemu_plugin_tb_n_insns(tb);
  const struct insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
  block *b = claim(NULL, 1, sizeof *b);
  b->first = qemu_plugin_tb_vaddr(tb);
  b->last = qemu_plugin_insn_vaddr(last);
  b->end = b->last + qemu_plugin_insn_size(last);
  b->enters = begins_function(qemu_plugin_tb_get_insn(tb, 0), b->first);
  b->next = blocks;
  blocks = b;
  for (size_t i = 0; i < n; i++)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), at_load,
                                     NO_REGISTERS, LOADS_AND_STORES, NULL);
  qemu_plugin_register_vcpu_tb_exec_cb(tb, at_run, NO_REGISTERS, b);
}

static void at_end(uint64_t id, void *user) {
  (void)id, (void)user;
  FILE *f = fopen(path, "w");
  if (!f) {
    perror(path);
    return;
  }
  for (const block *b = blocks; b; b = b->next)
    for (size_t i = 0; i < b->count; i++)
      fprintf(f,
              "path %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64
              "\n",
              b->first, b->last, b->arrows[i].to->first, b->arrows[i].to->last,
              b->arrows[i].count);
  for (uint64_t p = 0; p < PAGES; p++)
    for (uint64_t k = 0; pages[p] && k < LINES; k++)
      if (pages[p][k])
        fprintf(f, "loads %" PRIx64 " %" PRIu64 "\n",
                p << PAGE_SHIFT | k << LINE_SHIFT, pages[p][k]);
  fclose(f);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "out=", 4) == 0)
      path = strdup(argv[i] + 4);
    else if (strncmp(argv[i], "function=", 9) == 0)
      function = strdup(argv[i] + 9);
    else if (strncmp(argv[i], "call=", 5) == 0)
      call = strtoull(argv[i] + 5, NULL, 10);
  }
  if (!path)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
  qemu_plugin_register_atexit_cb(id, at_end, NULL);
  return 0;
}
