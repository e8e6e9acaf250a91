/* onnx_ops_product.c - products of matrices. Constant float32 weights of two
 * dimensions become a fully connected layer, whose kernel wants them by rows
 * of outputs. */
#include "read/onnx/onnx_import.h"

#include <string.h>

static uint32_t turned(ash_ox *m, uint32_t a) {
  static const uint32_t order[] = {1, 0};
  return ash_ox_transpose(m, a, order);
}

static bool is_dense(const ash_ox *m, uint32_t a, uint32_t b) {
  return ash_ox_type(m, a) == ASH_FLOAT32 && ash_ox_is_constant(m, b) &&
         ash_ox_rank(m, b) == 2 && ash_ox_rank(m, a) >= 2;
}

/* Vectors are matrices of one row or column, for a while. */
static uint32_t multiply(ash_ox *m, uint32_t a, uint32_t b) {
  const bool row = ash_ox_rank(m, a) == 1, column = ash_ox_rank(m, b) == 1;
  if (is_dense(m, a, b) &&
      ash_ox_dim(m, a, ash_ox_rank(m, a) - 1) == ash_ox_dim(m, b, 0))
    return ash_ox_dense(m, a, turned(m, b), ASH_NO_ID);
  if (row)
    a = ash_ox_reshape(m, a, (ash_shape){2, {1, ash_ox_dim(m, a, 0)}});
  if (column)
    b = ash_ox_reshape(m, b, (ash_shape){2, {ash_ox_dim(m, b, 0), 1}});
  const uint32_t y = ash_ox_matmul(m, a, b);
  const ash_shape s = *ash_ox_shape(m, y);
  ash_shape out = {0};
  for (uint32_t i = 0; i < s.rank; i++)
    if (!(row && i + 2 == s.rank) && !(column && i + 1 == s.rank))
      out.dim[out.rank++] = s.dim[i];
  return ash_ox_reshape(m, y, out);
}

static void read_matmul(ash_ox *m) {
  ash_ox_need_sums(m, ash_ox_in(m, 0));
  ash_ox_out(m, 0, multiply(m, ash_ox_in(m, 0), ash_ox_in(m, 1)));
}

/* One bias value an output column? */
static bool is_bias(const ash_ox *m, uint32_t c, int32_t columns) {
  const ash_shape *s = ash_ox_shape(m, c);
  return ash_ox_is_constant(m, c) && s->rank > 0 &&
         s->dim[s->rank - 1] == columns &&
         ash_shape_elements(s) == (uint64_t)columns;
}

static void read_gemm(ash_ox *m) {
  uint32_t a = ash_ox_in(m, 0), b = ash_ox_in(m, 1), bias = ASH_NO_ID;
  ash_ox_need_sums(m, a);
  const double alpha = ash_ox_float(m, "alpha", 1);
  const double beta = ash_ox_float(m, "beta", 1);
  const ash_type type = ash_ox_type(m, a);
  uint32_t c = ash_ox_in_or(m, 2, ASH_NO_ID), y;
  bool by_columns = ash_ox_int(m, "transA", 0) != 0;
  if (by_columns && is_dense(m, a, b) && ash_ox_rank(m, a) == 2) {
    a = turned(m, a);
    by_columns = false;
  }
  const bool by_rows = ash_ox_int(m, "transB", 0) != 0;
  const int32_t columns = ash_ox_dim(m, b, by_rows ? 0 : 1);
  if (is_dense(m, a, b) && !by_columns) {
    if (c != ASH_NO_ID && alpha == 1 && beta == 1 && is_bias(m, c, columns)) {
      bias = ash_ox_reshape(m, c, (ash_shape){1, {columns}});
      c = ASH_NO_ID;
    }
    y = ash_ox_dense(m, a, by_rows ? b : turned(m, b), bias);
  } else {
    y = ash_ox_add_op(
        m, &(ash_ox_op){.kind = ASH_OP_matmul,
                        .inputs = {a, b},
                        .input_count = 2,
                        .attrs = {ASH_INT_ATTR("transpose_a", by_columns),
                                  ASH_INT_ATTR("transpose_b", by_rows)},
                        .attr_count = 2,
                        .type = type});
  }
  if (alpha != 1)
    y = ash_ox_with(m, ASH_FN_mul, y, alpha);
  if (c != ASH_NO_ID)
    y = ash_ox_map2(m, ASH_FN_add, y,
                    beta == 1 ? c : ash_ox_with(m, ASH_FN_mul, c, beta));
  ash_ox_out(m, 0, y);
}

