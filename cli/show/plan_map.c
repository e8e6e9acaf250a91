/* plan_map.c - see plan_map.h. The picture is made in a grid of cells, each a
 * glyph and whether it is emphasised, and printed at the end. */
#include "show/plan_map.h"

#include "show/plan_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, AXIS = 10, BOX_MIN = 3, BOX_MAX = 9 };

/* Glyphs beyond the characters of names. */
typedef enum glyph {
  EMPTY = 1,
  DOT,
  HORIZONTAL,
  VERTICAL,
  TOP_LEFT,
  TOP_RIGHT,
  BOTTOM_LEFT,
  BOTTOM_RIGHT,
  SHADE_0,
  SHADE_1,
  SHADE_2
} glyph;

static const char *const glyph_text[][2] = {
    [EMPTY] = {" ", " "},       [DOT] = {".", "·"},
    [HORIZONTAL] = {"-", "─"},  [VERTICAL] = {"|", "│"},
    [TOP_LEFT] = {"+", "┌"},    [TOP_RIGHT] = {"+", "┐"},
    [BOTTOM_LEFT] = {"+", "└"}, [BOTTOM_RIGHT] = {"+", "┘"},
    [SHADE_0] = {":", "░"},     [SHADE_1] = {"%", "▒"},
    [SHADE_2] = {"#", "▓"}};

typedef struct cell {
  unsigned char glyph; /* a glyph, or a printable character */
  bool strong;
} cell;

typedef struct map {
  const ash_plan *plan;
  const ash_arena *arena;
  uint32_t peak;
  uint64_t unit;       /* bytes a row                        */
  uint32_t rows, cols; /* of cells                           */
  uint32_t wide;       /* columns a step; 0: it is sampled   */
  cell *cells;         /* rows * cols, the lowest row first  */
} map;

/* Columns [*from, *to) of a lifetime. */
static void columns_of(const map *m, const ash_lifetime *life, uint32_t *from,
                       uint32_t *to) {
  const uint64_t steps = m->plan->steps.count;
  if (m->wide) {
    *from = life->first_step * m->wide;
    *to = life->end_step * m->wide;
  } else { /* alive at the first step of the column */
    *from =
        (uint32_t)(((uint64_t)life->first_step * m->cols + steps - 1) / steps);
    *to = (uint32_t)(((uint64_t)life->end_step * m->cols + steps - 1) / steps);
  }
  if (*to > m->cols)
    *to = m->cols;
}

/* Rows [*from, *to) whose middle the slot covers; a slot between two middles
 * gets the row it begins in. */
static bool rows_of(const map *m, const ash_slot *s, uint32_t *from,
                    uint32_t *to) {
  const uint64_t half = m->unit / 2, end = s->binding.offset + s->size;
  *from = (uint32_t)((s->binding.offset + m->unit - 1 - half) / m->unit);
  *to = (uint32_t)((end + m->unit - 1 - half) / m->unit);
  if (*to > m->rows)
    *to = m->rows;
  if (*from < *to)
    return true;
  *from = (uint32_t)(s->binding.offset / m->unit);
  *to = *from + 1;
  return false;
}

static cell *cell_at(const map *m, uint32_t row, uint32_t col) {
  return &m->cells[(size_t)row * m->cols + col];
}

static bool is_free(const map *m, uint32_t r0, uint32_t r1, uint32_t c0,
                    uint32_t c1) {
  for (uint32_t r = r0; r < r1; r++)
    for (uint32_t c = c0; c < c1; c++)
      if (cell_at(m, r, c)->glyph > DOT)
        return false;
  return true;
}

static glyph frame_glyph(bool top, bool bottom, bool left, bool right) {
  if (left)
    return top ? TOP_LEFT : bottom ? BOTTOM_LEFT : VERTICAL;
  if (right)
    return top ? TOP_RIGHT : bottom ? BOTTOM_RIGHT : VERTICAL;
  return top || bottom ? HORIZONTAL : EMPTY;
}

/* The name in the upper edge, in the middle, cut to what fits. */
static void put_name(const map *m, const char *name, uint32_t row, uint32_t c0,
                     uint32_t c1) {
  const size_t room = c1 - c0 - 2;
  size_t count = strcspn(name, ";");
  while (count > room && memchr(name, '/', count)) {
    const size_t folder = strcspn(name, "/") + 1;
    name += folder;
    count -= folder;
  }
  if (count > room)
    count = room;
  uint32_t at = c0 + 1 + (uint32_t)(room - count) / 2;
  for (size_t i = 0; i < count; i++)
    cell_at(m, row, at++)->glyph = (unsigned char)term_safe(name[i]);
}

static void put_box(const map *m, const ash_slot *s, uint32_t r0, uint32_t r1,
                    uint32_t c0, uint32_t c1) {
  const bool strong = slot_is_alive(s, m->peak), flat = r1 - r0 == 1;
  for (uint32_t r = r0; r < r1; r++)
    for (uint32_t c = c0; c < c1; c++) {
      const bool left = c == c0, right = c + 1 == c1;
      cell *to = cell_at(m, r, c);
      to->strong = strong;
      to->glyph = (unsigned char)frame_glyph(!flat && r + 1 == r1,
                                             !flat && r == r0, left, right);
      if (flat && (left || right))
        to->glyph = left ? '[' : ']';
    }
  put_name(m, s->name, r1 - 1, c0, c1);
}

static void put_shade(const map *m, const ash_slot *s, uint32_t index,
                      uint32_t r0, uint32_t r1, uint32_t c0, uint32_t c1) {
  for (uint32_t r = r0; r < r1; r++)
    for (uint32_t c = c0; c < c1; c++) {
      cell *to = cell_at(m, r, c);
      to->glyph = (unsigned char)(SHADE_0 + index % 3);
      to->strong = slot_is_alive(s, m->peak);
    }
}

