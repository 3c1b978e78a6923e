#include "model/onnx/model.h"

#include "model/common/view.h"
#include "model/onnx/fields.h"

/* Each line says what the outline keeps of a message, whatever its size. Fields that are not listed are kept if they
 * are short. Types and graphs nest in themselves, so some are declared before they are defined. */

/* A message that has nothing but short fields: its fields one by one. */
CPB_VIEW(plain, CPB_KEEP(1), CPB_KEEP(2))
CPB_VIEW(shape, CPB_ENTER(SHAPE_DIMENSION, plain))
CPB_VIEW(tensor_type, CPB_ENTER(TENSOR_TYPE_SHAPE, shape))

static const cpb_message_type type;
CPB_VIEW(sequence_type, CPB_ENTER(SEQUENCE_ELEMENT, type))
CPB_VIEW(map_type, CPB_ENTER(MAP_TYPE_VALUE, type))
CPB_VIEW(type, CPB_ENTER(TYPE_TENSOR, tensor_type), CPB_ENTER(TYPE_SEQUENCE, sequence_type),
         CPB_ENTER(TYPE_MAP, map_type), CPB_ENTER(TYPE_OPAQUE, plain), CPB_ENTER(TYPE_SPARSE_TENSOR, tensor_type),
         CPB_ENTER(TYPE_OPTIONAL, sequence_type))
CPB_VIEW(value_info, CPB_KEEP(VALUE_INFO_NAME), CPB_ENTER(VALUE_INFO_TYPE, type))

CPB_VIEW(tensor, CPB_KEEP(TENSOR_DIMS), CPB_KEEP(TENSOR_NAME), CPB_ENTER(TENSOR_EXTERNAL, plain))
CPB_VIEW(sparse_tensor, CPB_ENTER(SPARSE_VALUES, tensor), CPB_ENTER(SPARSE_INDICES, tensor), CPB_KEEP(SPARSE_DIMS))
CPB_VIEW(annotation, CPB_KEEP(ANNOTATION_TENSOR), CPB_ENTER(ANNOTATION_PARAMETER, plain))

static const cpb_message_type graph;
CPB_VIEW(attribute, CPB_KEEP(ATTRIBUTE_NAME), CPB_ENTER(ATTRIBUTE_TENSOR, tensor), CPB_ENTER(ATTRIBUTE_GRAPH, graph),
         CPB_KEEP(ATTRIBUTE_INTS), CPB_ENTER(ATTRIBUTE_TENSORS, tensor), CPB_ENTER(ATTRIBUTE_GRAPHS, graph),
         CPB_ENTER(ATTRIBUTE_TYPE_PROTO, type), CPB_ENTER(ATTRIBUTE_TYPE_PROTOS, type), CPB_KEEP(ATTRIBUTE_REFERENCE),
         CPB_ENTER(ATTRIBUTE_SPARSE_TENSOR, sparse_tensor), CPB_ENTER(ATTRIBUTE_SPARSE_TENSORS, sparse_tensor))
CPB_VIEW(node, CPB_KEEP(NODE_INPUT), CPB_KEEP(NODE_OUTPUT), CPB_KEEP(NODE_NAME), CPB_KEEP(NODE_OP),
         CPB_ENTER(NODE_ATTRIBUTE, attribute), CPB_KEEP(NODE_DOMAIN), CPB_KEEP(NODE_OVERLOAD),
         CPB_ENTER(NODE_METADATA, plain))
CPB_VIEW_DIVISIBLE(graph, ANYWHERE, CPB_ENTER(GRAPH_NODE, node), CPB_KEEP(GRAPH_NAME),
                   CPB_ENTER(GRAPH_INITIALIZER, tensor), CPB_ENTER(GRAPH_INPUT, value_info),
                   CPB_ENTER(GRAPH_OUTPUT, value_info), CPB_ENTER(GRAPH_VALUE_INFO, value_info),
                   CPB_ENTER(GRAPH_QUANTIZATION, annotation), CPB_ENTER(GRAPH_SPARSE_INITIALIZER, sparse_tensor),
                   CPB_ENTER(GRAPH_METADATA, plain))
