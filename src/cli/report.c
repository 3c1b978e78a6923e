#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int cli_exit_code(cpb_code code) {
  switch (code) {
    case CPB_E_OK: return CLI_OK;
    case CPB_E_USAGE:
    case CPB_E_NOT_FOUND: return CLI_USAGE;
    case CPB_E_DAMAGED:
    case CPB_E_TRUNCATED:
    case CPB_E_FORMAT: return CLI_DAMAGED;
    case CPB_E_READ:
    case CPB_E_WRITE:
    case CPB_E_CANCELLED: return CLI_IO;
    case CPB_E_MEMORY:
    case CPB_E_LIMIT: return CLI_LIMIT;
    case CPB_E_UNSUPPORTED: return CLI_UNSUPPORTED;
  }
  return CLI_DAMAGED;
}

/* A file's name may hold what a terminal would act on. */
static void print_name(const char *name) {
  for (; *name; name++) {
    unsigned char byte = (unsigned char)*name;
    fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, stderr);
  }
  fputs(": ", stderr);
}

/* The reader of a pipe went away, which is its own affair. */
static bool is_broken_pipe(const cpb_error *error) {
  return error->code == CPB_E_WRITE && strcmp(error->message, strerror(EPIPE)) == 0;
}

int cli_fail(cli *c, const char *name, const cpb_error *error) {
  cli_progress_end(c);
  fflush(stdout);
  if (is_broken_pipe(error)) return CLI_IO;
  print_name(name);
  if (error->offset != CPB_NO_OFFSET) fprintf(stderr, "byte %llu: ", (unsigned long long)error->offset);
  fputs(error->message, stderr);
  if (error->code == CPB_E_MEMORY && c->memory.refused)
    fprintf(stderr, " (--memory-limit %llu)", (unsigned long long)c->memory.limit);
  fputc('\n', stderr);
  return cli_exit_code(error->code);
}

int cli_fail_memory(cli *c) {
  cpb_error error = {.code = CPB_E_MEMORY, .offset = CPB_NO_OFFSET};
  snprintf(error.message, sizeof error.message, "%s", cpb_code_text(CPB_E_MEMORY));
  return cli_fail(c, cli_input_name(c->settings.input), &error);
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
  if (command) {
    fprintf(stderr, "cpb %s: %s\nTry: cpb help %s\n", command->name, problem, command->name);
  } else {
    fprintf(stderr, "cpb: %s\nTry: cpb help\n", problem);
  }
  return CLI_USAGE;
}

bool cli_can_print(const cli *c) { return c->print_errno == 0; }

void cli_print(cli *c, const char *format, ...) {
  if (c->print_errno) return;
  va_list list;
  va_start(list, format);
  if (vprintf(format, list) < 0) c->print_errno = errno;
  va_end(list);
}

void cli_print_bytes(cli *c, const void *data, size_t size) {
  if (!c->print_errno && fwrite(data, 1, size, stdout) != size) c->print_errno = errno;
}

int cli_end_print(cli *c) {
  if (!c->print_errno && fflush(stdout) != 0) c->print_errno = errno;
  if (!c->print_errno) return CLI_OK;
  cpb_error error = {.code = CPB_E_WRITE, .offset = CPB_NO_OFFSET};
  snprintf(error.message, sizeof error.message, "%s", strerror(c->print_errno));
  return cli_fail(c, cli_output_name("-"), &error);
}
