/* customs.c - see customs.h. */
#include "read/customs.h"

#include "base/file.h"
#include "base/yaml.h"
#include "read/given.h"

#include <string.h>

enum { OUTPUTS_MAX = 64, SCRATCH_MAX = 1 << 30 };

static bool is_yaml(const char *text) {
  const char *dot = strrchr(text, '.');
  return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static bool find_type(ash_type *out, const char *word, size_t n) {
  for (int i = 0; i < ASH_TYPE_COUNT; i++) {
    const char *name = ash_type_text((ash_type)i);
    if (i != ASH_NONE && strlen(name) == n && strncmp(name, word, n) == 0) {
      *out = (ash_type)i;
      return true;
    }
  }
  return false;
}

/* "float32[1,10,4]" */
static ash_status read_output(ash_ctx *ctx, ash_custom_output *out,
                              const ash_yaml *node) {
  const char *text;
  ASH_TRY(ash_yaml_string(ctx, &text, node, "an output"));
  const size_t n = strcspn(text, "["), all = strlen(text);
  if (n == all || text[all - 1] != ']' || !find_type(&out->type, text, n)) {
    (void)ash_fail(ctx, ASH_MALFORMED, ASH_D_custom_file, ash_yaml_loc(node),
                   "'%.60s' is no type and shape", text);
    ash_hint(ctx, "as in \"float32[1,10,4]\"");
    return ASH_MALFORMED;
  }
  const char *dims =
      ash_zone_format(&ctx->scratch, "%.*s", (int)(all - n - 2), text + n + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(ash_given_read_shape(ctx, &out->shape, dims, text));
  if (ash_shape_elements(&out->shape) == 0)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_custom_file, ash_yaml_loc(node),
                    "'%.60s' holds no elements", text);
  return ASH_OK;
}

static ash_status read_outputs(ash_ctx *ctx, ash_custom *c,
                               const ash_yaml *list) {
  ASH_TRY(ash_yaml_want_list(ctx, list, "'outputs'"));
  if (list->count == 0 || list->count > OUTPUTS_MAX)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_custom_file, ash_yaml_loc(list),
                    "%zu outputs, expected 1 to %d", list->count, OUTPUTS_MAX);
  ash_custom_output *all =
      ASH_NEW_ARRAY(&ctx->scratch, ash_custom_output, list->count);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (const ash_yaml_item *i = list->first; i; i = i->next)
    ASH_TRY(read_output(ctx, &all[c->output_count++], i->node));
  c->outputs = all;
  return ASH_OK;
}

static ash_status read_map(ash_ctx *ctx, ash_custom *c, const ash_yaml *map) {
  static const char *const keys[] = {"name", "outputs", "scratch", "in_place"};
  ASH_TRY(ash_yaml_want_map(ctx, map, "a custom operator"));
  ASH_TRY(ash_yaml_check_keys(ctx, map, keys, ASH_COUNT_OF(keys),
                              "a custom operator"));
  ASH_TRY(ash_yaml_need_string(ctx, &c->name, map, "name"));
  const ash_yaml *outputs = ash_yaml_get(map, "outputs");
  const ash_yaml *scratch = ash_yaml_get(map, "scratch");
  const ash_yaml *in_place = ash_yaml_get(map, "in_place");
  if (outputs)
    ASH_TRY(read_outputs(ctx, c, outputs));
  if (scratch)
    ASH_TRY(ash_yaml_u32(ctx, &c->scratch, scratch, "'scratch'", SCRATCH_MAX));
  if (in_place)
    ASH_TRY(ash_yaml_bool(ctx, &c->in_place, in_place, "'in_place'"));
  return ASH_OK;
}

static ash_status read_file(ash_ctx *ctx, ash_custom *c, const char *path) {
  ash_file file;
  const ash_yaml *map;
  ASH_TRY(ash_file_read(ctx, &file, path));
  ash_status status =
      ash_yaml_parse(ctx, &map, &ctx->scratch, (const char *)file.bytes,
                     (size_t)file.count, path);
  ash_file_drop(&file);
  c->file = path;
  return status == ASH_OK ? read_map(ctx, c, map) : status;
}

ash_status ash_customs_read(ash_ctx *ctx, ash_customs *out,
                            const ash_load_options *options) {
  const size_t count = options ? options->custom_count : 0;
  *out = (ash_customs){.items =
                           ASH_NEW_ARRAY(&ctx->scratch, ash_custom, count + 1)};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < count; i++) {
    ash_custom *c = &out->items[out->count++];
    c->name = options->customs[i];
    if (is_yaml(c->name))
      ASH_TRY(read_file(ctx, c, c->name));
  }
  return ASH_OK;
}

const ash_custom *ash_customs_find(const ash_customs *all, const char *name) {
  for (size_t i = 0; name && i < all->count; i++)
    if (strcmp(all->items[i].name, name) == 0)
      return &all->items[i];
  return NULL;
}
