#include "model/keras/answers.h"

#include "base/status.h"
#include "model/common/page.h"
#include "model/common/parameters.h"
#include "model/keras/config.h"
#include "model/keras/owners.h"
#include "model/keras/parameters.h"

static void put_text(cpb_json_writer *a, const char *key, cpb_span text) {
  if (text.size > 0) cpb_json_writer_span(a, key, text);
  else cpb_json_writer_null(a, key);
}

static void put_or_null(cpb_json_writer *a, const char *key, yyjson_val *value) {
  if (value) cpb_keras_put(a, key, value, NULL);
  else cpb_json_writer_null(a, key);
}

/* --- A layer --------------------------------------------------------------------- */

/* A name, or a policy that has one. */
static void put_dtype(const cpb_keras_layer *layer, cpb_json_writer *a) {
  yyjson_val *dtype = cpb_keras_get(layer, "dtype");
  if (!dtype) dtype = cpb_keras_config(layer, "dtype");
  yyjson_val *name = cpb_keras_member(layer->members, cpb_keras_member(layer->members, dtype, "config"), "name");
  put_or_null(a, "dtype", name ? name : dtype);
}

static bool put_parameters(cpb_keras *k, uint32_t layer, cpb_json_writer *a) {
  cpb_keras_count count;
  bool from_variables;
  if (!cpb_keras_count_parameters(k, layer, &count, &from_variables, a)) return false;
  cpb_json_writer_unsigned(a, "parameters", count.all);
  cpb_json_writer_unsigned(a, "trainable_parameters", count.trainable);
  cpb_json_writer_bool(a, "parameters_complete", count.complete);
  cpb_json_writer_text(a, "parameters_from", from_variables ? "variables" : "config");
  return true;
}

/* What it is called, or else where it stands. */
static cpb_span label_of(const cpb_keras *k, const cpb_keras_layer *layer) {
  const cpb_span name = cpb_keras_name(layer);
  return name.size == 0 && layer->object != CPB_KERAS_NONE ? k->objects[layer->object].path : name;
}

static void put_identity(const cpb_keras *k, const cpb_keras_layer *layer, cpb_json_writer *a) {
  const cpb_keras_object *o = layer->object == CPB_KERAS_NONE ? NULL : &k->objects[layer->object];
  put_text(a, "class", cpb_keras_class(layer));
  put_text(a, "name", label_of(k, layer));
  put_text(a, "path", o ? o->path : (cpb_span){0});
  if (o) cpb_json_writer_signed(a, "node", o->node);
  else cpb_json_writer_null(a, "node");
  put_text(a, "identifier", o ? o->identifier : (cpb_span){0});
  if (!o) {
    cpb_json_writer_null(a, "version");
    return;
  }
  cpb_json_writer_open(a, "version", '{');
  cpb_json_writer_signed(a, "producer", o->producer);
  cpb_json_writer_signed(a, "min_consumer", o->min_consumer);
  cpb_json_writer_close(a, '}');
}

static bool put_facts(cpb_keras *k, uint32_t i, cpb_json_writer *a) {
  const cpb_keras_layer *layer = &k->layers[i];
  put_identity(k, layer, a);
  put_dtype(layer, a);
  cpb_json_writer_bool(a, "trainable", cpb_keras_is_trainable(k, layer));
  put_or_null(a, "input_shape", cpb_keras_input_shape(layer));
  return put_parameters(k, i, a);
}

