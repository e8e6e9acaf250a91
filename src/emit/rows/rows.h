/* rows.h - plans whose operators run row by row (docs/ordering.md) as C.
 *
 * The order of execution is a table of entries: some rows of an operator, a
 * whole operator, the arrival of a row of an input, or rows that move. The rows
 * of a tensor lie in one piece or where a table says. */
#ifndef ASH_EMIT_ROWS_H
#define ASH_EMIT_ROWS_H

#include "domain/rows.h"
#include "emit/module/module.h"

#define ASH_NO_PLACE UINT64_MAX

/* A tensor that the plan places row by row. */
typedef struct ash_row_tensor {
  uint32_t tensor;
  uint32_t rows;
  uint64_t row_bytes;
  uint64_t *place; /* by row: the offset of its first place in its arena;
                      ASH_NO_PLACE: the row is never there                  */
  const ash_render_arena *arena;
  uint64_t unit;     /* of its table, in bytes                              */
  bool in_one_piece; /* row r is r * row_bytes after row 0: needs no table  */
  bool moves;        /* the table changes: it is in the context             */
  uint32_t alive;    /* rows at once, at most                               */
  ash_lifetime life; /* of all rows together                                */
} ash_row_tensor;

typedef enum ash_row_source_kind {
  ASH_ROWS_FEED, /* a row of an input arrives */
  ASH_ROWS_MOVE, /* rows of any tensor move   */
  ASH_ROWS_OP
} ash_row_source_kind;

typedef struct ash_row_source {
  ash_row_source_kind kind;
  uint32_t op;      /* of the graph                      */
  uint32_t input;   /* fed: its number among the model's */
  uint32_t entries; /* of the order                      */
  uint32_t rows;    /* in these entries                  */
} ash_row_source;

/* An entry of the order. */
typedef struct ash_row_entry {
  uint32_t source;
  uint32_t rows; /* 0: the whole operator; a fed row that nothing reads */
} ash_row_entry;

typedef struct ash_row_move {
  uint32_t tensor; /* of ash_rows.tensors */
  uint32_t row;
  uint64_t place;
} ash_row_move;

typedef struct ash_rows {
  ash_row_tensor *tensors;
  uint32_t tensor_count;
  ash_row_source *sources; /* feeds, moves, operators in order of execution */
  uint32_t source_count;
  uint32_t feed_count;
  struct {
    ash_row_entry *items;
    size_t capacity, count;
  } entries;
  struct {
    ash_row_move *items;
    size_t capacity, count;
  } moves;
  uint32_t *root;      /* by tensor of the graph: whose bytes it shows      */
  uint32_t *of_tensor; /* by root: of `tensors`; ASH_NO_ID: it is placed as a
                          whole                                             */
  bool *drained;       /* by output of the graph                            */
} ash_rows;

/* ---- facts (rows.c) ------------------------------------------------------ */

/* NULL in m->rows: the plan has no rows. */
ash_status ash_emit_find_rows(ash_module *m);
/* The rows that a tensor, or the one that it shows, lies in; NULL: it is placed
 * as a whole. */
const ash_row_tensor *ash_emit_rows_of(const ash_module *m, uint32_t tensor);
/* Do its rows lie apart? Then nothing may read it as a whole. */
bool ash_emit_is_scattered(const ash_module *m, uint32_t tensor);
/* Does input `index` arrive row by row? Does output `index` leave so? */
bool ash_emit_is_fed(const ash_module *m, size_t index);
bool ash_emit_is_drained(const ash_module *m, size_t index);
/* Whose rows arrive or leave: its own, or those of the tensor that it shows and
 * that is made row by row. */
const ash_tensor *ash_emit_rows_shown(const ash_module *m, uint32_t tensor);
bool ash_emit_has_drains(const ash_module *m);
/* Either. */
bool ash_emit_has_row_ends(const ash_module *m);

/* Sources that are operators: the last ones. */
uint32_t ash_emit_row_ops(const ash_module *m);

/* ---- tables (row_tables.c) ----------------------------------------------- */

/* Where rows lie, and what the pipelines are. */
void ash_emit_row_places(ash_module *m);
/* Declares the tables that operators in <prefix>_kernels.c use. */
void ash_emit_row_externs(ash_module *m);
/* Which entry is next, and where rows move to. */
void ash_emit_row_order(ash_module *m);
/* Fields of the context, and the type of its counts. */
void ash_emit_row_fields(ash_module *m);
const char *ash_emit_row_count_type(const ash_module *m);
/* C expression of the table of a tensor that has one. */
const char *ash_emit_row_table(ash_module *m, const ash_row_tensor *t);
/* C expression of where its lines begin: row 0 of a tensor in one piece, else
 * what its table counts from. */
const char *ash_emit_rows_base(ash_module *m, const ash_row_tensor *t);
/* C expression of the address of a row, whose number is an expression too. */
const char *ash_emit_row_at(ash_module *m, const ash_row_tensor *t,
                            const char *row);

/* ---- operators (row_step.c) ---------------------------------------------- */

/* The inside of the function that makes rows [from, to) of an operator. */
ash_status ash_emit_row_body(ash_module *m, uint32_t op);

#endif
