/* Writes descriptions that several answers share. */
#include "model/tensorflow/describe.h"

#include "base/status.h"
#include "model/common/answer.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/state.h"

/* --- Tensors of signatures ----------------------------------------------------------- */

static void write_sparse(cpb_json_writer *a, cpb_span sparse) {
  cpb_json_writer_open(a, "sparse", '{');
  cpb_json_writer_span(a, "values", cpb_get_bytes(sparse, SPARSE_VALUES));
  cpb_json_writer_span(a, "indices", cpb_get_bytes(sparse, SPARSE_INDICES));
  cpb_json_writer_span(a, "dense_shape", cpb_get_bytes(sparse, SPARSE_SHAPE));
  cpb_json_writer_close(a, '}');
}

/* Writes its components, which are tensors; deeper nested ones are only counted. */
static void write_composite(cpb_json_writer *a, const cpb_part *part, cpb_span composite) {
  cpb_span spec = cpb_get_bytes(composite, COMPOSITE_SPEC);
  cpb_cursor c = cpb_cursor_of(composite);
  cpb_json_writer_open(a, "composite", '{');
  cpb_json_writer_span(a, "type", cpb_get_bytes(spec, TYPE_SPEC_NAME));
  cpb_write_structured(a, "state", part, cpb_get_bytes(spec, TYPE_SPEC_STATE));
  cpb_json_writer_open(a, "components", '[');
  while (cpb_cursor_find(&c, COMPOSITE_COMPONENTS, CPB_WIRE_LEN)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "tensor", cpb_get_bytes(c.bytes, TENSOR_INFO_NAME));
    cpb_write_dtype(a, "dtype", cpb_get_number(c.bytes, TENSOR_INFO_DTYPE));
    cpb_write_shape(a, "shape", cpb_get_shape(c.bytes, TENSOR_INFO_SHAPE));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  cpb_json_writer_close(a, '}');
}

/* A TensorInfo's members: "tensor", "dtype", "shape", or "sparse", "composite". */
static void write_tensor_info(cpb_saved_model *m, cpb_span info) {
  cpb_span name = cpb_get_bytes(info, TENSOR_INFO_NAME), sparse = cpb_get_bytes(info, TENSOR_INFO_SPARSE),
           composite = cpb_get_bytes(info, TENSOR_INFO_COMPOSITE);
  if (name.data) cpb_json_writer_span(m->viewed.answer, "tensor", name);
  if (sparse.data) write_sparse(m->viewed.answer, sparse);
  if (composite.data) write_composite(m->viewed.answer, &m->skeleton, composite);
  cpb_write_dtype(m->viewed.answer, "dtype", cpb_get_number(info, TENSOR_INFO_DTYPE));
  cpb_write_shape(m->viewed.answer, "shape", cpb_get_shape(info, TENSOR_INFO_SHAPE));
}

static void write_tensors(cpb_saved_model *m, const char *key, cpb_span signature, uint32_t number) {
  cpb_entries tensors;
  if (!cpb_saved_entries(m, signature, number, &tensors)) return;
  cpb_json_writer_open(m->viewed.answer, key, '[');
  for (size_t i = 0; i < tensors.count; i++) {
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", tensors.items[i].key);
    write_tensor_info(m, tensors.items[i].value);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_entries_free(&tensors);
}

void cpb_write_signature(cpb_saved_model *m, cpb_span signature) {
  cpb_json_writer_span(m->viewed.answer, "method", cpb_get_bytes(signature, SIGNATURE_METHOD));
  write_tensors(m, "inputs", signature, SIGNATURE_INPUTS);
  write_tensors(m, "outputs", signature, SIGNATURE_OUTPUTS);
}

/* --- Objects ---------------------------------------------------------------------------- */

void cpb_write_object_place(cpb_saved_model *m, uint32_t node) {
  cpb_buffer path;
  cpb_buffer_init(&path, &m->viewed.allocator);
  if (!cpb_objects_path(&m->objects, node, &path)) cpb_viewed_fail_memory(&m->viewed);
  cpb_json_writer_unsigned(m->viewed.answer, "node", node);
  if (path.size > 0) cpb_json_writer_span(m->viewed.answer, "path", (cpb_span){path.data, path.size});
  else cpb_json_writer_null(m->viewed.answer, "path");
  cpb_buffer_free(&path);
}

static void write_user_object(cpb_saved_model *m, cpb_span user) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_span version = cpb_get_bytes(user, USER_VERSION), metadata = cpb_get_bytes(user, USER_METADATA);
  cpb_range where = cpb_part_where(&m->skeleton, metadata);
  cpb_json_writer_span(a, "identifier", cpb_get_bytes(user, USER_IDENTIFIER));
  if (version.data) cpb_json_writer_unsigned(a, "version", cpb_get_number(version, VERSIONS_PRODUCER));
  if (where.length == 0) return;
  cpb_write_range(a, "metadata", where);
}

