#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define COLUMNS 80
#define OPTION_INDENT 28
#define QUESTION_INDENT 20

static const char about[] =
    "cpb splits a protobuf message of any size into a .cpb file (chunked protobuf), merges it back, "
    "and looks into it one chunk at a time. A .cpb file is a Riegeli/records file whose last record "
    "is an index: it says which chunk belongs where in the message. TensorFlow specified the "
    "format for SavedModels beyond 2 GB; cpb uses it for any message.";

static const char conventions[] =
    "The file name - is standard input or output; inspect, extract, cut, convert and diff need a model's file. An "
    "output file gets its name only when it is complete. An existing file, or the one that a symbolic link leads to, "
    "is replaced only with --force, and keeps its permissions.";

static const char urls[] =
    "An input may also be a URL (http, https, s3, hf, gs), or the address of a page at Hugging Face, GitHub or GitLab "
    "that shows a file; only the parts that are needed are fetched. The URL of a directory ends in a slash. "
    "hf://OWNER/MODEL/FILE is requested with HF_TOKEN, gs://BUCKET/OBJECT with GOOGLE_OAUTH_ACCESS_TOKEN. Requests for "
    "s3://BUCKET/KEY are signed with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN for AWS_REGION, or "
    "else with the profile AWS_PROFILE in ~/.aws; AWS_ENDPOINT_URL is the address of another store. Passwords come "
    "from ~/.netrc, proxies from https_proxy and no_proxy, certificates from SSL_CERT_FILE.";

static const struct {
  int code;
  const char *meaning;
} exits[] = {{CLI_OK, "Success."},
             {CLI_USAGE, "The command line is wrong, or there is no such chunk, record or field."},
             {CLI_DAMAGED, "The input is damaged, or of another kind than the command expects."},
             {CLI_IO, "Reading or writing failed."},
             {CLI_LIMIT, "A limit was reached, or memory ran out."},
             {CLI_UNSUPPORTED, "The input uses a feature that this version does not support."}};
#define NUM_EXITS (sizeof exits / sizeof *exits)

/* The length of the next of the strings separated by `separator`; 0 at the end. */
static size_t next_part(const char *text, const char *separator) {
  const char *end = strstr(text, separator);
  return end ? (size_t)(end - text) : strlen(text);
}

/* Words of `text` between `indent` and the last column, beginning at `column`. */
static void wrap(cli *c, const char *text, size_t length, size_t indent, size_t column) {
  const char *end = text + length;
  while (text < end) {
    size_t word = strcspn(text, " \n");
    if (word > (size_t)(end - text)) word = (size_t)(end - text);
    if (column > indent && column + 1 + word > COLUMNS) {
      cli_print(c, "\n");
      column = 0;
    }
    if (column < indent) {
      cli_print(c, "%*s", (int)(indent - column), "");
      column = indent;
    } else if (column > indent) {
      cli_print(c, " ");
      column++;
    }
    cli_print(c, "%.*s", (int)word, text);
    column += word;
    text += word + 1;
  }
  cli_print(c, "\n");
}

static void print_paragraphs(cli *c, const char *text) {
  for (size_t n; (n = next_part(text, "\n\n")) > 0; text += strspn(text, "\n")) {
    wrap(c, text, n, 0, 0);
    cli_print(c, "\n");
    text += n;
  }
}

static void print_option(cli *c, const cli_option *option) {
  char left[64];
  int n = snprintf(left, sizeof left, option->letter ? "  -%c, " : "      ", option->letter);
  n += snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", option->name, option->argument ? " " : "",
                option->argument ? option->argument : "");
  cli_print(c, "%s", left);
  size_t column = (size_t)n;
  if (column + 2 > OPTION_INDENT) {
    cli_print(c, "\n");
    column = 0;
  }
  wrap(c, option->help, strlen(option->help), OPTION_INDENT, column);
}

/* "weights, tensors [NAME]" */
static void put_tensor_words(char *out, size_t size) {
  size_t n = 0;
  for (int i = 0; cli_tensor_words[i] && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i > 0 ? ", " : "", cli_tensor_words[i]);
  if (n < size) snprintf(out + n, size - n, " [NAME]");
}

