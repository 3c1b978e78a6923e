/* Finds the entries of a zip archive without its directory: walks from the front, local header to local header
 * (PKWARE's APPNOTE.TXT, 4.3), as far as possible.
 *
 * Some entries have their sizes only in the data descriptor after them. Such an entry is read until a descriptor gives
 * exactly the number of bytes before it. Directories between entries, which remain after entries were added, are
 * skipped. Names that cpb_zip_open() would reject are left out; of several entries with one name the last complete one
 * is kept.
 *
 * The walk requests at most CPB_ZIP_WALK_READ bytes in at most CPB_ZIP_WALK_PLACES separate places, and reads at most
 * CPB_ZIP_WALK_RECORDS headers. */
#ifndef CPB_MODEL_FORMATS_ZIP_WALK_H
#define CPB_MODEL_FORMATS_ZIP_WALK_H

#include "model/formats/zip/zip.h"

#define CPB_ZIP_WALK_RECORDS ((uint32_t)1 << 17)
#define CPB_ZIP_WALK_PLACES ((uint32_t)1 << 12)
#define CPB_ZIP_WALK_READ ((uint64_t)64 << 20)

typedef enum cpb_zip_walk_state {
  CPB_ZIP_WALK_RECORD,
  CPB_ZIP_WALK_SCAN,       /* looks for the data descriptor of `entry` */
  CPB_ZIP_WALK_DESCRIPTOR, /* reads the descriptor that comes next, if there is one */
  CPB_ZIP_WALK_DONE
} cpb_zip_walk_state;

/* Why the walk stopped at `at`. */
typedef enum cpb_zip_walk_end {
  CPB_ZIP_ENDS_BETWEEN, /* the file ends after entries, or in a header */
  CPB_ZIP_ENDS_IN_ENTRY,
  CPB_ZIP_ENDS_IN_DIRECTORY,
  CPB_ZIP_DIRECTORY_DIFFERS, /* from the entries that were found, although the file is complete */
  CPB_ZIP_DIRECTORY_DAMAGED, /* malformed bytes come next */
  CPB_ZIP_ENDS_UNKNOWN,      /* the same, after an entry */
  CPB_ZIP_ENDS_AT_LIMIT
} cpb_zip_walk_end;

typedef struct cpb_zip_walk {
  cpb_zip *zip;
  cpb_error why; /* why the directory could not be read */
  cpb_zip_walk_state state;
  cpb_zip_walk_end end;
  uint64_t at;           /* of the next record */
  uint64_t data;         /* of `entry` */
  uint64_t missing;      /* number of missing bytes of the last entry, if the file ends in it and its size is known;
                          * else 0 */
  uint64_t held;         /* position of the bytes that the zip's record has */
  uint64_t window, read; /* end of the last request; and total bytes requested */
  uint32_t records, places;
  bool counted;   /* the record at `at` */
  bool directory; /* the last record was one of a directory */
  bool is_end;    /* it was the directory's end */
  bool kept;      /* `entry` has been added to the zip, as the last one */
  cpb_zip_entry entry;
  char name[64];     /* of the last one, quoted */
  size_t found;      /* complete entries */
  uint64_t left_out; /* entries whose sizes or name are rejected */
} cpb_zip_walk;

/* Call it after cpb_zip_open() failed with `zip->torn`. Clears the error. */
void cpb_zip_walk_begin(cpb_zip_walk *walk, cpb_zip *zip);

/* CPB_HAVE: the zip is ready and `partial`. After CPB_WAIT, call it again to continue. */
cpb_have cpb_zip_walk_go_on(cpb_zip_walk *walk);

/* Describes in a clause where the archive ends, and what was found; `*offset` is that place. */
void cpb_zip_walk_tell(const cpb_zip_walk *walk, char *out, size_t size, uint64_t *offset);

#endif
