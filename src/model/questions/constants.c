#include <stdlib.h>

#include "base/checked.h"
#include "model/questions/questions.h"

static void write_word(cpb_json_writer *a, const char *key, const char *word) {
  if (word) cpb_json_writer_text(a, key, word);
  else cpb_json_writer_null(a, key);
}

void cpb_viewed_write_item(cpb_viewed *m, const cpb_view_item *item) {
  cpb_json_writer *a = m->answer;
  cpb_viewed_write_tensor_name(m, "node", &item->tensor);
  write_word(a, "is", cpb_view_tensor_place(&m->view, &item->tensor));
  write_word(a, "use", cpb_tensor_use_name(item->use));
  if (item->is_copy) cpb_json_writer_bool(a, "shared", true);
  cpb_json_writer_exact_unsigned(a, "parameters", cpb_view_item_counts(item) ? item->measure.elements : 0);
  cpb_viewed_write_graph_name(m, "function", item->tensor.graph);
  m->view.kind->write_tensor(a, &m->view, &item->tensor);
}

static int largest_first(const void *a, const void *b) {
  const cpb_view_item *x = *(const cpb_view_item *const *)a, *y = *(const cpb_view_item *const *)b;
  if (x->measure.size != y->measure.size) return x->measure.size < y->measure.size ? 1 : -1;
  return (x > y) - (x < y);
}

/* Values in the same place count once in the size. */
static uint64_t size_of_all(const cpb_inventory *l) {
  uint64_t size = 0;
  for (size_t i = 0; i < l->count; i++)
    if (!l->items[i].is_copy && !cpb_add_u64(size, l->items[i].measure.size, &size)) size = UINT64_MAX;
  return size;
}

/* Selects all that have values, or those with the question's name: in one graph if that has a name. */
static bool is_wanted(cpb_viewed *m, uint32_t graph, const cpb_view_item *item) {
  const cpb_span wanted = cpb_viewed_name(m);
  cpb_buffer name;
  if (item->measure.is_absent) return false;
  if (!wanted.data) return true;
  if (cpb_viewed_scope(m).data && item->tensor.graph != graph) return false;
  cpb_buffer_init(&name, &m->allocator);
  if (!cpb_view_tensor_name(&item->tensor, &name)) m->answer->failed = true;
  const bool is_it = cpb_span_equal((cpb_span){name.data, name.size}, wanted);
  cpb_buffer_free(&name);
  return is_it;
}

void cpb_question_constants(cpb_viewed *m) {
  uint32_t graph;
  if (!cpb_viewed_graph(m, cpb_viewed_scope(m), &graph)) return;
  const cpb_inventory *l = cpb_viewed_inventory(m);
  if (!l) return;
  const cpb_view_item **sorted = l->count > 0 ? cpb_alloc(&m->allocator, l->count * sizeof *sorted) : NULL;
  if (l->count > 0 && !sorted) {
    cpb_viewed_fail_memory(m);
    return;
  }
  for (size_t i = 0; i < l->count; i++) sorted[i] = &l->items[i];
  if (l->count > 1) qsort(sorted, l->count, sizeof *sorted, largest_first);
  cpb_json_writer_exact_unsigned(m->answer, "size", size_of_all(l));
  cpb_viewed_write_parameters(m);
  cpb_page page = cpb_viewed_page(m, "constants");
  for (size_t i = 0; i < l->count; i++) {
    if (!is_wanted(m, graph, sorted[i]) || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->answer, NULL, '{');
    cpb_viewed_write_item(m, sorted[i]);
    cpb_json_writer_close(m->answer, '}');
  }
  cpb_page_close(m->answer, &page);
  cpb_release(&m->allocator, sorted);
}
