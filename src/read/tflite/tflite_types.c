/* tflite_types.c - which element types go together in an operator, written so
 * briefly that an operator stays one line of a table. A combination is a word:
 * inputs, '>', outputs; combinations are separated by one blank.
 *
 *   f float32  e float16  b int8  u uint8  h int16  i int32  l int64  n int4
 *   o bool  c complex64
 *   .  any type
 *   =  the type of the first input
 *   *  any number of the one before
 *
 * "fff>f bbi>b" is a convolution in float32 or int8. Inputs that are absent
 * are skipped; the letters also bound how many inputs there may be. */
#include "read/tflite/tflite_internal.h"

#include <string.h>

static char letter_of(ash_type type) {
  static const struct {
    ash_type type;
    char letter;
  } known[] = {{ASH_FLOAT32, 'f'},  {ASH_FLOAT16, 'e'}, {ASH_INT8, 'b'},
               {ASH_UINT8, 'u'},    {ASH_INT16, 'h'},   {ASH_INT32, 'i'},
               {ASH_INT64, 'l'},    {ASH_INT4, 'n'},    {ASH_BOOL, 'o'},
               {ASH_COMPLEX64, 'c'}};
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (known[i].type == type)
      return known[i].letter;
  return '?';
}

static bool type_is(const ash_graph *g, const ash_op *op, uint32_t tensor,
                    char want) {
  if (tensor == ASH_NO_ID || want == '.')
    return true;
  const ash_type type = g->tensors.items[tensor].type;
  const ash_tensor *first = ash_op_in(g, op, 0);
  if (want == '=')
    return first && first->type == type;
  return letter_of(type) == want;
}

/* Tensors against the letters of one side of a combination. */
static bool side_matches(const ash_graph *g, const ash_op *op,
                         const uint32_t *tensors, uint32_t count,
                         const char *letters) {
  const char *p = letters;
  for (uint32_t i = 0; i < count; i++, p++) {
    if (*p == '*')
      p--;
    if (*p == '>' || *p == ' ' || *p == '\0' || !type_is(g, op, tensors[i], *p))
      return false;
  }
  return true;
}

bool ash_tflite_types_match(const ash_graph *g, const ash_op *op,
                            const char *types) {
  const char *word = types;
  while (word) {
    if (side_matches(g, op, op->inputs, op->input_count, word) &&
        side_matches(g, op, op->outputs, op->output_count,
                     strchr(word, '>') + 1))
      return true;
    word = strchr(word, ' ');
    word = word ? word + 1 : NULL;
  }
  return false;
}

uint32_t ash_tflite_types_inputs_max(const char *types) {
  uint32_t most = 0, letters = 0;
  bool inputs = true;
  for (const char *p = types; *p; p++) {
    if (*p == '*' && inputs)
      return UINT32_MAX;
    if (*p == '>' && letters > most)
      most = letters;
    inputs = *p == ' ' || (inputs && *p != '>');
    letters = *p == ' ' ? 0 : letters + 1;
  }
  return most;
}

const char *ash_tflite_types_text(char *buf, size_t size, const ash_graph *g,
                                  const ash_op *op) {
  size_t used = 0;
  buf[0] = '\0';
  for (uint32_t i = 0; i < op->input_count; i++) {
    const ash_tensor *t = ash_op_in(g, op, i);
    const char *text = t ? ash_type_text(t->type) : "none";
    const size_t length = strlen(text);
    if (used + length + 2 > size)
      break;
    if (i)
      buf[used++] = ' ';
    memcpy(buf + used, text, length + 1);
    used += length;
  }
  return buf;
}
