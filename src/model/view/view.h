/* A model as all questions see it: graphs of nodes, the values between them, and tensors. A kind says by a
 * cpb_view_kind how its messages are read; the questions (model/questions) know no kind. Nothing is copied: nodes and
 * values are read from the messages in memory each time, one after the other. */
#ifndef CPB_MODEL_VIEW_VIEW_H
#define CPB_MODEL_VIEW_VIEW_H

#include "base/json_writer.h"
#include "model/common/cursor.h"
#include "model/common/parameters.h"
#include "model/common/part.h"
#include "model/view/graphs.h"

typedef struct cpb_view {
  const struct cpb_view_kind *kind;
  const cpb_part *part; /* in which all spans lie */
  cpb_view_graphs graphs;
  cpb_span operators; /* what is known of the kind's operations (model/operators), or empty */
  void *own;          /* what the kind knows besides */
} cpb_view;

static inline const cpb_view_graph *cpb_view_graph_of(const cpb_view *view, uint32_t graph) {
  return &view->graphs.items[graph];
}

/* --- Nodes ------------------------------------------------------------------------------------- */

typedef struct cpb_view_node {
  cpb_span message;
  cpb_span own_name; /* empty for one without */
  cpb_span name;     /* that, or "#7": its number */
  cpb_span op, domain;
  uint64_t number;  /* in its graph, from 0 */
  bool is_constant; /* it does nothing but hold a tensor: what it makes is that */
} cpb_view_node;

typedef struct cpb_view_nodes {
  const cpb_view *view;
  const cpb_view_graph *graph;
  cpb_cursor cursor, names;
  uint64_t number;
  char label[CPB_VIEW_SPARE], op[CPB_VIEW_SPARE]; /* of the node that came last, where they are no text of the model */
} cpb_view_nodes;

cpb_view_nodes cpb_view_nodes_of(const cpb_view *view, uint32_t graph);
/* The next one, whose name and operation may live only until the one after it. */
bool cpb_view_nodes_next(cpb_view_nodes *nodes, cpb_view_node *node);

/* --- Values ------------------------------------------------------------------------------------ */

/* What goes into a node or a graph, or comes out of it. */
typedef struct cpb_view_value {
  cpb_span name;      /* NULL data: none, but the value itself stands there: */
  cpb_span immediate; /* its message */
  cpb_span role;      /* of a node's input, if that is known: the parameter that it is for; else empty */
  cpb_span type;      /* its message, if it stands there; else NULL data */
  bool is_feature;    /* its type is in the form of a model's features */
  uint64_t dtype;     /* of TensorFlow's type, which is no message; 0: not known */
  cpb_span shape;     /* and its shape; NULL data: not known */
} cpb_view_value;

static inline bool cpb_view_is_typed(const cpb_view_value *value) {
  return value->type.data || value->dtype > 0 || value->shape.data;
}

/* Where nodes are called by name, and what comes out of them by its number: what the name of an input says. */
typedef struct cpb_view_source {
  cpb_span node;
  cpb_span output; /* that has a name, of which `index` is one; or empty */
  uint64_t index;
} cpb_view_source;

typedef struct cpb_view_values cpb_view_values;
typedef bool cpb_view_next_value(cpb_view_values *values, cpb_view_value *value);

struct cpb_view_values {
  cpb_view_next_value *next; /* NULL: there are none */
  uint32_t field;            /* of the names or messages, */
  uint32_t name, type;       /* and in a message of its name and its type */
  cpb_cursor cursor, bindings;
  cpb_span role;
  bool is_feature;
  /* Of a kind whose values are numbered: which of them are left, the kind's own place among them. */
  const cpb_view *view;
  size_t at, middle, end;
  struct { /* what is left of TensorFlow's outputs or inputs, of which cursors have some, too */
    const cpb_part *part;
    cpb_span node, text, shape;
    bool of_function;
    cpb_varints types;
    uint64_t type, count, number;
  } told;
};

/* The values whose names are in that field, or the messages that have their names and types. */
cpb_view_values cpb_view_names_in(cpb_span message, uint32_t field);
cpb_view_values cpb_view_messages_in(cpb_span message, uint32_t field, uint32_t name, uint32_t type);

static inline bool cpb_view_values_next(cpb_view_values *values, cpb_view_value *value) {
  return values->next && values->next(values, value);
}

/* --- Tensors ------------------------------------------------------------------------------------- */

typedef struct cpb_view_tensor {
  uint32_t graph, element, field; /* `element`: which one of several of that member, from 1, or 0 */
  bool of_node;                   /* it stands in a member of a node: */
  cpb_span value;                 /* what it is called by others, which take it; empty: only the node has it */
  cpb_span node_name, op;
  uint64_t node_number;
  cpb_span member; /* of an attribute, a parameter or weights */
  /* The kind's, as `field` is: */
  cpb_span message;
  cpb_span parameters, node;
  const void *rule;
} cpb_view_tensor;

typedef struct cpb_view_measure {
  bool is_absent;    /* the model tells of it, but does not have its values: it counts as nothing */
  bool has_elements; /* its sizes are known, and no error: */
  uint64_t elements; /* of a quantized, packed or sparse one: those of the tensor that it stands for */
  uint64_t bytes;    /* by shape and type */
  uint64_t size;     /* as stored */
  cpb_span file;     /* that has the values, or NULL data, */
  uint64_t offset;   /* and where in it */
} cpb_view_measure;

