/* NumPy's .npy files, version 1.0. */
#ifndef CPB_CLI_NPY_H
#define CPB_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_HEAD_MAX 1024

/* What stands before the values, written into NPY_HEAD_MAX bytes: magic, length and
 * a Python dict, padded so that the values lie at a multiple of 64. Returns its
 * size; 0 when the shape is too long. */
size_t npy_head(char *out, const char *dtype, bool fortran_order, const uint64_t *shape, size_t rank);

#endif
