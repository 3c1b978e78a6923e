/* Formats numbers in an engine's messages for a person. */
#ifndef CPB_CLI_SHOW_TOLD_H
#define CPB_CLI_SHOW_TOLD_H

#include "cli/show/sheet.h"

/* Copies the text, and adds separators to byte counts, other counts and offsets: "the message ends here, 35,780 bytes
 * too early". Numbers in names stay unchanged. Text that does not fit is cut off. */
void cli_tell(char *out, size_t size, cpb_span text);

/* The same onto a sheet, for a person; for a program the text is unchanged. */
void cli_put_told(cli_sheet *s, cpb_span text);

#endif
