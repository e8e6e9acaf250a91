/* cuts.h - random operators for the tests of tile rules: nets of one operator,
 * and the check that all ways to cut it agree (pieces.h). */
#ifndef ASH_TESTS_CUTS_H
#define ASH_TESTS_CUTS_H

#include "pieces.h"

enum { CUT_ROUNDS = 3 }; /* of pieces_agree */

/* What all of it is drawn from. */
extern ash_rng cut_rng;

int32_t cut_pick(int32_t low, int32_t high);
float cut_scale(ash_type type);

/* int16 has no zero point, uint8 none below zero. */
int32_t cut_zero(ash_type type, int32_t zero);
uint32_t cut_input(net *n, ash_type type, ash_shape shape);
uint32_t cut_constant(net *n, ash_type type, ash_shape shape);

/* A constant vector. */
uint32_t cut_vector(net *n, const int32_t *values, uint32_t count);

/* pieces_shape finds the shape, whatever is given here. */
uint32_t cut_result(net *n, ash_type type);

/* What cut_agree does with an operator; by default pieces_agree. Returns how
 * many axes could be cut. */
extern uint32_t (*cut_sink)(net *n, uint32_t op);

/* An operator with several outputs; without shapes they are placeholders. */
uint32_t cut_op_outputs(net *n, ash_op_kind kind, net_ids in, ash_type type,
                        uint32_t outputs, const ash_shape *shapes);

/* Shapes are found, the operator lowered, given to cut_sink and dropped. */
uint32_t cut_agree(net *n, uint32_t op);
ash_shape cut_shape_of(uint32_t rank, int32_t most);
ash_shape cut_shape(void);

/* A shape that broadcasts to `s`. */
ash_shape cut_narrower(ash_shape s);

/* ---- layers ------------------------------------------------------------- */

/* Types of activations, weights and bias that layers have. */
typedef struct cut_types {
  ash_type x, w, b;
} cut_types;

cut_types cut_layer(int i);
ash_shape cut_image(int32_t channels);

/* Do the weights get scales per channel? */
bool cut_has_channels(cut_types t);
void cut_channel_scales(net *n, uint32_t w, int32_t axis);

/* Padding, strides and, where there are any, dilations. */
void cut_window(net *n, uint32_t op, int32_t filter, bool dilates);

/* A matrix, or a batch of them whose dimensions broadcast to `batches`. */
ash_shape cut_matrix(int32_t rows, int32_t columns, bool turned,
                     const int32_t *batches, uint32_t rank);

/* ---- moves -------------------------------------------------------------- */

/* Some axes of a shape, some of them counted from the end. Returns how many. */
uint32_t cut_axes(int32_t *axes, uint32_t rank);

/* A type that can be moved; inputs and outputs with the same scale. */
ash_type cut_moved_type(void);
uint32_t cut_moved_input(net *n, ash_type type, ash_shape shape);
uint32_t cut_moved_result(net *n, ash_type type);

/* ---- cases -------------------------------------------------------------- */

extern const check_case cut_windows[], cut_integers[], cut_elements[],
    cut_folds[], cut_moves[], cut_picks[];

/* All of them; NULL at the end. */
extern const check_case *const cut_tables[];

#endif
