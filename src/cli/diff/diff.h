/* What the parts of cpb diff have in common: two models that are asked the same. */
#ifndef CPB_CLI_DIFF_DIFF_H
#define CPB_CLI_DIFF_DIFF_H

#include "cli/model.h"
#include "model/diff/lists.h"
#include "model/diff/members.h"
#include "model/diff/table.h"

/* The items of a list of both models, without what says where they are, and as they are:
 * in the same order, so that the n-th of the one is the n-th of the other. */
typedef struct diff_items {
  cpb_diff_table plain[2], whole[2];
} diff_items;

typedef struct diff {
  cli *cli;
  cpb_model_file *files[2];
  cpb_model_kind kinds[2];
  int status;           /* CLI_OK, or what went wrong: said already */
  cpb_diff_pairs pairs; /* of functions */
  cpb_json_writer out;  /* the result */
  bool different;
  uint32_t meta_graph; /* what is compared: this, or the tag of a SameDiff zip */
  cpb_span tag;
  uint64_t most; /* differences that are shown of a section */
} diff;

/* A section of the result, which is left out when it says nothing. */
typedef struct diff_section {
  size_t begin; /* of it in diff.out */
  bool comma;
  uint64_t added, removed, changed, same;
} diff_section;

/* False once something has gone wrong. */
bool diff_ok(const diff *d);
bool diff_fail_memory(diff *d);

/* The answer of one side; NULL when there is none. To be freed with yyjson_doc_free(). */
yyjson_doc *diff_ask(diff *d, int side, cpb_question_kind kind, cpb_span name, uint64_t first);

/* A count or an id in an answer; 0 where there is none. */
uint64_t diff_number(yyjson_val *object, const char *key);

void diff_items_init(diff *d, diff_items *items);
void diff_items_free(diff_items *items);
/* Reads a list of the model on that side; each key begins with `prefix`. */
bool diff_read(diff *d, const cpb_diff_list *list, int side, cpb_span name, cpb_span prefix, diff_items *items);
/* The answer itself as one item. */
bool diff_read_one(diff *d, const cpb_diff_list *list, int side, cpb_span name, cpb_span key, diff_items *items);
/* In the order of the keys. */
bool diff_sort(diff *d, diff_items *items);

diff_section diff_begin(diff *d, const char *name, cpb_span function);
void diff_end(diff *d, diff_section *s, bool even_if_same);
/* A difference is opened, and whether there is room to show it: "name" and "change" are
 * written then, and diff_close_one() ends it. */
bool diff_open_one(diff *d, diff_section *s, const char *change, cpb_span name, uint64_t *counter);
void diff_close_one(diff *d);
/* Compares two items, or counts one that is missing on the other side. */
bool diff_item(diff *d, diff_section *s, const diff_items *items, const cpb_diff_join *join);
/* All of them as a section. */
bool diff_section_of(diff *d, const char *name, cpb_span function, diff_items *items);

cpb_diff_join diff_join(const diff_items *items);

/* diff_values.c: of constants and parameters, whose values are compared as well. */
bool diff_constants(diff *d);
bool diff_parameters(diff *d);

/* diff_show.c */
int diff_show(cli *c, const char *json, size_t size);

#endif
