/* Numbers in what an engine says, as a person reads them. */
#ifndef CPB_CLI_SHOW_TOLD_H
#define CPB_CLI_SHOW_TOLD_H

#include "cli/show/sheet.h"

/* The text, in which numbers of bytes and of what else is counted, and places, have separators: "the message ends here,
 * 35,780 bytes too early". Numbers in names stay as they are. What does not fit is cut off. */
void cli_tell(char *out, size_t size, cpb_span text);

/* The same onto a sheet, for a person; for a program the text is as it is. */
void cli_put_told(cli_sheet *s, cpb_span text);

#endif
