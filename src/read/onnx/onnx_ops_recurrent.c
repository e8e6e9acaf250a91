/* onnx_ops_recurrent.c - LSTM, GRU and RNN: one operator where functions and
 * lengths are the usual ones, otherwise unrolled; the number of steps is part
 * of the input's shape. */
#include "read/onnx/onnx_import.h"

#include <string.h>

enum { STEPS_MAX = 1024, BATCH_MAX = 256 };

/* An activation: one function, or one of those with numbers. */
typedef enum shape_of {
  PLAIN,
  AFFINE,
  LEAKY_RELU,
  THRESHOLDED_RELU,
  SCALED_TANH,
  HARD_SIGMOID,
  ELU
} shape_of;

typedef struct activation {
  shape_of shape;
  ash_fn fn;
  double alpha, beta;
} activation;

/* One direction of a layer under way. */
typedef struct cell {
  uint32_t gates; /* 4, 3 or 1 */
  int32_t steps, batch, inputs, hidden;
  bool back;              /* runs from the last step to the first */
  uint32_t x;             /* [steps, batch, inputs] */
  uint32_t w, r;          /* [gates * hidden, ..] */
  uint32_t wb, rb;        /* [gates * hidden], or ASH_NO_ID */
  uint32_t h, c, peep;    /* state; peepholes or ASH_NO_ID */
  activation f, g, k;     /* functions: gates, new value, result */
  double clip;            /* of what goes into them, 0: none */
  const int64_t *lengths; /* one a sequence, or NULL */
} cell;

static uint32_t product(ash_ox *m, uint32_t a, uint32_t b) {
  return ash_ox_add_op(m,
                       &(ash_ox_op){.kind = ASH_OP_matmul,
                                    .inputs = {a, b},
                                    .input_count = 2,
                                    .attrs = {ASH_INT_ATTR("transpose_b", 1)},
                                    .attr_count = 1,
                                    .type = ash_ox_type(m, a)});
}

static uint32_t add_if(ash_ox *m, uint32_t a, uint32_t b) {
  return b == ASH_NO_ID ? a : ash_ox_map2(m, ASH_FN_add, a, b);
}

/* Gate k of [batch, gates * hidden], or of a bias. */
static uint32_t gate(ash_ox *m, const cell *l, uint32_t x, uint32_t k) {
  if (x == ASH_NO_ID)
    return ASH_NO_ID;
  return ash_ox_slice(m, x, ash_ox_rank(m, x) - 1, (int64_t)k * l->hidden, 1,
                      l->hidden);
}

static uint32_t affine(ash_ox *m, uint32_t a, double alpha, double beta) {
  return ash_ox_with(m, ASH_FN_add, ash_ox_with(m, ASH_FN_mul, a, alpha), beta);
}

/* Above zero x, below `below` of min(x, 0). */
static uint32_t bent(ash_ox *m, const activation *f, uint32_t a) {
  const uint32_t above = ash_ox_with(m, ASH_FN_maximum, a, 0);
  uint32_t below = ash_ox_with(m, ASH_FN_minimum, a, 0);
  if (f->shape == ELU)
    below = ash_ox_with(m, ASH_FN_sub, ash_ox_map1(m, ASH_FN_exp, below), 1);
  return ash_ox_map2(m, ASH_FN_add, above,
                     ash_ox_with(m, ASH_FN_mul, below, f->alpha));
}

static uint32_t shaped(ash_ox *m, const activation *f, uint32_t a) {
  const ash_type type = ash_ox_type(m, a);
  switch (f->shape) {
  case AFFINE:
    return affine(m, a, f->alpha, f->beta);
  case LEAKY_RELU:
  case ELU:
    return bent(m, f, a);
  case THRESHOLDED_RELU:
    return ash_ox_map2(
        m, ASH_FN_mul, a,
        ash_ox_cast(m, ash_ox_with(m, ASH_FN_greater, a, f->alpha), type));
  case SCALED_TANH:
    return ash_ox_with(
        m, ASH_FN_mul,
        ash_ox_map1(m, ASH_FN_tanh, ash_ox_with(m, ASH_FN_mul, a, f->beta)),
        f->alpha);
  case HARD_SIGMOID:
    return ash_ox_map3(m, ASH_FN_clip, affine(m, a, f->alpha, f->beta),
                       ash_ox_scalar(m, type, 0), ash_ox_scalar(m, type, 1));
  default:
    break;
  }
  if (f->fn == ASH_FN_maximum) /* Relu */
    return ash_ox_with(m, f->fn, a, 0);
  return ash_ox_map1(m, f->fn, a);
}

