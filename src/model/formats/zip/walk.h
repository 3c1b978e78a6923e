/* The entries of a zip archive without its directory: from the front, local header after local header
 * (PKWARE's APPNOTE.TXT, 4.3), as far as these lead.
 *
 * An entry whose sizes are only in the data descriptor after it is read to its end: that is where a descriptor
 * counts the bytes before it. Directories that lie between entries, where some were added later, are passed over.
 * Names that cpb_zip_open() would refuse are left out; of several entries with one name the last whole one is kept.
 *
 * At most CPB_ZIP_WALK_READ bytes are asked for, at CPB_ZIP_WALK_PLACES places that are apart, of
 * CPB_ZIP_WALK_RECORDS headers. */
#ifndef CPB_MODEL_FORMATS_ZIP_WALK_H
#define CPB_MODEL_FORMATS_ZIP_WALK_H

#include "model/formats/zip/zip.h"

#define CPB_ZIP_WALK_RECORDS ((uint32_t)1 << 17)
#define CPB_ZIP_WALK_PLACES ((uint32_t)1 << 12)
#define CPB_ZIP_WALK_READ ((uint64_t)64 << 20)

typedef enum cpb_zip_walk_state {
  CPB_ZIP_WALK_RECORD,
  CPB_ZIP_WALK_SCAN,       /* for the data descriptor of `entry` */
  CPB_ZIP_WALK_DESCRIPTOR, /* which comes next, or there is none */
  CPB_ZIP_WALK_DONE
} cpb_zip_walk_state;

/* Why it went no further than `at`. */
typedef enum cpb_zip_walk_end {
  CPB_ZIP_ENDS_BETWEEN, /* entries, or in a header: the file has no more */
  CPB_ZIP_ENDS_IN_ENTRY,
  CPB_ZIP_ENDS_IN_DIRECTORY,
  CPB_ZIP_DIRECTORY_DIFFERS, /* from what there is, but no byte of the file is missing */
  CPB_ZIP_DIRECTORY_DAMAGED, /* something that is no record comes next */
  CPB_ZIP_ENDS_UNKNOWN,      /* the same, after an entry */
  CPB_ZIP_ENDS_AT_LIMIT
} cpb_zip_walk_end;

typedef struct cpb_zip_walk {
  cpb_zip *zip;
  cpb_error why; /* there is no directory */
  cpb_zip_walk_state state;
  cpb_zip_walk_end end;
  uint64_t at;           /* of the next record */
  uint64_t data;         /* of `entry` */
  uint64_t missing;      /* of the last entry, if the file ends in it and it tells; else 0 */
  uint64_t held;         /* where the bytes lie of which the zip's record has some */
  uint64_t window, read; /* up to here bytes were asked for at the last place; and how many altogether */
  uint32_t records, places;
  bool counted;   /* the record at `at` */
  bool directory; /* was the last record one of a directory? */
  bool is_end;    /* and its last? */
  bool kept;      /* `entry` is the last of the zip's */
  cpb_zip_entry entry;
  char name[64];     /* of the last one, quoted */
  size_t found;      /* entries that are whole */
  uint64_t left_out; /* entries with sizes or a name that would be refused */
} cpb_zip_walk;

/* After cpb_zip_open() has failed, and `zip->torn`: takes the error away. */
void cpb_zip_walk_begin(cpb_zip_walk *walk, cpb_zip *zip);

/* CPB_HAVE: the zip is ready, and `partial`. After CPB_WAIT, call it again to continue. */
cpb_have cpb_zip_walk_go_on(cpb_zip_walk *walk);

/* One clause that says where the archive ends, and what was found; `*offset` is that place. */
void cpb_zip_walk_tell(const cpb_zip_walk *walk, char *out, size_t size, uint64_t *offset);

#endif
