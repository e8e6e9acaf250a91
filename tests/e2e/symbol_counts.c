/* symbol_counts.c - a plugin of QEMU that counts the instructions of each
 * function: at the end "symbol NAME N" lines on standard error. The interface
 * is declared here, as far as it is used. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SYMBOLS = 4096, NAME = 96, INTERFACE = 1, NO_REGISTERS = 0 };

struct tb;
struct insn;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*on)(uint64_t, struct tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct insn *insn,
                                            void (*on)(unsigned, void *),
                                            int flags, void *user);
size_t qemu_plugin_tb_n_insns(const struct tb *tb);
struct insn *qemu_plugin_tb_get_insn(const struct tb *tb, size_t i);
const char *qemu_plugin_insn_symbol(const struct insn *insn);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*on)(uint64_t, void *),
                                    void *user);

__attribute__((visibility("default"))) int qemu_plugin_version = INTERFACE;

static struct {
  char name[NAME];
  uint64_t count;
} symbols[SYMBOLS];

/* The last one takes what there is no room for. */
static uint64_t *count_of(const char *name) {
  int i = 0;
  for (; i < SYMBOLS - 1 && symbols[i].name[0]; i++)
    if (strncmp(symbols[i].name, name, NAME - 1) == 0)
      return &symbols[i].count;
  strncpy(symbols[i].name, name, NAME - 1);
  return &symbols[i].count;
}

static void at_run(unsigned core, void *count) {
  (void)core;
  ++*(uint64_t *)count;
}

static void at_translation(uint64_t id, struct tb *tb) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
    struct insn *insn = qemu_plugin_tb_get_insn(tb, i);
    const char *name = qemu_plugin_insn_symbol(insn);
    qemu_plugin_register_vcpu_insn_exec_cb(
        insn, at_run, NO_REGISTERS, count_of(name && *name ? name : "unnamed"));
  }
}

static void at_end(uint64_t id, void *user) {
  (void)id, (void)user;
  for (int i = 0; i < SYMBOLS && symbols[i].name[0]; i++)
    fprintf(stderr, "symbol %s %llu\n", symbols[i].name,
            (unsigned long long)symbols[i].count);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
  qemu_plugin_register_atexit_cb(id, at_end, NULL);
  return 0;
}
