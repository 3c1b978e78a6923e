#include "model/tensorflow/ask/damage.h"

#include "base/status.h"
#include "model/tensorflow/fields.h"

/* The number of the last field that is there, which the end may be in. */
static uint32_t last_field(cpb_span message) {
  uint32_t last = 0;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) last = c.number;
  return last;
}

/* Writers put fields in the order of their numbers: what is missing follows from the last one. */
static const char *missing_of_meta_graph(uint32_t last) {
  switch (last) {
    case 0: return "everything that follows is missing";
    case META_GRAPH_INFO: return "the graph, the signatures and the objects are missing";
    case META_GRAPH_GRAPH: return "the rest of the graph, the signatures and the objects are missing";
    case META_GRAPH_SAVER:
    case META_GRAPH_COLLECTION: return "the signatures and the objects are missing";
    case META_GRAPH_SIGNATURE: return "further signatures and the objects are missing";
    case META_GRAPH_ASSET: return "the objects are missing";
    default: return "the rest of the objects is missing";
  }
}

static const char *missing_of_graph(uint32_t last) {
  switch (last) {
    case 0: return "everything that follows is missing";
    case GRAPH_NODE: return "the rest of the nodes, and the functions, are missing";
    default: return "the rest of the functions is missing";
  }
}

static void note(cpb_problems *problems, const cpb_part *part, const char *missing) {
  char text[192];
  cpb_format(text, sizeof text, "%s: %s", part->damage.message, missing);
  cpb_problems_add_damage(problems, part->damage.offset, text);
}

static bool ends_early(const cpb_part *part) { return part->damage.code == CPB_E_TRUNCATED; }

void cpb_saved_note_damage(const cpb_saved_model *m, bool graph, cpb_problems *problems) {
  const cpb_part *model = &m->skeleton, *inner = &m->graph_part;
  cpb_span last = cpb_get_bytes(model->message, SAVED_MODEL_META_GRAPHS);
  if (model->damage.code != CPB_OK) note(problems, model, missing_of_meta_graph(last_field(last)));
  if (!graph || inner->damage.code == CPB_OK || (ends_early(model) && ends_early(inner))) return;
  note(problems, inner, missing_of_graph(last_field(inner->message)));
}
