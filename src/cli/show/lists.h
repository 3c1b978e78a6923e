/* The lists in answers: which members make which columns. */
#ifndef CPB_CLI_SHOW_LISTS_H
#define CPB_CLI_SHOW_LISTS_H

#include "cli/show/table.h"

/* A column: the part of an element that its cells show. */
typedef struct cli_member {
  const char *title, *member; /* the member's name, or the way to it: stored.size */
  unsigned how;
  void (*put)(cli_sheet *s, yyjson_val *element, const char *member);
} cli_member;

typedef struct cli_list {
  unsigned questions; /* a bit for each cpb_question_kind whose answers have it; 0: any */
  const char *key;    /* of the answer, or of an object in it */
  const cli_member *members;
  size_t count;
} cli_list;

/* NULL for a list that is not known. */
const cli_list *cli_find_list(cpb_question_kind kind, const char *key);

/* Columns for the members of any other list, judged by its first elements. `members` has room for CLI_COLUMNS_MOST;
 * returns their number. */
size_t cli_guess_members(yyjson_val *items, cli_member *members);

void cli_list_begin(cli_table *t, cli_sheet *s, size_t indent, const cli_member *members, size_t count,
                    cli_column *columns);
void cli_list_row(cli_table *t, const cli_member *members, size_t count, yyjson_val *element);

#endif
