#include "cli/show/lists.h"

#include "cpb/model.h"

/* --- Members ------------------------------------------------------------------------ */

/* The member at the end of a path such as stored.size. */
static yyjson_val *find(yyjson_val *element, const char *way) {
  while (element) {
    size_t length = strcspn(way, ".");
    element = yyjson_obj_getn(element, way, length);
    if (!way[length]) return element;
    way += length + 1;
  }
  return NULL;
}

static void put_name(cli_sheet *s, yyjson_val *element, const char *member) {
  cpb_span text;
  if (cpb_json_text(find(element, member), &text)) cli_put_name(s, text);
}

static void put_count(cli_sheet *s, yyjson_val *element, const char *member) {
  uint64_t number;
  if (cpb_json_unsigned(find(element, member), &number)) cli_put_count(s, number);
}

static void put_size(cli_sheet *s, yyjson_val *element, const char *member) {
  uint64_t number;
  if (cpb_json_unsigned(find(element, member), &number)) cli_put_size(s, number);
}

static bool is_absent(yyjson_val *value) {
  return !value || yyjson_is_null(value) || (yyjson_is_arr(value) && yyjson_arr_size(value) == 0);
}

static void put_any(cli_sheet *s, yyjson_val *element, const char *member) {
  yyjson_val *value = find(element, member);
  if (!is_absent(value)) cli_put_value(s, value);
}

static void put_shape(cli_sheet *s, yyjson_val *element, const char *member) {
  yyjson_val *value = find(element, member);
  if (yyjson_is_arr(yyjson_arr_get_first(value)) || yyjson_is_obj(value)) cli_put_value(s, value);
  else if (yyjson_is_arr(value)) cli_put_shape(s, value);
}

/* Writes nothing for 0 bytes. */
static void put_some(cli_sheet *s, yyjson_val *element, const char *member) {
  if (s->plain || cli_number_at(element, member) > 0) put_size(s, element, member);
}

/* The member's name, if it is true. */
static void put_flag(cli_sheet *s, yyjson_val *element, const char *member) {
  if (!yyjson_is_true(find(element, member))) return;
  for (; *member; member++) cli_put_format(s, "%c", *member == '_' && !s->plain ? ' ' : *member);
}

/* The dtype and shape of the element. */
static void put_tensor(cli_sheet *s, yyjson_val *element, const char *member) {
  (void)member;
  if (cli_text_at(element, "dtype").size > 0 || yyjson_is_obj(cpb_json_member(element, "type")))
    cli_put_tensor(s, element);
}

/* Names, one after the other. */
static void put_names(cli_sheet *s, yyjson_val *element, const char *member) {
  size_t i, count;
  yyjson_val *name;
  cpb_span text;
  yyjson_arr_foreach(find(element, member), i, count, name) {
    if (i > 0) cli_put(s, " ");
    yyjson_val *of = yyjson_is_obj(name) ? cpb_json_member(name, "from") : name;
    if (cpb_json_text(of, &text)) cli_put_name(s, text);
  }
}

/* x f32[?,3], y f32[?,2] */
static void put_tensors(cli_sheet *s, yyjson_val *element, const char *member) {
  size_t i, count;
  yyjson_val *tensor;
  yyjson_arr_foreach(find(element, member), i, count, tensor) {
    if (i > 0) cli_put(s, ", ");
    cli_put_name(s, cli_text_at(tensor, "name"));
    cli_put(s, " ");
    cli_put_tensor(s, tensor);
  }
}

/* --- Of nodes ------------------------------------------------------------------------- */

static yyjson_val *attribute(yyjson_val *node, const char *name) {
  size_t i, count;
  yyjson_val *attribute;
  yyjson_arr_foreach(cpb_json_member(node, "attributes"), i, count, attribute) {
    if (cli_is_text(cpb_json_member(attribute, "name"), name)) return cpb_json_member(attribute, "value");
  }
  return NULL;
}