static void put_variables(cpb_keras *k, uint32_t i, cpb_json_writer *a) {
  uint32_t node;
  if (!cpb_keras_owners(k, a)) return;
  cpb_keras_variables v = cpb_keras_variables_of(k, i, a);
  cpb_json_writer_open(a, "variables", '[');
  while (cpb_keras_variables_next(k, &v, &node, a)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_unsigned(a, "node", node);
    cpb_json_writer_span(a, "name", k->graph->variable_name(k->graph->user, node));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static bool put_layer(cpb_keras *k, uint32_t i, cpb_json_writer *a) {
  const cpb_keras_layer *layer = &k->layers[i];
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "index", i);
  if (layer->parent == CPB_KERAS_NONE) cpb_json_writer_null(a, "parent");
  else cpb_json_writer_unsigned(a, "parent", layer->parent);
  cpb_json_writer_unsigned(a, "depth", layer->depth);
  if (!put_facts(k, i, a)) return false;
  put_variables(k, i, a);
  cpb_json_writer_bool(a, "shared", layer->shared);
  cpb_keras_put_calls(k, layer, a);
  if (cpb_keras_is_model(k, layer)) {
    cpb_keras_put_references(a, "input_layers", cpb_keras_config(layer, "input_layers"));
    cpb_keras_put_references(a, "output_layers", cpb_keras_config(layer, "output_layers"));
  }
  yyjson_val *config = cpb_keras_get(layer, "config");
  if (config) cpb_keras_put(a, "config", config, "layers"); /* which have elements of their own */
  else cpb_json_writer_null(a, "config");
  cpb_json_writer_close(a, '}');
  return true;
}

/* --- Overview ---------------------------------------------------------------------- */

static void put_training(const cpb_keras_layer *model, cpb_json_writer *a) {
  static const char *const keys[] = {"loss", "metrics", "weighted_metrics", "loss_weights"};
  yyjson_val *training = cpb_keras_get(model, "training_config");
  yyjson_val *optimizer = cpb_json_member(training, "optimizer_config");
  if (!yyjson_is_obj(training)) {
    cpb_json_writer_null(a, "training");
    return;
  }
  cpb_json_writer_open(a, "training", '{');
  put_or_null(a, "optimizer", cpb_json_member(optimizer, "class_name"));
  put_or_null(a, "optimizer_config", cpb_json_member(optimizer, "config"));
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) put_or_null(a, keys[i], cpb_json_member(training, keys[i]));
  cpb_json_writer_close(a, '}');
}

