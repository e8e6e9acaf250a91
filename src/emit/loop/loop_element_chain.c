/* loop_element_chain.c - several functions of one element: chain. Each stage is
 * a constant of the loop's body, rounded to the stage's type. */
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME = 40 };

/* A C expression that can stand anywhere. */
static void name_argument(char name[NAME], const ash_call *c,
                          const ash_chain_arg *a) {
  ASH_ASSERT(a->source == ASH_CHAIN_VALUE ||
             a->index < ASH_CHAIN_INPUTS + ASH_CHAIN_STAGES);
  if (a->source != ASH_CHAIN_VALUE)
    (void)snprintf(name, NAME, "%c%" PRIu32,
                   a->source == ASH_CHAIN_INPUT ? 'x' : 's', a->index);
  else if (ash_type_is_float(a->type))
    ash_loop_real(name, NAME, c, a->type, a->x);
  else if (a->type == ASH_UINT64)
    (void)snprintf(name, NAME, "UINT64_C(%" PRIu64 ")", (uint64_t)a->i);
  else if (a->i == INT64_MIN)
    (void)snprintf(name, NAME, "INT64_MIN");
  else
    (void)snprintf(name, NAME, a->i < 0 ? "(%" PRId64 ")" : "%" PRId64, a->i);
}

static bool is_integer_value(const ash_chain_arg *a) {
  return a->source == ASH_CHAIN_VALUE && !ash_type_is_float(a->type) &&
         a->type != ASH_UINT64;
}

/* The largest size of what an operand may be; INT64_MAX: more than 32 bits. */
static int64_t size_of(const ash_chain_arg *a) {
  if (is_integer_value(a) && a->i > -INT32_MAX && a->i <= INT32_MAX)
    return a->i < 0 ? -a->i : a->i;
  if (!ash_loop_is_narrow(a->type))
    return INT64_MAX;
  const bool natural = a->type == ASH_UINT8 || a->type == ASH_UINT16;
  return (int64_t)1 << (ash_type_bits(a->type) - !natural);
}

/* Sums and products that 32 or 64 bits hold for certain. */
static bool put_sum(char *buf, size_t size, const ash_chain_stage *s,
                    const char *const *names) {
  const char *sign = s->fn == ASH_FN_add   ? "+"
                     : s->fn == ASH_FN_sub ? "-"
                     : s->fn == ASH_FN_mul ? "*"
                                           : NULL;
  const int64_t a = size_of(&s->args[0]), b = size_of(&s->args[1]);
  if (!sign || a == INT64_MAX || b == INT64_MAX)
    return false;
  const int64_t most = s->fn == ASH_FN_mul ? a * b : a + b;
  return snprintf(buf, size, "%s%s %s %s", most > INT32_MAX ? "(int64_t)" : "",
                  names[0], sign, names[1]) < (int)size;
}

/* Functions whose further operands are known to be harmless. */
static bool put_simple(char *buf, size_t size, const ash_chain_stage *s,
                       const char *const *names) {
  const ash_chain_arg *b = &s->args[1], *c = &s->args[2];
  const char *a = names[0];
  if (ash_fn_operands(s->fn) == 2 && put_sum(buf, size, s, names))
    return true;
  if (ash_fn_operands(s->fn) < 2 || !is_integer_value(b))
    return false;
  if (s->fn == ASH_FN_shift_right && b->i >= 32 &&
      ash_loop_is_narrow(s->args[0].type))
    return false;
  if (s->fn == ASH_FN_shift_right && b->i >= 0 && b->i < 64)
    return snprintf(buf, size, "%s >> %s", a, names[1]) < (int)size;
  if (s->fn == ASH_FN_div && b->i > 0)
    return snprintf(buf, size, "%s / %s", a, names[1]) < (int)size;
  return s->fn == ASH_FN_clip && is_integer_value(c) && b->i <= c->i &&
         snprintf(buf, size, "%s < %s ? %s : %s > %s ? %s : %s", a, names[1],
                  names[1], a, names[2], names[2], a) < (int)size;
}

/* The expression of a stage. */
bool ash_loop_stage(char *buf, size_t size, const ash_call *c,
                    const ash_chain_stage *s, ash_type *yields) {
  ASH_ASSERT(s->fn < ASH_FN_COUNT && ash_fn_operands(s->fn) <= ASH_FN_OPERANDS);
  char names[ASH_FN_OPERANDS][NAME], wide[ASH_FN_OPERANDS][NAME + 16];
  const char *list[ASH_FN_OPERANDS];
  ash_type in[ASH_FN_OPERANDS] = {ASH_NONE};
  for (uint32_t k = 0; k < ash_fn_operands(s->fn); k++) {
    name_argument(names[k], c, &s->args[k]);
    in[k] = s->args[k].type;
  }
  for (uint32_t k = 0; k < ASH_FN_OPERANDS; k++)
    list[k] = names[k];
  *yields = ash_loop_yields(s->fn, in, s->type);
  if (put_simple(buf, size, s, list))
    return true;
  for (uint32_t k = 0; k < ash_fn_operands(s->fn); k++)
    if (s->args[k].source != ASH_CHAIN_VALUE && ash_loop_is_narrow(in[k])) {
      (void)snprintf(wide[k], sizeof wide[k], "(int64_t)%.*s", NAME - 1,
                     names[k]);
      list[k] = wide[k];
    }
  return ash_loop_scalar(buf, size, s->fn, ash_fn_inner(s->fn, in), list);
}

static void put_loads(const ash_call *c, const ash_nest *n) {
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    const ash_type type = ash_call_in(c, k)->type;
    char index[ASH_LOOP_TEXT], value[2 * ASH_LOOP_TEXT], array[16];
    (void)snprintf(array, sizeof array, "p%" PRIu32, k);
    ash_loop_index(index, n, k + 1, "i");
    ash_text_line(c->text, "const %s x%" PRIu32 " = %s;", ash_loop_held(type),
                  k, ash_loop_load(value, type, array, index));
  }
}

static void put_stages(const ash_call *c, const ash_chain *chain,
                       const char *index) {
  ASH_ASSERT(chain->count > 0);
  char value[2 * ASH_LOOP_TEXT], name[16];
  for (uint32_t k = 0; k < chain->count; k++) {
    const ash_chain_stage *s = &chain->stages[k];
    ash_type yields;
    const bool named = ash_loop_stage(value, sizeof value, c, s, &yields);
    ASH_ASSERT(named);
    (void)named;
    (void)snprintf(name, sizeof name, "s%" PRIu32, k);
    if (k + 1 < chain->count)
      ash_loop_keep(c, s->type, yields, name, value);
    else
      ash_loop_store(c, s->type, yields, "y", index, value);
  }
}

void ash_loop_chain(const ash_call *c) {
  const ash_nest n = ash_nest_of(c);
  char index[ASH_LOOP_TEXT], array[16];
  ash_chain chain;
  uint32_t stage;
  const bool read = ash_chain_read(&chain, c->graph, ash_call_op(c), &stage);
  ASH_ASSERT(read);
  (void)read;
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    (void)snprintf(array, sizeof array, "p%" PRIu32, k);
    ash_loop_input(c, array, k);
  }
  ash_loop_output(c, "y", 0);
  ash_loop_open(c, &n, "i");
  put_loads(c, &n);
  put_stages(c, &chain, ash_loop_index(index, &n, 0, "i"));
  ash_loop_close(c, &n);
}
