/* plan_net.h - graphs and devices for tests of the planner: float32 rows,
 * element-wise operators, reshapes and concatenations.
 *
 *   net n = net_new();
 *   const uint32_t x = row_input(&n, 64);
 *   const uint32_t y = row_relu(&n, x);
 *   row_end(&n, y);
 *   const ash_plan *p = must_plan(&n, small_device(&n), NULL); */
#ifndef ASH_TESTS_PLAN_NET_H
#define ASH_TESTS_PLAN_NET_H

#include "ashlar/render.h"
#include "net.h"

uint32_t row_input(net *n, int32_t bytes);
uint32_t row_tensor(net *n, int32_t bytes);
int32_t row_bytes(const net *n, uint32_t t);
uint32_t row_relu(net *n, uint32_t x);
uint32_t row_add(net *n, uint32_t a, uint32_t b);

/* Rows become columns; the bytes stay. */
uint32_t row_reshape(net *n, uint32_t x);
uint32_t row_concat(net *n, uint32_t a, uint32_t b);

/* `count` elements from `first` on. */
uint32_t row_slice(net *n, uint32_t x, int32_t first, int32_t count);

/* Two halves, one after the other in `halves`. */
void row_split(net *n, uint32_t x, uint32_t *halves);
uint32_t row_read(net *n, uint32_t variable);
void row_assign(net *n, uint32_t variable, uint32_t value);
uint32_t row_constant(net *n, int32_t bytes, float first);
uint32_t row_variable(net *n, int32_t bytes);
void row_end(net *n, uint32_t y);

/* Rules from YAML. */
ash_rules *rules_from(net *n, const char *text);

/* FAST is small, SLOW large, FAR not linkable, ROM read only. */
const ash_device *small_device(net *n);
const ash_plan *must_plan(net *n, const ash_device *device,
                          const ash_plan_options *options);
const ash_slot *slot_of(const ash_plan *p, uint32_t tensor);

/* The newest diagnostic. */
const ash_diag *last_diag(const net *n);
bool has_diag(const net *n, uint32_t id);

/* Where the data of others lies, if it is here. */
const char *shared_data(void);

#endif
