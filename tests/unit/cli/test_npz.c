/* test_npz.c - NumPy's files: everything NumPy and zlib wrote is read, damage
 * is refused, what we write is read back. Data: tests/data/npz/make.py. */
#include "check.h"
#include "npz/inflate.h"
#include "npz/npz.h"

#include <unistd.h>

#define DATA TEST_SOURCE_DIR "/tests/data/npz/"

static npz_file file;

static void load(const char *path) {
  npz_drop(&file);
  if (!npz_load(&file, path))
    fprintf(stderr, "%s: %s\n", path, file.error);
  CHECK(file.error[0] == '\0');
}

static const npz_array *get(const char *name, ash_type type, uint32_t rank) {
  const npz_array *a = npz_find(&file, name);
  CHECK(a != NULL);
  CHECK_EQ(a->type, type);
  CHECK_EQ(a->rank, rank);
  return a;
}

/* Element i of any integer array, and of float16 below 2048. */
static long value_of(const npz_array *a, size_t i) {
  const size_t bytes = npz_type_bytes(a->type);
  unsigned char raw[8];
  memcpy(raw, (const char *)a->data + i * bytes, bytes);
  uint16_t half;
  float f;
  double d;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  memcpy(&half, raw, 2), memcpy(&f, raw, 4), memcpy(&d, raw, 8);
  memcpy(&i16, raw, 2), memcpy(&i32, raw, 4), memcpy(&i64, raw, 8);
  if (a->type == ASH_FLOAT64)
    return (long)d;
  if (a->type == ASH_FLOAT32)
    return (long)f;
  if (a->type == ASH_FLOAT16)
    return half ? (1024 + (half & 1023)) >> (25 - (half >> 10)) : 0;
  return bytes == 1 ? raw[0] : bytes == 2 ? i16 : bytes == 4 ? i32 : (long)i64;
}

static void every_type_and_byte_order_is_read(void) {
  static const struct {
    const char *name;
    ash_type type;
  } kinds[] = {{"i1", ASH_INT8},    {"i2", ASH_INT16},  {"i4", ASH_INT32},
               {"i8", ASH_INT64},   {"u1", ASH_UINT8},  {"u2", ASH_UINT16},
               {"u4", ASH_UINT32},  {"u8", ASH_UINT64}, {"f2", ASH_FLOAT16},
               {"f4", ASH_FLOAT32}, {"f8", ASH_FLOAT64}};
  load(DATA "types.npz");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int big = 0; big < 2; big++) {
      char name[20];
      (void)snprintf(name, sizeof name, "%s_%s", kinds[k].name,
                     big ? "big" : "little");
      const npz_array *a = get(name, kinds[k].type, 2);
      CHECK(a->dims[0] == 2 && a->dims[1] == 3);
      CHECK_EQ(a->bytes, 6 * npz_type_bytes(a->type));
      for (size_t i = 0; i < 6; i++)
        CHECK_EQ(value_of(a, i), i);
    }
}

static void odd_shapes_are_read(void) {
  load(DATA "types.npz");
  const npz_array *a = get("b1", ASH_BOOL, 1);
  CHECK(memcmp(a->data, "\1\0\1", 3) == 0);
  CHECK_EQ(value_of(get("scalar", ASH_INT32, 0), 0), -7);
  a = get("empty", ASH_FLOAT32, 3);
  CHECK(a->bytes == 0 && a->dims[1] == 0 && a->dims[2] == 2);
  a = get("rank8", ASH_INT8, 8);
  CHECK(a->bytes == 16 && value_of(a, 15) == 15);
}

static void fortran_order_becomes_c_order(void) {
  load(DATA "types.npz");
  const npz_array *a = get("fortran", ASH_INT16, 3);
  CHECK(a->dims[0] == 2 && a->dims[1] == 3 && a->dims[2] == 4);
  for (size_t i = 0; i < 24; i++)
    CHECK_EQ(value_of(a, i), i);
}

static void all_three_versions_are_read(void) {
  static const char *const paths[] = {DATA "v1.npy", DATA "v2.npy",
                                      DATA "v3.npy"};
  for (size_t v = 0; v < 3; v++) {
    load(paths[v]);
    const npz_array *a = get("", ASH_FLOAT32, 1);
    CHECK_EQ(value_of(a, 4), 4);
  }
}

static void everything_zlib_makes_is_inflated(void) {
  static const char *const names[] = {"stored", "fast",    "best",
                                      "fixed",  "huffman", "rle"};
  load(DATA "deflated.npz");
  CHECK_EQ(file.count, 6);
  for (size_t k = 0; k < 6; k++) {
    const npz_array *a = get(names[k], ASH_UINT8, 1);
    CHECK_EQ(a->bytes, 3000);
    for (size_t i = 0; i < 3000; i++)
      CHECK_EQ(((uint8_t *)a->data)[i], i * i >> 9 & 63);
  }
  load(DATA "zeros.npz");
  CHECK_EQ(get("zeros", ASH_INT8, 1)->bytes, 200000);
}

