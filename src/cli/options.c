#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/url_text.h"
#include "cpb/url.h"

#define SETTING(member) offsetof(cli_settings, member)

const cli_option cli_options[CLI_NUM_OPTIONS] = {
    [CLI_OUTPUT] = {"output", 'o', CLI_PATH, SETTING(output), "FILE",
                    "Write to FILE; - is standard output. It appears under this name only when it "
                    "is whole."},
    [CLI_TYPE] = {"type", 't', CLI_TEXT, SETTING(type), "NAME",
                  "The message's full type name, such as tensorflow.GraphDef. "
                  "Default: for models what they are, otherwise tensorflow.SavedModel."},
    [CLI_SCHEMA] = {"schema", 's', CLI_PATH, SETTING(schema), "SET",
                    "A FileDescriptorSet that describes the type, as written by protoc "
                    "--descriptor_set_out --include_imports. The types of models are built in."},
    [CLI_MAX_CHUNK_SIZE] =
        {"max-chunk-size", 0, CLI_SIZE, SETTING(max_chunk_size), "BYTES",
         "The largest size of a chunk, such as 64K, 1M or 2G; only a value that cannot be divided is "
         "larger. Default: 1M; with --layout=compat 2147483148, as in TensorFlow."},
    [CLI_FILES] = {"files", 0, CLI_NUMBER, SETTING(files), "N",
                   "Write N other files for the chunks, PREFIX.00001-of-N.cpb and so on beside the output PREFIX.cpb, "
                   "which names them."},
    [CLI_FILE_SIZE] = {"file-size", 0, CLI_SIZE, SETTING(file_size), "BYTES",
                       "The same, with as many files as are needed so that each has up to so many bytes of chunks "
                       "before compression."},
    [CLI_BASE] =
        {"base", 0, CLI_PATH, SETTING(base), "BASE.cpb",
         "Refer to the chunks that BASE.cpb has instead of writing them again: what was fine-tuned from it then "
         "costs its difference. BASE.cpb must be in the output's folder or below it, or be named with "
         "--allow-references, which every reader then needs, too, and must stay as it is."},
    [CLI_LAYOUT] = {"layout", 0, CLI_CHOICE, SETTING(layout), "remote|compat",
                    "remote: each chunk can be fetched with one range request. compat: the layout that "
                    "TensorFlow writes. Default: remote."},
    [CLI_CODEC] = {"codec", 0, CLI_CODECS, SETTING(codec), "CODEC[:LEVEL]",
                   "Compress with none, zstd (levels 1 to 22), brotli (0 to 11) or snappy (1, 2). Default: zstd:3 "
                   "where it pays, brotli:6 with --layout=compat."},
    [CLI_FOR_MEMORY] = {"for-memory", 0, CLI_SIZE, SETTING(for_memory), "BYTES",
                        "Write a file whose chunks a device with this much memory can stream: 256K or more for "
                        "cpb-core.wasm, less, such as 96K, for the reader in C. Bounds Zstd's window; below 64K "
                        "nothing is compressed."},
    [CLI_TRANSPOSE] = {"transpose", 0, CLI_FLAG, SETTING(transpose), NULL,
                       "Also try Riegeli's transposed encoding, which compresses what one field has in all messages "
                       "together, and keep what is smaller: for compressed messages of up to 4M. With "
                       "--layout=compat for all chunks."},
    [CLI_INDEX_PAGES] = {"index-pages", 0, CLI_FLAG, SETTING(index_pages), NULL,
                         "Write the index in pages, of which a reader fetches only those on the way to what it looks "
                         "for: for millions of chunks. TensorFlow's merger refuses such a file."},
    [CLI_RIEGELI_OPTIONS] = {"riegeli-options", 0, CLI_TEXT, SETTING(riegeli_options), "TEXT",
                             "Write as Riegeli's own writer does with these options, such as "
                             "transpose,zstd:9,chunk_size:256K. Default in it: brotli:6, chunk_size:1M."},
    [CLI_EXTERNAL_DATA] = {"external-data", 0, CLI_FLAG, SETTING(external_data), NULL,
                           "Put the values of large tensors into a second file, FILE.data, which the output names. "
                           "Default: only if the output would have more than 2 GiB."},
    [CLI_THRESHOLD] = {"threshold", 0, CLI_SIZE, SETTING(threshold), "BYTES",
                       "How many bytes the values of a tensor have at least that go there. Default: 1K."},
    [CLI_VERIFY] = {"verify", 0, CLI_FLAG, SETTING(verify), NULL,
                    "Read back what was written and compare it with the input."},
    [CLI_AGAINST] = {"against", 0, CLI_PATH, SETTING(against), "MESSAGE",
                     "Also compare the merged message with this file, byte by byte."},
    [CLI_CHUNK] = {"chunk", 0, CLI_NUMBER, SETTING(chunk), "N", "The chunk with index N."},
    [CLI_FIELD] = {"field", 0, CLI_TEXT, SETTING(field), "PATH",
                   "The field at PATH, such as meta_graphs[0].graph_def.library.function[3] or "
                   "node[7].attr[\"value\"].tensor; \"\" is the whole message."},
    [CLI_OMIT] = {"omit", 0, CLI_SIZE, SETTING(omit), "BYTES",
                  "With --json: do not read values longer than this, but show where they are, as "
                  "{\"@omitted\": {\"offset\", \"size\"}}."},
    [CLI_POSITION] = {"position", 0, CLI_NUMBER, SETTING(position), "P",
                      "Begin with the record at position P, as cpb records shows it, or with the next one if there is "
                      "none there."},
    [CLI_RECORD] = {"record", 0, CLI_NUMBER, SETTING(record), "N", "The record with number N, counting from 0."},
    [CLI_AT] =
        {"at", 0, CLI_TEXT, SETTING(at), "LIST",
         "Only the records with these numbers, counted from 0, in ascending order: 7, 3,10:20 (10 to 19), -1 (the "
         "last), 100: (all from there on). Only headers are read up to them."},
    [CLI_FIELDS] = {"fields", 0, CLI_TEXT, SETTING(fields), "LIST",
                    "Only these fields of the records, which are messages: paths of names, if --type is given, or of "
                    "numbers, such as id,meta.name or 1,4.2. Of a transposed file nothing else is decompressed."},
    [CLI_METADATA] = {"metadata", 0, CLI_FLAG, SETTING(metadata), NULL,
                      "Write the file's metadata, a serialized RecordsMetadata, instead of the records."},
    [CLI_SHA256] = {"sha256", 0, CLI_FLAG, SETTING(sha256), NULL, "Also show the SHA-256 of each record."},
    [CLI_RECOVER] = {"recover", 0, CLI_FLAG, SETTING(recover), NULL,
                     "Continue after damage, and report each region that is skipped."},
    [CLI_COUNT] = {"limit", 'n', CLI_NUMBER, SETTING(count), "N", "Stop after N records."},
    [CLI_FIRST] = {"first", 0, CLI_NUMBER, SETTING(first), "N", "Start lists at element N, counting from 0."},
    [CLI_PAGE] = {"count", 'n', CLI_POSITIVE, SETTING(page), "N",
                  "Show at most N elements of each list. Default: 100."},
    [CLI_META_GRAPH] = {"meta-graph", 0, CLI_NUMBER, SETTING(meta_graph), "N",
                        "Which meta graph of a SavedModel, counting from 0. Default: 0."},
    [CLI_SCOPE] =
        {"scope", 0, CLI_TEXT, SETTING(scope), "TEXT",
         "For nodes and functions: only those whose names begin with TEXT. For scopes: the scope to look into. "
         "For node, consumers, upstream, downstream and extract: the function that the node is in. "
         "For a SameDiff file: the tag."},
    [CLI_TO] = {"to", 0, CLI_TEXT, SETTING(to), "NODE",
                "For upstream and downstream: a shortest way to NODE, in the same graph, instead of everything."},
    [CLI_DISTANCE] = {"distance", 0, CLI_NUMBER, SETTING(distance), "N",
                      "For upstream and downstream: only what is at most N steps away."},
    [CLI_AXIS] = {"axis", 0, CLI_NUMBER, SETTING(axis), "N",
                  "For weights NAME: also the ranges of the parts along dimension N, counting from 0, such as those of "
                  "the channels."},
    [CLI_BRIEF] = {"brief", 0, CLI_FLAG, SETTING(brief), NULL,
                   "Of an ONNX model behind a URL: answer after a few requests, without what only the tensors between "
                   "the nodes and the inputs tell, such as how many parameters there are."},
    [CLI_STATE] =
        {"state", 0, CLI_NUMBER, SETTING(state), "N",
         "Write the updater's N-th state for the parameter, counting from 1, instead of the parameter's value."},
    [CLI_VARIABLE] =
        {"variable", 0, CLI_FLAG, SETTING(variable), NULL,
         "NAME is a variable of a SavedModel, stored in variables/: its path, its name or its key in the "
         "checkpoint, and no constant, which is looked for first without this. cpb inspect MODEL variables "
         "lists them. Of a checkpoint by itself it always is one."},
    [CLI_RAW] = {"raw", 0, CLI_FLAG, SETTING(raw), NULL,
                 "Write only the values, in little-endian order, without NumPy's header."},
    [CLI_SKIP_VALUES] = {"skip-values", 0, CLI_FLAG, SETTING(skip_values), NULL,
                         "Do not compare the values of constants, parameters and variables."},
    [CLI_ALL] = {"all", 'a', CLI_FLAG, SETTING(all), NULL, "Show every element of every list, and fold nothing."},
    [CLI_WIDTH] = {"width", 0, CLI_NUMBER, SETTING(width), "N",
                   "Write lines of N columns. Default: COLUMNS, else the terminal's width, else 80."},
    [CLI_TSV] = {"tsv", 0, CLI_FLAG, SETTING(tsv), NULL,
                 "Write a line for each item, for grep, sort and cut: tabs between the fields, plain numbers, nothing "
                 "folded or cut."},
    [CLI_CSV] = {"csv", 0, CLI_FLAG, SETTING(csv), NULL,
                 "Write the list as CSV (RFC 4180), with a line of titles, for spreadsheets and data frames."},
    [CLI_JSON] = {"json", 'j', CLI_FLAG, SETTING(json), NULL, "Write JSON."},
    [CLI_FORCE] = {"force", 'f', CLI_FLAG, SETTING(force), NULL, "Replace the output if it exists."},
    [CLI_SYNC] = {"sync", 0, CLI_FLAG, SETTING(sync), NULL,
                  "Wait until the output and its name are safely on the disk (fsync)."},
    [CLI_ALLOW_REFERENCES] = {"allow-references", 0, CLI_FLAG, SETTING(allow_references), NULL,
                              "Read other files that IN.cpb names, also outside of its folder, by absolute paths, "
                              "links and URLs. Only for files from those you trust."},
    [CLI_THREADS] =
        {"threads", 0, CLI_NUMBER, SETTING(threads), "N",
         "Use up to N threads, 256 at most. Default: one for each processor, up to 4, if there is much to do; "
         "merge copies uncompressed messages with 2."},
    [CLI_MEMORY_LIMIT] = {"memory-limit", 0, CLI_SIZE, SETTING(memory_limit), "BYTES",
                          "Fail rather than allocate more memory than this."},
    [CLI_LIMIT_NAMED] =
        {"limit", 0, CLI_LIMITS, SETTING(limits), "NAME=VALUE",
         "Change a limit that an error message named, such as decoded=10G or decoded=none. May be given several "
         "times."},
    [CLI_WORK] = {"work", 0, CLI_FLAG, SETTING(work), NULL,
                  "At the end, report on standard error how much was decoded, held in memory, scanned and produced."},
    [CLI_TIMEOUT] = {"timeout", 0, CLI_SECONDS, SETTING(timeout), "SECONDS",
                     "For URLs: retry, and finally fail, after this long without a byte. Default: 30."},
    [CLI_MAX_TIME] = {"max-time", 0, CLI_SECONDS, SETTING(max_time), "SECONDS",
                      "For URLs: fail after this long in all."},
    [CLI_MIN_SPEED] = {"min-speed", 0, CLI_SIZE, SETTING(min_speed), "BYTES",
                       "For URLs: retry, and finally fail, where fewer bytes a second come in the time of --timeout. "
                       "Default: 100."},
    [CLI_HEADER] = {"header", 0, CLI_HEADERS, SETTING(headers), "NAME:VALUE",
                    "For URLs: send this header with each request, such as \"Authorization: Bearer ...\". May be given "
                    "several times. Other users of this machine can see a command line, but not ~/.netrc."},
    [CLI_DOWNLOAD] =
        {"download", 0, CLI_SIZE, SETTING(download), "BYTES",
         "For URLs: where the server knows no ranges, download the whole file, if it has up to BYTES, such "
         "as 2G, to a temporary file. Default: only files of up to 1M are taken."},
    [CLI_IGNORE_ETAG] = {"ignore-etag", 0, CLI_FLAG, SETTING(ignore_etag), NULL,
                         "For URLs: that a file stays the same while it is read is told by size and date alone. For "
                         "servers behind one name that give the same file different ETags."},
    [CLI_QUIET] = {"quiet", 'q', CLI_FLAG, SETTING(quiet), NULL, "Show no progress and no closing summary."},
    [CLI_HELP] = {"help", 'h', CLI_FLAG, SETTING(help), NULL, "Show this help."},
};

