/* flatbuf.c - bounded access to FlatBuffers. See flatbuf.h for the contract.
 *
 * The format in five lines: all numbers are little-endian and aligned to their
 * size. A reference is a 32-bit distance, forward, from where it stands. A
 * table begins with a signed 32-bit distance *back* to its vtable: 16-bit
 * words that hold the vtable's bytes, the table's bytes, and for each field
 * its distance from the table's start, 0 if absent. A vector is a 32-bit count
 * and its elements; a string is a vector of bytes followed by a NUL. */
#include "read/flatbuf.h"

#include <string.h>

enum { NEVER_AT = 0 }; /* no field stands at the start of a table */

ash_fb ash_fb_over(const uint8_t *bytes, uint64_t count) {
  uint64_t visible = count < ASH_FB_BYTES_MAX ? count : ASH_FB_BYTES_MAX;
  return (ash_fb){.bytes = bytes,
                  .count = visible,
                  .budget = visible * ASH_FB_BUDGET_FACTOR + ASH_FB_BUDGET_FREE,
                  .bad_at = UINT64_MAX};
}

ash_status ash_fb_check(ash_ctx *ctx, const ash_fb *fb, const char *file) {
  if (!fb->bad)
    return ASH_OK;
  ash_loc at = ASH_NOWHERE;
  at.file = file;
  at.byte = fb->bad_at;
  ash_status got =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_flatbuffer, at, "%s", fb->bad);
  ash_hint(ctx,
           "the file is damaged or cut short (%llu bytes); fetch or "
           "export it again",
           (unsigned long long)fb->count);
  return got;
}

/* First error wins. */
static bool spoil(ash_fb *fb, uint64_t at, const char *why) {
  if (!fb->bad) {
    fb->bad = why;
    fb->bad_at = at;
  }
  return false;
}

static bool inside(const ash_fb *fb, uint64_t at, uint64_t count) {
  return at <= fb->count && count <= fb->count - at;
}

static bool charge(ash_fb *fb, uint64_t at, uint64_t bytes) {
  if (bytes > fb->budget)
    return spoil(fb, at,
                 "the file refers to its parts far more often than its "
                 "size can justify");
  fb->budget -= bytes;
  return true;
}

/* ---- numbers; the caller has checked that they are inside -------------- */

