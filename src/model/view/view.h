/* A model as the questions see it: graphs of nodes, the values between them, and tensors. A cpb_view_kind tells how to
 * read the messages of one kind of model; the questions (model/questions) depend on no kind. Nothing is copied: each
 * iteration reads nodes and values from the messages in memory. */
#ifndef CPB_MODEL_VIEW_VIEW_H
#define CPB_MODEL_VIEW_VIEW_H

#include "base/json_writer.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/lists.h"
#include "model/common/part.h"
#include "model/view/graphs.h"

typedef struct cpb_view {
  const struct cpb_view_kind *kind;
  const cpb_part *part; /* all spans point into it */
  cpb_view_graphs graphs;
  cpb_span operators; /* the kind's table of operations (model/operators), or empty */
  void *own;          /* the kind's own data */

  /* Charges the work of reading a value that is more than its node's message; NULL: nobody does. */
  cpb_json_writer *answer;
} cpb_view;

static inline const cpb_view_graph *cpb_view_graph_of(const cpb_view *view, uint32_t graph) {
  return &view->graphs.items[graph];
}

/* --- Nodes ------------------------------------------------------------------------------------- */

typedef struct cpb_view_node {
  cpb_span message;
  cpb_span own_name; /* may be empty */
  cpb_span name;     /* own_name, or its number: "#7" */
  cpb_span op, domain;
  uint64_t number;  /* in its graph, from 0 */
  bool is_constant; /* its only output is a tensor that it holds */
} cpb_view_node;

typedef struct cpb_view_nodes {
  const cpb_view *view;
  const cpb_view_graph *graph;
  cpb_cursor cursor, names;
  uint64_t number;
  char label[CPB_VIEW_SPARE], op[CPB_VIEW_SPARE]; /* of the last node, if the model has no such text */
} cpb_view_nodes;

cpb_view_nodes cpb_view_nodes_of(const cpb_view *view, uint32_t graph);
/* The next node. Its name and operation are valid until the next call. */
bool cpb_view_nodes_next(cpb_view_nodes *nodes, cpb_view_node *node);

/* --- Values ------------------------------------------------------------------------------------ */

/* An input or output of a node or graph. */
typedef struct cpb_view_value {
  cpb_span name;      /* NULL data: an immediate value, without a name */
  cpb_span immediate; /* its message */
  cpb_span role;      /* of a node's input: the parameter that it is bound to; empty if unknown */
  cpb_span source;    /* of a graph's output: the value that it comes from, if that has another name */
  cpb_span type;      /* the message of its type, or NULL data */
  bool is_feature;    /* `type` has the form that features of a model have */
  uint64_t dtype;     /* a TensorFlow DataType, which has no message; 0: unknown */
  cpb_span shape;     /* with `dtype`; NULL data: unknown */
} cpb_view_value;

static inline bool cpb_view_is_typed(const cpb_view_value *value) {
  return value->type.data || value->dtype > 0 || value->shape.data;
}

/* The value in the graph that an output of the graph is. */
static inline cpb_span cpb_view_source_of(const cpb_view_value *output) {
  return output->source.data ? output->source : output->name;
}

/* The parts of an input's name, for kinds that name nodes and number their outputs. */
typedef struct cpb_view_source {
  cpb_span node;
  cpb_span output; /* a named output; `index` counts its values; may be empty */
  uint64_t index;
} cpb_view_source;

typedef struct cpb_view_values cpb_view_values;
typedef bool cpb_view_next_value(cpb_view_values *values, cpb_view_value *value);

struct cpb_view_values {
  cpb_view_next_value *next; /* NULL: no values */
  uint32_t field;            /* of the names or messages */
  uint32_t name, type;       /* fields of such a message */
  cpb_cursor cursor, bindings;
  cpb_span role;
  cpb_span label, probabilities; /* names of outputs: the first comes from the second */
  bool is_feature;
  /* For kinds that number values: the remaining range, and the kind's own position in it. */
  const cpb_view *view;
  size_t at, middle, end;
  struct { /* TensorFlow's remaining inputs or outputs, besides those of the cursors */
    const cpb_part *part;
    cpb_span node, text, shape;
    bool of_function;
    cpb_varints types;
    uint64_t type, count, number;
  } told;
};

