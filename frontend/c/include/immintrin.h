/* Vectors of 128 bits alone. */
#ifndef CHAINCOVER_IMMINTRIN_H
#define CHAINCOVER_IMMINTRIN_H
#include <emmintrin.h>
#endif
