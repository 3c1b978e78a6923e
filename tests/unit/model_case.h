/* A SavedModel to ask about, with what a hostile one has too: objects in a circle, node
 * ids that are none, a function that calls itself, names with control characters. */
#ifndef MODEL_CASE_H
#define MODEL_CASE_H

#include "split_help.h"

#include "cpb/model.h"
#include "model/tensorflow/fields.h"

/* Of a map: takes `value`. */
static inline void put_entry(bytes *b, uint32_t number, const char *key, bytes value) {
  bytes entry = {NULL, 0};
  put_text(&entry, MAP_KEY, key);
  put_message(&entry, MAP_VALUE, value);
  put_message(b, number, entry);
}

static inline bytes text_field(uint32_t number, const char *text) {
  bytes b = {NULL, 0};
  put_text(&b, number, text);
  return b;
}

static inline bytes int_field(uint32_t number, uint64_t value) {
  bytes b = {NULL, 0};
  put_int(&b, number, value);
  return b;
}

static inline bytes message_field(uint32_t number, bytes message) {
  bytes b = {NULL, 0};
  put_message(&b, number, message);
  return b;
}

static inline void put_child(bytes *object, uint64_t node, const char *name) {
  bytes child = int_field(REFERENCE_NODE, node);
  put_text(&child, REFERENCE_NAME, name);
  put_message(object, OBJECT_CHILDREN, child);
}

static inline bytes shape_of(uint64_t a, uint64_t b) {
  bytes shape = {NULL, 0};
  put_message(&shape, SHAPE_DIM, int_field(DIM_SIZE, a));
  put_message(&shape, SHAPE_DIM, int_field(DIM_SIZE, b));
  return shape;
}

static inline bytes node_of(const char *name, const char *op, const char *input) {
  bytes node = text_field(NODE_NAME, name);
  put_text(&node, NODE_OP, op);
  if (input) put_text(&node, NODE_INPUT, input);
  return node;
}

/* A Const of `size` bytes. */
static inline bytes constant_of(const char *name, size_t size) {
  bytes node = node_of(name, "Const", NULL), tensor = int_field(TENSOR_DTYPE, 1), content = noise(size, 7);
  put_message(&tensor, TENSOR_SHAPE, shape_of(1, size / 4));
  put_message(&tensor, TENSOR_CONTENT, content);
  put_entry(&node, NODE_ATTR, "value", message_field(ATTR_TENSOR, tensor));
  return node;
}

static inline bytes call_of(const char *name, const char *function) {
  bytes node = node_of(name, "PartitionedCall", "x:0");
  put_entry(&node, NODE_ATTR, "f", message_field(ATTR_FUNCTION, text_field(NAME_ATTRS_NAME, function)));
  return node;
}

static inline bytes function_of(const char *name, const char *calls) {
  bytes function = {NULL, 0}, signature = text_field(OP_NAME, name);
  put_message(&signature, OP_INPUT, text_field(ARG_NAME, "x"));
  put_message(&signature, OP_INPUT, text_field(ARG_NAME, "captured"));
  put_message(&signature, OP_OUTPUT, text_field(ARG_NAME, "y"));
  put_message(&function, FUNCTION_SIGNATURE, signature);
  put_message(&function, FUNCTION_NODE, call_of("call", calls));
  put_message(&function, FUNCTION_NODE, node_of("after\x1b[2J<b>", "Identity", "^call"));
  return function;
}

static inline bytes graph_of(size_t constant) {
  bytes graph = {NULL, 0}, library = {NULL, 0};
  put_message(&library, LIBRARY_FUNCTION, function_of("wrapper", "inner"));
  put_message(&library, LIBRARY_FUNCTION, function_of("inner", "inner"));
  put_message(&graph, GRAPH_NODE, node_of("x", "Placeholder", NULL));
  put_message(&graph, GRAPH_NODE, node_of("v", "VarHandleOp", NULL));
  put_message(&graph, GRAPH_NODE, constant_of("weights", constant));
  bytes call = call_of("call", "wrapper");
  put_text(&call, NODE_INPUT, "v");
  put_text(&call, NODE_INPUT, "^call");
  put_message(&graph, GRAPH_NODE, call);
  put_message(&graph, GRAPH_LIBRARY, library);
  return graph;
}

static inline bytes objects_of(void) {
  bytes graph = {NULL, 0}, root = {NULL, 0}, map = {NULL, 0}, variable = {NULL, 0}, bare = {NULL, 0};
  put_child(&root, 1, "signatures");
  put_child(&root, 2, "v");
  put_child(&root, 0, "self");
  put_child(&root, 77, "nowhere");
  put_child(&root, 5, "just_beyond");
  put_message(&root, OBJECT_USER, text_field(USER_IDENTIFIER, "_tf_keras_model"));
  put_child(&map, 3, "serve");
  put_child(&map, 0, "back");
  put_int(&variable, VARIABLE_DTYPE, 1);
  put_message(&variable, VARIABLE_SHAPE, shape_of(3, (uint64_t)-1));
  put_text(&variable, VARIABLE_NAME, "v");
  put_text(&bare, BARE_FUNCTION, "wrapper");
  put_message(&graph, OBJECTS_NODES, root);
  put_message(&graph, OBJECTS_NODES, map);
  put_message(&graph, OBJECTS_NODES, message_field(OBJECT_VARIABLE, variable));
  put_message(&graph, OBJECTS_NODES, message_field(OBJECT_BARE_FUNCTION, bare));
  put_message(&graph, OBJECTS_NODES, message_field(OBJECT_CONSTANT, text_field(SAVED_CONSTANT_OPERATION, "lost")));
  put_entry(&graph, OBJECTS_FUNCTIONS, "inner", int_field(CONCRETE_BOUND_INPUTS, 2));
  put_entry(&graph, OBJECTS_FUNCTIONS, "wrapper", int_field(CONCRETE_BOUND_INPUTS, 900));
  return graph;
}

static inline bytes tensor_info_of(const char *name) {
  bytes info = text_field(TENSOR_INFO_NAME, name);
  put_int(&info, TENSOR_INFO_DTYPE, 1);
  put_message(&info, TENSOR_INFO_SHAPE, shape_of((uint64_t)-1, 3));
  return info;
}

static inline bytes signature_of(void) {
  bytes signature = {NULL, 0};
  put_entry(&signature, SIGNATURE_INPUTS, "x", tensor_info_of("x:0"));
  put_entry(&signature, SIGNATURE_OUTPUTS, "y", tensor_info_of("call:0"));
  return signature;
}

/* What stands before and after the graph in a meta graph. */
static inline bytes info_of(void) {
  bytes info = text_field(META_INFO_TAGS, "serve"), ops = {NULL, 0};
  put_message(&ops, 1, text_field(OP_NAME, "Const"));
  put_message(&ops, 1, text_field(OP_NAME, "MyOp"));
  put_message(&info, META_INFO_OPS, ops);
  return info;
}

static inline bytes saved_model_of(size_t constant) {
  bytes model = int_field(SAVED_MODEL_VERSION, 1), meta = {NULL, 0};
  put_message(&meta, META_GRAPH_INFO, info_of());
  put_message(&meta, META_GRAPH_GRAPH, graph_of(constant));
  put_entry(&meta, META_GRAPH_SIGNATURE, "serve", signature_of());
  put_message(&meta, META_GRAPH_OBJECTS, objects_of());
  put_message(&model, SAVED_MODEL_META_GRAPHS, meta);
  return model;
}

#endif
