/* session.c - see session.h. */
#include "session.h"

#include "print_diag.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_dump(void *user, ash_stage stage, const char *text,
                       size_t count) {
  const session *s = user;
  if (s->dump_after && strcmp(s->dump_after, ash_stage_text(stage)) == 0)
    (void)fwrite(text, 1, count, stdout);
}

static int check_stage(const session *s, const char *name, const char *option) {
  if (!name || ash_stage_find(name) != ASH_STAGE_COUNT)
    return -1;
  return usage_error(s->cmd,
                     "'%s' is no stage for --%s: read, pass, plan, emit", name,
                     option);
}

/* "=99T": digits and a letter, so what is wrong is the amount. */
static bool is_size_word(const char *equals) {
  if (!equals)
    return false;
  const size_t digits = strspn(equals + 1, "0123456789");
  const char *unit = equals + 1 + digits;
  return digits && (!*unit || (strchr("KMGTPkmgtp", *unit) && !unit[1]));
}

/* "MEM=SIZE" in two parts. */
static int split_size(session *s, const char *text, char name[64],
                      uint64_t *bytes) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || (size_t)(equals - text) >= 64 ||
      !ash_parse_bytes(bytes, equals + 1)) {
    (void)session_close(s, ASH_MISUSE);
    return usage_error(s->cmd,
                       is_size_word(equals)
                           ? "'%s': the size is too large"
                           : "'%s' is not MEM=SIZE, as in DTCM=64K",
                       text);
  }
  memcpy(name, text, (size_t)(equals - text));
  name[equals - text] = '\0';
  return -1;
}

static int apply_set(session *s, const char *set) {
  char name[64];
  uint64_t bytes;
  const int code = split_size(s, set, name, &bytes);
  if (code >= 0)
    return code;
  const ash_status status =
      ash_device_set_bytes(s->ctx, &s->device, name, bytes);
  return status == ASH_OK ? -1 : session_close(s, status);
}

static int take_budgets(session *s) {
  for (size_t i = 0; i < s->budgets.count; i++) {
    uint64_t bytes;
    const int code = split_size(s, s->budgets.items[i], s->names[i], &bytes);
    if (code >= 0)
      return code;
    s->constraints[i] = (ash_memory_constraint){s->names[i], bytes};
  }
  s->options.plan.constraints = s->constraints;
  s->options.plan.constraint_count = s->budgets.count;
  s->options.plan.timeout_seconds = (uint32_t)s->timeout;
  return -1;
}

static ash_status read_rules(session *s) {
  ash_status status = ASH_OK;
  if (s->rule_files.count + s->rules.count)
    status = ash_rules_new(s->ctx, &s->book);
  for (size_t i = 0; i < s->rule_files.count && status == ASH_OK; i++)
    status = ash_rules_load(s->ctx, s->book, s->rule_files.items[i]);
  for (size_t i = 0; i < s->rules.count && status == ASH_OK; i++)
    status = ash_rules_add(s->ctx, s->book, s->rules.items[i]);
  s->options.plan.rules = s->book;
  return status;
}

static int take_kernels(session *s) {
  if (s->kernels)
    s->options.kernels = ash_kernels_find(s->kernels);
  if (s->options.kernels != ASH_KERNELS_COUNT)
    return -1;
  return usage_error(s->cmd,
                     "--kernels takes auto, portable or cmsis-nn, not '%s'",
                     s->kernels);
}

static int take_order(session *s) {
  s->options.plan.feed = s->feeds.items;
  s->options.plan.feed_count = (uint32_t)s->feeds.count;
  s->options.plan.drain = s->drains.items;
  s->options.plan.drain_count = (uint32_t)s->drains.count;
  if (!s->order)
    return -1;
  for (ash_order_kind k = ASH_ORDER_AUTO; k <= ASH_ORDER_ROWS; k++)
    if (strcmp(s->order, ash_order_text(k)) == 0) {
      s->options.plan.order = k;
      return -1;
    }
  return usage_error(s->cmd,
                     "--order takes auto, given, operators or rows, not '%s'",
                     s->order);
}

static int take_moves(session *s) {
  if (!s->moves)
    return -1;
  for (int k = ASH_MOVES_AUTO; k <= ASH_MOVES_SMALLEST; k++)
    if (strcmp(s->moves, ash_move_policy_text((ash_move_policy)k)) == 0) {
      s->options.plan.moves = (ash_move_policy)k;
      return -1;
    }
  return usage_error(
      s->cmd, "--moves takes auto, never, fit or smallest, not '%s'", s->moves);
}

static int take_buffering(session *s) {
  const char *text = s->buffering;
  if (!text || strcmp(text, "auto") == 0)
    return -1;
  if (text[0] < '1' || text[0] > '0' + ASH_TILE_COPIES || text[1])
    return usage_error(s->cmd, "--buffering takes 1, 2, 3 or auto, not '%s'",
                       text);
  s->options.tile.buffering = (uint32_t)(text[0] - '0');
  return -1;
}

/* Of a device that says how many it has, no more than these. */
static int take_cores(session *s) {
  const uint32_t has = s->device->features.cores;
  char *end;
  if (!s->cores)
    return -1;
  if (strcmp(s->cores, "all") == 0) {
    s->options.plan.cores = has;
    return -1;
  }
  const unsigned long count = strtoul(s->cores, &end, 10);
  if (s->cores[0] < '0' || s->cores[0] > '9' || *end || count < 1 ||
      count > ASH_CORES_MAX)
    return usage_error(s->cmd, "--cores takes 1 to %d or all, not '%s'",
                       ASH_CORES_MAX, s->cores);
  if (has > 1 && count > has)
    return usage_error(s->cmd, "--cores %lu: %s has %u", count,
                       s->target ? s->target : "host", (unsigned)has);
  s->options.plan.cores = (uint32_t)count;
  return -1;
}

