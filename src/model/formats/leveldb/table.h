/* A table in memory: keys and values in the order of the keys, in blocks (LevelDB's format,
 * docs/checkpoint-format.md).
 *
 *     bool good = cpb_table_open(&table, a, limits, file, most, error);
 *     while (good && (have = cpb_table_next(&table)) == CPB_HAVE) ... table.data.key, table.data.value
 *     cpb_table_close(&table);
 *
 * The checksum of every block is checked before anything in it is believed. Blocks must lie
 * one behind the other, so that walking the table takes no longer than the file is long. */
#ifndef CPB_MODEL_FORMATS_LEVELDB_TABLE_H
#define CPB_MODEL_FORMATS_LEVELDB_TABLE_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"
#include "model/formats/leveldb/crc32c.h"

/* A block while its entries are read. */
typedef struct cpb_table_block {
  uint64_t offset;     /* in the file */
  bool packed;         /* what offsets in it count is not in the file */
  cpb_buffer unpacked; /* what it has, when it was compressed */
  const uint8_t *begin, *at, *end;
  cpb_buffer key; /* of the entry */
  cpb_span value;
} cpb_table_block;

typedef struct cpb_table {
  cpb_allocator allocator;
  const cpb_limits *limits;
  cpb_error *error;
  cpb_span file;
  uint64_t most;     /* bytes of a block that was compressed */
  uint64_t last_end; /* of the block before */
  cpb_crc32c crc;
  cpb_table_block index, data;
} cpb_table;

/* False with the error set. Close it then, too. `limits`, `error` and the file must stay. */
bool cpb_table_open(cpb_table *table, const cpb_allocator *a, const cpb_limits *limits, cpb_span file, uint64_t most,
                    cpb_error *error);
/* The next entry: CPB_HAVE; CPB_AT_END; CPB_FAILED with the error set. */
cpb_have cpb_table_next(cpb_table *table);
/* Where the entry lies, for an error: the end of its block's part that was read. */
uint64_t cpb_table_offset(const cpb_table *table);
void cpb_table_close(cpb_table *table);

#endif
