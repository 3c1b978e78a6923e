/* The object graph: one object and its children at a time. */
#include "model/tensorflow/ask/questions.h"

#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"

/* --- References ------------------------------------------------------------------------ */

/* An object may be a child of many objects. Only one of these references is the way of the object's path; the others
 * are marked "elsewhere", so that a reader who descends does not run in circles. */

/* Writes a reference of an object: the object's name for it, and the target. */
static void write_reference(cpb_saved_model *m, uint32_t from, cpb_span reference) {
  cpb_json_writer *a = m->viewed.answer;
  uint64_t node = cpb_get_number(reference, REFERENCE_NODE);
  cpb_span name = cpb_get_bytes(reference, REFERENCE_NAME);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "child", name);
  if (node < m->objects.count) {
    const cpb_object *object = &m->objects.items[node];
    const cpb_link *link = &m->objects.links[node];
    bool here = link->parent == from && cpb_span_equal(link->name, name) && node != from;
    cpb_write_object_place(m, (uint32_t)node);
    cpb_json_writer_bool(a, "elsewhere", !here);
    cpb_write_object(m, (uint32_t)node);
    cpb_json_writer_unsigned(a, "children", object->children);
  } else {
    cpb_json_writer_unsigned(a, "node", node);
    cpb_json_writer_null(a, "path");
  }
  cpb_json_writer_close(a, '}');
}

static void write_children(cpb_saved_model *m, uint32_t node) {
  cpb_page page = cpb_viewed_page(&m->viewed, "children");
  cpb_cursor c = cpb_cursor_of(m->objects.items[node].message);
  while (cpb_cursor_find(&c, OBJECT_CHILDREN, CPB_WIRE_LEN))
    if (cpb_page_has(&page)) write_reference(m, node, c.bytes);
  cpb_page_close(m->viewed.answer, &page);
}

static void write_place(cpb_saved_model *m, uint64_t node) {
  if (node < m->objects.count) cpb_write_object_place(m, (uint32_t)node);
  else cpb_json_writer_unsigned(m->viewed.answer, "node", node);
}

static void write_node_name(cpb_saved_model *m, const char *key, uint64_t node) {
  cpb_json_writer_open(m->viewed.answer, key, '{');
  write_place(m, node);
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* Writes the objects that must be created before this one. */
static void write_dependencies(cpb_saved_model *m, cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  cpb_json_writer_open(m->viewed.answer, "dependencies", '[');
  while (cpb_cursor_find(&c, OBJECT_DEPENDENCIES, CPB_WIRE_LEN)) {
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", cpb_get_bytes(c.bytes, REFERENCE_NAME));
    write_place(m, cpb_get_number(c.bytes, REFERENCE_NODE));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
}

/* Writes an optimizer's slot variables, each of which belongs to another variable. */
static void write_slots(cpb_saved_model *m, cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  cpb_json_writer_open(m->viewed.answer, "slot_variables", '[');
  while (cpb_cursor_find(&c, OBJECT_SLOTS, CPB_WIRE_LEN)) {
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", cpb_get_bytes(c.bytes, SLOT_NAME));
    write_node_name(m, "variable", cpb_get_number(c.bytes, SLOT_VARIABLE));
    write_node_name(m, "original", cpb_get_number(c.bytes, SLOT_ORIGINAL));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
}

static void write_saveables(cpb_saved_model *m, cpb_span object) {
  cpb_entries saveables;
  if (!cpb_saved_entries(m, object, OBJECT_SAVEABLES, &saveables)) return;
  cpb_json_writer_open(m->viewed.answer, "saveables", '[');
  for (size_t i = 0; i < saveables.count; i++) {
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", saveables.items[i].key);
    write_node_name(m, "save_function", cpb_get_number(saveables.items[i].value, SAVEABLE_SAVE));
    write_node_name(m, "restore_function", cpb_get_number(saveables.items[i].value, SAVEABLE_RESTORE));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_entries_free(&saveables);
}

/* --- The answer --------------------------------------------------------------------------- */

static void write_object(cpb_saved_model *m, uint32_t node) {
  cpb_span object = m->objects.items[node].message;
  if (!cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED, 4 * (uint64_t)object.size)) return;
  cpb_write_object_place(m, node);
  cpb_write_object(m, node);
  write_children(m, node);
  write_dependencies(m, object);
  write_slots(m, object);
  write_saveables(m, object);
}

/* TensorFlow 1 wrote a list of variables and no object graph. */
static void write_variables(cpb_saved_model *m) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_json_writer_null(a, "node");
  cpb_json_writer_text(a, "path", "root");
  cpb_json_writer_text(a, "kind", "none");
  cpb_page page = cpb_viewed_page(&m->viewed, "children");
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    if (!cpb_page_has(&page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_text(a, "kind", "variable");
    cpb_json_writer_span(a, "name", cpb_get_bytes(c.bytes, VARIABLE_DEF_NAME));
    cpb_json_writer_span(a, "initializer", cpb_get_bytes(c.bytes, VARIABLE_DEF_INITIALIZER));
    cpb_json_writer_bool(a, "resource", cpb_get_number(c.bytes, VARIABLE_DEF_RESOURCE) != 0);
    cpb_json_writer_bool(a, "trainable", cpb_get_number(c.bytes, VARIABLE_DEF_TRAINABLE) != 0);
    cpb_json_writer_close(a, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
}

void cpb_ask_objects(cpb_saved_model *m) {
  cpb_span path = cpb_viewed_name(&m->viewed);
  bool root = path.size == 0 || cpb_span_is(path, "root");
  uint32_t node = cpb_objects_find(&m->objects, path);
  if (node != CPB_NO_OBJECT) write_object(m, node);
  else if (m->objects.count == 0 && root) write_variables(m);
  else cpb_viewed_not_found(&m->viewed, "object", path);
}
