/* flatbuf.h - bounded, zero-copy access to FlatBuffers of unknown origin.
 *
 * A table, vector or string is verified when it is opened: position,
 * alignment, size, vtable. Reading a field of an opened object then needs only
 * the checks that depend on the field. The first contradiction is kept in the
 * reader, with its byte offset; from then on every access yields absence,
 * zeros and empty vectors, so a caller reads a whole structure and asks once:
 *
 *   ash_fb fb = ash_fb_over(bytes, count);
 *   ash_fb_table model = ash_fb_root(&fb, "TFL3");
 *   uint32_t version = ash_fb_u32(&model, 0, 0);
 *   ASH_TRY(ash_fb_check(ctx, &fb, file));
 *
 * Offsets may legally be shared, so a small file can describe a huge tree.
 * Each opened object is charged against a budget proportional to the file
 * (ASH_FB_BUDGET_*); a file that spends it is refused.
 *
 * Nothing is copied: pointers handed out are into `bytes`, which must not
 * change while they are in use. */
#ifndef ASH_READ_FLATBUF_H
#define ASH_READ_FLATBUF_H

#include "base/ctx.h"

enum {
  ASH_FB_DEPTH_MAX = 16,          /* tables inside tables                   */
  ASH_FB_TABLE_CHARGE = 64,       /* least charge for opening a table       */
  ASH_FB_BUDGET_FACTOR = 8,       /* budget: this many times the file ...   */
  ASH_FB_BUDGET_FREE = 64 * 1024, /* ... plus this                          */
};
/* Offsets are 32 bits: what lies behind is reachable only by file offset. */
#define ASH_FB_BYTES_MAX ((uint64_t)INT32_MAX)

typedef struct ash_fb {
  const uint8_t *bytes;
  uint64_t count;
  uint64_t budget; /* bytes that may still be visited    */
  const char *bad; /* the first contradiction, or NULL   */
  uint64_t bad_at; /* where it was found                 */
} ash_fb;

typedef struct ash_fb_table {
  ash_fb *fb;
  uint64_t at, vtable;          /* file positions                     */
  uint32_t bytes, vtable_bytes; /* both 0: an absent table            */
  uint32_t depth;
} ash_fb_table;

typedef struct ash_fb_vector {
  ash_fb *fb;
  uint64_t at; /* of the first element */
  uint32_t count;
  uint32_t depth;
} ash_fb_vector;

ash_fb ash_fb_over(const uint8_t *bytes, uint64_t count);

/* A failed reader becomes ASH_MALFORMED with the byte offset. */
ash_status ash_fb_check(ash_ctx *ctx, const ash_fb *fb, const char *file);

/* The root table; the four letters at byte 4 must be `identifier`. */
ash_fb_table ash_fb_root(ash_fb *fb, const char *identifier);

/* ---- fields: those absent give `otherwise`, absence or emptiness ------- */

bool ash_fb_has(const ash_fb_table *t, uint32_t field);
bool ash_fb_bool(const ash_fb_table *t, uint32_t field, bool otherwise);
int32_t ash_fb_i8(const ash_fb_table *t, uint32_t field, int32_t otherwise);
uint8_t ash_fb_u8(const ash_fb_table *t, uint32_t field, uint8_t otherwise);
int32_t ash_fb_i32(const ash_fb_table *t, uint32_t field, int32_t otherwise);
uint32_t ash_fb_u32(const ash_fb_table *t, uint32_t field, uint32_t otherwise);
uint64_t ash_fb_u64(const ash_fb_table *t, uint32_t field, uint64_t otherwise);
float ash_fb_f32(const ash_fb_table *t, uint32_t field, float otherwise);

/* A table field. Reading fields of an absent table gives their defaults. */
ash_fb_table ash_fb_sub(const ash_fb_table *t, uint32_t field);
static inline bool ash_fb_is_there(const ash_fb_table *t) {
  return t->vtable_bytes != 0;
}

/* NULL if absent; otherwise the bytes up to the first NUL are inside. */
const char *ash_fb_string(const ash_fb_table *t, uint32_t field);

/* A vector of elements of 1, 2, 4 or 8 bytes; tables count as 4. The elements
 * are charged as visited. */
ash_fb_vector ash_fb_vec(const ash_fb_table *t, uint32_t field, uint32_t size);
/* The same for bytes that are pointed to but not read: charged as nothing. */
ash_fb_vector ash_fb_blob(const ash_fb_table *t, uint32_t field);

/* ---- elements: `i` beyond the end gives 0 ------------------------------ */

int32_t ash_fb_at_i32(const ash_fb_vector *v, uint32_t i);
int64_t ash_fb_at_i64(const ash_fb_vector *v, uint32_t i);
float ash_fb_at_f32(const ash_fb_vector *v, uint32_t i);
ash_fb_table ash_fb_at_table(const ash_fb_vector *v, uint32_t i);

#endif
