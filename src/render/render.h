/* render.h - plan -> facts ready to be written. See ashlar/render.h. */
#ifndef ASH_RENDER_RENDER_H
#define ASH_RENDER_RENDER_H

#include "ashlar/render.h"
#include "base/ctx.h"
#include "graph/graph.h"

/* The names that generated C gives an arena, and the stored bytes of a constant
 * arena; "" when memory runs out, which the zone remembers. */
const char *ash_render_symbol(ash_zone *z, const char *prefix, ash_role role,
                              const char *memory);
const char *ash_render_blob_symbol(ash_zone *z, const char *arena_symbol,
                                   bool staged);

#endif
