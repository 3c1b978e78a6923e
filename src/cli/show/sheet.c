#include "cli/show/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/os/os.h"

#define WIDTH_DEFAULT 80
#define WIDTH_LEAST 20
#define WIDTH_MOST 1000
#define STDOUT 1

/* --- The terminal ----------------------------------------------------------------- */

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* The first of these that is set counts, in the order of POSIX. */
static bool locale_is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = setting(names[i]);
    if (value)
      return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
  }
  return false;
}

static size_t width_of(const cli *c) {
  const char *columns = setting("COLUMNS");
  uint64_t width = c->settings.width;
  if (width == 0) width = columns ? strtoul(columns, NULL, 10) : 0;
  if (width == 0) width = os_columns(STDOUT);
  if (width == 0) width = WIDTH_DEFAULT;
  if (width < WIDTH_LEAST) return WIDTH_LEAST;
  return width > WIDTH_MOST ? WIDTH_MOST : (size_t)width;
}

void cli_sheet_begin(cli_sheet *s, cli *c) {
  const char *kind = setting("TERM");
  bool terminal = os_is_terminal(STDOUT);
  *s = (cli_sheet){.cli = c, .all = c->settings.all, .csv = c->settings.csv, .utf8 = locale_is_utf8()};
  s->plain = c->settings.tsv || c->settings.csv;
  s->width = s->plain ? SIZE_MAX : width_of(c);
  s->color = terminal && kind && strcmp(kind, "dumb") != 0 && !setting("NO_COLOR");
  cpb_buffer_init(&s->text, &c->allocator);
}

int cli_sheet_end(cli_sheet *s) {
  cpb_buffer_free(&s->text);
  return s->failed ? cli_fail_memory(s->cli) : CLI_OK;
}

/* --- Pieces of text ------------------------------------------------------------------ */

static void append(cli_sheet *s, const void *text, size_t size) {
  s->failed = s->failed || !cpb_buffer_append(&s->text, text, size);
}

void cli_put(cli_sheet *s, const char *text) { append(s, text, strlen(text)); }

void cli_put_format(cli_sheet *s, const char *format, ...) {
  char text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  cli_put(s, text);
}

void cli_put_name(cli_sheet *s, cpb_span name) {
  while (name.size > 0) {
    size_t length = cpb_utf8_length(name);
    bool shown = length > 0 && !cpb_is_control(cpb_utf8_code(name.data, length));
    if (length == 0) length = 1;
    if (shown) append(s, name.data, length);
    else cli_put(s, "\xef\xbf\xbd");
    name = (cpb_span){name.data + length, name.size - length};
  }
}

void cli_put_dot(cli_sheet *s) { cli_put(s, s->utf8 && !s->plain ? " \xc2\xb7 " : ", "); }

void cli_put_heading(cli_sheet *s, const char *text) {
  cli_put(s, text);
  s->bold = s->text.size;
}

void cli_put_functions(cli_sheet *s) { cli_put(s, s->subgraphs ? "functions and subgraphs" : "functions"); }

/* --- Width ------------------------------------------------------------------------------ */

/* The columns of a character: two for East Asian ones and pictures, none for one that combines with the character
 * before it. */
