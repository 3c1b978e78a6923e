/* The overview, from the skeleton alone: a few small reads. */
#include "model/tensorflow/ask/questions.h"

#include "base/checked.h"
#include "model/common/answer.h"
#include "model/common/tensor/tensor.h"
#include "model/keras/keras.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/keras.h"
#include "model/tensorflow/state.h"
#include "model/tensorflow/variables.h"
#include "model/tensorflow/weights.h"

/* --- A graph that stands alone ----------------------------------------------------------------- */

void cpb_write_versions(cpb_json_writer *a, const char *key, cpb_span versions) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_unsigned(a, "producer", cpb_get_number(versions, VERSIONS_PRODUCER));
  cpb_json_writer_unsigned(a, "min_consumer", cpb_get_number(versions, VERSIONS_MIN_CONSUMER));
  cpb_json_writer_close(a, '}');
}

/* Writes the fed tensors: name, dtype and shape. */
static void write_fed(cpb_saved_model *m, const cpb_nodes *nodes) {
  cpb_page page = cpb_viewed_page(&m->viewed, "inputs");
  for (size_t i = 0; i < nodes->count; i++) {
    cpb_span node = nodes->items[i];
    if (!cpb_node_is_placeholder(node) || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", cpb_get_bytes(node, NODE_NAME));
    cpb_write_dtype(m->viewed.answer, "dtype", cpb_get_number(cpb_node_attr(node, "dtype"), ATTR_TYPE));
    cpb_write_shape(m->viewed.answer, "shape", cpb_get_bytes(cpb_node_attr(node, "shape"), ATTR_SHAPE));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
}

static void mark_used(const cpb_nodes *nodes, cpb_span node, uint8_t *used) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    uint32_t i = cpb_names_find(&nodes->names, cpb_node_of_input(c.bytes, &control));
    if (i != CPB_NO_NAME) used[i] = 1;
  }
}

