#include "model/formats/zip/walk.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/formats/zip/records.h"

/* An entry is added when its header was read, and settled when its end is known: complete, cut off, or dropped
 * because its sizes contradict each other. The last case is why an added entry may be taken back. */

#define AHEAD_SMALL ((uint64_t)64 << 10) /* requested at once if entries are small */
#define AHEAD_LARGE ((uint64_t)4 << 10)  /* the same if the next header is the next one needed */
#define AHEAD_SCANNED ((uint64_t)1 << 20)
#define SCANNED ((size_t)64 << 10)
#define FIXED_MAX 56 /* bytes of a record's fixed part */
#define BEFORE 20    /* bytes of a descriptor before the next record */
#define AFTER 28     /* bytes of a descriptor, and of the signature after it */

typedef cpb_zip_walk walk;

/* --- Records --------------------------------------------------------------------- */

/* A record that an archive may contain: up to three sizes in it give its length. */
typedef struct kind {
  uint32_t signature;
  uint8_t fixed, lengths[3]; /* offsets of 16-bit numbers */
  uint8_t length32, length64;
} kind;

static const kind kinds[] = {
    {LOCAL_SIGNATURE, LOCAL_SIZE, {26, 28, 0}, 0, 0},
    {ENTRY_SIGNATURE, ENTRY_SIZE, {28, 30, 32}, 0, 0},
    {END_SIGNATURE, END_SIZE, {20, 0, 0}, 0, 0},
    {END64_SIGNATURE, 12, {0, 0, 0}, 0, 4},
    {LOCATOR_SIGNATURE, LOCATOR_SIZE, {0, 0, 0}, 0, 0},
    {0x08064b50, 8, {0, 0, 0}, 4, 0}, /* archive extra data */
    {0x05054b50, 6, {4, 0, 0}, 0, 0}, /* digital signature */
};

static const kind *kind_of(const uint8_t *record) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (cpb_load32(record) == kinds[i].signature) return &kinds[i];
  return NULL;
}

/* Saturates: a record longer than the file is simply too long. */
static uint64_t length_of(const kind *k, const uint8_t *record) {
  uint64_t length = k->fixed;
  for (int i = 0; i < 3; i++) length += k->lengths[i] ? cpb_load16(record + k->lengths[i]) : 0;
  if (k->length32) length += cpb_load32(record + k->length32);
  if (k->length64 && !cpb_add_u64(length, cpb_load64(record + k->length64), &length)) length = UINT64_MAX;
  return length;
}

/* --- Its course -------------------------------------------------------------------- */

void cpb_zip_walk_begin(walk *w, cpb_zip *zip) {
  *w = (walk){.zip = zip, .why = *zip->error};
  *zip->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  zip->record.size = zip->names.size = 0;
  zip->num_entries = 0;
}

static uint64_t left_at(const walk *w, uint64_t at) { return w->zip->size - cpb_min_u64(at, w->zip->size); }

static void finish(walk *w, cpb_zip_walk_end end) {
  w->end = end;
  w->state = CPB_ZIP_WALK_DONE;
}

static void go_to(walk *w, uint64_t at, cpb_zip_walk_state state) {
  w->at = at;
  w->counted = false;
  w->state = state;
}

/* Reads bytes of the file at `at` into the zip's record, which may have the first of them already. */
static cpb_have gather(walk *w, uint64_t at, size_t length, uint64_t ahead) {
  cpb_buffer *record = &w->zip->record;
  uint64_t skip = at - w->held;
  if (at >= w->held && skip < record->size) memmove(record->data, record->data + skip, record->size -= (size_t)skip);
  else if (at != w->held) record->size = 0;
  w->held = at;
  return cpb_zip_gather(w->zip, record, at, length, ahead);
}

/* How far to request bytes from `at`, of which `need` are certainly needed. */
static uint64_t reach(walk *w, uint64_t at, uint64_t need) {
  if (at + need > w->window) {
    bool is_dense = w->directory || w->entry.packed < AHEAD_SMALL / 2;
    uint64_t ahead = w->state == CPB_ZIP_WALK_SCAN ? AHEAD_SCANNED : is_dense ? AHEAD_SMALL : AHEAD_LARGE;
    uint64_t asked = cpb_min_u64(cpb_max_u64(ahead, need), left_at(w, at));
    w->places++;
    w->read += asked;
    w->window = at + asked;
  }
  return w->window - at;
}

