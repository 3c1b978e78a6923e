#include "riegeli/block.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "riegeli/highwayhash.h"

uint64_t cpb_round_up_to_chunk_boundary(uint64_t pos) {
  uint64_t remaining = cpb_block_remaining(pos);
  return remaining < CPB_BLOCK_USABLE ? pos : pos + remaining - (CPB_BLOCK_USABLE - 1);
}

bool cpb_add_with_overhead(uint64_t chunk_begin, uint64_t size, uint64_t *end) {
  /* `lead` is what the chunk's first block has before it, so that a block header comes
   * after every CPB_BLOCK_USABLE bytes counted. */
  uint64_t lead = (chunk_begin + CPB_BLOCK_USABLE - 1) % CPB_BLOCK_SIZE;
  uint64_t counted, sum;
  if (!cpb_add_u64(size, lead, &counted)) return false;
  uint64_t headers = counted / CPB_BLOCK_USABLE * CPB_BLOCK_HEADER_SIZE;
  return cpb_add_u64(chunk_begin, size, &sum) && cpb_add_u64(sum, headers, end);
}

/* How many bytes before `pos` are not of block headers. */
static uint64_t without_headers(uint64_t pos) {
  uint64_t in_block = pos % CPB_BLOCK_SIZE;
  return pos - pos / CPB_BLOCK_SIZE * CPB_BLOCK_HEADER_SIZE - cpb_min_u64(in_block, CPB_BLOCK_HEADER_SIZE);
}

uint64_t cpb_distance_without_overhead(uint64_t chunk_begin, uint64_t pos) {
  return without_headers(pos) - without_headers(chunk_begin);
}

bool cpb_chunk_end(uint64_t chunk_begin, uint64_t data_size, uint64_t num_records, uint64_t *end) {
  uint64_t size, data_end, records_end;
  if (!cpb_add_u64(data_size, CPB_CHUNK_HEADER_SIZE, &size) || !cpb_add_with_overhead(chunk_begin, size, &data_end) ||
      !cpb_add_u64(chunk_begin, num_records, &records_end) || records_end > UINT64_MAX - CPB_BLOCK_SIZE)
    return false;
  *end = cpb_max_u64(data_end, cpb_round_up_to_chunk_boundary(records_end));
  return true;
}

const uint8_t cpb_file_signature[CPB_FILE_SIGNATURE_SIZE] = {0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f};

/* Both headers begin with the hash of the rest. */
static void store_hash(uint8_t *header, size_t size) { cpb_store64(header, cpb_hash_bytes(header + 8, size - 8)); }

static bool hash_matches(const uint8_t *header, size_t size) {
  return cpb_load64(header) == cpb_hash_bytes(header + 8, size - 8);
}

void cpb_block_header_encode(const cpb_block_header *header, uint8_t out[CPB_BLOCK_HEADER_SIZE]) {
  cpb_store64(out + 8, header->previous_chunk);
  cpb_store64(out + 16, header->next_chunk);
  store_hash(out, CPB_BLOCK_HEADER_SIZE);
}

bool cpb_block_header_decode(const uint8_t bytes[CPB_BLOCK_HEADER_SIZE], cpb_block_header *header) {
  header->previous_chunk = cpb_load64(bytes + 8);
  header->next_chunk = cpb_load64(bytes + 16);
  return hash_matches(bytes, CPB_BLOCK_HEADER_SIZE);
}

void cpb_chunk_header_encode(const cpb_chunk_header *header, uint8_t out[CPB_CHUNK_HEADER_SIZE]) {
  cpb_store64(out + 8, header->data_size);
  cpb_store64(out + 16, header->data_hash);
  cpb_store64(out + 24, header->num_records << 8 | header->type);
  cpb_store64(out + 32, header->decoded_data_size);
  store_hash(out, CPB_CHUNK_HEADER_SIZE);
}

bool cpb_chunk_header_decode(const uint8_t bytes[CPB_CHUNK_HEADER_SIZE], cpb_chunk_header *header) {
  uint64_t type_and_records = cpb_load64(bytes + 24);
  header->data_size = cpb_load64(bytes + 8);
  header->data_hash = cpb_load64(bytes + 16);
  header->type = (uint8_t)type_and_records;
  header->num_records = type_and_records >> 8;
  header->decoded_data_size = cpb_load64(bytes + 32);
  return hash_matches(bytes, CPB_CHUNK_HEADER_SIZE);
}
