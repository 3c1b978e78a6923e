/* The sources of an answer: the requested files, their validators from the servers, and the resulting ETag. The ETag
 * says which files these are, as bits of a table. So a client that already has the answer costs only a check of each
 * file. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/sha256.h"
#include "base/status.h"
#include "host/url/address.h"
#include "host/url/remote.h"
#include "riegeli/block.h"

#define FILES 16 /* an answer of more of them has no ETag */
#define BEGIN CPB_FILE_SIGNATURE_SIZE
#define HASH_LENGTH 32
#define MASKS 2 /* of If-None-Match that are checked */

/* Endings of a model's URL, and names of files in a model's folder, that may be read. Their order is part of the
 * ETag. */
static const char *const names[] = {"",
                                    ".cpb",
                                    ".pb",
                                    ".index",
                                    "saved_model.pb",
                                    "saved_model.pbtxt",
                                    "saved_model.cpb",
                                    "Manifest.json",
                                    "Data/com.apple.CoreML/model.mlmodel",
                                    "keras_metadata.pb",
                                    "fingerprint.pb",
                                    "variables/variables.index",
                                    "variables/variables.data-00000-of-00001"};
#define NAMES ((unsigned)(sizeof names / sizeof *names))
#define IN_FOLDER 4u     /* the first that is in one */
#define OF_FOLDER_LAST 6 /* those up to this one are a folder's model */

typedef enum kind { FAULT, ABSENT, PRESENT } kind; /* FAULT: not known */

typedef struct file {
  char *url;
  size_t length; /* without the query */
  kind kind;
  cpb_validators state;
} file;

static file files[FILES];
static size_t num_files;
static bool is_incomplete;

void state_forget(void) {
  for (size_t i = 0; i < num_files; i++) free(files[i].url);
  num_files = 0;
  is_incomplete = false;
}

/* --- What servers say ---------------------------------------------------------------------------------- */

static kind kind_of(const cpb_response *r, uint64_t *size) {
  cpb_content_range range;
  cpb_error ignored = {.code = CPB_OK};
  *size = 0;
  if (r->status == 404 || r->status == 410 || r->status == 403) return ABSENT;
  if (r->status == 416 && cpb_response_size_of_416(r, size)) return PRESENT;
  if (r->status == 206 && cpb_response_range(r, &range, &ignored)) *size = range.size;
  else if (r->status != 200 || !cpb_response_length(r, size)) return FAULT;
  return PRESENT;
}

static file *file_at(const char *url) {
  for (size_t i = 0; i < num_files; i++)
    if (!strcmp(files[i].url, url)) return &files[i];
  if (num_files == FILES) return NULL;
  file *f = &files[num_files];
  *f = (file){.url = strdup(url), .length = cpb_path_length(url)};
  if (!f->url) return NULL;
  num_files++;
  return f;
}

/* Only the first good response of a file counts: reading compares the others with it. */
void serve_note(const char *url, const cpb_response *response) {
  uint64_t size;
  kind said = kind_of(response, &size);
  file *f = file_at(url);
  if (!f) is_incomplete = true;
  if (!f || f->kind != FAULT) return;
  f->kind = said;
  f->state = (cpb_validators){.known = true, .size = size};
  memcpy(f->state.etag, response->etag, sizeof f->state.etag);
  memcpy(f->state.last_modified, response->last_modified, sizeof f->state.last_modified);
}

/* --- The ETag -------------------------------------------------------------------------------------------- */

static bool is_folder(const job *j) { return cpb_path_ends_with(j->url, "/"); }

static size_t folder_length(const char *url, size_t length) {
  while (length > 0 && url[length - 1] != '/') length--;
  return length;
}

/* Number of a file in the table, relative to the first requested file; NAMES if it is not there. */
static unsigned name_of(const job *j, const file *f) {
  const file *first = &files[0];
  size_t folder = folder_length(first->url, first->length);
  for (unsigned i = is_folder(j) ? IN_FOLDER : 0; i < NAMES; i++) {
    size_t keep = i < IN_FOLDER ? first->length : folder;
    if (f->length == keep + strlen(names[i]) && !memcmp(f->url, first->url, keep) &&
        !memcmp(f->url + keep, names[i], strlen(names[i])))
      return i;
  }
  return NAMES;
}

/* A model's own file, by a name with which `name_of` finds it, whichever file was requested first. */
static bool is_own(const job *j, const file *f) {
  const unsigned name = name_of(j, f);
  return f->kind == PRESENT && (name == 0 || (name >= IN_FOLDER && name <= OF_FOLDER_LAST));
}

/* Whether only the model's own file counts, so that one request shows whether an answer is still valid. */
static bool counts_own(const job *j) {
  bool found = false;
  for (size_t i = 0; i < num_files; i++) found = found || is_own(j, &files[i]);
  return found && !strcmp(settings_text("CPB_CHECKED"), "model");
}

