/* The tables of ND4J's graph files (namespace sd.graph): field numbers, and names of enumerations. */
#ifndef CPB_MODEL_SAMEDIFF_TABLES_H
#define CPB_MODEL_SAMEDIFF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAIR_FIRST, PAIR_SECOND };

enum {
  GRAPH_ID,
  GRAPH_VARIABLES,
  GRAPH_NODES,
  GRAPH_OUTPUTS,
  GRAPH_CONFIGURATION,
  GRAPH_PLACEHOLDERS,
  GRAPH_LOSS_VARIABLES,
  GRAPH_TRAINING_CONFIG,
  GRAPH_UPDATER_STATE,
  GRAPH_SEQUENCE_ITEMS /* ND4J writes a vector although its schema has a table: must not be followed */
};

enum {
  VARIABLE_ID,
  VARIABLE_NAME,
  VARIABLE_DTYPE,
  VARIABLE_SHAPE,
  VARIABLE_ARRAY,
  VARIABLE_DEVICE,
  VARIABLE_KIND,
  VARIABLE_CONTROL_DEPS,
  VARIABLE_CONTROL_DEP_FOR_OP,
  VARIABLE_CONTROL_DEPS_FOR_VAR
};

enum {
  NODE_ID,
  NODE_NAME,
  NODE_OP_TYPE,
  NODE_OP_NUM,
  NODE_PROPERTIES,
  NODE_INPUT,
  NODE_INPUT_PAIRED,
  NODE_OUTPUT,
  NODE_EXTRA_PARAMS,
  NODE_EXTRA_INTEGER,
  NODE_EXTRA_BOOLS,
  NODE_DIMENSIONS,
  NODE_DEVICE,
  NODE_SCOPE_ID,
  NODE_SCOPE_NAME,
  NODE_OUTPUT_NAMES,
  NODE_OP_NAME,
  NODE_OUTPUT_TYPES,
  NODE_SCALAR,
  NODE_CONTROL_DEPS,
  NODE_VAR_CONTROL_DEPS,
  NODE_CONTROL_DEP_FOR,
  NODE_EXTRA_TYPES,
  NODE_EXTRA_STRINGS
};

enum { ARRAY_SHAPE, ARRAY_BUFFER, ARRAY_DTYPE, ARRAY_BYTE_ORDER };

enum {
  PROPERTY_NAME,
  PROPERTY_INTS,
  PROPERTY_LONGS,
  PROPERTY_DOUBLES,
  PROPERTY_ARRAYS,
  PROPERTY_BOOLS,
  PROPERTY_STRINGS,
  PROPERTY_SHAPE
};

enum { UPDATER_PARAMETER, UPDATER_KEYS, UPDATER_VALUES };

enum {
  CONFIG_ID,
  CONFIG_EXECUTION_MODE,
  CONFIG_PROFILING_MODE,
  CONFIG_OUTPUT_MODE,
  CONFIG_TIMESTATS,
  CONFIG_FOOTPRINT_FORWARD,
  CONFIG_FOOTPRINT_BACKWARD,
  CONFIG_DIRECTION
};

enum { KIND_VARIABLE, KIND_CONSTANT, KIND_ARRAY, KIND_PLACEHOLDER, KIND_SEQUENCE };

enum { DTYPE_UTF8 = 50 };

typedef struct cpb_sd_dtype {
  int number;
  const char *name;
  unsigned size;     /* of an element; 0: variable, or unknown */
  const char *numpy; /* little-endian; NULL for none */
  int64_t extras;    /* how a shape info encodes it; 0: it cannot */
} cpb_sd_dtype;

/* NULL if the number is unknown. */
const cpb_sd_dtype *cpb_sd_find_dtype(int64_t number);
/* Finds a type by ND4J's name or by NumPy's, which may say that the bytes are in the opposite order. */
const cpb_sd_dtype *cpb_sd_find_dtype_named(const char *name, bool *big_endian);
const char *cpb_sd_variable_kind(int64_t number);
const char *cpb_sd_op_type(int64_t number);
const char *cpb_sd_execution_mode(int64_t number);
const char *cpb_sd_profiling_mode(int64_t number);
const char *cpb_sd_output_mode(int64_t number);
const char *cpb_sd_direction(int64_t number);

#endif
