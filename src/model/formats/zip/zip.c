#include "model/formats/zip/zip.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"
#include "model/formats/zip/records.h"

/* The central directory decides. Its records are read one by one, each is checked, and then all together: sorted by
 * place against overlaps, and by name against duplicates. Local headers are compared with it when an entry is opened
 * (stream.c). */

#define TAIL ((size_t)32 << 10)
#define COMMENT_MAX 0xffffu
#define DEFLATE_RATIO 1032 /* largest expansion of a byte of DEFLATE */
#define NAME_SHOWN 80
#define TOGETHER ((uint64_t)64 << 10)

void cpb_zip_init(cpb_zip *zip, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_meter *meter,
                  cpb_error *error) {
  *zip = (cpb_zip){.allocator = *a, .input = input, .max_memory = max_memory, .meter = meter, .error = error};
  cpb_buffer_init(&zip->record, a);
  cpb_buffer_init(&zip->names, a);
}

void cpb_zip_free(cpb_zip *zip) {
  cpb_buffer_free(&zip->record);
  cpb_buffer_free(&zip->names);
  cpb_release(&zip->allocator, zip->entries);
}

/* --- Failing ---------------------------------------------------------------- */

/* The directory is malformed, as opposed to readable but rejected. */
static cpb_have damaged(cpb_zip *zip, uint64_t offset, const char *what) {
  zip->torn = true;
  return cpb_fail(zip->error, CPB_E_DAMAGED, offset, "zip: %s", what), CPB_FAILED;
}

static cpb_have no_memory(const cpb_zip *zip) { return cpb_fail_memory(zip->error), CPB_FAILED; }

static cpb_have entry_fails(cpb_zip *zip, cpb_code code, uint64_t offset, cpb_span name, const char *what) {
  char shown[NAME_SHOWN];
  cpb_fail(zip->error, code, offset, "zip entry %s: %s", cpb_quote(shown, sizeof shown, name.data, name.size), what);
  return CPB_FAILED;
}

cpb_have cpb_zip_settle(cpb_have have, const cpb_input *input, cpb_error *error) {
  if (have == CPB_AT_END) cpb_fail(error, CPB_E_TRUNCATED, input->size, "the input ends within the zip archive");
  else if (have == CPB_FAILED && error->code == CPB_OK) *error = input->failure;
  return have == CPB_AT_END ? CPB_FAILED : have;
}

bool cpb_zip_charge(const cpb_zip *zip, cpb_work_kind kind, uint64_t amount, uint64_t offset) {
  return !zip->meter || cpb_meter_charge(zip->meter, kind, amount, offset, zip->error);
}

cpb_have cpb_zip_gather(const cpb_zip *zip, cpb_buffer *out, uint64_t offset, size_t length, uint64_t ahead) {
  if (!cpb_buffer_reserve(out, length)) return no_memory(zip);
  while (out->size < length) {
    cpb_span span;
    size_t have = out->size;
    cpb_have got = cpb_input_span(zip->input, offset + have, length - have, ahead > have ? ahead - have : 0, &span);
    if (got != CPB_HAVE) return cpb_zip_settle(got, zip->input, zip->error);
    memcpy(out->data + have, span.data, span.size);
    out->size += span.size;
  }
  return CPB_HAVE;
}

/* --- The end record ----------------------------------------------------------- */

static cpb_have find_size(cpb_zip *zip) {
  cpb_have have = cpb_input_size(zip->input, TAIL, &zip->size);
  if (have != CPB_HAVE) return cpb_zip_settle(have, zip->input, zip->error);
  zip->tail = (size_t)cpb_min_u64(TAIL, zip->size);
  zip->state = CPB_ZIP_TAIL;
  return CPB_HAVE;
}

/* Searches backwards for the end of central directory record, or returns NULL. The record's comment must end at the end
 * of the file, so a signature inside the comment is not mistaken for the record. */