/* The first output, and the number of others. A Constant of ONNX shows the tensor that it holds. */
static void put_output(cli_sheet *s, yyjson_val *node, const char *member) {
  yyjson_val *outputs = find(node, member), *first = yyjson_arr_get_first(outputs), *value = attribute(node, "value");
  const size_t count = yyjson_arr_size(outputs);
  const bool is_known = cpb_json_member(first, "dtype") || cpb_json_member(first, "type");
  if (!is_known && cli_is_text(cpb_json_member(node, "op"), "Constant") && cpb_json_member(value, "dtype"))
    first = value;
  cli_put_tensor(s, first);
  if (count > 1) cli_put_format(s, "%s+%zu", s->text.size > 0 ? " " : "", count - 1);
}

/* Control inputs in TensorFlow's notation. */
static void put_inputs(cli_sheet *s, yyjson_val *node, const char *member) {
  size_t i, count, inputs = yyjson_arr_size(cpb_json_member(node, "inputs"));
  yyjson_val *name;
  put_names(s, node, member);
  yyjson_arr_foreach(cpb_json_member(node, "control_inputs"), i, count, name) {
    cli_put(s, i + inputs > 0 ? " ^" : "^");
    cli_put_name(s, (cpb_span){(const uint8_t *)yyjson_get_str(name), yyjson_get_len(name)});
  }
}

/* An argument of a Python function, or its result. */
static void put_structured(cli_sheet *s, yyjson_val *element, const char *member) {
  yyjson_val *value = find(element, member);
  if (value && !yyjson_is_null(value)) cli_put_structured(s, value);
}

/* The first values, or nothing: of the element itself, or of its member. */
static void put_preview(cli_sheet *s, yyjson_val *element, const char *member) {
  size_t i, count;
  yyjson_val *value, *tensor = *member ? cpb_json_member(element, member) : element;
  yyjson_arr_foreach(cpb_json_member(tensor, "preview"), i, count, value) {
    if (i > 0) cli_put(s, " ");
    yyjson_val *text = cpb_json_member(value, "text");
    if (yyjson_is_null(text)) cli_put(s, "-");
    else cli_put_value(s, text ? text : value);
  }
  if (cpb_json_member(tensor, "preview_more")) cli_put(s, s->plain ? " ..." : s->utf8 ? " \xe2\x80\xa6" : " ...");
}

/* The functions that a node calls, or the value of a constant. */
static void put_detail(cli_sheet *s, yyjson_val *node, const char *member) {
  size_t i, count, found = 0;
  yyjson_val *attribute;
  yyjson_arr_foreach(cpb_json_member(node, member), i, count, attribute) {
    yyjson_val *value = cpb_json_member(attribute, "value");
    if (cli_is_text(cpb_json_member(attribute, "kind"), "tensor")) {
      put_preview(s, value, "");
      continue;
    }
    if (!cli_is_text(cpb_json_member(attribute, "kind"), "function")) continue;
    if (found++ > 0) cli_put(s, " ");
    cli_put_name(s, cli_text_at(attribute, "name"));
    cli_put(s, "=");
    cli_put_name(s, cli_text_at(value, "function"));
  }
}

/* --- Of others -------------------------------------------------------------------------- */

/* How deep a layer is, for a person. */
static void put_layer(cli_sheet *s, yyjson_val *layer, const char *member) {
  uint64_t depth = cli_number_at(layer, "depth");
  if (!s->plain && depth > s->depth) cli_put_format(s, "%*s", (int)((depth - s->depth) % 20 * 2), "");
  put_name(s, layer, member);
}

/* The variable's name, else its path, else its key. */
static void put_variable(cli_sheet *s, yyjson_val *variable, const char *member) {
  static const char *const others[] = {"path", "key"};
  cpb_span text = cli_text_at(variable, member);
  for (size_t i = 0; i < 2 && text.size == 0; i++) text = cli_text_at(variable, others[i]);
  cli_put_name(s, text);
}