/* The next question and its argument; false for an unused number. Other words for questions follow the library's last
 * question. */
static bool question_at(int i, char *left, size_t size, const char **text) {
  static const char *const words = "The variables, or else the constants; or one array with statistics of its values.";
  const char *name = cpb_question_name((cpb_question_kind)i), *argument = cpb_question_argument((cpb_question_kind)i);
  const bool is_next = !name && cpb_question_name((cpb_question_kind)(i - 1));
  *text = name ? cpb_question_text((cpb_question_kind)i) : words;
  if (name) snprintf(left, size, "%s%s%s", name, *argument ? " " : "", argument);
  else put_tensor_words(left, size);
  return name || is_next;
}

/* Prints the possible questions, with the answers in a second column. */
static void print_questions(cli *c) {
  char left[64];
  const char *text;
  cli_print(c, "Questions:\n");
  for (int i = 1; question_at(i, left, sizeof left, &text); i++) {
    const size_t column = strlen(left) + 2;
    cli_print(c, column < QUESTION_INDENT ? "  %s" : "  %s\n", left);
    wrap(c, text, strlen(text), QUESTION_INDENT, column < QUESTION_INDENT ? column : 0);
  }
  cli_print(c, "\n");
}

/* "Kinds of models: SavedModel, ..." */
static void put_kinds(char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "Kinds of models:");
  for (cpb_model_kind kind = 1; cpb_model_kind_label(kind) && n < size; kind++)
    n += (size_t)snprintf(out + n, size - n, "%s %s", kind > 1 ? "," : "", cpb_model_kind_label(kind));
  if (n < size) snprintf(out + n, size - n, ".\n\n");
}

static void print_usage(cli *c, const cli_command *command) {
  cli_print(c, "cpb %s %s", command->name, command->operand);
  for (int i = 0; i < CLI_NUM_OPTIONS; i++) {
    if (!(command->required >> i & 1)) continue;
    cli_print(c, " -%c %s", cli_options[i].letter, cli_options[i].argument);
  }
  cli_print(c, " [options]");
}

void cli_help_command(cli *c, const cli_command *command) {
  cli_print(c, "cpb %s: %s\n\nUsage: ", command->name, command->summary);
  print_usage(c, command);
  cli_print(c, "\n\n");
  print_paragraphs(c, command->about);
  if (command->asks) {
    char kinds[512];
    put_kinds(kinds, sizeof kinds);
    print_paragraphs(c, kinds);
    print_questions(c);
  }
  cli_print(c, "Options:\n");
  for (int i = 0; i < CLI_NUM_OPTIONS; i++)
    if (command->options >> i & 1) print_option(c, &cli_options[i]);
  cli_print(c, "\nExamples:\n");
  const char *line = command->examples;
  for (size_t n, i = 0; (n = next_part(line, "\n")) > 0; i++) {
    cli_print(c, i % 2 ? "      %.*s\n" : "  %.*s\n", (int)n, line);
    line += n + (line[n] == '\n');
  }
}

static void print_left_out(cli *c) {
  if (!cli_left_out[0]) return;
  cli_print(c, "Left out of this build, which does not look into models:");
  for (size_t i = 0; cli_left_out[i]; i++) cli_print(c, " %s", cli_left_out[i]);
  cli_print(c, "\n\n");
}

void cli_help(cli *c) {
  wrap(c, about, strlen(about), 0, 0);
  cli_print(c, "\nUsage: cpb COMMAND ...\n\nCommands:\n");
  for (size_t i = 0; i < cli_num_commands; i++)
    cli_print(c, "  %-10s %s\n", cli_commands[i].name, cli_commands[i].summary);
  cli_print(c, "  %-10s %s\n", "completion", "write a script that completes commands in bash, zsh or fish");
  cli_print(c, "  %-10s %s\n", "help", "explain a command, with examples: cpb help COMMAND");
  cli_print(c, "\n");
  print_left_out(c);
  wrap(c, conventions, strlen(conventions), 0, 0);
  cli_print(c, "\n");
  wrap(c, urls, strlen(urls), 0, 0);
  cli_print(c, "\nExit codes:\n");
  for (size_t i = 0; i < NUM_EXITS; i++) cli_print(c, "  %d  %s\n", exits[i].code, exits[i].meaning);
}

