/* cpb completion SHELL: the tables of commands and options, as the shell's own program. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* --- What is completed ---------------------------------------------------------------- */

/* Whether the command has the option, and no other by that name before it. */
static bool has_option(const cli_command *command, int id) {
  if (!(command->options >> id & 1)) return false;
  for (int i = 0; i < id; i++)
    if (command->options >> i & 1 && strcmp(cli_options[i].name, cli_options[id].name) == 0) return false;
  return true;
}

static const char *codecs(char *out, size_t size) {
  size_t n = 0;
  for (cpb_codec codec = CPB_CODEC_NONE; cpb_codec_name(codec) && n < size; codec++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", n > 0 ? " " : "", cpb_codec_name(codec));
  return out;
}

/* The possible values, separated by spaces; "" for a file's name, NULL if nothing can be proposed. */
static const char *values_of(const cli_option *option, char *out, size_t size) {
  if (option->kind == CLI_PATH) return "";
  if (option->kind == CLI_CODECS) return codecs(out, size);
  if (option->kind != CLI_CHOICE) return NULL;
  snprintf(out, size, "%s", option->argument);
  for (char *p = out; (p = strchr(p, '|'));) *p = ' ';
  return out;
}

/* The length of the help's first sentence, which is enough here. */
static size_t sentence(const char *help) {
  size_t length = 0;
  while (help[length] && !(strchr(".;", help[length]) && (!help[length + 1] || help[length + 1] == ' '))) length++;
  return length;
}

const char *const cli_tensor_words[] = {"weights", "tensors", "initializers", "parameters", NULL};

static void print_questions(cli *c, const char *separator) {
  for (int i = 1; cpb_question_name((cpb_question_kind)i); i++)
    cli_print(c, "%s%s", i > 1 ? separator : "", cpb_question_name((cpb_question_kind)i));
  for (int i = 0; cli_tensor_words[i]; i++) cli_print(c, "%s%s", separator, cli_tensor_words[i]);
}

static void print_commands(cli *c) {
  for (size_t i = 0; i < cli_num_commands; i++) cli_print(c, "%s ", cli_commands[i].name);
}

/* --- bash ------------------------------------------------------------------------------- */

static const char bash_begin[] =
    "# bash completion of cpb, as written by: cpb completion bash\n"
    "_cpb() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options= operands=0 i\n"
    "  COMPREPLY=()\n"
    "  if [[ $cur = '=' ]]; then cur=; elif [[ $prev = '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    compopt +o default +o bashdefault 2>/dev/null\n";

/* The words before the one to complete, without options and their values, are counted. */
static const char bash_operands[] =
    "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "    case ${COMP_WORDS[i]} in\n"
    "      '=') ((i++)) ;;\n"
    "      -*) [[ $valued != *\" ${COMP_WORDS[i]} \"* || ${COMP_WORDS[i + 1]} = '=' ]] || ((i++)) ;;\n"
    "      *) ((operands++)) ;;\n"
    "    esac\n"
    "  done\n";

static const char bash_end[] =
    "  if [[ $cur = -* ]]; then\n"
    "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
    "    return\n"
    "  fi\n";

/* The option's names. */
static void bash_names(cli *c, const cli_option *option, const char *separator) {
  if (option->letter) cli_print(c, "-%c%s", option->letter, separator);
  cli_print(c, "--%s", option->name);
}

static void bash_values(cli *c) {
  cli_print(c, "  local valued=' ");
  for (int i = 0; i < CLI_NUM_OPTIONS; i++) {
    if (!cli_options[i].argument) continue;
    bash_names(c, &cli_options[i], " ");
    cli_print(c, " ");
  }
  cli_print(c, "'\n  if [[ $valued = *\" $prev \"* ]]; then\n    case $prev in\n");
  for (int i = 0; i < CLI_NUM_OPTIONS; i++) {
    char room[64];
    const char *values = cli_options[i].argument ? values_of(&cli_options[i], room, sizeof room) : NULL;
    if (!values) continue;
    cli_print(c, "      ");
    bash_names(c, &cli_options[i], " | ");
    if (*values) cli_print(c, ") COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", values);
    else cli_print(c, ") return ;;\n");
  }
  cli_print(c, "    esac\n    compopt +o default +o bashdefault 2>/dev/null\n    return\n  fi\n");
}

static void print_bash(cli *c) {
  cli_print(c, "%s    COMPREPLY=($(compgen -W '", bash_begin);
  print_commands(c);
  cli_print(c, "completion help --help --version' -- \"$cur\"))\n    return\n  fi\n");
  bash_values(c);
  cli_print(c, "%s  case ${COMP_WORDS[1]} in\n", bash_operands);
  for (size_t i = 0; i < cli_num_commands; i++) {
    cli_print(c, "    %s) options='", cli_commands[i].name);
    for (int id = 0; id < CLI_NUM_OPTIONS; id++)
      if (has_option(&cli_commands[i], id)) cli_print(c, "--%s ", cli_options[id].name);
    cli_print(c, "' ;;\n");
  }
  cli_print(c,
            "    help | completion)\n      compopt +o default +o bashdefault 2>/dev/null\n"
            "      ((operands > 0)) || case ${COMP_WORDS[1]} in\n        help) COMPREPLY=($(compgen -W '");
  print_commands(c);
  cli_print(c,
            "' -- \"$cur\")) ;;\n        completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\")) ;;\n"
            "      esac\n      return ;;\n  esac\n%s"
            "  if [[ ${COMP_WORDS[1]} = inspect && $operands -gt 0 ]]; then\n"
            "    compopt +o default +o bashdefault 2>/dev/null\n"
            "    ((operands > 1)) || COMPREPLY=($(compgen -W '",
            bash_end);
  print_questions(c, " ");
  cli_print(c, "' -- \"$cur\"))\n  fi\n}\ncomplete -o bashdefault -o default -F _cpb cpb\n");
}

/* --- zsh --------------------------------------------------------------------------------- */

/* Escapes a text within '...', where brackets and colons are special. */
static void zsh_text(cli *c, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] == '\'') cli_print(c, "'\\''");
    else cli_print(c, strchr("[]:\\", text[i]) ? "\\%c" : "%c", text[i]);
}