/* --- Suggestions ------------------------------------------------------------ */

#define WORD_MAX 32

/* Levenshtein distance; words longer than WORD_MAX are far from everything. */
static size_t distance(const char *a, const char *b) {
  size_t n = strlen(b), row[WORD_MAX + 1];
  if (strlen(a) > WORD_MAX || n > WORD_MAX) return WORD_MAX;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 0; a[i]; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 1; j <= n; j++) {
      size_t best = cpb_min_size(row[j], row[j - 1]) + 1;
      best = cpb_min_size(best, diagonal + (a[i] != b[j - 1]));
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

const char *cli_suggest(const char *word, const void *list, size_t count, cli_name_at name_at) {
  const char *best = NULL;
  size_t best_distance = 3;
  for (size_t i = 0; i < count; i++) {
    const char *name = name_at(list, i);
    size_t d = strlen(word) > 2 && strncmp(name, word, strlen(word)) == 0 ? 1 : distance(word, name);
    if (d < best_distance && d < strlen(word)) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

/* --- Values ------------------------------------------------------------------ */

static bool parse_number(const char *text, uint64_t *value) {
  if (*text < '0' || *text > '9') return false;
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *end == 0;
}

/* Digits, then nothing or one of K, M, G, T with an optional "iB" or "B". */
static bool parse_size(const char *text, uint64_t *value) {
  static const char units[] = "KMGT";
  if (*text < '0' || *text > '9') return false;
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (errno != 0) return false;
  if (*end == 0) return true;
  const char *unit = strchr(units, *end & ~0x20);
  if (!unit || !*unit) return false;
  end++;
  if (*end && strcmp(end, "iB") != 0 && strcmp(end, "B") != 0) return false;
  return cpb_mul_u64(*value, (uint64_t)1 << (10 * (unit - units + 1)), value);
}

static bool parse_choice(const char *text, const char *choices, int *value) {
  size_t length = strlen(text);
  for (int i = 0; choices; i++) {
    const char *end = strchr(choices, '|');
    size_t size = end ? (size_t)(end - choices) : strlen(choices);
    if (size == length && memcmp(choices, text, size) == 0) {
      *value = i;
      return true;
    }
    choices = end ? end + 1 : NULL;
  }
  return false;
}

/* In C, level 0 means the default, and -1 means the codec's level 0. */
static bool parse_level(const char *text, cpb_codec_options *codec) {
  int least, most;
  uint64_t level;
  if (!parse_number(text, &level) || !cpb_codec_levels(codec->codec, &least, &most)) return false;
  if (level > (uint64_t)most || (level == 0 && least != 0)) return false;
  codec->level = level ? (int)level : -1;
  return true;
}

static bool parse_codec(const char *text, cpb_codec_options *codec) {
  size_t size = strcspn(text, ":");
  const char *name;
  for (cpb_codec i = CPB_CODEC_NONE; (name = cpb_codec_name(i)); i++) {
    if (strlen(name) != size || memcmp(name, text, size) != 0) continue;
    *codec = (cpb_codec_options){.codec = i};
    return !text[size] || parse_level(text + size + 1, codec);
  }
  return false;
}

/* Digits, and up to three decimals. */
static bool parse_seconds(const char *text, uint64_t *milliseconds) {
  char whole[16];
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 9) return false;
  memcpy(whole, text, digits);
  const char *rest = text + digits;
  if (*rest == '.') rest++;
  for (int i = 0; i < 3; i++) {
    bool more = rest > text + digits && *rest >= '0' && *rest <= '9';
    whole[digits + (size_t)i] = more ? *rest++ : '0';
  }
  whole[digits + 3] = 0;
  return !*rest && parse_number(whole, milliseconds) && *milliseconds > 0;
}

/* The name may contain only characters that HTTP allows, and the value no line break, which would begin another
 * header. */
static bool add_header(const char *text, const char **headers) {
  size_t name = strspn(text, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), i = 0;
  while (headers[i]) i++;
  if (i == CLI_HEADERS_MOST || name == 0 || text[name] != ':' || strpbrk(text, "\r\n")) return false;
  headers[i] = text;
  return true;
}

/* The members of cpb_limits by their names. */
typedef struct {
  const char *name;
  size_t at;
  bool is_32_bits;
} limit;

#define LIMIT(name) {#name, offsetof(cpb_limits, name), sizeof((cpb_limits *)0)->name == sizeof(uint32_t)}
#define PAIR(NAME, name, unit) LIMIT(name), LIMIT(name##_per_byte),

static const limit limits[] = {LIMIT(riegeli_chunk),     LIMIT(window), LIMIT(chunks),
                               LIMIT(records_per_chunk), LIMIT(depth),  CPB_WORKS(PAIR)};

static bool put_limit(cpb_limits *out, const limit *l, uint64_t value) {
  uint32_t narrow = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
  if (value == 0) return false; /* which would be the default */
  if (l->is_32_bits) memcpy((char *)out + l->at, &narrow, sizeof narrow);
  else memcpy((char *)out + l->at, &value, sizeof value);
  return true;
}

/* `text` is NAME=VALUE, with "none" for no limit. */
static bool set_limit(cpb_limits *out, const char *text) {
  size_t length = strcspn(text, "=");
  if (!text[length]) return false;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    uint64_t value = UINT64_MAX;
    if (strlen(limits[i].name) != length || memcmp(limits[i].name, text, length) != 0) continue;
    const char *number = text + length + 1;
    return (strcmp(number, "none") == 0 || parse_size(number, &value)) && put_limit(out, &limits[i], value);
  }
  return false;
}

static bool set(const cli_option *option, const char *text, cli_settings *settings) {
  void *setting = (char *)settings + option->setting;
  switch (option->kind) {
    case CLI_FLAG: *(bool *)setting = true; return true;
    case CLI_TEXT:
    case CLI_PATH: *(const char **)setting = text; return true;
    case CLI_NUMBER: return parse_number(text, setting);
    case CLI_POSITIVE: return parse_number(text, setting) && *(uint64_t *)setting > 0;
    case CLI_SIZE: return parse_size(text, setting) && *(uint64_t *)setting > 0;
    case CLI_CHOICE: return parse_choice(text, option->argument, setting);
    case CLI_CODECS: return parse_codec(text, setting);
    case CLI_SECONDS: return parse_seconds(text, setting);
    case CLI_HEADERS: return add_header(text, setting);
    case CLI_LIMITS: return set_limit(setting, text);
  }
  return false;
}

/* --- Words -------------------------------------------------------------------- */

typedef struct parser {
  const cli_command *command;
  cli_settings *settings;
  char **words;
  int count, next;
  char *problem;
  size_t problem_size;
} parser;

/* Item `i` of the remaining list of the command's options. */
static const char *option_name_at(const void *list, size_t i) {
  const cli_command *command = list;
  return command->options >> i & 1 ? cli_options[i].name : "";
}

static bool unknown_option(parser *p, const char *word) {
  const char *name = word + strspn(word, "-");
  char plain[WORD_MAX + 1];
  snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "="), name);
  const char *meant = cli_suggest(plain, p->command, CLI_NUM_OPTIONS, option_name_at);
  snprintf(p->problem, p->problem_size, meant ? "unknown option %s; did you mean --%s?" : "unknown option %s", word,
           meant);
  return false;
}

