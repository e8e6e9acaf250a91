/* layers_json.h - how operators are cut, for the plan's JSON. */
#ifndef ASH_PLAN_LAYERS_JSON_H
#define ASH_PLAN_LAYERS_JSON_H

#include "ashlar/plan.h"
#include "base/json.h"

/* Writes nothing when nothing is cut. */
void ash_layers_json(ash_json *j, const ash_plan *p, const ash_graph *g);

#endif
