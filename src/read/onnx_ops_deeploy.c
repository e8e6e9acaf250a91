/* onnx_ops_deeploy.c - operators of Deeploy's and QuantLib's networks, whose
 * tensors are floats that hold integers, and of its training graphs. */
#include "read/onnx_import.h"

const ash_ox_handler ash_ox_deeploy[] = {
    {NULL, NULL},
};
