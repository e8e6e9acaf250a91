/* onnx_ops_blocks.c - weights of few bits whose scales belong to blocks of an
 * axis: DequantizeLinear with a block size, and com.microsoft's MatMulNBits.
 * They are spelled out; of constants that leaves float32 weights. */
#include "read/onnx/onnx_import.h"

/* ---- DequantizeLinear with block_size ------------------------------------ */

uint32_t ash_ox_spread_blocks(ash_ox *m, uint32_t v, uint32_t x, int64_t axis,
                              int64_t size) {
  const ash_shape s = *ash_ox_shape(m, x);
  const uint32_t at = ash_ox_axis(m, axis, s.rank);
  ash_shape apart = *ash_ox_shape(m, v), whole = apart;
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  if (apart.rank != s.rank || s.rank == ASH_RANK_MAX || size < 1 ||
      size > INT32_MAX || apart.dim[at] != (s.dim[at] + size - 1) / size) {
    ash_ox_bad(m, "block_size and the shape of the scales contradict");
    return ASH_NO_ID;
  }
  const int32_t blocks = apart.dim[at];
  for (uint32_t d = apart.rank++; d > at + 1; d--)
    apart.dim[d] = apart.dim[d - 1];
  apart.dim[at + 1] = 1;
  const uint32_t y = ash_ox_reshape(m, v, apart);
  apart.dim[at + 1] = (int32_t)size;
  whole.dim[at] = (int32_t)(blocks * size);
  return ash_ox_slice(m, ash_ox_reshape(m, ash_ox_expand(m, y, &apart), whole),
                      at, 0, 1, s.dim[at]);
}

/* ---- MatMulNBits --------------------------------------------------------- */

typedef struct packed {
  int64_t depth, columns, bits, block; /* attributes K, N, bits, block_size */
  int64_t blocks;                      /* of a column */
  uint32_t weights, scales, zeros;     /* zeros: ASH_NO_ID, bytes or floats */
} packed;

/* Code i of a row of bytes: the lowest bits first. */
static int32_t code(const ash_ox *m, uint32_t id, int64_t row, int64_t pitch,
                    int64_t i, int64_t bits) {
  const int64_t each = 8 / bits;
  const int32_t byte =
      (int32_t)ash_ox_value(m, id, (uint64_t)(row * pitch + i / each));
  return byte >> (i % each * bits) & ((1 << bits) - 1);
}

static double zero_of(const ash_ox *m, const packed *p, int64_t column,
                      int64_t block) {
  const int64_t each = 8 / p->bits;
  if (p->zeros == ASH_NO_ID)
    return (double)(1 << (p->bits - 1));
  if (ash_ox_is_float(m, p->zeros))
    return ash_ox_value(m, p->zeros, (uint64_t)(column * p->blocks + block));
  return code(m, p->zeros, column, (p->blocks + each - 1) / each, block,
              p->bits);
}

static uint32_t unpacked(ash_ox *m, const packed *p) {
  const int64_t pitch = p->blocks * p->block * p->bits / 8;
  float *out =
      ASH_NEW_ARRAY(&m->g->zone, float, (size_t)(p->columns * p->depth) + 1);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (int64_t n = 0; n < p->columns && m->status == ASH_OK; n++)
    for (int64_t k = 0; k < p->depth; k++) {
      const int64_t b = k / p->block;
      const float scale =
          (float)ash_ox_value(m, p->scales, (uint64_t)(n * p->blocks + b));
      const int32_t q = code(m, p->weights, n, pitch, k, p->bits);
      out[n * p->depth + k] = ((float)q - (float)zero_of(m, p, n, b)) * scale;
    }
  return ash_ox_constant(
      m, ASH_FLOAT32, (ash_shape){2, {(int32_t)p->columns, (int32_t)p->depth}},
      out);
}

static bool has_elements(const ash_ox *m, uint32_t id, int64_t count) {
  return ash_shape_elements(ash_ox_shape(m, id)) == (uint64_t)count;
}

/* float32 of a constant of half precision, too. */
static uint32_t known(ash_ox *m, uint32_t k) {
  const uint32_t id = ash_ox_in(m, k);
  ash_ox_need_constant(m, id);
  return ash_ox_is_float(m, id) ? ash_ox_cast(m, id, ASH_FLOAT32) : id;
}

static bool open_packed(ash_ox *m, packed *p) {
  enum { SIDE_MAX = 1 << 20 };
  *p = (packed){.depth = ash_ox_int(m, "K", 0),
                .columns = ash_ox_int(m, "N", 0),
                .bits = ash_ox_int(m, "bits", 4),
                .block = ash_ox_int(m, "block_size", 0),
                .zeros = ASH_NO_ID};
  if ((p->bits != 2 && p->bits != 4 && p->bits != 8) || p->block < 16 ||
      p->block > SIDE_MAX || (p->block & (p->block - 1)) || p->depth < 1 ||
      p->columns < 1 || p->depth > SIDE_MAX || p->columns > SIDE_MAX ||
      p->depth * p->columns > INT32_MAX / 4) {
    ash_ox_refuse(m, "these K, N, bits or block_size");
    return false;
  }
  p->blocks = (p->depth + p->block - 1) / p->block;
  p->weights = known(m, 1);
  p->scales = known(m, 2);
  if (ash_ox_has(m, 3))
    p->zeros = known(m, 3);
  if (ash_ox_has(m, 4))
    ash_ox_refuse(m, "an order of rows (g_idx)");
  const int64_t each = 8 / p->bits;
  const int64_t zeros =
      p->columns * (ash_ox_is_float(m, p->zeros) && p->zeros != ASH_NO_ID
                        ? p->blocks
                        : (p->blocks + each - 1) / each);
  if (m->status == ASH_OK &&
      (ash_ox_type(m, p->weights) != ASH_UINT8 ||
       !has_elements(m, p->weights,
                     p->columns * p->blocks * p->block * p->bits / 8) ||
       !has_elements(m, p->scales, p->columns * p->blocks) ||
       (p->zeros != ASH_NO_ID && !has_elements(m, p->zeros, zeros))))
    ash_ox_bad(m, "weights, scales and zero points contradict K and N");
  return m->status == ASH_OK;
}

void ash_ox_read_matmul_bits(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  packed p;
  if (!open_packed(m, &p))
    return;
  const uint32_t bias =
      ash_ox_has(m, 5)
          ? ash_ox_cast(m, ash_ox_in(m, 5), ASH_FLOAT32)
          : ash_ox_constant(m, ASH_FLOAT32,
                            (ash_shape){1, {(int32_t)p.columns}}, NULL);
  const uint32_t y =
      ash_ox_dense(m, ash_ox_cast(m, x, ASH_FLOAT32), unpacked(m, &p), bias);
  ash_ox_out(m, 0, ash_ox_cast(m, y, ash_ox_type(m, x)));
}
