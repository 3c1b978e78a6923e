/* Helpers that read single messages of a Core ML model. */
#ifndef CPB_MODEL_COREML_MESSAGES_H
#define CPB_MODEL_COREML_MESSAGES_H

#include "model/common/cursor.h"
#include "model/coreml/fields.h"

/* Room for a name that is made up because the model has none. */
#define CPB_COREML_SPARE 32

/* The message of a graph, and of its nodes. */
typedef enum cpb_coreml_form {
  CPB_COREML_OTHER,    /* a model without a graph, such as trees: no nodes */
  CPB_COREML_BLOCK,    /* of a program: operations */
  CPB_COREML_NETWORK,  /* layers */
  CPB_COREML_PIPELINE, /* models */
  CPB_COREML_NUM_FORMS
} cpb_coreml_form;

/* The field of a Model that holds its type, such as TYPE_NETWORK, and the content; 0 if none. */
uint32_t cpb_coreml_type_of(cpb_span model, cpb_span *content);
/* The form of the graph in a model of that type. For a pipeline `content` becomes the Pipeline. */
cpb_coreml_form cpb_coreml_form_of(uint32_t type, cpb_span *content);
/* The block of a MILSpec.Function for its operation set; else the first block. */
cpb_span cpb_coreml_block_of(cpb_span function);

/* A network within a layer, named after its field. */
typedef struct cpb_coreml_network {
  cpb_span name, message;
} cpb_coreml_network;
size_t cpb_coreml_networks_of(cpb_span layer, cpb_coreml_network networks[2]);

/* The name of a type, such as "neuralNetwork"; an unknown one is "type 777", in `spare`. */
cpb_span cpb_coreml_type_name(uint32_t type, char *spare);

/* The name of a layer's type, by its field of NeuralNetworkLayer; an unknown one is "layer 7777", in `spare`. */
cpb_span cpb_coreml_layer_name(uint32_t field, char *spare);
/* The field of a layer that holds its type, and the layer's parameters in it; 0 if none. */
uint32_t cpb_coreml_layer_of(cpb_span layer, cpb_span *parameters);

/* The text of a Value that is a string; else empty. */
cpb_span cpb_coreml_text_of(cpb_span value);

#endif
