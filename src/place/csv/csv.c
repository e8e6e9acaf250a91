/* csv.c - MiniMalloc's CSV files. The texts of the errors are MiniMalloc's, so
 * that tools which look for them keep working. */
#include "ashlar/place.h"
#include "base/ctx.h"
#include "base/text.h"

#include <string.h>

typedef enum column {
  COLUMN_ID,
  COLUMN_LOWER,
  COLUMN_UPPER,
  COLUMN_SIZE,
  COLUMN_ALIGNMENT,
  COLUMN_HINT,
  COLUMN_GAPS,
  COLUMN_OFFSET,
  COLUMN_COUNT,
  COLUMN_OTHER = COLUMN_COUNT
} column;

static const struct {
  const char *name;
  column column;
  bool inclusive;
} names[] = {
    {"id", COLUMN_ID, false},         {"buffer", COLUMN_ID, false},
    {"buffer_id", COLUMN_ID, false},  {"lower", COLUMN_LOWER, false},
    {"start", COLUMN_LOWER, false},   {"begin", COLUMN_LOWER, false},
    {"upper", COLUMN_UPPER, false},   {"end", COLUMN_UPPER, true},
    {"size", COLUMN_SIZE, false},     {"alignment", COLUMN_ALIGNMENT, false},
    {"hint", COLUMN_HINT, false},     {"gaps", COLUMN_GAPS, false},
    {"offset", COLUMN_OFFSET, false},
};

typedef struct slice {
  char *at;
  size_t count;
} slice;

typedef struct reader {
  ash_ctx *ctx;
  const char *file;
  char *at, *end;
  uint32_t line;
  size_t field_count;
  int field_of[COLUMN_COUNT]; /* -1: no such column */
  bool inclusive;
  struct {
    ash_buffer *items;
    size_t capacity;
  } buffers;
  struct {
    const char **items;
    size_t capacity;
  } ids;
  struct {
    ash_gap *items;
    size_t capacity;
  } gaps;
  size_t count;
} reader;

static ash_loc here(const reader *r) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = r->file;
  loc.line = r->line;
  return loc;
}

static ash_status bad(reader *r, const char *what) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_csv_cell, here(r), "%s", what);
}

/* ---- lines and fields --------------------------------------------------- */

/* The next line without its end, "\n" or "\r\n"; false: empty or none. */
static bool next_line(reader *r, slice *line) {
  ASH_ASSERT(r->at <= r->end);
  if (r->at == r->end)
    return false;
  char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  char *next = stop ? stop + 1 : r->end;
  if (!stop)
    stop = r->end;
  if (stop > r->at && stop[-1] == '\r')
    stop--;
  *line = (slice){r->at, (size_t)(stop - r->at)};
  r->at = next;
  r->line++;
  return line->count > 0;
}

static slice next_field(slice *line, bool *more) {
  char *comma = memchr(line->at, ',', line->count);
  slice field = *line;
  *more = comma != NULL;
  if (comma) {
    field.count = (size_t)(comma - line->at);
    line->count -= field.count + 1;
    line->at = comma + 1;
  }
  return field;
}

static slice trimmed(slice s) {
  while (s.count && (s.at[0] == ' ' || s.at[0] == '\t'))
    s.at++, s.count--;
  while (s.count && (s.at[s.count - 1] == ' ' || s.at[s.count - 1] == '\t'))
    s.count--;
  return s;
}

/* A decimal number at the front of s, which moves on. */
static bool take_digits(slice *s, uint64_t *out) {
  const size_t before = s->count;
  *out = 0;
  while (s->count && s->at[0] >= '0' && s->at[0] <= '9') {
    const uint64_t digit = (uint64_t)(s->at[0] - '0');
    if (*out > ((uint64_t)INT64_MAX - digit) / 10)
      return false;
    *out = *out * 10 + digit;
    s->at++, s->count--;
  }
  return s->count < before;
}

