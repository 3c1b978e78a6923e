/* A table for a person; for a program a line for each row (sheet.h).
 *
 *     static const cli_column columns[] = {{"name", CLI_KEPT}, {"class", 0}, {"params", CLI_RIGHT}};
 *     cli_table_begin(&t, s, 2, columns, 3);
 *     for each row: three times: cli_put...(s, ...), cli_table_cell(&t);
 *     cli_table_end(&t);
 *
 * Columns are as wide as their cells. If the terminal is narrower, cells that may be cut are cut, the widest first;
 * after a kept cell that does not fit, the rest of its row goes on the next line. A column without any text is left
 * out, but not for a program. Every row is printed: who adds only some says how many more there are. */
#ifndef CPB_CLI_SHOW_TABLE_H
#define CPB_CLI_SHOW_TABLE_H

#include "cli/show/sheet.h"

#define CLI_COLUMNS_MOST 12

enum {
  CLI_KEPT = 1,
  CLI_RIGHT = 2 /* numbers; also kept */,
  CLI_DIM = 4,
  CLI_STRONG = 8,
  CLI_WHOLE = 16 /* kept, and short: a label or a type; one that is too long continues after a dimension */
};

typedef struct cli_column {
  const char *title; /* NULL: no title */
  unsigned how;
} cli_column;

typedef struct cli_table {
  cli_sheet *sheet;
  const cli_column *columns;
  size_t num_columns, indent, next; /* the column of the next cell */
  const char *word;                 /* the first word of a program's lines, or NULL */
  bool untitled;
  size_t least;                    /* smallest width of cells that may be cut, and that names make room for; 0: 12 */
  size_t widths[CLI_COLUMNS_MOST]; /* 0: left out */
  cpb_buffer text;                 /* of all cells */
  cpb_buffer ends;                 /* size_t: where each ends in it */
  cpb_buffer styles;               /* a byte for each row: the style of its cells, unless the column has its own */
  cli_style style;                 /* of the next rows */
  size_t rows;                     /* held: added but not printed */
  size_t printed;
} cli_table;

void cli_table_begin(cli_table *t, cli_sheet *s, size_t indent, const cli_column *columns, size_t count);

/* The pending text becomes the next cell of the row, or of the next row. */
void cli_table_cell(cli_table *t);

/* The same, with this text before it. */
void cli_cell(cli_table *t, const char *text); /* NULL: nothing */
void cli_cell_name(cli_table *t, cpb_span name);
void cli_cell_count(cli_table *t, uint64_t count);
void cli_cell_size(cli_table *t, uint64_t bytes);
void cli_cell_tensor(cli_table *t, yyjson_val *tensor);
void cli_cell_more(cli_table *t, uint64_t count); /* "12 more" */

/* Prints the rows that it holds, and frees. */
void cli_table_end(cli_table *t);

#endif