static const uint8_t *find_end(const cpb_buffer *tail) {
  for (size_t from_end = END_SIZE; from_end <= tail->size; from_end++) {
    const uint8_t *at = tail->data + tail->size - from_end;
    if (cpb_load32(at) == END_SIGNATURE && cpb_load16(at + 20) == from_end - END_SIZE) return at;
  }
  return NULL;
}

/* If more bytes follow the archive, it ends with the last record whose comment ends before them; NULL if none does. */
static const uint8_t *find_earlier_end(const cpb_buffer *tail) {
  for (size_t from_end = END_SIZE; from_end <= tail->size; from_end++) {
    const uint8_t *at = tail->data + tail->size - from_end;
    if (cpb_load32(at) == END_SIGNATURE && cpb_load16(at + 20) < from_end - END_SIZE)
      return at + END_SIZE + cpb_load16(at + 20);
  }
  return NULL;
}

/* The whole tail has no end record where it should be. */
static cpb_have fail_end(cpb_zip *zip) {
  const uint8_t *end = find_earlier_end(&zip->record);
  const uint64_t more = end ? (uint64_t)(zip->record.data + zip->record.size - end) : 0;
  zip->torn = true;
  if (more > 0)
    cpb_fail(zip->error, CPB_E_FORMAT, zip->size - more, "zip: %llu bytes follow the end of the archive; expected none",
             (unsigned long long)more);
  else
    cpb_fail(
        zip->error, CPB_E_FORMAT, zip->size,
        "zip: no end of central directory record, which comes last: the archive was cut off here, or is not whole yet; "
        "get all of it");
  return CPB_FAILED;
}

static bool in_one_part(const uint8_t *end) {
  return cpb_load16(end + 4) == cpb_load16(end + 6) && (cpb_load16(end + 4) == 0 || cpb_load16(end + 4) == ALL16) &&
         cpb_load16(end + 8) == cpb_load16(end + 10);
}

/* The central directory must end where the end record begins, at `end`: nothing may be hidden between them. The count
 * is checked before memory for the entries is allocated. */
static cpb_have begin_directory(cpb_zip *zip, uint64_t end) {
  uint64_t sum;
  zip->record.size = 0;
  if (!cpb_add_u64(zip->directory, zip->directory_size, &sum) || sum != end)
    return damaged(zip, end, "the central directory does not end where the end of central directory record begins");
  if (zip->count > zip->directory_size / ENTRY_SIZE)
    return damaged(zip, end, "the number of entries is more than the central directory's size allows");
  zip->at = zip->directory;
  zip->state = CPB_ZIP_ENTRIES;
  return CPB_HAVE;
}

static cpb_have read_end(cpb_zip *zip, const uint8_t *end) {
  size_t in_tail = (size_t)(end - zip->record.data);
  uint64_t at = zip->size - zip->tail + in_tail;
  if (!in_one_part(end)) {
    cpb_fail(zip->error, CPB_E_UNSUPPORTED, at, "zip: archives of several disks are not supported");
    return CPB_FAILED;
  }
  zip->comment = (cpb_range){at + END_SIZE, cpb_load16(end + 20)};
  zip->count = cpb_load16(end + 10);
  zip->directory_size = cpb_load32(end + 12);
  zip->directory = cpb_load32(end + 16);
  bool locator = in_tail >= LOCATOR_SIZE && cpb_load32(end - LOCATOR_SIZE) == LOCATOR_SIGNATURE;
  if (!locator) return begin_directory(zip, at);
  zip->at = cpb_load64(end - LOCATOR_SIZE + 8);
  if (zip->at > at - LOCATOR_SIZE || at - LOCATOR_SIZE - zip->at < END64_SIZE)
    return damaged(zip, at - LOCATOR_SIZE, "the Zip64 locator does not point to a record before it");
  zip->record.size = 0;
  zip->state = CPB_ZIP_TAIL64;
  return CPB_HAVE;
}