static bool read_number(slice s, int64_t *out) {
  uint64_t value;
  s = trimmed(s);
  const bool minus = s.count && s.at[0] == '-';
  if (s.count && (s.at[0] == '-' || s.at[0] == '+'))
    s.at++, s.count--;
  if (!take_digits(&s, &value) || s.count)
    return false;
  *out = minus ? -(int64_t)value : (int64_t)value;
  return true;
}

/* ---- the header --------------------------------------------------------- */

static column column_of(slice name, bool *inclusive) {
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++)
    if (strlen(names[i].name) == name.count &&
        memcmp(names[i].name, name.at, name.count) == 0) {
      *inclusive = *inclusive || names[i].inclusive;
      return names[i].column;
    }
  return COLUMN_OTHER;
}

static ash_status read_header(reader *r, slice line) {
  ASH_ASSERT(r->field_count == 0);
  bool more = true;
  for (int i = 0; i < COLUMN_COUNT; i++)
    r->field_of[i] = -1;
  while (more) {
    const slice name = next_field(&line, &more);
    const column c = column_of(name, &r->inclusive);
    if (r->field_count == INT32_MAX)
      return bad(r, "Too many fields");
    if (c != COLUMN_OTHER && r->field_of[c] >= 0)
      return bad(r, "Duplicate column names");
    if (c != COLUMN_OTHER)
      r->field_of[c] = (int)r->field_count;
    r->field_count++;
  }
  for (int i = COLUMN_ID; i <= COLUMN_SIZE; i++)
    if (r->field_of[i] < 0)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_csv_column, here(r),
                      "A required column is missing");
  return ASH_OK;
}

/* ---- gaps --------------------------------------------------------------- */

static bool take_char(slice *s, char c) {
  if (!s->count || s->at[0] != c)
    return false;
  s->at++, s->count--;
  return true;
}

static bool read_gap(slice s, ash_gap *gap, const ash_buffer *b,
                     bool inclusive) {
  ASH_ASSERT(s.count > 0);
  uint64_t lower, upper, lo = 0, hi = 0;
  if (!take_digits(&s, &lower) || !take_char(&s, '-') ||
      !take_digits(&s, &upper))
    return false;
  if (take_char(&s, '@') &&
      (!take_digits(&s, &lo) || !take_char(&s, ':') || !take_digits(&s, &hi)))
    return false;
  if (s.count || lo > hi || hi > b->size || upper == INT64_MAX)
    return false;
  upper += inclusive;
  *gap = (ash_gap){(int64_t)lower, (int64_t)upper, lo, hi};
  return lower <= upper;
}

/* Inside the lifetime: what lies outside changes nothing. */
static bool clip(ash_gap *gap, const ash_buffer *b) {
  ASH_ASSERT(gap->lower <= gap->upper);
  if (gap->lower < b->lower)
    gap->lower = b->lower;
  if (gap->upper > b->upper)
    gap->upper = b->upper;
  return gap->lower < gap->upper;
}

static bool insert_gap(ash_gap *list, size_t count, ash_gap gap) {
  ASH_ASSERT(gap.lower < gap.upper);
  size_t at = count;
  for (; at > 0 && list[at - 1].lower > gap.lower; at--)
    list[at] = list[at - 1];
  list[at] = gap;
  return (at == 0 || list[at - 1].upper <= gap.lower) &&
         (at == count || gap.upper <= list[at + 1].lower);
}