static uint32_t apply(ash_ox *m, const cell *l, activation f, uint32_t a) {
  const ash_type type = ash_ox_type(m, a);
  if (l->clip > 0)
    a = ash_ox_map3(m, ASH_FN_clip, a, ash_ox_scalar(m, type, -l->clip),
                    ash_ox_scalar(m, type, l->clip));
  return shaped(m, &f, a);
}

/* Element `d` of the first axis, without that axis. */
static uint32_t part(ash_ox *m, uint32_t x, int64_t d) {
  const ash_shape s = *ash_ox_shape(m, x);
  ash_shape out = {.rank = s.rank - 1};
  for (uint32_t i = 1; i < s.rank; i++)
    out.dim[i - 1] = s.dim[i];
  return ash_ox_reshape(m, ash_ox_slice(m, x, 0, d, 1, 1), out);
}

static void step_lstm(ash_ox *m, cell *l, uint32_t x) {
  uint32_t all =
      ash_ox_map2(m, ASH_FN_add, product(m, x, l->w), product(m, l->h, l->r));
  all = add_if(m, add_if(m, all, l->wb), l->rb);
  uint32_t i = gate(m, l, all, 0), o = gate(m, l, all, 1);
  uint32_t f = gate(m, l, all, 2), g = gate(m, l, all, 3);
  const bool peep = l->peep != ASH_NO_ID;
  if (peep) {
    i = ash_ox_map2(m, ASH_FN_add, i,
                    ash_ox_map2(m, ASH_FN_mul, l->c, gate(m, l, l->peep, 0)));
    f = ash_ox_map2(m, ASH_FN_add, f,
                    ash_ox_map2(m, ASH_FN_mul, l->c, gate(m, l, l->peep, 2)));
  }
  const bool coupled = ash_ox_int(m, "input_forget", 0) != 0;
  uint32_t forget = coupled ? ASH_NO_ID : apply(m, l, l->f, f);
  const uint32_t in = apply(m, l, l->f, i);
  if (coupled)
    forget =
        ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ash_ox_type(m, in), 1), in);
  l->c = ash_ox_map2(m, ASH_FN_add, ash_ox_map2(m, ASH_FN_mul, forget, l->c),
                     ash_ox_map2(m, ASH_FN_mul, in, apply(m, l, l->g, g)));
  if (peep)
    o = ash_ox_map2(m, ASH_FN_add, o,
                    ash_ox_map2(m, ASH_FN_mul, l->c, gate(m, l, l->peep, 1)));
  cell whole = *l; /* the cell itself is not clipped */
  whole.clip = 0;
  l->h = ash_ox_map2(m, ASH_FN_mul, apply(m, l, l->f, o),
                     apply(m, &whole, l->k, l->c));
}

static void step_gru(ash_ox *m, cell *l, uint32_t x) {
  const bool before = ash_ox_int(m, "linear_before_reset", 0) != 0;
  const uint32_t xs = add_if(m, product(m, x, l->w), l->wb);
  const uint32_t hs = add_if(m, product(m, l->h, l->r), l->rb);
  const uint32_t z =
      apply(m, l, l->f,
            ash_ox_map2(m, ASH_FN_add, gate(m, l, xs, 0), gate(m, l, hs, 0)));
  const uint32_t r =
      apply(m, l, l->f,
            ash_ox_map2(m, ASH_FN_add, gate(m, l, xs, 1), gate(m, l, hs, 1)));
  uint32_t n;
  if (before) {
    n = ash_ox_map2(m, ASH_FN_mul, r, gate(m, l, hs, 2));
  } else {
    const uint32_t reset = ash_ox_map2(m, ASH_FN_mul, r, l->h);
    const uint32_t weights =
        ash_ox_slice(m, l->r, 0, 2 * (int64_t)l->hidden, 1, l->hidden);
    n = add_if(m, product(m, reset, weights), gate(m, l, l->rb, 2));
  }
  n = apply(m, l, l->g, ash_ox_map2(m, ASH_FN_add, gate(m, l, xs, 2), n));
  /* n + z * (h - n) */
  l->h = ash_ox_map2(
      m, ASH_FN_add, n,
      ash_ox_map2(m, ASH_FN_mul, z, ash_ox_map2(m, ASH_FN_sub, l->h, n)));
}

static void step_rnn(ash_ox *m, cell *l, uint32_t x) {
  uint32_t y =
      ash_ox_map2(m, ASH_FN_add, product(m, x, l->w), product(m, l->h, l->r));
  y = add_if(m, add_if(m, y, l->wb), l->rb);
  l->h = apply(m, l, l->f, y);
}

