/* request.h - a request to a planner as JSON, and its answer. */
#ifndef ASH_PLAN_REQUEST_H
#define ASH_PLAN_REQUEST_H

#include "ashlar/plan.h"
#include "base/text.h"

void ash_request_json(ash_text *text, const ash_plan_request *ask);
ash_status ash_answer_parse(ash_ctx *ctx, ash_plan_answer *answer,
                            const ash_plan_request *ask, const char *text,
                            size_t count, const char *who);

#endif
