#include "cli/show/table.h"

#include <string.h>

#define GAP 2
#define ROWS_AT_ONCE 1000 /* columns are as wide as the cells of so many rows; then they are printed */

/* --- Cells -------------------------------------------------------------------------- */

static size_t end_of(const cli_table *t, size_t cell) {
  size_t end;
  memcpy(&end, t->ends.data + cell * sizeof end, sizeof end);
  return end;
}

static cpb_span cell_at(const cli_table *t, size_t row, size_t column) {
  size_t cell = row * t->num_columns + column, begin = cell > 0 ? end_of(t, cell - 1) : 0;
  if (end_of(t, cell) == begin) return (cpb_span){(const uint8_t *)"", 0}; /* there may be no text at all */
  return (cpb_span){t->text.data + begin, end_of(t, cell) - begin};
}

static size_t columns_of(cpb_span text) {
  size_t bytes;
  return cli_measure(text, SIZE_MAX, &bytes);
}

static bool may_be_cut(const cli_table *t, size_t column) {
  return !(t->columns[column].how & (CLI_KEPT | CLI_RIGHT | CLI_WHOLE));
}

/* --- Widths ---------------------------------------------------------------------------- */

static void widen(cli_table *t, size_t rows) {
  for (size_t c = 0; c < t->num_columns; c++) {
    for (size_t r = 0; r < rows; r++) {
      size_t width = columns_of(cell_at(t, r, c));
      if (width > t->widths[c]) t->widths[c] = width;
    }
    size_t title = t->columns[c].title && !t->untitled ? strlen(t->columns[c].title) : 0;
    if (t->widths[c] > 0 && title > t->widths[c]) t->widths[c] = title;
  }
}

static size_t total_width(const cli_table *t) {
  size_t total = t->indent, shown = 0;
  for (size_t c = 0; c < t->num_columns; c++)
    if (t->widths[c] > 0) total += t->widths[c] + (shown++ > 0 ? GAP : 0);
  return total;
}

#define CUT 0

/* The widest of the columns that may be cut, or of those that are CLI_KEPT or CLI_WHOLE; none becomes narrower than
 * `least`. */
static size_t find_widest(const cli_table *t, unsigned how, size_t least) {
  size_t found = SIZE_MAX;
  for (size_t c = 0; c < t->num_columns; c++) {
    bool eligible = how == CUT ? may_be_cut(t, c) : (t->columns[c].how & how) != 0;
    if (!eligible || t->widths[c] <= least) continue;
    if (found == SIZE_MAX || t->widths[c] > t->widths[found]) found = c;
  }
  return found;
}

static void narrow(cli_table *t, unsigned how, size_t least) {
  size_t c;
  while (total_width(t) > t->sheet->width && (c = find_widest(t, how, least)) != SIZE_MAX) t->widths[c]--;
}

static void fit(cli_table *t) {
  size_t mark = t->sheet->utf8 ? 1 : 3;
  narrow(t, CUT, t->least > 0 ? t->least : 12);
  narrow(t, CLI_WHOLE, 40); /* types and names that are longer than this get lines of their own */
  narrow(t, CLI_KEPT, 40);
  narrow(t, CLI_KEPT, 24);
  narrow(t, CUT, 6);
  narrow(t, CLI_KEPT, 8);
  narrow(t, CUT, mark);
}

/* --- Lines ------------------------------------------------------------------------------- */

static cli_style style_of(const cli_table *t, unsigned how, size_t row) {
  if (how & CLI_STRONG) return CLI_BOLD;
  return how & CLI_DIM ? CLI_FAINT : (cli_style)t->styles.data[row];
}

static size_t find_last(const cli_table *t) {
  size_t last = t->num_columns;
  while (last > 0 && t->widths[last - 1] == 0) last--;
  return last;
}

typedef struct row_place {
  size_t row, at, lines; /* the column that was reached; lines that the row takes so far */
} row_place;

static void next_line(const cli_table *t, row_place *p) {
  cli_print_newline(t->sheet);
  p->lines++;
  p->at = 0;
}

