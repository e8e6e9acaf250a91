/* check_file.h - the parts of the check of a plan file. All of them refuse with
 * ASH_MALFORMED and the line of the file that is contradicted. */
#ifndef ASH_CHECK_CHECK_FILE_H
#define ASH_CHECK_CHECK_FILE_H

#include "check/check_plan.h"
#include "plan/file/plan_read.h"

/* That tensors and arenas may ask for, as for packing problems. */
#define ASH_FILE_ALIGNMENT_MAX ((uint64_t)1 << 31)

typedef struct ash_file_check {
  ash_ctx *ctx;
  const ash_plan_file *f;
  ash_checker c;            /* of its plan, with the index, without graph */
  uint32_t *by_id;          /* operators, sorted by id */
  const ash_device *device; /* or NULL: not known */
} ash_file_check;

/* Sizes follow from types and shapes, elements are aligned; every tensor has
 * one maker before its readers, and the role of what it is used for. */
ash_status ash_check_file_tensors(const ash_file_check *k);
/* Lifetimes are from the maker to the last reader. */
ash_status ash_check_file_lives(const ash_file_check *k);
/* Every step finds its inputs intact, as far as the file says what is written
 * where. */
ash_status ash_check_file_run(const ash_file_check *k);
/* Arenas are what their tensors need, bounds at least what is alive at once,
 * verdicts what sizes and bounds say. */
ash_status ash_check_file_arenas(const ash_file_check *k);
/* Plans in an order of rows: runs, and what is in one piece. */
ash_status ash_check_file_rows(const ash_file_check *k);
/* Tilings are possible and have their tiles. */
ash_status ash_check_file_layers(const ash_file_check *k);

/* The operator of an id of which the first `count` bytes count; ASH_NO_ID:
 * there is none. */
uint32_t ash_check_file_op(const ash_file_check *k, const char *id,
                           size_t count);
/* The operator whose work memory, tile or accumulator an entry is, by its id;
 * ASH_NO_ID: none. */
uint32_t ash_check_file_owner(const ash_file_check *k, uint32_t entry);

#endif