/* x - zero point as int32; one a row (axis -2) or a column (axis -1). */
static uint32_t centred(ash_ox *m, uint32_t x, uint32_t k, bool rows) {
  const uint32_t y = ash_ox_cast(m, x, ASH_INT32);
  if (!ash_ox_has(m, k))
    return y;
  uint32_t zero = ash_ox_cast(m, ash_ox_in(m, k), ASH_INT32);
  if (rows && ash_ox_rank(m, zero) == 1)
    zero = ash_ox_reshape(m, zero, (ash_shape){2, {ash_ox_dim(m, zero, 0), 1}});
  return ash_ox_map2(m, ASH_FN_sub, y, zero);
}

static void read_matmul_integer(ash_ox *m) {
  ash_ox_out(m, 0,
             multiply(m, centred(m, ash_ox_in(m, 0), 2, true),
                      centred(m, ash_ox_in(m, 1), 3, false)));
}

/* ---- Einstein's sums -------------------------------------------------------
 * Every operand is laid out over all letters, the product is taken, and the
 * letters that the result lacks are summed. Simple, not thrifty. */

enum { LETTERS_MAX = ASH_RANK_MAX, TEXT_MAX = 64 };

typedef struct equation {
  char text[TEXT_MAX];
  char letters[LETTERS_MAX + 1]; /* of the result first, then summed ones */
  uint32_t kept, count;
  int32_t size[LETTERS_MAX];
} equation;

/* "..ij,jk->ik" without blanks and with a letter for each dimension behind the
 * three dots: digits. */
static bool read_equation(ash_ox *m, equation *e) {
  const ash_onnx_attr *a = ash_ox_attr(m, "equation");
  size_t n = 0;
  if (!a || a->kind != ASH_ONNX_STRING)
    return false;
  for (uint64_t i = 0; i < ash_pb_bytes(&a->s) && n + 8 < TEXT_MAX; i++) {
    const char c = (char)a->s.pb->bytes[a->s.at + i];
    if (c == ' ' || c == '.')
      continue;
    e->text[n++] = c;
  }
  e->text[n] = '\0';
  return n + 8 < TEXT_MAX;
}

/* Three dots become the digits of the leading dimensions. */
static bool expand_dots(ash_ox *m, equation *e) {
  const ash_onnx_attr *a = ash_ox_attr(m, "equation");
  char raw[TEXT_MAX], out[2 * TEXT_MAX];
  size_t n = 0, to = 0;
  uint32_t operand = 0, dots_rank = 0;
  for (uint64_t i = 0; i < ash_pb_bytes(&a->s) && n + 1 < TEXT_MAX; i++)
    if (a->s.pb->bytes[a->s.at + i] != ' ')
      raw[n++] = (char)a->s.pb->bytes[a->s.at + i];
  raw[n] = '\0';
  for (size_t i = 0; i < n && to + 12 < TEXT_MAX; i++) {
    if (raw[i] != '.') {
      operand += raw[i] == ',';
      out[to++] = raw[i];
      continue;
    }
    if (!strstr(raw, "->") || i < (size_t)(strstr(raw, "->") - raw)) {
      uint32_t letters = 0;
      size_t start = i;
      while (start > 0 && raw[start - 1] != ',')
        start--;
      for (size_t k = start; raw[k] && raw[k] != ',' && raw[k] != '-'; k++)
        letters += raw[k] != '.';
      const uint32_t rank = ash_ox_rank(m, ash_ox_in(m, operand));
      dots_rank = rank > letters ? rank - letters : 0;
    }
    for (uint32_t k = 0; k < dots_rank && k < 8; k++)
      out[to++] = (char)('0' + k);
    i += 2;
  }
  out[to] = '\0';
  memcpy(e->text, out, to + 1 < TEXT_MAX ? to + 1 : TEXT_MAX);
  e->text[TEXT_MAX - 1] = '\0';
  return to + 12 < TEXT_MAX;
}

static uint32_t letter_at(equation *e, char c) {
  for (uint32_t i = 0; i < e->count; i++)
    if (e->letters[i] == c)
      return i;
  if (e->count < LETTERS_MAX)
    e->letters[e->count++] = c;
  return e->count - 1;
}

/* Without an arrow, letters that occur once are kept, in order. */
static void keep_letters(equation *e) {
  const char *arrow = strstr(e->text, "->");
  if (arrow) {
    for (const char *p = arrow + 2; *p; p++)
      (void)letter_at(e, *p);
  } else {
    for (int c = '0'; c <= 'z'; c++) {
      const char *first = strchr(e->text, c);
      if (c != ',' && first && (c <= '9' || !strchr(first + 1, c)))
        (void)letter_at(e, (char)c);
    }
  }
  e->kept = e->count;
  for (const char *p = e->text; *p && p != arrow; p++)
    if (*p != ',')
      (void)letter_at(e, *p);
}

