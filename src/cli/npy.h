/* The headers of NumPy's .npy files. */
#ifndef CPB_CLI_NPY_H
#define CPB_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Written, in version 1.0 ------------------------------------------------------ */

#define NPY_HEAD_MAX 1024

/* Writes the part before the values into NPY_HEAD_MAX bytes: magic, length and a Python dict, padded so that the values
 * begin at a multiple of 64. Returns its size; 0 if the shape is too long. */
size_t npy_head(char *out, const char *dtype, bool fortran_order, const uint64_t *shape, size_t rank);

/* --- Read, in any version --------------------------------------------------------- */

#define NPY_HEAD_READ ((size_t)64 << 10) /* NumPy writes no larger header */
#define NPY_RANK_MAX 32

typedef struct npy_info {
  char dtype[16]; /* such as "<f4" */
  bool fortran_order;
  uint32_t rank;
  uint64_t shape[NPY_RANK_MAX];
  uint64_t begin; /* of the values */
} npy_info;

/* Parses the file's first bytes, NPY_HEAD_READ of them or all. Returns the problem, or NULL. */
const char *npy_read(const uint8_t *data, size_t size, npy_info *info);

#endif
