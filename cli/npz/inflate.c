/* inflate.c - RFC 1951, written for clarity: codes are decoded bit by bit from
 * the number of codes of each length, which is all a canonical code needs.
 *
 * A stream that runs out of input reads zeros and sets `bad`, so every loop
 * ends: each one also produces output or consumes a counted item. */
#include "npz/inflate.h"

#include <stdint.h>
#include <string.h>

enum { BITS_MAX = 15, LITERALS = 288, DISTANCES = 30 };

typedef struct stream {
  const uint8_t *in;
  size_t in_count, in_at;
  uint8_t *out;
  size_t out_count, out_at;
  uint32_t bits; /* read from `in`, not yet used; the lowest comes first */
  unsigned bit_count;
  bool bad;
} stream;

/* A canonical Huffman code: the symbols sorted by (length, symbol), and how
 * many there are of each length. */
typedef struct code {
  uint16_t count[BITS_MAX + 1];
  uint16_t symbol[LITERALS];
} code;

static unsigned take(stream *s, unsigned count) {
  while (s->bit_count < count) {
    if (s->in_at == s->in_count)
      s->bad = true;
    const uint32_t byte = s->bad ? 0 : s->in[s->in_at++];
    s->bits |= byte << s->bit_count;
    s->bit_count += 8;
  }
  const unsigned value = s->bits & ((1u << count) - 1);
  s->bits >>= count;
  s->bit_count -= count;
  return value;
}

/* ---- codes -------------------------------------------------------------- */

/* False if the lengths claim more codes than exist, or leave some unused. One
 * code alone (length 1) and none at all are allowed: data without matches. */
static bool make_code(code *c, const uint8_t *length, unsigned count) {
  uint16_t start[BITS_MAX + 2] = {0};
  memset(c, 0, sizeof *c);
  for (unsigned i = 0; i < count; i++)
    c->count[length[i]]++;
  c->count[0] = 0;
  int32_t left = 1;
  unsigned used = 0;
  for (unsigned bits = 1; bits <= BITS_MAX; bits++) {
    left = 2 * left - c->count[bits];
    if (left < 0)
      return false;
    used += c->count[bits];
    start[bits + 1] = (uint16_t)(start[bits] + c->count[bits]);
  }
  for (unsigned i = 0; i < count; i++)
    if (length[i])
      c->symbol[start[length[i]]++] = (uint16_t)i;
  return left == 0 || used == 0 || (used == 1 && c->count[1] == 1);
}

/* `first` is the smallest code of this many bits, `index` the place of its
 * symbol. */
static unsigned decode(stream *s, const code *c) {
  uint32_t value = 0, first = 0, index = 0;
  for (unsigned bits = 1; bits <= BITS_MAX; bits++) {
    value |= take(s, 1);
    if (value - first < c->count[bits])
      return c->symbol[index + value - first];
    index += c->count[bits];
    first = (first + c->count[bits]) << 1;
    value <<= 1;
  }
  s->bad = true;
  return 0;
}

/* ---- blocks ------------------------------------------------------------- */

static void copy_stored(stream *s) {
  s->bits = 0; /* the rest of the byte; never more than 7 bits are held */
  s->bit_count = 0;
  const unsigned count = take(s, 16), check = take(s, 16);
  if (s->bad || count != (~check & 0xffff) || count > s->in_count - s->in_at ||
      count > s->out_count - s->out_at) {
    s->bad = true;
    return;
  }
  if (count)
    memcpy(s->out + s->out_at, s->in + s->in_at, count);
  s->in_at += count;
  s->out_at += count;
}

static unsigned take_length(stream *s, unsigned symbol) {
  static const uint16_t base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                    15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                    67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  if (symbol >= 29) {
    s->bad = true;
    return 0;
  }
  return base[symbol] + take(s, extra[symbol]);
}