int session_open(session *s, const command *cmd) {
  s->cmd = cmd;
  if (!term_open(&s->out, stdout, s->color, s->ascii))
    return usage_error(cmd, "--color takes auto, always or never, not '%s'",
                       s->color);
  if (s->quiet && s->verbose)
    return usage_error(cmd, "--quiet and --verbose contradict each other");
  int code = check_stage(s, s->dump_after, "dump-after");
  if (code < 0)
    code = check_stage(s, s->stop_after, "stop-after");
  if (code < 0)
    code = take_buffering(s);
  if (code < 0)
    code = take_kernels(s);
  if (code < 0)
    code = take_order(s);
  if (code < 0)
    code = take_moves(s);
  if (code >= 0)
    return code;
  if (ash_ctx_new(&s->ctx, NULL) != ASH_OK) {
    fprintf(stderr, "ashlar: out of memory\n");
    return exit_code_of(ASH_NOMEM);
  }
  progress_open(&s->progress, s->quiet);
  progress_listen(&s->progress, s->ctx);
  s->options.struct_bytes = sizeof s->options;
  s->options.plan.struct_bytes = sizeof s->options.plan;
  ash_load_options *load = &s->options.load;
  load->struct_bytes = sizeof *load;
  load->input_shapes = s->shapes.items;
  load->input_shape_count = s->shapes.count;
  load->input_types = s->types.items;
  load->input_type_count = s->types.count;
  load->output_types = s->out_types.items;
  load->output_type_count = s->out_types.count;
  load->constants = s->constants.items;
  load->constant_count = s->constants.count;
  load->states = s->states.items;
  load->state_count = s->states.count;
  load->customs = s->customs.items;
  load->custom_count = s->customs.count;
  s->options.no_passes = s->no_passes.items;
  s->options.no_pass_count = s->no_passes.count;
  s->options.stop = s->stop_after != NULL;
  if (s->stop_after)
    s->options.stop_after = ash_stage_find(s->stop_after);
  if (s->dump_after) {
    s->options.dump = print_dump;
    s->options.dump_user = s;
  }
  const ash_status status =
      ash_device_load(s->ctx, &s->device, s->target ? s->target : "host");
  if (status != ASH_OK)
    return session_close(s, status);
  for (size_t i = 0; i < s->sets.count; i++) {
    code = apply_set(s, s->sets.items[i]);
    if (code >= 0)
      return code;
  }
  code = take_budgets(s);
  if (code < 0)
    code = take_cores(s);
  if (code >= 0)
    return code;
  const ash_status read = read_rules(s);
  return read == ASH_OK ? -1 : session_close(s, read);
}

void print_session_diags(session *s) {
  progress_clear(&s->progress);
  if (s->quiet)
    ash_ctx_forget(s->ctx);
  else
    print_diags_as(s->ctx, stderr, s->color);
}

int session_close(session *s, ash_status status) {
  progress_clear(&s->progress);
  if (s->ctx) {
    if (!s->quiet || status != ASH_OK)
      print_diags_as(s->ctx, stderr, s->color);
    ash_ctx_free(s->ctx);
    s->ctx = NULL;
  }
  return exit_code_of(status);
}

bool is_stdout(const char *path) {
  return path && strcmp(path, "-") == 0;
}

ash_status write_text(session *s, const char *path, const char *text,
                      size_t count) {
  if (is_stdout(path))
    return fwrite(text, 1, count, stdout) == count && fflush(stdout) == 0
               ? ASH_OK
               : ASH_IO;
  const char *slash = strrchr(path, '/');
  char folder[4096] = ".";
  if (slash) {
    const size_t n = (size_t)(slash - path);
    if (n >= sizeof folder)
      return ASH_IO;
    memcpy(folder, slash == path ? "/" : path, n ? n : 1);
    folder[n ? n : 1] = '\0';
  }
  const ash_generated file = {slash ? slash + 1 : path, text, count};
  struct stat info;
  const bool is_new = stat(folder, &info) != 0;
  const ash_status status = ash_write_files(s->ctx, folder, &file, 1);
  if (status == ASH_OK && is_new && !s->quiet) /* it may be a slip */
    fprintf(stderr, "made the folder '%s'\n", folder);
  return status;
}

ash_status write_json(session *s, const char *path, const ash_compiled *c) {
  const char *text;
  size_t count;
  if (!path)
    return ASH_OK;
  const ash_status status =
      ash_plan_json(s->ctx, &text, &count, c->plan, c->graph);
  return status == ASH_OK ? write_text(s, path, text, count) : status;
}

ash_status write_report(session *s, const char *path, const ash_compiled *c,
                        const ash_report_certificate *certificate) {
  const char *text;
  size_t count;
  if (!path)
    return ASH_OK;
  ash_status status = ash_report_html(s->ctx, &text, &count, c->plan, c->graph);
  if (status == ASH_OK && certificate)
    status = ash_report_certified(s->ctx, &text, &count, certificate);
  return status == ASH_OK ? write_text(s, path, text, count) : status;
}
