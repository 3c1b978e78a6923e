#include "model/tensorflow/functions.h"

#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"

/* The FunctionSpec that an object has for its functions. */
static cpb_span spec_of(const cpb_object *object) {
  return cpb_get_bytes(object->value, object->kind == OBJECT_FUNCTION ? FUNCTION_SPEC : BARE_SPEC);
}

cpb_span cpb_write_function_objects(cpb_saved_model *m, cpb_span function) {
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
  cpb_span spec = cpb_write_function_objects(m, function);
  cpb_write_captures(m, signature, concrete);
  cpb_write_call_signature(m, signature, concrete, spec, names);
}
