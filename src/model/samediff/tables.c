#include "model/samediff/tables.h"

#include <string.h>

#define UNSIGNED 8388608

static const cpb_sd_dtype dtypes[] = {
    {0, "INHERIT", 0, NULL, 0},
    {1, "BOOL", 1, "|b1", 524288},
    {2, "FLOAT8", 1, NULL, 0},
    {3, "HALF", 2, "<f2", 4096},
    {4, "HALF2", 0, NULL, 0},
    {5, "FLOAT", 4, "<f4", 8192},
    {6, "DOUBLE", 8, "<f8", 16384},
    {7, "INT8", 1, "|i1", 32768},
    {8, "INT16", 2, "<i2", 65536},
    {9, "INT32", 4, "<i4", 131072},
    {10, "INT64", 8, "<i8", 262144},
    {11, "UINT8", 1, "|u1", 32768 + UNSIGNED},
    {12, "UINT16", 2, "<u2", 65536 + UNSIGNED},
    {13, "UINT32", 4, "<u4", 131072 + UNSIGNED},
    {14, "UINT64", 8, "<u8", 262144 + UNSIGNED},
    {15, "QINT8", 1, NULL, 0},
    {16, "QINT16", 2, NULL, 0},
    {17, "BFLOAT16", 2, "|V2", 2048},
    {DTYPE_UTF8, "UTF8", 0, NULL, 1048576},
    {51, "UTF16", 0, NULL, 0},
    {52, "UTF32", 0, NULL, 0},
};

const cpb_sd_dtype *cpb_sd_find_dtype(int64_t number) {
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
    if (dtypes[i].number == number) return &dtypes[i];
  return NULL;
}

static bool is_numpy(const cpb_sd_dtype *dtype, const char *name, bool *big_endian) {
  if (!dtype->numpy || strcmp(dtype->numpy + 1, name + 1) != 0) return false;
  *big_endian = dtype->numpy[0] == '<' && name[0] == '>';
  return *big_endian || dtype->numpy[0] == name[0];
}

const cpb_sd_dtype *cpb_sd_find_dtype_named(const char *name, bool *big_endian) {
  *big_endian = false;
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes && *name; i++)
    if (strcmp(dtypes[i].name, name) == 0 || is_numpy(&dtypes[i], name, big_endian)) return &dtypes[i];
  return NULL;
}

static const char *const variable_kinds[] = {"VARIABLE", "CONSTANT", "ARRAY", "PLACEHOLDER", "SEQUENCE"};
static const char *const op_types[] = {
    "TRANSFORM_FLOAT", "TRANSFORM_SAME", "TRANSFORM_BOOL", "TRANSFORM_STRICT", "TRANSFORM_ANY", "REDUCE_FLOAT",
    "REDUCE_SAME",     "REDUCE_LONG",    "REDUCE_BOOL",    "INDEX_REDUCE",     "SCALAR",        "SCALAR_BOOL",
    "BROADCAST",       "BROADCAST_BOOL", "PAIRWISE",       "PAIRWISE_BOOL",    "REDUCE_3",      "SUMMARYSTATS",
    "SHAPE",           "AGGREGATION",    "RANDOM",         "CUSTOM",           "GRAPH",         [40] = "VARIABLE",
    [60] = "BOOLEAN",  [119] = "LOGIC"};
static const char *const execution_modes[] = {"SEQUENTIAL", "STRICT", "AUTO"};
static const char *const profiling_modes[] = {"NONE", "NAN_PANIC", "INF_PANIC", "ANY_PANIC"};
static const char *const output_modes[] = {"IMPLICIT", "EXPLICIT", "EXPLICIT_AND_IMPLICIT", "VARIABLE_SPACE",
                                           "OPTIMIZED"};
static const char *const directions[] = {"FORWARD_ONLY", "FORWARD_AND_BACKWARD", "BACKWARD_ONLY"};

#define NAME_IN(list, number) \
  ((number) >= 0 && (number) < (int64_t)(sizeof(list) / sizeof *(list)) ? (list)[number] : NULL)

const char *cpb_sd_variable_kind(int64_t number) { return NAME_IN(variable_kinds, number); }
const char *cpb_sd_op_type(int64_t number) { return NAME_IN(op_types, number); }
const char *cpb_sd_execution_mode(int64_t number) { return NAME_IN(execution_modes, number); }
const char *cpb_sd_profiling_mode(int64_t number) { return NAME_IN(profiling_modes, number); }
const char *cpb_sd_output_mode(int64_t number) { return NAME_IN(output_modes, number); }
const char *cpb_sd_direction(int64_t number) { return NAME_IN(directions, number); }