static void run_step(ash_ox *m, cell *l, uint32_t x) {
  if (l->gates == 4)
    step_lstm(m, l, x);
  else if (l->gates == 3)
    step_gru(m, l, x);
  else
    step_rnn(m, l, x);
}

/* [directions, batch, hidden] or, batch first, [batch, directions, hidden]. */
static uint32_t start_state(ash_ox *m, const cell *l, uint32_t k, int64_t d,
                            bool batch_first) {
  const ash_shape s = {2, {l->batch, l->hidden}};
  if (!ash_ox_has(m, k))
    return ash_ox_constant(m, ash_ox_type(m, l->x), s, NULL);
  const uint32_t all = ash_ox_in(m, k);
  return batch_first ? ash_ox_reshape(m, ash_ox_slice(m, all, 1, d, 1, 1), s)
                     : part(m, all, d);
}

/* The lengths of the sequences, which must be constants; NULL if all are as
 * long as the input. */
static const int64_t *lengths_of(ash_ox *m, int32_t steps, int64_t *lengths) {
  bool all = true;
  if (!ash_ox_has(m, 4))
    return NULL;
  const uint32_t n = ash_ox_list(m, ash_ox_in(m, 4), lengths, BATCH_MAX);
  for (uint32_t i = 0; i < n; i++) {
    if (lengths[i] < 0 || lengths[i] > steps)
      ash_ox_bad(m, "a sequence is longer than the input");
    all = all && lengths[i] == steps;
  }
  return all ? NULL : lengths;
}

/* `new` for sequences that have element `at`, `old` for the others. */
static uint32_t keep_ended(ash_ox *m, const cell *l, int32_t at, uint32_t new,
                           uint32_t old) {
  uint8_t goes_on[BATCH_MAX];
  bool all = true;
  for (int32_t b = 0; l->lengths && b < l->batch && b < BATCH_MAX; b++) {
    goes_on[b] = at < l->lengths[b];
    all = all && goes_on[b];
  }
  if (all)
    return new;
  return ash_ox_map3(
      m, ASH_FN_select,
      ash_ox_constant(m, ASH_BOOL, (ash_shape){2, {l->batch, 1}}, goes_on), new,
      old);
}

static bool is_text(const ash_pb_span *s, const char *text) {
  const uint64_t n = ash_pb_bytes(s);
  return n == strlen(text) &&
         (n == 0 || memcmp(s->pb->bytes + s->at, text, (size_t)n) == 0);
}

/* The next number of a list, of which functions take what they need. */
static double next_of(const ash_ox *m, const char *name, uint32_t *at,
                      double otherwise) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (!a || a->kind != ASH_ONNX_FLOATS || *at >= a->count)
    return otherwise;
  return (double)a->floats[(*at)++];
}

/* Places in the lists of functions and their numbers. */
typedef struct choice {
  uint32_t name, alpha, beta;
} choice;

/* The next function of the node's list. */
static activation next_function(ash_ox *m, choice *at, ash_fn otherwise) {
  static const struct {
    const char *name;
    activation f;
    bool alpha, beta;
  } known[] = {
      {"Sigmoid", {PLAIN, ASH_FN_sigmoid, 0, 0}, false, false},
      {"Tanh", {PLAIN, ASH_FN_tanh, 0, 0}, false, false},
      {"Relu", {PLAIN, ASH_FN_maximum, 0, 0}, false, false},
      {"Softsign", {PLAIN, ASH_FN_softsign, 0, 0}, false, false},
      {"Softplus", {PLAIN, ASH_FN_softplus, 0, 0}, false, false},
      {"Affine", {AFFINE, ASH_FN_abs, 1, 0}, true, true},
      {"LeakyRelu", {LEAKY_RELU, ASH_FN_abs, 0.01, 0}, true, false},
      {"ThresholdedRelu", {THRESHOLDED_RELU, ASH_FN_abs, 1, 0}, true, false},
      {"ScaledTanh", {SCALED_TANH, ASH_FN_abs, 1, 1}, true, true},
      {"HardSigmoid", {HARD_SIGMOID, ASH_FN_abs, 0.2, 0.5}, true, true},
      {"Elu", {ELU, ASH_FN_abs, 1, 0}, true, false}};
  const ash_onnx_attr *a = ash_ox_attr(m, "activations");
  if (!a || a->kind != ASH_ONNX_STRINGS || at->name >= a->count)
    return (activation){PLAIN, otherwise, 0, 0};
  const ash_pb_span *name = &a->strings[at->name++];
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++) {
    activation f = known[i].f;
    if (!is_text(name, known[i].name))
      continue;
    if (known[i].alpha)
      f.alpha = next_of(m, "activation_alpha", &at->alpha, f.alpha);
    if (known[i].beta)
      f.beta = next_of(m, "activation_beta", &at->beta, f.beta);
    return f;
  }
  ash_ox_refuse(m, "this choice of activations");
  return (activation){PLAIN, otherwise, 0, 0};
}