static int find_long(const parser *p, const char *name, size_t length) {
  for (int i = 0; i < CLI_NUM_OPTIONS; i++) {
    const char *known = cli_options[i].name;
    if (p->command->options >> i & 1 && strlen(known) == length && memcmp(known, name, length) == 0) return i;
  }
  return -1;
}

static int find_letter(const parser *p, char letter) {
  for (int i = 0; i < CLI_NUM_OPTIONS; i++)
    if (p->command->options >> i & 1 && cli_options[i].letter == letter) return i;
  return -1;
}

static const char *expected_by(const cli_option *option) {
  if (option->kind == CLI_POSITIVE) return "a whole number of at least 1";
  return option->kind == CLI_NUMBER ? "a whole number" : option->argument;
}

/* `value` is the value in the same word, or NULL. */
static bool take_option(parser *p, int id, const char *value) {
  const cli_option *option = &cli_options[id];
  if (!option->argument && value) {
    snprintf(p->problem, p->problem_size, "--%s takes no value", option->name);
    return false;
  }
  if (option->argument && !value) {
    if (p->next == p->count) {
      snprintf(p->problem, p->problem_size, "--%s needs a value: %s", option->name, option->argument);
      return false;
    }
    value = p->words[p->next++];
  }
  if (!set(option, value, p->settings)) {
    snprintf(p->problem, p->problem_size, "--%s: %s is not understood; expected %s", option->name,
             *value ? value : "an empty value", expected_by(option));
    return false;
  }
  p->settings->given |= (cli_option_set)1 << id;
  return true;
}

