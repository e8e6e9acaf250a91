/* render.h - plan -> facts ready to be written. See ashlar/render.h. */
#ifndef ASH_RENDER_RENDER_H
#define ASH_RENDER_RENDER_H

#include "ashlar/render.h"
#include "base/ctx.h"
#include "graph/graph.h"

#endif