static void choose_functions(ash_ox *m, cell *l, choice *at) {
  const uint32_t per = l->gates == 4 ? 3 : l->gates == 3 ? 2 : 1;
  l->f = next_function(m, at, per == 1 ? ASH_FN_tanh : ASH_FN_sigmoid);
  if (per > 1)
    l->g = next_function(m, at, ASH_FN_tanh);
  if (per > 2)
    l->k = next_function(m, at, ASH_FN_tanh);
  l->clip = ash_ox_float(m, "clip", 0);
}

static uint32_t first_axis(ash_ox *m, uint32_t x) {
  ash_shape s = {.rank = ash_ox_rank(m, x) + 1};
  s.dim[0] = 1;
  for (uint32_t i = 1; i < s.rank; i++)
    s.dim[i] = ash_ox_dim(m, x, i - 1);
  return ash_ox_reshape(m, x, s);
}

static cell open_cell(ash_ox *m, uint32_t gates, uint32_t x, int64_t d,
                      bool batch_first) {
  cell l = {.gates = gates,
            .x = x,
            .steps = ash_ox_dim(m, x, 0),
            .batch = ash_ox_dim(m, x, 1),
            .inputs = ash_ox_dim(m, x, 2),
            .wb = ASH_NO_ID,
            .rb = ASH_NO_ID,
            .c = ASH_NO_ID,
            .peep = ASH_NO_ID};
  l.back = d == 1 || ash_ox_is(m, "direction", "reverse", "forward");
  l.w = part(m, ash_ox_in(m, 1), d);
  l.r = part(m, ash_ox_in(m, 2), d);
  l.hidden = ash_ox_dim(m, l.r, 1);
  const int64_t rows = (int64_t)gates * l.hidden;
  if (m->status == ASH_OK && ash_ox_dim(m, l.r, 0) != rows)
    ash_ox_bad(m, "weights and hidden size do not agree");
  if (ash_ox_has(m, 3)) {
    const uint32_t both = part(m, ash_ox_in(m, 3), d);
    l.wb = ash_ox_slice(m, both, 0, 0, 1, rows);
    l.rb = ash_ox_slice(m, both, 0, rows, 1, rows);
  }
  l.h = start_state(m, &l, 5, d, batch_first);
  if (gates == 4) {
    l.c = start_state(m, &l, 6, d, batch_first);
    l.peep = ash_ox_has(m, 7) ? part(m, ash_ox_in(m, 7), d) : ASH_NO_ID;
  }
  return l;
}

/* All steps of one direction; [steps, 1, batch, hidden]. */
static uint32_t run_cell(ash_ox *m, cell *l) {
  if (m->status == ASH_OK && l->steps > STEPS_MAX)
    ash_ox_refuse(m, "so many steps");
  uint32_t *hs =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, (size_t)l->steps + 1);
  if (!hs) {
    m->status = ash_nomem(m->ctx);
    return ASH_NO_ID;
  }
  for (int32_t t = 0; t < l->steps && m->status == ASH_OK; t++) {
    const int32_t at = l->back ? l->steps - 1 - t : t;
    const uint32_t h = l->h, c = l->c;
    run_step(m, l, part(m, l->x, at));
    const uint32_t none =
        l->lengths ? ash_ox_scalar(m, ash_ox_type(m, l->h), 0) : ASH_NO_ID;
    hs[at] = first_axis(m, first_axis(m, keep_ended(m, l, at, l->h, none)));
    l->h = keep_ended(m, l, at, l->h, h);
    l->c = l->gates == 4 ? keep_ended(m, l, at, l->c, c) : l->c;
  }
  return m->status == ASH_OK ? ash_ox_join(m, hs, (uint32_t)l->steps, 0)
                             : ASH_NO_ID;
}

static bool is_plain(const activation *f, ash_fn fn) {
  return f->shape == PLAIN && f->fn == fn;
}

/* Is it what the operator `recurrence` does? One step alone is cheaper as
 * operators that others fuse with. */
