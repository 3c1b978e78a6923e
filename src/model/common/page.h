/* A list in pages.
 *
 *     cpb_page page = cpb_page_open(answer, question, "children");
 *     while (...)
 *       if (cpb_page_has(&page)) ... write one ...
 *     cpb_page_close(answer, &page); */
#ifndef CPB_MODEL_COMMON_PAGE_H
#define CPB_MODEL_COMMON_PAGE_H

#include <stdbool.h>
#include "base/json_writer.h"
#include "cpb/model.h"

typedef struct cpb_page {
  const cpb_json_writer *answer;
  uint64_t first, count;
  uint64_t total;  /* elements so far */
  uint64_t passed; /* elements walked so far, on the page or not */
  bool sized;      /* the number of elements was known, and has been written */
} cpb_page;

/* Opens the object of a list whose elements are counted during the walk, or whose size is known. In both cases the
 * answer's meter is charged an entry for each element of the list. */
cpb_page cpb_page_open(cpb_json_writer *answer, const cpb_question *question, const char *key);
cpb_page cpb_page_open_sized(cpb_json_writer *answer, const cpb_question *question, const char *key, uint64_t total);
/* Counts an element; true when it is to be written, and can be. */
bool cpb_page_has(cpb_page *page);
void cpb_page_close(cpb_json_writer *answer, const cpb_page *page);

#endif
