/* The meta graphs of a SavedModel, or a single MetaGraphDef, as in TensorFlow 1's .meta files. */
#ifndef CPB_MODEL_TENSORFLOW_META_GRAPHS_H
#define CPB_MODEL_TENSORFLOW_META_GRAPHS_H

#include "cpb/model.h"
#include "model/common/cursor.h"
#include "model/tensorflow/fields.h"

typedef struct cpb_meta_graphs {
  cpb_cursor cursor;
  cpb_span alone; /* `data` is NULL for the meta graphs of a SavedModel, and behind the only one */
} cpb_meta_graphs;

static inline cpb_meta_graphs cpb_meta_graphs_of(cpb_span message, bool is_alone) {
  return (cpb_meta_graphs){cpb_cursor_of(is_alone ? (cpb_span){message.data, 0} : message),
                           is_alone ? message : (cpb_span){NULL, 0}};
}

static inline bool cpb_meta_graphs_next(cpb_meta_graphs *m, cpb_span *meta) {
  if (m->alone.data) {
    *meta = m->alone;
    m->alone = (cpb_span){NULL, 0};
    return true;
  }
  if (!cpb_cursor_find(&m->cursor, SAVED_MODEL_META_GRAPHS, CPB_WIRE_LEN)) return false;
  *meta = m->cursor.bytes;
  return true;
}

#endif
