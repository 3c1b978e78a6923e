#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/os/os.h"

static const char *command_name_at(const void *list, size_t i) {
  const cli_command *commands = list;
  return commands[i].name;
}

static bool is_left_out(const char *word) {
  for (size_t i = 0; cli_left_out[i]; i++)
    if (strcmp(word, cli_left_out[i]) == 0) return true;
  return false;
}

static int unknown_command(const char *word) {
  char problem[160];
  if (is_left_out(word)) {
    snprintf(problem, sizeof problem, "%s looks into models, which this build leaves out; the whole command has it",
             word);
    cli_usage(NULL, problem);
    return CLI_UNSUPPORTED;
  }
  const char *meant = cli_suggest(word, cli_commands, cli_num_commands, command_name_at);
  snprintf(problem, sizeof problem, meant ? "unknown command %.64s; did you mean %s?" : "unknown command %.64s", word,
           meant);
  return cli_usage(NULL, problem);
}

static int help(cli *c, const char *topic) {
  const cli_command *command = topic ? cli_find_command(topic) : NULL;
  if (topic && strcmp(topic, "--man") == 0) cli_manual(c);
  else if (command) cli_help_command(c, command);
  else if (topic) return unknown_command(topic);
  else cli_help(c);
  return cli_end_print(c);
}

static int exit_code(const cli *c, int status) {
  return status != CLI_OK && c->command->trouble ? c->command->trouble : status;
}

static void print_work(const cli *c) {
  fprintf(stderr, "work:");
#define PRINT_WORK(NAME, name, unit) fprintf(stderr, " %s=%llu", #name, (unsigned long long)c->work.name);
  CPB_WORKS(PRINT_WORK)
#undef PRINT_WORK
  fprintf(stderr, "\n");
}

static void note_unmarked(void *user, const char *name) {
  cli *c = user;
  if (!c->settings.quiet)
    cli_note(c, name, "the server gives neither ETag nor date: if the file changes meanwhile, only its size tells");
}

static int open_spool(void *user) {
  (void)user;
  return os_spool();
}

static void show_download(void *user, uint64_t done, uint64_t total) {
  cli *c = user;
  if (!c->progress.doing) cli_progress_start(c, "downloading");
  cli_progress_step(c, done, total);
}

static void set_urls(cli *c) {
  const cli_settings *s = &c->settings;
  c->urls = (cpb_url_options){.struct_size = sizeof c->urls,
                              .idle_time = s->timeout,
                              .min_speed = s->min_speed,
                              .headers = s->headers,
                              .user = c,
                              .unmarked = note_unmarked,
                              .ignore_etag = s->ignore_etag,
                              .max_download = s->download,
                              .spool = open_spool,
                              .downloading = show_download};
  if (s->max_time > 0) c->urls.deadline = cpb_url_clock() + s->max_time;
}

static int run(cli *c, int count, char **words) {
  char problem[256];
  c->settings.limits = (cpb_limits){.struct_size = sizeof c->settings.limits, .work = &c->work};
  if (!cli_parse(c->command, count, words, &c->settings, problem, sizeof problem))
    return exit_code(c, cli_usage(c->command, problem));
  if (c->settings.help) return help(c, c->command->name);
  set_urls(c);
  c->memory.limit = c->settings.memory_limit ? c->settings.memory_limit : UINT64_MAX;
  int status = c->command->run(c);
  cpb_buffer_free(&c->json.out);
  cli_progress_end(c);
  if (c->settings.work) print_work(c);
  int printed = exit_code(c, cli_end_print(c));
  bool is_answer = c->command->trouble && printed == CLI_OK; /* then the status says something */
  return is_answer || (status != CLI_OK && !c->command->trouble) ? status : printed;
}

static bool is_one_of(const char *word, const char *a, const char *b) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int main(int count, char **words) {
  os_start();
  cli c = {.memory = {.limit = UINT64_MAX}, .json.spaced = true, .print_error.offset = CPB_NO_OFFSET};
  c.allocator = cli_memory_allocator(&c.memory);
  cpb_buffer_init(&c.json.out, &c.allocator);
  if (count < 2) return cli_usage(NULL, "a command is expected");
  if (strcmp(words[1], "help") == 0) return help(&c, count > 2 ? words[2] : NULL);
  if (strcmp(words[1], "completion") == 0) return cli_completion(&c, count == 3 ? words[2] : NULL);
  if (is_one_of(words[1], "--help", "-h")) return help(&c, NULL);
  if (is_one_of(words[1], "--version", "-V")) {
    cli_print(&c, "cpb %s\n", cpb_version());
    return cli_end_print(&c);
  }
  c.command = cli_find_command(words[1]);
  return c.command ? run(&c, count - 2, words + 2) : unknown_command(words[1]);
}
