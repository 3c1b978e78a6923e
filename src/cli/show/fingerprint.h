/* What lies beside a model and belongs to it. */
#ifndef CPB_CLI_SHOW_FINGERPRINT_H
#define CPB_CLI_SHOW_FINGERPRINT_H

#include "base/alloc.h"
#include "cli/cli.h"

/* Adds the member "fingerprint" to the JSON object in `answer`, if there is a
 * fingerprint.pb beside the file `model`. The object stays as it was when that cannot
 * be read: after the message, the exit code. */
int cli_add_fingerprint(cli *c, const char *model, cpb_buffer *answer);

#endif
