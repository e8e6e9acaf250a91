/* main.c - the command line of ashlar-verify. */
#include "verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The whole file, which is kept until the end. */
static source load(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t count = 0, capacity = 0, got = 0;
  char *text = NULL;
  do {
    capacity = capacity ? 2 * capacity : 1 << 16;
    char *larger = file ? realloc(text, capacity) : NULL;
    got = larger ? fread(larger + count, 1, capacity - count - 1, file) : 0;
    if (!larger || ferror(file)) {
      fprintf(stderr, "ashlar-verify: %s: %s\n", path, strerror(errno));
      exit(MALFORMED);
    }
    text = larger;
    count += got;
  } while (got > 0);
  text[count] = '\0';
  if (strlen(text) != count) {
    fprintf(stderr, "ashlar-verify: %s: a byte that is zero\n", path);
    exit(MALFORMED);
  }
  (void)fclose(file);
  return (source){.at = text, .name = path, .line = 1};
}

int main(int argc, char **argv) {
  static verify v;
  for (int i = 1; i < argc; i++) {
    const bool version = strcmp(argv[i], "--version") == 0;
    if (version || strcmp(argv[i], "--help") == 0)
      return puts(version ? "ashlar-verify, certificates of version 2" : help) <
             0;
  }
  if ((argc != 3 && argc != 4) || argv[1][0] == '-') {
    fprintf(stderr, "%s", help);
    return USAGE;
  }
  const bool has_answer = argc == 4 && strcmp(argv[2], "-") != 0;
  source first = load(argv[1]), answer = {0};
  if (has_answer)
    answer = load(argv[2]);
  v.certificate = load(argv[argc - 1]);
  const int code =
      argc == 3 ? verify_plan(&v, &first)
                : verify_packing(&v, &first, has_answer ? &answer : NULL);
  if (code == VERIFIED)
    printf("verified: %s\n", v.message);
  else
    fprintf(stderr, "%s: %s\n", code == BROKEN ? "not verified" : "error",
            v.message);
  return code;
}
