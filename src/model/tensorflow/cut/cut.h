/* A SavedModel cut down to some of its objects: what stays, and the messages that say so.
 *
 * Whole are the objects that are asked for, all that they reach along references, and
 * what these need to be loaded or called. Around them are the objects from which one of
 * them can be reached: they stay as plain objects, without what they are, with their
 * references to what stays. So whatever path led to an object still does: paths, the
 * checkpoint's keys and Keras's. */
#ifndef CPB_MODEL_TENSORFLOW_CUT_CUT_H
#define CPB_MODEL_TENSORFLOW_CUT_CUT_H

#include "model/tensorflow/nodes.h"
#include "model/tensorflow/state.h"

typedef enum cpb_stay {
  CPB_CUT_OFF,
  CPB_AROUND,
  CPB_NEEDED, /* whole, as are those below */
  CPB_REACHED,
  CPB_ASKED
} cpb_stay;

typedef struct cpb_cut {
  cpb_saved_model *model;
  uint8_t *objects;     /* cpb_stay of each */
  uint32_t *numbers;    /* what each is called then */
  uint32_t num_objects; /* that stay */
  uint8_t *functions;   /* by the numbers of their graphs: whether it stays */
  uint8_t *concrete;    /* SavedConcreteFunctions */
  uint8_t *nodes;       /* of the graph */
  uint32_t *assets;     /* asset_file_def: what each is called then, and one; 0: it goes */
  size_t num_assets;
  bool session; /* a signature stays, and with it what a session runs */

  uint32_t *queue; /* objects, then functions, that stay and were not looked at */
  size_t queued, looked_at;
  uint32_t *waiting;
  size_t num_waiting;
  cpb_names gradients;  /* by registered_op_type; what: a function */
  cpb_names signatures; /* what the root has under `signatures`; what: an object */
  cpb_nodes graph;
} cpb_cut;

/* Decides what stays for the paths, one a line. False with the model's error set; to be
 * freed in any case. */
bool cpb_cut_decide(cpb_cut *cut, cpb_saved_model *model, cpb_span paths);
void cpb_cut_free(cpb_cut *cut);

static inline bool cpb_cut_is_whole(const cpb_cut *cut, uint64_t object) {
  return object < cut->model->objects.count && cut->objects[object] >= CPB_NEEDED;
}

/* Whether the signature of that name, or what initializes for a session, stays. */
bool cpb_cut_has_signature(const cpb_cut *cut, cpb_span key);
/* Whether such a collection is one that a session runs. */
bool cpb_cut_is_initializer(cpb_span key);

#endif
