/* ml.h - what the readers of ai.onnx.ml share: classical machine learning,
 * taken apart into products, comparisons and gathers. Data are rows of
 * features. */
#ifndef ASH_READ_ONNX_ML_H
#define ASH_READ_ONNX_ML_H

#include "read/onnx/onnx_import.h"

/* Input k as float32 rows [rows, features]; a list is one row. */
uint32_t ash_ml_rows(ash_ox *m, uint32_t k);
/* How many numbers the attribute has; 0 if it is absent. */
uint32_t ash_ml_count(const ash_ox *m, const char *name);
/* A list of floats as a constant; fails unless it fills the shape. */
uint32_t ash_ml_floats(ash_ox *m, const char *name, ash_shape shape);
/* x * w' + bias with lists of these names, [out, features] and [out]; no bias
 * without its list. */
uint32_t ash_ml_product(ash_ox *m, uint32_t x, const char *weights,
                        const char *bias, int32_t out);
/* What `post_transform` makes of scores [rows, n]. */
uint32_t ash_ml_transform(ash_ox *m, uint32_t scores);
/* The two scores of a yes and no question from the one. */
uint32_t ash_ml_both(ash_ox *m, uint32_t no, uint32_t yes);
/* How many classes the labels name. */
uint32_t ash_ml_classes(const ash_ox *m);
/* Output 0: the label of each row, whose number is in `best` (int64). Labels
 * that are strings stay numbers, with a warning. */
void ash_ml_put_labels(ash_ox *m, uint32_t best);

extern const ash_ox_handler ash_ml_features[], ash_ml_machines[],
    ash_ml_trees[];

#endif