static void write_asset(cpb_saved_model *m, cpb_span asset) {
  uint64_t wanted = cpb_get_number(asset, SAVED_ASSET_INDEX);
  cpb_json_writer_unsigned(m->viewed.answer, "index", wanted);
  if (wanted < m->objects.num_assets) {
    cpb_span file = m->objects.assets[wanted];
    if (cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED, file.size))
      cpb_json_writer_span(m->viewed.answer, "file", cpb_get_bytes(file, ASSET_FILENAME));
    return;
  }
  cpb_problems_add(&m->viewed.problems, cpb_part_where(&m->skeleton, asset).offset,
                   "asset_file_def_index of a SavedAsset is not that of an asset_file_def");
}

static void write_function_spec(cpb_saved_model *m, cpb_span spec) {
  static const char *const jit[] = {"default", "on", "off"};
  cpb_json_writer *a = m->viewed.answer;
  uint64_t compiled = cpb_get_number(spec, SPEC_JIT);
  if (!spec.data) return;
  cpb_json_writer_open(a, "function_spec", '{');
  cpb_write_structured(a, "fullargspec", &m->skeleton, cpb_get_bytes(spec, SPEC_ARGUMENTS));
  cpb_json_writer_bool(a, "is_method", cpb_get_number(spec, SPEC_IS_METHOD) != 0);
  cpb_write_structured(a, "input_signature", &m->skeleton, cpb_get_bytes(spec, SPEC_INPUT_SIGNATURE));
  cpb_json_writer_text(a, "jit_compile", compiled < 3 ? jit[compiled] : "unknown");
  cpb_json_writer_close(a, '}');
}

static void write_variable(cpb_saved_model *m, cpb_span variable) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_json_writer_span(a, "name", cpb_get_bytes(variable, VARIABLE_NAME));
  cpb_write_dtype(a, "dtype", cpb_get_number(variable, VARIABLE_DTYPE));
  cpb_write_shape(a, "shape", cpb_get_shape(variable, VARIABLE_SHAPE));
  cpb_json_writer_bool(a, "trainable", cpb_get_number(variable, VARIABLE_TRAINABLE) != 0);
  cpb_write_some_text(a, "device", variable, VARIABLE_DEVICE);
}

static void write_bare_function(cpb_saved_model *m, cpb_span function) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_json_writer_span(a, "concrete_function", cpb_get_bytes(function, BARE_FUNCTION));
  cpb_write_strings(a, "argument_keywords", function, BARE_KEYWORDS);
  cpb_json_writer_signed(a, "allowed_positional_arguments", (int64_t)cpb_get_number(function, BARE_POSITIONAL));
  write_function_spec(m, cpb_get_bytes(function, BARE_SPEC));
}

void cpb_write_object(cpb_saved_model *m, uint32_t node) {
  cpb_json_writer *a = m->viewed.answer;
  const cpb_object *object = &m->objects.items[node];
  const cpb_span value = object->value;
  /* Many references may lead to the object, and several of its fields are searched one by one, so charge its size. */
  if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, 4 * (uint64_t)object->message.size)) return;
  cpb_json_writer_text(a, "kind", cpb_object_kind_name(object->kind));
  cpb_write_some_text(a, "registered_name", object->message, OBJECT_REGISTERED_NAME);
  switch (object->kind) {
    case OBJECT_USER: write_user_object(m, value); break;
    case OBJECT_ASSET: write_asset(m, value); break;
    case OBJECT_FUNCTION:
      cpb_write_strings(a, "concrete_functions", value, FUNCTION_CONCRETE);
      write_function_spec(m, cpb_get_bytes(value, FUNCTION_SPEC));
      break;
    case OBJECT_VARIABLE: write_variable(m, value); break;
    case OBJECT_BARE_FUNCTION: write_bare_function(m, value); break;
    case OBJECT_CONSTANT: cpb_json_writer_span(a, "operation", cpb_get_bytes(value, SAVED_CONSTANT_OPERATION)); break;
    case OBJECT_RESOURCE: cpb_write_some_text(a, "device", value, RESOURCE_DEVICE); break;
    case OBJECT_CAPTURED:
      cpb_json_writer_span(a, "name", cpb_get_bytes(value, CAPTURED_NAME));
      cpb_json_writer_span(a, "concrete_function", cpb_get_bytes(value, CAPTURED_FUNCTION));
      break;
    default: break;
  }
}

