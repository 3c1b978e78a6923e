/* Writes the messages of a model that was cut down: each field is copied, left out, or written with new numbers. */
#include "model/tensorflow/cut/cut.h"

#include "model/tensorflow/fields.h"

/* cut.c decided what stays by number, and the numbers are positions. So this walks the same messages in the same
 * order, and counts objects, functions, nodes and assets along: an item that is skipped here but was counted there
 * would shift all the others. Fields that stay as they are become ranges of the original file, since large ones are
 * not in memory. */
typedef struct writer {
  const cpb_cut *cut;
  cpb_pieces *out;
  const cpb_part *part; /* that the message is of */
} writer;

static void copy_field(const writer *w, const cpb_cursor *c) { cpb_pieces_field(w->out, w->part, c); }

/* --- Objects ---------------------------------------------------------------------- */

static bool is_field(const cpb_cursor *c, uint32_t number) { return c->type == CPB_WIRE_LEN && c->number == number; }

/* All that is written refers to what stays, but for a field that counts no more as it
 * comes once again. */
static uint64_t new_number(const cpb_cut *cut, uint64_t object) {
  return object < cut->model->objects.count ? cut->numbers[object] : object;
}

#define ID(number) (1u << (number))

/* The message as field `number`, with the objects' new numbers in the fields of `ids`. */
static void write_renumbered(const writer *w, uint32_t number, cpb_span message, unsigned ids) {
  size_t opened = cpb_pieces_open(w->out);
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    bool id = c.type == CPB_WIRE_VARINT && c.number < 8 && (ids >> c.number & 1);
    if (id) cpb_pieces_number(w->out, c.number, new_number(w->cut, c.value));
    else copy_field(w, &c);
  }
  cpb_pieces_close(w->out, number, opened);
}

static void write_saveable(const writer *w, cpb_span entry) {
  size_t opened = cpb_pieces_open(w->out);
  cpb_pieces_bytes(w->out, MAP_KEY, cpb_get_bytes(entry, MAP_KEY));
  write_renumbered(w, MAP_VALUE, cpb_get_bytes(entry, MAP_VALUE), ID(SAVEABLE_SAVE) | ID(SAVEABLE_RESTORE));
  cpb_pieces_close(w->out, OBJECT_SAVEABLES, opened);
}

static void write_asset_object(const writer *w, cpb_span asset) {
  uint64_t index = cpb_get_number(asset, SAVED_ASSET_INDEX);
  size_t opened = cpb_pieces_open(w->out);
  if (index < w->cut->num_assets) index = w->cut->assets[index] - 1;
  cpb_pieces_number(w->out, SAVED_ASSET_INDEX, index);
  cpb_pieces_close(w->out, OBJECT_ASSET, opened);
}

static void write_whole(const writer *w, cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  while (cpb_cursor_next(&c)) {
    switch (c.type == CPB_WIRE_LEN ? c.number : 0) {
      case OBJECT_CHILDREN:
      case OBJECT_DEPENDENCIES: write_renumbered(w, c.number, c.bytes, ID(REFERENCE_NODE)); break;
      case OBJECT_SLOTS: write_renumbered(w, c.number, c.bytes, ID(SLOT_ORIGINAL) | ID(SLOT_VARIABLE)); break;
      case OBJECT_SAVEABLES: write_saveable(w, c.bytes); break;
      case OBJECT_ASSET: write_asset_object(w, c.bytes); break;
      default: copy_field(w, &c); break;
    }
  }
}

static void write_plain_object(const writer *w) {
  size_t user = cpb_pieces_open(w->out);
  cpb_pieces_bytes(w->out, USER_IDENTIFIER, cpb_span_of("_generic_user_object"));
  size_t version = cpb_pieces_open(w->out);
  cpb_pieces_number(w->out, VERSIONS_PRODUCER, 1);
  cpb_pieces_number(w->out, VERSIONS_MIN_CONSUMER, 1);
  cpb_pieces_close(w->out, USER_VERSION, version);
  cpb_pieces_close(w->out, OBJECT_USER, user);
}

/* Lists, dicts and the map of signatures hold what they hold, and are of use with less. */
static bool is_collection(cpb_span user) {
  static const char *const names[] = {"signature_map", "trackable_list_wrapper", "trackable_dict_wrapper", NULL};
  return cpb_span_is_one_of(cpb_get_bytes(user, USER_IDENTIFIER), names);
}