static void put_metrics(const cpb_keras *k, cpb_json_writer *a) {
  cpb_json_writer_open(a, "metrics", '[');
  for (size_t i = 0; i < k->count; i++) {
    if (!cpb_keras_is_metric(&k->objects[i])) continue;
    yyjson_val *said = k->docs[i] ? yyjson_doc_get_root(k->docs[i]) : NULL;
    cpb_keras_layer metric = {.object = (uint32_t)i, .said = said, .members = &k->members};
    cpb_json_writer_open(a, NULL, '{');
    put_identity(k, &metric, a);
    put_dtype(&metric, a);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

/* Without variables it is known how many, and not of which type. */
static bool put_totals(cpb_keras *k, cpb_json_writer *a) {
  cpb_keras_count count;
  bool from_variables;
  if (!cpb_keras_count_parameters(k, 0, &count, &from_variables, a)) return false;
  const cpb_parameters totals = {.total = count.all,
                                 .trainable = count.trainable,
                                 .knows_trainable = true,
                                 .lacks_tensors = true,
                                 .partial = !count.complete};
  cpb_parameters_write(&totals, a);
  return true;
}

bool cpb_keras_overview(cpb_keras *k, cpb_json_writer *a, cpb_error *error) {
  cpb_json_writer_unsigned(a, "objects", k->count);
  cpb_json_writer_unsigned(a, "num_layers", k->num_layers);
  if (k->num_layers == 0) {
    cpb_json_writer_null(a, "model");
  } else {
    const cpb_keras_layer *model = &k->layers[0];
    cpb_json_writer_open(a, "model", '{');
    if (!put_facts(k, 0, a)) return cpb_fail_memory(error), false;
    put_or_null(a, "keras_version", cpb_keras_get(model, "keras_version"));
    put_or_null(a, "backend", cpb_keras_get(model, "backend"));
    put_training(model, a);
    cpb_json_writer_close(a, '}');
    if (!put_totals(k, a)) return cpb_fail_memory(error), false;
  }
  put_metrics(k, a);
  return true;
}

bool cpb_keras_summary(cpb_keras *k, cpb_json_writer *a, cpb_error *error) {
  if (k->num_layers == 0) return true;
  put_text(a, "class", cpb_keras_class(&k->layers[0]));
  put_text(a, "name", cpb_keras_name(&k->layers[0]));
  cpb_json_writer_unsigned(a, "layers", k->num_layers);
  if (!put_parameters(k, 0, a)) cpb_fail_memory(error);
  return error->code == CPB_OK;
}

/* --- Layers ------------------------------------------------------------------------- */

/* The layer with that path, or else the first with that name. */
static uint32_t find_layer(const cpb_keras *k, cpb_span wanted) {
  for (uint32_t i = 0; i < k->num_layers; i++) {
    const cpb_keras_layer *l = &k->layers[i];
    if (l->object != CPB_KERAS_NONE && !l->shared && cpb_span_equal(k->objects[l->object].path, wanted)) return i;
  }
  for (uint32_t i = 0; i < k->num_layers; i++) {
    if (cpb_span_equal(cpb_keras_name(&k->layers[i]), wanted)) return i;
  }
  return CPB_KERAS_NONE;
}

static const char *source_of(const cpb_keras *k) {
  for (size_t i = 0; i < k->count; i++) {
    if (k->docs[i]) return "metadata";
  }
  return "objects";
}

bool cpb_keras_layers(cpb_keras *k, const cpb_question *q, cpb_json_writer *a, cpb_error *error) {
  uint32_t begin = 0, end = k->num_layers;
  cpb_json_writer_text(a, "source", source_of(k));
  if (q->name_size > 0) {
    char quoted[81];
    begin = find_layer(k, (cpb_span){(const uint8_t *)q->name, q->name_size});
    if (begin == CPB_KERAS_NONE) {
      cpb_fail(error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no layer has the path or name %s",
               cpb_quote(quoted, sizeof quoted, q->name, q->name_size));
      return false;
    }
    end = k->layers[begin].end;
  }
  cpb_page page = cpb_page_open_sized(a, q, "layers", end - begin);
  for (uint32_t i = begin; i < end; i++) {
    if (cpb_page_has(&page) && !put_layer(k, i, a)) return cpb_fail_memory(error), false;
  }
  cpb_page_close(a, &page);
  return true;
}

/* --- Search -------------------------------------------------------------------------- */

static bool matches(const cpb_keras *k, const cpb_keras_layer *l, cpb_span part) {
  return !l->shared && (cpb_span_contains(cpb_keras_name(l), part) || cpb_span_contains(cpb_keras_class(l), part) ||
                        (l->object != CPB_KERAS_NONE && cpb_span_contains(k->objects[l->object].path, part)));
}

bool cpb_keras_find(const cpb_keras *k, cpb_span text, uint32_t *layer) {
  while (*layer < k->num_layers && !matches(k, &k->layers[*layer], text)) ++*layer;
  return *layer < k->num_layers;
}

void cpb_keras_write_owner(cpb_keras *k, uint32_t node, cpb_json_writer *a) {
  const uint32_t *owners = cpb_keras_owners(k, a);
  if (!owners || owners[node] == CPB_KERAS_NONE) {
    cpb_json_writer_null(a, "layer");
    return;
  }
  const cpb_keras_layer *layer = &k->layers[owners[node]];
  cpb_json_writer_open(a, "layer", '{');
  put_text(a, "name", label_of(k, layer));
  put_text(a, "path", k->objects[layer->object].path);
  cpb_json_writer_close(a, '}');
}

void cpb_keras_write_found(const cpb_keras *k, uint32_t layer, cpb_json_writer *a) {
  cpb_json_writer_unsigned(a, "index", layer);
  put_identity(k, &k->layers[layer], a);
}

bool cpb_keras_search(cpb_keras *k, const cpb_question *q, cpb_json_writer *a, cpb_error *error) {
  (void)error;
  cpb_span part = {(const uint8_t *)q->name, q->name_size};
  uint64_t total = 0;
  for (uint32_t i = 0; cpb_keras_find(k, part, &i); i++) total++;
  cpb_page page = cpb_page_open_sized(a, q, "found", total);
  for (uint32_t i = 0; cpb_keras_find(k, part, &i); i++) {
    if (!cpb_page_has(&page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_text(a, "is", "layer");
    cpb_keras_write_found(k, i, a);
    cpb_json_writer_close(a, '}');
  }
  cpb_page_close(a, &page);
  return true;
}
