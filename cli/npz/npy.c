/* npy.c - the .npy format, versions 1 to 3: a magic, a Python dictionary as
 * text, the elements. */
#include "npz/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  char descr[3];
  size_t bytes;
  ash_type type;
} types[] = {
    {"b1", 1, ASH_BOOL},    {"i1", 1, ASH_INT8},    {"u1", 1, ASH_UINT8},
    {"i2", 2, ASH_INT16},   {"u2", 2, ASH_UINT16},  {"i4", 4, ASH_INT32},
    {"u4", 4, ASH_UINT32},  {"i8", 8, ASH_INT64},   {"u8", 8, ASH_UINT64},
    {"f2", 2, ASH_FLOAT16}, {"f4", 4, ASH_FLOAT32}, {"f8", 8, ASH_FLOAT64}};

enum { TYPE_COUNT = sizeof types / sizeof *types };

size_t npz_type_bytes(ash_type type) {
  for (size_t i = 0; i < TYPE_COUNT; i++)
    if (types[i].type == type)
      return types[i].bytes;
  return 0;
}

static bool fail(char *error, const char *text) {
  (void)snprintf(error, 200, "%s", text);
  return false;
}

/* ---- the dictionary ----------------------------------------------------- */

typedef struct header {
  const char *at, *end;
  char *error;
  bool big, fortran;
  bool has_descr, has_order, has_shape;
} header;

static void skip_blanks(header *h) {
  while (h->at < h->end && (*h->at == ' ' || *h->at == '\n'))
    h->at++;
}

static bool skip_char(header *h, char c) {
  skip_blanks(h);
  if (h->at == h->end || *h->at != c)
    return false;
  h->at++;
  return true;
}

static bool skip_word(header *h, const char *word) {
  const size_t count = strlen(word);
  skip_blanks(h);
  if ((size_t)(h->end - h->at) < count || memcmp(h->at, word, count) != 0)
    return false;
  h->at += count;
  return true;
}

/* 'text' or "text", without escapes. */
static bool read_string(header *h, const char **text, size_t *count) {
  skip_blanks(h);
  if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
    return false;
  const char quote = *h->at++;
  const char *close = memchr(h->at, quote, (size_t)(h->end - h->at));
  if (!close)
    return false;
  *text = h->at;
  *count = (size_t)(close - h->at);
  h->at = close + 1;
  return true;
}

static bool read_descr(header *h, npz_array *out) {
  const char *text;
  size_t count;
  if (!read_string(h, &text, &count))
    return fail(h->error, "records and objects are not supported");
  for (size_t i = 0; count == 3 && i < TYPE_COUNT; i++) {
    if (memcmp(text + 1, types[i].descr, 2) != 0 || !strchr("<>|", text[0]))
      continue;
    if (text[0] == '|' && types[i].bytes > 1)
      continue;
    out->type = types[i].type;
    h->big = text[0] == '>';
    h->has_descr = true;
    return true;
  }
  (void)snprintf(h->error, 200, "the type '%.*s' is not supported",
                 (int)(count < 40 ? count : 40), text);
  return false;
}

static bool read_dim(header *h, uint64_t *out) {
  uint64_t value = 0;
  const char *start = h->at;
  for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
    if (value > NPZ_BYTES_MAX)
      return false;
    value = value * 10 + (uint64_t)(*h->at - '0');
  }
  *out = value;
  return h->at > start;
}

/* (), (3,) or (3, 4) */
static bool read_shape(header *h, npz_array *out) {
  if (!skip_char(h, '('))
    return fail(h->error, "the shape is not a tuple");
  while (!skip_char(h, ')')) {
    if (out->rank == NPZ_RANK_MAX)
      return fail(h->error, "more than 8 dimensions");
    if (!read_dim(h, &out->dims[out->rank]))
      return fail(h->error, "a dimension is no number, or too large");
    out->rank++;
    if (!skip_char(h, ',') && (h->at == h->end || *h->at != ')'))
      return fail(h->error, "the shape is cut off");
  }
  h->has_shape = true;
  return true;
}

static bool read_order(header *h) {
  h->fortran = skip_word(h, "True");
  h->has_order = h->fortran || skip_word(h, "False");
  return h->has_order ||
         fail(h->error, "'fortran_order' is neither True nor False");
}

static bool read_pair(header *h, npz_array *out) {
  const char *key;
  size_t count;
  if (!read_string(h, &key, &count) || !skip_char(h, ':'))
    return fail(h->error, "the header is no dictionary");
  if (count == 5 && memcmp(key, "descr", 5) == 0 && !h->has_descr)
    return read_descr(h, out);
  if (count == 13 && memcmp(key, "fortran_order", 13) == 0 && !h->has_order)
    return read_order(h);
  if (count == 5 && memcmp(key, "shape", 5) == 0 && !h->has_shape)
    return read_shape(h, out);
  return fail(h->error, "the header has an unknown or repeated key");
}