/* The values whose names, or whose messages with name and type, are in `field` of the message. */
cpb_view_values cpb_view_names_in(cpb_span message, uint32_t field);
cpb_view_values cpb_view_messages_in(cpb_span message, uint32_t field, uint32_t name, uint32_t type);

static inline bool cpb_view_values_next(cpb_view_values *values, cpb_view_value *value) {
  return values->next && values->next(values, value);
}

/* --- Tensors ------------------------------------------------------------------------------------- */

typedef struct cpb_view_tensor {
  uint32_t graph, element, field; /* `element`: its number in a repeated member, from 1, or 0 */
  bool of_node;                   /* it is in a member of a node */
  cpb_span value;                 /* the name that other nodes take it by; empty: only its own node uses it */
  cpb_span node_name, op;
  uint64_t node_number;
  cpb_span member; /* name of the attribute, parameter or weights */
  /* For the kind, like `field`: */
  cpb_span message;
  cpb_span parameters, node;
  const void *rule;
} cpb_view_tensor;

typedef struct cpb_view_measure {
  bool is_absent;    /* the model describes it without its values: not counted */
  bool has_elements; /* `elements` and `bytes` are valid */
  uint64_t elements; /* of the tensor that is represented, if the stored one is quantized, packed or sparse */
  uint64_t bytes;    /* by shape and type */
  uint64_t size;     /* as stored */
  cpb_span file;     /* the name of the file that has the values, or NULL data */
  uint64_t offset;   /* of the values in it */
} cpb_view_measure;

typedef bool cpb_view_visit(void *user, const cpb_view_tensor *tensor);
typedef bool cpb_view_visit_callee(void *user, cpb_span attribute, uint32_t graph);

/* Appends its name as questions use it: `value`, or else NODE:MEMBER, or NODE:MEMBER[0] for a repeated member. False
 * if memory is short. */
bool cpb_view_tensor_name(const cpb_view_tensor *tensor, cpb_buffer *out);

/* One word for where the format stores it, or NULL. */
const char *cpb_view_tensor_place(const cpb_view *view, const cpb_view_tensor *tensor);

/* --- A kind ---------------------------------------------------------------------------------------- */

