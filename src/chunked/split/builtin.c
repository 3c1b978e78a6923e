/* The splitters for TensorFlow's and ONNX's types, written as a user would write them: for each message type the fields
 * worth opening, and how much of each may stay in its parent. The payload of constants and initializers moves out; a
 * node or function that is still large becomes a chunk; so do the graph and the function library, which are then cut
 * into slices. */
#include <stdbool.h>

#include "base/checked.h"
#include "cpb/split.h"

typedef enum {
  STAYS_CHUNK, /* up to a whole chunk */
  STAYS_THIRD, /* up to a third: a larger one would waste space in its slice */
  STAYS_SMALL  /* up to inline_max */
} stay;

typedef struct {
  uint32_t number;
  stay stays;
} row;

#define ROWS_MAX 4
typedef struct {
  row rows[ROWS_MAX]; /* number 0: unused */
} table;

static const table SAVED_MODEL = {{{2, STAYS_CHUNK}}};                  /* meta_graphs */
static const table META_GRAPH = {{{2, STAYS_SMALL}}};                   /* graph_def */
static const table GRAPH = {{{1, STAYS_THIRD}, {2, STAYS_SMALL}}};      /* node, library */
static const table LIBRARY = {{{1, STAYS_THIRD}}};                      /* function */
static const table FUNCTION = {{{3, STAYS_THIRD}}};                     /* node_def */
static const table NODE = {{{5, STAYS_CHUNK}}};                         /* attr */
static const table ATTR_VALUE = {{{1, STAYS_CHUNK}, {8, STAYS_SMALL}}}; /* list, tensor */
static const table ATTR_LIST = {{{8, STAYS_SMALL}}};                    /* tensor */
static const table TENSOR = {{{4, STAYS_SMALL}}};                       /* tensor_content */

static const table ONNX_MODEL = {
    {{7, STAYS_SMALL}, {20, STAYS_SMALL}, {25, STAYS_THIRD}}};             /* graph, training_info, functions */
static const table ONNX_TRAINING = {{{1, STAYS_SMALL}, {2, STAYS_SMALL}}}; /* both graphs */
static const table ONNX_GRAPH = {{{1, STAYS_THIRD}, {5, STAYS_THIRD}, {15, STAYS_THIRD}}}; /* node, initializers */
static const table ONNX_FUNCTION = {{{7, STAYS_THIRD}}};                                   /* node */
static const table ONNX_NODE = {{{5, STAYS_CHUNK}}};                                       /* attribute */
static const table ONNX_ATTRIBUTE = {
    {{5, STAYS_SMALL}, {6, STAYS_SMALL}, {10, STAYS_SMALL}, {11, STAYS_SMALL}}}; /* tensors and graphs */
static const table ONNX_SPARSE = {{{1, STAYS_SMALL}, {2, STAYS_SMALL}}};         /* values, indices */
static const table ONNX_TENSOR = {{{9, STAYS_SMALL}}};                           /* raw_data */

static uint64_t bound(const cpb_split_field *field, stay stays) {
  switch (stays) {
    case STAYS_CHUNK: break;
    case STAYS_THIRD: return field->max_chunk_size / 3;
    case STAYS_SMALL: return field->inline_max;
  }
  return field->max_chunk_size;
}

static void decide(void *user, const cpb_split_field *field, cpb_split_decision *decision) {
  const table *t = user;
  for (size_t i = 0; i < ROWS_MAX && t->rows[i].number != 0; i++) {
    if (t->rows[i].number != field->number) continue;
    uint64_t stays = bound(field, t->rows[i].stays);
    if (field->size < cpb_min_u64(stays, field->inline_max)) {
      decision->action = CPB_SPLIT_KEEP;
    } else if (field->kind == CPB_SPLIT_MESSAGE) {
      decision->action = CPB_SPLIT_ENTER;
      decision->keep = stays;
    } else {
      decision->action = CPB_SPLIT_MOVE;
    }
    return;
  }
}

/* Splitters have a `user` that is not const, though these only read theirs. */
#define TABLE(t) (void *)(uintptr_t)&(t)

const cpb_splitter *cpb_builtin_splitters(size_t *count) {
  static const cpb_splitter splitters[] = {
      {"tensorflow.GraphDef", decide, TABLE(GRAPH)},
      {"tensorflow.NodeDef", decide, TABLE(NODE)},
      {"tensorflow.AttrValue", decide, TABLE(ATTR_VALUE)},
      {"tensorflow.TensorProto", decide, TABLE(TENSOR)},
      {"tensorflow.FunctionDef", decide, TABLE(FUNCTION)},
      {"tensorflow.FunctionDefLibrary", decide, TABLE(LIBRARY)},
      {"tensorflow.AttrValue.ListValue", decide, TABLE(ATTR_LIST)},
      {"tensorflow.MetaGraphDef", decide, TABLE(META_GRAPH)},
      {"tensorflow.SavedModel", decide, TABLE(SAVED_MODEL)},
      {"onnx.ModelProto", decide, TABLE(ONNX_MODEL)},
      {"onnx.TrainingInfoProto", decide, TABLE(ONNX_TRAINING)},
      {"onnx.GraphProto", decide, TABLE(ONNX_GRAPH)},
      {"onnx.FunctionProto", decide, TABLE(ONNX_FUNCTION)},
      {"onnx.NodeProto", decide, TABLE(ONNX_NODE)},
      {"onnx.AttributeProto", decide, TABLE(ONNX_ATTRIBUTE)},
      {"onnx.SparseTensorProto", decide, TABLE(ONNX_SPARSE)},
      {"onnx.TensorProto", decide, TABLE(ONNX_TENSOR)},
  };
  *count = sizeof splitters / sizeof splitters[0];
  return splitters;
}