/* --- Concrete functions -------------------------------------------------------------------- */

/* bound_inputs of a SavedConcreteFunction has the numbers of objects, and no names. The names come from the OpDef of
 * the function in the library. If a damaged OpDef has fewer arguments than there are captures, the last captures
 * have no name. */

static void write_capture(cpb_saved_model *m, uint64_t node, cpb_span argument) {
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  if (argument.data) cpb_json_writer_span(m->viewed.answer, "argument", argument);
  if (node < m->objects.count) {
    cpb_write_object_place(m, (uint32_t)node);
    cpb_write_object(m, (uint32_t)node);
  } else {
    char text[128];
    cpb_format(text, sizeof text, "bound_inputs has node %llu; expected less than %zu, the number of objects",
               (unsigned long long)node, m->objects.count);
    cpb_problems_add(&m->viewed.problems, CPB_NO_OFFSET, text);
    cpb_json_writer_unsigned(m->viewed.answer, "node", node);
    cpb_json_writer_null(m->viewed.answer, "path");
  }
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* A function receives what it captures as its last arguments. */
void cpb_write_captures(cpb_saved_model *m, cpb_span signature, cpb_span concrete) {
  uint64_t bound = cpb_count_varints(concrete, CONCRETE_BOUND_INPUTS), total = cpb_count_bytes(signature, OP_INPUT),
           node;
  cpb_cursor arguments = cpb_cursor_of(signature);
  cpb_varints nodes = cpb_varints_of(concrete, CONCRETE_BOUND_INPUTS);
  for (uint64_t i = bound; i < total; i++) cpb_cursor_find(&arguments, OP_INPUT, CPB_WIRE_LEN);
  cpb_json_writer_open(m->viewed.answer, "captures", '[');
  while (cpb_varints_next(&nodes, &node)) {
    bool named = cpb_cursor_find(&arguments, OP_INPUT, CPB_WIRE_LEN);
    write_capture(m, node, named ? cpb_get_bytes(arguments.bytes, ARG_NAME) : (cpb_span){NULL, 0});
  }
  cpb_json_writer_close(m->viewed.answer, ']');
}

/* --- Functions of the library ------------------------------------------------------------------ */

/* The FunctionSpec of an object that has functions. */
static cpb_span spec_of(const cpb_object *object) {
  return cpb_get_bytes(object->value, object->kind == OBJECT_FUNCTION ? FUNCTION_SPEC : BARE_SPEC);
}

/* Writes only "objects", which lead to the function; returns the FunctionSpec of the first. */
static cpb_span write_function_objects(cpb_saved_model *m, cpb_span function) {
  cpb_span spec = {NULL, 0};
  size_t count;
  const cpb_name *owners = cpb_names_all(&m->objects.owners, function, &count);
  cpb_json_writer_open(m->viewed.answer, "objects", '[');
  for (size_t i = 0; i < count; i++) {
    const cpb_object *object = &m->objects.items[owners[i].what];
    if (i > 0 && owners[i].what == owners[i - 1].what) continue;
    if (!cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED, object->value.size)) break;
    if (!spec.data) spec = spec_of(object);
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_write_object_place(m, owners[i].what);
    cpb_json_writer_text(m->viewed.answer, "kind", cpb_object_kind_name(object->kind));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
  return spec;
}

void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function, const cpb_input_names *names) {
  cpb_span concrete = cpb_objects_concrete(&m->objects, function);
  cpb_span spec = write_function_objects(m, function);
  cpb_write_captures(m, signature, concrete);
  cpb_write_call_signature(m, signature, concrete, spec, names);
}