static ash_status read_gaps(reader *r, slice s, ash_buffer *b) {
  ash_gap *list = NULL;
  size_t most = 1, count = 0;
  for (size_t i = 0; i < s.count; i++)
    most += s.at[i] == ' ';
  s = trimmed(s);
  if (s.count == 0)
    return ASH_OK;
  list = ASH_NEW_ARRAY(&r->ctx->keep, ash_gap, most);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->keep));
  while (s.count) {
    char *blank = memchr(s.at, ' ', s.count);
    const slice word = {s.at, blank ? (size_t)(blank - s.at) : s.count};
    ash_gap gap;
    if (word.count) {
      if (!read_gap(word, &gap, b, r->inclusive) ||
          (clip(&gap, b) && !insert_gap(list, count++, gap)))
        return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_csv_cell, here(r),
                        "Improperly formed gap: %.*s", (int)word.count,
                        word.at);
    }
    s.at += word.count + (blank != NULL);
    s.count -= word.count + (blank != NULL);
  }
  b->gaps = list;
  b->gap_count = count;
  return ASH_OK;
}

/* ---- rows --------------------------------------------------------------- */

static ash_status read_times(reader *r, const slice *cell, ash_buffer *b) {
  int64_t size;
  if (!read_number(cell[COLUMN_LOWER], &b->lower) ||
      !read_number(cell[COLUMN_UPPER], &b->upper) ||
      !read_number(cell[COLUMN_SIZE], &size))
    return bad(r, "Improperly formed integer");
  if (size < 0)
    return bad(r, "Improperly formed integer: a size is not negative");
  b->size = (uint64_t)size;
  if (r->inclusive && b->upper == INT64_MAX)
    return bad(r, "Improperly formed integer: an end beyond 2^63");
  b->upper += r->inclusive;
  return ASH_OK;
}

static ash_status read_cells(reader *r, const slice *cell, ash_buffer *b) {
  int64_t value;
  *b = (ash_buffer){.offset = ASH_FREE_OFFSET, .hint = ASH_FREE_OFFSET};
  ASH_TRY(read_times(r, cell, b));
  if (r->field_of[COLUMN_ALIGNMENT] >= 0) {
    const slice text = cell[COLUMN_ALIGNMENT];
    if (!read_number(text, &value) || value < 1)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_csv_cell, here(r),
                      "Improperly formed alignment: %.*s", (int)text.count,
                      text.at);
    b->alignment = (uint64_t)value;
  }
  if (r->field_of[COLUMN_HINT] >= 0) {
    if (!read_number(cell[COLUMN_HINT], &value))
      return bad(r, "Improperly formed hint");
    b->hint = value < 0 ? ASH_FREE_OFFSET : value;
  }
  /* An empty cell leaves the buffer free: an extension, to pin only some. */
  if (r->field_of[COLUMN_OFFSET] >= 0 &&
      trimmed(cell[COLUMN_OFFSET]).count > 0 &&
      !read_number(cell[COLUMN_OFFSET], &b->offset))
    return bad(r, "Improperly formed offset");
  return r->field_of[COLUMN_GAPS] >= 0 ? read_gaps(r, cell[COLUMN_GAPS], b)
                                       : ASH_OK;
}

static ash_status read_row(reader *r, slice line) {
  ASH_ASSERT(r->field_count > COLUMN_SIZE);
  slice cell[COLUMN_COUNT] = {{0}};
  bool more = true;
  size_t field = 0;
  while (more) {
    const slice text = next_field(&line, &more);
    for (int c = 0; c < COLUMN_COUNT; c++)
      if (r->field_of[c] >= 0 && (size_t)r->field_of[c] == field)
        cell[c] = text;
    field++;
  }
  if (field != r->field_count)
    return bad(r, "Too many fields");
  if (!ASH_GROW(&r->ctx->keep, &r->buffers, r->count) ||
      !ASH_GROW(&r->ctx->keep, &r->ids, r->count))
    return ash_nomem(r->ctx);
  ASH_TRY(read_cells(r, cell, &r->buffers.items[r->count]));
  cell[COLUMN_ID].at[cell[COLUMN_ID].count] = '\0'; /* was a comma or an end */
  r->ids.items[r->count++] = cell[COLUMN_ID].at;
  return ASH_OK;
}

