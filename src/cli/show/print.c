#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

bool cli_can_print(const cli *c) { return c->print_error.code == CPB_OK; }

static void cannot_write(cli *c) {
  c->print_error.code = CPB_E_WRITE;
  snprintf(c->print_error.message, sizeof c->print_error.message, "%s", strerror(errno));
}

void cli_print(cli *c, const char *format, ...) {
  if (!cli_can_print(c)) return;
  va_list list;
  va_start(list, format);
  if (vprintf(format, list) < 0) cannot_write(c);
  va_end(list);
}

void cli_print_bytes(cli *c, const void *data, size_t size) {
  if (cli_can_print(c) && size > 0 && fwrite(data, 1, size, stdout) != size) cannot_write(c);
}

void cli_print_answer(cli *c, const char *json, size_t size) {
  cli_print_bytes(c, json, size);
  cli_print(c, "\n");
}

void cli_print_json(cli *c) {
  if (!cpb_json_writer_ok(&c->json)) cpb_fail_memory(&c->print_error);
  cli_print_bytes(c, c->json.out.data, c->json.out.size);
  c->json.out.size = 0;
}

void cli_print_json_line(cli *c) {
  cli_print_json(c);
  cli_print(c, "\n");
  cpb_json_writer_begin(&c->json);
}

void cli_print_skipped(cli *c, const cpb_skipped *skipped) {
  cpb_json_writer *json = &c->json;
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_open(json, "skipped", '{');
  cpb_json_writer_unsigned(json, "begin", skipped->begin);
  cpb_json_writer_unsigned(json, "end", skipped->end);
  cpb_json_writer_text(json, "reason", skipped->reason);
  cpb_json_writer_close(json, '}');
  cpb_json_writer_close(json, '}');
  cli_print_json_line(c);
}

int cli_end_print(cli *c) {
  if (cli_can_print(c) && fflush(stdout) != 0) cannot_write(c);
  if (cli_can_print(c)) return CLI_OK;
  return cli_fail(c, cli_output_name("-"), &c->print_error);
}
