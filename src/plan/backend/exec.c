/* exec.c - a program as planner: the request goes to its standard input, the
 * answer comes from its standard output (docs/planners.md).
 *
 * Time is kept by the system, not read here: the program gets an alarm before
 * it starts, and nobody waits longer than that for a word from it. The program
 * is its own process group, so that its children end with it. */
#include "plan/backend/request.h"
#include "plan/planner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  DEFAULT_SECONDS = 60,
  ARGUMENT_MAX = 32,
  PIECE = 65536,
  ANSWER_MAX = 1 << 26 /* bytes: offsets of a million slots */
};

typedef struct child {
  ash_ctx *ctx;
  pid_t pid;
  int in, out; /* our ends */
  uint32_t seconds;
  const char *name;
} child;

/* ---- starting ------------------------------------------------------------ */

/* Words separated by blanks; "..." and '...' keep blanks. */
static int split(char *text, char **words) {
  int count = 0;
  while (count < ARGUMENT_MAX) {
    text += strspn(text, " ");
    if (!*text)
      break;
    const bool quoted = *text == '"' || *text == '\'';
    const char end[] = {(char)(quoted ? *text++ : ' '), '\0'};
    words[count++] = text;
    text += strcspn(text, end);
    if (*text)
      *text++ = '\0';
  }
  ASH_ASSERT(count <= ARGUMENT_MAX);
  words[count] = NULL;
  return count;
}

static void become(char **words, const int to[2], const int from[2],
                   uint32_t seconds) {
  ASH_ASSERT(words[0] != NULL && seconds > 0);
  (void)setpgid(0, 0);
  if (dup2(to[0], 0) < 0 || dup2(from[1], 1) < 0)
    _exit(126);
  (void)close(to[0]);
  (void)close(to[1]);
  (void)close(from[0]);
  (void)close(from[1]);
  (void)alarm(seconds);
  (void)execvp(words[0], words);
  _exit(127);
}

static ash_status no_start(child *c) {
  return ash_fail(c->ctx, ASH_IO, ASH_D_planner_load, ASH_NOWHERE,
                  "%s cannot be started: %s", c->name, strerror(errno));
}

static ash_status start(child *c, char **words) {
  ASH_ASSERT(c->in < 0 && c->out < 0 && words[0] != NULL);
  int to[2], from[2];
  if (pipe(to) != 0)
    return no_start(c);
  if (pipe(from) != 0) {
    (void)close(to[0]);
    (void)close(to[1]);
    return no_start(c);
  }
  c->pid = fork();
  if (c->pid == 0)
    become(words, to, from, c->seconds);
  (void)close(to[0]);
  (void)close(from[1]);
  c->in = to[1];
  c->out = from[0];
  if (c->pid > 0)
    (void)setpgid(c->pid, c->pid);
  (void)fcntl(c->in, F_SETFL, O_NONBLOCK);
  return c->pid > 0 ? ASH_OK : no_start(c);
}

/* ---- talking ------------------------------------------------------------- */

static void shut(int *fd) {
  if (*fd >= 0)
    (void)close(*fd);
  *fd = -1;
}

static ash_status too_slow(child *c) {
  ASH_ASSERT(c->pid > 0);
  (void)kill(-c->pid, SIGKILL);
  return ash_fail(c->ctx, ASH_LIMIT, ASH_D_planner_timeout, ASH_NOWHERE,
                  "%s did not answer within %u seconds", c->name,
                  (unsigned)c->seconds);
}

static ash_status too_long(child *c) {
  ASH_ASSERT(c->pid > 0);
  (void)kill(-c->pid, SIGKILL);
  return ash_fail(c->ctx, ASH_LIMIT, ASH_D_planner_answer, ASH_NOWHERE,
                  "%s answers more than %d bytes", c->name, (int)ANSWER_MAX);
}

/* As much as the pipe takes; a program that does not listen may still have
 * something to say. */
static void send(child *c, const ash_text *question, size_t *sent) {
  ASH_ASSERT(c->in >= 0 && *sent <= question->count);
  const ssize_t n =
      write(c->in, question->bytes + *sent, question->count - *sent);
  if (n > 0)
    *sent += (size_t)n;
  else if (n < 0 && errno != EAGAIN && errno != EINTR)
    shut(&c->in);
  if (*sent == question->count)
    shut(&c->in);
}

