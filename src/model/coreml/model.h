/* Core ML models: how they are seen (model/view) and read (model/questions). */
#ifndef CPB_MODEL_COREML_MODEL_H
#define CPB_MODEL_COREML_MODEL_H

#include "cpb/message.h"

#include "base/json_writer.h"
#include "model/common/model_reader.h"
#include "model/common/problems.h"
#include "model/common/values_reader.h"
#include "model/coreml/fields.h"
#include "model/coreml/messages.h"
#include "model/questions/questions.h"
#include "model/view/view.h"

extern const cpb_view_kind cpb_coreml_view;
extern const cpb_model_reader cpb_coreml_reader;
extern const cpb_values_reader cpb_coreml_values_reader; /* of a tensor, streamed */

/* The members of an answer to OVERVIEW. */
void cpb_coreml_overview(cpb_viewed *m);

/* From the view's part, which is a Model, and of which spans are kept. Number 0 is the model's own graph, of a program
 * its default function. False with the error set. */
bool cpb_coreml_graphs_build(cpb_view *view, cpb_problems *problems, cpb_meter *meter, cpb_error *error);

/* A Model without what tensors hold. */
extern const cpb_message_type cpb_view_coreml;
/* A Value of a program alone. */
extern const cpb_message_type cpb_view_coreml_value;

/* Whether the FeatureType is anything but an array of which no size is said. */
bool cpb_coreml_has_shape(cpb_span type);

/* Whichever it has, if any. */
void cpb_coreml_write_value_type(cpb_json_writer *answer, const cpb_view_value *value);

/* An object, of a FeatureDescription: "name", those, or those of the MILSpec.ValueType `made` unless that is NULL, and
 * "doc" if there is one. */
void cpb_coreml_write_feature(cpb_json_writer *answer, cpb_span feature, cpb_span made);

/* As in model/view/view.h. */
bool cpb_coreml_next_node(cpb_view_nodes *nodes, cpb_view_node *node);
cpb_view_values cpb_coreml_values(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node,
                                  bool outputs);

/* What goes into the node with that message. */
cpb_view_values cpb_coreml_inputs(const cpb_view_graph *graph, cpb_span node);

/* What a layer says about weights that it has. */
typedef struct cpb_coreml_weights {
  uint16_t layer;   /* field of NeuralNetworkLayer */
  uint8_t within;   /* field of the layer's message in which the weights lie, or 0 */
  uint8_t field;    /* of WeightParams */
  uint8_t shape[3]; /* fields with sizes, from the first dimension on: lists, or numbers; 0: no more */
  uint8_t how;      /* a cpb_coreml_shape_rule */
  const char *name;
} cpb_coreml_weights;

typedef enum cpb_coreml_shape_rule {
  CPB_COREML_SIZES,       /* as they stand there */
  CPB_COREML_CONVOLUTION, /* of output and input channels, and the kernel */
  CPB_COREML_CONVOLUTION_3D
} cpb_coreml_shape_rule;

/* Calls `visit` with each constant of the graph until it returns false, which is then returned. Of a program's
 * immediate values only those of "const" operations and those that are no single number or text. Of the weights of
 * layers `rule` is a cpb_coreml_weights, and `parameters` the layer's. */
bool cpb_coreml_each_constant(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);
/* The same of one node. */
bool cpb_coreml_each_constant_of(const cpb_view *view, uint32_t graph, const cpb_view_node *node, cpb_view_visit *visit,
                                 void *user);

#endif