static bool is_beyond_limits(const walk *w) {
  return w->records >= CPB_ZIP_WALK_RECORDS || w->places >= CPB_ZIP_WALK_PLACES || w->read >= CPB_ZIP_WALK_READ;
}

static bool count(walk *w) {
  if (w->counted) return true;
  w->counted = true;
  w->records++;
  return cpb_zip_charge(w->zip, CPB_WORK_ENTRIES, 1, w->at) &&
         cpb_zip_charge(w->zip, CPB_WORK_WALKED, LOCAL_SIZE, w->at);
}

/* --- Entries -------------------------------------------------------------------------- */

/* The entry is complete, and ends before `at`. */
static void settle(walk *w, uint64_t at, cpb_zip_walk_state state) {
  cpb_zip *zip = w->zip;
  cpb_zip_entry *e = &w->entry;
  e->end = cpb_min_u64(at, zip->size);
  if (w->kept && cpb_zip_size_problem(e)) {
    zip->num_entries--;
    zip->names.size -= zip->entries[zip->num_entries].name.size;
    w->kept = false;
    w->left_out++;
  }
  if (w->kept) {
    cpb_span name = zip->entries[zip->num_entries - 1].name;
    zip->entries[zip->num_entries - 1] = *e;
    zip->entries[zip->num_entries - 1].name = name;
  }
  go_to(w, at, state);
}

static void settle_cut(walk *w, cpb_zip_cut cut, uint64_t missing) {
  w->entry.cut = cut;
  w->missing = missing;
  settle(w, w->zip->size, CPB_ZIP_WALK_RECORD);
  finish(w, CPB_ZIP_ENDS_IN_ENTRY);
}

/* Reads a local header of `size` bytes. */
static cpb_have read_local(walk *w, uint64_t size) {
  cpb_zip *zip = w->zip;
  cpb_zip_entry *e = &w->entry;
  const uint8_t *h = zip->record.data;
  cpb_span name = {h + LOCAL_SIZE, cpb_load16(h + 26)}, extra = {name.data + name.size, cpb_load16(h + 28)};
  *e = (cpb_zip_entry){.header = w->at, .flags = cpb_load16(h + 6), .method = cpb_load16(h + 8)};
  e->crc = cpb_load32(h + 14);
  if (!cpb_zip_local_sizes(h, extra, &e->size, &e->packed)) {
    finish(w, CPB_ZIP_ENDS_UNKNOWN);
    return CPB_HAVE;
  }
  cpb_quote(w->name, sizeof w->name, name.data, name.size);
  w->kept = !cpb_zip_name_problem(name);
  w->left_out += !w->kept;
  w->data = w->at + size;
  zip->at = w->at;
  if (w->kept && cpb_zip_add_entry(zip, e, name) != CPB_HAVE) return CPB_FAILED;
  bool follow = e->flags & SIZES_FOLLOW;
  uint64_t there = left_at(w, w->data);
  if (follow && e->size == 0 && e->packed == 0) go_to(w, w->data, CPB_ZIP_WALK_SCAN);
  else if (e->packed > there) settle_cut(w, CPB_ZIP_CUT, e->packed - there);
  else settle(w, w->data + e->packed, follow ? CPB_ZIP_WALK_DESCRIPTOR : CPB_ZIP_WALK_RECORD);
  return CPB_HAVE;
}

static cpb_have read_record(walk *w) {
  cpb_zip *zip = w->zip;
  uint64_t left = left_at(w, w->at);
  cpb_zip_walk_end within = w->directory ? CPB_ZIP_ENDS_IN_DIRECTORY : CPB_ZIP_ENDS_BETWEEN;
  if (left == 0) finish(w, w->is_end ? CPB_ZIP_DIRECTORY_DIFFERS : within);
  else if (is_beyond_limits(w)) finish(w, CPB_ZIP_ENDS_AT_LIMIT);
  else if (left < 4) finish(w, within);
  if (w->state == CPB_ZIP_WALK_DONE) return CPB_HAVE;
  size_t first = (size_t)cpb_min_u64(FIXED_MAX, left);
  cpb_have have = gather(w, w->at, first, reach(w, w->at, first));
  if (have != CPB_HAVE) return have;
  const kind *k = kind_of(zip->record.data);
  bool is_local = k && k->signature == LOCAL_SIGNATURE;
  if (k && !is_local) within = CPB_ZIP_ENDS_IN_DIRECTORY;
  uint64_t size = k && left >= k->fixed ? length_of(k, zip->record.data) : UINT64_MAX;
  if (size > left) {
    bool in_directory = w->directory || w->at == w->why.offset;
    finish(w, k ? within : in_directory ? CPB_ZIP_DIRECTORY_DAMAGED : CPB_ZIP_ENDS_UNKNOWN);
    return CPB_HAVE;
  }
  if (!count(w)) return CPB_FAILED;
  w->directory = !is_local;
  w->is_end = k->signature == END_SIGNATURE;
  if (!is_local) {
    go_to(w, w->at + size, CPB_ZIP_WALK_RECORD);
    return CPB_HAVE;
  }
  have = gather(w, w->at, (size_t)size, reach(w, w->at, size));
  return have == CPB_HAVE ? read_local(w, size) : have;
}

