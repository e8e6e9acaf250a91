/* core_counts.c - a plugin of QEMU that counts the instructions of each core:
 * at the end "core N COUNT" lines on standard error. The interface is declared
 * here, as far as it is used. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CORES = 16, INTERFACE = 1, NO_REGISTERS = 0 };

struct tb;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*on)(uint64_t, struct tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct tb *tb,
                                          void (*on)(unsigned, void *),
                                          int flags, void *user);
size_t qemu_plugin_tb_n_insns(const struct tb *tb);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*on)(uint64_t, void *),
                                    void *user);

__attribute__((visibility("default"))) int qemu_plugin_version = INTERFACE;

static uint64_t counts[CORES];

static void at_run(unsigned core, void *user) {
  if (core < CORES)
    counts[core] += (uintptr_t)user;
}

static void at_translation(uint64_t id, struct tb *tb) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(
      tb, at_run, NO_REGISTERS, (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

static void at_end(uint64_t id, void *user) {
  (void)id, (void)user;
  for (int core = 0; core < CORES; core++)
    if (counts[core])
      fprintf(stderr, "core %d %llu\n", core, (unsigned long long)counts[core]);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
  qemu_plugin_register_atexit_cb(id, at_end, NULL);
  return 0;
}
