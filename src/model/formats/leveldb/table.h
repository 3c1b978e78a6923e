/* Reads a LevelDB table (sorted string table) in memory: blocks of keys and values, in the order
 * of the keys (LevelDB's doc/table_format.md; docs/checkpoint-format.md).
 *
 *     bool good = cpb_table_open(&table, a, meter, file, most, error);
 *     while (good && (have = cpb_table_next(&table)) == CPB_HAVE) ... table.data.key, table.data.value
 *     cpb_table_close(&table);
 *
 * The table refers to the file's bytes. The checksum of every block is checked before its
 * contents are used. Blocks must not overlap and must come in the order of the file: so each byte
 * of it is read once, and a hostile index cannot make one block be decompressed many times. Memory:
 * one uncompressed index block and one uncompressed data block, of at most `most` bytes each, and
 * the current key. */
#ifndef CPB_MODEL_FORMATS_LEVELDB_TABLE_H
#define CPB_MODEL_FORMATS_LEVELDB_TABLE_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/meter.h"
#include "model/formats/leveldb/crc32c.h"

/* A block while its entries are read. */
typedef struct cpb_table_block {
  uint64_t offset;                 /* in the file */
  bool packed;                     /* it was compressed: [begin, end) is in `unpacked`, else in the file */
  cpb_buffer unpacked;             /* its uncompressed bytes */
  const uint8_t *begin, *at, *end; /* its entries; `at` is the next one */
  cpb_buffer key;                  /* of the current entry, whole */
  cpb_span value;                  /* in [begin, end) */
} cpb_table_block;

typedef struct cpb_table {
  cpb_allocator allocator;
  cpb_meter *meter; /* charged with the bytes of uncompressed blocks */
  cpb_error *error;
  cpb_span file;
  uint64_t most;     /* bytes of an uncompressed block, at most */
  uint64_t last_end; /* where the data block before this one ends */
  cpb_crc32c crc;
  cpb_table_block index, data;
} cpb_table;

/* False with the error set; the table must be closed then, too. `meter`, `error` and the file
 * must outlive the table. */
bool cpb_table_open(cpb_table *table, const cpb_allocator *a, cpb_meter *meter, cpb_span file, uint64_t most,
                    cpb_error *error);
/* The next entry: CPB_HAVE; CPB_AT_END; CPB_FAILED with the error set. */
cpb_have cpb_table_next(cpb_table *table);
/* For an error about the current entry: the file offset of its end, or that of its block if the
 * block was compressed. */
uint64_t cpb_table_offset(const cpb_table *table);
void cpb_table_close(cpb_table *table);

#endif