/* The path, unless it stands for the name already. */
static void put_variable_path(cli_sheet *s, yyjson_val *variable, const char *member) {
  if (s->plain || cli_text_at(variable, "name").size > 0) put_name(s, variable, member);
}

static void put_remark(cli_sheet *s, yyjson_val *variable, const char *member) {
  if (cpb_json_member(variable, "copy_of")) cli_put(s, "copy");
  else if (yyjson_is_false(cpb_json_member(variable, "trainable"))) cli_put(s, "not trainable");
  else if (yyjson_is_null(cpb_json_member(variable, member))) cli_put(s, "no value");
}

/* "as input 0, 2", of a consumer. */
static void put_uses(cli_sheet *s, yyjson_val *consumer, const char *member) {
  size_t i, count;
  yyjson_val *use;
  yyjson_arr_foreach(find(consumer, member), i, count, use) {
    cli_put(s, i == 0 ? "input " : ", ");
    cli_put_count(s, cli_number_at(use, "input"));
  }
  if (yyjson_is_true(cpb_json_member(consumer, "control"))) cli_put(s, s->text.size > 0 ? ", control" : "control");
}

/* The number of a node's input; a control input has none. */
static void put_input(cli_sheet *s, yyjson_val *source, const char *member) {
  if (yyjson_is_true(cpb_json_member(source, "control"))) cli_put(s, "^");
  else put_count(s, source, member);
}

/* The source of a value, with the output's number if there are several. A value without a source has its own name. */
static void put_source(cli_sheet *s, yyjson_val *source, const char *member) {
  const uint64_t index = cli_number_at(source, "index");
  put_name(s, source, cpb_json_member(source, member) ? member : "value");
  if (index > 0) cli_put_format(s, ":%llu", (unsigned long long)index);
}

/* The operation of a node, or another kind of source. */
static void put_source_kind(cli_sheet *s, yyjson_val *source, const char *member) {
  put_name(s, source, cli_text_at(source, member).data ? member : "is");
}

/* Describes an object, beyond its kind. */
static void put_object(cli_sheet *s, yyjson_val *object, const char *member) {
  yyjson_val *functions = cpb_json_member(object, "concrete_functions");
  (void)member;
  if (cpb_json_member(object, "dtype")) put_tensor(s, object, NULL);
  else if (functions) cli_put_plural(s, yyjson_arr_size(functions), "concrete function", "concrete functions");
  else if (cpb_json_member(object, "identifier")) put_name(s, object, "identifier");
  else put_name(s, object, "concrete_function");
}

/* Its name below the parent, if its path is a different one. */
static void put_child(cli_sheet *s, yyjson_val *object, const char *member) {
  if (s->plain || yyjson_is_true(cpb_json_member(object, "elsewhere"))) put_name(s, object, member);
}

static void put_path(cli_sheet *s, yyjson_val *object, const char *member) {
  cpb_span path = cli_text_at(object, member);
  if (path.size > 0) cli_put_name(s, path);
  else if (cpb_json_member(object, "node"))
    cli_put_format(s, "#%llu", (unsigned long long)cli_number_at(object, "node"));
  else put_name(s, object, "name"); /* TensorFlow 1 */
}

/* Layers of ONNX are paths already. */
static void put_layer_path(cli_sheet *s, yyjson_val *layer, const char *member) {
  if (cpb_json_member(layer, "path")) put_path(s, layer, member);
}

/* ONNX's default domain is empty. */
static void put_domain(cli_sheet *s, yyjson_val *element, const char *member) {
  if (!s->plain && cli_text_at(element, member).size == 0) cli_put(s, "ai.onnx");
  put_name(s, element, member);
}

static void put_function(cli_sheet *s, yyjson_val *element, const char *member) {
  if (yyjson_is_null(cpb_json_member(element, member)) && !s->plain) cli_put(s, "(the graph)");
  put_name(s, element, member);
}

