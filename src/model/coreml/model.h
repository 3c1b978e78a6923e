/* Core ML models: their view (model/view) and their reader (model/questions). */
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
extern const cpb_values_reader cpb_coreml_values_reader; /* streams the values of a tensor */

/* The members of an answer to OVERVIEW. */
void cpb_coreml_overview(cpb_viewed *m);

/* Builds the graphs from the view's part, which is a Model; it keeps spans of the part. Graph 0 is the model's own, for
 * a program its default function. False with the error set. */
bool cpb_coreml_graphs_build(cpb_view *view, cpb_problems *problems, cpb_meter *meter, cpb_error *error);

/* A Model without the values of its tensors. */
extern const cpb_message_type cpb_view_coreml;
/* A Value of a program alone. */
extern const cpb_message_type cpb_view_coreml_value;

/* False for an array without sizes; true for any other FeatureType. */
bool cpb_coreml_has_shape(cpb_span type);

/* Writes the type in whichever form the value has it. */
void cpb_coreml_write_value_type(cpb_json_writer *answer, const cpb_view_value *value);

/* Writes an object for a FeatureDescription: "name"; its type, or the MILSpec.ValueType `made` unless that is NULL; and
 * "doc" if it has one. */
void cpb_coreml_write_feature(cpb_json_writer *answer, cpb_span feature, cpb_span made);

/* As in model/view/view.h. */
bool cpb_coreml_next_node(cpb_view_nodes *nodes, cpb_view_node *node);
cpb_view_values cpb_coreml_values(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node,
                                  bool outputs);

/* The inputs of the node with this message. */
cpb_view_values cpb_coreml_inputs(const cpb_view_graph *graph, cpb_span node);

/* Where a layer keeps one of its weights. */
typedef struct cpb_coreml_weights {
  uint16_t layer;   /* field of NeuralNetworkLayer */
  uint8_t within;   /* field of the layer that has the message with the weights, or 0 */
  uint8_t field;    /* of WeightParams */
  uint8_t shape[3]; /* fields with sizes, from the first dimension on: lists or numbers; 0 ends them */
  uint8_t how;      /* a cpb_coreml_shape_rule */
  const char *name;
} cpb_coreml_weights;

typedef enum cpb_coreml_shape_rule {
  CPB_COREML_SIZES,       /* as given */
  CPB_COREML_CONVOLUTION, /* from output and input channels and the kernel */
  CPB_COREML_CONVOLUTION_3D
} cpb_coreml_shape_rule;

/* Calls `visit` with each constant of the graph until it returns false; returns the last result. Among a program's
 * immediate values, only those of "const" operations count, and those that are neither a single number nor a text. For
 * the weights of layers, `rule` is a cpb_coreml_weights, and `parameters` the layer's parameters. */
bool cpb_coreml_each_constant(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);
/* The same for one node. */
bool cpb_coreml_each_constant_of(const cpb_view *view, uint32_t graph, const cpb_view_node *node, cpb_view_visit *visit,
                                 void *user);

#endif