static void data_descriptors_and_zip64_are_read(void) {
  load(DATA "streamed.npz");
  CHECK_EQ(value_of(get("a", ASH_INT32, 1), 6), 6);
  load(DATA "zip64.npz");
  CHECK_EQ(file.count, 2); /* the note is no array */
  CHECK_EQ(value_of(get("a", ASH_INT32, 1), 6), 6);
  CHECK_EQ(value_of(get("b", ASH_INT16, 1), 2), 2);
}

static size_t read_bytes(const char *path, uint8_t *bytes, size_t size) {
  FILE *in = fopen(path, "rb");
  CHECK(in != NULL);
  const size_t count = fread(bytes, 1, size, in);
  fclose(in);
  return count;
}

/* Cut at every byte, and every byte changed: never more than an error. */
static void damage_is_refused_or_harmless(void) {
  static const char *const paths[] = {DATA "streamed.npz", DATA "zip64.npz",
                                      DATA "zeros.npz", DATA "v2.npy"};
  static uint8_t bytes[2000];
  for (size_t p = 0; p < 4; p++) {
    const size_t count = read_bytes(paths[p], bytes, sizeof bytes);
    for (size_t cut = 0; cut < count; cut++) {
      npz_file f;
      uint8_t *exact = malloc(cut ? cut : 1); /* for the sanitizer */
      CHECK(exact != NULL);
      memcpy(exact, bytes, cut);
      CHECK(!npz_read(&f, exact, cut));
      CHECK(f.error[0] && f.count == 0 && !f.arrays);
      free(exact);
    }
    for (size_t i = 0; i < count; i++) {
      npz_file f;
      bytes[i] ^= 0xff;
      (void)npz_read(&f, bytes, count);
      npz_drop(&f);
      bytes[i] ^= 0xff;
    }
  }
}

static void wrong_checksums_are_refused(void) {
  static uint8_t bytes[2000];
  npz_file f;
  const size_t count = read_bytes(DATA "zip64.npz", bytes, sizeof bytes);
  CHECK(npz_read(&f, bytes, count));
  npz_drop(&f);
  /* An element of the first array, stored: behind local header and .npy. */
  bytes[30 + 5 + 20 + 128 + 4] ^= 1;
  CHECK(!npz_read(&f, bytes, count));
  CHECK_STR(f.error, "the checksum of an array is wrong");
}

static void refuse_header(const char *dict, const char *why) {
  uint8_t bytes[300] = "\x93NUMPY\1\0";
  const size_t count = strlen(dict);
  bytes[8] = (uint8_t)count;
  memcpy(bytes + 10, dict, count);
  npz_file f;
  CHECK(!npz_read(&f, bytes, 10 + count + 4)); /* four bytes of elements */
  if (!strstr(f.error, why))
    fprintf(stderr, "'%s' lacks '%s'\n", f.error, why);
  CHECK(strstr(f.error, why));
}

#define REST ", 'fortran_order': False, 'shape': (1,)}"

static void wrong_headers_are_refused(void) {
  refuse_header("{'descr': '<f4'}", "incomplete");
  refuse_header("{'descr': '<c8'" REST, "'<c8' is not supported");
  refuse_header("{'descr': '|f4'" REST, "'|f4' is not supported");
  refuse_header("{'descr': [('a', '<f4')]" REST, "records");
  refuse_header("{'descr': '<f4', 'descr': '<f4'" REST, "repeated");
  refuse_header("{'descr': '<f4', 'x': 1" REST, "unknown");
  refuse_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "True");
  refuse_header("{'descr': '<f4', 'fortran_order': True, 'shape': 1}", "tuple");
  refuse_header("{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}",
                "dimension");
  refuse_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1", "cut");
  refuse_header("{'descr': '<f4', 'fortran_order': True, "
                "'shape': (1,1,1,1,1,1,1,1,1)}",
                "8 dimensions");
  refuse_header("{'descr': '<f4', 'fortran_order': True, "
                "'shape': (100000, 100000, 100000)}",
                "1 GiB");
  refuse_header("{'descr': '<f4', 'fortran_order': True, "
                "'shape': (99999999999999999999999,)}",
                "too large");
  refuse_header("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}",
                "exactly");
  refuse_header("{'descr': '<f4'" REST " x", "tail");
  refuse_header("[]", "dictionary");
}