/* The path of a search result, unless its name is the path. */
static void put_place(cli_sheet *s, yyjson_val *found, const char *member) {
  cpb_span path = cli_text_at(found, member), name = cli_text_at(found, "name");
  if (!cli_is_same(path, name)) cli_put_name(s, path);
  if (cli_text_at(found, "function").size == 0) return;
  if (s->text.size > 0) cli_put(s, " ");
  if (!s->plain) cli_put(s, "in ");
  put_name(s, found, "function");
}

/* The operation of a node, the class of a layer, or the kind of an object. */
static void put_what(cli_sheet *s, yyjson_val *found, const char *member) {
  static const char *const members[] = {"op", "class", "kind"};
  (void)member;
  for (size_t i = 0; i < 3; i++) {
    cpb_span text = cli_text_at(found, members[i]);
    if (text.size == 0) continue;
    cli_put_name(s, text);
    return;
  }
}

/* The stored size of a tensor; in a file of a zip, the size of its values. */
static void put_stored(cli_sheet *s, yyjson_val *tensor, const char *member) {
  if (yyjson_is_null(cpb_json_member(tensor, "entry"))) cli_put(s, "missing");
  else if (yyjson_is_true(cpb_json_member(tensor, "cut"))) cli_put(s, "cut off");
  else put_size(s, tensor, cpb_json_member(tensor, "entry") ? "bytes" : member);
}

static void put_first_values(cli_sheet *s, yyjson_val *tensor, const char *member) {
  put_preview(s, tensor, cpb_json_member(tensor, member) ? member : "");
}

/* The bytes in the file: in a zip, these include the table that describes the values, and may be compressed. */
static void put_packed(cli_sheet *s, yyjson_val *parameter, const char *member) {
  if (yyjson_is_null(cpb_json_member(parameter, "entry"))) cli_put(s, "missing");
  else if (yyjson_is_true(cpb_json_member(parameter, "cut"))) cli_put(s, "cut off");
  else put_size(s, parameter, cpb_json_member(parameter, "compressed_bytes") ? "compressed_bytes" : member);
}

/* --- The lists ------------------------------------------------------------------------------ */

/* The names, which are long, come last. */
static const cli_member functions[] = {
    {"nodes", "nodes", CLI_RIGHT, put_count},       {"in", "inputs", CLI_RIGHT, put_count},
    {"out", "outputs", CLI_RIGHT, put_count},       {"calls", "calls", CLI_RIGHT, put_count},
    {"callers", "called_by", CLI_RIGHT, put_count}, {"state", "stateful", CLI_DIM | CLI_WHOLE, put_flag},
    {"function", "name", CLI_KEPT, put_name}};
static const cli_member nodes[] = {{"node", "name", CLI_KEPT, put_name},
                                   {"operation", "op", 0, put_name},
                                   {"type", "outputs", CLI_WHOLE, put_output},
                                   {"detail", "attributes", CLI_KEPT, put_detail},
                                   {"inputs", "inputs", 0, put_inputs}};
static const cli_member layers[] = {
    {"layer", "name", CLI_KEPT, put_layer},     {"class", "class", CLI_DIM, put_name},
    {"input", "input_shape", 0, put_shape},     {"params", "parameters", CLI_RIGHT, put_count},
    {"path", "path", CLI_KEPT, put_layer_path}, {NULL, "shared", CLI_DIM | CLI_WHOLE, put_flag}};
static const cli_member constants[] = {
    {"name", "node", CLI_KEPT, put_name},          {"type", "", CLI_WHOLE, put_tensor},
    {"size", "size", CLI_RIGHT, put_stored},       {"use", "use", CLI_DIM | CLI_WHOLE, put_name},
    {"function", "function", CLI_KEPT, put_name},  {NULL, "shared", CLI_DIM | CLI_WHOLE, put_flag},
    {"values", "array", CLI_DIM, put_first_values}};
