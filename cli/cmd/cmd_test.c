/* cmd_test.c - ashlar test MODEL: runs the generated C (or the reference
 * interpreter) on recorded inputs and compares with recorded outputs. */
#include "commands.h"
#include "files.h"
#include "npz/npz.h"
#include "run/compare.h"
#include "run/driver.h"
#include "run/host_build.h"
#include "run/tiled_driver.h"
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* All cases of all inputs (or outputs) of the model, case after case. */
typedef struct record {
  uint8_t *bytes;
  uint64_t case_bytes, cases;
} record;

typedef struct job {
  session s;
  const char *model, *inputs, *expect, *save, *engine;
  double tolerance;
  bool json;
  ash_compiled compiled;
  record in, want, got;
} job;

enum { RUN_SECONDS = 1200 };

/* "FILE: error: BEFORE 'WHAT' AFTER" */
static bool complain(const char *file, const char *before, const char *what,
                     const char *after) {
  fprintf(stderr, "%s: error: %s%s%s%s%s\n", file, before, *what ? " '" : "",
          what, *what ? "' " : "", after);
  return false;
}

/* ---- ends of the model -------------------------------------------------- */

static size_t end_count(const ash_graph *g, bool inputs) {
  return inputs ? ash_graph_input_count(g) : ash_graph_output_count(g);
}

static const ash_tensor *end_tensor(const ash_graph *g, bool inputs, size_t i) {
  return ash_graph_tensor(g, inputs ? ash_graph_input(g, i)
                                    : ash_graph_output(g, i));
}

static uint64_t elements_of(const ash_tensor *t) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < t->shape.rank; i++)
    n *= (uint64_t)t->shape.dim[i];
  return n;
}

static uint64_t array_elements(const npz_array *a) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < a->rank; i++)
    n *= a->dims[i];
  return n;
}

/* By the tensor's name, else "input_3" or "output_3", else by position. */
static const npz_array *find_array(const npz_file *f, const ash_tensor *t,
                                   bool inputs, size_t i) {
  char key[32];
  const npz_array *a = npz_find(f, t->name);
  (void)snprintf(key, sizeof key, "%s_%zu", inputs ? "input" : "output", i);
  if (!a)
    a = npz_find(f, key);
  return a ? a : i < f->count ? &f->arrays[i] : NULL;
}

/* ---- reading records ---------------------------------------------------- */

/* One more dimension in front of a tensor's shape counts cases. */
static bool count_cases(record *r, const npz_array *a, const ash_tensor *t,
                        size_t i, const char *file) {
  const uint64_t n = elements_of(t), all = array_elements(a);
  const uint64_t cases = n ? all / n : 1;
  if ((n && all % n != 0) || cases == 0)
    return complain(file, "array", a->name, "does not have the tensor's shape");
  if (i && cases != r->cases)
    return complain(file, "array", a->name, "has another number of cases");
  r->cases = cases;
  r->case_bytes += t->bytes;
  return true;
}

static bool fill_record(record *r, const ash_graph *g, const npz_file *f,
                        bool inputs, const char *file) {
  uint64_t at = 0;
  for (size_t i = 0; i < end_count(g, inputs); i++) {
    const ash_tensor *t = end_tensor(g, inputs, i);
    const npz_array *a = find_array(f, t, inputs, i);
    const uint64_t n = elements_of(t);
    for (uint64_t k = 0; k < r->cases; k++) {
      const uint8_t *from =
          (const uint8_t *)a->data + k * n * ash_type_bits(a->type) / 8;
      if (!convert_elements(t->type, r->bytes + k * r->case_bytes + at, a->type,
                            from, n))
        return complain(file, "array", a->name,
                        "has values that the tensor's type cannot hold");
    }
    at += t->bytes;
  }
  return true;
}

static bool take_record(record *r, const ash_graph *g, const npz_file *f,
                        bool inputs, const char *file) {
  r->cases = 1;
  for (size_t i = 0; i < end_count(g, inputs); i++) {
    const ash_tensor *t = end_tensor(g, inputs, i);
    const npz_array *a = find_array(f, t, inputs, i);
    if (!a)
      return complain(file, "there is no array for tensor", t->name, "");
    if (!count_cases(r, a, t, i, file))
      return false;
  }
  r->bytes = malloc((size_t)(r->case_bytes * r->cases + 1));
  return r->bytes && fill_record(r, g, f, inputs, file);
}

