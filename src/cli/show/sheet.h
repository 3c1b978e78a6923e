/* What a command prints: for a person lines that fit the terminal; into a pipe lines for grep and
 * sort, one item each, whose fields are parted by tabs, with nothing folded, cut or coloured.
 *
 * Text is put together piece by piece, then ended as a line here, or as a cell of a table (table.h):
 *
 *     cli_put(s, "graph ");
 *     cli_put_size(s, 2000000);
 *     cli_end_line(s, CLI_CUT);     // graph 1.9 MiB
 *
 * Whatever comes from a model goes through cli_put_name() or one that uses it. */
#ifndef CPB_CLI_SHOW_SHEET_H
#define CPB_CLI_SHOW_SHEET_H

#include "base/json_read.h"
#include "cli/cli.h"

typedef struct cli_sheet {
  cli *cli;
  bool plain;      /* for a program */
  bool color;      /* the terminal has colours, and may show them */
  bool utf8;       /* and characters beyond ASCII */
  bool all;        /* --all */
  size_t width;    /* in columns; SIZE_MAX when plain */
  size_t lines;    /* that were printed, as the terminal shows them */
  bool counts;     /* lines are counted, and not printed */
  uint64_t depth;  /* of the layer that was asked for, in which others are indented */
  size_t bold;     /* bytes at the beginning of the line that are a heading */
  cpb_buffer text; /* what was put since the last line or cell */
  bool failed;     /* memory was short: something is missing */
} cli_sheet;

typedef enum cli_style { CLI_NORMAL, CLI_BOLD, CLI_FAINT, CLI_ALARM, CLI_ADDED, CLI_REMOVED } cli_style;

/* How a line or a cell that is too long is shown. A name, path or key that the next question needs is
 * never cut. */
typedef enum cli_fit { CLI_CUT, CLI_KEEP, CLI_WRAP } cli_fit;

void cli_sheet_begin(cli_sheet *s, cli *c);
int cli_sheet_end(cli_sheet *s); /* CLI_OK, or the exit code after a message */

/* --- Pieces of text ------------------------------------------------------------- */

void cli_put(cli_sheet *s, const char *text);
void cli_put_format(cli_sheet *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_put_name(cli_sheet *s, cpb_span name);       /* what a terminal would act on as U+FFFD */
void cli_put_dot(cli_sheet *s);                       /* between two facts on a line: " · ", or ", " */
void cli_put_heading(cli_sheet *s, const char *text); /* at the beginning of a line, in bold */

/* --- Lines ------------------------------------------------------------------------ */

/* Ends the line; what does not fit is cut and marked, is kept, or goes on in lines of whole words. */
void cli_end_line(cli_sheet *s, cli_style style, cli_fit fit);
void cli_blank_line(cli_sheet *s); /* for a person only */

/* --- What the table needs ---------------------------------------------------------- */

/* The columns that a terminal takes for the text; `bytes` is how much of it fits into `most` of them. */
size_t cli_measure(cpb_span text, size_t most, size_t *bytes);
/* Prints the text in at most `width` columns, the last with the mark of what was cut, and returns how many it took. */
size_t cli_print_fitting(cli_sheet *s, cpb_span text, size_t width, cli_style style);
void cli_print_styled(cli_sheet *s, cpb_span text, cli_style style);
void cli_print_spaces(cli_sheet *s, size_t count);
void cli_print_newline(cli_sheet *s);

static inline cpb_span cli_span(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

#endif