static cpb_have read_tail(cpb_zip *zip) {
  cpb_have have = cpb_zip_gather(zip, &zip->record, zip->size - zip->tail, zip->tail, 0);
  if (have != CPB_HAVE) return have;
  const uint8_t *end = find_end(&zip->record);
  if (end && (end - zip->record.data >= LOCATOR_SIZE || zip->tail == zip->size)) return read_end(zip, end);
  size_t most = (size_t)cpb_min_u64(LOCATOR_SIZE + END_SIZE + COMMENT_MAX, zip->size);
  if (zip->tail == most) return fail_end(zip);
  zip->tail = most;
  zip->record.size = 0;
  return CPB_HAVE;
}

/* A field of the old record is either all ones, which refers to the Zip64 record, or equal. */
static bool agrees(uint64_t narrow, uint64_t all, uint64_t wide) { return narrow == all || narrow == wide; }

static cpb_have read_end64(cpb_zip *zip) {
  cpb_have have = cpb_zip_gather(zip, &zip->record, zip->at, END64_SIZE, 0);
  if (have != CPB_HAVE) return have;
  const uint8_t *end = zip->record.data;
  if (cpb_load32(end) != END64_SIGNATURE)
    return damaged(zip, zip->at, "no Zip64 end of central directory record at the offset in the locator");
  uint64_t count = cpb_load64(end + 32), size = cpb_load64(end + 40), offset = cpb_load64(end + 48);
  if (!agrees(zip->count, ALL16, count) || !agrees(zip->directory_size, ALL32, size) ||
      !agrees(zip->directory, ALL32, offset))
    return damaged(zip, zip->at, "the Zip64 end of central directory record differs from the one without Zip64");
  if (cpb_load32(end + 16) != 0 || cpb_load32(end + 20) != 0 || cpb_load64(end + 24) != count)
    return damaged(zip, zip->at, "the Zip64 record has several disks, but the other end record has one");
  zip->count = count;
  zip->directory_size = size;
  zip->directory = offset;
  return begin_directory(zip, zip->at);
}

/* --- Entries ------------------------------------------------------------------- */

static bool is_control(uint8_t c) { return c < 0x20 || c == 0x7f; }

static bool is_dots(cpb_span part) {
  return part.size > 0 && part.size <= 2 && part.data[0] == '.' && part.data[part.size - 1] == '.';
}

/* The problem of a path, or NULL. Only a directory's path ends in a slash. */
static const char *path_problem(cpb_span name) {
  size_t begin = 0;
  for (size_t i = 0; i <= name.size; i++) {
    if (i < name.size && name.data[i] != '/') continue;
    cpb_span part = {name.data + begin, i - begin};
    if (part.size == 0 && i < name.size) return "the path has two slashes in a row, or begins with one";
    if (is_dots(part)) return "the path contains . or ..";
    begin = i + 1;
  }
  return NULL;
}

const char *cpb_zip_name_problem(cpb_span name) {
  if (name.size == 0) return "the name is empty";
  for (size_t i = 0; i < name.size; i++) {
    if (name.data[i] == '\\' || name.data[i] == ':') return "the name contains a backslash or a colon";
    if (is_control(name.data[i])) return "the name contains a control character";
  }
  if (!cpb_utf8_valid(name)) return "the name is not valid UTF-8";
  return path_problem(name);
}

static bool is_symbolic_link(const uint8_t *record) {
  return record[5] == 3 /* Unix */ && (cpb_load32(record + 38) >> 16 & 0170000) == 0120000;
}

/* Replaces a field that is all ones with the next 8 bytes of the Zip64 extra field. */
static bool widen(uint64_t *field, cpb_span *extra) {
  if (*field != ALL32) return true;
  if (extra->size < 8) return false;
  *field = cpb_load64(extra->data);
  *extra = (cpb_span){extra->data + 8, extra->size - 8};
  return true;
}

