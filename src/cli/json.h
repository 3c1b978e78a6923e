/* Writes JSON to standard output. */
#ifndef CPB_CLI_JSON_H
#define CPB_CLI_JSON_H

#include "cli/cli.h"

typedef struct cli_json {
  cli *cli;
  bool comma; /* something stands before, at this level */
} cli_json;

/* `key` is NULL for an array's element and for the outermost value. */
void json_begin(cli_json *j, const char *key, char bracket); /* { or [ */
void json_end(cli_json *j, char bracket);                    /* } or ] */
void json_number(cli_json *j, const char *key, uint64_t value);
void json_signed(cli_json *j, const char *key, int64_t value);
void json_bool(cli_json *j, const char *key, bool value);
void json_text(cli_json *j, const char *key, const char *text);
/* Bytes that are not UTF-8 become U+FFFD. */
void json_string(cli_json *j, const char *key, const void *text, size_t length);

/* The line's end, after the outermost value. */
void json_line(cli_json *j);

#endif
