/* cmd_check_csv.c - ashlar check --csv FILE: is the placement in the file's
 * offset column right? Any solver's file will do. */
#include "args.h"
#include "ashlar/place.h"
#include "commands.h"
#include "files.h"
#include "print_diag.h"

#include <stdlib.h>

static ash_status check_rows(ash_ctx *ctx, const char *path, const ash_csv *csv,
                             uint64_t capacity, uint64_t *height) {
  const size_t n = csv->count;
  ash_buffer *buffers = malloc((n + 1) * sizeof *buffers);
  int64_t *offsets = malloc((n + 1) * sizeof *offsets);
  ash_status status = ASH_NOMEM;
  for (size_t i = 0; buffers && offsets && i < n; i++) {
    buffers[i] = csv->buffers[i];
    offsets[i] = buffers[i].offset;
    buffers[i].offset = ASH_FREE_OFFSET;
  }
  const ash_place_problem problem = {
      .buffers = buffers, .buffer_count = n, .capacity = capacity};
  if (buffers && offsets)
    status = ash_place_check(ctx, height, &problem, offsets);
  if (status == ASH_MALFORMED)
    fprintf(stderr, "%s: the placement is wrong (rows count from 0)\n", path);
  free(buffers);
  free(offsets);
  return status;
}

/* Every row needs an offset: an empty cell is for the solver to fill. */
static bool has_all_offsets(const char *path, const ash_csv *csv) {
  if (csv->count && !csv->has_offsets) {
    fprintf(stderr, "%s: there is no offset column to check\n", path);
    return false;
  }
  for (size_t i = 0; i < csv->count; i++)
    if (csv->buffers[i].offset == ASH_FREE_OFFSET) {
      fprintf(stderr, "%s: buffer %s has no offset to check\n", path,
              csv->ids[i]);
      return false;
    }
  return true;
}

static ash_status check_file(ash_ctx *ctx, const char *path, uint64_t capacity,
                             uint64_t *height) {
  char *bytes;
  size_t count;
  ash_csv csv;
  if (!read_whole(path, &bytes, &count))
    return ASH_IO;
  ash_status status = ash_csv_read(ctx, &csv, bytes, count, path);
  free_whole(bytes);
  if (status == ASH_OK && !has_all_offsets(path, &csv))
    status = ASH_MALFORMED;
  if (status == ASH_OK)
    status = check_rows(ctx, path, &csv, capacity, height);
  return status;
}

int cmd_check_csv(int argc, char **argv) {
  bool quiet = false;
  const char *path = NULL;
  uint64_t capacity = 0, height = 0;
  arg_list rest;
  const arg_option options[] = {
      {"csv", 0, ARG_TEXT, &path, "FILE", "a solution: id,...,size,offset"},
      {"capacity", 0, ARG_NUMBER, &capacity, "N", "no buffer may end above"},
      {"quiet", 'q', ARG_FLAG, &quiet, NULL, "say nothing but errors"},
      {0}};
  const command *cmd = find_command("check");
  const int code = args_parse(cmd, argc, argv, options, &rest);
  if (code >= 0)
    return code;
  if (!path || rest.count)
    return usage_error(cmd, "one CSV file is needed");
  ash_ctx *ctx;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return exit_code_of(ASH_NOMEM);
  const ash_status status = check_file(ctx, path, capacity, &height);
  print_diags(ctx, stderr);
  ash_ctx_free(ctx);
  if (status == ASH_OK && !quiet)
    printf("%s: the placement is right, height %llu\n", path,
           (unsigned long long)height);
  return exit_code_of(status);
}