static bool is_usual(ash_ox *m, const cell *l) {
  const bool gated = l->gates > 1;
  return m->status == ASH_OK && l->steps > 1 && !l->lengths && !(l->clip > 0) &&
         l->peep == ASH_NO_ID && ash_ox_type(m, l->x) == ASH_FLOAT32 &&
         ash_ox_int(m, "input_forget", 0) == 0 &&
         is_plain(&l->f, gated ? ASH_FN_sigmoid : ASH_FN_tanh) &&
         (!gated || is_plain(&l->g, ASH_FN_tanh)) &&
         (l->gates < 4 || is_plain(&l->k, ASH_FN_tanh));
}

/* The same as run_cell, by one operator. */
static uint32_t loop_cell(ash_ox *m, cell *l) {
  const uint32_t inputs[] = {l->x, l->w, l->r, l->wb, l->rb, l->h, l->c};
  const char *name = l->gates == 4 ? "lstm" : l->gates == 3 ? "gru" : "rnn";
  const ash_type type = ASH_FLOAT32;
  const ash_ox_op op = {
      .kind = ASH_OP_recurrence,
      .attrs = {ASH_STRING_ATTR("cell", name), ASH_INT_ATTR("back", l->back),
                ASH_INT_ATTR("linear_before_reset",
                             ash_ox_int(m, "linear_before_reset", 0) != 0)},
      .attr_count = 3};
  uint32_t all;
  ash_ox_add_any(m, &op, inputs, ASH_COUNT_OF(inputs), &type, 1, &all);
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  const uint32_t y = ash_ox_slice(m, all, 0, 0, 1, l->steps);
  l->h = part(m, all, l->back ? 0 : l->steps - 1);
  if (l->gates == 4)
    l->c = part(m, all, l->steps);
  return ash_ox_reshape(m, y,
                        (ash_shape){4, {l->steps, 1, l->batch, l->hidden}});
}

static void read_layer(ash_ox *m, uint32_t gates) {
  static const uint32_t swap[] = {1, 0, 2}, last[] = {2, 0, 1, 3};
  const bool batch_first = ash_ox_int(m, "layout", 0) != 0;
  const bool both = ash_ox_is(m, "direction", "bidirectional", "forward");
  uint32_t x = ash_ox_in(m, 0), ys[2], hs[2], cs[2];
  int64_t lengths[BATCH_MAX] = {0};
  choice at = {0, 0, 0};
  if (m->status == ASH_OK && ash_ox_rank(m, x) != 3)
    ash_ox_bad(m, "the input must have three dimensions");
  if (batch_first && m->status == ASH_OK)
    x = ash_ox_transpose(m, x, swap);
  const int64_t *given = lengths_of(m, ash_ox_dim(m, x, 0), lengths);
  if (m->status == ASH_OK && given && ash_ox_dim(m, x, 1) > BATCH_MAX)
    ash_ox_refuse(m, "so many sequences");
  if (m->status != ASH_OK)
    return;
  for (uint32_t d = 0; d < (both ? 2u : 1u); d++) {
    cell l = open_cell(m, gates, x, d, batch_first);
    choose_functions(m, &l, &at);
    l.lengths = given;
    ys[d] = is_usual(m, &l) ? loop_cell(m, &l) : run_cell(m, &l);
    hs[d] = first_axis(m, l.h);
    cs[d] = gates == 4 ? first_axis(m, l.c) : ASH_NO_ID;
  }
  const uint32_t n = both ? 2 : 1;
  uint32_t y = ash_ox_join(m, ys, n, 1), h = ash_ox_join(m, hs, n, 0);
  uint32_t c = gates == 4 ? ash_ox_join(m, cs, n, 0) : ASH_NO_ID;
  if (batch_first && m->status == ASH_OK) {
    y = ash_ox_transpose(m, y, last);
    h = ash_ox_transpose(m, h, swap);
    c = gates == 4 ? ash_ox_transpose(m, c, swap) : c;
  }
  ash_ox_out(m, 0, y);
  ash_ox_out(m, 1, h);
  if (gates == 4)
    ash_ox_out(m, 2, c);
}

static void read_lstm(ash_ox *m) {
  read_layer(m, 4);
}
static void read_gru(ash_ox *m) {
  read_layer(m, 3);
}
static void read_rnn(ash_ox *m) {
  read_layer(m, 1);
}

const ash_ox_handler ash_ox_rnn[] = {
    {"LSTM", read_lstm},
    {"GRU", read_gru},
    {"RNN", read_rnn},
    {NULL, NULL},
};
