/* csv.c - problems and answers: MiniMalloc's CSV files. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

enum { ID, LOWER, UPPER, SIZE, ALIGNMENT, GAPS, OFFSET, COLUMNS, MOST = 64 };

typedef struct table {
  verify *v;
  source *s;
  char *cells[MOST];   /* of a row                                           */
  int column[COLUMNS]; /* -1: not there                                      */
  bool is_last;        /* "end": the last time, not the first after it       */
} table;

/* The number of cells; 0: the end. */
static int next_row(table *t) {
  int count = 0;
  do {
    if (count == MOST)
      malformed(t->v, t->s, "more than %d columns", MOST);
    (void)cut_word(t->s, "", ",\n");
    t->cells[count++] = t->s->word;
    t->s->word[strcspn(t->s->word, "\r")] = '\0';
  } while (t->s->cut == ',');
  return count > 1 || *t->cells[0] ? count : 0;
}

static int read_header(table *t) {
  static const struct {
    const char *name;
    int column;
  } names[] = {{"id", ID},       {"buffer", ID},     {"buffer_id", ID},
               {"lower", LOWER}, {"start", LOWER},   {"begin", LOWER},
               {"upper", UPPER}, {"end", UPPER},     {"size", SIZE},
               {"gaps", GAPS},   {"offset", OFFSET}, {"alignment", ALIGNMENT}};
  const int count = next_row(t);
  for (int c = 0; c < COLUMNS; c++)
    t->column[c] = -1;
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (strcmp(t->cells[i], names[k].name) == 0) {
        if (t->column[names[k].column] >= 0)
          malformed(t->v, t->s, "two columns for '%s'", t->cells[i]);
        t->column[names[k].column] = i;
        t->is_last = t->is_last || strcmp(t->cells[i], "end") == 0;
      }
  for (int c = ID; c <= SIZE; c++)
    if (t->column[c] < 0)
      malformed(t->v, t->s, "a column is missing: id, lower, upper, size");
  return count;
}

/* "": there is no such column. */
static char *cell(const table *t, int column) {
  static char none[1];
  return t->column[column] < 0 ? none : t->cells[t->column[column]];
}

static int64_t number_in(const table *t, int column, int64_t least) {
  return number_of(t->v, t->s, cell(t, column), least, LIMIT);
}

static int64_t part(const table *t, source *word, const char *ends) {
  (void)cut_word(word, "", ends);
  return number_of(t->v, t->s, word->word, 0, LIMIT);
}

/* LOWER-UPPER or LOWER-UPPER@LO:HI; what lies outside the lifetime is cut. */
static gap read_gap(const table *t, source word, const buffer *b) {
  gap g = {.lower = part(t, &word, "-")};
  g.upper = part(t, &word, "@") + t->is_last;
  if (word.cut) {
    g.lo = part(t, &word, ":");
    g.hi = part(t, &word, "");
  }
  if (g.lower > g.upper || g.lo > g.hi || g.hi > b->size)
    malformed(t->v, t->s, "no gap of this buffer");
  g.lower = g.lower < b->lower ? b->lower : g.lower;
  g.upper = g.upper > b->upper ? b->upper : g.upper;
  return g;
}

static void read_gaps(const table *t, buffer *b) {
  source text = {.at = cell(t, GAPS)};
  b->gaps = get(t->v, strlen(text.at) / 3 + 1, sizeof *b->gaps);
  while (cut_word(&text, " \t", " \t")) {
    b->gaps[b->gap_count] = read_gap(t, (source){.at = text.word}, b);
    b->gap_count += b->gaps[b->gap_count].lower < b->gaps[b->gap_count].upper;
  }
  qsort(b->gaps, b->gap_count, sizeof *b->gaps, by_first);
  for (size_t i = 1; i < b->gap_count; i++)
    if (b->gaps[i - 1].upper > b->gaps[i].lower)
      malformed(t->v, t->s, "two gaps overlap");
}

static buffer read_buffer(const table *t) {
  const char *pin = cell(t, OFFSET);
  buffer b = {.id = cell(t, ID),
              .lower = number_in(t, LOWER, -LIMIT),
              .upper = number_in(t, UPPER, -LIMIT) + t->is_last,
              .size = number_in(t, SIZE, 0),
              .align = 1,
              .offset =
                  pin[strspn(pin, " \t")] ? number_in(t, OFFSET, 0) : FREE};
  if (b.upper < b.lower)
    malformed(t->v, t->s, "a lifetime ends before it begins");
  if (t->column[ALIGNMENT] >= 0)
    b.align = number_in(t, ALIGNMENT, 1);
  if (b.align >= (int64_t)1 << 31)
    malformed(t->v, t->s, "an alignment beyond 2^31");
  if (t->column[GAPS] >= 0)
    read_gaps(t, &b);
  return b;
}

problem read_csv(verify *v, source *s, bool is_answer) {
  int64_t sum = 0;
  problem p = {0};
  table t = {.v = v, .s = s};
  const int columns = read_header(&t);
  if (is_answer && t.column[OFFSET] < 0)
    malformed(v, s, "an answer has a column 'offset'");
  for (int count; (count = next_row(&t)) > 0; p.count++) {
    if (count != columns)
      malformed(v, s, "%d cells; the header has %d", count, columns);
    p.buffers = more(v, p.buffers, &p.capacity, p.count, sizeof *p.buffers);
    const buffer b = p.buffers[p.count] = read_buffer(&t);
    sum += b.size + b.align + (b.offset == FREE ? 0 : b.offset);
    if (sum > LIMIT || p.count > (size_t)1 << 30)
      malformed(v, s, "too much to add up");
  }
  return p;
}