/* Takes the dimensions off a type that fit into these columns, and at least one. */
static cpb_span take_dimensions(cpb_span *text, size_t columns) {
  size_t end;
  cli_measure(*text, columns, &end);
  while (end > 0 && text->data[end - 1] != ',') end--;
  while (end < text->size && (end == 0 || text->data[end - 1] != ',')) end++;
  const cpb_span line = {text->data, end};
  *text = (cpb_span){text->data + end, text->size - end};
  return line;
}

/* Lines of whole words, or dimensions; returns the rest, which fits into one, or is one of them. */
static cpb_span place_parts(cli_table *t, row_place *p, size_t c, size_t column, cpb_span text) {
  const cli_style style = style_of(t, t->columns[c].how, p->row);
  const size_t room = t->sheet->width > column ? t->sheet->width - column : 0;
  while (columns_of(text) > room) {
    const cpb_span whole = text;
    const cpb_span line = t->columns[c].how & CLI_WHOLE ? take_dimensions(&text, room) : cli_take_line(&text, room);
    if (text.size == 0) return whole;
    cli_print_spaces(t->sheet, column);
    cli_print_styled(t->sheet, line, style);
    next_line(t, p);
  }
  return text;
}

static void place_cell(cli_table *t, row_place *p, size_t c, size_t column, cpb_span text) {
  size_t width = columns_of(text), room = t->widths[c];
  bool cut = may_be_cut(t, c) && width > room;
  const unsigned how = t->columns[c].how;
  size_t own = t->indent + (how & CLI_WHOLE ? 3 : 2) * GAP; /* where what has a line of its own begins */
  bool beyond = how & (CLI_KEPT | CLI_WHOLE) && width > room && column > own && column + width > t->sheet->width;
  cli_style style = style_of(t, how, p->row);
  if (beyond) column = own;
  if (p->at > 0 && (beyond || p->at + GAP > column)) next_line(t, p); /* or a name was longer than its column */
  if (beyond) text = place_parts(t, p, c, column, text);
  width = columns_of(text);
  size_t left = how & CLI_RIGHT && width < room ? room - width : 0;
  cli_print_spaces(t->sheet, column - p->at + left);
  if (cut) cli_print_fitting(t->sheet, text, room, style);
  else cli_print_styled(t->sheet, text, style);
  p->at = column + left + (cut ? room : width);
  if (p->at > t->sheet->width) p->lines += (p->at - 1) / t->sheet->width;
}

/* Prints the row; returns the lines that it takes. */
static size_t place_row(cli_table *t, size_t row) {
  row_place p = {.lines = 1, .row = row};
  size_t column = t->indent, end = find_last(t);
  for (size_t c = 0; c < end; c++) {
    cpb_span text = cell_at(t, row, c);
    if (text.size > 0 && t->widths[c] > 0) place_cell(t, &p, c, column, text);
    if (t->widths[c] > 0) column += t->widths[c] + GAP;
  }
  cli_print_newline(t->sheet);
  return p.lines;
}

static void print_titles(cli_table *t) {
  size_t end = find_last(t), column = t->indent, at = 0;
  for (size_t c = 0; c < end; c++) {
    const char *title = t->columns[c].title ? t->columns[c].title : "";
    if (t->widths[c] == 0) continue;
    size_t length = strlen(title), left = t->columns[c].how & CLI_RIGHT ? t->widths[c] - length : 0;
    if (length > 0) {
      cli_print_spaces(t->sheet, column - at + left);
      at = column + left + cli_print_fitting(t->sheet, cli_span(title), t->widths[c], CLI_FAINT);
    }
    column += t->widths[c] + GAP;
  }
  cli_print_newline(t->sheet);
  t->sheet->lines++;
}

static bool has_titles(const cli_table *t) {
  for (size_t c = 0; c < t->num_columns; c++)
    if (t->columns[c].title && t->widths[c] > 0) return !t->untitled;
  return false;
}

static void flush(cli_table *t) {
  widen(t, t->rows);
  fit(t);
  if (t->printed == 0 && t->rows > 0 && has_titles(t)) print_titles(t);
  for (size_t row = 0; row < t->rows; row++) t->sheet->lines += place_row(t, row);
  t->printed += t->rows;
  t->rows = 0;
  t->text.size = t->ends.size = t->styles.size = 0;
}

/* --- CSV -------------------------------------------------------------------------------- */

