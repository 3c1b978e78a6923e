#include "model/tensorflow/views.h"

#include "model/tensorflow/fields.h"

#define ENTER(n, view) {.number = n, .type = CPB_TYPE_MESSAGE, .message = &view}
#define KEEP(n) {.number = n, .type = CPB_TYPE_BYTES}
#define TYPE(view, list, ...) \
  static const cpb_message_type view = {.fields = list, .num_fields = sizeof list / sizeof *list, __VA_ARGS__};
#define VIEW(view, ...)                                   \
  static const cpb_field view##_fields[] = {__VA_ARGS__}; \
  TYPE(view, view##_fields, .map_entry = 0)
/* A message of which a part is of use. The others say something else without all of their fields: a tensor
 * without its shape is a number. */
#define DIVISIBLE(view, how, ...)                         \
  static const cpb_field view##_fields[] = {__VA_ARGS__}; \
  TYPE(view, view##_fields, .divisible = CPB_DIVISIBLE_##how)
#define MAP_ENTRY(view, ...)                              \
  static const cpb_field view##_fields[] = {__VA_ARGS__}; \
  TYPE(view, view##_fields, .map_entry = 1)
#define MAP_OF(view, value) MAP_ENTRY(view, KEEP(MAP_KEY), ENTER(MAP_VALUE, value))

MAP_ENTRY(text_entry, KEEP(MAP_KEY))

/* --- Tensors and values ------------------------------------------------------------ */

static const cpb_message_type value;

/* A shape, or anything that has nothing but short fields: its fields one by one. */
VIEW(plain, KEEP(1))
VIEW(tensor, ENTER(TENSOR_SHAPE, plain))
VIEW(list, ENTER(LIST_VALUE, value))
MAP_OF(value_entry, value)
VIEW(dict, ENTER(DICT_FIELDS, value_entry))
VIEW(pair, ENTER(MAP_VALUE, value))
VIEW(named_tuple, ENTER(NAMED_TUPLE_VALUES, pair))
VIEW(tensor_spec, ENTER(TENSOR_SPEC_SHAPE, plain), ENTER(BOUNDED_MINIMUM, tensor), ENTER(BOUNDED_MAXIMUM, tensor))
VIEW(type_spec, ENTER(TYPE_SPEC_STATE, value))
VIEW(value, ENTER(VALUE_SHAPE, plain), ENTER(VALUE_TENSOR_SPEC, tensor_spec), ENTER(VALUE_TYPE_SPEC, type_spec),
     ENTER(VALUE_BOUNDED_SPEC, tensor_spec), ENTER(VALUE_LIST, list), ENTER(VALUE_TUPLE, list), ENTER(VALUE_DICT, dict),
     ENTER(VALUE_NAMED_TUPLE, named_tuple), ENTER(VALUE_TENSOR, tensor), ENTER(VALUE_NUMPY, tensor))

/* --- Objects ----------------------------------------------------------------------- */

VIEW(function_spec, ENTER(SPEC_ARGUMENTS, value), ENTER(SPEC_INPUT_SIGNATURE, value))
VIEW(concrete_function, KEEP(CONCRETE_BOUND_INPUTS), ENTER(CONCRETE_INPUTS, value), ENTER(CONCRETE_OUTPUTS, value))
MAP_OF(concrete_entry, concrete_function)
VIEW(user_object, KEEP(USER_IDENTIFIER))
VIEW(function_object, ENTER(FUNCTION_SPEC, function_spec))
VIEW(variable, ENTER(VARIABLE_SHAPE, plain), ENTER(VARIABLE_COMPONENTS, plain))
VIEW(bare_function, ENTER(BARE_SPEC, function_spec))
VIEW(object, ENTER(OBJECT_CHILDREN, plain), ENTER(OBJECT_SLOTS, plain), ENTER(OBJECT_USER, user_object),
     ENTER(OBJECT_FUNCTION, function_object), ENTER(OBJECT_VARIABLE, variable),
     ENTER(OBJECT_BARE_FUNCTION, bare_function), ENTER(OBJECT_SAVEABLES, text_entry), ENTER(OBJECT_DEPENDENCIES, plain))
DIVISIBLE(object_graph, BEGINNING, ENTER(OBJECTS_NODES, object), ENTER(OBJECTS_FUNCTIONS, concrete_entry))

VIEW(keras_user_object, KEEP(USER_IDENTIFIER), KEEP(USER_METADATA))
VIEW(keras_object, ENTER(OBJECT_USER, keras_user_object))

static const cpb_field keras_fields[] = {ENTER(OBJECTS_NODES, keras_object)};
const cpb_message_type cpb_view_keras = {.fields = keras_fields, .num_fields = 1, .divisible = CPB_DIVISIBLE_BEGINNING};

/* --- The meta graph ------------------------------------------------------------------ */

static const cpb_message_type tensor_info;

VIEW(composite, ENTER(COMPOSITE_SPEC, type_spec), ENTER(COMPOSITE_COMPONENTS, tensor_info))
VIEW(tensor_info, ENTER(TENSOR_INFO_SHAPE, plain), ENTER(TENSOR_INFO_SPARSE, plain),
     ENTER(TENSOR_INFO_COMPOSITE, composite))
MAP_OF(tensor_info_entry, tensor_info)
MAP_OF(tensor_entry, tensor)
VIEW(signature, ENTER(SIGNATURE_INPUTS, tensor_info_entry), ENTER(SIGNATURE_OUTPUTS, tensor_info_entry),
     ENTER(SIGNATURE_DEFAULTS, tensor_entry))
MAP_OF(signature_entry, signature)
VIEW(names, KEEP(2)) /* a list of short strings, looked at one by one */
VIEW(collection, ENTER(COLLECTION_NODES, names), ENTER(COLLECTION_BYTES, names), ENTER(COLLECTION_ANY, names))
MAP_OF(collection_entry, collection)
VIEW(op, KEEP(OP_NAME))
VIEW(ops, ENTER(1, op))
VIEW(meta_info, ENTER(META_INFO_OPS, ops), ENTER(META_INFO_ALIASES, text_entry))
VIEW(asset, ENTER(ASSET_TENSOR, tensor_info))
DIVISIBLE(meta_graph, ANYWHERE, ENTER(META_GRAPH_INFO, meta_info), ENTER(META_GRAPH_SAVER, plain),
          ENTER(META_GRAPH_COLLECTION, collection_entry), ENTER(META_GRAPH_SIGNATURE, signature_entry),
          ENTER(META_GRAPH_ASSET, asset), ENTER(META_GRAPH_OBJECTS, object_graph))

static const cpb_field saved_model_fields[] = {ENTER(SAVED_MODEL_META_GRAPHS, meta_graph)};
const cpb_message_type cpb_view_saved_model = {.fields = saved_model_fields, .num_fields = 1};

/* --- The graph ----------------------------------------------------------------------- */

static const cpb_message_type attr_value;

MAP_OF(attr_entry, attr_value)
VIEW(name_attrs, ENTER(NAME_ATTRS_ATTR, attr_entry))
VIEW(attr_list, KEEP(ATTR_TYPE), ENTER(ATTR_SHAPE, plain), ENTER(ATTR_TENSOR, tensor),
     ENTER(ATTR_LIST_FUNCTION, name_attrs))
VIEW(attr_value, ENTER(ATTR_LIST, attr_list), ENTER(ATTR_SHAPE, plain), ENTER(ATTR_TENSOR, tensor),
     ENTER(ATTR_FUNCTION, name_attrs))
VIEW(node, ENTER(NODE_ATTR, attr_entry))
VIEW(argument, KEEP(ARG_NAME))
VIEW(op_signature, KEEP(OP_NAME), ENTER(OP_INPUT, argument), ENTER(OP_OUTPUT, argument))
VIEW(arg_attrs, ENTER(1, attr_entry))
MAP_OF(arg_attr_entry, arg_attrs)
DIVISIBLE(function, ANYWHERE, ENTER(FUNCTION_SIGNATURE, op_signature), ENTER(FUNCTION_NODE, node),
          ENTER(FUNCTION_RETURN, text_entry), ENTER(FUNCTION_ATTR, attr_entry),
          ENTER(FUNCTION_CONTROL_RETURN, text_entry), ENTER(FUNCTION_ARG_ATTR, arg_attr_entry))
DIVISIBLE(library, ANYWHERE, ENTER(LIBRARY_FUNCTION, function), ENTER(LIBRARY_GRADIENT, plain))

static const cpb_field graph_fields[] = {ENTER(GRAPH_NODE, node), ENTER(GRAPH_LIBRARY, library),
                                         ENTER(GRAPH_VERSIONS, plain)};
const cpb_message_type cpb_view_graph = {.fields = graph_fields, .num_fields = 3};

/* --- Finding a tensor ------------------------------------------------------------------ */

static const cpb_message_type no_fields; /* is looked into, and nothing long of it taken */

static const cpb_field meta_graphs_fields[] = {ENTER(SAVED_MODEL_META_GRAPHS, no_fields)};
const cpb_message_type cpb_view_meta_graphs = {.fields = meta_graphs_fields, .num_fields = 1};

MAP_OF(place_attr, no_fields)
VIEW(place_node, KEEP(NODE_NAME), ENTER(NODE_ATTR, place_attr))
VIEW(place_signature, KEEP(OP_NAME))
DIVISIBLE(place_function, ANYWHERE, ENTER(FUNCTION_SIGNATURE, place_signature), ENTER(FUNCTION_NODE, place_node))
DIVISIBLE(place_library, ANYWHERE, ENTER(LIBRARY_FUNCTION, place_function))

static const cpb_field tensors_fields[] = {ENTER(GRAPH_NODE, place_node), ENTER(GRAPH_LIBRARY, place_library)};
const cpb_message_type cpb_view_tensors = {.fields = tensors_fields, .num_fields = 2};
