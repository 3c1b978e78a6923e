#include "model/common/answer.h"
#include "model/coreml/fields.h"
#include "model/coreml/model.h"

/* --- Texts --------------------------------------------------------------------------------- */

/* Writes null if it is empty; long texts are not read. */
static void write_text(cpb_viewed *m, const char *key, cpb_span text) {
  if (cpb_part_omits(m->view.part, text)) cpb_write_omitted(m->answer, key, m->view.part, text);
  else if (text.size > 0) cpb_json_writer_span(m->answer, key, text);
  else cpb_json_writer_null(m->answer, key);
}

static void write_metadata(cpb_viewed *m, cpb_span metadata) {
  cpb_json_writer *a = m->answer;
  cpb_page page = cpb_viewed_page(m, "metadata");
  cpb_cursor c = cpb_cursor_of(metadata);
  while (cpb_cursor_find(&c, METADATA_USER, CPB_WIRE_LEN)) {
    if (!cpb_page_has(&page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "key", cpb_get_bytes(c.bytes, MAP_KEY));
    write_text(m, "value", cpb_get_bytes(c.bytes, MAP_VALUE));
    cpb_json_writer_close(a, '}');
  }
  cpb_page_close(a, &page);
}

/* --- The description ------------------------------------------------------------------------- */

/* The description is what a program's user sees, and is written as it is. Only a missing shape is taken from the
 * program itself. */

/* The type of the program's result with this name, or NULL data. */
static cpb_span made_type(cpb_viewed *m, cpb_span name) {
  cpb_view_node node;
  cpb_view_value value;
  cpb_view_nodes nodes = cpb_view_nodes_of(&m->view, 0);
  while (nodes.graph->form == CPB_COREML_BLOCK && cpb_view_nodes_next(&nodes, &node)) {
    cpb_view_values outputs = m->view.kind->values(&m->view, nodes.graph, &node, true);
    while (cpb_view_values_next(&outputs, &value))
      if (cpb_span_equal(value.name, name)) return value.type;
  }
  return (cpb_span){NULL, 0};
}

/* If the description does not give a shape, the program may. Searching the program is a separate walk. */
static void write_feature(cpb_viewed *m, cpb_span feature) {
  const cpb_span type = cpb_get_bytes(feature, FEATURE_TYPE);
  const bool is_open = !cpb_coreml_has_shape(type);
  if (is_open && !cpb_json_writer_charge(m->answer, CPB_WORK_WALKED, m->view.graphs.items[0].message.size)) return;
  const cpb_span made = is_open ? made_type(m, cpb_get_bytes(feature, FEATURE_NAME)) : (cpb_span){NULL, 0};
  cpb_coreml_write_feature(m->answer, feature, made);
}

static void write_features(cpb_viewed *m, const char *key, cpb_span message, uint32_t number) {
  cpb_page page = cpb_viewed_page(m, key);
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN))
    if (cpb_page_has(&page)) write_feature(m, c.bytes);
  cpb_page_close(m->answer, &page);
}

/* A model of several functions describes each; this returns the description of the default one. */
static cpb_span description_of(const cpb_viewed *m, cpb_span description) {
  cpb_cursor c = cpb_cursor_of(description);
  while (cpb_cursor_find(&c, DESCRIPTION_FUNCTION, CPB_WIRE_LEN))
    if (cpb_span_equal(cpb_get_bytes(c.bytes, OF_FUNCTION_NAME), m->view.graphs.items[0].name)) return c.bytes;
  return (cpb_span){NULL, 0};
}

static void write_interface(cpb_viewed *m, cpb_span description) {
  const cpb_span own = description_of(m, description);
  if (own.data) {
    write_features(m, "inputs", own, OF_FUNCTION_INPUT);
    write_features(m, "outputs", own, OF_FUNCTION_OUTPUT);
    write_features(m, "states", own, OF_FUNCTION_STATE);
  } else {
    write_features(m, "inputs", description, DESCRIPTION_INPUT);
    write_features(m, "outputs", description, DESCRIPTION_OUTPUT);
    write_features(m, "states", description, DESCRIPTION_STATE);
  }
  write_features(m, "training_inputs", description, DESCRIPTION_TRAINING_INPUT);
  write_text(m, "predicted_feature", cpb_get_bytes(description, DESCRIPTION_PREDICTED));
  write_text(m, "predicted_probabilities", cpb_get_bytes(description, DESCRIPTION_PROBABILITIES));
}

static void write_identity(cpb_viewed *m, cpb_span metadata) {
  char spare[CPB_COREML_SPARE];
  cpb_span content, model = m->view.part->message;
  cpb_json_writer *a = m->answer;
  const uint32_t type = cpb_coreml_type_of(model, &content);
  cpb_json_writer_text(a, "kind", "coreml");
  cpb_json_writer_exact(a, "specification_version", (int64_t)cpb_get_number(model, MODEL_VERSION));
  if (type > 0) cpb_json_writer_span(a, "type", cpb_coreml_type_name(type, spare));
  else cpb_json_writer_null(a, "type");
  cpb_json_writer_bool(a, "updatable", cpb_get_number(model, MODEL_UPDATABLE) != 0);
  write_text(m, "author", cpb_get_bytes(metadata, METADATA_AUTHOR));
  write_text(m, "license", cpb_get_bytes(metadata, METADATA_LICENSE));
  write_text(m, "version", cpb_get_bytes(metadata, METADATA_VERSION));
  write_text(m, "doc", cpb_get_bytes(metadata, METADATA_TEXT));
}

/* --- The graph --------------------------------------------------------------------------------- */

/* Describes the default function of a program; of a classifier also the number of classes. */
static void write_graph(cpb_viewed *m) {
  cpb_json_writer *a = m->answer;
  const cpb_view_graph *g = &m->view.graphs.items[0];
  if (g->function.data) {
    cpb_json_writer_span(a, "function", g->name);
    write_text(m, "opset", cpb_get_bytes(g->function, FUNCTION_OPSET));
  }
  if (g->form != CPB_COREML_NETWORK) return;
  cpb_span labels = cpb_get_bytes(g->message, NETWORK_TEXT_LABELS);
  uint64_t count = cpb_count_bytes(labels, LABELS), ignored;
  cpb_varints numbers = cpb_varints_of(cpb_get_bytes(g->message, NETWORK_NUMBER_LABELS), LABELS);
  while (cpb_varints_next(&numbers, &ignored)) count++;
  if (count > 0) cpb_json_writer_unsigned(a, "classes", count);
}

static void write_attributes(cpb_viewed *m) {
  cpb_page page = cpb_viewed_page(m, "attributes");
  cpb_coreml_write_model_settings(m->answer, m->view.part, m->view.part->message, &page);
  cpb_page_close(m->answer, &page);
}

void cpb_coreml_overview(cpb_viewed *m) {
  const cpb_span description = cpb_get_bytes(m->view.part->message, MODEL_DESCRIPTION);
  const cpb_span metadata = cpb_get_bytes(description, DESCRIPTION_METADATA);
  write_identity(m, metadata);
  write_graph(m);
  write_interface(m, description);
  cpb_viewed_write_counts(m);
  cpb_viewed_write_parameters(m);
  cpb_viewed_write_files(m);
  write_attributes(m);
  write_metadata(m, metadata);
}