/* Operand over all letters; repeated letters walk the diagonal. */
static uint32_t lay_out(ash_ox *m, equation *e, uint32_t x, const char *text) {
  const ash_shape s = *ash_ox_shape(m, x);
  int64_t step[LETTERS_MAX] = {0}, stride = 1;
  ash_shape out = {.rank = e->count};
  uint32_t n = 0;
  while (text[n] && text[n] != ',' && text[n] != '-')
    n++;
  if (n != s.rank) {
    ash_ox_bad(m, "the equation and an operand differ in rank");
    return x;
  }
  for (uint32_t i = 0; i < e->count; i++)
    out.dim[i] = 1;
  for (uint32_t i = s.rank; i-- > 0; stride *= s.dim[i]) {
    const uint32_t k = letter_at(e, text[i]);
    step[k] += s.dim[i] == 1 ? 0 : stride;
    out.dim[k] = s.dim[i] > out.dim[k] ? s.dim[i] : out.dim[k];
  }
  return ash_ox_strided(m, x, &out, step, 0);
}

static void read_einsum(ash_ox *m) {
  equation e = {.count = 0};
  uint32_t y = ASH_NO_ID;
  if (!read_equation(m, &e) || !expand_dots(m, &e)) {
    ash_ox_refuse(m, "this equation");
    return;
  }
  keep_letters(&e);
  const char *text = e.text;
  for (uint32_t k = 0; k < m->node->input_count && m->status == ASH_OK; k++) {
    ash_ox_need_sums(m, ash_ox_in(m, k));
    const uint32_t x = lay_out(m, &e, ash_ox_in(m, k), text);
    y = k ? ash_ox_map2(m, ASH_FN_mul, y, x) : x;
    const char *comma = strchr(text, ',');
    text = comma ? comma + 1 : text;
  }
  uint32_t axes = 0;
  for (uint32_t i = e.kept; i < e.count; i++)
    axes |= 1u << i;
  if (axes)
    y = ash_ox_fold(m, ASH_FOLD_SUM, y, axes, false);
  ash_ox_out(m, 0, y);
}

/* ---- determinants ----------------------------------------------------------
 * Laplace's expansion, row by row from the last: the minor of each set of
 * columns is made once. */

enum { ROWS_MAX = 6 };

static uint32_t minor_of(ash_ox *m, const uint32_t *minors, uint32_t flat,
                         uint32_t n, uint32_t row, uint32_t columns) {
  uint32_t sum = ASH_NO_ID;
  bool negative = false;
  for (uint32_t j = 0; j < n; j++) {
    if (!(columns >> j & 1))
      continue;
    uint32_t part = ash_ox_slice(m, flat, 1, row * n + j, 1, 1);
    if (columns != 1u << j)
      part = ash_ox_map2(m, ASH_FN_mul, part, minors[columns & ~(1u << j)]);
    sum = sum == ASH_NO_ID
              ? part
              : ash_ox_map2(m, negative ? ASH_FN_sub : ASH_FN_add, sum, part);
    negative = !negative;
  }
  return sum;
}

static uint32_t members(uint32_t set) {
  uint32_t count = 0;
  for (; set; set &= set - 1)
    count++;
  return count;
}

static void read_det(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  uint32_t minors[1 << ROWS_MAX];
  if (m->status != ASH_OK)
    return;
  const uint32_t n = s.rank < 2 ? 0 : (uint32_t)s.dim[s.rank - 1];
  if (n == 0 || s.dim[s.rank - 2] != (int32_t)n) {
    ash_ox_bad(m, "a matrix needs as many rows as columns");
    return;
  }
  if (n > ROWS_MAX) {
    ash_ox_refuse(m, "a matrix of more than 6 rows");
    return;
  }
  ash_shape out = {.rank = s.rank - 2};
  for (uint32_t i = 0; i < out.rank; i++)
    out.dim[i] = s.dim[i];
  const int32_t matrices = (int32_t)ash_shape_elements(&out);
  const uint32_t flat =
      ash_ox_reshape(m, x, (ash_shape){2, {matrices, (int32_t)(n * n)}});
  for (uint32_t row = n; row-- > 0;)
    for (uint32_t set = 1; set < 1u << n; set++)
      if (members(set) == n - row)
        minors[set] = minor_of(m, minors, flat, n, row, set);
  ash_ox_out(m, 0, ash_ox_reshape(m, minors[(1u << n) - 1], out));
}

const ash_ox_handler ash_ox_matrix[] = {
    {"MatMul", read_matmul},
    {"Gemm", read_gemm},
    {"MatMulInteger", read_matmul_integer},
    {"Einsum", read_einsum},
    {"Det", read_det},
    {NULL, NULL},
};
