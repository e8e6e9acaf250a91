/* protobuf.c - the protobuf wire format. See protobuf.h for the contract.
 *
 * The format in four lines: a message is a sequence of fields. A field is a
 * varint key, number * 8 + wire type, and a value: a varint, 8 bytes, 4 bytes,
 * or a varint count and that many bytes. A varint has 7 bits a byte, the
 * lowest first, the high bit saying that more follow. Numbers that repeat may
 * be packed into one field of bytes. */
#include "read/protobuf.h"

#include <string.h>

enum { VARINT_BYTES_MAX = 10 };
#define NUMBER_MAX (((uint64_t)1 << 29) - 1)

ash_pb ash_pb_over(const uint8_t *bytes, uint64_t count) {
  return (ash_pb){.bytes = bytes, .count = count, .bad_at = UINT64_MAX};
}

ash_pb_span ash_pb_root(ash_pb *pb) {
  return (ash_pb_span){.pb = pb, .at = 0, .end = pb->count, .depth = 1};
}

ash_status ash_pb_check(ash_ctx *ctx, const ash_pb *pb, const char *file) {
  if (!pb->bad)
    return ASH_OK;
  ash_loc at = ASH_NOWHERE;
  at.file = file;
  at.byte = pb->bad_at;
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_protobuf, at, "%s", pb->bad);
  ash_hint(ctx,
           "the file is damaged or cut short (%llu bytes); fetch or export it "
           "again",
           (unsigned long long)pb->count);
  return status;
}

static bool spoil(ash_pb *pb, uint64_t at, const char *why) {
  if (!pb->bad) {
    pb->bad = why;
    pb->bad_at = at;
  }
  return false;
}

/* ---- numbers ------------------------------------------------------------- */

static bool take_varint(ash_pb_span *s, uint64_t *out) {
  const uint64_t start = s->at;
  uint64_t value = 0;
  for (uint32_t i = 0; i < VARINT_BYTES_MAX; i++) {
    if (s->at >= s->end)
      return spoil(s->pb, start, "a number runs over the end of its message");
    const uint64_t byte = s->pb->bytes[s->at++];
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *out = value;
      return i < VARINT_BYTES_MAX - 1 || byte <= 1 ||
             spoil(s->pb, start, "a number has more than 64 bits");
    }
  }
  return spoil(s->pb, start, "a number has more than ten bytes");
}

static bool take_fixed(ash_pb_span *s, uint32_t size, uint64_t *out) {
  if (s->end - s->at < size)
    return spoil(s->pb, s->at, "a number runs over the end of its message");
  uint64_t value = 0;
  for (uint32_t i = 0; i < size; i++)
    value |= (uint64_t)s->pb->bytes[s->at++] << (8 * i);
  *out = value;
  return true;
}

static bool take_number(ash_pb_span *s, ash_pb_wire wire, uint64_t *out) {
  switch (wire) {
  case ASH_PB_VARINT:
    return take_varint(s, out);
  case ASH_PB_FIXED64:
    return take_fixed(s, 8, out);
  case ASH_PB_FIXED32:
    return take_fixed(s, 4, out);
  case ASH_PB_BYTES:
    break;
  }
  return false;
}

/* ---- fields -------------------------------------------------------------- */

static bool take_span(ash_pb_span *message, ash_pb_span *out) {
  const uint64_t start = message->at;
  uint64_t bytes;
  if (!take_varint(message, &bytes))
    return false;
  if (bytes > message->end - message->at)
    return spoil(message->pb, start, "a field is longer than its message");
  *out = *message;
  out->end = message->at + bytes;
  message->at = out->end;
  return true;
}

bool ash_pb_next(ash_pb_span *message, ash_pb_field *field) {
  ash_pb *pb = message->pb;
  const uint64_t start = message->at;
  uint64_t key;
  *field = (ash_pb_field){0};
  if (pb->bad || message->at >= message->end || !take_varint(message, &key))
    return false;
  if (key >> 3 == 0 || key >> 3 > NUMBER_MAX)
    return spoil(pb, start, "a field has an impossible number");
  field->number = (uint32_t)(key >> 3);
  field->wire = (ash_pb_wire)(key & 7);
  field->span = (ash_pb_span){.pb = pb, .at = start, .end = start};
  switch ((uint32_t)(key & 7)) {
  case ASH_PB_VARINT:
  case ASH_PB_FIXED64:
  case ASH_PB_FIXED32:
    return take_number(message, field->wire, &field->bits);
  case ASH_PB_BYTES:
    return take_span(message, &field->span);
  default:
    return spoil(pb, start, "a field has a wire type that is not used");
  }
}

static bool expect(const ash_pb_field *f, ash_pb_wire wire) {
  return f->wire == wire ||
         spoil(f->span.pb, f->span.at, "a field has the wrong wire type");
}

int64_t ash_pb_int(const ash_pb_field *f) {
  int64_t value = 0;
  if (expect(f, ASH_PB_VARINT))
    memcpy(&value, &f->bits, sizeof value);
  return value;
}

float ash_pb_float(const ash_pb_field *f) {
  const uint32_t bits = (uint32_t)f->bits;
  float value = 0;
  if (expect(f, ASH_PB_FIXED32))
    memcpy(&value, &bits, sizeof value);
  return value;
}

ash_pb_span ash_pb_sub(const ash_pb_field *f) {
  ash_pb_span span = f->span;
  if (!expect(f, ASH_PB_BYTES) ||
      (++span.depth > ASH_PB_DEPTH_MAX &&
       !spoil(span.pb, span.at, "messages are nested too deeply")))
    span.end = span.at;
  return span;
}

const char *ash_pb_string(const ash_pb_field *f, ash_zone *zone) {
  if (!expect(f, ASH_PB_BYTES))
    return "";
  const uint8_t *bytes = f->span.pb->bytes + f->span.at;
  const size_t count = (size_t)ash_pb_bytes(&f->span);
  if (count && memchr(bytes, 0, count)) {
    (void)spoil(f->span.pb, f->span.at, "a string holds a NUL");
    return "";
  }
  char *text = ASH_NEW_ARRAY(zone, char, count + 1);
  if (!text)
    return "";
  if (count)
    memcpy(text, bytes, count);
  return text;
}

/* ---- repeated numbers ---------------------------------------------------- */

uint64_t ash_pb_count(const ash_pb_field *f, ash_pb_wire wire) {
  const uint64_t bytes = ash_pb_bytes(&f->span);
  uint64_t count = 0;
  if (f->wire == wire)
    return 1;
  if (!expect(f, ASH_PB_BYTES))
    return 0;
  if (wire == ASH_PB_FIXED32)
    return bytes / 4;
  if (wire == ASH_PB_FIXED64)
    return bytes / 8;
  for (uint64_t at = f->span.at; at < f->span.end; at++)
    count += f->span.pb->bytes[at] < 0x80;
  return count;
}

void ash_pb_unpack(const ash_pb_field *f, ash_pb_wire wire, uint64_t *out) {
  const uint64_t count = ash_pb_count(f, wire);
  ash_pb_span rest = f->span;
  if (f->wire == wire) {
    *out = f->bits;
    return;
  }
  for (uint64_t i = 0; i < count; i++)
    if (!take_number(&rest, wire, &out[i]))
      out[i] = 0;
  if (!f->span.pb->bad && rest.at != rest.end)
    (void)spoil(rest.pb, rest.at, "packed numbers do not fill their field");
}