typedef struct cpb_view_kind {
  /* Reads the node at the cursor of cpb_view_nodes_of()'s iterator; the caller fills in `number`, and a missing `name`.
   * False at the end. */
  bool (*next_node)(cpb_view_nodes *nodes, cpb_view_node *node);
  /* The inputs or outputs of a node; of the graph itself for NULL. */
  cpb_view_values (*values)(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node, bool outputs);
  /* Nodes that must run before this one, by name; an item with a type names a value that must exist. NULL: the kind has
   * no such dependencies. */
  cpb_view_values (*controls)(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node);
  /* NULL: values have names, and inputs refer to them by name. Otherwise outputs have no names: `source` tells which
   * output of which node an input refers to, and `output` describes that output; false if nothing is known about it. */
  cpb_view_source (*source)(cpb_span input);
  bool (*output)(const cpb_view *view, const cpb_view_node *node, const cpb_view_source *source, cpb_view_value *value);
  /* Fields of a function with maps: from the names of its outputs to values, and to nodes that must have run. 0: the
   * outputs have the names of the values. */
  uint32_t returns, control_returns;
  /* Whether the node, or for NULL the argument of a graph, represents a variable. NULL: the kind has no variables. */
  bool (*is_variable)(const cpb_view_node *node, const cpb_view_value *argument);
  /* Whether the node just passes its input on. NULL: none does. */
  bool (*hands_on)(const cpb_view_node *node);
  /* Whether the node only brings its first input into another form, so that a weight is for the node behind it. NULL:
   * none does. */
  bool (*converts)(const cpb_view_node *node);
  /* Members of an object: the variable that the node or argument represents, as far as the model tells. */
  void (*write_variable)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph, const cpb_view_node *node,
                         const cpb_view_value *argument);
  /* The inputs of a node with their roles; false, without values, if the roles are unknown. Used by answers that show
   * roles only. `values` gives a role only if the model itself states it, so counts do not depend on a table. NULL: no
   * roles are known. */
  bool (*roles)(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node, cpb_view_values *inputs);
  /* Other values whose types the graph states, or NULL. */
  cpb_view_values (*typed)(const cpb_view *view, const cpb_view_graph *graph);
  /* Calls `visit` for each tensor of the graph until it returns false; returns its last result. */
  bool (*each_tensor)(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);
  cpb_view_measure (*measure)(const cpb_view *view, const cpb_view_tensor *tensor);
  /* The use of a tensor, judged by its place and by the first node that takes it (or NULL) at which input. May adjust
   * `measure`, as a tensor may represent more than is stored. */
  cpb_tensor_use (*use)(const cpb_view *view, const cpb_view_tensor *tensor, const cpb_view_node *taker, cpb_span role,
                        uint64_t input, cpb_view_measure *measure);
  /* Whether it is trained; of NULL, whether the model says which tensors are. NULL: no model of this kind does. */
  bool (*trained)(const cpb_view *view, const cpb_view_tensor *tensor);
  /* One word for where the format stores a tensor that belongs to no node. NULL: "initializer". */
  const char *(*place)(const cpb_view_tensor *tensor);
  /* Calls `visit` for each graph that the node calls, with the attribute that names the graph (empty if the operation
   * does), until it returns false; returns its last result. NULL: nodes call no graphs. */
  bool (*each_callee)(const cpb_view *view, const cpb_view_node *node, cpb_view_visit_callee *visit, void *user);
  /* Path and class of the exported program's module that the node came from, as the exporter noted in the node. False
   * if it noted nothing. NULL: the kind has no such notes. */
  bool (*module)(const cpb_view_node *node, cpb_span *path, cpb_span *class_name);
  /* Whether each node is a layer, judged by the names; otherwise layers are made from prefixes of the names. */
  bool (*nodes_are_layers)(const cpb_view *view, const cpb_view_graph *graph);

  /* Where an operation is defined, such as "onnx", "library" or "custom". */
  const char *(*origin)(const cpb_view *view, cpb_span domain, cpb_span op);
  /* The version of a domain that the model imports; false if it imports none. NULL: operations have no domains. */
  bool (*version)(const cpb_view *view, cpb_span domain, int64_t *version);
  /* The built-in table of its operations, or NULL. */
  cpb_span (*operators)(void);

  /* If the node takes the value (or, if that is empty, its own tensor `member`) as quantized numbers, writes
   * "quantized": an object of "scale", "zero_point", each the name of an array or a number, and "axis". NULL: no node
   * does. */
  void (*write_quantized)(cpb_json_writer *answer, const cpb_view *view, const cpb_view_graph *graph,
                          const cpb_view_node *node, cpb_span value, cpb_span member);

  /* Members of an object. */
  void (*write_type)(cpb_json_writer *answer, const cpb_view_value *value);
  void (*write_tensor)(cpb_json_writer *answer, const cpb_view *view, const cpb_view_tensor *tensor);
  /* "attributes", and other members that only this kind has. */
  void (*write_node)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph, const cpb_view_node *node);
  void (*write_graph)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph);
  /* Members of a listed graph that only this kind has. NULL: none. */
  void (*write_listed)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph);
  /* "inputs" of a function, if the kind knows more than their names and types. NULL: it does not. */
  void (*write_inputs)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph);
} cpb_view_kind;

/* The key by which a consumer finds the producer of a value: the node's name, or the value's own. */
static inline cpb_span cpb_view_key(const cpb_view *view, cpb_span value) {
  return view->kind->source && value.size > 0 ? view->kind->source(value).node : value;
}

/* --- types ------------------------------------------------------------------------------------ */

/* The types of a graph's values by name, for kinds whose nodes do not give them: of its inputs, outputs and others. */

typedef struct cpb_view_types {
  cpb_allocator allocator;
  cpb_view_value *items;
  size_t count, capacity;
  cpb_names names; /* numbers: indices of `items` */
} cpb_view_types;

/* False if memory is short; free `types` then as well. */
bool cpb_view_types_build(cpb_view_types *types, const cpb_allocator *a, const cpb_view *view, uint32_t graph);
void cpb_view_types_free(cpb_view_types *types);

/* Writes "name" if it has one, and the members of its type if that is known. `types` may be NULL. */
void cpb_view_write_named(cpb_json_writer *answer, const cpb_view *view, const cpb_view_types *types,
                          const cpb_view_value *value);
/* Writes an object with these members. */
void cpb_view_write_value(cpb_json_writer *answer, const cpb_view *view, const cpb_view_types *types,
                          const cpb_view_value *value);

#endif
