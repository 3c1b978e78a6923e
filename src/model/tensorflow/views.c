#include "model/tensorflow/view.h"

#include "model/common/tensor/tensor.h"
#include "model/common/view.h"
#include "model/tensorflow/fields.h"

/* Each line says what the outline keeps of a message, whatever its size; other fields are kept if they are short. A
 * field that is missing here costs an answer its data; one too many costs memory in the size of the file. */

CPB_VIEW_ENTRY(text_entry, CPB_KEEP(MAP_KEY))

/* --- Tensors and values ------------------------------------------------------------ */

static const cpb_message_type value;

/* A message that has nothing but short fields: its fields one by one. */
CPB_VIEW(plain, CPB_KEEP(1))
CPB_VIEW(shape, CPB_ENTER(SHAPE_DIM, plain))
CPB_VIEW(tensor, CPB_ENTER(TENSOR_SHAPE, shape))
CPB_VIEW(list, CPB_ENTER(LIST_VALUE, value))
CPB_VIEW_MAP_OF(value_entry, value)
CPB_VIEW(dict, CPB_ENTER(DICT_FIELDS, value_entry))
CPB_VIEW(pair, CPB_ENTER(MAP_VALUE, value))
CPB_VIEW(named_tuple, CPB_ENTER(NAMED_TUPLE_VALUES, pair))
CPB_VIEW(tensor_spec, CPB_ENTER(TENSOR_SPEC_SHAPE, shape), CPB_ENTER(BOUNDED_MINIMUM, tensor),
         CPB_ENTER(BOUNDED_MAXIMUM, tensor))
CPB_VIEW(type_spec, CPB_ENTER(TYPE_SPEC_STATE, value))
CPB_VIEW(value, CPB_ENTER(VALUE_SHAPE, shape), CPB_ENTER(VALUE_TENSOR_SPEC, tensor_spec),
         CPB_ENTER(VALUE_TYPE_SPEC, type_spec), CPB_ENTER(VALUE_BOUNDED_SPEC, tensor_spec), CPB_ENTER(VALUE_LIST, list),
         CPB_ENTER(VALUE_TUPLE, list), CPB_ENTER(VALUE_DICT, dict), CPB_ENTER(VALUE_NAMED_TUPLE, named_tuple),
         CPB_ENTER(VALUE_TENSOR, tensor), CPB_ENTER(VALUE_NUMPY, tensor))

/* --- Objects ----------------------------------------------------------------------- */

CPB_VIEW(function_spec, CPB_ENTER(SPEC_ARGUMENTS, value), CPB_ENTER(SPEC_INPUT_SIGNATURE, value))
CPB_VIEW(concrete_function, CPB_KEEP(CONCRETE_BOUND_INPUTS), CPB_ENTER(CONCRETE_INPUTS, value),
         CPB_ENTER(CONCRETE_OUTPUTS, value))
CPB_VIEW_MAP_OF(concrete_entry, concrete_function)
CPB_VIEW(user_object, CPB_KEEP(USER_IDENTIFIER))
CPB_VIEW(function_object, CPB_ENTER(FUNCTION_SPEC, function_spec))
CPB_VIEW(variable, CPB_ENTER(VARIABLE_SHAPE, shape), CPB_ENTER(VARIABLE_COMPONENTS, plain))
CPB_VIEW(bare_function, CPB_ENTER(BARE_SPEC, function_spec))
CPB_VIEW(object, CPB_ENTER(OBJECT_CHILDREN, plain), CPB_ENTER(OBJECT_SLOTS, plain), CPB_ENTER(OBJECT_USER, user_object),
         CPB_ENTER(OBJECT_FUNCTION, function_object), CPB_ENTER(OBJECT_VARIABLE, variable),
         CPB_ENTER(OBJECT_BARE_FUNCTION, bare_function), CPB_ENTER(OBJECT_SAVEABLES, text_entry),
         CPB_ENTER(OBJECT_DEPENDENCIES, plain))
CPB_VIEW_DIVISIBLE(object_graph, BEGINNING, CPB_ENTER(OBJECTS_NODES, object),
                   CPB_ENTER(OBJECTS_FUNCTIONS, concrete_entry))

CPB_VIEW(keras_user_object, CPB_KEEP(USER_IDENTIFIER), CPB_KEEP(USER_METADATA))
CPB_VIEW(keras_object, CPB_ENTER(OBJECT_USER, keras_user_object))

static const cpb_field keras_fields[] = {CPB_ENTER(OBJECTS_NODES, keras_object)};
const cpb_message_type cpb_view_keras = {.fields = keras_fields, .num_fields = 1, .divisible = CPB_DIVISIBLE_BEGINNING};

/* --- The meta graph ------------------------------------------------------------------ */

static const cpb_message_type tensor_info;

CPB_VIEW(composite, CPB_ENTER(COMPOSITE_SPEC, type_spec), CPB_ENTER(COMPOSITE_COMPONENTS, tensor_info))
CPB_VIEW(tensor_info, CPB_ENTER(TENSOR_INFO_SHAPE, shape), CPB_ENTER(TENSOR_INFO_SPARSE, plain),
         CPB_ENTER(TENSOR_INFO_COMPOSITE, composite))
CPB_VIEW_MAP_OF(tensor_info_entry, tensor_info)
CPB_VIEW_MAP_OF(tensor_entry, tensor)
CPB_VIEW(signature, CPB_ENTER(SIGNATURE_INPUTS, tensor_info_entry), CPB_ENTER(SIGNATURE_OUTPUTS, tensor_info_entry),
         CPB_ENTER(SIGNATURE_DEFAULTS, tensor_entry))