/* Distances double every two symbols. */
static size_t take_distance(stream *s, unsigned symbol) {
  if (symbol >= DISTANCES) {
    s->bad = true;
    return 0;
  }
  if (symbol < 4)
    return symbol + 1;
  const unsigned extra = symbol / 2 - 1;
  return (((size_t)2 + symbol % 2) << extra) + take(s, extra) + 1;
}

static void copy_match(stream *s, unsigned length, size_t distance) {
  if (distance > s->out_at || length > s->out_count - s->out_at)
    s->bad = true;
  if (s->bad)
    return;
  for (unsigned i = 0; i < length; i++, s->out_at++)
    s->out[s->out_at] = s->out[s->out_at - distance]; /* may overlap */
}

static void read_symbols(stream *s, const code *literals,
                         const code *distances) {
  while (!s->bad) {
    const unsigned symbol = decode(s, literals);
    if (s->bad || symbol == 256)
      return;
    if (symbol > 256) {
      const unsigned length = take_length(s, symbol - 257);
      const size_t distance = take_distance(s, decode(s, distances));
      copy_match(s, length, distance);
    } else if (s->out_at < s->out_count)
      s->out[s->out_at++] = (uint8_t)symbol;
    else
      s->bad = true;
  }
}

static void read_fixed(stream *s) {
  uint8_t length[LITERALS];
  code literals, distances;
  memset(length, 8, 144);
  memset(length + 144, 9, 112);
  memset(length + 256, 7, 24);
  memset(length + 280, 8, 8);
  (void)make_code(&literals, length, LITERALS);
  memset(length, 5, 32); /* 30 and 31 exist, but mean nothing */
  (void)make_code(&distances, length, 32);
  read_symbols(s, &literals, &distances);
}

/* The lengths of both codes, themselves coded: 16 repeats the last one, 17 and
 * 18 are runs of zeros. */
static void read_lengths(stream *s, const code *lengths, uint8_t *length,
                         unsigned count) {
  for (unsigned i = 0; i < count && !s->bad;) {
    const unsigned symbol = decode(s, lengths);
    if (symbol < 16) {
      length[i++] = (uint8_t)symbol;
      continue;
    }
    const uint8_t value = symbol == 16 && i ? length[i - 1] : 0;
    unsigned times = symbol == 16   ? 3 + take(s, 2)
                     : symbol == 17 ? 3 + take(s, 3)
                                    : 11 + take(s, 7);
    if ((symbol == 16 && i == 0) || times > count - i) {
      s->bad = true;
      return;
    }
    while (times--)
      length[i++] = value;
  }
}

static void read_dynamic(stream *s) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t length[LITERALS + 32] = {0};
  code lengths, literals, distances;
  const unsigned literal_count = 257 + take(s, 5);
  const unsigned distance_count = 1 + take(s, 5);
  const unsigned length_count = 4 + take(s, 4);
  for (unsigned i = 0; i < length_count; i++)
    length[order[i]] = (uint8_t)take(s, 3);
  if (literal_count > 286 || distance_count > DISTANCES ||
      !make_code(&lengths, length, 19)) {
    s->bad = true;
    return;
  }
  memset(length, 0, sizeof length);
  read_lengths(s, &lengths, length, literal_count + distance_count);
  if (s->bad || length[256] == 0 ||
      !make_code(&literals, length, literal_count) ||
      !make_code(&distances, length + literal_count, distance_count)) {
    s->bad = true;
    return;
  }
  read_symbols(s, &literals, &distances);
}

bool inflate_exactly(void *out, size_t out_count, const void *in,
                     size_t in_count) {
  stream s = {
      .in = in, .in_count = in_count, .out = out, .out_count = out_count};
  for (bool last = false; !last && !s.bad;) {
    last = take(&s, 1);
    switch (take(&s, 2)) {
    case 0:
      copy_stored(&s);
      break;
    case 1:
      read_fixed(&s);
      break;
    case 2:
      read_dynamic(&s);
      break;
    default:
      s.bad = true;
    }
  }
  return !s.bad && s.out_at == out_count && s.in_at == in_count;
}