typedef bool cpb_view_visit(void *user, const cpb_view_tensor *tensor);
typedef bool cpb_view_visit_callee(void *user, cpb_span attribute, uint32_t graph);

/* Its name for questions, appended: what others take; else NODE:MEMBER, of several NODE:MEMBER[0]. False when memory is
 * short. */
bool cpb_view_tensor_name(const cpb_view_tensor *tensor, cpb_buffer *out);

/* In a word, where the format puts it; NULL where that is not known. */
const char *cpb_view_tensor_place(const cpb_view *view, const cpb_view_tensor *tensor);

/* --- A kind ---------------------------------------------------------------------------------------- */

typedef struct cpb_view_kind {
  /* The node behind the cursor of an iterator that cpb_view_nodes_of() made; `number`, and `name` for one without, are
   * filled in. False at the end. */
  bool (*next_node)(cpb_view_nodes *nodes, cpb_view_node *node);
  /* What goes into a node, or comes out of it; of the graph itself for NULL. */
  cpb_view_values (*values)(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node, bool outputs);
  /* Names of nodes that must run before the node; with a type that of a value which must be there. NULL: there are
   * none. */
  cpb_view_values (*controls)(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node);
  /* NULL: values have names, by which those who take them know them. Else what comes out of nodes has none, and these
   * say what an input is of which node; and that output, false if nothing is known of it. */
  cpb_view_source (*source)(cpb_span input);
  bool (*output)(const cpb_view *view, const cpb_view_node *node, const cpb_view_source *source, cpb_view_value *value);
  /* Fields of a function: maps from the names of its outputs to the values that they are, and to nodes that must have
   * run. 0: its outputs are called as the values are. */
  uint32_t returns, control_returns;
  /* Whether the node, or for NULL the argument of a graph, stands for a variable. NULL: there are none. */
  bool (*is_variable)(const cpb_view_node *node, const cpb_view_value *argument);
  /* Whether all that the node does is to give what it takes. NULL: none is known to. */
  bool (*hands_on)(const cpb_view_node *node);
  /* Members of an object: which variable the node or the argument stands for, as far as the model tells. */
  void (*write_variable)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph, const cpb_view_node *node,
                         const cpb_view_value *argument);
  /* What goes into a node, each with its role: false, and nothing given, where it is not known what the inputs are for.
   * Only answers that show roles ask: `values` gives a role only where the model itself says it, so that nothing that
   * counts depends on a table. NULL: nothing is known of any node. */
  bool (*roles)(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node, cpb_view_values *inputs);
  /* Further values of which the graph says the type, or NULL. */
  cpb_view_values (*typed)(const cpb_view *view, const cpb_view_graph *graph);
  /* Calls `visit` for each tensor of the graph until it returns false, which is then returned. */
  bool (*each_tensor)(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);
  cpb_view_measure (*measure)(const cpb_view *view, const cpb_view_tensor *tensor);
  /* The use of a tensor, by its place and by the first node that takes it, as which of its inputs, or NULL; what it
   * stands for may be more than is stored. */
  cpb_tensor_use (*use)(const cpb_view *view, const cpb_view_tensor *tensor, const cpb_view_node *taker, cpb_span role,
                        uint64_t input, cpb_view_measure *measure);
  /* Whether it is trained. NULL: that is not known. */
  bool (*trained)(const cpb_view_tensor *tensor);
  /* Where the format puts a tensor that belongs to no node, in a word. NULL: "initializer". */
  const char *(*place)(const cpb_view_tensor *tensor);
  /* Calls `visit` for each graph that the node calls, with the attribute that names it, empty for its operation, until
   * it returns false, which is then returned. NULL: no node calls any. */
  bool (*each_callee)(const cpb_view *view, const cpb_view_node *node, cpb_view_visit_callee *visit, void *user);
  /* The module of the program that was exported which the node is in: its path and its class, from what the exporter
   * notes beside the node. False where it notes nothing. NULL: no kind of note is known. */
  bool (*module)(const cpb_view_node *node, cpb_span *path, cpb_span *class_name);
  /* Whether nodes are layers, by their names; else these are made of the names' beginnings. */
  bool (*nodes_are_layers)(const cpb_view *view, const cpb_view_graph *graph);

  /* Where an operation is from, such as "onnx", "library" or "custom". */
  const char *(*origin)(const cpb_view *view, cpb_span domain, cpb_span op);
  /* Whether operations have domains. Then: the version of a domain that the model imports; false for none. */
  bool (*version)(const cpb_view *view, cpb_span domain, int64_t *version);
  /* The table of its operations that is built in. NULL: it has none. */
  cpb_span (*operators)(void);

  /* Members of an object. */
  void (*write_type)(cpb_json_writer *answer, const cpb_view_value *value);
  void (*write_tensor)(cpb_json_writer *answer, const cpb_view *view, const cpb_view_tensor *tensor);
  /* "attributes", and what else only this kind has. */
  void (*write_node)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph, const cpb_view_node *node);
  void (*write_graph)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph);
  /* What only this kind says of a graph in a list. NULL: nothing. */
  void (*write_listed)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph);
  /* "inputs" of a function, where it says more of these than their names and types. NULL: it does not. */
  void (*write_inputs)(cpb_json_writer *answer, const cpb_view *view, uint32_t graph);
} cpb_view_kind;

/* By which those who take a value find what gives it: the node, or the value itself. */
static inline cpb_span cpb_view_key(const cpb_view *view, cpb_span value) {
  return view->kind->source && value.size > 0 ? view->kind->source(value).node : value;
}

#endif