CPB_VIEW_DIVISIBLE(function, ANYWHERE, CPB_KEEP(FUNCTION_NAME), CPB_KEEP(FUNCTION_INPUT), CPB_KEEP(FUNCTION_OUTPUT),
                   CPB_KEEP(FUNCTION_ATTRIBUTE), CPB_ENTER(FUNCTION_NODE, node), CPB_ENTER(FUNCTION_OPSET, plain),
                   CPB_KEEP(FUNCTION_DOMAIN), CPB_ENTER(FUNCTION_DEFAULT, attribute),
                   CPB_ENTER(FUNCTION_VALUE_INFO, value_info), CPB_KEEP(FUNCTION_OVERLOAD),
                   CPB_ENTER(FUNCTION_METADATA, plain))
CPB_VIEW(training, CPB_ENTER(TRAINING_INITIALIZATION, graph), CPB_ENTER(TRAINING_ALGORITHM, graph),
         CPB_ENTER(TRAINING_INITIAL_BINDING, plain), CPB_ENTER(TRAINING_UPDATE_BINDING, plain))

static const cpb_field whole_fields[] = {CPB_ENTER(MODEL_GRAPH, graph), CPB_ENTER(MODEL_OPSET, plain),
                                         CPB_ENTER(MODEL_METADATA, plain), CPB_ENTER(MODEL_TRAINING, training),
                                         CPB_ENTER(MODEL_FUNCTION, function)};
const cpb_message_type cpb_view_onnx = {.fields = whole_fields, .num_fields = 5, .divisible = CPB_DIVISIBLE_ANYWHERE};

/* --- Finding a tensor ------------------------------------------------------------------ */

static const cpb_message_type no_fields; /* is looked into, and nothing long of it taken */

static const cpb_message_type place_graph;
CPB_VIEW(place_tensor, CPB_KEEP(TENSOR_NAME))
CPB_VIEW(place_sparse, CPB_ENTER(SPARSE_VALUES, place_tensor), CPB_ENTER(SPARSE_INDICES, no_fields),
         CPB_KEEP(SPARSE_DIMS))
CPB_VIEW(place_attribute, CPB_KEEP(ATTRIBUTE_NAME), CPB_ENTER(ATTRIBUTE_TENSOR, no_fields),
         CPB_ENTER(ATTRIBUTE_GRAPH, place_graph), CPB_KEEP(ATTRIBUTE_INTS), CPB_ENTER(ATTRIBUTE_GRAPHS, place_graph),
         CPB_KEEP(ATTRIBUTE_REFERENCE), CPB_ENTER(ATTRIBUTE_SPARSE_TENSOR, place_sparse))
CPB_VIEW(place_node, CPB_KEEP(NODE_OUTPUT), CPB_KEEP(NODE_NAME), CPB_KEEP(NODE_OP),
         CPB_ENTER(NODE_ATTRIBUTE, place_attribute), CPB_KEEP(NODE_DOMAIN), CPB_KEEP(NODE_OVERLOAD))
CPB_VIEW_DIVISIBLE(place_graph, ANYWHERE, CPB_ENTER(GRAPH_NODE, place_node), CPB_ENTER(GRAPH_INITIALIZER, place_tensor),
                   CPB_ENTER(GRAPH_SPARSE_INITIALIZER, place_sparse))
CPB_VIEW_DIVISIBLE(place_function, ANYWHERE, CPB_KEEP(FUNCTION_NAME), CPB_ENTER(FUNCTION_NODE, place_node),
                   CPB_KEEP(FUNCTION_DOMAIN), CPB_KEEP(FUNCTION_OVERLOAD))
CPB_VIEW(place_training, CPB_ENTER(TRAINING_INITIALIZATION, place_graph), CPB_ENTER(TRAINING_ALGORITHM, place_graph))

static const cpb_field tensors_fields[] = {CPB_ENTER(MODEL_GRAPH, place_graph),
                                           CPB_ENTER(MODEL_TRAINING, place_training),
                                           CPB_ENTER(MODEL_FUNCTION, place_function)};
const cpb_message_type cpb_view_onnx_tensors = {
    .fields = tensors_fields, .num_fields = 3, .divisible = CPB_DIVISIBLE_ANYWHERE};
