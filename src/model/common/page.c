#include "model/common/page.h"

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