static void zsh_option(cli *c, const cli_option *option) {
  char room[64];
  bool repeated = option->kind == CLI_HEADERS || option->kind == CLI_LIMITS;
  cli_print(c, " \\\n        ");
  if (repeated) cli_print(c, "'*'");
  else if (option->letter) cli_print(c, "'(-%c --%s)'", option->letter, option->name);
  if (option->letter) cli_print(c, "{-%c%s,", option->letter, option->argument ? "+" : "");
  cli_print(c, "--%s%s", option->name, option->argument ? "=" : "");
  cli_print(c, "%s'[", option->letter ? "}" : "");
  zsh_text(c, option->help, sentence(option->help));
  cli_print(c, "]");
  if (option->argument) {
    const char *values = values_of(option, room, sizeof room);
    cli_print(c, ":");
    zsh_text(c, option->argument, strlen(option->argument));
    cli_print(c, ":");
    if (values) cli_print(c, *values ? "(%s)" : "%s", *values ? values : "_files");
  }
  cli_print(c, "'");
}

static void zsh_command(cli *c, const cli_command *command) {
  cli_print(c, "    %s)\n      _arguments -s -S", command->name);
  for (int id = 0; id < CLI_NUM_OPTIONS; id++)
    if (has_option(command, id)) zsh_option(c, &cli_options[id]);
  cli_print(c, " \\\n        ");
  if (strcmp(command->name, "inspect") == 0) {
    cli_print(c, "'1:model:_files' '2:question:(");
    print_questions(c, " ");
    cli_print(c, ")' '3:name:'");
  } else {
    cli_print(c, "'*:file:_files'");
  }
  cli_print(c, " ;;\n");
}