/* The Zip64 part of the extra fields, or empty. False if the fields do not fill `extra` exactly. */
static bool find_extra64(cpb_span extra, cpb_span *found) {
  *found = (cpb_span){NULL, 0};
  while (extra.size >= 4) {
    size_t size = cpb_load16(extra.data + 2);
    if (size > extra.size - 4) return false;
    if (cpb_load16(extra.data) == 1) *found = (cpb_span){extra.data + 4, size};
    extra = (cpb_span){extra.data + 4 + size, extra.size - 4 - size};
  }
  return true; /* fewer than four bytes: padding that some writers leave */
}

bool cpb_zip_local_sizes(const uint8_t *header, cpb_span extra, uint64_t *size, uint64_t *packed) {
  cpb_span wide;
  *packed = cpb_load32(header + 18);
  *size = cpb_load32(header + 22);
  if (*packed != ALL32 && *size != ALL32) return true;
  if (!find_extra64(extra, &wide) || wide.size < 16) return false;
  *size = cpb_load64(wide.data);
  *packed = cpb_load64(wide.data + 8);
  return true;
}

static bool read_fields(cpb_zip_entry *entry, const uint8_t *record, cpb_span extra) {
  cpb_span wide;
  entry->flags = cpb_load16(record + 8);
  entry->method = cpb_load16(record + 10);
  entry->crc = cpb_load32(record + 16);
  entry->packed = cpb_load32(record + 20);
  entry->size = cpb_load32(record + 24);
  entry->header = cpb_load32(record + 42);
  return find_extra64(extra, &wide) && widen(&entry->size, &wide) && widen(&entry->packed, &wide) &&
         widen(&entry->header, &wide);
}

const char *cpb_zip_size_problem(const cpb_zip_entry *entry) {
  if (entry->method == 0 && entry->size != entry->packed) return "stored, but compressed and uncompressed size differ";
  if (entry->size / DEFLATE_RATIO > entry->packed)
    return "the uncompressed size is more than DEFLATE can make of the compressed size";
  return NULL;
}

static const char *entry_problem(const cpb_zip *zip, const cpb_zip_entry *entry, const uint8_t *record, cpb_span name) {
  const char *problem = cpb_zip_name_problem(name);
  if (problem) return problem;
  if (is_symbolic_link(record)) return "symbolic links are not supported";
  if (cpb_load16(record + 34) != 0) return "the disk number is not 0";
  uint64_t end;
  if (!cpb_add_u64(entry->header, LOCAL_SIZE + name.size, &end) || !cpb_add_u64(end, entry->packed, &end) ||
      end > zip->directory)
    return "its data are not before the central directory";
  return cpb_zip_size_problem(entry);
}

cpb_have cpb_zip_add_entry(cpb_zip *zip, const cpb_zip_entry *entry, cpb_span name) {
  uint64_t needed = (zip->num_entries + 1) * (uint64_t)sizeof *entry + zip->names.size + name.size;
  if (needed > zip->max_memory) {
    cpb_fail(zip->error, CPB_E_LIMIT, zip->at,
             "zip: the central directory takes more than max_memory, %llu bytes: at least %llu are needed",
             (unsigned long long)zip->max_memory, (unsigned long long)needed);
    return CPB_FAILED;
  }
  if (!CPB_RESERVE(&zip->allocator, &zip->entries, &zip->entries_capacity, zip->num_entries + 1)) return no_memory(zip);
  zip->entries[zip->num_entries] = *entry;
  zip->entries[zip->num_entries++].name = (cpb_span){NULL, name.size};
  return cpb_buffer_append(&zip->names, name.data, name.size) ? CPB_HAVE : no_memory(zip);
}

static bool charge_entry(cpb_zip *zip, size_t size) {
  return cpb_zip_charge(zip, CPB_WORK_ENTRIES, 1, zip->at) && cpb_zip_charge(zip, CPB_WORK_WALKED, size, zip->at);
}

