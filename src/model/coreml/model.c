#include "model/coreml/model.h"

#include "model/questions/reader.h"

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