ash_status ash_csv_read(ash_ctx *ctx, ash_csv *out, const char *bytes,
                        size_t count, const char *file) {
  ASH_NEED(ctx, ctx && out && (bytes || count == 0));
  *out = (ash_csv){0};
  /* One byte more, for the end of the last id. */
  char *copy = ASH_NEW_ARRAY(&ctx->keep, char, count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  if (count)
    memcpy(copy, bytes, count);
  reader r = {.ctx = ctx, .file = file, .at = copy, .end = copy + count};
  slice line;
  const bool has_header = next_line(&r, &line);
  if (!has_header && r.at == r.end)
    return ASH_OK; /* an empty file is an empty problem */
  if (!has_header)
    line.count = 0;
  ASH_TRY(read_header(&r, line));
  while (next_line(&r, &line))
    ASH_TRY(read_row(&r, line));
  *out = (ash_csv){.buffers = r.buffers.items,
                   .ids = r.ids.items,
                   .count = r.count,
                   .has_offsets = r.field_of[COLUMN_OFFSET] >= 0};
  return ASH_OK;
}

/* ---- writing ------------------------------------------------------------ */

typedef struct extras {
  bool alignment, hint, gaps;
} extras;

static void write_gaps(ash_text *t, const ash_buffer *b) {
  for (size_t g = 0; g < b->gap_count; g++) {
    const ash_gap *gap = &b->gaps[g];
    ASH_ASSERT(gap->lower < gap->upper);
    ash_text_format(t, "%s%lld-%lld", g ? " " : "", (long long)gap->lower,
                    (long long)gap->upper);
    if (gap->window_lo < gap->window_hi)
      ash_text_format(t, "@%llu:%llu", (unsigned long long)gap->window_lo,
                      (unsigned long long)gap->window_hi);
  }
}

static void write_row(ash_text *t, const ash_csv *csv, size_t i, extras x,
                      int64_t offset) {
  ASH_ASSERT(i < csv->count);
  const ash_buffer *b = &csv->buffers[i];
  ash_text_format(t, "%s,%lld,%lld,%llu", csv->ids[i], (long long)b->lower,
                  (long long)b->upper, (unsigned long long)b->size);
  if (x.alignment)
    ash_text_format(t, ",%llu",
                    (unsigned long long)(b->alignment ? b->alignment : 1));
  if (x.hint)
    ash_text_format(t, ",%lld",
                    b->hint == ASH_FREE_OFFSET ? -1LL : (long long)b->hint);
  if (x.gaps) {
    ash_text_put(t, ",", 1);
    write_gaps(t, b);
  }
  ash_text_format(t, ",%lld\n", (long long)offset);
}

ash_status ash_csv_write(ash_ctx *ctx, const char **text, size_t *text_count,
                         const ash_csv *csv, const int64_t *offsets) {
  ASH_NEED(ctx, ctx && text && text_count && csv &&
                    (csv->count == 0 || (csv->buffers && csv->ids && offsets)));
  extras x = {0};
  ash_text t;
  *text = NULL;
  *text_count = 0;
  for (size_t i = 0; i < csv->count; i++) {
    x.alignment = x.alignment || csv->buffers[i].alignment > 1;
    x.hint = x.hint || csv->buffers[i].hint != ASH_FREE_OFFSET;
    x.gaps = x.gaps || csv->buffers[i].gap_count;
  }
  ash_text_init(&t, &ctx->mem);
  ash_text_format(&t, "id,lower,upper,size%s%s%s,offset\n",
                  x.alignment ? ",alignment" : "", x.hint ? ",hint" : "",
                  x.gaps ? ",gaps" : "");
  for (size_t i = 0; i < csv->count; i++)
    write_row(&t, csv, i, x, offsets[i]);
  const ash_status status = ash_text_check(ctx, &t);
  if (status == ASH_OK) {
    *text = ash_zone_copy(&ctx->keep, t.bytes, t.count);
    *text_count = t.count;
  }
  ash_text_drop(&t);
  ASH_TRY(status);
  return ash_zone_check(ctx, &ctx->keep);
}