/* Reads one entry of the central directory. */
static cpb_have read_entry(cpb_zip *zip) {
  uint64_t left = zip->directory + zip->directory_size - zip->at;
  if (left < ENTRY_SIZE) return damaged(zip, zip->at, "the central directory ends within an entry");
  cpb_have have = cpb_zip_gather(zip, &zip->record, zip->at, cpb_max_size(ENTRY_SIZE, zip->record.size), left);
  if (have != CPB_HAVE) return have;
  const uint8_t *record = zip->record.data;
  if (cpb_load32(record) != ENTRY_SIGNATURE) return damaged(zip, zip->at, "no signature of a central directory entry");
  size_t name_size = cpb_load16(record + 28), extra_size = cpb_load16(record + 30);
  size_t size = ENTRY_SIZE + name_size + extra_size + cpb_load16(record + 32);
  if (size > left) return damaged(zip, zip->at, "the central directory ends within an entry");
  if (zip->record.size == ENTRY_SIZE && !charge_entry(zip, size)) return CPB_FAILED;
  have = cpb_zip_gather(zip, &zip->record, zip->at, size, left);
  if (have != CPB_HAVE) return have;
  record = zip->record.data;
  cpb_span name = {record + ENTRY_SIZE, name_size};
  cpb_zip_entry entry = {0};
  zip->torn = !read_fields(&entry, record, (cpb_span){record + ENTRY_SIZE + name_size, extra_size});
  if (zip->torn)
    return entry_fails(zip, CPB_E_DAMAGED, zip->at, name, "the extra fields in the central directory are malformed");
  const char *problem = entry_problem(zip, &entry, record, name);
  if (problem) return entry_fails(zip, CPB_E_DAMAGED, zip->at, name, problem);
  zip->at += size;
  zip->record.size = 0;
  return cpb_zip_add_entry(zip, &entry, name);
}

/* --- All of them together --------------------------------------------------------- */

static uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c; }

int cpb_compare_names(cpb_span a, cpb_span b) {
  size_t n = cpb_min_size(a.size, b.size);
  for (size_t i = 0; i < n; i++) {
    int difference = lower(a.data[i]) - lower(b.data[i]);
    if (difference != 0) return difference;
  }
  return a.size < b.size ? -1 : a.size > b.size;
}

static int compare_headers(const cpb_zip_entry *a, const cpb_zip_entry *b) {
  return a->header < b->header ? -1 : a->header > b->header;
}

/* Both orders are total, so that damage is reported at the same offset with any sorting algorithm: at the later of two
 * entries with one name. */
static int by_header(const void *a, const void *b) {
  const cpb_zip_entry *x = a, *y = b;
  int order = compare_headers(x, y);
  return order != 0 ? order : cpb_compare_names(x->name, y->name);
}

static int by_name(const void *a, const void *b) {
  const cpb_zip_entry *x = a, *y = b;
  int order = cpb_compare_names(x->name, y->name);
  return order != 0 ? order : compare_headers(x, y);
}

/* Sets the entries' names, now that `names` no longer moves. */
static void place_names(cpb_zip *zip) {
  const uint8_t *at = zip->names.data;
  for (size_t i = 0; i < zip->num_entries; i++) {
    zip->entries[i].name.data = at;
    at += zip->entries[i].name.size;
  }
}

static void sort(cpb_zip *zip, int (*order)(const void *, const void *)) {
  if (zip->num_entries > 1) qsort(zip->entries, zip->num_entries, sizeof *zip->entries, order);
}

/* Checks that no byte of the file belongs to two entries. Overlapping entries are how a small zip bomb expands to
 * petabytes. */
static cpb_have check_overlaps(cpb_zip *zip) {
  sort(zip, by_header);
  for (size_t i = 0; i < zip->num_entries; i++) {
    cpb_zip_entry *e = &zip->entries[i];
    e->end = i + 1 < zip->num_entries ? e[1].header : zip->directory;
    if (e->end - e->header < LOCAL_SIZE + e->name.size || e->end - e->header - LOCAL_SIZE - e->name.size < e->packed)
      return entry_fails(zip, CPB_E_DAMAGED, e->header, e->name, "its data overlap the next entry");
  }
  return CPB_HAVE;
}

