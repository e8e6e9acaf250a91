/* tflite_names.c - names of TFLite's builtin operators, for messages. */
#include "read/tflite/tflite.h"

const char *ash_tflite_builtin_name(int32_t code) {
  static const struct {
    int32_t code;
    const char *name;
  } names[] = {
#define BUILTIN(code, name) {code, #name},
#include "read/tflite/tflite_names.def"
#undef BUILTIN
  };
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++)
    if (names[i].code == code)
      return names[i].name;
  return NULL;
}