static void receive(child *c, ash_text *answer, char *piece) {
  ASH_ASSERT(c->out >= 0);
  const ssize_t n = read(c->out, piece, PIECE);
  if (n > 0)
    ash_text_put(answer, piece, (size_t)n);
  else if (n == 0 || (errno != EAGAIN && errno != EINTR))
    shut(&c->out);
}

static ash_status talk(child *c, const ash_text *question, ash_text *answer) {
  char *piece = ASH_NEW_ARRAY(&c->ctx->scratch, char, PIECE);
  size_t sent = 0;
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  while (c->out >= 0) {
    struct pollfd fds[2] = {{.fd = c->out, .events = POLLIN},
                            {.fd = c->in, .events = POLLOUT}};
    const int ready = poll(fds, 2, (int)(c->seconds * 1000 + 500));
    if (ready == 0)
      return too_slow(c);
    if (ready < 0 && errno != EINTR)
      return no_start(c);
    if (ready > 0 && fds[1].revents)
      send(c, question, &sent);
    if (ready > 0 && fds[0].revents)
      receive(c, answer, piece);
    if (answer->count > ANSWER_MAX)
      return too_long(c);
  }
  return ash_text_check(c->ctx, answer);
}

static ash_status finish(child *c, ash_status status) {
  ASH_ASSERT(c->pid > 0);
  int how = 0;
  shut(&c->in);
  shut(&c->out);
  if (status != ASH_OK)
    (void)kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, &how, 0) < 0 && errno == EINTR) {
  }
  if (status != ASH_OK)
    return status;
  if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM)
    return too_slow(c);
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
    return ASH_OK;
  return ash_fail(c->ctx, ASH_IO, ASH_D_planner_answer, ASH_NOWHERE,
                  WIFEXITED(how) && WEXITSTATUS(how) == 127
                      ? "%s cannot be started"
                      : "%s did not end with exit code 0",
                  c->name);
}

static ash_status converse(child *c, char **words, const ash_text *question,
                           ash_text *answer) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  ASH_TRY(start(c, words));
  (void)sigaction(SIGPIPE, &ignore, &before);
  const ash_status status = talk(c, question, answer);
  (void)sigaction(SIGPIPE, &before, NULL);
  return finish(c, status);
}

/* ---- the backend --------------------------------------------------------- */

static ash_status plan(void *user, ash_ctx *ctx, const ash_plan_request *ask,
                       ash_plan_answer *answer) {
  const char *command = user;
  char *words[ARGUMENT_MAX + 1];
  char *copy = ash_zone_string(&ctx->scratch, command);
  ash_text question, text;
  child c = {.ctx = ctx,
             .in = -1,
             .out = -1,
             .seconds = ask->options->timeout_seconds
                            ? ask->options->timeout_seconds
                            : DEFAULT_SECONDS};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  if (split(copy, words) == 0)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_planner_load, ASH_NOWHERE,
                    "'exec:' needs the name of a program");
  c.name = words[0];
  ash_text_init(&question, &ctx->mem);
  ash_text_init(&text, &ctx->mem);
  ash_request_json(&question, ask);
  ash_status status = ash_text_check(ctx, &question);
  if (status == ASH_OK)
    status = converse(&c, words, &question, &text);
  if (status == ASH_OK)
    status = ash_answer_parse(ctx, answer, ask, text.bytes ? text.bytes : "",
                              text.count, c.name);
  ash_text_drop(&question);
  ash_text_drop(&text);
  return status;
}

ash_status ash_exec_planner(ash_ctx *ctx, const ash_planner **out,
                            const char *command) {
  ASH_ASSERT(strncmp(command, "exec:", 5) == 0);
  ash_planner *made = ASH_NEW(&ctx->keep, ash_planner);
  char *kept = ash_zone_string(&ctx->keep, command);
  *out = NULL;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  *made = (ash_planner){.abi = ASH_PLANNER_ABI,
                        .name = kept,
                        .help = "an external program",
                        .plan = plan,
                        .user = kept + strlen("exec:")};
  *out = made;
  return ASH_OK;
}