static const cli_member tag_constants[] = {{"name", "node", CLI_KEPT, put_name},
                                           {"is", "is", CLI_DIM, put_name},
                                           {"tensor", "", CLI_WHOLE, put_tensor},
                                           {"size", "bytes", CLI_RIGHT, put_size},
                                           {"in the file", "size", CLI_RIGHT, put_packed},
                                           {"stored in", "entry", CLI_DIM, put_name},
                                           {NULL, "of_other_tag", CLI_DIM | CLI_WHOLE, put_flag},
                                           {NULL, "compressed", CLI_DIM | CLI_WHOLE, put_flag},
                                           {"values", "array", CLI_DIM, put_preview}};
static const cli_member variables[] = {
    {"variable", "name", CLI_KEPT, put_variable}, {"tensor", "", CLI_WHOLE, put_tensor},
    {"size", "stored.size", CLI_RIGHT, put_size}, {"path", "path", CLI_DIM, put_variable_path},
    {"layer", "layer.name", CLI_DIM, put_name},   {NULL, "stored", CLI_DIM, put_remark}};
static const cli_member tag_variables[] = {{"variable", "name", CLI_KEPT, put_name},
                                           {"kind", "kind", CLI_DIM, put_name},
                                           {"tensor", "", CLI_WHOLE, put_tensor},
                                           {"size", "array.bytes", CLI_RIGHT, put_size},
                                           {"values", "array", CLI_DIM, put_preview}};
static const cli_member ops[] = {{"operation", "op", CLI_KEPT, put_name},
                                 {"count", "count", CLI_RIGHT, put_count},
                                 {"in graph", "in_graph", CLI_RIGHT, put_count},
                                 {"in functions", "in_functions", CLI_RIGHT, put_count},
                                 {"from", "from", CLI_DIM, put_name}};
static const cli_member found[] = {{"is", "is", CLI_DIM | CLI_WHOLE, put_name},
                                   {"name", "name", CLI_KEPT, put_name},
                                   {"kind", "", 0, put_what},
                                   {"where", "path", CLI_KEPT, put_place}};
static const cli_member scopes[] = {{"path", "path", CLI_KEPT, put_name},
                                    {"operation", "op", 0, put_name},
                                    {"nodes", "nodes", CLI_RIGHT, put_count},
                                    {"constants", "size", CLI_RIGHT, put_some},
                                    {"inputs from", "inputs", 0, put_names}};
static const cli_member objects[] = {{"path", "path", CLI_KEPT, put_path},
                                     {"name here", "child", 0, put_child},
                                     {"kind", "kind", CLI_DIM, put_name},
                                     {"what", "", 0, put_object},
                                     {"children", "children", CLI_RIGHT, put_count}};
static const cli_member consumers[] = {{"name", "name", CLI_KEPT, put_name},
                                       {"operation", "op", 0, put_name},
                                       {"takes it as", "inputs", 0, put_uses},
                                       {"is", "is", CLI_DIM | CLI_WHOLE, put_name},
                                       {"function", "function", CLI_KEPT, put_name}};
static const cli_member reached[] = {{"steps", "distance", CLI_RIGHT, put_count},
                                     {"name", "name", CLI_KEPT, put_name},
                                     {"operation", "op", CLI_DIM, put_source_kind},
                                     {"function", "function", CLI_DIM, put_function}};
static const cli_member sources[] = {{"input", "input", CLI_RIGHT, put_input},
                                     {"role", "role", CLI_DIM, put_name},
                                     {"type", "", CLI_WHOLE, put_tensor},
                                     {"from", "name", CLI_KEPT, put_source},
                                     {"operation", "op", CLI_DIM, put_source_kind}};