static bool is_strong(const file *f) { return *f->state.etag == '"'; }

static void add_text(cpb_sha256 *sha, const char *text, size_t length) {
  cpb_sha256_add(sha, text, length);
  cpb_sha256_add(sha, "", 1);
}

static void add_file(cpb_sha256 *sha, const file *f) {
  uint8_t size[8];
  add_text(sha, f->url, f->length);
  for (unsigned i = 0; i < 8; i++) size[i] = (uint8_t)(f->state.size >> 8 * i);
  cpb_sha256_add(sha, size, f->kind == PRESENT ? 8 : 0);
  if (f->kind == PRESENT) add_text(sha, f->state.etag, strlen(f->state.etag));
  if (f->kind == PRESENT && !is_strong(f)) add_text(sha, f->state.last_modified, strlen(f->state.last_modified));
}

/* False if the state of a file is not known. `*mask`: 0 if a file is not in the table. */
static bool survey(const job *j, bool *strong, unsigned *mask) {
  *mask = 0;
  const bool own = counts_own(j);
  *strong = !own || j->is_of_one_file;
  bool all_named = true;
  for (size_t i = 0; i < num_files; i++) {
    const file *f = &files[i];
    if (own && !is_own(j, f)) continue;
    unsigned name = name_of(j, f);
    if (f->kind == FAULT || (f->kind == PRESENT && !*f->state.etag && !*f->state.last_modified)) return false;
    *strong = *strong && (f->kind == ABSENT || is_strong(f));
    all_named = all_named && name < NAMES;
    *mask |= name < NAMES ? 1u << name : 0;
  }
  if (!all_named) *mask = 0;
  return !is_incomplete;
}

/* In the order of the table, independent of the order of requests. */
static void add_files(cpb_sha256 *sha, const job *j, unsigned mask) {
  const bool own = counts_own(j);
  for (unsigned name = 0; mask && name < NAMES; name++) {
    for (size_t i = 0; i < num_files; i++)
      if (name_of(j, &files[i]) == name && (!own || is_own(j, &files[i]))) add_file(sha, &files[i]);
  }
  for (size_t i = 0; !mask && i < num_files; i++) add_file(sha, &files[i]);
}

void state_etag(const job *j, cpb_span text, char out[STATE_ETAG]) {
  cpb_sha256 sha;
  char hash[CPB_SHA256_HEX], end[16] = "";
  unsigned mask;
  bool strong;
  *out = 0;
  if (j->is_partial || !survey(j, &strong, &mask)) return;
  cpb_sha256_begin(&sha);
  add_text(&sha, CPB_VERSION_STRING, strlen(CPB_VERSION_STRING));
  add_text(&sha, j->rest, j->rest_length);
  add_text(&sha, j->query, strlen(j->query));
  add_files(&sha, j, mask);
  if (num_files == 0) add_text(&sha, (const char *)text.data, text.size);
  cpb_sha256_end_hex(&sha, hash);
  hash[HASH_LENGTH] = 0;
  if (mask) cpb_format(end, sizeof end, ".%x", mask);
  cpb_format(out, STATE_ETAG, "%s\"%s%s\"", strong ? "" : "W/", hash, end);
}

/* The file of an answer that depends on a single file. Other answers' files may have been added or removed. */
static const file *only_file(const job *j) {
  const file *found = NULL;
  for (size_t i = 0; i < num_files; i++) {
    if (files[i].kind == PRESENT && found) return NULL;
    if (files[i].kind == PRESENT) found = &files[i];
  }
  return j->is_of_one_file ? found : NULL;
}

const char *state_date(const job *j) {
  const file *f = only_file(j);
  return f ? f->state.last_modified : "";
}

/* --- A look at the files ------------------------------------------------------------------------------------ */

/* Requests the first bytes of a file, and stores them in `begin`; there may be none. False when memory is short. */
static bool look(job *j, unsigned name, uint8_t begin[BEGIN]) {
  char *url = cpb_alloc(&j->allocator, strlen(j->url) + strlen(names[name]) + 1);
  cpb_error error = {.code = CPB_OK};
  memset(begin, 0, BEGIN);
  if (!url) return false;
  size_t length = cpb_path_length(j->url);
  cpb_path_replace(j->url, name < IN_FOLDER ? length : folder_length(j->url, length), names[name], url);
  cpb_remote *remote = cpb_remote_new(&j->allocator, url, &j->urls, &error);
  size_t got = 0;
  const uint8_t *data = remote ? cpb_remote_look(remote, BEGIN, &got, &error) : NULL;
  if (data) memcpy(begin, data, cpb_min_size(got, BEGIN));
  cpb_remote_free(remote);
  cpb_release(&j->allocator, url);
  return error.code != CPB_E_MEMORY;
}