/* A field of RFC 4180. Names have no line breaks (cli_put_name). */
static void print_field(cli *c, cpb_span text) {
  const bool quoted = memchr(text.data, ',', text.size) || memchr(text.data, '"', text.size);
  if (quoted) cli_print(c, "\"");
  for (size_t i = 0, next; i < text.size; i = next) {
    for (next = i + 1; next < text.size && text.data[next - 1] != '"';) next++;
    cli_print_bytes(c, text.data + i, next - i);
    if (text.data[next - 1] == '"') cli_print(c, "\"");
  }
  if (quoted) cli_print(c, "\"");
}

static void print_csv_titles(const cli_table *t) {
  for (size_t i = 0; i < t->num_columns; i++) {
    if (i > 0) cli_print(t->sheet->cli, ",");
    if (t->columns[i].title) print_field(t->sheet->cli, cli_span(t->columns[i].title));
  }
  cli_print(t->sheet->cli, "\n");
}

/* --- The table ------------------------------------------------------------------------------ */

void cli_table_begin(cli_table *t, cli_sheet *s, size_t indent, const cli_column *columns, size_t count) {
  *t = (cli_table){.sheet = s, .columns = columns, .num_columns = count, .indent = indent};
  cpb_buffer_init(&t->text, &s->cli->allocator);
  cpb_buffer_init(&t->ends, &s->cli->allocator);
  cpb_buffer_init(&t->styles, &s->cli->allocator);
  s->text.size = 0;
  if (s->csv) print_csv_titles(t);
}

static void add_csv(cli_table *t) {
  cli *c = t->sheet->cli;
  if (t->sheet->text.size > 0) print_field(c, (cpb_span){t->sheet->text.data, t->sheet->text.size});
  cli_print(c, t->next + 1 < t->num_columns ? "," : "\n");
}

static void add_plain(cli_table *t) {
  cli *c = t->sheet->cli;
  if (t->next == 0 && t->word) cli_print(c, "%s\t", t->word);
  cli_print_bytes(c, t->sheet->text.data, t->sheet->text.size);
  cli_print(c, t->next + 1 < t->num_columns ? "\t" : "\n");
}

static void add(cli_table *t) {
  cli_sheet *s = t->sheet;
  uint8_t style = (uint8_t)t->style;
  bool added = cpb_buffer_append(&t->text, s->text.data, s->text.size) &&
               (t->next > 0 || cpb_buffer_append(&t->styles, &style, 1));
  size_t end = t->text.size;
  s->failed = s->failed || !added || !cpb_buffer_append(&t->ends, &end, sizeof end);
}

void cli_table_cell(cli_table *t) {
  if (t->sheet->csv) add_csv(t);
  else if (t->sheet->plain) add_plain(t);
  else if (!t->sheet->failed) add(t);
  t->sheet->text.size = 0;
  if (++t->next < t->num_columns) return;
  t->next = 0;
  t->rows++;
  if (t->rows == ROWS_AT_ONCE && !t->sheet->plain && !t->sheet->failed) flush(t);
}

void cli_cell(cli_table *t, const char *text) {
  if (text) cli_put(t->sheet, text);
  cli_table_cell(t);
}

void cli_cell_name(cli_table *t, cpb_span name) {
  cli_put_name(t->sheet, name);
  cli_table_cell(t);
}

void cli_cell_count(cli_table *t, uint64_t count) {
  cli_put_count(t->sheet, count);
  cli_table_cell(t);
}

void cli_cell_size(cli_table *t, uint64_t bytes) {
  cli_put_size(t->sheet, bytes);
  cli_table_cell(t);
}

void cli_cell_tensor(cli_table *t, yyjson_val *tensor) {
  cli_put_tensor(t->sheet, tensor);
  cli_table_cell(t);
}

void cli_cell_more(cli_table *t, uint64_t count) {
  cli_put_count(t->sheet, count);
  cli_cell(t, " more");
}

void cli_table_end(cli_table *t) {
  if (!t->sheet->plain && !t->sheet->failed) flush(t);
  cpb_buffer_free(&t->text);
  cpb_buffer_free(&t->ends);
  cpb_buffer_free(&t->styles);
}
