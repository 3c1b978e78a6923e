/* The merged message of a .cpb file read to its end, and compared. */
#ifndef CPB_CLI_CHECK_MERGE_H
#define CPB_CLI_CHECK_MERGE_H

#include "cli/cli.h"
#include "cpb/message.h"

typedef struct cli_comparison {
  cpb_comparison of; /* with its error, of reading `against` */
  cpb_error error;   /* of reading or merging `cpb` */
} cli_comparison;

/* Merges the file `cpb` with this index; `type` may be NULL. Without `against` only the merge is
 * tried. */
cli_comparison cli_compare(cli *c, const cpb_index *index, const cpb_message_type *type, cpb_file *cpb,
                           cpb_file *against);

#endif
