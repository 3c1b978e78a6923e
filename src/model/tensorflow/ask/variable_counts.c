#include "model/tensorflow/ask/variable_counts.h"

#include "base/checked.h"
#include "model/tensorflow/fields.h"

typedef struct counts {
  uint64_t total, trainable, elements, size;
  bool partial; /* a variable's shape is not known: the sums are without it */
} counts;

static void count(counts *n, const cpb_variable *v) {
  n->total++;
  if (cpb_get_number(v->message, VARIABLE_TRAINABLE)) n->trainable++;
  bool known = v->has_elements && cpb_add_u64(n->elements, v->elements, &n->elements) &&
               cpb_add_u64(n->size, v->bytes, &n->size);
  n->partial = n->partial || !known;
}

static void write_counts(cpb_json_writer *a, const counts *n) {
  cpb_json_writer_unsigned(a, "total", n->total);
  cpb_json_writer_unsigned(a, "trainable", n->trainable);
  cpb_json_writer_unsigned(a, "elements", n->elements);
  cpb_json_writer_unsigned(a, "size", n->size);
  if (n->partial) cpb_json_writer_bool(a, "partial", true);
}

static void write_names(cpb_saved_model *m, const cpb_variable_list *l) {
  cpb_names names;
  uint64_t distinct = 0;
  bool done = true;
  cpb_names_init(&names, &m->viewed.allocator);
  for (size_t i = 0; done && i < l->count; i++)
    done = cpb_names_add(&names, cpb_get_bytes(l->items[i].message, VARIABLE_NAME), 0);
  cpb_names_sort(&names);
  for (size_t i = 0; i < names.count; i++)
    distinct += i == 0 || !cpb_span_equal(names.items[i].text, names.items[i - 1].text);
  cpb_json_writer_unsigned(m->viewed.answer, "names", distinct);
  cpb_names_free(&names);
  if (!done) cpb_viewed_fail_memory(&m->viewed);
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

void cpb_write_variable_counts(cpb_saved_model *m, const cpb_variable_list *l) {
  counts all = {0}, distinct = {0}, twice = {0};
  for (size_t i = 0; i < l->count; i++) {
    count(&all, &l->items[i]);
    count(l->items[i].copy_of == CPB_NO_OBJECT ? &distinct : &twice, &l->items[i]);
  }
  write_counts(m->viewed.answer, &all);
  write_names(m, l);
  cpb_json_writer_open(m->viewed.answer, "distinct", '{');
  write_counts(m->viewed.answer, &distinct);
  cpb_json_writer_close(m->viewed.answer, '}');
  write_copies(m->viewed.answer, &twice);
}