/* --- Data descriptors -------------------------------------------------------------------- */

static bool is_record(cpb_span bytes, size_t at) { return at + 4 <= bytes.size && kind_of(bytes.data + at) != NULL; }

/* Tests whether the sizes of a data descriptor are at `at`, after its CRC-32: the first one must be `packed`, the
 * number of bytes before the descriptor, in 32 or 64 bits. Returns the size of the two, or 0. If both widths fit,
 * prefers the one that another record follows. */
static size_t sizes_at(cpb_span bytes, size_t at, uint64_t packed) {
  bool narrow = at + 8 <= bytes.size && cpb_load32(bytes.data + at) == packed;
  bool wide = at + 16 <= bytes.size && cpb_load64(bytes.data + at) == packed;
  if (wide && (!narrow || (!is_record(bytes, at + 8) && packed > 2 && cpb_load32(bytes.data + at + 4) == 0))) return 16;
  return narrow ? 8 : 0;
}

/* Takes the sizes from a descriptor, and the CRC-32 at `at`. */
static void take(walk *w, cpb_span bytes, size_t at, size_t sizes) {
  cpb_zip_entry *e = &w->entry;
  const uint8_t *d = bytes.data + at;
  e->crc = cpb_load32(d);
  e->packed = sizes == 8 ? cpb_load32(d + 4) : cpb_load64(d + 4);
  e->size = sizes == 8 ? cpb_load32(d + 8) : cpb_load64(d + 12);
}

/* Looks for the data descriptor that ends the entry, among the first `most` bytes of those at `begin`. Returns the
 * place of the next record, or 0. A descriptor has a signature, or another record follows it. */
static uint64_t find_descriptor(walk *w, cpb_span bytes, uint64_t begin, size_t most) {
  for (size_t i = 0; i < most && i + 4 <= bytes.size; i++) {
    const uint8_t *p = memchr(bytes.data + i, 'P', cpb_min_size(bytes.size - 3, most) - i);
    if (!p) return 0;
    i = (size_t)(p - bytes.data);
    uint64_t before = begin + i - w->data;
    size_t sizes = cpb_load32(p) == DESCRIPTOR_SIGNATURE ? sizes_at(bytes, i + 8, before) : 0;
    if (sizes > 0) {
      take(w, bytes, i + 4, sizes);
      return begin + i + 8 + sizes;
    }
    if (!kind_of(p)) continue;
    for (size_t size = 12; size <= BEFORE; size += 8) {
      if (before < size || i < size || sizes_at(bytes, i - size + 4, before - size) != size - 4) continue;
      take(w, bytes, i - size, size - 4);
      return begin + i;
    }
  }
  return 0;
}

/* Reads the entry in pieces, each with the end of the one before. */
static cpb_have scan(walk *w) {
  cpb_zip *zip = w->zip;
  uint64_t begin = w->at - cpb_min_u64(w->at - w->data, BEFORE + AFTER), left = left_at(w, begin);
  if (is_beyond_limits(w)) {
    w->entry.size = w->entry.packed = left_at(w, w->data);
    w->entry.cut = CPB_ZIP_UNSIZED;
    settle(w, w->data, CPB_ZIP_WALK_RECORD);
    finish(w, CPB_ZIP_ENDS_AT_LIMIT);
    return CPB_HAVE;
  }
  size_t length = (size_t)cpb_min_u64(SCANNED, left);
  cpb_have have = gather(w, begin, length, cpb_max_u64(reach(w, begin, length), length));
  if (have != CPB_HAVE) return have;
  size_t most = length < left ? length - AFTER : length;
  uint64_t next = find_descriptor(w, (cpb_span){zip->record.data, length}, begin, most);
  if (!cpb_zip_charge(zip, CPB_WORK_WALKED, length, begin)) return CPB_FAILED;
  if (next > 0) settle(w, next, CPB_ZIP_WALK_RECORD);
  else if (length < left) go_to(w, begin + length, CPB_ZIP_WALK_SCAN);
  else {
    w->entry.size = w->entry.packed = left_at(w, w->data);
    settle_cut(w, CPB_ZIP_UNSIZED, 0);
  }
  return CPB_HAVE;
}

