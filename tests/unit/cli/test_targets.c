/* test_targets.c - `ashlar targets` as a user runs it: what it prints and what
 * it returns. */
#include "ashlar/device.h"
#include "base/ctx.h"
#include "check.h"
#include "commands.h"
#include "print_diag.h"

#include <fcntl.h>
#include <unistd.h>

static char printed[200000];

/* Runs the command with stdout (and stderr, if `errors`) in `printed`. */
static int run(bool errors, int argc, const char **argv) {
  const int which = errors ? STDERR_FILENO : STDOUT_FILENO;
  FILE *file = tmpfile();
  CHECK(file != NULL);
  fflush(stdout);
  const int saved = dup(which), other = dup(errors ? 1 : 2);
  const int null = open("/dev/null", O_WRONLY);
  CHECK(saved >= 0 && other >= 0 && null >= 0);
  dup2(fileno(file), which);
  dup2(null, errors ? 1 : 2);
  char *copy[8];
  for (int i = 0; i < argc; i++)
    copy[i] = (char *)(uintptr_t)argv[i];
  const int code = cmd_targets(argc, copy);
  fflush(stdout);
  dup2(saved, which);
  dup2(other, errors ? 1 : 2);
  close(saved), close(other), close(null);
  rewind(file);
  printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
  fclose(file);
  return code;
}

#define RUN(errors, ...)                                                       \
  run(errors, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),   \
      (const char *[]){__VA_ARGS__})

static void reload(const char *file) {
  ash_ctx *ctx;
  const ash_device *device;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  CHECK_EQ(ash_device_parse(ctx, &device, printed, strlen(printed), file),
           ASH_OK);
  CHECK_EQ(device->memories[0].bytes, 128000);
  ash_ctx_free(ctx);
}

static void without_a_name_all_are_listed(void) {
  CHECK_EQ(RUN(false, "targets"), 0);
  CHECK(strncmp(printed, "NAME ", 5) == 0);
  CHECK(strstr(printed, "\napollo510  ") && strstr(printed, "DTCM 512K"));
  CHECK_EQ(RUN(false, "targets", "--json"), 0);
  CHECK(printed[0] == '[' && strstr(printed, "{\"name\": \"gap9\""));
  CHECK_EQ(RUN(false, "targets", "--help"), 0);
  CHECK(strstr(printed, "examples:"));
}

static void yaml_and_json_of_one_load_again(void) {
  CHECK_EQ(RUN(false, "targets", "deeploy", "--set", "L1=128000"), 0);
  CHECK(strncmp(printed, "name: deeploy\n", 14) == 0);
  reload("printed.yaml");
  CHECK_EQ(RUN(false, "targets", "deeploy", "--json", "--set=l1=125K"), 0);
  reload("printed.json");
}

static void mistakes_are_usage_or_input_errors(void) {
  CHECK_EQ(RUN(true, "targets", "--jsn"), 64);
  CHECK(strstr(printed, "there is no option '--jsn'"));
  CHECK_EQ(RUN(true, "targets", "--set", "L1=1"), 64);
  CHECK_EQ(RUN(true, "targets", "gap8", "--set"), 64);
  CHECK_EQ(RUN(true, "targets", "gap8", "--set", "L1"), 64);
  CHECK_EQ(RUN(true, "targets", "gap8", "--set", "L1=x"), 64);
  CHECK_EQ(RUN(true, "targets", "gap8", "gap9"), 64);
  CHECK_EQ(RUN(true, "targets", "gap8", "--set", "L7=64K"), 65);
  CHECK(strstr(printed, "error ASH4008") && strstr(printed, "hint: "));
  CHECK(!strchr(printed, '\033')); /* no colours in a file */
  CHECK_EQ(RUN(true, "targets", "gap88"), 65);
  CHECK_EQ(RUN(true, "targets", "no/such.yaml"), 74);
}

static void statuses_have_exit_codes(void) {
  CHECK_EQ(exit_code_of(ASH_OK), 0);
  CHECK_EQ(exit_code_of(ASH_NOFIT), 20);
  CHECK_EQ(exit_code_of(ASH_MISUSE), 64);
  CHECK_EQ(exit_code_of(ASH_MALFORMED), 65);
  CHECK_EQ(exit_code_of(ASH_LIMIT), 65);
  CHECK_EQ(exit_code_of(ASH_UNSUPPORTED), 69);
  CHECK_EQ(exit_code_of(ASH_INTERNAL), 70);
  CHECK_EQ(exit_code_of(ASH_NOMEM), 74);
  CHECK_EQ(exit_code_of(ASH_IO), 74);
}

#define TESTS(X)                                                               \
  X(without_a_name_all_are_listed)                                             \
  X(yaml_and_json_of_one_load_again)                                           \
  X(mistakes_are_usage_or_input_errors)                                        \
  X(statuses_have_exit_codes)
TEST_MAIN(TESTS)
