/* loaded.c - see loaded.h. */
#include "loaded.h"

#include "check.h"
#include "context.h"
#include "read/read.h"

loaded loaded_from(const char *path) {
  loaded l = {.ctx = new_ctx()};
  if (ash_file_read(l.ctx, &l.file, path) != ASH_OK) {
    ash_file_drop(&l.file);
    ash_ctx_free(l.ctx);
    SKIP("the shared models are not here");
  }
  l.status = ash_read_model(l.ctx, &l.g, l.file.bytes, l.file.count, path);
  return l;
}

void loaded_drop(loaded *l) {
  ash_graph_free(l->g);
  ash_file_drop(&l->file);
  ash_ctx_free(l->ctx);
}

const ash_tensor *tensor_by_id(const ash_graph *g, const char *id) {
  for (uint32_t i = 0; i < ash_graph_tensor_count(g); i++)
    if (strcmp(ash_graph_tensor(g, i)->id, id) == 0)
      return ash_graph_tensor(g, i);
  CHECK_STR(id, "the id of a tensor");
  return NULL;
}

void check_shape(const ash_tensor *t, const char *want) {
  char text[128] = "";
  for (uint32_t i = 0; i < t->shape.rank; i++) {
    const size_t n = strlen(text);
    (void)snprintf(text + n, sizeof text - n, "%s%d", i ? "," : "",
                   (int)t->shape.dim[i]);
  }
  CHECK_STR(text, want);
}

void check_pads(const ash_op *op, int top, int left, int bottom, int right) {
  CHECK_EQ(ash_attr_int(op, "pad_top", -1), top);
  CHECK_EQ(ash_attr_int(op, "pad_left", -1), left);
  CHECK_EQ(ash_attr_int(op, "pad_bottom", -1), bottom);
  CHECK_EQ(ash_attr_int(op, "pad_right", -1), right);
}
