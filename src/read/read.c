/* read.c - which format is this? Decided by content, never by the file's name;
 * people rename files. What is no model is named, with the way to a model. */
#include "read/read.h"

#include "read/given.h"
#include "read/onnx/onnx.h"
#include "read/tflite/tflite.h"

#include <string.h>

/* Files people give by mistake: bytes at an offset, what they mean, what to
 * do. The first match counts. */
static const struct {
  uint32_t at;
  const char *magic;
  uint32_t count;
  const char *what, *todo;
} strangers[] = {
    {0, "version https://git-lfs", 23, "a Git LFS pointer, not the file itself",
     "run 'git lfs pull' in the repository it came from"},
    {0, "PK\003\004", 4,
     "a zip archive (a .keras file or a PyTorch checkpoint "
     "is one)",
     "export the model: tf.lite.TFLiteConverter for Keras, torch.onnx.export "
     "for PyTorch; a zipped .tflite needs unpacking only"},
    {0, "\x89HDF\r\n\x1a\n", 8, "an HDF5 file (Keras .h5)",
     "load it in Keras and convert it with tf.lite.TFLiteConverter"},
    {0, "\x1f\x8b", 2, "a gzip archive", "unpack it first"},
    {0, "BZh", 3, "a bzip2 archive", "unpack it first"},
    {0,
     "\xfd"
     "7zXZ",
     5, "an xz archive", "unpack it first"},
    {257, "ustar", 5, "a tar archive", "unpack it first"},
    {0,
     "\x7f"
     "ELF",
     4, "an ELF program or library", "give the model it was built from"},
    {0, "\x80\x02", 2, "a Python pickle (an old PyTorch checkpoint)",
     "load it in PyTorch and use torch.onnx.export"},
    {4, "ORTM", 4, "an ONNX Runtime .ort file",
     "give the .onnx file it was made from"},
    {4, "ET", 2, "an ExecuTorch program", "export the model to TFLite or ONNX"},
    {0, "<", 1, "HTML or XML, perhaps an error page from a download",
     "fetch the file again and look at it"},
    {0, "{", 1, "JSON", "give the model file it describes"},
};

static bool looks_like(const uint8_t *bytes, size_t count, uint32_t at,
                       const char *magic, uint32_t length) {
  return at <= count && length <= count - at &&
         memcmp(bytes + at, magic, length) == 0;
}

static ash_status refuse(ash_ctx *ctx, ash_loc at, const char *what,
                         const char *todo) {
  const ash_status got = ash_fail(
      ctx, ASH_MALFORMED, ASH_D_model_format, at,
      "the file is not a model that Ashlar reads: it looks like %s", what);
  ash_hint(ctx, "%s", todo);
  return got;
}

/* ONNX has no magic number: a protobuf whose first field is the small number
 * of the IR version, followed by a string or another number. */
static bool looks_like_onnx(const uint8_t *bytes, size_t count) {
  return count > 3 && bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 64 &&
         (bytes[2] == 0x12 || bytes[2] == 0x3a || bytes[2] == 0x42);
}

static ash_status refuse_unknown(ash_ctx *ctx, ash_loc at, const uint8_t *bytes,
                                 size_t count) {
  char hex[3 * 8 + 1] = "";
  static const char digits[] = "0123456789abcdef";
  const size_t shown = count < 8 ? count : 8;
  for (size_t i = 0; i < shown; i++) {
    hex[3 * i] = ' ';
    hex[3 * i + 1] = digits[bytes[i] >> 4];
    hex[3 * i + 2] = digits[bytes[i] & 15];
  }
  const ash_status got = ash_fail(
      ctx, ASH_MALFORMED, ASH_D_model_format, at,
      "the file is not a model that Ashlar reads: it starts with%s", hex);
  ash_hint(ctx, "a .tflite file has the letters TFL3 at byte 4, an .onnx file "
                "starts with 08; docs/ir.md describes the textual form");
  return got;
}

static ash_status refuse_stranger(ash_ctx *ctx, const uint8_t *bytes,
                                  size_t count, const char *file) {
  ash_loc at = ASH_NOWHERE;
  at.file = file;
  if (count == 0)
    return refuse(ctx, at, "an empty file", "fetch or export it again");
  for (size_t i = 0; i < ASH_COUNT_OF(strangers); i++)
    if (looks_like(bytes, count, strangers[i].at, strangers[i].magic,
                   strangers[i].count))
      return refuse(ctx, at, strangers[i].what, strangers[i].todo);
  if (looks_like(bytes, count, 4, "TFL", 3))
    return refuse(ctx, at, "a TFLite file of another schema version",
                  "convert the model again with a current converter");
  return refuse_unknown(ctx, at, bytes, count);
}

/* The textual form has all shapes. */
static ash_status read_text(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                            size_t count, const char *file,
                            const ash_load_options *options) {
  ASH_TRY(ash_graph_parse(ctx, out, (const char *)bytes, count, file));
  const ash_status status = ash_given_check_graph(ctx, options, *out);
  if (status != ASH_OK) {
    ash_graph_free(*out);
    *out = NULL;
  }
  return status;
}

ash_status ash_read_model(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                          size_t count, const char *file) {
  return ash_read_model_with(ctx, out, bytes, count, file, NULL);
}

ash_status ash_read_model_with(ash_ctx *ctx, ash_graph **out,
                               const uint8_t *bytes, size_t count,
                               const char *file,
                               const ash_load_options *options) {
  *out = NULL;
  if (looks_like(bytes, count, 4, "TFL3", 4))
    return ash_read_tflite_with(ctx, out, bytes, count, file, options);
  if (looks_like(bytes, count, 0, "graph ", 6))
    return read_text(ctx, out, bytes, count, file, options);
  if (looks_like_onnx(bytes, count))
    return ash_read_onnx(ctx, out, bytes, count, file, options);
  return refuse_stranger(ctx, bytes, count, file);
}
