#include "riegeli/records/reader.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

static bool doubts_file(const cpb_record_reader *r) {
  const cpb_chunk_source *s = &r->source;
  bool of_input = s->error.code == CPB_E_DAMAGED || s->error.code == CPB_E_TRUNCATED;
  return of_input && !s->recognised && !r->has_doubted;
}

static bool doubts_data(const cpb_record_reader *r) {
  const cpb_chunk_source *s = &r->source;
  return s->bad_data && s->hashing && r->load == CPB_LOAD_STREAM && s->error.code != CPB_E_MEMORY;
}

bool cpb_reader_doubts(cpb_record_reader *r) {
  bool file = doubts_file(r);
  if (!file && !doubts_data(r)) return false;
  r->doubted = r->phase;
  r->doubted_error = r->source.error;
  r->source.error = (cpb_error){.code = CPB_OK};
  r->phase = file ? CPB_PHASE_DOUBT_FILE : CPB_PHASE_DOUBT_DATA;
  return true;
}

static cpb_have resolve(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  r->phase = r->doubted;
  if (s->error.code == CPB_OK) s->error = r->doubted_error;
  return CPB_FAILED;
}

/* --- The file ------------------------------------------------------------- */

static size_t signature_bytes(const cpb_record_reader *r) {
  return cpb_min_size(r->num_first, CPB_FILE_SIGNATURE_SIZE);
}

static void fail_format(cpb_record_reader *r) {
  char first[4 * CPB_FILE_SIGNATURE_SIZE + 1], signature[sizeof first];
  cpb_fail(&r->source.error, CPB_E_FORMAT, 0,
           "not a Riegeli/records file: it begins with \"%s\"; expected \"%s\", its signature",
           cpb_quote(first, sizeof first, r->first, signature_bytes(r)),
           cpb_quote(signature, sizeof signature, cpb_file_signature, CPB_FILE_SIGNATURE_SIZE));
}

/* Asks for more than is compared here: a host that knows other formats looks at it next. */
cpb_have cpb_reader_doubt_file(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  cpb_have have = cpb_input_gather(&s->input, 0, sizeof r->first, r->first, &r->num_first);
  if (have == CPB_WAIT) return have;
  r->has_doubted = true;
  if (have == CPB_FAILED) {
    s->error = s->input.failure;
    s->resume = CPB_RESUME_NEVER;
  } else if (memcmp(r->first, cpb_file_signature, signature_bytes(r)) != 0) {
    fail_format(r);
  }
  return resolve(r);
}

/* --- The data ------------------------------------------------------------- */

cpb_have cpb_reader_doubt_data(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  cpb_have have = cpb_chunk_source_drain(s);
  if (have == CPB_HAVE) have = cpb_chunk_source_finish(s);
  if (have == CPB_WAIT) return have;
  s->hashing = false;
  return resolve(r);
}