static bool is_near_the_top(const cpb_zip_entry *e) {
  size_t slashes = 0;
  for (size_t i = 0; i < e->name.size; i++) slashes += e->name.data[i] == '/';
  return slashes < 2;
}

/* Joins neighbouring entries in shallow folders into ranges of up to TOGETHER bytes, which a host may fetch with one
 * request: such files (tags.txt, the lists of a tag) are small, and are read in sequence. Entries are in the order of
 * the file. */
static void join_neighbours(cpb_zip *zip) {
  for (size_t i = zip->num_entries; i-- > 0;) {
    cpb_zip_entry *e = &zip->entries[i], *next = e + 1;
    bool joined = i + 1 < zip->num_entries && is_near_the_top(e) && is_near_the_top(next);
    e->ahead = joined && next->ahead - e->header <= TOGETHER ? next->ahead : e->end;
  }
}

static cpb_have check_names(cpb_zip *zip) {
  sort(zip, by_name);
  for (size_t i = 1; i < zip->num_entries; i++) {
    const cpb_zip_entry *e = &zip->entries[i];
    if (cpb_compare_names(e[-1].name, e->name) == 0)
      return entry_fails(zip, CPB_E_DAMAGED, e->header, e->name, "the archive has this name twice");
  }
  return CPB_HAVE;
}

void cpb_zip_keep_found(cpb_zip *zip, uint64_t end) {
  size_t kept = 0;
  place_names(zip);
  sort(zip, by_header);
  join_neighbours(zip);
  sort(zip, by_name);
  for (size_t i = 0; i < zip->num_entries; i++) {
    const cpb_zip_entry *e = &zip->entries[i];
    bool same = kept > 0 && cpb_compare_names(zip->entries[kept - 1].name, e->name) == 0;
    if (same && e->cut != CPB_ZIP_WHOLE && zip->entries[kept - 1].cut == CPB_ZIP_WHOLE) continue;
    kept -= same;
    zip->entries[kept++] = *e;
  }
  zip->num_entries = kept;
  zip->directory = end;
  zip->partial = true;
  zip->state = CPB_ZIP_READY;
}

static cpb_have read_entries(cpb_zip *zip) {
  while (zip->num_entries < zip->count) {
    cpb_have have = read_entry(zip);
    if (have != CPB_HAVE) return have;
  }
  if (zip->at != zip->directory + zip->directory_size)
    return damaged(zip, zip->at, "the central directory is longer than its entries");
  place_names(zip);
  cpb_have have = check_overlaps(zip);
  join_neighbours(zip);
  if (have == CPB_HAVE) have = check_names(zip);
  if (have == CPB_HAVE) zip->state = CPB_ZIP_READY;
  return have;
}

cpb_have cpb_zip_open(cpb_zip *zip) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE && zip->state != CPB_ZIP_READY) {
    switch (zip->state) {
      case CPB_ZIP_SIZE: have = find_size(zip); break;
      case CPB_ZIP_TAIL: have = read_tail(zip); break;
      case CPB_ZIP_TAIL64: have = read_end64(zip); break;
      case CPB_ZIP_ENTRIES: have = read_entries(zip); break;
      case CPB_ZIP_READY: break;
    }
  }
  return have;
}

size_t cpb_zip_first(const cpb_zip *zip, cpb_span name) {
  size_t low = 0, high = zip->num_entries;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cpb_compare_names(zip->entries[middle].name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const cpb_zip_entry *cpb_zip_find(const cpb_zip *zip, cpb_span name) {
  size_t i = cpb_zip_first(zip, name);
  return i < zip->num_entries && cpb_compare_names(zip->entries[i].name, name) == 0 ? &zip->entries[i] : NULL;
}
