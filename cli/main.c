/* main.c - the ashlar program: one command a file, a table of them, and this.
 */
#include "args.h"
#include "ashlar/base.h"
#include "commands.h"

#include <string.h>
#include <sys/stat.h>

enum { EXIT_USAGE = 64, EXIT_OUTPUT = 74 };

static void print_overview(FILE *to) {
  fprintf(to,
          "ashlar %s - ahead-of-time compiler for neural networks on small "
          "devices\n\nusage: ashlar MODEL              one screen about a "
          "model: what it is, what it needs\n       ashlar COMMAND ...\n\n",
          ash_version());
  for (const command *c = commands; c->name; c++)
    fprintf(to, "  %-10s %s\n", c->name, c->summary);
  fprintf(to, "\n'ashlar COMMAND --help' teaches each by example.\n"
              "exit codes: 0 done, 1 differs (diff --exit-code), 10 not proved "
              "optimal\n(--require-optimal), 20 does not fit, 64 usage, 65 bad "
              "input, 69 unsupported,\n70 internal, 74 input/output\n");
}

/* Examples have line ends, which become \\n: one command a line. */
static void list_commands(void) {
  for (const command *c = commands; c->name; c++) {
    printf("%s\t%s\t%s\t", c->name, c->summary, c->synopsis);
    for (const char *at = c->examples ? c->examples : ""; *at; at++)
      if (*at == '\n')
        fputs("\\n", stdout);
      else
        putchar(*at);
    putchar('\n');
  }
}

/* What was printed must have arrived. */
static int finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return code;
  if (code == 0)
    fprintf(stderr, "ashlar: error: standard output cannot be written\n");
  return code ? code : EXIT_OUTPUT;
}

static bool is_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
         strcmp(word, "help") == 0;
}

static int refuse_option(const char *word) {
  static const char *const known[] = {"--help", "--version"};
  const char *meant = ash_nearest_of(word, known, 2);
  fprintf(stderr, "ashlar: there is no option '%s'", word);
  if (meant)
    fprintf(stderr, "; did you mean '%s'?", meant);
  fprintf(stderr, "\n'ashlar --help' says more.\n");
  return EXIT_USAGE;
}

static int refuse_command(const char *word) {
  if (word[0] == '-')
    return refuse_option(word);
  const char *meant = nearest_command(word);
  fprintf(stderr, "ashlar: there is no command '%s'", word);
  if (meant)
    fprintf(stderr, "; did you mean '%s'?", meant);
  fprintf(stderr, "\n'ashlar --help' lists the commands.\n");
  return EXIT_USAGE;
}

/* `ashlar help plan` is `ashlar plan --help`. */
static int help(int argc, char **argv) {
  static char option[] = "--help";
  if (argc < 3) {
    print_overview(stdout);
    return 0;
  }
  const command *cmd = find_command(argv[2]);
  char *asked[] = {argv[2], option, NULL};
  return cmd ? cmd->run(2, asked) : refuse_command(argv[2]);
}

static bool ends_with(const char *word, const char *end) {
  const size_t n = strlen(word), k = strlen(end);
  return n > k && strcmp(word + n - k, end) == 0;
}

/* A word that is no command may be a model's file, or be meant to be one. */
static bool names_file(const char *word) {
  struct stat info;
  return strcmp(word, "-") == 0 || strchr(word, '/') ||
         ends_with(word, ".tflite") || ends_with(word, ".onnx") ||
         ends_with(word, ".ir") || stat(word, &info) == 0;
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_overview(stderr);
    return EXIT_USAGE;
  }
  if (is_help(argv[1]))
    return help(argc, argv);
  if (strcmp(argv[1], "--version") == 0) {
    printf("ashlar %s\n", ash_version());
    return 0;
  }
  if (strcmp(argv[1], "--list-commands") == 0) {
    list_commands();
    return 0;
  }
  const command *cmd = find_command(argv[1]);
  if (cmd)
    return cmd->run(argc - 1, argv + 1);
  if (names_file(argv[1]))
    return cmd_model(argc, argv);
  return refuse_command(argv[1]);
}

int main(int argc, char **argv) {
  return finish(run(argc, argv));
}
