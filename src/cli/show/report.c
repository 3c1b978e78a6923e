#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/os/os.h"
#include "cli/show/sheet.h"

#define STDERR 2

int cli_exit_code(const cpb_error *error) {
  if (cpb_is_of_reading(error)) return CLI_IO;
  switch (error->code) {
    case CPB_E_OK: return CLI_OK;
    case CPB_E_USAGE:
    case CPB_E_NOT_FOUND: return CLI_USAGE;
    case CPB_E_DAMAGED:
    case CPB_E_TRUNCATED:
    case CPB_E_FORMAT: return CLI_DAMAGED;
    case CPB_E_READ:
    case CPB_E_DENIED:
    case CPB_E_UNAVAILABLE:
    case CPB_E_WRITE:
    case CPB_E_CANCELLED: return CLI_IO;
    case CPB_E_MEMORY:
    case CPB_E_LIMIT: return CLI_LIMIT;
    case CPB_E_UNSUPPORTED: return CLI_UNSUPPORTED;
  }
  return CLI_DAMAGED;
}

/* A file's name may contain control characters, and a URL may contain secrets. */
static void print_name(const char *name) {
  char safe[2048];
  if (cpb_is_url(name)) name = cpb_url_name(name, safe, sizeof safe);
  cpb_span rest = {(const uint8_t *)name, strlen(name)};
  while (rest.size > 0) {
    size_t length = cpb_utf8_length(rest);
    bool shown = length > 0 && !cpb_is_control(cpb_utf8_code(rest.data, length));
    if (length == 0) length = 1;
    fprintf(stderr, "%.*s", shown ? (int)length : 1, shown ? (const char *)rest.data : "?");
    rest = (cpb_span){rest.data + length, rest.size - length};
  }
  fputs(": ", stderr);
}

/* The reader of a pipe has closed it, which is not an error. */
static bool is_broken_pipe(const cpb_error *error) {
  return error->code == CPB_E_WRITE && strcmp(error->message, strerror(EPIPE)) == 0;
}

/* On a terminal numbers have separators. */
static void print_error(const cpb_error *error) {
  char text[sizeof error->message + 64] = "", told[2 * sizeof text];
  if (error->offset != CPB_NO_OFFSET) snprintf(text, sizeof text, "byte %llu: ", (unsigned long long)error->offset);
  size_t size = strlen(text);
  snprintf(text + size, sizeof text - size, "%s", error->message);
  if (os_is_terminal(STDERR)) cli_tell(told, sizeof told, cli_span(text));
  fputs(os_is_terminal(STDERR) ? told : text, stderr);
}

int cli_fail(cli *c, const char *name, const cpb_error *error) {
  cli_progress_end(c);
  fflush(stdout);
  if (is_broken_pipe(error)) return CLI_IO;
  print_name(name);
  print_error(error);
  if (error->code == CPB_E_MEMORY && c->memory.refused)
    fprintf(stderr, " (--memory-limit %llu)", (unsigned long long)c->memory.limit);
  fputc('\n', stderr);
  return cli_exit_code(error);
}

int cli_fail_memory(cli *c) {
  cpb_error error = {.code = CPB_E_MEMORY, .offset = CPB_NO_OFFSET};
  snprintf(error.message, sizeof error.message, "%s", cpb_code_text(CPB_E_MEMORY));
  return cli_fail(c, cli_input_name(c->settings.input), &error);
}

void *cli_no_memory(cli *c, int *status) {
  *status = cli_fail_memory(c);
  return NULL;
}

void cli_note(cli *c, const char *name, const char *format, ...) {
  cli_progress_end(c);
  fflush(stdout);
  print_name(name);
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
}

int cli_usage(const cli_command *command, const char *problem) {
  if (command) fprintf(stderr, "cpb %s: %s\nTry: cpb help %s\n", command->name, problem, command->name);
  else fprintf(stderr, "cpb: %s\nTry: cpb help\n", problem);
  return CLI_USAGE;
}