static const cli_member given[] = {{"name", "name", CLI_KEPT, put_name}, {"type", "", CLI_WHOLE, put_tensor}};
static const cli_member tags[] = {{"tag", "tag", CLI_KEPT, put_name},
                                  {"graph.fb", "graph_bytes", CLI_RIGHT, put_size},
                                  {"params/", "parameters.bytes", CLI_RIGHT, put_size},
                                  {"files", "parameters.files", CLI_RIGHT, put_count},
                                  {"updater/", "updater.bytes", CLI_RIGHT, put_size},
                                  {NULL, "training_config", CLI_DIM | CLI_WHOLE, put_flag},
                                  {NULL, "default", CLI_DIM | CLI_WHOLE, put_flag}};
static const cli_member meta_graphs[] = {{"number", "number", CLI_RIGHT, put_count},
                                         {"tags", "tags", CLI_KEPT, put_any},
                                         {"TensorFlow", "tensorflow_version", 0, put_name},
                                         {"signatures", "signatures", CLI_RIGHT, put_count},
                                         {"graph", "graph.size", CLI_RIGHT, put_size}};
static const cli_member signatures[] = {{"signature", "key", CLI_KEPT, put_name},
                                        {"inputs", "inputs", 0, put_tensors},
                                        {"outputs", "outputs", 0, put_tensors},
                                        {"method", "method", CLI_DIM, put_name}};
static const cli_member tensors[] = {{"name", "name", CLI_KEPT, put_name},
                                     {"type", "", CLI_WHOLE, put_tensor},
                                     {"tensor", "tensor", CLI_DIM, put_name},
                                     {"called", "user_name", CLI_DIM, put_name},
                                     {"operation", "op", CLI_DIM, put_name}};
static const cli_member opset_imports[] = {{"domain", "domain", CLI_KEPT, put_domain},
                                           {"version", "version", CLI_RIGHT, put_count}};
static const cli_member captures[] = {{"argument", "argument", CLI_DIM, put_name},
                                      {"captures", "path", CLI_KEPT, put_path},
                                      {"tensor", "", CLI_WHOLE, put_tensor},
                                      {"name", "name", 0, put_name},
                                      {"kind", "kind", CLI_DIM, put_name}};
static const cli_member calls[] = {{"function", "function", CLI_KEPT, put_function},
                                   {"nodes", "nodes", CLI_RIGHT, put_count},
                                   {"node", "node", CLI_KEPT, put_name}};
static const cli_member paths[] = {{"path", "path", CLI_KEPT, put_path},
                                   {"why", "why", 0, put_name},
                                   {"kind", "kind", CLI_DIM, put_name},
                                   {"needed by", "needed_by", 0, put_any}};
static const cli_member attributes[] = {{"name", "name", CLI_KEPT, put_name}, {"value", "value", 0, put_any}};
static const cli_member arguments[] = {{"name", "name", CLI_KEPT, put_name}, {"value", "value", 0, put_structured}};
static const cli_member graph_variables[] = {{"node", "node", CLI_KEPT, put_name},
                                             {"operation", "op", CLI_DIM, put_name},
                                             {"tensor", "", CLI_WHOLE, put_tensor},
                                             {"shared name", "shared_name", 0, put_name}};
static const cli_member initializers[] = {{"operation", "operation", CLI_KEPT, put_name},
                                          {"signature", "signature", 0, put_name},
                                          {"collection", "collection", 0, put_name}};

#define LIST(questions, key, members) {questions, key, members, sizeof members / sizeof *members}
#define IN(NAME) (1u << CPB_ASK_##NAME)

