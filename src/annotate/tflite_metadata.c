/* tflite_metadata.c - see tflite_metadata.h.
 *
 * References inside a FlatBuffer point forward and are relative, so a file can
 * be put behind a new head as it is: the new root table, with longer lists of
 * buffers and metadata, points into the old bytes, which are not touched. */
#include "annotate/tflite_metadata.h"

#include "base/checked.h"
#include "read/flatbuf.h"

#include <string.h>

/* Field numbers of the format. */
enum {
  MODEL_VERSION = 0,
  MODEL_DESCRIPTION = 3,
  MODEL_BUFFERS = 4,
  MODEL_METADATA = 6,
  BUFFER_DATA = 0,
  BUFFER_OFFSET = 1,
  METADATA_NAME = 0,
  METADATA_BUFFER = 1
};

enum {
  ROOT_FIELDS = 8, /* version .. signature definitions                     */
  HEAD_ALIGN = 64, /* keeps whatever alignment the old bytes relied on     */
  DATA_ALIGN = 16, /* the format's own rule for buffers                    */
  ROOT_AT = 28,    /* behind root reference, identifier and vtable         */
  LISTS_AT = ROOT_AT + 4 + 4 * ROOT_FIELDS
};

typedef struct opened {
  ash_ctx *ctx;
  ash_fb fb;
  ash_fb_table model;
  ash_fb_vector buffers, metadata;
} opened;

static ash_status open_file(ash_ctx *ctx, opened *o,
                            const ash_model_file *file) {
  o->ctx = ctx;
  o->fb = ash_fb_over(file->bytes, file->count);
  o->model = ash_fb_root(&o->fb, "TFL3");
  o->buffers = ash_fb_vec(&o->model, MODEL_BUFFERS, 4);
  o->metadata = ash_fb_vec(&o->model, MODEL_METADATA, 4);
  return ash_fb_check(ctx, &o->fb, file->name);
}

static bool has_name(const ash_fb_table *entry, const char *name) {
  const char *text = ash_fb_string(entry, METADATA_NAME);
  return text && strcmp(text, name) == 0;
}

ash_status ash_annotate_metadata_get(ash_ctx *ctx, const uint8_t **data,
                                     size_t *data_count, const char *name,
                                     const ash_model_file *file) {
  opened o;
  *data = NULL;
  *data_count = 0;
  ASH_TRY(open_file(ctx, &o, file));
  for (uint32_t i = 0; i < o.metadata.count && !o.fb.bad; i++) {
    const ash_fb_table entry = ash_fb_at_table(&o.metadata, i);
    if (!has_name(&entry, name))
      continue;
    const ash_fb_table buffer =
        ash_fb_at_table(&o.buffers, ash_fb_u32(&entry, METADATA_BUFFER, 0));
    const ash_fb_vector blob = ash_fb_blob(&buffer, BUFFER_DATA);
    *data = file->bytes + blob.at;
    *data_count = blob.count;
  }
  return ash_fb_check(ctx, &o.fb, file->name);
}

/* ---- writing ------------------------------------------------------------- */

typedef struct head {
  uint8_t *bytes;
  size_t at;  /* where the next part goes */
  size_t old; /* where the old bytes will stand */
} head;

static void put16(head *h, size_t at, uint32_t value) {
  h->bytes[at] = (uint8_t)value;
  h->bytes[at + 1] = (uint8_t)(value >> 8);
}
static void put32(head *h, size_t at, uint64_t value) {
  put16(h, at, (uint32_t)value & 0xffff);
  put16(h, at + 2, (uint32_t)(value >> 16) & 0xffff);
}
/* A reference at `at` to `target`, both counted in the new file. */
static void put_reference(head *h, size_t at, size_t target) {
  put32(h, at, target - at);
}

/* Upper bound of the head's bytes. */
static size_t head_bytes(const opened *o, const char *name, size_t data_count) {
  const size_t lists = 4 * ((size_t)o->buffers.count + o->metadata.count + 4);
  return (size_t)ash_align_up(LISTS_AT + lists + 20 + strlen(name) + 9 + 16 +
                                  4 + DATA_ALIGN + data_count,
                              HEAD_ALIGN);
}

/* Where a field of the old root leads, 0 if it is absent. */
static uint64_t target_of(const opened *o, uint32_t field) {
  const char *text;
  if (!ash_fb_has(&o->model, field))
    return 0;
  if (field == MODEL_DESCRIPTION) {
    text = ash_fb_string(&o->model, field);
    return text ? (uint64_t)((const uint8_t *)text - o->fb.bytes) - 4 : 0;
  }
  return ash_fb_vec(&o->model, field, 4).at - 4;
}

