/* customs.h - operators that the user supplies as C functions (--custom): by
 * name alone, or by a YAML file that says what the model does not.
 *
 *   name: My_Decoder
 *   outputs: [ "float32[1,10,4]", "float32[1,10]" ]
 *   scratch: 4096     # bytes of work memory
 *   in_place: true    # output 0 may lie over input 0 */
#ifndef ASH_READ_CUSTOMS_H
#define ASH_READ_CUSTOMS_H

#include "ashlar/compile.h"
#include "graph/graph.h"

typedef struct ash_custom_output {
  ash_type type;
  ash_shape shape;
} ash_custom_output;

typedef struct ash_custom {
  const char *name;
  const char *file;                 /* that describes it, NULL: none */
  const ash_custom_output *outputs; /* NULL: the model's             */
  uint32_t output_count;
  uint32_t scratch; /* bytes */
  bool in_place;
} ash_custom;

typedef struct ash_customs {
  ash_custom *items;
  size_t count;
} ash_customs;

/* All that the options name; in the scratch zone. */
ash_status ash_customs_read(ash_ctx *ctx, ash_customs *out,
                            const ash_load_options *options);
/* NULL: the user supplies no operator of this name. */
const ash_custom *ash_customs_find(const ash_customs *all, const char *name);

#endif
