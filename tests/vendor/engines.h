/* engines.h - what tests tell the engines of engines.c. */
#ifndef ENGINES_H
#define ENGINES_H

#include <stdint.h>

extern const uint8_t *engines_window;

#endif
