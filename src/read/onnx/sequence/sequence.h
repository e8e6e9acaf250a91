/* sequence.h - values that are no tensors: sequences of tensors and optional
 * values. They exist while a model is read: a sequence is a list of tensors, an
 * optional value is what it holds, or nothing. Their ids follow those of
 * tensors; what takes tensors alone refuses them (ash_ox_in). */
#ifndef ASH_READ_ONNX_SEQUENCE_H
#define ASH_READ_ONNX_SEQUENCE_H

#include "read/onnx/onnx_import.h"

enum { ASH_OX_MEMBERS_MAX = 4096 };

uint32_t ash_ox_sequence(ash_ox *m, const uint32_t *members, uint32_t count);
/* The tensors of a sequence; fails where the value is none. */
const uint32_t *ash_ox_members(ash_ox *m, uint32_t id, uint32_t *count);
/* An optional value that holds nothing. */
uint32_t ash_ox_nothing(ash_ox *m);
bool ash_ox_is_nothing(const ash_ox *m, uint32_t id);

extern const ash_ox_handler ash_ox_sequences[];

#endif
