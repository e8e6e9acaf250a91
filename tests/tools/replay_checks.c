/* replay_checks.c - runs recorded calls of `ashlar check` again, each in a
 * process of its own but without starting a program: tools/mutate judges
 * mutants of the checkers by thousands of them.
 *
 *   replay_checks LIST
 *
 * A line of LIST is an exit code and the arguments, separated by tabs. The
 * first call that ends otherwise is printed and makes the exit code 1. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 32, SECONDS = 60 };

/* Splits a line in place; returns the count of words. */
static int words_of(char *line, char **words) {
  int count = 0;
  line[strcspn(line, "\n")] = '\0';
  for (char *at = strtok(line, "\t"); at; at = strtok(NULL, "\t")) {
    if (count == MOST_ARGUMENTS)
      exit(64);
    words[count++] = at;
  }
  words[count] = NULL;
  return count;
}

/* The exit code of a call; -1 if it crashed or did not end. */
static int outcome(int argc, char **argv) {
  const pid_t child = fork();
  if (child == 0) {
    (void)alarm(SECONDS);
    if (!freopen("/dev/null", "w", stdout) ||
        !freopen("/dev/null", "w", stderr))
      _exit(64);
    _exit(cmd_check(argc, argv));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    exit(64);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv) {
  FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!list)
    return 64;
  char line[65536], *words[MOST_ARGUMENTS + 1];
  while (fgets(line, sizeof line, list)) {
    const int count = words_of(line, words);
    const int expected = atoi(words[0]);
    const int code = outcome(count - 1, words + 1);
    if (code == expected)
      continue;
    printf("exit code %d instead of %d:", code, expected);
    for (int i = 1; i < count; i++)
      printf(" %s", words[i]);
    printf("\n");
    return 1;
  }
  fclose(list);
  return 0;
}
