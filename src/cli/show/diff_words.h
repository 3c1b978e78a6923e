/* The words that a person reads for the names of sections, items and members in a diff (cpb/diff.h); a program gets the
 * names. web/inspector/src/panels/compare-words.js has the same words. */
#ifndef CPB_CLI_SHOW_DIFF_WORDS_H
#define CPB_CLI_SHOW_DIFF_WORDS_H

#include "cli/show/values.h"

/* "kinds of operations" for ops. */
void cli_put_section(cli_sheet *s, yyjson_val *section);

/* The difference's name: "concrete functions" for a fact of the overview; names from the model stay unchanged. */
void cli_put_item(cli_sheet *s, yyjson_val *section, yyjson_val *difference);

/* A member of the difference: "user objects" for kinds.user_object; nothing if the item's name is sufficient. */
void cli_put_member(cli_sheet *s, yyjson_val *section, yyjson_val *difference, cpb_span member);

/* Whether the member's numbers are counts, as 3,538,984. */
bool cli_is_count(yyjson_val *section, cpb_span member);

#endif
