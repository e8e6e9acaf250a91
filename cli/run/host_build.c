/* host_build.c - see host_build.h. No shell: programs are started directly. */
#include "run/host_build.h"

#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 64, CANNOT_START = 127 };

/* Ctrl-C and the like end the child; the folder is removed before the program
 * ends by the same signal. */
static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t caught, child_id;

static void on_end(int number) {
  caught = number;
  if (child_id > 0)
    (void)kill((pid_t)child_id, number);
}

static void set_end_action(void (*from)(int), void (*to)(int)) {
  for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++) {
    struct sigaction old, action = {.sa_handler = to};
    if (sigaction(end_signals[i], NULL, &old) == 0 && old.sa_handler == from)
      (void)sigaction(end_signals[i], &action, NULL);
  }
}

/* Starts `argv` and waits; -1 if it cannot be started or was killed. The child
 * ends itself after `seconds` (0: never). */
static int run_program(char *const *argv, unsigned seconds) {
  fflush(stdout);
  const pid_t child = caught ? -1 : fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    if (seconds)
      alarm(seconds);
    execvp(argv[0], argv);
    _exit(CANNOT_START);
  }
  int status, waited;
  child_id = (sig_atomic_t)child;
  if (caught)
    (void)kill(child, (int)caught);
  do
    waited = (int)waitpid(child, &status, 0);
  while (waited < 0 && errno == EINTR);
  child_id = 0;
  if (waited < 0)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void host_build_path(const host_build *b, char *out, size_t size,
                     const char *name) {
  (void)snprintf(out, size, "%s/%s", b->folder, name);
}

static bool ends_with(const char *s, const char *end) {
  const size_t n = strlen(s), k = strlen(end);
  return n >= k && strcmp(s + n - k, end) == 0;
}

/* $CC may hold flags: split at blanks. They stand after ours, so that they
 * win. */
static size_t start_command(char *copy, char **argv) {
  static const char *const flags[] = {
      "-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic"};
  size_t count = 0;
  char *word = strtok(copy, " ");
  argv[count++] = word;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    argv[count++] = (char *)(uintptr_t)flags[i];
  while (count < 16 && (word = strtok(NULL, " ")) != NULL)
    argv[count++] = word;
  return count;
}

/* "-DDIGITS_NO_PLACEMENT": on a host the regions of a module may lie anywhere.
 * Its first file is called <prefix>.h. */
static void placement_flag(char *flag, size_t size, const char *header) {
  const size_t n = strcspn(header, ".");
  (void)snprintf(flag, size, "-D%.*s_NO_PLACEMENT", (int)n, header);
  for (char *p = flag; *p; p++)
    *p = (char)toupper((unsigned char)*p);
}

static int try_compiler(const host_build *b, const char *compiler,
                        const ash_generated *files, size_t file_count) {
  char copy[256], paths[ARGS_MAX][256];
  char *argv[ARGS_MAX + 32];
  (void)snprintf(copy, sizeof copy, "%s", compiler);
  size_t count = start_command(copy, argv), path_count = 0;
  if (!argv[0])
    return CANNOT_START;
  for (size_t i = 0; i < file_count && path_count + 2 < ARGS_MAX; i++)
    if (ends_with(files[i].name, ".c")) {
      host_build_path(b, paths[path_count], sizeof paths[0], files[i].name);
      argv[count++] = paths[path_count++];
    }
  host_build_path(b, paths[path_count], sizeof paths[0], "ashlar_main.c");
  argv[count++] = paths[path_count];
  char output[] = "-o", math[] = "-lm", threads[] = "-pthread", program[96],
       anywhere[512];
  placement_flag(anywhere, sizeof anywhere, file_count ? files[0].name : "");
  argv[count++] = anywhere;
  (void)snprintf(program, sizeof program, "%s", b->program);
  argv[count++] = output;
  argv[count++] = program;
  argv[count++] = math;
  argv[count++] = threads;
  argv[count] = NULL;
  return run_program(argv, 0);
}

static bool compile(const host_build *b, const ash_generated *files,
                    size_t file_count) {
  const char *cc = getenv("CC");
  const char *const compilers[] = {cc && *cc ? cc : "cc", "gcc", "clang"};
  for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
    const int code = try_compiler(b, compilers[i], files, file_count);
    if (code == 0)
      return true;
    if (caught)
      return false;
    if (code == CANNOT_START && !(cc && *cc))
      continue; /* a compiler that was asked for must not be replaced */
    fprintf(stderr, "ashlar: %s %s\n", compilers[i],
            code == CANNOT_START ? "cannot be started; it is the value of CC"
                                 : "failed on the generated C");
    return false;
  }
  fprintf(stderr, "ashlar: no C compiler was found: install gcc or set CC\n");
  return false;
}

bool host_build_make(host_build *b, ash_ctx *ctx, const ash_generated *files,
                     size_t file_count, const char *main_text) {
  const char *tmp = getenv("TMPDIR");
  char path[256];
  if (!tmp || strlen(tmp) > 32)
    tmp = "/tmp";
  (void)snprintf(b->folder, sizeof b->folder, "%s/ashlar-XXXXXX", tmp);
  set_end_action(SIG_DFL, on_end);
  if (!mkdtemp(b->folder)) {
    fprintf(stderr, "ashlar: cannot make a temporary folder in %s: %s\n", tmp,
            strerror(errno));
    b->folder[0] = '\0';
    return false;
  }
  (void)snprintf(b->program, sizeof b->program, "%s/program", b->folder);
  host_build_path(b, path, sizeof path, "ashlar_main.c");
  return ash_write_files(ctx, b->folder, files, file_count) == ASH_OK &&
         write_whole(path, main_text, strlen(main_text)) &&
         compile(b, files, file_count);
}

bool host_build_run(const host_build *b, const char *const *args,
                    unsigned seconds) {
  char *argv[8] = {(char *)(uintptr_t)b->program};
  for (size_t i = 0; i < 6 && args[i]; i++)
    argv[i + 1] = (char *)(uintptr_t)args[i];
  const int code = run_program(argv, seconds);
  if (code != 0 && !caught)
    fprintf(stderr, "ashlar: the generated program %s (exit code %d)\n",
            code < 0 ? "crashed or ran too long" : "failed", code);
  return code == 0;
}

static void remove_folder(host_build *b) {
  DIR *folder = b->folder[0] ? opendir(b->folder) : NULL;
  if (!folder)
    return;
  for (struct dirent *e; (e = readdir(folder)) != NULL;) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", b->folder, e->d_name);
    if (e->d_name[0] != '.')
      (void)unlink(path);
  }
  (void)closedir(folder);
  (void)rmdir(b->folder);
  b->folder[0] = '\0';
}

void host_build_drop(host_build *b) {
  remove_folder(b);
  set_end_action(on_end, SIG_DFL);
  if (caught)
    (void)raise((int)caught);
}
