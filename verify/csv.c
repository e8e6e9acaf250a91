/* csv.c - problems and answers: MiniMalloc's CSV files. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

enum { ID, LOWER, UPPER, SIZE, ALIGNMENT, GAPS, OFFSET, COLUMNS };

typedef struct table {
  verify *v;
  source *s;
  char *at;
  int column[COLUMNS]; /* -1: not there */
  bool is_last;        /* "end": the last time, not the first after it */
} table;

static int64_t number_of(const table *t, const char *text, int64_t least) {
  char *end;
  const long long value = strtoll(text, &end, 10);
  while (*end == ' ' || *end == '\t')
    end++;
  if (end == text || *end)
    malformed(t->v, t->s, "'%.40s' is no number", text);
  if (value < least || value > LIMIT || value < -LIMIT)
    malformed(t->v, t->s, "%lld is out of range", value);
  return value;
}

/* The next line, cut at its commas into at most `most` cells; 0: the end. */
static size_t next_row(table *t, char **cells, size_t most) {
  size_t count = 0;
  char *line = t->at, *end = strchr(line, '\n');
  t->at = end ? end + 1 : line + strlen(line);
  t->s->line++;
  if (end)
    *end = '\0';
  const size_t length = strlen(line);
  if (length && line[length - 1] == '\r')
    line[length - 1] = '\0';
  if (!*line)
    return 0;
  for (char *cell = line; cell;) {
    char *comma = strchr(cell, ',');
    if (comma)
      *comma++ = '\0';
    if (count == most)
      malformed(t->v, t->s, "more than %zu columns", most);
    cells[count++] = cell;
    cell = comma;
  }
  return count;
}

static void read_header(table *t, char **cells, size_t count) {
  static const struct {
    const char *name;
    int column;
  } names[] = {{"id", ID},       {"buffer", ID},     {"buffer_id", ID},
               {"lower", LOWER}, {"start", LOWER},   {"begin", LOWER},
               {"upper", UPPER}, {"end", UPPER},     {"size", SIZE},
               {"gaps", GAPS},   {"offset", OFFSET}, {"alignment", ALIGNMENT}};
  for (int c = 0; c < COLUMNS; c++)
    t->column[c] = -1;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (strcmp(cells[i], names[k].name) == 0) {
        if (t->column[names[k].column] >= 0)
          malformed(t->v, t->s, "two columns for '%s'", cells[i]);
        t->column[names[k].column] = (int)i;
        t->is_last = t->is_last || strcmp(cells[i], "end") == 0;
      }
  for (int c = ID; c <= SIZE; c++)
    if (t->column[c] < 0)
      malformed(t->v, t->s, "a column is missing: id, lower, upper, size");
}

/* LOWER-UPPER or LOWER-UPPER@LO:HI; what lies outside the lifetime is cut. */
static bool read_gap(const table *t, const char *word, const buffer *b,
                     gap *g) {
  char *end;
  *g = (gap){.lower = strtoll(word, &end, 10)};
  if (*end++ != '-')
    malformed(t->v, t->s, "'%.40s' is no gap", word);
  g->upper = strtoll(end, &end, 10);
  g->upper += g->upper < LIMIT && t->is_last;
  if (*end == '@') {
    g->lo = strtoll(end + 1, &end, 10);
    if (*end++ != ':')
      malformed(t->v, t->s, "'%.40s' is no gap", word);
    g->hi = strtoll(end, &end, 10);
  }
  if (*end || g->lower < 0 || g->lower > g->upper || g->upper > LIMIT ||
      g->lo < 0 || g->lo > g->hi || g->hi > b->size)
    malformed(t->v, t->s, "'%.40s' is no gap of this buffer", word);
  g->lower = g->lower < b->lower ? b->lower : g->lower;
  g->upper = g->upper > b->upper ? b->upper : g->upper;
  return g->lower < g->upper;
}

static void read_gaps(const table *t, char *text, buffer *b) {
  gap *gaps = get(t->v, strlen(text) / 3 + 1, sizeof *gaps);
  for (char *word = strtok(text, " \t"); word; word = strtok(NULL, " \t")) {
    gap g;
    size_t at = b->gap_count;
    if (!read_gap(t, word, b, &g))
      continue;
    for (; at > 0 && gaps[at - 1].lower > g.lower; at--)
      gaps[at] = gaps[at - 1];
    gaps[at] = g;
    b->gap_count++;
    if ((at > 0 && gaps[at - 1].upper > g.lower) ||
        (at + 1 < b->gap_count && g.upper > gaps[at + 1].lower))
      malformed(t->v, t->s, "two gaps overlap");
  }
  b->gaps = gaps;
}

static buffer read_buffer(const table *t, char **cells) {
  const char *pin = t->column[OFFSET] < 0 ? "" : cells[t->column[OFFSET]];
  const bool is_free = pin[strspn(pin, " \t")] == '\0';
  buffer b = {.id = cells[t->column[ID]],
              .lower = number_of(t, cells[t->column[LOWER]], -LIMIT),
              .upper = number_of(t, cells[t->column[UPPER]], -LIMIT),
              .size = number_of(t, cells[t->column[SIZE]], 0),
              .align = 1,
              .offset = is_free ? FREE : number_of(t, pin, 0)};
  b.upper += t->is_last;
  if (b.upper < b.lower)
    malformed(t->v, t->s, "a lifetime ends before it begins");
  if (t->column[ALIGNMENT] >= 0)
    b.align = number_of(t, cells[t->column[ALIGNMENT]], 1);
  if (b.align >= (int64_t)1 << 31)
    malformed(t->v, t->s, "an alignment beyond 2^31");
  if (t->column[GAPS] >= 0)
    read_gaps(t, cells[t->column[GAPS]], &b);
  return b;
}

problem read_csv(verify *v, source *s, bool is_answer) {
  enum { MOST = 64 };
  char *cells[MOST];
  size_t bytes, capacity = 0;
  int64_t sum = 0;
  problem p = {0};
  table t = {.v = v, .s = s, .at = read_whole(v, s, &bytes)};
  if (strlen(t.at) != bytes)
    malformed(v, s, "a byte that is zero");
  const size_t columns = next_row(&t, cells, MOST);
  read_header(&t, cells, columns);
  if (is_answer && t.column[OFFSET] < 0)
    malformed(v, s, "an answer has a column 'offset'");
  for (size_t count; (count = next_row(&t, cells, MOST)) > 0; p.count++) {
    if (count != columns)
      malformed(v, s, "%zu cells; the header has %zu", count, columns);
    p.buffers = more(v, p.buffers, &capacity, p.count, sizeof *p.buffers);
    const buffer b = p.buffers[p.count] = read_buffer(&t, cells);
    sum += b.size + b.align + (b.offset == FREE ? 0 : b.offset);
    if (sum > LIMIT || p.count > (size_t)1 << 30)
      malformed(v, s, "too much to add up");
  }
  return p;
}