static ash_status load_record(record *r, const ash_graph *g, const char *file,
                              bool inputs) {
  npz_file f;
  char *bytes;
  size_t count;
  if (!read_whole(file, &bytes, &count))
    return ASH_IO;
  bool done = npz_read(&f, bytes, count);
  free_whole(bytes);
  if (!done)
    (void)complain(file, f.error, "", "");
  done = done && take_record(r, g, &f, inputs, file);
  npz_drop(&f);
  return done ? ASH_OK : ASH_MALFORMED;
}

/* ---- engines ------------------------------------------------------------ */

static bool make_room(job *j) {
  const ash_graph *g = j->compiled.graph;
  j->got.cases = j->in.cases;
  for (size_t i = 0; i < end_count(g, false); i++)
    j->got.case_bytes += end_tensor(g, false, i)->bytes;
  j->got.bytes = calloc((size_t)(j->got.case_bytes * j->got.cases + 1), 1);
  return j->got.bytes != NULL;
}

static void split(const ash_graph *g, bool inputs, uint8_t *bytes,
                  void **pointers) {
  for (size_t i = 0; i < end_count(g, inputs); i++) {
    pointers[i] = bytes;
    bytes += end_tensor(g, inputs, i)->bytes;
  }
}

static ash_status run_reference(job *j) {
  const ash_graph *g = j->compiled.graph;
  void **in = calloc(end_count(g, true) + 1, sizeof *in);
  void **out = calloc(end_count(g, false) + 1, sizeof *out);
  void *state = malloc((size_t)ash_state_bytes(g) + 1);
  ash_status status = in && out && state ? ASH_OK : ASH_NOMEM;
  if (state)
    ash_first_state(g, state);
  for (uint64_t k = 0; k < j->in.cases && status == ASH_OK; k++) {
    split(g, true, j->in.bytes + k * j->in.case_bytes, in);
    split(g, false, j->got.bytes + k * j->got.case_bytes, out);
    status = ash_run_reference_again(j->s.ctx, g, (const void *const *)in, out,
                                     state);
  }
  free(state);
  free(in);
  free(out);
  return status;
}

