/* npz.c - zip files of NumPy arrays. The central directory says what there is
 * (local headers may lack sizes when the writer could not seek); of a local
 * header only its own length is used. */
#include "npz/npz.h"
#include "ashlar/base.h"
#include "npz/inflate.h"
#include "npz/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LOCAL_BYTES = 30,
  CENTRAL_BYTES = 46,
  END_BYTES = 22,
  END64_BYTES = 56,
  LOCATOR_BYTES = 20,
  STORED = 0,
  DEFLATED = 8,
  DEFLATE_RATIO_MAX = 1032 /* no deflate stream unfolds to more */
};

typedef struct zip {
  const uint8_t *bytes;
  uint64_t count;
  uint64_t directory, directory_bytes, entries;
  char *error;
} zip;

typedef struct member {
  const char *name;
  size_t name_count;
  unsigned flags, method;
  uint32_t crc;
  uint64_t packed, unpacked, local;
} member;

static bool fail(char *error, const char *text) {
  (void)snprintf(error, 200, "%s", text);
  return false;
}

static unsigned get16(const uint8_t *p) {
  return (unsigned)p[0] | (unsigned)p[1] << 8;
}

static uint32_t get32(const uint8_t *p) {
  return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const uint8_t *p) {
  return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static bool inside(const zip *z, uint64_t at, uint64_t count) {
  return at <= z->count && count <= z->count - at;
}

static bool is_mark(const zip *z, uint64_t at, const char *mark) {
  return memcmp(z->bytes + at, mark, 4) == 0;
}

/* ---- the directory ------------------------------------------------------ */

/* The end record is last but for a comment whose length it knows. */
static bool find_end(const zip *z, uint64_t *out) {
  if (z->count < END_BYTES)
    return false;
  const uint64_t last = z->count - END_BYTES;
  const uint64_t first = last > 0xffff ? last - 0xffff : 0;
  for (uint64_t at = last + 1; at-- > first;)
    if (is_mark(z, at, "PK\5\6") && get16(z->bytes + at + 20) == last - at) {
      *out = at;
      return true;
    }
  return false;
}

/* The 64-bit end record, where there is one, replaces the other. */
static bool read_end64(zip *z, uint64_t end) {
  if (end < LOCATOR_BYTES || !is_mark(z, end - LOCATOR_BYTES, "PK\6\7"))
    return true;
  const uint64_t at = get64(z->bytes + end - LOCATOR_BYTES + 8);
  if (!inside(z, at, END64_BYTES) || !is_mark(z, at, "PK\6\6"))
    return false;
  z->entries = get64(z->bytes + at + 32);
  z->directory_bytes = get64(z->bytes + at + 40);
  z->directory = get64(z->bytes + at + 48);
  return true;
}

static bool read_end(zip *z) {
  uint64_t end;
  if (!find_end(z, &end))
    return fail(z->error, "the zip file has no end record; is it cut off?");
  const uint8_t *p = z->bytes + end;
  z->entries = get16(p + 10);
  z->directory_bytes = get32(p + 12);
  z->directory = get32(p + 16);
  if (!read_end64(z, end) || !inside(z, z->directory, z->directory_bytes))
    return fail(z->error, "the zip file's directory is outside the file");
  if (z->entries > NPZ_ARRAYS_MAX)
    return fail(z->error, "more than 4096 arrays");
  return true;
}

/* 64-bit values are in an extra field, only those that did not fit, in this
 * order. */
static bool read_extra(member *m, const uint8_t *p, size_t count) {
  uint64_t *const wide[] = {&m->unpacked, &m->packed, &m->local};
  while (count >= 4) {
    const unsigned id = get16(p), size = get16(p + 2);
    if (size > count - 4)
      return true; /* not ours to judge: other writers pad with zeros */
    const uint8_t *value = p + 4;
    unsigned left = id == 1 ? size : 0;
    for (size_t i = 0; id == 1 && i < 3; i++) {
      if (*wide[i] != UINT32_MAX)
        continue;
      if (left < 8)
        return false;
      *wide[i] = get64(value);
      value += 8;
      left -= 8;
    }
    p += 4 + size;
    count -= 4 + size;
  }
  return true;
}

/* The entry at `*at` of the directory; `*at` moves behind it. */
static bool read_member(const zip *z, member *m, uint64_t *at) {
  const uint64_t end = z->directory + z->directory_bytes;
  const uint8_t *p = z->bytes + *at;
  if (end - *at < CENTRAL_BYTES || !is_mark(z, *at, "PK\1\2"))
    return fail(z->error, "the zip file's directory is damaged");
  const size_t name = get16(p + 28), extra = get16(p + 30);
  const uint64_t whole = CENTRAL_BYTES + name + extra + get16(p + 32);
  if (whole > end - *at)
    return fail(z->error, "the zip file's directory is damaged");
  *m = (member){.name = (const char *)p + CENTRAL_BYTES,
                .name_count = name,
                .flags = get16(p + 8),
                .method = get16(p + 10),
                .crc = get32(p + 16),
                .packed = get32(p + 20),
                .unpacked = get32(p + 24),
                .local = get32(p + 42)};
  *at += whole;
  return read_extra(m, p + CENTRAL_BYTES + name, extra) ||
         fail(z->error, "the zip file's directory is damaged");
}

/* ---- members ------------------------------------------------------------ */

static bool find_data(const zip *z, const member *m, const uint8_t **out) {
  if (!inside(z, m->local, LOCAL_BYTES) || !is_mark(z, m->local, "PK\3\4"))
    return false;
  const uint8_t *p = z->bytes + m->local;
  const uint64_t start = m->local + LOCAL_BYTES + get16(p + 26) + get16(p + 28);
  if (!inside(z, start, m->packed))
    return false;
  *out = z->bytes + start;
  return true;
}

static bool unpack(const zip *z, const member *m, uint8_t *to) {
  const uint8_t *from;
  if (!find_data(z, m, &from))
    return fail(z->error, "an array is outside the zip file");
  if (m->method == STORED && m->packed == m->unpacked)
    memcpy(to, from, (size_t)m->packed);
  else if (m->method != DEFLATED ||
           !inflate_exactly(to, (size_t)m->unpacked, from, (size_t)m->packed))
    return fail(z->error, "a compressed array is damaged");
  return ash_crc32(to, (size_t)m->unpacked) == m->crc ||
         fail(z->error, "the checksum of an array is wrong");
}

static bool check_member(const zip *z, const member *m, uint64_t *total) {
  if (m->flags & 1)
    return fail(z->error, "the zip file is encrypted");
  if (m->method != STORED && m->method != DEFLATED)
    return fail(z->error, "an array is compressed by an unknown method");
  if (m->packed > z->count ||
      m->unpacked > m->packed * DEFLATE_RATIO_MAX + 1024)
    return fail(z->error, "an array is outside the zip file");
  *total += m->unpacked;
  return *total <= NPZ_BYTES_MAX ||
         fail(z->error, "the arrays are larger than 1 GiB");
}

static char *copy_name(const char *name, size_t count) {
  char *copy = malloc(count + 1);
  if (!copy)
    return NULL;
  memcpy(copy, name, count);
  copy[count] = '\0';
  return copy;
}

static bool add_array(npz_file *out, const zip *z, const member *m) {
  npz_array *a = &out->arrays[out->count];
  uint8_t *bytes = malloc(m->unpacked ? (size_t)m->unpacked : 1);
  if (!bytes)
    return fail(z->error, "out of memory");
  const bool good =
      unpack(z, m, bytes) && npy_read(a, bytes, (size_t)m->unpacked, z->error);
  free(bytes);
  if (!good)
    return false;
  out->count++; /* from here on npz_drop frees it */
  a->name = copy_name(m->name, m->name_count - 4);
  return a->name || fail(z->error, "out of memory");
}

static bool is_npy(const member *m) {
  return m->name_count >= 4 &&
         memcmp(m->name + m->name_count - 4, ".npy", 4) == 0 &&
         !memchr(m->name, '\0', m->name_count);
}

static bool read_zip(npz_file *out, zip *z) {
  uint64_t total = 0;
  if (!read_end(z))
    return false;
  out->arrays =
      calloc(z->entries ? (size_t)z->entries : 1, sizeof *out->arrays);
  if (!out->arrays)
    return fail(z->error, "out of memory");
  uint64_t at = z->directory;
  for (uint64_t i = 0; i < z->entries; i++) {
    member m;
    if (!read_member(z, &m, &at))
      return false;
    if (!is_npy(&m))
      continue; /* folders and notes */
    if (!check_member(z, &m, &total) || !add_array(out, z, &m))
      return false;
  }
  return true;
}

static bool read_single(npz_file *out, const uint8_t *bytes, size_t count) {
  out->arrays = calloc(1, sizeof *out->arrays);
  if (!out->arrays)
    return fail(out->error, "out of memory");
  if (!npy_read(out->arrays, bytes, count, out->error))
    return false;
  out->count = 1;
  out->arrays->name = copy_name("", 0);
  return out->arrays->name || fail(out->error, "out of memory");
}

bool npz_read(npz_file *out, const void *bytes, size_t count) {
  *out = (npz_file){0};
  zip z = {.bytes = bytes, .count = count, .error = out->error};
  const bool single = count >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
  const bool zipped = count >= 4 && memcmp(bytes, "PK", 2) == 0;
  if (!single && !zipped)
    return fail(out->error, "neither a .npy nor a .npz file");
  if (single ? read_single(out, bytes, count) : read_zip(out, &z))
    return true;
  npz_drop(out);
  return false;
}

void npz_drop(npz_file *file) {
  for (size_t i = 0; i < file->count; i++) {
    free(file->arrays[i].name);
    free(file->arrays[i].data);
  }
  free(file->arrays);
  file->arrays = NULL;
  file->count = 0;
}

const npz_array *npz_find(const npz_file *file, const char *name) {
  for (size_t i = 0; i < file->count; i++)
    if (strcmp(file->arrays[i].name, name) == 0)
      return &file->arrays[i];
  return NULL;
}

/* ---- files -------------------------------------------------------------- */

/* The whole file, or the first 2 GiB and more: that is refused anyway. */
static uint8_t *read_whole(FILE *file, size_t *count) {
  size_t capacity = 1 << 16;
  uint8_t *bytes = malloc(capacity);
  *count = 0;
  while (bytes) {
    *count += fread(bytes + *count, 1, capacity - *count, file);
    if (*count < capacity || capacity > 2 * NPZ_BYTES_MAX)
      break;
    uint8_t *larger = realloc(bytes, capacity * 2);
    if (!larger)
      free(bytes);
    bytes = larger;
    capacity *= 2;
  }
  return bytes;
}

bool npz_load(npz_file *out, const char *path) {
  *out = (npz_file){0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return fail(out->error, "cannot be opened");
  size_t count;
  uint8_t *bytes = read_whole(file, &count);
  const bool failed = ferror(file) != 0;
  (void)fclose(file);
  bool good = false;
  if (!bytes)
    (void)fail(out->error, "out of memory");
  else if (failed)
    (void)fail(out->error, "cannot be read to its end");
  else
    good = npz_read(out, bytes, count);
  free(bytes);
  return good;
}