static void what_is_written_is_read_back(void) {
  float floats[6] = {0.5f, -1, 2, 3, 4, 5};
  int64_t one = -9;
  uint8_t nothing = 0;
  char a[] = "input_0", b[] = "s", c[] = "none";
  const npz_array arrays[] = {
      {a, ASH_FLOAT32, 2, {2, 3}, floats, sizeof floats},
      {b, ASH_INT64, 0, {0}, &one, sizeof one},
      {c, ASH_UINT8, 1, {0}, &nothing, 0}};
  void *bytes, *again;
  size_t count, again_count;
  CHECK(npz_write(&bytes, &count, arrays, 3));
  CHECK(npz_write(&again, &again_count, arrays, 3));
  CHECK(count == again_count && memcmp(bytes, again, count) == 0);
  free(again);
  npz_drop(&file);
  CHECK(npz_read(&file, bytes, count));
  free(bytes);
  const npz_array *x = get("input_0", ASH_FLOAT32, 2);
  CHECK(x->bytes == sizeof floats && memcmp(x->data, floats, x->bytes) == 0);
  CHECK_EQ(value_of(get("s", ASH_INT64, 0), 0), -9);
  CHECK_EQ(get("none", ASH_UINT8, 1)->bytes, 0);
}

static void what_numpy_cannot_hold_is_not_written(void) {
  uint8_t data[4] = {0};
  char name[] = "a";
  void *bytes;
  size_t count;
  npz_array a = {name, ASH_INT4, 1, {4}, data, 4};
  CHECK(!npz_write(&bytes, &count, &a, 1));
  a.type = ASH_INT8;
  CHECK(npz_write(&bytes, &count, &a, 1));
  free(bytes);
  a.bytes = 3; /* not what the shape says */
  CHECK(!npz_write(&bytes, &count, &a, 1));
  a.bytes = 4, a.rank = 9;
  CHECK(!npz_write(&bytes, &count, &a, 1));
}

static void files_are_saved_and_loaded(void) {
  char path[] = "/tmp/ashlar-test-XXXXXX", error[200], name[] = "a";
  int16_t data[2] = {-1, 2};
  const npz_array a = {name, ASH_INT16, 1, {2}, data, sizeof data};
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  CHECK(npz_save(path, &a, 1, error));
  load(path);
  CHECK_EQ(value_of(get("a", ASH_INT16, 1), 0), -1);
  CHECK_EQ(remove(path), 0);
  npz_file f;
  CHECK(!npz_load(&f, path));
  CHECK_STR(f.error, "cannot be opened");
  CHECK(!npz_save("/no/such/folder/a.npz", &a, 1, error));
  CHECK_STR(error, "cannot be written");
}

static void inflate_refuses_what_is_not_deflate(void) {
  uint8_t out[64];
  /* A stored block "hi", then the same with a wrong complement. */
  CHECK(inflate_exactly(out, 2, "\x01\x02\x00\xfd\xffhi", 7));
  CHECK(memcmp(out, "hi", 2) == 0);
  CHECK(!inflate_exactly(out, 2, "\x01\x02\x00\xfd\xfehi", 7));
  CHECK(!inflate_exactly(out, 1, "\x01\x02\x00\xfd\xffhi", 7));
  CHECK(!inflate_exactly(out, 3, "\x01\x02\x00\xfd\xffhi", 7));
  CHECK(!inflate_exactly(out, 2, "\x01\x02\x00\xfd\xffhi.", 8)); /* a tail */
  CHECK(!inflate_exactly(out, 0, "\x07", 1)); /* block type 3 */
  CHECK(!inflate_exactly(out, 0, "", 0));
  CHECK(inflate_exactly(out, 0, "\x03\x00", 2)); /* empty, fixed code */
  /* Fixed code, a match before anything was written. */
  CHECK(!inflate_exactly(out, 3, "\x03\x02\x00", 3));
}

static void crc32_gives_the_published_value(void) {
  CHECK_EQ(ash_crc32("123456789", 9), 0xcbf43926);
  CHECK_EQ(ash_crc32("", 0), 0);
}

#define TESTS(X)                                                               \
  X(every_type_and_byte_order_is_read)                                         \
  X(odd_shapes_are_read)                                                       \
  X(fortran_order_becomes_c_order)                                             \
  X(all_three_versions_are_read)                                               \
  X(everything_zlib_makes_is_inflated)                                         \
  X(data_descriptors_and_zip64_are_read)                                       \
  X(damage_is_refused_or_harmless)                                             \
  X(wrong_checksums_are_refused)                                               \
  X(wrong_headers_are_refused)                                                 \
  X(what_is_written_is_read_back)                                              \
  X(what_numpy_cannot_hold_is_not_written)                                     \
  X(files_are_saved_and_loaded)                                                \
  X(inflate_refuses_what_is_not_deflate)                                       \
  X(crc32_gives_the_published_value)
TEST_MAIN(TESTS)