static uint32_t load_u16(const ash_fb *fb, uint64_t at) {
  const uint8_t *p = fb->bytes + at;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t load_u32(const ash_fb *fb, uint64_t at) {
  return load_u16(fb, at) | load_u16(fb, at + 2) << 16;
}

static uint64_t load_u64(const ash_fb *fb, uint64_t at) {
  return load_u32(fb, at) | (uint64_t)load_u32(fb, at + 4) << 32;
}

/* Two's complement without relying on conversion of large values. */
static int32_t as_i32(uint32_t bits) {
  int32_t value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int64_t as_i64(uint64_t bits) {
  int64_t value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float as_f32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* ---- opening ----------------------------------------------------------- */

static bool open_vtable(ash_fb_table *t) {
  ash_fb *fb = t->fb;
  const int64_t vtable = (int64_t)t->at - as_i32(load_u32(fb, t->at));
  if (vtable < 0 || vtable % 2 || !inside(fb, (uint64_t)vtable, 4))
    return spoil(fb, t->at, "a table's vtable is outside the file or odd");
  t->vtable = (uint64_t)vtable;
  const uint32_t vtable_bytes = load_u16(fb, t->vtable);
  const uint32_t bytes = load_u16(fb, t->vtable + 2);
  if (vtable_bytes < 4 || vtable_bytes % 2 ||
      !inside(fb, t->vtable, vtable_bytes))
    return spoil(fb, t->vtable, "a vtable has an impossible size");
  if (bytes < 4 || !inside(fb, t->at, bytes))
    return spoil(fb, t->vtable + 2, "a table does not fit the file");
  if (!charge(fb, t->at, ASH_FB_TABLE_CHARGE + bytes + vtable_bytes))
    return false;
  t->vtable_bytes = vtable_bytes;
  t->bytes = bytes;
  return true;
}

static ash_fb_table absent_table(ash_fb *fb) {
  return (ash_fb_table){.fb = fb};
}

static ash_fb_table open_table(ash_fb *fb, uint64_t at, uint32_t depth) {
  ash_fb_table t = {.fb = fb, .at = at, .depth = depth};
  bool ok = !fb->bad;
  if (ok && depth > ASH_FB_DEPTH_MAX)
    ok = spoil(fb, at, "tables are nested too deeply");
  if (ok && (at % 4 || !inside(fb, at, 4)))
    ok = spoil(fb, at, "a table is outside the file or misaligned");
  return ok && open_vtable(&t) ? t : absent_table(fb);
}

/* Where the reference at `from` points; false when it points nowhere useful.
 * References go forward only, so they cannot form a cycle. */
static bool follow(uint64_t *to, ash_fb *fb, uint64_t from) {
  const uint32_t distance = load_u32(fb, from);
  *to = from + distance;
  if (distance < 4 || !inside(fb, *to, 4))
    return spoil(fb, from, "an offset points outside the file");
  return true;
}

ash_fb_table ash_fb_root(ash_fb *fb, const char *identifier) {
  uint64_t at = 0;
  if (!inside(fb, 0, 8))
    (void)spoil(fb, fb->count, "the file is too short for a FlatBuffer");
  else if (memcmp(fb->bytes + 4, identifier, 4) != 0)
    (void)spoil(fb, 4, "the file has the wrong identifier");
  else if (follow(&at, fb, 0))
    return open_table(fb, at, 1);
  return absent_table(fb);
}

/* ---- fields ------------------------------------------------------------ */

/* Position of a field of `size` bytes, NEVER_AT when absent or wrong. */
static uint64_t find(const ash_fb_table *t, uint32_t field, uint32_t size) {
  const uint32_t slot = 4 + 2 * field;
  if (slot + 2 > t->vtable_bytes || t->fb->bad)
    return NEVER_AT;
  const uint32_t distance = load_u16(t->fb, t->vtable + slot);
  if (distance == 0)
    return NEVER_AT;
  if (distance < 4 || distance + size > t->bytes)
    (void)spoil(t->fb, t->vtable + slot, "a field is outside its table");
  else if ((t->at + distance) % (size < 4 ? size : 4))
    (void)spoil(t->fb, t->at + distance, "a field is misaligned");
  else
    return t->at + distance;
  return NEVER_AT;
}

bool ash_fb_has(const ash_fb_table *t, uint32_t field) {
  return find(t, field, 1) != NEVER_AT;
}

uint8_t ash_fb_u8(const ash_fb_table *t, uint32_t field, uint8_t otherwise) {
  const uint64_t at = find(t, field, 1);
  return at == NEVER_AT ? otherwise : t->fb->bytes[at];
}

int32_t ash_fb_i8(const ash_fb_table *t, uint32_t field, int32_t otherwise) {
  const uint64_t at = find(t, field, 1);
  if (at == NEVER_AT)
    return otherwise;
  const int32_t bits = t->fb->bytes[at];
  return bits < 128 ? bits : bits - 256;
}

bool ash_fb_bool(const ash_fb_table *t, uint32_t field, bool otherwise) {
  return ash_fb_u8(t, field, otherwise) != 0;
}

uint32_t ash_fb_u32(const ash_fb_table *t, uint32_t field, uint32_t otherwise) {
  const uint64_t at = find(t, field, 4);
  return at == NEVER_AT ? otherwise : load_u32(t->fb, at);
}

int32_t ash_fb_i32(const ash_fb_table *t, uint32_t field, int32_t otherwise) {
  const uint64_t at = find(t, field, 4);
  return at == NEVER_AT ? otherwise : as_i32(load_u32(t->fb, at));
}

uint64_t ash_fb_u64(const ash_fb_table *t, uint32_t field, uint64_t otherwise) {
  const uint64_t at = find(t, field, 8);
  return at == NEVER_AT ? otherwise : load_u64(t->fb, at);
}

float ash_fb_f32(const ash_fb_table *t, uint32_t field, float otherwise) {
  const uint64_t at = find(t, field, 4);
  return at == NEVER_AT ? otherwise : as_f32(load_u32(t->fb, at));
}

ash_fb_table ash_fb_sub(const ash_fb_table *t, uint32_t field) {
  const uint64_t from = find(t, field, 4);
  uint64_t at;
  if (from == NEVER_AT || !follow(&at, t->fb, from))
    return absent_table(t->fb);
  return open_table(t->fb, at, t->depth + 1);
}

static ash_fb_vector empty_vector(ash_fb *fb) {
  return (ash_fb_vector){.fb = fb};
}

/* `charged` is what one element costs the budget. */
static ash_fb_vector open_vector(const ash_fb_table *t, uint32_t field,
                                 uint32_t size, uint32_t charged) {
  ash_fb *fb = t->fb;
  const uint64_t from = find(t, field, 4);
  uint64_t at;
  if (from == NEVER_AT || !follow(&at, fb, from))
    return empty_vector(fb);
  const uint32_t count = load_u32(fb, at);
  if (at % 4) /* some writers align to 4 only, whatever the elements */
    (void)spoil(fb, at, "a vector is misaligned");
  else if (!inside(fb, at + 4, (uint64_t)count * size))
    (void)spoil(fb, at, "a vector is longer than the file");
  else if (charge(fb, at, 4 + (uint64_t)count * charged))
    return (ash_fb_vector){
        .fb = fb, .at = at + 4, .count = count, .depth = t->depth};
  return empty_vector(fb);
}

ash_fb_vector ash_fb_vec(const ash_fb_table *t, uint32_t field, uint32_t size) {
  return open_vector(t, field, size, size);
}

ash_fb_vector ash_fb_blob(const ash_fb_table *t, uint32_t field) {
  return open_vector(t, field, 1, 0);
}

const char *ash_fb_string(const ash_fb_table *t, uint32_t field) {
  const ash_fb_vector v = open_vector(t, field, 1, 1);
  if (v.at == NEVER_AT)
    return NULL;
  if (inside(v.fb, v.at + v.count, 1) && v.fb->bytes[v.at + v.count] == 0)
    return (const char *)v.fb->bytes + v.at;
  (void)spoil(v.fb, v.at, "a string is not followed by a NUL");
  return NULL;
}

/* ---- elements ---------------------------------------------------------- */

int32_t ash_fb_at_i32(const ash_fb_vector *v, uint32_t i) {
  return i < v->count ? as_i32(load_u32(v->fb, v->at + 4 * (uint64_t)i)) : 0;
}

int64_t ash_fb_at_i64(const ash_fb_vector *v, uint32_t i) {
  return i < v->count ? as_i64(load_u64(v->fb, v->at + 8 * (uint64_t)i)) : 0;
}

float ash_fb_at_f32(const ash_fb_vector *v, uint32_t i) {
  return i < v->count ? as_f32(load_u32(v->fb, v->at + 4 * (uint64_t)i)) : 0;
}

ash_fb_table ash_fb_at_table(const ash_fb_vector *v, uint32_t i) {
  uint64_t at;
  if (i >= v->count || v->fb->bad ||
      !follow(&at, v->fb, v->at + 4 * (uint64_t)i))
    return absent_table(v->fb);
  return open_table(v->fb, at, v->depth + 1);
}
