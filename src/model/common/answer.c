#include "model/common/answer.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"

/* --- page ------------------------------------------------------------------------------------- */

/* A page that knows its total writes the total first. Otherwise the walk itself counts, so both follow the
 * items. Most lists have no index by number, so the walk also passes the elements outside the page. */

cpb_page cpb_page_open(cpb_json_writer *a, const cpb_question *question, const char *key) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_open(a, "items", '[');
  return (cpb_page){.answer = a, .first = question->first, .count = question->count};
}

cpb_page cpb_page_open_sized(cpb_json_writer *a, const cpb_question *question, const char *key, uint64_t total) {
  cpb_json_writer_charge(a, CPB_WORK_ENTRIES, total);
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_unsigned(a, "total", total);
  cpb_json_writer_unsigned(a, "first", question->first);
  cpb_json_writer_open(a, "items", '[');
  return (cpb_page){.answer = a, .first = question->first, .count = question->count, .sized = true};
}

bool cpb_page_has(cpb_page *page) {
  uint64_t number = page->total++;
  page->passed++;
  return number >= page->first && number - page->first < page->count && cpb_json_writer_ok(page->answer);
}

/* Each page walks the entire list, also before and after the page, and costs as much work. */
void cpb_page_close(cpb_json_writer *a, const cpb_page *page) {
  cpb_json_writer_charge(a, CPB_WORK_ENTRIES, page->passed);
  cpb_json_writer_close(a, ']');
  if (!page->sized) {
    cpb_json_writer_unsigned(a, "first", page->first);
    cpb_json_writer_unsigned(a, "total", page->total);
  }
  cpb_json_writer_close(a, '}');
}

/* --- parameters ------------------------------------------------------------------------------- */

const char *cpb_tensor_use_name(cpb_tensor_use use) {
  static const char *const names[CPB_NUM_TENSOR_USES] = {"weight",    "constant", "quantization",
                                                         "optimizer", "state",    NULL};
  return names[use];
}

void cpb_parameters_add(cpb_parameters *p, uint64_t elements, uint64_t bytes, uint64_t size, bool trainable) {
  cpb_add_saturated(&p->total, elements);
  if (trainable) cpb_add_saturated(&p->trainable, elements);
  cpb_add_saturated(&p->bytes, bytes);
  cpb_add_saturated(&p->size, size);
}

/* Null says that the model does not tell the number. 0 would be a claim. */
static void write_number(cpb_json_writer *a, const char *key, bool known, uint64_t number) {
  if (known) cpb_json_writer_exact_unsigned(a, key, number);
  else cpb_json_writer_null(a, key);
}

void cpb_parameters_write(const cpb_parameters *p, cpb_json_writer *a) {
  cpb_json_writer_open(a, "parameters", '{');
  cpb_json_writer_exact_unsigned(a, "total", p->total);
  write_number(a, "trainable", p->knows_trainable, p->trainable);
  write_number(a, "tensors", !p->lacks_tensors, p->tensors);
  write_number(a, "bytes", !p->lacks_tensors, p->bytes);
  write_number(a, "size", !p->lacks_tensors, p->size);
  if (p->partial) cpb_json_writer_bool(a, "partial", true);
  cpb_json_writer_close(a, '}');
}

/* --- problems --------------------------------------------------------------------------------- */

/* A problem has a fixed size, so a hostile model's problems take about 20 KB. A text that does not fit is cut off. */
#define MOST 100

void cpb_problems_init(cpb_problems *p, const cpb_allocator *a) { *p = (cpb_problems){.allocator = *a}; }

void cpb_problems_free(cpb_problems *p) {
  cpb_release(&p->allocator, p->items);
  cpb_problems_init(p, &p->allocator);
}

static void add(cpb_problems *p, uint64_t offset, const char *text, bool is_damage) {
  if (p->count == MOST || !CPB_RESERVE(&p->allocator, &p->items, &p->capacity, p->count + 1)) {
    p->more++;
    return;
  }
  cpb_problem *problem = &p->items[p->count++];
  problem->offset = offset;
  problem->is_damage = is_damage;
  cpb_format(problem->text, sizeof problem->text, "%s", text);
}

void cpb_problems_add(cpb_problems *p, uint64_t offset, const char *text) { add(p, offset, text, false); }

void cpb_problems_add_damage(cpb_problems *p, uint64_t offset, const char *text) { add(p, offset, text, true); }

static void write(cpb_json_writer *a, uint64_t offset, const char *text, bool is_damage) {
  cpb_json_writer_open(a, NULL, '{');
  if (offset == CPB_NO_OFFSET) cpb_json_writer_null(a, "offset");
  else cpb_json_writer_unsigned(a, "offset", offset);
  cpb_json_writer_text(a, "text", text);
  if (is_damage) cpb_json_writer_bool(a, "damage", true);
  cpb_json_writer_close(a, '}');
}

void cpb_problems_write(const cpb_problems *p, cpb_json_writer *a) {
  char text[64];
  for (size_t i = 0; i < p->count; i++) write(a, p->items[i].offset, p->items[i].text, p->items[i].is_damage);
  if (p->more == 0) return;
  cpb_format(text, sizeof text, "and %llu more problems", (unsigned long long)p->more);
  write(a, CPB_NO_OFFSET, text, false);
}

/* --- text ------------------------------------------------------------------------------------- */

#define SHOWN 64 /* bytes of a string */

/* As much of it as ends with a whole character. */
static cpb_span first_of(cpb_span text) {
  /* text.data[SHOWN] exists: only longer texts are cut. */
  size_t size = SHOWN;
  while (size > SHOWN - 4 && (text.data[size] & 0xc0) == 0x80) size--;
  return (cpb_span){text.data, size};
}

void cpb_write_short_text(cpb_json_writer *a, const cpb_part *part, cpb_span text) {
  cpb_range where = cpb_part_where(part, text);
  bool omitted = cpb_part_omits(part, text);
  if (text.size <= SHOWN && !omitted) {
    cpb_json_writer_span(a, NULL, text);
    return;
  }
  cpb_json_writer_open(a, NULL, '{');
  if (omitted) cpb_json_writer_null(a, "text");
  else cpb_json_writer_span(a, "text", first_of(text));
  cpb_json_writer_unsigned(a, "size", omitted ? where.length : text.size);
  cpb_json_writer_close(a, '}');
}

/* --- write ------------------------------------------------------------------------------------ */

void cpb_write_strings(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) cpb_json_writer_span(a, NULL, c.bytes);
  cpb_json_writer_close(a, ']');
}

void cpb_write_some_text(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  const cpb_span text = cpb_get_bytes(message, number);
  if (text.size > 0) cpb_json_writer_span(a, key, text);
}

void cpb_write_varints(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  uint64_t value;
  cpb_varints list = cpb_varints_of(message, number);
  cpb_json_writer_open(a, key, '[');
  while (cpb_varints_next(&list, &value)) cpb_json_writer_exact(a, NULL, (int64_t)value);
  cpb_json_writer_close(a, ']');
}

void cpb_write_range(cpb_json_writer *a, const char *key, cpb_range range) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_unsigned(a, "offset", range.offset);
  cpb_json_writer_unsigned(a, "size", range.length);
  cpb_json_writer_close(a, '}');
}

void cpb_write_omitted(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span value) {
  cpb_json_writer_open(a, key, '{');
  cpb_write_range(a, "omitted", cpb_part_where(part, value));
  cpb_json_writer_close(a, '}');
}
