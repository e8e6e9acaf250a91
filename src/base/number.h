/* number.h - numbers out of text, the same in every locale. */
#ifndef ASH_BASE_NUMBER_H
#define ASH_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The digits at the start of `text`, decimal or 0x hexadecimal, no sign. `end`
 * is set behind them. False: no digits, or more than 64 bits. */
bool ash_number_u64(uint64_t *out, const char *text, const char **end);

/* The whole of `text`, with an optional sign. */
bool ash_number_i64(int64_t *out, const char *text);

/* The whole of `text`: decimal notation, or .inf, -.inf, .nan as YAML writes
 * them. */
bool ash_number_double(double *out, const char *text);

#endif
