#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "component.h"

enum { READ_SIZE = 64 * 1024, READ_SIZE_MIN = 256, SPARE = 1024, ARGUMENTS = 4096 };

/* --- Where what a host gives comes to lie ---------------------------------------- */

/* While a source is called, the runtime stores the source's result where cpb's allocation
 * function says: in the window, which takes no memory and cannot fail. A longer text,
 * or one that arrives without a window, is stored in `spare`. */
static struct {
  bool now;
  uint8_t *data;
  size_t size;
} landing;
static uint8_t spare[SPARE];

/* Arguments of an export are stored before it is called: short texts one after
 * the other, until all are freed. */
static struct {
  size_t count, used;
  _Alignas(16) uint8_t data[ARGUMENTS];
} arguments;

static bool in_arguments(const void *data) {
  const uint8_t *at = data;
  return at >= arguments.data && at < arguments.data + ARGUMENTS;
}

static void free_landed(void *data, size_t size) {
  if (size > 0 && data != landing.data && data != spare) free(data);
}

static uint8_t *room_for(size_t size) {
  if (size <= landing.size) return landing.data;
  return size <= sizeof spare ? spare : malloc(size);
}

static uint8_t *room_for_argument(size_t size) {
  if (size > ARGUMENTS - arguments.used) return malloc(size);
  uint8_t *room = arguments.data + arguments.used;
  arguments.used = cpb_min_size(ARGUMENTS, arguments.used + (size + 15) / 16 * 16);
  arguments.count++;
  return room;
}

void argument_free(const void *data, size_t size) {
  if (size == 0) return;
  if (!in_arguments(data)) free((void *)data);
  else if (--arguments.count == 0) arguments.used = 0;
}

/* The bindings' free(). */
void component_free(void *block) { argument_free(block, 1); }

__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
  if (size == 0) return (void *)align;
  uint8_t *moved = landing.now ? room_for(size) : room_for_argument(size);
  if (!moved) __builtin_trap(); /* the interface has no way to refuse */
  if (old_size > 0 && moved != old) memcpy(moved, old, cpb_min_size(size, old_size));
  if (old_size > 0 && moved != old) {
    if (landing.now) free_landed(old, old_size);
    else argument_free(old, old_size);
  }
  return moved;
}

void lent_land(uint8_t *window, size_t size) {
  landing.now = true;
  landing.data = window;
  landing.size = size;
}

void lent_landed(void) {
  landing.now = false;
  landing.data = NULL;
  landing.size = 0;
}

/* --- Asking a source ------------------------------------------------------------- */

cpb_code lent_failure(source_failure_t *said, cpb_error *error) {
  char text[sizeof error->message];
  if (said->tag == SOURCE_FAILURE_CANCELLED)
    return cpb_fail(error, CPB_E_CANCELLED, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_CANCELLED));
  cpb_quote(text, sizeof text, said->val.failed.ptr, said->val.failed.len);
  free_landed(said->val.failed.ptr, said->val.failed.len);
  return cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "%s", text);
}

static bool ask_size(lent *from, cpb_error *error) {
  source_failure_t said;
  lent_land(NULL, 0);
  bool given = source_method_source_size(source_borrow_source(from->source), &from->size, &said);
  if (!given) lent_failure(&said, error);
  lent_landed();
  return given;
}

/* A source may return fewer bytes than requested, but at least one. */
static bool accept(const wit_list_u8_t *bytes, uint32_t length, size_t *got, cpb_error *error) {
  *got = bytes->len;
  if (*got > 0 && *got <= length) return true;
  cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the source gave %zu bytes, where 1 to %u were asked for", *got,
           (unsigned)length);
  free_landed(bytes->ptr, bytes->len);
  return false;
}

bool lent_read(const lent *from, uint8_t *window, uint64_t offset, uint32_t length, uint64_t ahead, size_t *got,
               cpb_error *error) {
  wit_list_u8_t bytes;
  source_failure_t said;
  lent_land(window, from->read_size);
  bool given = source_method_source_read_at(source_borrow_source(from->source), offset, length, ahead, &bytes, &said);
  if (given) given = accept(&bytes, length, got, error);
  else lent_failure(&said, error);
  lent_landed();
  return given;
}

void lent_answer(const lent *from, uint8_t *window, cpb_input *input) {
  cpb_need need;
  cpb_error error;
  size_t got;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE || need.offset >= from->size) {
    cpb_input_end(input, from->size);
    return;
  }
  uint64_t left = from->size - need.offset;
  uint32_t length = (uint32_t)cpb_min_u64(left, cpb_min_u64(need.length, from->read_size));
  uint64_t ahead = cpb_min_u64(left, cpb_max_u64(need.ahead, length));
  cpb_error_begin(&error, NULL);
  if (lent_read(from, window, need.offset, length, ahead, &got, &error))
    cpb_input_supply(input, need.offset, window, got);
  else cpb_input_fail(input, error.code, error.message);
}

/* --- Making one --------------------------------------------------------------------- */

static bool set_read_size(lent *from, const wit_option_u32_t *read_size, cpb_error *error) {
  from->read_size = read_size->is_some ? read_size->val : READ_SIZE;
  if (from->read_size >= READ_SIZE_MIN) return true;
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "read-size is %zu, where it must be %d at least", from->read_size,
                   READ_SIZE_MIN);
}

lent *lent_new(source_own_source_t source, const wit_option_u32_t *read_size, cpb_error *error) {
  lent *from = calloc(1, sizeof *from);
  if (!from) {
    source_source_drop_own(source);
    return cpb_fail_memory(error), NULL;
  }
  from->users = 1;
  from->source = source;
  if (set_read_size(from, read_size, error) && ask_size(from, error)) return from;
  lent_free(from);
  return NULL;
}

lent *lent_use(lent *from) {
  from->users++;
  return from;
}

void lent_free(lent *from) {
  if (!from || --from->users > 0) return;
  source_source_drop_own(from->source);
  free(from);
}
