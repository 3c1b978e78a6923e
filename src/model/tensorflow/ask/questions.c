#include "model/tensorflow/ask/questions.h"

#include "base/status.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/keras.h"
#include "model/tensorflow/state.h"

/* --- questions -------------------------------------------------------------------------------- */

enum {
  SKELETON = 0,
  GRAPH = CPB_SAVED_NEEDS_GRAPH,
  GRAPH_IF_WEIGHTS = CPB_SAVED_TAKES_WEIGHTS,
  KERAS = CPB_SAVED_NEEDS_KERAS,
  KERAS_IF_ANY = CPB_SAVED_TAKES_KERAS,
  LAYERS_IF_ANY = CPB_SAVED_TAKES_LAYERS,
  KERAS_IF_LITTLE = CPB_SAVED_TAKES_LITTLE_KERAS
};

/* The second column says what must be read before the question can be answered. Questions with NULL are answered in
 * the same way for all kinds of models (questions/). */
static const cpb_saved_question of_saved_models[] = {
    {CPB_ASK_OVERVIEW, GRAPH_IF_WEIGHTS | KERAS_IF_LITTLE, cpb_ask_overview},
    {CPB_ASK_SIGNATURE, GRAPH, cpb_ask_signature},
    {CPB_ASK_FUNCTIONS, GRAPH, NULL},
    {CPB_ASK_FUNCTION, GRAPH, NULL},
    {CPB_ASK_NODES, GRAPH, NULL},
    {CPB_ASK_OBJECTS, SKELETON, cpb_ask_objects},
    {CPB_ASK_CONSTANTS, GRAPH, NULL},
    {CPB_ASK_OPS, GRAPH, NULL},
    {CPB_ASK_SEARCH, GRAPH | LAYERS_IF_ANY, cpb_ask_search},
    {CPB_ASK_LAYERS, GRAPH_IF_WEIGHTS | LAYERS_IF_ANY, cpb_ask_layers},
    {CPB_ASK_LOAD, KERAS, cpb_ask_load},
    {CPB_ASK_SCOPES, GRAPH, NULL},
    {CPB_ASK_CUT, GRAPH, cpb_ask_cut},
    {CPB_ASK_CONSUMERS, GRAPH, NULL},
    {CPB_ASK_NODE, GRAPH, NULL},
    {CPB_ASK_UPSTREAM, GRAPH, NULL},
    {CPB_ASK_DOWNSTREAM, GRAPH, NULL},
    {CPB_ASK_VARIABLES, GRAPH_IF_WEIGHTS | KERAS_IF_ANY, cpb_ask_variables},
};
static const cpb_saved_question of_graphs[] = {
    {CPB_ASK_OVERVIEW, GRAPH, cpb_ask_graph_overview},
    {CPB_ASK_FUNCTIONS, GRAPH, NULL},
    {CPB_ASK_FUNCTION, GRAPH, NULL},
    {CPB_ASK_NODES, GRAPH, NULL},
    {CPB_ASK_CONSTANTS, GRAPH, NULL},
    {CPB_ASK_OPS, GRAPH, NULL},
    {CPB_ASK_SEARCH, GRAPH, cpb_ask_search},
    {CPB_ASK_SCOPES, GRAPH, NULL},
    {CPB_ASK_CONSUMERS, GRAPH, NULL},
    {CPB_ASK_LAYERS, GRAPH, cpb_ask_layers},
    {CPB_ASK_NODE, GRAPH, NULL},
    {CPB_ASK_UPSTREAM, GRAPH, NULL},
    {CPB_ASK_DOWNSTREAM, GRAPH, NULL},
};

#define COUNT(list) (sizeof list / sizeof *list)

const cpb_saved_question *cpb_saved_find_question(bool is_graph, cpb_question_kind kind) {
  const cpb_saved_question *list = is_graph ? of_graphs : of_saved_models;
  size_t count = is_graph ? COUNT(of_graphs) : COUNT(of_saved_models);
  for (size_t i = 0; i < count; i++)
    if (list[i].kind == kind) return &list[i];
  return NULL;
}

/* --- fingerprint ------------------------------------------------------------------------------ */

/* fingerprint.pb, which TensorFlow writes next to a SavedModel: hashes of its parts. */

static const char *const hashes[] = {NULL,
                                     "saved_model_checksum",
                                     "graph_def_program_hash",
                                     "signature_def_hash",
                                     "saved_object_graph_hash",
                                     "checkpoint_hash"};

static void note_damage(cpb_saved_model *m, cpb_span message) {
  char otherwise[48], text[192];
  cpb_cursor c = cpb_cursor_of(message);
  const uint8_t *at = c.at;
  while (cpb_cursor_next(&c)) at = c.at;
  if (!c.damaged) return;
  cpb_format(otherwise, sizeof otherwise, " beyond byte %zu", (size_t)(at - message.data));
  cpb_saved_describe_beside("fingerprint.pb", message, otherwise, text, sizeof text);
  cpb_problems_add_damage(&m->viewed.problems, CPB_NO_OFFSET, text);
}

/* As text: most JSON parsers have no integers of 64 bits. */
static void write_hash(cpb_json_writer *a, const char *key, uint64_t value) {
  char text[24];
  cpb_format(text, sizeof text, "%llu", (unsigned long long)value);
  if (value != 0) cpb_json_writer_text(a, key, text);
}

void cpb_write_fingerprint(cpb_saved_model *m) {
  cpb_json_writer *a = m->viewed.answer;
  const cpb_span message = {m->fingerprint.data, m->fingerprint.size};
  if (message.size == 0) return;
  const cpb_span version = cpb_get_bytes(message, FINGERPRINT_VERSION), uuid = cpb_get_bytes(message, FINGERPRINT_UUID);
  cpb_json_writer_open(a, "fingerprint", '{');
  for (uint32_t i = 1; i < sizeof hashes / sizeof *hashes; i++) write_hash(a, hashes[i], cpb_get_number(message, i));
  if (version.data) cpb_write_versions(a, "version", version);
  if (uuid.data) cpb_json_writer_span(a, "uuid", uuid);
  cpb_json_writer_close(a, '}');
  note_damage(m, message);
}

int cpb_saved_set_fingerprint(void *reader, const void *data, size_t size) {
  cpb_saved_model *m = reader;
  m->fingerprint.size = 0;
  return !m->is_graph && !m->is_alone && cpb_buffer_append(&m->fingerprint, data, size);
}