static void put_root(head *h, const opened *o) {
  put32(h, 0, ROOT_AT);
  memcpy(h->bytes + 4, "TFL3", 4);
  put16(h, 8, 4 + 2 * ROOT_FIELDS);
  put16(h, 10, 4 + 4 * ROOT_FIELDS);
  put32(h, ROOT_AT, ROOT_AT - 8);
  for (uint32_t field = 0; field < ROOT_FIELDS; field++) {
    const size_t at = ROOT_AT + 4 + 4 * (size_t)field;
    if (field == MODEL_VERSION) {
      put32(h, at, ash_fb_u32(&o->model, field, 0));
    } else if (field != MODEL_BUFFERS && field != MODEL_METADATA) {
      const uint64_t target = target_of(o, field);
      if (target == 0)
        continue;
      put_reference(h, at, h->old + (size_t)target);
    }
    put16(h, 12 + 2 * (size_t)field, 4 + 4 * field);
  }
}

/* The old list without entries called `name`, and room for one more, whose
 * place is returned. */
static size_t put_list(head *h, const ash_fb_vector *list, uint32_t field,
                       const char *name) {
  const size_t start = h->at;
  uint32_t count = 0;
  put_reference(h, ROOT_AT + 4 + 4 * (size_t)field, start);
  for (uint32_t i = 0; i < list->count; i++) {
    const ash_fb_table entry = ash_fb_at_table(list, i);
    if (name && has_name(&entry, name))
      continue;
    const size_t at = start + 4 + 4 * (size_t)count++;
    put_reference(h, at, h->old + (size_t)entry.at);
  }
  put32(h, start, count + 1);
  h->at = start + 4 + 4 * ((size_t)count + 1);
  return h->at - 4;
}

static void put_entry(head *h, size_t reference, const char *name,
                      uint32_t buffer) {
  const size_t vtable = h->at, table = vtable + 8, text = table + 12;
  put16(h, vtable, 8);
  put16(h, vtable + 2, 12);
  put16(h, vtable + 4, 4);
  put16(h, vtable + 6, 8);
  put32(h, table, table - vtable);
  put_reference(h, table + 4, text);
  put32(h, table + 8, buffer);
  put32(h, text, strlen(name));
  memcpy(h->bytes + text + 4, name, strlen(name));
  put_reference(h, reference, table);
  h->at = (size_t)ash_align_up(text + 4 + strlen(name) + 1, 4);
}

static void put_buffer(head *h, size_t reference, const uint8_t *data,
                       size_t count) {
  const size_t vtable = h->at, table = vtable + 8;
  const size_t start = (size_t)ash_align_up(table + 8 + 4, DATA_ALIGN);
  put16(h, vtable, 6);
  put16(h, vtable + 2, 8);
  put16(h, vtable + 4, 4);
  put32(h, table, table - vtable);
  put_reference(h, table + 4, start - 4);
  put32(h, start - 4, count);
  memcpy(h->bytes + start, data, count);
  put_reference(h, reference, table);
  h->at = start + count;
}

/* What cannot be moved, or would be lost. */
static ash_status check_movable(opened *o, const char *file) {
  ash_loc at = ASH_NOWHERE;
  at.file = file;
  for (uint32_t k = ROOT_FIELDS; k < (o->model.vtable_bytes - 4) / 2; k++)
    if (ash_fb_has(&o->model, k))
      return ash_fail(o->ctx, ASH_UNSUPPORTED, ASH_D_annotate_fields, at,
                      "field %u of the model is not known", (unsigned)k);
  for (uint32_t i = 0; i < o->buffers.count && !o->fb.bad; i++) {
    const ash_fb_table buffer = ash_fb_at_table(&o->buffers, i);
    if (ash_fb_u64(&buffer, BUFFER_OFFSET, 0) > 1)
      return ash_fail(o->ctx, ASH_UNSUPPORTED, ASH_D_annotate_weights_behind,
                      at, "buffer %u lies at a fixed place", (unsigned)i);
  }
  return ash_fb_check(o->ctx, &o->fb, file);
}

ash_status ash_annotate_metadata_set(ash_ctx *ctx, const uint8_t **out,
                                     size_t *out_count, const char *name,
                                     const uint8_t *data, size_t data_count,
                                     const ash_model_file *file) {
  opened o;
  head h = {0};
  *out = NULL;
  *out_count = 0;
  ASH_TRY(open_file(ctx, &o, file));
  ASH_TRY(check_movable(&o, file->name));
  h.old = head_bytes(&o, name, data_count);
  h.bytes = ASH_NEW_ARRAY(&ctx->keep, uint8_t, h.old + file->count);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  put_root(&h, &o);
  h.at = LISTS_AT;
  const size_t buffer = put_list(&h, &o.buffers, MODEL_BUFFERS, NULL);
  const size_t entry = put_list(&h, &o.metadata, MODEL_METADATA, name);
  put_entry(&h, entry, name, o.buffers.count);
  put_buffer(&h, buffer, data, data_count);
  ASH_TRY(ash_fb_check(ctx, &o.fb, file->name));
  memcpy(h.bytes + h.old, file->bytes, file->count);
  *out = h.bytes;
  *out_count = h.old + file->count;
  return ASH_OK;
}