static bool is_present(size_t i) { return num_files > i && files[i].kind == PRESENT; }

/* Looks for the model's own file, by the names that are tried first. False if it is another file. */
static bool look_for_model(job *j, uint8_t begin[BEGIN]) {
  if (cpb_path_ends_with(j->url, ".mlpackage")) return false;
  if (!is_folder(j)) return look(j, 0, begin) && is_present(0);
  for (unsigned name = IN_FOLDER; name <= OF_FOLDER_LAST; name++) {
    if (!look(j, name, begin) || num_files != name - IN_FOLDER + 1) return false;
    if (is_present(name - IN_FOLDER)) return true;
    if (files[name - IN_FOLDER].kind != ABSENT) return false;
  }
  return false;
}

/* The files that one of our ETags names; false for any other ETag. One of them may be the model's own. */
static bool read_mask(const job *j, const char *tag, size_t length, unsigned *mask) {
  const unsigned own = is_folder(j) ? (2u << OF_FOLDER_LAST) - (1u << IN_FOLDER) : 1;
  const char *p = tag + 1 + HASH_LENGTH;
  *mask = 0;
  if (length < 4 + HASH_LENGTH || length > 10 + HASH_LENGTH || *p++ != '.') return false;
  for (; *p != '"'; p++) {
    const char *digits = "0123456789abcdef", *digit = strchr(digits, *p);
    if (!digit) return false;
    *mask = *mask << 4 | (unsigned)(digit - digits);
  }
  return *mask < 1u << NAMES && (*mask & own);
}

static bool is_known_by(job *j, unsigned mask, char etag[STATE_ETAG]) {
  uint8_t begin[BEGIN];
  state_forget();
  for (unsigned name = 0; name < NAMES; name++)
    if ((mask >> name & 1) && !look(j, name, begin)) return false;
  state_etag(j, (cpb_span){0}, etag);
  return serve_is_known(j->request, etag);
}

/* Whether one of the ETags that a client lists is current. */
static bool is_among_known(job *j, char etag[STATE_ETAG]) {
  unsigned mask, before = 0, left = MASKS;
  size_t length;
  for (const char *tag = j->request->if_none_match; left > 0 && (tag = strchr(tag, '"')); tag += length) {
    length = 1 + strcspn(tag + 1, "\"");
    length += tag[length] == '"';
    if (!read_mask(j, tag, length, &mask) || mask == before) continue;
    if (is_known_by(j, mask, etag)) return true;
    before = mask;
    left--;
  }
  return false;
}

static bool is_not_newer(const char *date, const char *than) {
  int64_t is, was;
  return cpb_response_date(date, &is) && cpb_response_date(than, &was) && is <= was;
}

/* The reply to HEAD, without making the answer. Its length is known only for a message that is a whole file. */
static void answer_head(job *j, const uint8_t begin[BEGIN]) {
  serve_reply *reply = j->reply;
  char etag[STATE_ETAG] = "";
  if (j->is_of_one_file) state_etag(j, (cpb_span){0}, etag);
  if (!reply_state(j, etag)) return;
  reply->status = 200;
  serve_add_header(reply, "Content-Type", j->is_bytes ? "application/octet-stream" : "application/json");
  if (j->is_bytes) serve_add_header(reply, "Accept-Ranges", "bytes");
  const file *f = only_file(j);
  if (!j->is_message || !f) return;
  bool is_chunked = f->length > 4 && !memcmp(f->url + f->length - 4, ".cpb", 4);
  bool is_plain = f->length > 3 && !memcmp(f->url + f->length - 3, ".pb", 3);
  if (is_plain || (!is_chunked && memcmp(begin, cpb_file_signature, BEGIN) != 0)) reply_length(reply, f->state.size);
}

bool state_answer(job *j) {
  const serve_request *r = j->request;
  char etag[STATE_ETAG];
  uint8_t begin[BEGIN];
  bool is_done = false, by_date = !r->if_none_match && r->if_modified_since && j->is_of_one_file;
  if (r->if_match) return false;
  if (r->if_none_match && is_among_known(j, etag)) return !reply_state(j, etag);
  state_forget();
  if ((by_date || r->is_head) && look_for_model(j, begin)) {
    state_etag(j, (cpb_span){0}, etag);
    is_done = by_date && is_not_newer(state_date(j), r->if_modified_since);
    if (is_done) {
      reply_state(j, etag);
      j->reply->status = 304;
    } else if (r->is_head) {
      answer_head(j, begin);
      is_done = true;
    }
  }
  if (!is_done) state_forget();
  return is_done;
}
