/* A SavedModel cut down to some of its objects: decides what stays, and why.
 *
 * The requested objects stay complete, with everything that they reach along references, and everything needed to load
 * or call these. Objects from which one of these can be reached also stay, but as plain objects with only their
 * references to objects that stay. So every path to an object stays valid: paths, the checkpoint's keys and Keras's. */
#ifndef CPB_MODEL_TENSORFLOW_CUT_CUT_H
#define CPB_MODEL_TENSORFLOW_CUT_CUT_H

#include "model/common/part.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/state.h"

typedef enum cpb_stay {
  CPB_CUT_OFF,
  CPB_AROUND,
  CPB_NEEDED, /* complete, as are the following */
  CPB_REACHED,
  CPB_ASKED
} cpb_stay;

typedef struct cpb_cut {
  cpb_saved_model *model;
  uint8_t *objects;     /* cpb_stay of each */
  uint32_t *numbers;    /* the new number of each */
  uint32_t num_objects; /* that stay */
  uint8_t *functions;   /* by the numbers of their graphs: whether it stays */
  uint8_t *concrete;    /* SavedConcreteFunctions */
  uint8_t *nodes;       /* of the graph */
  uint32_t *assets;     /* asset_file_def: the new number of each, plus one; 0: removed */
  size_t num_assets;
  bool session; /* a signature stays, and with it the parts that a session runs */

  uint32_t *queue; /* objects, then functions, that stay and were not yet examined */
  size_t queued, looked_at;
  uint32_t *waiting;
  size_t num_waiting;
  cpb_names gradients;  /* by registered_op_type; what: a function */
  cpb_names signatures; /* what the root has under `signatures`; what: an object */
  cpb_nodes graph;
} cpb_cut;

/* Decides what stays for the paths, one per line. False with the model's error set; free `cut` in any case. */
bool cpb_cut_decide(cpb_cut *cut, cpb_saved_model *model, cpb_span paths);
void cpb_cut_free(cpb_cut *cut);

static inline bool cpb_cut_is_whole(const cpb_cut *cut, uint64_t object) {
  return object < cut->model->objects.count && cut->objects[object] >= CPB_NEEDED;
}

/* Whether the signature with this name, or the one that initializes for a session, stays. */
bool cpb_cut_has_signature(const cpb_cut *cut, cpb_span key);
/* Whether such a collection is one that a session runs. */
bool cpb_cut_is_initializer(cpb_span key);

/* --- write ------------------------------------------------------------------------------------ */

/* The messages of a SavedModel that is cut down. */

/* The SavedModel, which then has one meta graph; and the rest of keras_metadata.pb. */
void cpb_cut_write(const cpb_cut *cut, cpb_pieces *out);
void cpb_cut_write_keras(const cpb_cut *cut, cpb_span metadata, cpb_pieces *out);

#endif
