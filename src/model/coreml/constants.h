/* The constants of a graph: values that stand among a program's attributes and arguments, and weights of layers. */
#ifndef CPB_MODEL_COREML_CONSTANTS_H
#define CPB_MODEL_COREML_CONSTANTS_H

#include "model/coreml/nodes.h"

typedef struct cpb_coreml_constant {
  const cpb_coreml_node *node;
  cpb_span member;  /* name of the attribute, parameter or weights; empty for what a "const" makes */
  uint32_t element; /* which one of several of that name, from 1, or 0 */
  cpb_span output;  /* of a "const": the value that it makes */
  cpb_span message; /* MILSpec.Value, or WeightParams: */
  bool is_weights;  /* of a layer, whose parameters are: */
  cpb_span parameters;
  const struct cpb_coreml_weights *weights;
} cpb_coreml_constant;

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

/* Calls `visit` with each constant of the node until it returns false, which is then returned. Of a program's immediate
 * values only those of "const" operations and those that are no single number or text. */
typedef bool cpb_coreml_visit(void *user, const cpb_coreml_constant *constant);
bool cpb_coreml_each_constant(const cpb_coreml_graph *graph, const cpb_coreml_node *node, cpb_coreml_visit *visit,
                              void *user);

/* Its name for questions, appended: what a "const" makes, else NODE:MEMBER, of several NODE:MEMBER[0]. False when
 * memory is short. */
bool cpb_coreml_constant_name(const cpb_coreml_constant *constant, cpb_buffer *out);

#endif