/* Writes nodes that no other node uses. */
static void write_outputs(cpb_saved_model *m, const cpb_nodes *nodes) {
  uint8_t *used = cpb_alloc_zeroed(&m->viewed.allocator, nodes->count);
  if (!used) {
    cpb_viewed_fail_memory(&m->viewed);
    return;
  }
  for (size_t i = 0; i < nodes->count; i++) mark_used(nodes, nodes->items[i], used);
  cpb_page page = cpb_viewed_page(&m->viewed, "outputs");
  for (size_t i = 0; i < nodes->count; i++) {
    cpb_span node = nodes->items[i], op = cpb_get_bytes(node, NODE_OP);
    if (used[i] || cpb_node_is_placeholder(node) || cpb_span_is(op, "Const") || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", cpb_get_bytes(node, NODE_NAME));
    cpb_json_writer_span(m->viewed.answer, "op", op);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
  cpb_release(&m->viewed.allocator, used);
}

/* Writes the fed tensors of the graph, which has been read, as a page "inputs". */
static void write_placeholders(cpb_saved_model *m) {
  cpb_nodes nodes;
  if (cpb_nodes_build(&nodes, &m->graph)) write_fed(m, &nodes);
  else cpb_viewed_fail_memory(&m->viewed);
  cpb_nodes_free(&nodes);
}

/* The parameters of a large graph that has not been read are unknown. */
static cpb_parameters parameters_of(cpb_saved_model *m, const cpb_variable_list *l) {
  if (!m->is_frozen) return cpb_variable_list_parameters(l);
  return m->has_graph ? cpb_viewed_parameters(&m->viewed) : (cpb_parameters){.partial = true};
}

static void write_parameters(cpb_saved_model *m, const cpb_variable_list *l) {
  const cpb_parameters p = parameters_of(m, l);
  cpb_parameters_write(&p, m->viewed.answer);
}

void cpb_ask_graph_overview(cpb_saved_model *m) {
  cpb_nodes nodes;
  cpb_variable_list list = {.allocator = m->viewed.allocator};
  cpb_json_writer_text(m->viewed.answer, "kind", "graph_def");
  cpb_write_versions(m->viewed.answer, "versions", cpb_get_bytes(m->graph.message, GRAPH_VERSIONS));
  cpb_json_writer_unsigned(m->viewed.answer, "nodes", m->graph.graphs->items[0].nodes);
  cpb_json_writer_unsigned(m->viewed.answer, "functions", cpb_graph_num_functions(&m->graph));
  if (cpb_variable_list_build(&list, m)) write_parameters(m, &list);
  cpb_variable_list_free(&list);
  if (cpb_nodes_build(&nodes, &m->graph)) {
    write_fed(m, &nodes);
    write_outputs(m, &nodes);
  } else {
    cpb_viewed_fail_memory(&m->viewed);
  }
  cpb_nodes_free(&nodes);
}

/* --- Meta graphs ------------------------------------------------------------------- */

static void write_text_field(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  cpb_span text = cpb_get_bytes(message, number);
  if (text.data) cpb_json_writer_span(a, key, text);
}

/* Counts the keys. An entry may occur more than once; the last counts. */
static void count_signatures(cpb_saved_model *m, cpb_span meta) {
  cpb_entries signatures;
  if (!cpb_saved_entries(m, meta, META_GRAPH_SIGNATURE, &signatures)) return;
  cpb_json_writer_unsigned(m->viewed.answer, "signatures", signatures.count);
  cpb_entries_free(&signatures);
}

static void write_meta_graph(cpb_saved_model *m, cpb_span meta, uint64_t number) {
  cpb_json_writer *a = m->viewed.answer;
  const cpb_span info = cpb_get_bytes(meta, META_GRAPH_INFO), graph = cpb_get_bytes(meta, META_GRAPH_GRAPH);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "number", number);
  cpb_write_strings(a, "tags", info, META_INFO_TAGS);
  write_text_field(a, "tensorflow_version", info, META_INFO_VERSION);
  write_text_field(a, "tensorflow_git_version", info, META_INFO_GIT_VERSION);
  cpb_json_writer_bool(a, "stripped_default_attributes", cpb_get_number(info, META_INFO_STRIPPED_DEFAULTS) != 0);
  count_signatures(m, meta);
  if (graph.data) cpb_write_range(a, "graph", cpb_part_where(&m->skeleton, graph));
  cpb_json_writer_close(a, '}');
}

/* Meta graphs after the page are not walked: a caller may ask each for its own overview. */
static void write_meta_graphs(cpb_saved_model *m) {
  const cpb_question *q = &m->viewed.question;
  cpb_page page = cpb_viewed_page(&m->viewed, "meta_graphs");
  cpb_span meta;
  cpb_meta_graphs all = cpb_meta_graphs_of(m->skeleton.message, m->is_alone);
  const uint64_t end =
      q->first < m->num_meta_graphs ? q->first + cpb_min_u64(q->count, m->num_meta_graphs - q->first) : 0;
  while (page.total < end && cpb_meta_graphs_next(&all, &meta))
    if (cpb_page_has(&page)) write_meta_graph(m, meta, page.total - 1);
  page.total = m->num_meta_graphs;
  cpb_page_close(m->viewed.answer, &page);
}

/* --- Signatures, assets, what initializes ------------------------------------------- */

static void write_signatures(cpb_saved_model *m) {
  cpb_entries signatures;
  if (!cpb_saved_entries(m, m->meta, META_GRAPH_SIGNATURE, &signatures)) return;
  cpb_page page = cpb_viewed_page(&m->viewed, "signatures");
  for (size_t i = 0; i < signatures.count; i++) {
    if (!cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "key", signatures.items[i].key);
    cpb_write_signature(m, signatures.items[i].value);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
  cpb_entries_free(&signatures);
}

static void write_asset(cpb_saved_model *m, cpb_page *page, cpb_span asset) {
  if (!cpb_page_has(page)) return;
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_json_writer_span(m->viewed.answer, "file", cpb_get_bytes(asset, ASSET_FILENAME));
  cpb_json_writer_span(m->viewed.answer, "tensor", cpb_get_bytes(cpb_get_bytes(asset, ASSET_TENSOR), TENSOR_INFO_NAME));
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* TensorFlow 1 stores them in a collection, each in an Any. */
static void write_assets(cpb_saved_model *m) {
  cpb_page page = cpb_viewed_page(&m->viewed, "assets");
  cpb_cursor c = cpb_cursor_of(m->meta);
  while (cpb_cursor_find(&c, META_GRAPH_ASSET, CPB_WIRE_LEN)) write_asset(m, &page, c.bytes);
  c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "saved_model_assets"), COLLECTION_ANY));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) write_asset(m, &page, cpb_get_bytes(c.bytes, ANY_VALUE));
  cpb_page_close(m->viewed.answer, &page);
}

static void write_initializer(cpb_saved_model *m, const char *from, const char *key, cpb_span operation) {
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_json_writer_text(m->viewed.answer, from, key);
  cpb_json_writer_span(m->viewed.answer, "operation", operation);
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* Writes the operation that a loader runs: TensorFlow 2 names it in a signature, TensorFlow 1 in a collection. */
static void write_initializers(cpb_saved_model *m) {
  static const char *const signatures[] = {"__saved_model_init_op", "__saved_model_train_op"};
  static const char *const collections[] = {"saved_model_main_op", "legacy_init_op", "saved_model_train_op"};
  cpb_json_writer_open(m->viewed.answer, "initializers", '[');
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
    cpb_span key = cpb_span_of(signatures[i]), entry = cpb_get_entry(m->meta, META_GRAPH_SIGNATURE, key);
    cpb_span output = cpb_get_entry(cpb_get_bytes(entry, MAP_VALUE), SIGNATURE_OUTPUTS, key);
    if (!output.data) continue;
    write_initializer(m, "signature", signatures[i], cpb_get_bytes(cpb_get_bytes(output, MAP_VALUE), TENSOR_INFO_NAME));
  }
  for (size_t i = 0; i < sizeof collections / sizeof *collections; i++) {
    cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, collections[i]), COLLECTION_NODES));
    while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) write_initializer(m, "collection", collections[i], c.bytes);
  }
  cpb_json_writer_close(m->viewed.answer, ']');
}