/* A driver's text with the module's names. */
static char *with_names(const char *driver, const char *prefix) {
  const size_t n = strlen(prefix);
  size_t marks = 0;
  for (const char *p = driver; *p; p++)
    marks += *p == '%';
  char *text = malloc(strlen(driver) + 1 + marks * n);
  char *to = text;
  for (const char *p = driver; text && *p;) {
    const bool lower = strncmp(p, "%PREFIX%", 8) == 0;
    const bool upper = strncmp(p, "%UPPER%", 7) == 0;
    if (!lower && !upper) {
      *to++ = *p++;
      continue;
    }
    for (size_t i = 0; i < n; i++) {
      const char c = prefix[i];
      *to++ = (char)(upper && c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    p += lower ? 8 : 7;
  }
  if (text)
    *to = '\0';
  return text;
}

/* Runs the first cases with a DMA engine (NULL: there is none); the outputs go
 * to `got`. */
static bool run_program(const job *j, const host_build *b, uint64_t cases,
                        const char *engine, uint8_t *got) {
  char in[256], out[256], count[32];
  char *bytes;
  size_t size;
  host_build_path(b, in, sizeof in, "in.bin");
  host_build_path(b, out, sizeof out, "out.bin");
  (void)snprintf(count, sizeof count, "%" PRIu64, cases);
  const char *const args[] = {in, out, count, engine, NULL};
  if (!write_whole(in, j->in.bytes, (size_t)(j->in.case_bytes * cases)) ||
      !host_build_run(b, args, RUN_SECONDS) || !read_whole(out, &bytes, &size))
    return false;
  const bool complete = size == j->got.case_bytes * cases;
  if (complete)
    memcpy(got, bytes, size);
  free_whole(bytes);
  return complete || complain(out, "the program wrote too little", "", "");
}

/* Waiting is the same for all inputs, so few cases show what waits are worth;
 * threads are slow. */
enum { ENGINE_CASES = 4 };

/* The same bytes, whenever transfers happen. */
static bool run_engines(job *j, const host_build *b) {
  const uint64_t cases =
      j->in.cases < ENGINE_CASES ? j->in.cases : ENGINE_CASES;
  const size_t bytes = (size_t)(j->got.case_bytes * cases);
  uint8_t *got = malloc(bytes + 1);
  bool right = got && run_program(j, b, j->in.cases, "0", j->got.bytes);
  for (unsigned e = 1; right && tiled_engine_name(e); e++) {
    const char number[] = {(char)('0' + e), '\0'};
    right = run_program(j, b, cases, number, got);
    if (right && memcmp(got, j->got.bytes, bytes) != 0)
      right = complain(j->model, "other outputs with DMA that is",
                       tiled_engine_name(e), "");
  }
  free(got);
  return right;
}

/* ---- building ----------------------------------------------------------- */

enum { MOST_PORT_FILES = 8 };

static bool has_file(const ash_generated *files, size_t count,
                     const char *name) {
  for (size_t k = 0; k < count; k++)
    if (strcmp(files[k].name, name) == 0)
      return true;
  return false;
}

/* Files of the runtime that are not among these. */
static void add_missing(ash_generated *files, size_t *count,
                        const char *const *names) {
  for (; *names; names++) {
    ash_generated file = {.name = *names};
    file.bytes = ash_runtime_source(*names, &file.count);
    if (file.bytes && !has_file(files, *count, *names))
      files[(*count)++] = file;
  }
}

/* The module's files and those of the ports: DMA engines, and threads. */
static ash_generated *add_ports(const ash_compiled *c, size_t *count,
                                bool tiled) {
  static const char *const engines[] = {"ash_dma.h", "ash_dma_host.h",
                                        "ash_dma_host.c", NULL};
  static const char *const threads[] = {"ash_cores_threads.h",
                                        "ash_cores_threads.c", NULL};
  ash_generated *all = calloc(c->file_count + MOST_PORT_FILES, sizeof *all);
  *count = c->file_count;
  if (!all)
    return NULL;
  memcpy(all, c->files, c->file_count * sizeof *all);
  if (tiled)
    add_missing(all, count, engines);
  if (has_file(all, *count, "ash_cores.h"))
    add_missing(all, count, threads);
  return all;
}

static bool build_and_run(job *j, host_build *b, const char *driver,
                          bool tiled) {
  size_t count;
  ash_generated *files = add_ports(&j->compiled, &count, tiled);
  const bool done =
      files && host_build_make(b, j->s.ctx, files, count, driver) &&
      (tiled ? run_engines(j, b)
             : run_program(j, b, j->in.cases, NULL, j->got.bytes));
  free(files);
  return done;
}

static ash_status run_generated(job *j) {
  host_build b = {{0}, {0}};
  progress_say(&j->s.progress, "building and running the generated C");
  const char *prefix = j->compiled.render->prefix;
  const bool tiled = j->s.device->compute_memory != ASH_NO_MEMORY;
  char *driver = tiled ? tiled_driver_text(&j->compiled, j->s.device) : NULL;
  char *text = tiled && !driver
                   ? NULL
                   : with_names(tiled ? driver : driver_text, prefix);
  const bool done = text && build_and_run(j, &b, text, tiled);
  free(driver);
  free(text);
  host_build_drop(&b);
  progress_clear(&j->s.progress);
  return done ? ASH_OK : ASH_INTERNAL;
}

/* ---- results ------------------------------------------------------------ */

static ash_status save_outputs(const job *j) {
  const ash_graph *g = j->compiled.graph;
  const size_t count = end_count(g, false);
  npz_array *arrays = calloc(count + 1, sizeof *arrays);
  char(*names)[32] = calloc(count + 1, sizeof *names);
  char error[200] = "out of memory";
  uint64_t at = 0;
  bool done = arrays && names;
  for (size_t i = 0; done && i < count; i++) {
    const ash_tensor *t = end_tensor(g, false, i);
    npz_array *a = &arrays[i];
    (void)snprintf(names[i], sizeof *names, "output_%zu", i);
    *a = (npz_array){.name = names[i],
                     .type = t->type,
                     .rank = t->shape.rank + 1,
                     .bytes = (size_t)(t->bytes * j->got.cases)};
    a->dims[0] = j->got.cases;
    for (uint32_t k = 0; k < t->shape.rank && k + 1 < NPZ_RANK_MAX; k++)
      a->dims[k + 1] = (uint64_t)t->shape.dim[k];
    a->data = malloc(a->bytes + 1);
    done = a->data != NULL;
    for (uint64_t c = 0; done && c < j->got.cases; c++)
      memcpy((uint8_t *)a->data + c * t->bytes,
             j->got.bytes + c * j->got.case_bytes + at, (size_t)t->bytes);
    at += t->bytes;
  }
  done = done && npz_save(j->save, arrays, count, error);
  if (!done)
    (void)complain(j->save, error, "", "");
  for (size_t i = 0; arrays && i < count; i++)
    free(arrays[i].data);
  free(arrays);
  free(names);
  return done ? ASH_OK : ASH_IO;
}

static bool compare(const job *j) {
  const ash_graph *g = j->compiled.graph;
  comparison c = {0};
  for (uint64_t k = 0; k < j->want.cases; k++) {
    uint64_t at = 0;
    for (size_t i = 0; i < end_count(g, false); i++) {
      const ash_tensor *t = end_tensor(g, false, i);
      compare_arrays(&c, t->type, j->got.bytes + k * j->got.case_bytes + at,
                     j->want.bytes + k * j->want.case_bytes + at,
                     elements_of(t), j->tolerance);
      at += t->bytes;
    }
  }
  if (j->json)
    printf("{\"errors\": %" PRIu64 ", \"values\": %" PRIu64
           ", \"max_difference\": %.9g}\n",
           c.errors, c.count, c.max_difference);
  else
    printf("errors: %" PRIu64 " of %" PRIu64 ", max difference %g\n", c.errors,
           c.count, c.max_difference);
  return c.errors == 0;
}

static ash_status prepare(job *j, bool generated) {
  if (!generated) { /* the model as it came, untouched by passes */
    j->s.options.stop = true;
    j->s.options.stop_after = ASH_STAGE_READ;
  }
  ash_status status =
      ash_compile(j->s.ctx, &j->compiled, j->model, j->s.device, &j->s.options);
  if (status == ASH_OK)
    status = load_record(&j->in, j->compiled.graph, j->inputs, true);
  if (status == ASH_OK && j->expect)
    status = load_record(&j->want, j->compiled.graph, j->expect, false);
  if (status != ASH_OK)
    return status;
  if (j->expect && j->want.cases != j->in.cases) {
    (void)complain(j->expect, "has another number of cases than the inputs", "",
                   "");
    return ASH_MALFORMED;
  }
  return make_room(j) ? ASH_OK : ASH_NOMEM;
}

static int test(job *j) {
  const bool generated = strcmp(j->engine, "generated") == 0;
  bool right = true;
  ash_status status = prepare(j, generated);
  if (status == ASH_OK)
    status = generated ? run_generated(j) : run_reference(j);
  if (status == ASH_OK && j->save)
    status = save_outputs(j);
  if (status == ASH_OK && j->expect)
    right = compare(j);
  ash_compiled_drop(&j->compiled);
  free(j->in.bytes);
  free(j->want.bytes);
  free(j->got.bytes);
  const int code = session_close(&j->s, status);
  return code ? code : right ? 0 : 1;
}

int cmd_test(int argc, char **argv) {
  job j = {.engine = "generated", .tolerance = 1e-4};
  arg_list models;
  const arg_option options[] = {
      {"inputs", 'i', ARG_TEXT, &j.inputs, "IN.npz",
       "recorded inputs, .npz or .npy; arrays by tensor name, as input_0, "
       "input_1, ... or in order"},
      {"expect", 'e', ARG_TEXT, &j.expect, "OUT.npz",
       "recorded outputs, to compare with"},
      {"save", 0, ARG_TEXT, &j.save, "OUT.npz",
       "write the outputs as arrays output_0, output_1, ..."},
      {"engine", 0, ARG_TEXT, &j.engine, "NAME",
       "generated (default): the C, built for this machine; reference: the "
       "interpreter"},
      {"tolerance", 0, ARG_REAL, &j.tolerance, "T",
       "relative tolerance of floats (default 1e-4); integers must be equal if "
       "it is below 1"},
      {"prefix", 'p', ARG_TEXT, &j.s.options.prefix, "NAME",
       "start of every C name"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "print the result as JSON"},
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("test");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0 && (!j.inputs || (!j.expect && !j.save)))
    code = usage_error(cmd, "--inputs and --expect (or --save) are needed");
  if (code < 0 && strcmp(j.engine, "generated") != 0 &&
      strcmp(j.engine, "reference") != 0)
    code = usage_error(cmd, "engines: generated, reference");
  if (code < 0)
    code = session_open(&j.s, cmd);
  if (code >= 0)
    return code;
  j.model = models.items[0];
  return test(&j);
}
