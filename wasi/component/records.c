/* Riegeli/records files, record after record. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "component.h"
#include "cpb/records.h"

struct exports_records_reader_t {
  engine engine;
  cpb_verify verify;
  char *fields;              /* or NULL: whole records */
  cpb_record_reader *reader; /* NULL after an error, until the reader goes elsewhere */
  cpb_error error;
  uint64_t left; /* bytes of the record */
};
typedef exports_records_reader_t on_records;

/* --- The engine ------------------------------------------------------------------------ */

static cpb_step step(on_records *o) {
  cpb_step step;
  while ((step = cpb_record_reader_step(o->reader)) == CPB_STEP_NEED)
    lent_answer(o->engine.from, o->engine.window, cpb_record_reader_input(o->reader));
  if (step == CPB_STEP_ERROR) o->error = *cpb_record_reader_error(o->reader);
  return step;
}

/* Reads the rest of the record, and no further. */
static cpb_step advance(engine *e) {
  on_records *o = (on_records *)e;
  if (o->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (o->left == 0 || step(o) != CPB_STEP_DATA) return o->error.code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
  e->data.data = cpb_record_reader_data(o->reader, &e->data.size);
  o->left -= e->data.size;
  return CPB_STEP_DATA;
}

static const cpb_error *error_of(const engine *e) { return &((const on_records *)e)->error; }

static uint64_t size_of(const engine *e) { return cpb_record_reader_record(((const on_records *)e)->reader)->size; }

static void free_records(engine *e) {
  on_records *o = (on_records *)e;
  cpb_record_reader_free(o->reader);
  free(o->fields);
}

static const engine_kind kind = {advance, error_of, size_of, free_records, NULL};

static cpb_record_reader *new_reader(const on_records *o) {
  const cpb_record_reader_options how = {
      .struct_size = sizeof how, .verify = o->verify, .read_size = o->engine.from->read_size, .fields = o->fields};
  return cpb_record_reader_new(NULL, &how);
}

/* Takes `from` over. */
static on_records *new_on(lent *from, cpb_verify verify, const wit_string_t *fields) {
  on_records *o = engine_new(sizeof *o, &kind, from);
  if (!o) return NULL;
  o->fields = fields ? strndup((const char *)fields->ptr, fields->len) : NULL;
  o->verify = verify;
  cpb_error_begin(&o->error, NULL);
  o->reader = new_reader(o);
  if (o->reader && (o->fields || !fields)) return o;
  engine_free(&o->engine);
  return NULL;
}

/* --- The exports ------------------------------------------------------------------------- */

static bool open_reader(exports_records_own_source_t source, const exports_records_reader_options_t *options,
                        exports_records_own_reader_t *ret, exports_records_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  lent *from = lent_new(source, &options->read_size, &error);
  if (!from) return component_fail(err, &error);
  on_records *o = new_on(from, (cpb_verify)options->verify, options->fields.is_some ? &options->fields.val : NULL);
  if (!o) return component_fail_memory(err);
  *ret = exports_records_reader_new(o);
  return true;
}

bool exports_records_static_reader_open(exports_records_own_source_t source, exports_records_reader_options_t *options,
                                        exports_records_own_reader_t *ret, exports_records_error_t *err) {
  bool opened = open_reader(source, options, ret, err);
  if (options->fields.is_some) argument_free(options->fields.val.ptr, options->fields.val.len);
  return opened;
}

void exports_records_reader_destructor(on_records *o) { engine_free(&o->engine); }

bool exports_records_method_reader_next(on_records *o, exports_records_option_entry_t *ret,
                                        exports_records_error_t *err) {
  cpb_step answer = CPB_STEP_DATA;
  o->engine.reads++;
  o->engine.data.size = 0;
  if (o->left > 0) cpb_record_reader_skip(o->reader, UINT64_MAX);
  o->left = 0;
  while (o->error.code == CPB_OK && answer == CPB_STEP_DATA) answer = step(o);
  ret->is_some = false;
  if (o->error.code != CPB_OK) return component_fail(err, &o->error);
  if (answer == CPB_STEP_DONE) return true;
  const cpb_record *record = cpb_record_reader_record(o->reader);
  o->left = record->size;
  *ret = (exports_records_option_entry_t){true, {.position = record->position, .size = record->size}};
  return content_new(&o->engine, 0, NULL, &ret->val.content, err);
}

/* After an error, uses a new reader. */
static bool leave(on_records *o) {
  o->engine.reads++;
  o->engine.data.size = 0;
  o->left = 0;
  if (o->error.code == CPB_OK) return true;
  cpb_record_reader *reader = new_reader(o);
  cpb_error_begin(&o->error, NULL);
  if (!reader) cpb_fail_memory(&o->error);
  if (!reader) return false;
  cpb_record_reader_free(o->reader);
  o->reader = reader;
  return true;
}

void exports_records_method_reader_at(on_records *o, uint64_t position) {
  if (leave(o)) cpb_record_reader_seek(o->reader, position);
}

void exports_records_method_reader_number(on_records *o, uint64_t number) {
  if (leave(o)) cpb_record_reader_seek_number(o->reader, number);
}

bool exports_records_method_reader_count(on_records *from, uint64_t *ret, exports_records_error_t *err) {
  on_records *o = new_on(lent_use(from->engine.from), from->verify, NULL);
  if (!o) return component_fail_memory(err);
  cpb_record_reader_seek_number(o->reader, UINT64_MAX);
  bool done = step(o) == CPB_STEP_DONE && cpb_record_reader_count(o->reader, ret);
  if (!done) component_fail(err, &o->error);
  engine_free(&o->engine);
  return done;
}
