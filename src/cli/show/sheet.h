/* Output of a command: for a person lines that fit the terminal; with --tsv lines for grep and sort, one item each,
 * with fields separated by tabs and nothing folded, cut or coloured; with --csv such a list as CSV.
 *
 * Text is put together piece by piece, and then ended as a line here, or as a cell of a table (table.h):
 *
 *     cli_put(s, "graph ");
 *     cli_put_size(s, 2000000);
 *     cli_end_line(s, CLI_CUT); // graph 1.9 MiB
 *
 * All text from a model goes through cli_put_name() or a function that uses it. */
#ifndef CPB_CLI_SHOW_SHEET_H
#define CPB_CLI_SHOW_SHEET_H

#include "base/json_read.h"
#include "cli/cli.h"

typedef struct cli_sheet {
  cli *cli;
  bool plain;      /* for a program */
  bool csv;        /* and a list alone, as CSV */
  bool color;      /* the terminal supports colours, and may show them */
  bool utf8;       /* and characters beyond ASCII */
  bool all;        /* --all */
  size_t width;    /* in columns; SIZE_MAX when plain */
  size_t lines;    /* lines printed, as the terminal wraps them */
  bool counts;     /* lines are only counted and not printed */
  bool subgraphs;  /* the functions of the model include subgraphs */
  uint64_t depth;  /* of the requested layer, in which others are indented */
  size_t bold;     /* length of the heading at the beginning of the line */
  cpb_buffer text; /* pending text, since the last line or cell */
  bool failed;     /* memory was short: some output is missing */
} cli_sheet;

typedef enum cli_style { CLI_NORMAL, CLI_BOLD, CLI_FAINT, CLI_ALARM, CLI_ADDED, CLI_REMOVED } cli_style;

/* How a line or cell that is too long is shown. Names, paths and keys that another question needs are never cut. */
typedef enum cli_fit { CLI_CUT, CLI_KEEP, CLI_WRAP } cli_fit;

void cli_sheet_begin(cli_sheet *s, cli *c);
int cli_sheet_end(cli_sheet *s); /* CLI_OK, or the exit code after a message */

/* --- Pieces of text ------------------------------------------------------------- */

void cli_put(cli_sheet *s, const char *text);
void cli_put_format(cli_sheet *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_put_name(cli_sheet *s, cpb_span name);       /* control characters become U+FFFD */
void cli_put_dot(cli_sheet *s);                       /* between two facts on a line: " · ", or ", " */
void cli_put_heading(cli_sheet *s, const char *text); /* at the beginning of a line, in bold */
void cli_put_functions(cli_sheet *s);                 /* "functions", or "functions and subgraphs" */

/* --- Lines ------------------------------------------------------------------------ */

/* Takes the words off `text` that fit into these columns; a longer word stays whole. */
cpb_span cli_take_line(cpb_span *text, size_t columns);

/* Ends the line. The part that does not fit is cut and marked, is kept, or continues in lines of whole words. */
void cli_end_line(cli_sheet *s, cli_style style, cli_fit fit);
/* The same, with this text before it. */
void cli_line(cli_sheet *s, const char *text, cli_style style, cli_fit fit);
void cli_blank_line(cli_sheet *s); /* for a person only */

/* --- What the table needs ---------------------------------------------------------- */

/* The width of the text on a terminal; `bytes` is the length of the part that fits into `most` columns. */
size_t cli_measure(cpb_span text, size_t most, size_t *bytes);
/* Prints the text in at most `width` columns, the last of which marks a cut, and returns the width used. */
size_t cli_print_fitting(cli_sheet *s, cpb_span text, size_t width, cli_style style);
void cli_print_styled(cli_sheet *s, cpb_span text, cli_style style);
void cli_print_spaces(cli_sheet *s, size_t count);
void cli_print_newline(cli_sheet *s);

/* NULL: nothing. */
static inline cpb_span cli_span(const char *text) { return (cpb_span){(const uint8_t *)text, text ? strlen(text) : 0}; }

static inline bool cli_is_same(cpb_span a, cpb_span b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* --- Numbers, dtypes, shapes and JSON values (values.c) ------------------------------ */

/* 3,538,984 and 2.4 MiB for a person; plain digits for a program. */
void cli_put_count(cli_sheet *s, uint64_t count);
void cli_put_size(cli_sheet *s, uint64_t bytes);
void cli_put_share(cli_sheet *s, uint64_t part, uint64_t whole);                      /* 36 % */
void cli_put_plural(cli_sheet *s, uint64_t count, const char *one, const char *more); /* 1,200 nodes */

/* f32 for float32 and FLOAT; other names unchanged. */
void cli_put_dtype(cli_sheet *s, cpb_span dtype);
/* [?,224,224,3], or [batch,3] if sizes have names; [*] for null, where even the rank is unknown. */
void cli_put_shape(cli_sheet *s, yyjson_val *shape);
/* f32[?,224,224,3], of an object's members dtype and shape. */
void cli_put_tensor(cli_sheet *s, yyjson_val *tensor);
/* A StructuredValue (docs/inspecting.md): {a: f32[?,5], b: (i64[], string[])}. */
void cli_put_structured(cli_sheet *s, yyjson_val *value);
/* Any value, on one line; "-" for null and for a missing value. */
void cli_put_value(cli_sheet *s, yyjson_val *value);

/* The value of a member; 0 or nothing if it is missing or of another kind. */
uint64_t cli_number_at(yyjson_val *object, const char *key);
cpb_span cli_text_at(yyjson_val *object, const char *key);
bool cli_is_text(yyjson_val *value, const char *text);
bool cli_begins(cpb_span text, const char *word);

/* --- The numbers in an engine's messages (values.c) ---------------------------------- */

/* Copies the text, and adds separators to byte counts, other counts and offsets: "the message ends here, 35,780 bytes
 * too early". Numbers in names stay unchanged. Text that does not fit is cut off. */
void cli_tell(char *out, size_t size, cpb_span text);

/* A problem or damage in an answer: "byte 1,200: " and the text, with such separators for a person. */
void cli_put_problem(cli_sheet *s, yyjson_val *problem);

#endif