CPB_VIEW_MAP_OF(signature_entry, signature)
CPB_VIEW(names, CPB_KEEP(2)) /* a list of short strings, looked at one by one */
CPB_VIEW(collection, CPB_ENTER(COLLECTION_NODES, names), CPB_ENTER(COLLECTION_BYTES, names),
         CPB_ENTER(COLLECTION_ANY, names))
CPB_VIEW_MAP_OF(collection_entry, collection)
CPB_VIEW(op, CPB_KEEP(OP_NAME))
CPB_VIEW(ops, CPB_ENTER(1, op))
CPB_VIEW(meta_info, CPB_ENTER(META_INFO_OPS, ops), CPB_ENTER(META_INFO_ALIASES, text_entry))
CPB_VIEW(asset, CPB_ENTER(ASSET_TENSOR, tensor_info))
static const cpb_field meta_graph_fields[] = {
    CPB_ENTER(META_GRAPH_INFO, meta_info),
    CPB_ENTER(META_GRAPH_SAVER, plain),
    CPB_ENTER(META_GRAPH_COLLECTION, collection_entry),
    CPB_ENTER(META_GRAPH_SIGNATURE, signature_entry),
    CPB_ENTER(META_GRAPH_ASSET, asset),
    CPB_ENTER(META_GRAPH_OBJECTS, object_graph),
};
const cpb_message_type cpb_view_meta_graph = {
    .fields = meta_graph_fields, .num_fields = 6, .divisible = CPB_DIVISIBLE_ANYWHERE};

static const cpb_field saved_model_fields[] = {CPB_ENTER(SAVED_MODEL_META_GRAPHS, cpb_view_meta_graph)};
const cpb_message_type cpb_view_saved_model = {.fields = saved_model_fields, .num_fields = 1};

/* --- The graph ----------------------------------------------------------------------- */

static const cpb_message_type attr_value;

CPB_VIEW_MAP_OF(attr_entry, attr_value)
CPB_VIEW(name_attrs, CPB_ENTER(NAME_ATTRS_ATTR, attr_entry))
CPB_VIEW(attr_list, CPB_KEEP(ATTR_TYPE), CPB_ENTER(ATTR_SHAPE, shape), CPB_ENTER(ATTR_TENSOR, tensor),
         CPB_ENTER(ATTR_LIST_FUNCTION, name_attrs))
CPB_VIEW(attr_value, CPB_ENTER(ATTR_LIST, attr_list), CPB_ENTER(ATTR_SHAPE, shape), CPB_ENTER(ATTR_TENSOR, tensor),
         CPB_ENTER(ATTR_FUNCTION, name_attrs))
CPB_VIEW(node, CPB_ENTER(NODE_ATTR, attr_entry))
CPB_VIEW(argument, CPB_KEEP(ARG_NAME))
CPB_VIEW(op_signature, CPB_KEEP(OP_NAME), CPB_ENTER(OP_INPUT, argument), CPB_ENTER(OP_OUTPUT, argument))
CPB_VIEW(arg_attrs, CPB_ENTER(1, attr_entry))
CPB_VIEW_MAP_OF(arg_attr_entry, arg_attrs)
CPB_VIEW_DIVISIBLE(function, ANYWHERE, CPB_ENTER(FUNCTION_SIGNATURE, op_signature), CPB_ENTER(FUNCTION_NODE, node),
                   CPB_ENTER(FUNCTION_RETURN, text_entry), CPB_ENTER(FUNCTION_ATTR, attr_entry),
                   CPB_ENTER(FUNCTION_CONTROL_RETURN, text_entry), CPB_ENTER(FUNCTION_ARG_ATTR, arg_attr_entry))
CPB_VIEW_DIVISIBLE(library, ANYWHERE, CPB_ENTER(LIBRARY_FUNCTION, function), CPB_ENTER(LIBRARY_GRADIENT, plain))

static const cpb_field graph_fields[] = {CPB_ENTER(GRAPH_NODE, node), CPB_ENTER(GRAPH_LIBRARY, library),
                                         CPB_ENTER(GRAPH_VERSIONS, plain)};
const cpb_message_type cpb_view_graph_def = {.fields = graph_fields, .num_fields = 3};

/* --- Finding a tensor ------------------------------------------------------------------ */

const cpb_message_type cpb_view_no_fields; /* is looked into, and nothing long of it taken */

static const cpb_field meta_graphs_fields[] = {CPB_ENTER(SAVED_MODEL_META_GRAPHS, cpb_view_no_fields)};
const cpb_message_type cpb_view_meta_graphs = {.fields = meta_graphs_fields, .num_fields = 1};

CPB_VIEW_MAP_OF(place_attr, cpb_view_no_fields)
CPB_VIEW(place_node, CPB_KEEP(NODE_NAME), CPB_ENTER(NODE_ATTR, place_attr))
CPB_VIEW(place_signature, CPB_KEEP(OP_NAME))
CPB_VIEW_DIVISIBLE(place_function, ANYWHERE, CPB_ENTER(FUNCTION_SIGNATURE, place_signature),
                   CPB_ENTER(FUNCTION_NODE, place_node))
CPB_VIEW_DIVISIBLE(place_library, ANYWHERE, CPB_ENTER(LIBRARY_FUNCTION, place_function))

static const cpb_field tensors_fields[] = {CPB_ENTER(GRAPH_NODE, place_node), CPB_ENTER(GRAPH_LIBRARY, place_library)};
const cpb_message_type cpb_view_tensors = {.fields = tensors_fields, .num_fields = 2};
