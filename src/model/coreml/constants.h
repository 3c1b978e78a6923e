/* The constants of a graph: values that stand among a program's attributes and arguments, and weights of layers. */
#ifndef CPB_MODEL_COREML_CONSTANTS_H
#define CPB_MODEL_COREML_CONSTANTS_H

#include "model/coreml/fields.h"
#include "model/view/view.h"

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