static unsigned columns_of(uint32_t code) {
  static const struct {
    uint32_t first, last;
    unsigned columns;
  } ranges[] = {{0x300, 0x36f, 0},   {0x1100, 0x115f, 2}, {0x200b, 0x200d, 0},   {0x2e80, 0xa4cf, 2},
                {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},
                {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};
  for (size_t i = 0; code >= 0x300 && i < sizeof ranges / sizeof *ranges; i++)
    if (code >= ranges[i].first && code <= ranges[i].last) return ranges[i].columns;
  return 1;
}

size_t cli_measure(cpb_span text, size_t most, size_t *bytes) {
  size_t columns = 0;
  *bytes = 0;
  while (*bytes < text.size) {
    size_t length = cpb_utf8_length((cpb_span){text.data + *bytes, text.size - *bytes});
    size_t more = length > 0 ? columns_of(cpb_utf8_code(text.data + *bytes, length)) : 1;
    if (more > most - columns) break;
    columns += more;
    *bytes += length > 0 ? length : 1;
  }
  return columns;
}

/* --- Lines ------------------------------------------------------------------------------- */

void cli_print_styled(cli_sheet *s, cpb_span text, cli_style style) {
  static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[1;31m", "\033[32m", "\033[31m"};
  bool styled = s->color && style != CLI_NORMAL && text.size > 0;
  if (s->counts) return;
  if (styled) cli_print(s->cli, "%s", codes[style]);
  cli_print_bytes(s->cli, text.data, text.size);
  if (styled) cli_print(s->cli, "\033[0m");
}

void cli_print_spaces(cli_sheet *s, size_t count) {
  if (!s->counts) cli_print(s->cli, "%*s", (int)count, "");
}

void cli_print_newline(cli_sheet *s) {
  if (!s->counts) cli_print(s->cli, "\n");
}

size_t cli_print_fitting(cli_sheet *s, cpb_span text, size_t width, cli_style style) {
  const char *mark = s->utf8 ? "\xe2\x80\xa6" : "...";
  size_t marked = s->utf8 ? 1 : 3, bytes, columns = cli_measure(text, width, &bytes);
  if (bytes < text.size) {
    columns = cli_measure(text, width > marked ? width - marked : 0, &bytes);
    cli_print_styled(s, (cpb_span){text.data, bytes}, style);
    cli_print_styled(s, cli_span(mark), style);
    return columns + marked;
  }
  cli_print_styled(s, text, style);
  return columns;
}

/* Whether a space follows a dot here (cli_put_dot). */
static bool is_after_dot(cpb_span text, size_t at) {
  return at > 2 && text.data[at] == ' ' && memcmp(text.data + at - 3, " \xc2\xb7", 3) == 0;
}

/* The number of bytes that fit, preferably up to the end of a fact, else of a word. */
static size_t find_break(cpb_span text, size_t width) {
  size_t bytes, at;
  cli_measure(text, width, &bytes);
  if (bytes == text.size) return bytes;
  for (at = bytes; at > 0 && !is_after_dot(text, at); at--) continue;
  if (at > 0) return at;
  for (at = bytes; at > 0 && text.data[at] != ' '; at--) continue;
  size_t first = 0; /* a space after text */
  while (first < text.size && text.data[first] == ' ') first++;
  if (at > first) return at;
  for (at = first; at < text.size && text.data[at] != ' '; at++) continue;
  return at;
}

cpb_span cli_take_line(cpb_span *text, size_t columns) {
  const cpb_span line = {text->data, find_break(*text, columns)};
  size_t end = line.size;
  while (end < text->size && text->data[end] == ' ') end++;
  *text = (cpb_span){text->data + end, text->size - end};
  return line;
}

static size_t print_part(cli_sheet *s, cpb_span text, cli_style style) {
  size_t bytes, columns = cli_measure(text, SIZE_MAX, &bytes);
  cpb_span heading = {text.data, s->bold < text.size ? s->bold : text.size};
  cli_print_styled(s, heading, CLI_BOLD);
  cli_print_styled(s, (cpb_span){text.data + heading.size, text.size - heading.size}, style);
  cli_print_newline(s);
  s->lines += columns == 0 || s->plain ? 1 : (columns - 1) / s->width + 1;
  s->bold = 0;
  return columns;
}

/* Prints lines of whole words; lines after the first are indented. */
static void print_wrapped(cli_sheet *s, cli_style style) {
  cpb_span text = {s->text.data, s->text.size};
  size_t indent = 0, left = s->width;
  while (indent < text.size && text.data[indent] == ' ') indent++;
  while (true) {
    print_part(s, cli_take_line(&text, left), style);
    if (text.size == 0) return;
    left = s->width > indent + 12 ? s->width - indent - 2 : s->width;
    if (left < s->width) cli_print_spaces(s, indent + 2);
  }
}

void cli_end_line(cli_sheet *s, cli_style style, cli_fit fit) {
  cpb_span text = {s->text.data, s->text.size};
  size_t bytes, columns = cli_measure(text, SIZE_MAX, &bytes);
  if (fit == CLI_CUT && columns > s->width) {
    cpb_span heading = {text.data, s->bold < text.size ? s->bold : text.size};
    size_t left = s->width - cli_measure(heading, s->width, &bytes);
    cli_print_styled(s, heading, CLI_BOLD);
    cli_print_fitting(s, (cpb_span){text.data + heading.size, text.size - heading.size}, left, style);
    cli_print_newline(s);
    s->lines++;
  } else if (fit == CLI_WRAP && !s->plain) {
    print_wrapped(s, style);
  } else {
    print_part(s, text, style);
  }
  s->text.size = s->bold = 0;
}

void cli_line(cli_sheet *s, const char *text, cli_style style, cli_fit fit) {
  cli_put(s, text);
  cli_end_line(s, style, fit);
}

void cli_blank_line(cli_sheet *s) {
  if (s->plain) return;
  cli_print_newline(s);
  s->lines++;
}