static bool read_header(header *h, npz_array *out) {
  if (!skip_char(h, '{'))
    return fail(h->error, "the header is no dictionary");
  while (!skip_char(h, '}')) {
    if (!read_pair(h, out))
      return false;
    if (!skip_char(h, ',') && (h->at == h->end || *h->at != '}'))
      return fail(h->error, "the header is cut off");
  }
  skip_blanks(h);
  if (!h->has_descr || !h->has_order || !h->has_shape || h->at != h->end)
    return fail(h->error, "the header is incomplete or has a tail");
  return true;
}

/* ---- the elements ------------------------------------------------------- */

static bool machine_is_big(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 0;
}

void npy_copy(void *to, const void *from, size_t bytes, size_t element,
              bool big) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if (big == machine_is_big() || element == 1) {
    if (bytes)
      memcpy(t, f, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; i += element)
    for (size_t k = 0; k < element; k++)
      t[i + k] = f[i + element - 1 - k];
}

static bool count_bytes(npz_array *a) {
  uint64_t total = npz_type_bytes(a->type);
  bool empty = false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->dims[i] == 0)
      empty = true;
    else if (total > NPZ_BYTES_MAX / a->dims[i])
      return false;
    else
      total *= a->dims[i];
  }
  a->bytes = empty ? 0 : (size_t)total;
  return true;
}

/* Fortran order: the first dimension varies fastest. Walks the target in its
 * own order and keeps the place in the source. */
static void reorder(void *to, const void *from, const npz_array *a) {
  const size_t element = npz_type_bytes(a->type);
  uint64_t index[NPZ_RANK_MAX] = {0}, stride[NPZ_RANK_MAX] = {0};
  uint64_t step = element, source = 0;
  for (uint32_t i = 0; i < a->rank; i++) {
    stride[i] = step;
    step *= a->dims[i];
  }
  for (size_t at = 0; at < a->bytes; at += element) {
    memcpy((uint8_t *)to + at, (const uint8_t *)from + source, element);
    for (uint32_t i = a->rank; i-- > 0;) {
      source += stride[i];
      if (++index[i] < a->dims[i])
        break;
      source -= stride[i] * a->dims[i];
      index[i] = 0;
    }
  }
}

static bool keep_elements(npz_array *out, const uint8_t *bytes,
                          const header *h) {
  uint8_t *data = malloc(out->bytes ? out->bytes : 1);
  uint8_t *spare = h->fortran && out->rank > 1 && out->bytes && data
                       ? malloc(out->bytes)
                       : NULL;
  if (!data || (h->fortran && out->rank > 1 && out->bytes && !spare)) {
    free(data);
    return fail(h->error, "out of memory");
  }
  npy_copy(spare ? spare : data, bytes, out->bytes, npz_type_bytes(out->type),
           h->big);
  if (spare)
    reorder(data, spare, out);
  free(spare);
  out->data = data;
  return true;
}

bool npy_read(npz_array *out, const uint8_t *bytes, size_t count, char *error) {
  *out = (npz_array){0};
  if (count < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return fail(error, "this is no NumPy array");
  if (bytes[6] < 1 || bytes[6] > 3)
    return fail(error, "a version of the format that is not known");
  const size_t start = bytes[6] == 1 ? 10 : 12;
  if (count < start)
    return fail(error, "the file is cut off in its header");
  size_t length = (size_t)(bytes[8] | bytes[9] << 8);
  if (start == 12)
    length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (length > count - start)
    return fail(error, "the file is cut off in its header");
  const char *text = (const char *)bytes + start;
  header h = {.at = text, .end = text + length, .error = error};
  if (!read_header(&h, out))
    return false;
  if (!count_bytes(out))
    return fail(error, "the array is larger than 1 GiB");
  if (out->bytes != count - start - length)
    return fail(error, "the elements do not fill the rest of the file exactly");
  return keep_elements(out, bytes + start + length, &h);
}

/* ---- writing ------------------------------------------------------------ */

/* Padded with blanks so that the elements start at a multiple of 64. */
bool npy_header(char buf[NPY_HEADER_MAX], size_t *count,
                const npz_array *array) {
  const char *descr = NULL;
  for (size_t i = 0; i < TYPE_COUNT; i++)
    if (types[i].type == array->type)
      descr = types[i].descr;
  npz_array copy = *array;
  if (!descr || array->rank > NPZ_RANK_MAX || !count_bytes(&copy) ||
      copy.bytes != array->bytes)
    return false;
  const char order = npz_type_bytes(array->type) == 1 ? '|' : '<';
  int at = snprintf(buf, NPY_HEADER_MAX,
                    "%cNUMPY%c%c..{'descr': '%c%s', 'fortran_order': False, "
                    "'shape': (",
                    0x93, 1, 0, order, descr);
  for (uint32_t i = 0; i < array->rank; i++)
    at += snprintf(buf + at, NPY_HEADER_MAX - (size_t)at, "%s%" PRIu64,
                   i ? ", " : "", array->dims[i]);
  at += snprintf(buf + at, NPY_HEADER_MAX - (size_t)at, "%s), }",
                 array->rank == 1 ? "," : "");
  while ((at + 1) % 64)
    buf[at++] = ' ';
  buf[at++] = '\n';
  buf[8] = (char)((at - 10) & 0xff);
  buf[9] = (char)((at - 10) >> 8);
  *count = (size_t)at;
  return true;
}
