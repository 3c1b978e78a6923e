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

/* Which fields bytes were lost of. */
static const char *lost_of_model(const cpb_outline *outline, bool is_alone) {
  switch (cpb_outline_lost_in(outline, is_alone ? 0 : 1)) {
    case META_GRAPH_INFO: return "what the model was made with";
    case META_GRAPH_COLLECTION: return "the collections";
    case META_GRAPH_SIGNATURE: return "the signatures";
    case META_GRAPH_ASSET: return "the assets";
    case META_GRAPH_OBJECTS: return "the objects";
    default: return "the model";
  }
}

static const char *lost_of_graph(const cpb_outline *outline) {
  switch (cpb_outline_lost_in(outline, 0)) {
    case GRAPH_NODE: return "the nodes";
    case GRAPH_LIBRARY: return "the functions";
    default: return "the graph";
  }
}

static void note(cpb_problems *problems, const cpb_error *damage, const char *missing) {
  char text[192];
  cpb_format(text, sizeof text, "%s: %s", damage->message, missing);
  cpb_problems_add_damage(problems, damage->offset, text);
}

static void note_lost(cpb_problems *problems, const cpb_part *part, const char *of) {
  char missing[96];
  cpb_format(missing, sizeof missing, "at least %llu bytes of %s are missing", (unsigned long long)part->lost, of);
  note(problems, &part->damage, missing);
}

static const char *missing_of_model(const cpb_part *part, bool is_alone) {
  cpb_span last = is_alone ? part->message : cpb_get_bytes(part->message, SAVED_MODEL_META_GRAPHS);
  return missing_of_meta_graph(last_field(last));
}

static void note_model(cpb_problems *problems, cpb_part *part, bool is_alone) {
  if (part->lost == 0 && !part->missing) part->missing = missing_of_model(part, is_alone);
  if (part->lost > 0) note_lost(problems, part, lost_of_model(part->outline, is_alone));
  else note(problems, &part->damage, part->missing);
}

static void note_graph(cpb_problems *problems, cpb_part *part) {
  if (part->lost == 0 && !part->missing) part->missing = missing_of_graph(last_field(part->message));
  if (part->lost > 0) note_lost(problems, part, lost_of_graph(part->outline));
  else note(problems, &part->damage, part->missing);
}

static bool ends_early(const cpb_part *part) { return part->damage.code == CPB_E_TRUNCATED; }

void cpb_saved_note_damage(cpb_saved_model *m, cpb_problems *problems) {
  cpb_part *model = &m->skeleton, *inner = &m->graph_part;
  bool both_end = ends_early(model) && ends_early(inner);
  if (model->damage.code != CPB_OK) note_model(problems, model, m->is_alone);
  if (inner->read && inner->damage.code != CPB_OK && !both_end) note_graph(problems, inner);
  if (problems->count == 0 && m->damage.code != CPB_OK) note(problems, &m->damage, "a part of the model is missing");
}
