#include "cli/show/told.h"

#include "base/checked.h"

#define TOLD_MOST 1024

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(uint8_t c) { return c >= 'a' && c <= 'z'; }

/* Whether the word before `end`, or at `begin`, is one of those that go with a number. */
static bool is_one_of(cpb_span text, size_t begin, size_t end, const char *const *words) {
  for (; *words; words++) {
    if (strlen(*words) == end - begin && memcmp(text.data + begin, *words, end - begin) == 0) return true;
  }
  return false;
}

static bool is_place(cpb_span text, size_t number) {
  static const char *const words[] = {"byte", "bytes", NULL};
  size_t end = number > 0 && text.data[number - 1] == ' ' ? number - 1 : 0, begin = end;
  while (begin > 0 && is_letter(text.data[begin - 1])) begin--;
  return is_one_of(text, begin, end, words);
}

static bool is_count(cpb_span text, size_t number, size_t end) {
  static const char *const words[] = {"bytes",   "chunks", "elements", "entries",   "files", "more",  "nodes",
                                      "records", "slices", "strings",  "variables", "are",   "steps", NULL};
  if (number > 0 && text.data[number - 1] != ' ' && text.data[number - 1] != '(') return false;
  if (end >= text.size || text.data[end] != ' ') return false;
  size_t last = ++end;
  while (last < text.size && is_letter(text.data[last])) last++;
  return is_one_of(text, end, last, words);
}

static size_t put_digits(char *out, size_t at, size_t size, const uint8_t *digits, size_t count, bool grouped) {
  for (size_t i = 0; i < count && at + 2 < size; i++) {
    if (grouped && i > 0 && (count - i) % 3 == 0) out[at++] = ',';
    out[at++] = (char)digits[i];
  }
  return at;
}

void cli_tell(char *out, size_t size, cpb_span text) {
  size_t at = 0;
  for (size_t i = 0; i < text.size && at + 2 < size;) {
    size_t end = i;
    while (end < text.size && is_digit(text.data[end])) end++;
    if (end == i) {
      out[at++] = (char)text.data[i++];
      continue;
    }
    at = put_digits(out, at, size, text.data + i, end - i, is_place(text, i) || is_count(text, i, end));
    i = end;
  }
  out[at] = 0;
}

void cli_put_told(cli_sheet *s, cpb_span text) {
  char told[TOLD_MOST];
  cli_tell(told, sizeof told, text);
  cli_put_name(s, s->plain ? text : cli_span(told));
}