static void write_around(const writer *w, cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN)) {
    uint64_t child = cpb_get_number(c.bytes, REFERENCE_NODE);
    bool stays = child < w->cut->model->objects.count && w->cut->objects[child] != CPB_CUT_OFF;
    if (stays) write_renumbered(w, OBJECT_CHILDREN, c.bytes, ID(REFERENCE_NODE));
  }
  cpb_span user = cpb_get_bytes(object, OBJECT_USER);
  if (is_collection(user)) cpb_pieces_copy(w->out, OBJECT_USER, cpb_part_where(w->part, user));
  else write_plain_object(w);
}

static void write_object(const writer *w, cpb_span object, size_t i) {
  uint8_t stay = w->cut->objects[i];
  if (stay == CPB_CUT_OFF) return;
  size_t opened = cpb_pieces_open(w->out);
  if (stay == CPB_AROUND) write_around(w, object);
  else write_whole(w, object);
  cpb_pieces_close(w->out, OBJECTS_NODES, opened);
}

static void write_bound_inputs(const writer *w, cpb_span function) {
  uint64_t node;
  if (cpb_count_varints(function, CONCRETE_BOUND_INPUTS) == 0) return;
  size_t opened = cpb_pieces_open(w->out);
  cpb_varints bound = cpb_varints_of(function, CONCRETE_BOUND_INPUTS);
  while (cpb_varints_next(&bound, &node)) cpb_pieces_varint(w->out, new_number(w->cut, node));
  cpb_pieces_close(w->out, CONCRETE_BOUND_INPUTS, opened);
}

static void write_concrete(const writer *w, cpb_span entry) {
  size_t opened = cpb_pieces_open(w->out);
  cpb_pieces_bytes(w->out, MAP_KEY, cpb_get_bytes(entry, MAP_KEY));
  size_t value = cpb_pieces_open(w->out);
  cpb_span function = cpb_get_bytes(entry, MAP_VALUE);
  write_bound_inputs(w, function);
  cpb_cursor c = cpb_cursor_of(function);
  while (cpb_cursor_next(&c))
    if (c.number != CONCRETE_BOUND_INPUTS) copy_field(w, &c);
  cpb_pieces_close(w->out, MAP_VALUE, value);
  cpb_pieces_close(w->out, OBJECTS_FUNCTIONS, opened);
}

/* Which SavedConcreteFunction stays is known by its name. */
static bool has_concrete(const cpb_cut *cut, cpb_span entry) {
  uint32_t i = cpb_names_find(&cut->model->objects.functions, cpb_get_bytes(entry, MAP_KEY));
  return i != CPB_NO_NAME && cut->concrete[i];
}

static void write_objects(const writer *w, cpb_span graph, size_t *object) {
  size_t opened = cpb_pieces_open(w->out);
  cpb_cursor c = cpb_cursor_of(graph);
  while (cpb_cursor_next(&c))
    if (is_field(&c, OBJECTS_NODES)) write_object(w, c.bytes, (*object)++);
    else if (!is_field(&c, OBJECTS_FUNCTIONS)) copy_field(w, &c);
    else if (has_concrete(w->cut, c.bytes)) write_concrete(w, c.bytes);
  cpb_pieces_close(w->out, META_GRAPH_OBJECTS, opened);
}

/* --- The graph ----------------------------------------------------------------------- */

static bool has_function(const cpb_cut *cut, cpb_span name) {
  uint32_t f = cpb_graph_find(&cut->model->graph, name);
  return f != CPB_NO_NAME && cut->functions[f];
}

static bool stays_in_library(const cpb_cut *cut, const cpb_cursor *c, size_t *function) {
  if (is_field(c, LIBRARY_FUNCTION)) return cut->functions[(*function)++];
  if (is_field(c, LIBRARY_GRADIENT)) return has_function(cut, cpb_get_bytes(c->bytes, GRADIENT_FUNCTION));
  return !is_field(c, LIBRARY_REGISTERED) || has_function(cut, cpb_get_bytes(c->bytes, REGISTERED_FUNCTION));
}

static void write_library(const writer *w, cpb_span library, size_t *function) {
  size_t opened = cpb_pieces_open(w->out);
  cpb_cursor c = cpb_cursor_of(library);
  while (cpb_cursor_next(&c))
    if (stays_in_library(w->cut, &c, function)) copy_field(w, &c);
  cpb_pieces_close(w->out, GRAPH_LIBRARY, opened);
}

