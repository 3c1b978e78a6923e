/* Searches all names for a text: first those that only TensorFlow has, then those of graphs. */
#include "model/tensorflow/ask/questions.h"

#include "model/keras/keras.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/keras.h"

typedef struct search {
  cpb_saved_model *model;
  cpb_span text;
  cpb_page page;
} search;

static bool is_in(const search *s, cpb_span name) { return cpb_span_contains(name, s->text); }

/* True if the result is to be written, into an object that is now open. */
static bool found(search *s, const char *what) {
  if (!cpb_page_has(&s->page)) return false;
  cpb_json_writer_open(s->model->viewed.answer, NULL, '{');
  cpb_json_writer_text(s->model->viewed.answer, "is", what);
  return true;
}

/* --- Where ------------------------------------------------------------------------------ */

static void search_signatures(search *s) {
  cpb_json_writer *a = s->model->viewed.answer;
  cpb_entries entries;
  if (!cpb_saved_entries(s->model, s->model->meta, META_GRAPH_SIGNATURE, &entries)) return;
  for (size_t i = 0; i < entries.count; i++) {
    if (!is_in(s, entries.items[i].key) || !found(s, "signature")) continue;
    cpb_json_writer_span(a, "name", entries.items[i].key);
    cpb_json_writer_close(a, '}');
  }
  cpb_entries_free(&entries);
}

/* The name in an object itself, for kinds of objects that have one. */
static cpb_span own_name(const cpb_object *object) {
  cpb_span value;
  switch (cpb_object_kind(object, &value)) {
    case OBJECT_USER: return cpb_get_bytes(value, USER_IDENTIFIER);
    case OBJECT_VARIABLE: return cpb_get_bytes(value, VARIABLE_NAME);
    case OBJECT_CAPTURED: return cpb_get_bytes(value, CAPTURED_NAME);
    default: return (cpb_span){NULL, 0};
  }
}

static void search_objects(search *s) {
  cpb_json_writer *a = s->model->viewed.answer;
  for (size_t i = 0; i < s->model->objects.count; i++) {
    const cpb_object *object = &s->model->objects.items[i];
    cpb_span value, own = own_name(object), name = s->model->objects.links[i].name;
    if ((!is_in(s, name) && !is_in(s, own)) || !found(s, "object")) continue;
    cpb_json_writer_span(a, "name", own.size > 0 ? own : name);
    cpb_write_object_place(s->model, (uint32_t)i);
    cpb_json_writer_text(a, "kind", cpb_object_kind_name(cpb_object_kind(object, &value)));
    cpb_json_writer_close(a, '}');
  }
}

static void search_layers(cpb_saved_model *m, cpb_keras *keras, void *user) {
  search *s = user;
  for (uint32_t i = 0; cpb_keras_find(keras, s->text, &i); i++) {
    if (!found(s, "layer")) continue;
    cpb_keras_write_found(keras, i, m->viewed.answer);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
}

/* --- The answer ----------------------------------------------------------------------------- */

void cpb_ask_search(cpb_saved_model *m) {
  search s = {.model = m, .text = cpb_viewed_name(&m->viewed), .page = cpb_viewed_page(&m->viewed, "found")};
  search_signatures(&s);
  cpb_saved_use_keras_too(m, search_layers, &s);
  search_objects(&s);
  cpb_viewed_search(&m->viewed, &s.page);
  cpb_page_close(m->viewed.answer, &s.page);
}