static bool take_long(parser *p, const char *word) {
  const char *name = word + 2;
  size_t length = strcspn(name, "=");
  int id = find_long(p, name, length);
  if (id < 0) return unknown_option(p, word);
  return take_option(p, id, name[length] ? name + length + 1 : NULL);
}

/* Letters may share a word; the rest after a letter that takes a value is the value. */
static bool take_letters(parser *p, const char *word) {
  for (const char *letter = word + 1; *letter; letter++) {
    int id = find_letter(p, *letter);
    if (id < 0) return unknown_option(p, word);
    bool has_value = cli_options[id].argument && letter[1];
    if (!take_option(p, id, has_value ? letter + 1 : NULL)) return false;
    if (has_value) break;
  }
  return true;
}

/* Replaces a file:// URL by its path. */
static bool take_file_url(parser *p, char *word) {
  const cpb_span url = {(const uint8_t *)word, strlen(word)};
  if (!cpb_url_is_file(url) || cpb_url_file_path(url, word)) return true;
  snprintf(p->problem, p->problem_size, "%s names no file of this machine; expected file:///PATH", word);
  return false;
}

static bool take_operand(parser *p, char *word) {
  if (!take_file_url(p, word)) return false;
  if (!p->settings->input) {
    p->settings->input = word;
    return true;
  }
  if (p->command->takes_paths && p->settings->num_paths < CLI_PATHS_MOST) {
    p->settings->paths[p->settings->num_paths++] = word;
    return true;
  }
  const char **more[] = {&p->settings->question, &p->settings->name};
  for (unsigned i = 0; i < p->command->more_operands; i++) {
    if (*more[i]) continue;
    *more[i] = word;
    return true;
  }
  char shown[160];
  snprintf(p->problem, p->problem_size, "unexpected argument %s; expected %s", cpb_url_name(word, shown, sizeof shown),
           p->command->more_operands > 0 ? p->command->operand : "one input");
  return false;
}

static bool check_required(parser *p) {
  if (!p->settings->input) {
    snprintf(p->problem, p->problem_size, "the input is missing; expected %s", p->command->operand);
    return false;
  }
  for (int i = 0; i < CLI_NUM_OPTIONS; i++) {
    if (!((p->command->required & ~p->settings->given) >> i & 1)) continue;
    snprintf(p->problem, p->problem_size, "--%s %s is missing", cli_options[i].name, cli_options[i].argument);
    return false;
  }
  return true;
}

bool cli_parse(const cli_command *command, int count, char **words, cli_settings *settings, char *problem,
               size_t problem_size) {
  parser p = {.command = command,
              .settings = settings,
              .words = words,
              .count = count,
              .problem = problem,
              .problem_size = problem_size};
  bool plain = false; /* after -- */
  while (p.next < p.count) {
    char *word = p.words[p.next++];
    bool done;
    if (plain || word[0] != '-' || !word[1]) done = take_operand(&p, word);
    else if (strcmp(word, "--") == 0) done = plain = true;
    else if (word[1] == '-') done = take_long(&p, word);
    else done = take_letters(&p, word);
    if (!done) return false;
  }
  return settings->help || check_required(&p);
}
