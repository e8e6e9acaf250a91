/* main.c - the command line of ashlar-verify. */
#include "verify.h"

#include <errno.h>
#include <string.h>

static const char help[] =
    "ashlar-verify: checks that an answer is right and that nothing is "
    "better.\n\n"
    "  ashlar-verify PROBLEM.csv ANSWER.csv CERTIFICATE\n"
    "  ashlar-verify PROBLEM.csv - CERTIFICATE      without an answer\n"
    "  ashlar-verify PLAN.json CERTIFICATE\n\n"
    "It shares nothing with the program that wrote the answer; the format is\n"
    "described in docs/certificates.md.\n\n"
    "Exit codes: 0 verified, 1 not so (the message says where), 64 wrong use,\n"
    "65 a file that cannot be read or is malformed.\n\n"
    "  --help     this text\n"
    "  --version  the version of the format\n";

static bool open_source(source *s, const char *path) {
  *s = (source){.file = fopen(path, "rb"), .name = path, .line = 1};
  if (!s->file)
    fprintf(stderr, "ashlar-verify: %s: %s\n", path, strerror(errno));
  return s->file != NULL;
}

static int report(const verify *v, int code) {
  if (code == VERIFIED)
    printf("verified: %s\n", v->message);
  else
    fprintf(stderr, "%s: %s\n", code == BROKEN ? "not verified" : "error",
            v->message);
  return code;
}

/* The files are open until the end. */
static int run(char **paths, int count) {
  static verify v;
  static source first, answer;
  const bool has_answer = count == 3 && strcmp(paths[1], "-") != 0;
  if (!open_source(&first, paths[0]) ||
      (has_answer && !open_source(&answer, paths[1])) ||
      !open_source(&v.certificate, paths[count - 1]))
    return MALFORMED;
  if (count == 2)
    return report(&v, verify_plan(&v, &first));
  first.line = answer.line = 0;
  return report(&v, verify_packing(&v, &first, has_answer ? &answer : NULL));
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const bool version = strcmp(argv[i], "--version") == 0;
    if (version || strcmp(argv[i], "--help") == 0)
      return puts(version ? "ashlar-verify, certificates of version 1" : help) <
             0;
  }
  if ((argc == 3 || argc == 4) && argv[1][0] != '-')
    return run(argv + 1, argc - 1);
  fprintf(stderr, "%s", help);
  return USAGE;
}