static void write_saver(cpb_saved_model *m) {
  static const char *const versions[] = {"legacy", "v1", "v2"};
  cpb_json_writer *a = m->viewed.answer;
  cpb_span saver = cpb_get_bytes(m->meta, META_GRAPH_SAVER);
  if (!saver.data) return;
  uint64_t version = cpb_get_number(saver, SAVER_VERSION);
  cpb_json_writer_open(a, "saver", '{');
  write_text_field(a, "filename_tensor", saver, SAVER_FILENAME);
  write_text_field(a, "save_tensor", saver, SAVER_SAVE);
  write_text_field(a, "restore_operation", saver, SAVER_RESTORE);
  cpb_json_writer_bool(a, "sharded", cpb_get_number(saver, SAVER_SHARDED) != 0);
  cpb_json_writer_text(a, "checkpoints", version < 3 ? versions[version] : "unknown");
  cpb_json_writer_close(a, '}');
}

/* --- Collections ---------------------------------------------------------------------- */

static const struct {
  uint32_t number;
  const char *name;
} collection_kinds[] = {{COLLECTION_NODES, "nodes"},
                        {COLLECTION_BYTES, "bytes"},
                        {COLLECTION_INTS, "integers"},
                        {COLLECTION_FLOATS, "floats"},
                        {COLLECTION_ANY, "messages"}};

static uint64_t count_floats(cpb_saved_model *m, cpb_span list) {
  return cpb_part_where(&m->skeleton, cpb_get_bytes(list, LIST_VALUE)).length / sizeof(float);
}

