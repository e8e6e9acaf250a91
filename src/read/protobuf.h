/* protobuf.h - bounded, zero-copy access to the protobuf wire format.
 *
 * A message is a span of bytes; ash_pb_next steps through its fields. What is
 * inside a span was inside its parent, so nothing can point elsewhere and no
 * byte is reachable twice on one level. The first contradiction is kept in the
 * reader with its byte offset; from then on there are no more fields, so a
 * caller reads a whole message and asks once:
 *
 *   ash_pb pb = ash_pb_over(bytes, count);
 *   ash_pb_span model = ash_pb_root(&pb);
 *   ash_pb_field f;
 *   while (ash_pb_next(&model, &f))
 *     if (f.number == 1)
 *       version = ash_pb_int(&f);
 *   ASH_TRY(ash_pb_check(ctx, &pb, file));
 *
 * A field of the wrong wire type for what the caller asks is a contradiction.
 * `bytes` must not change while spans are in use. */
#ifndef ASH_READ_PROTOBUF_H
#define ASH_READ_PROTOBUF_H

#include "base/ctx.h"

enum { ASH_PB_DEPTH_MAX = 32 }; /* messages inside messages */

typedef struct ash_pb {
  const uint8_t *bytes;
  uint64_t count;
  const char *bad; /* the first contradiction, or NULL */
  uint64_t bad_at;
} ash_pb;

/* Bytes [at, end) of the file. */
typedef struct ash_pb_span {
  ash_pb *pb;
  uint64_t at, end;
  uint32_t depth;
} ash_pb_span;

typedef enum ash_pb_wire {
  ASH_PB_VARINT = 0,
  ASH_PB_FIXED64 = 1,
  ASH_PB_BYTES = 2,
  ASH_PB_FIXED32 = 5
} ash_pb_wire;

typedef struct ash_pb_field {
  uint32_t number;
  ash_pb_wire wire;
  uint64_t bits;    /* of numbers */
  ash_pb_span span; /* of bytes: strings, messages, packed numbers */
} ash_pb_field;

ash_pb ash_pb_over(const uint8_t *bytes, uint64_t count);
ash_pb_span ash_pb_root(ash_pb *pb);
/* A failed reader becomes ASH_MALFORMED with the byte offset. */
ash_status ash_pb_check(ash_ctx *ctx, const ash_pb *pb, const char *file);

/* The next field; false at the end of the message and after damage. */
bool ash_pb_next(ash_pb_span *message, ash_pb_field *field);

/* ---- values of one field ------------------------------------------------- */

int64_t ash_pb_int(const ash_pb_field *f);     /* varint */
float ash_pb_float(const ash_pb_field *f);     /* fixed32 */
ash_pb_span ash_pb_sub(const ash_pb_field *f); /* the message, one deeper */
/* A copy ended by NUL. Strings that hold a NUL are refused. */
const char *ash_pb_string(const ash_pb_field *f, ash_zone *zone);

/* ---- repeated numbers, packed into one field or one a field -------------- */

/* How many numbers the field holds if a number has `wire`. */
uint64_t ash_pb_count(const ash_pb_field *f, ash_pb_wire wire);
/* Their bits; `out` has room for ash_pb_count. */
void ash_pb_unpack(const ash_pb_field *f, ash_pb_wire wire, uint64_t *out);

static inline uint64_t ash_pb_bytes(const ash_pb_span *s) {
  return s->end - s->at;
}

#endif
