#include "model/tensorflow/ask/variable_counts.h"

#include "base/checked.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/tensorflow/fields.h"

typedef struct counts {
  uint64_t total, trainable, elements, size;
  bool partial; /* a variable's shape is not known: the sums are without it */
} counts;

static void count(counts *n, cpb_span variable) {
  uint64_t elements, bits, dtype = cpb_get_number(variable, VARIABLE_DTYPE);
  n->total++;
  if (cpb_get_number(variable, VARIABLE_TRAINABLE)) n->trainable++;
  bool known = cpb_shape_elements(cpb_get_shape(variable, VARIABLE_SHAPE), &elements) &&
               cpb_mul_u64(elements, cpb_dtype_bits(dtype), &bits) &&
               cpb_add_u64(n->elements, elements, &n->elements) && cpb_add_u64(n->size, bits / 8, &n->size);
  n->partial = n->partial || !known;
}

static void write_counts(cpb_json_writer *a, const counts *n) {
  cpb_json_writer_unsigned(a, "total", n->total);
  cpb_json_writer_unsigned(a, "trainable", n->trainable);
  cpb_json_writer_unsigned(a, "elements", n->elements);
  cpb_json_writer_unsigned(a, "size", n->size);
  if (n->partial) cpb_json_writer_bool(a, "partial", true);
}

static void write_names(cpb_saved_model *m) {
  cpb_names names;
  cpb_span variable;
  uint64_t distinct = 0;
  bool done = true;
  cpb_names_init(&names, &m->allocator);
  for (uint32_t i = 0; done && i < m->objects.count; i++) {
    if (cpb_object_kind(&m->objects.items[i], &variable) != OBJECT_VARIABLE) continue;
    done = cpb_names_add(&names, cpb_get_bytes(variable, VARIABLE_NAME), i);
  }
  cpb_names_sort(&names);
  for (size_t i = 0; i < names.count; i++)
    distinct += i == 0 || !cpb_span_equal(names.items[i].text, names.items[i - 1].text);
  cpb_json_writer_unsigned(m->answer, "names", distinct);
  cpb_names_free(&names);
  if (!done) cpb_saved_fail_memory(m);
}

static void write_copies(cpb_json_writer *a, const counts *copies) {
  if (copies->total == 0) {
    cpb_json_writer_null(a, "copies");
    return;
  }
  cpb_json_writer_open(a, "copies", '{');
  write_counts(a, copies);
  cpb_json_writer_text(a, "in", "root._all_variables");
  cpb_json_writer_text(a, "of", "root.variables");
  cpb_json_writer_text(a, "why",
                       "model.export of Keras 3 saves its own variables, which the functions use, and the "
                       "TensorFlow variables in them: each weight is stored twice");
  cpb_json_writer_close(a, '}');
}

void cpb_write_variable_counts(cpb_saved_model *m, const uint32_t *copies) {
  counts all = {0}, distinct = {0}, twice = {0};
  cpb_span variable;
  for (uint32_t i = 0; i < m->objects.count; i++) {
    if (cpb_object_kind(&m->objects.items[i], &variable) != OBJECT_VARIABLE) continue;
    count(&all, variable);
    count(copies[i] == CPB_NO_OBJECT ? &distinct : &twice, variable);
  }
  write_counts(m->answer, &all);
  write_names(m);
  cpb_json_writer_open(m->answer, "distinct", '{');
  write_counts(m->answer, &distinct);
  cpb_json_writer_close(m->answer, '}');
  write_copies(m->answer, &twice);
}