static void write_collection(cpb_saved_model *m, cpb_span name, cpb_span collection) {
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_json_writer_span(m->viewed.answer, "name", name);
  for (size_t i = 0; i < sizeof collection_kinds / sizeof *collection_kinds; i++) {
    uint32_t number = collection_kinds[i].number;
    cpb_span list = cpb_get_bytes(collection, number);
    if (!list.data) continue;
    uint64_t count = cpb_count_bytes(list, LIST_VALUE);
    if (number == COLLECTION_INTS) count = cpb_count_varints(list, LIST_VALUE);
    if (number == COLLECTION_FLOATS) count = count_floats(m, list);
    cpb_json_writer_text(m->viewed.answer, "kind", collection_kinds[i].name);
    cpb_json_writer_unsigned(m->viewed.answer, "count", count);
    cpb_json_writer_close(m->viewed.answer, '}');
    return;
  }
  cpb_json_writer_null(m->viewed.answer, "kind");
  cpb_json_writer_unsigned(m->viewed.answer, "count", 0);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_collections(cpb_saved_model *m) {
  cpb_entries collections;
  if (!cpb_saved_entries(m, m->meta, META_GRAPH_COLLECTION, &collections)) return;
  cpb_page page = cpb_viewed_page(&m->viewed, "collections");
  for (size_t i = 0; i < collections.count; i++)
    if (cpb_page_has(&page)) write_collection(m, collections.items[i].key, collections.items[i].value);
  cpb_page_close(m->viewed.answer, &page);
  cpb_entries_free(&collections);
}

/* --- Operations ------------------------------------------------------------------------- */

/* Lists the operations that the graph uses according to the exporter (stripped_op_list), and those of them that
 * TensorFlow lacks. An overview does not read the graph itself. */
static void write_ops(cpb_saved_model *m) {
  cpb_span ops = cpb_get_bytes(cpb_get_bytes(m->meta, META_GRAPH_INFO), META_INFO_OPS);
  cpb_json_writer_open(m->viewed.answer, "ops", '{');
  cpb_json_writer_text(m->viewed.answer, "source", "exporter");
  cpb_json_writer_unsigned(m->viewed.answer, "total", cpb_count_bytes(ops, LIST_VALUE));
  cpb_json_writer_open(m->viewed.answer, "custom", '[');
  cpb_cursor c = cpb_cursor_of(ops);
  uint64_t shown = 0;
  while (shown < m->viewed.question.count && cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    cpb_span name = cpb_get_bytes(c.bytes, OP_NAME);
    if (cpb_is_tensorflow_op(name)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "op", name);
    cpb_json_writer_close(m->viewed.answer, '}');
    shown++;
  }
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* --- Objects ------------------------------------------------------------------------------ */

typedef struct counts {
  uint64_t kinds[OBJECT_CAPTURED + 1];
  uint64_t keras, unreachable;
} counts;

static void count_objects(const cpb_objects *o, counts *n) {
  memset(n, 0, sizeof *n);
  for (size_t i = 0; i < o->count; i++) {
    const cpb_object *object = &o->items[i];
    n->kinds[object->kind]++;
    if (o->links[i].parent == CPB_NO_PARENT) n->unreachable++;
    if (object->kind == OBJECT_USER &&
        cpb_span_begins(cpb_get_bytes(object->value, USER_IDENTIFIER), cpb_span_of("_tf_keras_")))
      n->keras++;
  }
}

static void write_counts(cpb_saved_model *m, const counts *n) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_json_writer_open(a, "objects", '{');
  cpb_json_writer_unsigned(a, "total", m->objects.count);
  cpb_json_writer_unsigned(a, "unreachable", n->unreachable);
  cpb_json_writer_open(a, "kinds", '{');
  for (uint32_t kind = 0; kind <= OBJECT_CAPTURED; kind++)
    if (n->kinds[kind] > 0) cpb_json_writer_unsigned(a, cpb_object_kind_name(kind), n->kinds[kind]);
  cpb_json_writer_close(a, '}');
  cpb_json_writer_close(a, '}');
}

static void write_variables(cpb_saved_model *m, const cpb_variable_list *l) {
  cpb_json_writer_open(m->viewed.answer, "variables", '{');
  cpb_write_variable_counts(m, l);
  cpb_write_stored_summary(m);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_summary(cpb_saved_model *m, cpb_keras *keras, void *user) {
  (void)user;
  cpb_keras_summary(keras, m->viewed.answer, m->viewed.error);
}

static void write_keras(cpb_saved_model *m, const counts *n) {
  const cpb_object *root = m->objects.items;
  if (n->keras == 0 || root->kind != OBJECT_USER) {
    cpb_json_writer_null(m->viewed.answer, "keras");
    return;
  }
  cpb_json_writer_open(m->viewed.answer, "keras", '{');
  cpb_json_writer_span(m->viewed.answer, "identifier", cpb_get_bytes(root->value, USER_IDENTIFIER));
  cpb_json_writer_unsigned(m->viewed.answer, "objects", n->keras);
  cpb_saved_use_keras_too(m, write_summary, NULL);
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* The variables of TensorFlow 1. */
static void write_variable_collection(cpb_saved_model *m, const cpb_variable_list *l) {
  uint64_t trainable = 0;
  for (size_t i = 0; i < l->count; i++) trainable += l->items[i].trainable;
  cpb_json_writer_open(m->viewed.answer, "variables", '{');
  cpb_json_writer_unsigned(m->viewed.answer, "total", l->count);
  cpb_json_writer_unsigned(m->viewed.answer, "trainable", trainable);
  cpb_write_stored_summary(m);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_objects(cpb_saved_model *m, const cpb_variable_list *l) {
  counts n;
  write_parameters(m, l);
  if (m->objects.count == 0) {
    cpb_json_writer_null(m->viewed.answer, "objects");
    write_variable_collection(m, l);
    cpb_json_writer_null(m->viewed.answer, "keras");
    return;
  }
  count_objects(&m->objects, &n);
  write_counts(m, &n);
  write_variables(m, l);
  cpb_json_writer_unsigned(m->viewed.answer, "concrete_functions", m->objects.num_concrete);
  write_keras(m, &n);
}

/* --- The answer ------------------------------------------------------------------------------ */

bool cpb_overview_shows_placeholders(const cpb_saved_model *m) {
  cpb_cursor c = cpb_cursor_of(m->meta);
  return m->is_alone && !cpb_cursor_find(&c, META_GRAPH_SIGNATURE, CPB_WIRE_LEN);
}

void cpb_ask_overview(cpb_saved_model *m) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_variable_list list = {.allocator = m->viewed.allocator};
  cpb_json_writer_text(a, "kind", m->is_alone ? "meta_graph" : "saved_model");
  if (!m->is_alone) cpb_json_writer_unsigned(a, "schema_version", m->schema_version);
  write_meta_graphs(m);
  cpb_json_writer_unsigned(a, "meta_graph", m->meta_number);
  write_signatures(m);
  if (cpb_overview_shows_placeholders(m) && m->has_graph) write_placeholders(m);
  write_assets(m);
  write_initializers(m);
  write_saver(m);
  write_collections(m);
  write_ops(m);
  if (cpb_saved_link(m) && cpb_variable_list_build(&list, m)) write_objects(m, &list);
  cpb_variable_list_free(&list);
  cpb_write_fingerprint(m);
}