/* Follows an entry whose header gives its sizes. */
static cpb_have pass_descriptor(walk *w) {
  cpb_zip *zip = w->zip;
  size_t length = (size_t)cpb_min_u64(AFTER, left_at(w, w->at));
  cpb_have have = length > 0 ? gather(w, w->at, length, reach(w, w->at, length)) : CPB_HAVE;
  if (have != CPB_HAVE) return have;
  cpb_span bytes = {zip->record.data, length};
  size_t size = 0;
  if (length >= 4 && cpb_load32(bytes.data) == DESCRIPTOR_SIGNATURE)
    size = is_record(bytes, 24) && !is_record(bytes, 16) ? 24 : 16;
  else if (!is_record(bytes, 0)) size = is_record(bytes, 12) ? 12 : is_record(bytes, 20) ? 20 : 0;
  go_to(w, w->at + cpb_min_size(size, length), CPB_ZIP_WALK_RECORD);
  return CPB_HAVE;
}

/* --- All of it ------------------------------------------------------------------------------ */

cpb_have cpb_zip_walk_go_on(walk *w) {
  static cpb_have (*const stages[])(walk *) = {read_record, scan, pass_descriptor};
  while (w->state != CPB_ZIP_WALK_DONE) {
    cpb_have have = stages[w->state](w);
    if (have != CPB_HAVE) return have;
  }
  if (w->zip->partial) return CPB_HAVE;
  cpb_zip_keep_found(w->zip, cpb_min_u64(w->at, w->zip->size));
  for (size_t i = 0; i < w->zip->num_entries; i++) w->found += w->zip->entries[i].cut == CPB_ZIP_WHOLE;
  return CPB_HAVE;
}

/* "17 entries are whole" */
static void tell_found(const walk *w, char *out, size_t size) {
  char more[64] = "";
  if (w->left_out > 0) cpb_format(more, sizeof more, ", %llu refused", (unsigned long long)w->left_out);
  cpb_format(out, size, "%zu %s whole%s", w->found, w->found == 1 ? "entry is" : "entries are", more);
}

void cpb_zip_walk_tell(const walk *w, char *out, size_t size, uint64_t *offset) {
  char found[96], early[64] = "";
  unsigned long long rest = w->zip->size - cpb_min_u64(w->at, w->zip->size);
  tell_found(w, found, sizeof found);
  if (w->missing > 0)
    cpb_format(early, sizeof early, ", at least %llu bytes too early", (unsigned long long)w->missing);
  *offset = w->zip->size;
  switch (w->end) {
    case CPB_ZIP_ENDS_BETWEEN:
      cpb_format(out, size, "the zip archive ends here, without a directory: %s, and what came next is missing", found);
      return;
    case CPB_ZIP_ENDS_IN_ENTRY:
      cpb_format(out, size, "the zip archive ends here, within %s%s: %s, and the rest is missing", w->name, early,
                 found);
      return;
    case CPB_ZIP_ENDS_IN_DIRECTORY:
      cpb_format(out, size, "the zip archive ends here, within its directory; before that %s", found);
      return;
    case CPB_ZIP_DIRECTORY_DIFFERS:
      *offset = w->why.offset;
      cpb_format(out, size, "the directory of the zip archive is damaged: %s, found without it", found);
      return;
    default: break;
  }
  *offset = w->at;
  cpb_format(out, size, "the %s of the zip archive %s: %s, and what is in the other %llu bytes is missing",
             w->end == CPB_ZIP_DIRECTORY_DAMAGED ? "directory" : "content",
             w->end == CPB_ZIP_ENDS_AT_LIMIT ? "was searched up to here, as there is no directory" : "is damaged here",
             found, rest);
}
