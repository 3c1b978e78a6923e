#include "base/status.h"
#include "model/coreml/model.h"
#include "model/questions/reader.h"

/* --- model ------------------------------------------------------------------------------------ */

static bool build(cpb_viewed_message *m) {
  return cpb_coreml_graphs_build(&m->viewed.view, &m->graph_problems, m->viewed.meter, m->viewed.error);
}

static const char *missing(cpb_span model) {
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(model, &content);
  switch (type) {
    case 0: return "the model itself is missing";
    case TYPE_PROGRAM: return "what follows in the program is missing";
    case TYPE_NETWORK:
    case TYPE_NETWORK_CLASSIFIER:
    case TYPE_NETWORK_REGRESSOR: return "the rest of the layers is missing";
    default: return "what follows is missing";
  }
}

static const char *lost_of(uint32_t field) {
  return field == MODEL_DESCRIPTION ? "the description" : field == TYPE_PROGRAM ? "the program" : "the model";
}

static const char *empty(const cpb_viewed *m) {
  cpb_span content;
  return cpb_coreml_type_of(m->view.part->message, &content) > 0 ? NULL : "the model has no type: only a description";
}

static const cpb_viewed_kind coreml = {.view = &cpb_coreml_view,
                                       .type = &cpb_view_coreml,
                                       .build = build,
                                       .write_overview = cpb_coreml_overview,
                                       .missing = missing,
                                       .lost_of = lost_of,
                                       .empty = empty};

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  (void)kind;
  return cpb_viewed_create(a, meter, &coreml, options);
}

const cpb_model_reader cpb_coreml_reader = {.create = create, CPB_VIEWED_READER};

/* --- messages --------------------------------------------------------------------------------- */

/* The last message whose field has at least this number: one of a oneof. */
static uint32_t last_from(cpb_span message, uint32_t least, cpb_span *content) {
  uint32_t found = 0;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.number < least || c.type != CPB_WIRE_LEN) continue;
    found = c.number;
    *content = c.bytes;
  }
  return found;
}

uint32_t cpb_coreml_type_of(cpb_span model, cpb_span *content) {
  *content = (cpb_span){NULL, 0};
  return last_from(model, MODEL_TYPES, content);
}

/* --- Models and programs ---------------------------------------------------------------------- */

cpb_coreml_form cpb_coreml_form_of(uint32_t type, cpb_span *content) {
  switch (type) {
    case TYPE_PROGRAM: return CPB_COREML_BLOCK;
    case TYPE_NETWORK:
    case TYPE_NETWORK_CLASSIFIER:
    case TYPE_NETWORK_REGRESSOR: return CPB_COREML_NETWORK;
    case TYPE_PIPELINE_CLASSIFIER:
    case TYPE_PIPELINE_REGRESSOR: *content = cpb_get_bytes(*content, PIPELINE_OF); return CPB_COREML_PIPELINE;
    case TYPE_PIPELINE: return CPB_COREML_PIPELINE;
    default: return CPB_COREML_OTHER;
  }
}

cpb_span cpb_coreml_block_of(cpb_span function) {
  cpb_span entry = cpb_get_entry(function, FUNCTION_BLOCK, cpb_get_bytes(function, FUNCTION_OPSET));
  cpb_cursor c = cpb_cursor_of(function);
  if (!entry.data && cpb_cursor_find(&c, FUNCTION_BLOCK, CPB_WIRE_LEN)) entry = c.bytes;
  return cpb_get_bytes(entry, MAP_VALUE);
}

/* --- Layers and names --------------------------------------------------------------------------- */

cpb_span cpb_coreml_text_of(cpb_span value) {
  cpb_span tensor = cpb_get_bytes(cpb_get_bytes(value, VALUE_IMMEDIATE), IMMEDIATE_TENSOR);
  return cpb_get_bytes(cpb_get_bytes(tensor, VALUES_STRINGS), 1);
}

uint32_t cpb_coreml_layer_of(cpb_span layer, cpb_span *parameters) { return last_from(layer, LAYER_KINDS, parameters); }

size_t cpb_coreml_networks_of(cpb_span layer, cpb_coreml_network networks[2]) {
  static const struct {
    uint32_t layer, field;
    const char *name;
  } fields[] = {{LAYER_BRANCH, BRANCH_IF, "ifBranch"},
                {LAYER_BRANCH, BRANCH_ELSE, "elseBranch"},
                {LAYER_LOOP, LOOP_CONDITION, "conditionNetwork"},
                {LAYER_LOOP, LOOP_BODY, "bodyNetwork"}};
  size_t count = 0;
  cpb_span parameters = {NULL, 0};
  const uint32_t type = cpb_coreml_layer_of(layer, &parameters);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (type != fields[i].layer) continue;
    const cpb_span message = cpb_get_bytes(parameters, fields[i].field);
    if (message.data) networks[count++] = (cpb_coreml_network){cpb_span_of(fields[i].name), message};
  }
  return count;
}