/* First what covers a row's middle, which cannot collide; then, where there is
 * room left, what is too small for that. */
static void put_slots(const map *m, bool large) {
  for (uint32_t i = 0; i < m->plan->slot_count; i++) {
    const ash_slot *s = &m->plan->slots[i];
    uint32_t r0, r1, c0, c1;
    if (!slot_takes_room(s, m->arena->memory))
      continue;
    columns_of(m, &s->life, &c0, &c1);
    if (rows_of(m, s, &r0, &r1) != large || c0 >= c1 || r1 > m->rows ||
        (!large && !is_free(m, r0, r1, c0, c1)))
      continue;
    if (m->wide >= BOX_MIN)
      put_box(m, s, r0, r1, c0, c1);
    else
      put_shade(m, s, i, r0, r1, c0, c1);
  }
}

static void print_cells(const term *t, const map *m, uint32_t row) {
  bool strong = false;
  uint32_t end = m->cols;
  while (end > 0 && cell_at(m, row, end - 1)->glyph == EMPTY)
    end--;
  for (uint32_t c = 0; c < end; c++) {
    const cell *from = cell_at(m, row, c);
    if (t->colour && from->strong != strong)
      fputs(from->strong ? "\033[1;33m" : "\033[0m", t->out);
    strong = from->strong;
    if (from->glyph >= ' ')
      fputc(from->glyph, t->out);
    else
      fputs(glyph_text[from->glyph][t->unicode], t->out);
  }
  fputs(t->colour && strong ? "\033[0m\n" : "\n", t->out);
}

/* Numbers of steps under their columns, as many as have room. */
static void print_steps(const term *t, const map *m) {
  const uint32_t steps = m->plan->steps.count;
  uint32_t at = 0;
  fprintf(t->out, "%*s", AXIS, "step  ");
  for (uint32_t s = 0; s < steps; s++) {
    char number[12];
    const uint32_t n = (uint32_t)snprintf(number, sizeof number, "%" PRIu32, s);
    const uint32_t col =
        m->wide ? s * m->wide + (m->wide > n ? (m->wide - n) / 2 : 0)
                : (uint32_t)((uint64_t)s * m->cols / steps);
    const bool spaced = m->wide >= n + 1 || s % 10 == 0;
    if (!spaced || col < at + (at > 0 && m->wide < BOX_MIN) ||
        col + n > m->cols)
      continue;
    fprintf(t->out, "%*s%s", (int)(col - at), "", number);
    at = col + n;
  }
  fputc('\n', t->out);
}

static void print_peak_mark(const term *t, const map *m) {
  const uint32_t col =
      m->wide ? m->peak * m->wide + m->wide / 2
              : (uint32_t)((uint64_t)m->peak * m->cols / m->plan->steps.count);
  fprintf(t->out, "%*s%s%s peak%s\n", (int)(AXIS + col), "",
          t->colour ? "\033[1;31m" : "", t->unicode ? "▲" : "^",
          t->colour ? "\033[0m" : "");
}

/* A line across the picture; what is above it has no room. */
static void print_capacity(const term *t, const map *m) {
  char text[64];
  const int n = snprintf(
      text, sizeof text, " capacity %" PRIu64 ", short of %" PRIu64 " ",
      m->arena->total_size, m->arena->size - m->arena->total_size);
  fprintf(t->out, "%s%*s", t->colour ? "\033[1;31m" : "", AXIS, "");
  for (uint32_t c = 0; c < m->cols; c++) {
    if (c == 2 && n > 0 && m->cols > (uint32_t)n + 4) {
      fputs(text, t->out);
      c += (uint32_t)n - 1;
    } else {
      fputs(t->unicode ? "━" : "=", t->out);
    }
  }
  fputs(t->colour ? "\033[0m\n" : "\n", t->out);
}

static bool open_map(map *m, const term *t) {
  const uint32_t room = t->width - AXIS - 1, steps = m->plan->steps.count;
  m->unit = (m->arena->size + ROWS - 1) / ROWS;
  if (steps == 0 || m->unit == 0)
    return false;
  m->rows = (uint32_t)((m->arena->size + m->unit - 1) / m->unit);
  m->wide = room / steps;
  if (m->wide > BOX_MAX)
    m->wide = BOX_MAX;
  m->cols = m->wide ? m->wide * steps : steps < room ? steps : room;
  m->cells = calloc((size_t)m->rows * m->cols, sizeof *m->cells);
  if (!m->cells)
    return false;
  for (uint32_t r = 0; r < m->rows; r++)
    for (uint32_t c = 0; c < m->cols; c++)
      cell_at(m, r, c)->glyph =
          m->wide < BOX_MIN || c % m->wide == m->wide / 2 ? DOT : EMPTY;
  return true;
}

void print_plan_map(const term *t, const ash_plan *p, const ash_arena *arena,
                    uint32_t peak) {
  map m = {.plan = p, .arena = arena, .peak = peak};
  if (!open_map(&m, t))
    return;
  put_slots(&m, true);
  put_slots(&m, false);
  for (uint32_t r = m.rows; r-- > 0;) {
    const bool above = arena->total_size && r * m.unit >= arena->total_size;
    if (t->colour && above)
      fputs("\033[31m", t->out);
    fprintf(t->out, "%*" PRIu64 "%s", AXIS - 2, r * m.unit,
            above ? t->unicode ? "▒ " : "! " : "  ");
    if (t->colour && above)
      fputs("\033[0m", t->out);
    print_cells(t, &m, r);
    if (above && (r == 0 || (r - 1) * m.unit < arena->total_size))
      print_capacity(t, &m);
  }
  print_steps(t, &m);
  print_peak_mark(t, &m);
  free(m.cells);
}