/* --- The man page -------------------------------------------------------------- */

/* Escapes hyphens that users type, and characters that roff would interpret. */
static void roff(cli *c, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool at_start = i == 0 || text[i - 1] == '\n';
    if (text[i] == '-' || text[i] == '\\') cli_print(c, text[i] == '-' ? "\\-" : "\\e");
    else if (at_start && (text[i] == '.' || text[i] == '\'')) cli_print(c, "\\&%c", text[i]);
    else cli_print(c, "%c", text[i]);
  }
}

static void roff_line(cli *c, const char *macro, const char *text) {
  cli_print(c, "%s", macro);
  roff(c, text, strlen(text));
  cli_print(c, "\n");
}

static void roff_option(cli *c, const cli_option *option) {
  cli_print(c, ".TP\n");
  if (option->letter) cli_print(c, "\\fB\\-%c\\fR, ", option->letter);
  cli_print(c, "\\fB");
  roff(c, "--", 2);
  roff(c, option->name, strlen(option->name));
  cli_print(c, "\\fR");
  if (option->argument) {
    cli_print(c, " \\fI");
    roff(c, option->argument, strlen(option->argument));
    cli_print(c, "\\fR");
  }
  cli_print(c, "\n");
  roff_line(c, "", option->help);
}

/* A line in bold, and its explanation below. */
static void roff_pairs(cli *c, const char *line) {
  for (size_t n, k = 0; (n = next_part(line, "\n")) > 0; k++) {
    cli_print(c, k % 2 ? "" : ".TP\n.B ");
    roff(c, line, n);
    cli_print(c, "\n");
    line += n + (line[n] == '\n');
  }
}

static void roff_questions(cli *c) {
  char kinds[512], left[64];
  const char *text;
  put_kinds(kinds, sizeof kinds);
  cli_print(c, ".PP\n");
  roff_line(c, "", kinds);
  for (int i = 1; question_at(i, left, sizeof left, &text); i++) {
    roff_line(c, ".TP\n.B ", left);
    roff_line(c, "", text);
  }
}

static void roff_command(cli *c, const cli_command *command) {
  cli_print(c, ".SS cpb %s %s\n", command->name, command->operand);
  const char *text = command->about;
  for (size_t n; (n = next_part(text, "\n\n")) > 0; text += strspn(text, "\n")) {
    cli_print(c, ".PP\n");
    roff(c, text, n);
    cli_print(c, "\n");
    text += n;
  }
  if (command->asks) roff_questions(c);
  for (int i = 0; i < CLI_NUM_OPTIONS; i++)
    if (command->options >> i & 1) roff_option(c, &cli_options[i]);
}

static void roff_examples(cli *c) {
  cli_print(c, ".SH EXAMPLES\n");
  for (size_t i = 0; i < cli_num_commands; i++) roff_pairs(c, cli_commands[i].examples);
}

void cli_manual(cli *c) {
  cli_print(c, ".TH CPB 1 \"\" \"cpb " CPB_VERSION_STRING "\"\n.SH NAME\n");
  cli_print(c, "cpb \\- split, merge and inspect chunked protobuf files\n.SH SYNOPSIS\n");
  for (size_t i = 0; i < cli_num_commands; i++) {
    cli_print(c, ".B ");
    print_usage(c, &cli_commands[i]);
    cli_print(c, "\n.br\n");
  }
  roff_line(c, ".SH DESCRIPTION\n", about);
  roff_line(c, ".PP\n", conventions);
  roff_line(c, ".PP\n", urls);
  cli_print(c, ".SH COMMANDS\n");
  for (size_t i = 0; i < cli_num_commands; i++) roff_command(c, &cli_commands[i]);
  cli_print(c,
            ".SS cpb completion SHELL\n.PP\nWrites a script that completes command lines of cpb in bash, zsh or fish; "
            "in bash: source <(cpb completion bash)\n");
  roff_examples(c);
  cli_print(c, ".SH EXIT STATUS\n");
  for (size_t i = 0; i < NUM_EXITS; i++) cli_print(c, ".TP\n.B %d\n%s\n", exits[i].code, exits[i].meaning);
}