static const cli_list lists[] = {
    LIST(IN(LOAD), "nodes", paths),
    LIST(IN(OBJECTS), "children", objects),
    LIST(IN(SCOPES), "children", scopes),
    LIST(IN(TAG), "variables", tag_variables),
    LIST(IN(SIGNATURE), "variables", graph_variables),
    LIST(IN(CUT) | IN(FUNCTION) | IN(SIGNATURE), "objects", paths),
    LIST(0, "paths", paths),
    LIST(0, "missing", paths),
    LIST(0, "functions", functions),
    LIST(0, "nodes", nodes),
    LIST(IN(NODE), "from", sources),
    LIST(IN(NODE), "outputs", given),
    LIST(0, "layers", layers),
    LIST(IN(TAG), "constants", tag_constants),
    LIST(0, "constants", constants),
    LIST(0, "maps", tag_constants),
    LIST(0, "variables", variables),
    LIST(0, "ops", ops),
    LIST(IN(UPSTREAM) | IN(DOWNSTREAM), "found", reached),
    LIST(0, "found", found),
    LIST(0, "consumers", consumers),
    LIST(0, "tags", tags),
    LIST(0, "meta_graphs", meta_graphs),
    LIST(0, "signatures", signatures),
    LIST(0, "inputs", tensors),
    LIST(0, "outputs", tensors),
    LIST(0, "opset_imports", opset_imports),
    LIST(0, "captures", captures),
    LIST(0, "calls", calls),
    LIST(0, "called_by", calls),
    LIST(0, "attributes", attributes),
    LIST(0, "arguments", arguments),
    LIST(0, "initializers", initializers),
};

const cli_list *cli_find_list(cpb_question_kind kind, const char *key) {
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    bool here = lists[i].questions == 0 || (lists[i].questions >> kind & 1);
    if (kind == CPB_ASK_SIGNATURE && strcmp(key, "functions") == 0) return cli_find_list(CPB_ASK_FUNCTION, "calls");
    if (here && strcmp(lists[i].key, key) == 0) return &lists[i];
  }
  return NULL;
}

const char *cli_main_list(cpb_question_kind kind) {
  switch (kind) {
    case CPB_ASK_FUNCTIONS: return "functions";
    case CPB_ASK_NODES: return "nodes";
    case CPB_ASK_LAYERS: return "layers";
    case CPB_ASK_CONSTANTS: return "constants";
    case CPB_ASK_OPS: return "ops";
    case CPB_ASK_SEARCH:
    case CPB_ASK_UPSTREAM:
    case CPB_ASK_DOWNSTREAM: return "found";
    case CPB_ASK_OBJECTS:
    case CPB_ASK_SCOPES: return "children";
    case CPB_ASK_CONSUMERS: return "consumers";
    case CPB_ASK_VARIABLES: return "variables";
    default: return NULL;
  }
}

/* --- Rows ------------------------------------------------------------------------------------ */

size_t cli_guess_members(yyjson_val *items, cli_member *members) {
  size_t i, n, count = 0;
  yyjson_val *key, *value;
  yyjson_obj_foreach(yyjson_arr_get_first(items), i, n, key, value) {
    const char *name = yyjson_get_str(key);
    if (count == CLI_COLUMNS_MOST || strchr(name, '.')) continue;
    const bool shape = strcmp(name, "shape") == 0;
    members[count++] = (cli_member){name, name, yyjson_is_str(value) ? CLI_KEPT : 0, shape ? put_shape : put_any};
  }
  return count;
}

void cli_list_begin(cli_table *t, cli_sheet *s, size_t indent, const cli_member *members, size_t count,
                    cli_column *columns) {
  for (size_t i = 0; i < count; i++) {
    columns[i] = (cli_column){members[i].title, members[i].how};
    if (s->subgraphs && strcmp(members[i].member, "in_functions") == 0) columns[i].title = "in functions, subgraphs";
  }
  for (size_t i = 0; i < count && s->csv; i++)
    columns[i].title = members[i].title ? members[i].title : members[i].member;
  cli_table_begin(t, s, indent, columns, count);
}

void cli_list_row(cli_table *t, const cli_member *members, size_t count, yyjson_val *element) {
  for (size_t i = 0; i < count; i++) {
    members[i].put(t->sheet, element, members[i].member);
    cli_table_cell(t);
  }
}
