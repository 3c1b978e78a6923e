#include "cli/json.h"

#include <string.h>

/* The bytes of the well-formed UTF-8 character at `p`, or 0. */
static size_t utf8_size(const uint8_t *p, size_t length) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t size = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0;
  if (size < 2) return size;
  if (size > length) return 0;
  uint32_t c = *p & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    if (p[i] >> 6 != 2) return 0;
    c = c << 6 | (p[i] & 0x3f);
  }
  bool valid = c >= least[size] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
  return valid ? size : 0;
}

static void print_string(cli *c, const uint8_t *p, size_t length) {
  cli_print(c, "\"");
  while (length > 0) {
    size_t size = utf8_size(p, length);
    if (size == 0) {
      cli_print(c, "\\ufffd");
      size = 1;
    } else if (*p < 0x20 || *p == 0x7f) {
      cli_print(c, "\\u%04x", *p);
    } else {
      cli_print(c, *p == '"' || *p == '\\' ? "\\%.*s" : "%.*s", (int)size, (const char *)p);
    }
    p += size;
    length -= size;
  }
  cli_print(c, "\"");
}

static void lead(cli_json *j, const char *key) {
  if (j->comma) cli_print(j->cli, ", ");
  j->comma = true;
  if (key) cli_print(j->cli, "\"%s\": ", key);
}

void json_begin(cli_json *j, const char *key, char bracket) {
  lead(j, key);
  cli_print(j->cli, "%c", bracket);
  j->comma = false;
}

void json_end(cli_json *j, char bracket) {
  cli_print(j->cli, "%c", bracket);
  j->comma = true;
}

void json_number(cli_json *j, const char *key, uint64_t value) {
  lead(j, key);
  cli_print(j->cli, "%llu", (unsigned long long)value);
}

void json_signed(cli_json *j, const char *key, int64_t value) {
  lead(j, key);
  cli_print(j->cli, "%lld", (long long)value);
}

void json_bool(cli_json *j, const char *key, bool value) {
  lead(j, key);
  cli_print(j->cli, value ? "true" : "false");
}

void json_string(cli_json *j, const char *key, const void *text, size_t length) {
  lead(j, key);
  print_string(j->cli, text, length);
}

void json_text(cli_json *j, const char *key, const char *text) { json_string(j, key, text, strlen(text)); }

void json_line(cli_json *j) {
  cli_print(j->cli, "\n");
  j->comma = false;
}
