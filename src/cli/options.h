/* The command line: one table of commands and one of options, used for parsing, for help, and for the man page. */
#ifndef CPB_CLI_OPTIONS_H
#define CPB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpb/base.h"
#include "cpb/records.h"

#define CLI_PATHS_MOST 64
#define CLI_HEADERS_MOST 16

typedef enum cli_option_id {
  CLI_OUTPUT,
  CLI_TYPE,
  CLI_SCHEMA,
  CLI_MAX_CHUNK_SIZE,
  CLI_FILES,
  CLI_FILE_SIZE,
  CLI_BASE,
  CLI_LAYOUT,
  CLI_CODEC,
  CLI_FOR_MEMORY,
  CLI_TRANSPOSE,
  CLI_INDEX_PAGES,
  CLI_RIEGELI_OPTIONS,
  CLI_EXTERNAL_DATA,
  CLI_THRESHOLD,
  CLI_VERIFY,
  CLI_AGAINST,
  CLI_CHUNK,
  CLI_FIELD,
  CLI_OMIT,
  CLI_POSITION,
  CLI_RECORD,
  CLI_AT,
  CLI_FIELDS,
  CLI_METADATA,
  CLI_SHA256,
  CLI_RECOVER,
  CLI_COUNT,
  CLI_FIRST,
  CLI_PAGE,
  CLI_META_GRAPH,
  CLI_SCOPE,
  CLI_TO,
  CLI_DISTANCE,
  CLI_AXIS,
  CLI_BRIEF,
  CLI_STATE,
  CLI_VARIABLE,
  CLI_RAW,
  CLI_SKIP_VALUES,
  CLI_ALL,
  CLI_WIDTH,
  CLI_TSV,
  CLI_CSV,
  CLI_JSON,
  CLI_FORCE,
  CLI_SYNC,
  CLI_ALLOW_REFERENCES,
  CLI_THREADS,
  CLI_MEMORY_LIMIT,
  CLI_LIMIT_NAMED,
  CLI_WORK,
  CLI_TIMEOUT,
  CLI_MAX_TIME,
  CLI_MIN_SPEED,
  CLI_HEADER,
  CLI_DOWNLOAD,
  CLI_IGNORE_ETAG,
  CLI_QUIET,
  CLI_HELP,
  CLI_NUM_OPTIONS
} cli_option_id;

/* Options, each as a bit. */
typedef uint64_t cli_option_set;
#define CLI_BIT(option) ((cli_option_set)1 << CLI_##option)
_Static_assert(CLI_NUM_OPTIONS <= 64, "a set has a bit for each option");

/* The options' values; options not given are zero. */
typedef struct cli_settings {
  cli_option_set given;
  const char *input;
  const char *question, *name;       /* further operands */
  const char *paths[CLI_PATHS_MOST]; /* all of these */
  size_t num_paths;
  const char *output, *type, *schema, *field, *against, *scope, *to, *riegeli_options, *base, *at, *fields;
  uint64_t files, file_size, max_chunk_size, for_memory, memory_limit, threshold, chunk, position, record, count, omit,
      first, page, meta_graph, distance, axis, state, threads, timeout, max_time, /* times in milliseconds */
      min_speed, download, width;                                                 /* in columns */
  const char *headers[CLI_HEADERS_MOST + 1];                                      /* up to a NULL */
  cpb_codec_options codec;
  cpb_limits limits;
  int layout; /* cpb_layout */
  bool allow_references, ignore_etag;
  bool all, brief, json, tsv, csv, recover, metadata, verify, force, sync, quiet, help, raw, skip_values, variable,
      work, sha256, transpose, index_pages, external_data;
} cli_settings;

typedef enum cli_kind {
  CLI_FLAG,     /* bool */
  CLI_TEXT,     /* const char * */
  CLI_PATH,     /* the same, a file's name */
  CLI_NUMBER,   /* uint64_t */
  CLI_POSITIVE, /* the same, at least 1 */
  CLI_SIZE,     /* uint64_t, with K, M, G, T for powers of 1024 */
  CLI_CHOICE,   /* int: the place in `argument` */
  CLI_CODECS,   /* cpb_codec_options: NAME or NAME:LEVEL */
  CLI_LIMITS,   /* cpb_limits: NAME=VALUE, once for each limit */
  CLI_SECONDS,  /* uint64_t: milliseconds */
  CLI_HEADERS   /* const char *[CLI_HEADERS_MOST + 1]: NAME: VALUE, each time one more */
} cli_kind;

typedef struct cli_option {
  const char *name;
  char letter; /* 0 for none */
  cli_kind kind;
  size_t setting;       /* offset in cli_settings */
  const char *argument; /* NULL for a flag; of a CLI_CHOICE the words, separated by | */
  const char *help;
} cli_option;

extern const cli_option cli_options[CLI_NUM_OPTIONS];

struct cli;

typedef struct cli_command {
  const char *name;
  const char *operand;  /* the name of the input in the usage line */
  const char *summary;  /* one line */
  const char *about;    /* paragraphs, separated by \n\n */
  bool asks;            /* takes questions about models, which are listed */
  const char *examples; /* pairs of lines: a command, then what it does */
  cli_option_set options, required;
  unsigned more_operands; /* number of operands that may follow the input */
  bool takes_paths;       /* or any number of paths may follow */
  int trouble;            /* exit code for all failures; 0: cli_exit */
  int (*run)(struct cli *cli);
} cli_command;

extern const cli_command cli_commands[];
extern const size_t cli_num_commands;

/* The names of commands that this build leaves out, then NULL. */
extern const char *const cli_left_out[];

/* NULL if the name is unknown. */
const cli_command *cli_find_command(const char *name);

/* Parses the words after the command's name. Returns true, or false with the problem in `problem`. */
bool cli_parse(const cli_command *command, int count, char **words, cli_settings *settings, char *problem,
               size_t problem_size);

/* The name that `word` probably means, or NULL. The function returns the names of a list one by one. */
typedef const char *(*cli_name_at)(const void *list, size_t i);
const char *cli_suggest(const char *word, const void *list, size_t count, cli_name_at name_at);

#endif
