/* Reads a LevelDB table (sorted string table) from an input: blocks of keys and values, in the order
 * of the keys (LevelDB's doc/table_format.md; docs/checkpoint-format.md).
 *
 *     cpb_table_init(&table, a, meter, input, most, error);
 *     while ((have = cpb_table_next(&table)) == CPB_HAVE) ... table.data.key, table.data.value
 *     cpb_table_free(&table);
 *
 * The footer, the index block and then single data blocks are read. The checksum of every block is
 * checked before its contents are used. Blocks must not overlap and must come in the order of the file:
 * so each byte of it is read once, and a hostile index cannot make one block be decompressed many times.
 * Memory: one index block and one data block, as stored and uncompressed, of at most `most` bytes each,
 * and the current key. */
#ifndef CPB_MODEL_FORMATS_LEVELDB_TABLE_H
#define CPB_MODEL_FORMATS_LEVELDB_TABLE_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"
#include "base/meter.h"
#include "model/formats/leveldb/crc32c.h"

/* A block whose entries are being read. */
typedef struct cpb_table_block {
  uint64_t offset;                 /* in the file */
  bool packed;                     /* it was compressed: [begin, end) is in `unpacked`, else in `stored` */
  cpb_buffer stored, unpacked;     /* its bytes in the file, with the trailer; its uncompressed bytes */
  const uint8_t *begin, *at, *end; /* its entries; `at` is the next one */
  cpb_buffer key;                  /* the current entry's complete key */
  cpb_span value;                  /* in [begin, end) */
} cpb_table_block;

typedef struct cpb_table {
  cpb_allocator allocator;
  cpb_meter *meter; /* charged with the bytes of uncompressed blocks */
  cpb_error *error;
  cpb_input *input;
  uint64_t size;     /* of the file */
  uint64_t most;     /* largest size of a block */
  uint64_t last_end; /* where the data block before this one ends */
  cpb_crc32c crc;
  int stage;
  uint8_t footer[48];
  size_t have;     /* number of bytes read of the footer, or of the current block */
  bool is_reading; /* of the data block at `where` */
  cpb_range metaindex, where;
  cpb_table_block index, data;
} cpb_table;

/* `meter`, `input` and `error` must outlive the table. */
void cpb_table_init(cpb_table *table, const cpb_allocator *a, cpb_meter *meter, cpb_input *input, uint64_t most,
                    cpb_error *error);
void cpb_table_free(cpb_table *table);

/* The next entry: CPB_HAVE; CPB_WAIT; CPB_AT_END; CPB_FAILED with the error set. */
cpb_have cpb_table_next(cpb_table *table);
/* Finds the entry of that key, and reads only its block. CPB_AT_END: no such entry. Do not mix with
 * cpb_table_next(). */
cpb_have cpb_table_seek(cpb_table *table, cpb_span key);
/* The place for an error about the current entry: the file offset of its end, or of its block if that was
 * compressed. */
uint64_t cpb_table_offset(const cpb_table *table);

#endif
