/* peak.c - runs a command and prints its peak resident memory in KiB. A program
 * of its own because a child's figure starts from that of whoever started it,
 * and a script's interpreter is larger than what is measured. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct rusage usage;
  int status = 1;
  if (argc < 2)
    return 64;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child ||
      getrusage(RUSAGE_CHILDREN, &usage) != 0)
    return 1;
  printf("%ld\n", usage.ru_maxrss);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