static void write_graph(const cpb_cut *cut, cpb_pieces *out) {
  const writer w = {cut, out, &cut->model->graph_part};
  size_t node = 0, function = 1, opened = cpb_pieces_open(out);
  cpb_cursor c = cpb_cursor_of(cut->model->graph.message);
  while (cpb_cursor_next(&c))
    if (is_field(&c, GRAPH_LIBRARY)) write_library(&w, c.bytes, &function);
    else if (!is_field(&c, GRAPH_NODE) || cut->nodes[node++]) copy_field(&w, &c);
  cpb_pieces_close(out, META_GRAPH_GRAPH, opened);
}

/* --- The meta graph --------------------------------------------------------------------- */

/* Other names of functions go with these. */
static void write_info(const writer *w, cpb_span info) {
  size_t opened = cpb_pieces_open(w->out);
  cpb_cursor c = cpb_cursor_of(info);
  while (cpb_cursor_next(&c))
    if (!is_field(&c, META_INFO_ALIASES) || has_function(w->cut, cpb_get_bytes(c.bytes, MAP_KEY))) copy_field(w, &c);
  cpb_pieces_close(w->out, META_GRAPH_INFO, opened);
}

static bool stays_in_meta_graph(const cpb_cut *cut, const cpb_cursor *c, size_t *asset) {
  switch (c->type == CPB_WIRE_LEN ? c->number : 0) {
    case META_GRAPH_SAVER: return cut->session;
    case META_GRAPH_COLLECTION: return cut->session && cpb_cut_is_initializer(cpb_get_bytes(c->bytes, MAP_KEY));
    case META_GRAPH_SIGNATURE: return cpb_cut_has_signature(cut, cpb_get_bytes(c->bytes, MAP_KEY));
    case META_GRAPH_ASSET: return cut->assets[(*asset)++] > 0;
    default: return true;
  }
}

static void write_meta_graph(const writer *w, cpb_span meta) {
  size_t opened = cpb_pieces_open(w->out), object = 0, asset = 0;
  bool graph = false;
  cpb_cursor c = cpb_cursor_of(meta);
  while (cpb_cursor_next(&c)) {
    if (is_field(&c, META_GRAPH_INFO)) {
      write_info(w, c.bytes);
    } else if (is_field(&c, META_GRAPH_OBJECTS)) {
      write_objects(w, c.bytes, &object);
    } else if (is_field(&c, META_GRAPH_GRAPH)) {
      if (!graph) write_graph(w->cut, w->out);
      graph = true;
    } else if (stays_in_meta_graph(w->cut, &c, &asset)) {
      copy_field(w, &c);
    }
  }
  cpb_pieces_close(w->out, SAVED_MODEL_META_GRAPHS, opened);
}

void cpb_cut_write(const cpb_cut *cut, cpb_pieces *out) {
  const writer w = {cut, out, &cut->model->skeleton};
  cpb_cursor c = cpb_cursor_of(cut->model->skeleton.message);
  while (cpb_cursor_next(&c))
    if (!is_field(&c, SAVED_MODEL_META_GRAPHS)) copy_field(&w, &c);
    else if (c.bytes.data == cut->model->meta.data) write_meta_graph(&w, c.bytes);
}

/* --- keras_metadata.pb --------------------------------------------------------------------- */

enum { KERAS_NODES = 1, KERAS_NODE_ID = 2 };

static void write_keras_object(const cpb_cut *cut, cpb_span object, cpb_pieces *out) {
  size_t opened = cpb_pieces_open(out);
  cpb_cursor c = cpb_cursor_of(object);
  while (cpb_cursor_next(&c))
    if (c.type == CPB_WIRE_LEN) cpb_pieces_bytes(out, c.number, c.bytes);
    else if (c.type != CPB_WIRE_VARINT) cpb_pieces_fixed(out, c.number, c.value, c.type == CPB_WIRE_FIXED64 ? 8 : 4);
    else cpb_pieces_number(out, c.number, c.number == KERAS_NODE_ID ? new_number(cut, c.value) : c.value);
  cpb_pieces_close(out, KERAS_NODES, opened);
}

void cpb_cut_write_keras(const cpb_cut *cut, cpb_span metadata, cpb_pieces *out) {
  cpb_cursor c = cpb_cursor_of(metadata);
  while (cpb_cursor_find(&c, KERAS_NODES, CPB_WIRE_LEN))
    if (cpb_cut_is_whole(cut, cpb_get_number(c.bytes, KERAS_NODE_ID))) write_keras_object(cut, c.bytes, out);
}