static void print_zsh(cli *c) {
  cli_print(c,
            "#compdef cpb\n# zsh completion of cpb, as written by: cpb completion zsh\n_cpb() {\n"
            "  local -a commands=(\n");
  for (size_t i = 0; i < cli_num_commands; i++) {
    cli_print(c, "    '%s:", cli_commands[i].name);
    zsh_text(c, cli_commands[i].summary, strlen(cli_commands[i].summary));
    cli_print(c, "'\n");
  }
  cli_print(c,
            "    'completion:write a program for a shell that completes command lines'\n"
            "    'help:explain a command, with examples'\n  )\n"
            "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
            "  shift words\n  ((CURRENT--))\n  case $words[1] in\n");
  for (size_t i = 0; i < cli_num_commands; i++) zsh_command(c, &cli_commands[i]);
  cli_print(c, "    completion) _arguments '1:shell:(bash zsh fish)' ;;\n    help) _arguments '1:command:(");
  print_commands(c);
  cli_print(c,
            ")' ;;\n  esac\n}\n"
            "if [[ $funcstack[1] = _cpb ]]; then _cpb \"$@\"; else compdef _cpb cpb; fi\n");
}

/* --- fish -------------------------------------------------------------------------------- */

static void fish_text(cli *c, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) cli_print(c, strchr("'\\", text[i]) ? "\\%c" : "%c", text[i]);
}

/* One line for all commands that have the option. */
static void fish_option(cli *c, int id) {
  char room[64];
  const cli_option *option = &cli_options[id];
  const char *values = values_of(option, room, sizeof room);
  cli_print(c, "complete -c cpb -n '__fish_seen_subcommand_from");
  for (size_t i = 0; i < cli_num_commands; i++)
    if (has_option(&cli_commands[i], id)) cli_print(c, " %s", cli_commands[i].name);
  cli_print(c, "' -l %s", option->name);
  if (option->letter) cli_print(c, " -s %c", option->letter);
  if (option->argument) cli_print(c, values && !*values ? " -r -F" : " -x");
  if (values && *values) cli_print(c, " -a '%s'", values);
  cli_print(c, " -d '");
  fish_text(c, option->help, sentence(option->help));
  cli_print(c, "'\n");
}

static void fish_word(cli *c, const char *word, const char *about) {
  cli_print(c, "complete -c cpb -n __fish_use_subcommand -f -a %s -d '", word);
  fish_text(c, about, strlen(about));
  cli_print(c, "'\n");
}

static void print_fish(cli *c) {
  cli_print(c, "# fish completion of cpb, as written by: cpb completion fish\n");
  for (size_t i = 0; i < cli_num_commands; i++) fish_word(c, cli_commands[i].name, cli_commands[i].summary);
  fish_word(c, "completion", "write a program for a shell that completes command lines");
  fish_word(c, "help", "explain a command, with examples");
  cli_print(c,
            "complete -c cpb -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'\n"
            "complete -c cpb -n '__fish_seen_subcommand_from help' -x -a '");
  print_commands(c);
  cli_print(c,
            "'\ncomplete -c cpb -n '__fish_seen_subcommand_from inspect; and "
            "test (count (commandline -opc)) -eq 3' -f -a '");
  print_questions(c, " ");
  cli_print(c, "'\n");
  for (int id = 0; id < CLI_NUM_OPTIONS; id++) fish_option(c, id);
}

/* --- The command ------------------------------------------------------------------------- */

int cli_completion(cli *c, const char *shell) {
  static const struct {
    const char *name;
    void (*print)(cli *c);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; shell && i < sizeof shells / sizeof *shells; i++) {
    if (strcmp(shell, shells[i].name) != 0) continue;
    shells[i].print(c);
    return cli_end_print(c);
  }
  return cli_usage(NULL, "completion needs a shell; expected bash, zsh or fish");
}
