/* npz_write.c - .npz files without compression and without a date: the same
 * arrays give the same bytes. */
#include "npz/npy.h"

#include "ashlar/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22 };

static uint8_t *put16(uint8_t *p, unsigned value) {
  p[0] = (uint8_t)value;
  p[1] = (uint8_t)(value >> 8);
  return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t value) {
  return put16(put16(p, value & 0xffff), value >> 16);
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t count) {
  if (count)
    memcpy(p, bytes, count);
  return p + count;
}

/* What the local header and the directory say alike: version needed, flags,
 * method, time, date (the first of 1980), checksum, sizes, name length. */
static uint8_t *put_facts(uint8_t *p, uint32_t crc, uint32_t bytes,
                          size_t name) {
  p = put16(p, 20);
  p = put16(p, 0);
  p = put16(p, 0);
  p = put16(p, 0);
  p = put16(p, 33);
  p = put32(p, crc);
  p = put32(p, bytes);
  p = put32(p, bytes);
  p = put16(p, (unsigned)name);
  return put16(p, 0); /* no extra field */
}

typedef struct placed { /* where a member went */
  uint32_t at, crc, bytes;
} placed;

static uint8_t *put_member(uint8_t *p, placed *where, const uint8_t *start,
                           const npz_array *a) {
  char header[NPY_HEADER_MAX];
  size_t header_count = 0;
  const size_t name = strlen(a->name);
  (void)npy_header(header, &header_count, a);
  uint8_t *local = p, *content = p + LOCAL_BYTES + name + 4;
  p = put_bytes(content, header, header_count);
  npy_copy(p, a->data, a->bytes, npz_type_bytes(a->type), false);
  p += a->bytes;
  where->at = (uint32_t)(local - start);
  where->bytes = (uint32_t)(p - content);
  where->crc = ash_crc32(content, where->bytes);
  local = put_bytes(local, "PK\3\4", 4);
  local = put_facts(local, where->crc, where->bytes, name + 4);
  local = put_bytes(local, a->name, name);
  (void)put_bytes(local, ".npy", 4);
  return p;
}

static uint8_t *put_entry(uint8_t *p, const placed *where, const char *name) {
  const size_t count = strlen(name);
  p = put_bytes(p, "PK\1\2", 4);
  p = put16(p, 20);
  p = put_facts(p, where->crc, where->bytes, count + 4);
  p = put16(p, 0); /* comment */
  p = put16(p, 0); /* disk */
  p = put16(p, 0); /* internal and external attributes */
  p = put32(p, 0);
  p = put32(p, where->at);
  p = put_bytes(p, name, count);
  return put_bytes(p, ".npy", 4);
}

static uint8_t *put_end(uint8_t *p, size_t entries, uint32_t directory,
                        uint32_t bytes) {
  p = put_bytes(p, "PK\5\6\0\0\0\0", 8);
  p = put16(p, (unsigned)entries);
  p = put16(p, (unsigned)entries);
  p = put32(p, bytes);
  p = put32(p, directory);
  return put16(p, 0);
}

/* 0 if it cannot be written. */
static size_t count_file(const npz_array *arrays, size_t count) {
  uint64_t total = END_BYTES;
  if (count > NPZ_ARRAYS_MAX)
    return 0;
  for (size_t i = 0; i < count; i++) {
    char header[NPY_HEADER_MAX];
    size_t header_count;
    const size_t name = strlen(arrays[i].name);
    if (name > 1000 || !npy_header(header, &header_count, &arrays[i]))
      return 0;
    total += LOCAL_BYTES + CENTRAL_BYTES + 2 * (name + 4) + header_count +
             arrays[i].bytes;
    if (total > NPZ_BYTES_MAX)
      return 0;
  }
  return (size_t)total;
}

bool npz_write(void **out, size_t *out_count, const npz_array *arrays,
               size_t count) {
  *out = NULL;
  *out_count = 0;
  const size_t bytes = count_file(arrays, count);
  uint8_t *start = bytes ? malloc(bytes) : NULL, *p = start;
  placed *where = calloc(count + 1, sizeof *where);
  if (!start || !where) {
    free(start);
    free(where);
    return false;
  }
  for (size_t i = 0; i < count; i++)
    p = put_member(p, &where[i], start, &arrays[i]);
  const uint8_t *directory = p;
  for (size_t i = 0; i < count; i++)
    p = put_entry(p, &where[i], arrays[i].name);
  p = put_end(p, count, (uint32_t)(directory - start),
              (uint32_t)(p - directory));
  free(where);
  *out = start;
  *out_count = (size_t)(p - start);
  return true;
}

static bool write_whole(const char *path, const void *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  const bool wrote = fwrite(bytes, 1, count, file) == count;
  const bool closed = fclose(file) == 0;
  if (wrote && closed)
    return true;
  (void)remove(path);
  return false;
}

bool npz_save(const char *path, const npz_array *arrays, size_t count,
              char *error) {
  void *bytes;
  size_t byte_count;
  error[0] = '\0';
  if (!npz_write(&bytes, &byte_count, arrays, count)) {
    (void)snprintf(error, 200, "these arrays cannot be written as .npz");
    return false;
  }
  const bool good = write_whole(path, bytes, byte_count);
  if (!good)
    (void)snprintf(error, 200, "cannot be written");
  free(bytes);
  return good;
}
