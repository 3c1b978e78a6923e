#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "riegeli/block.h"

/* The first 64 bytes of every Riegeli/records file, from its specification. */
static const uint8_t signature[CPB_SIGNATURE_SIZE] = {
    0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x91, 0xba, 0xc2, 0x3c, 0x92, 0x87, 0xe1, 0xa9,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe1, 0x9f, 0x13, 0xc0, 0xe9, 0xb1, 0xc3, 0x72,
    0x73, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

/* Walks byte by byte around the block headers. */
static uint64_t end_by_walking(uint64_t pos, uint64_t size) {
  for (; size > 0; size--) {
    if (pos % CPB_BLOCK_SIZE == 0) pos += CPB_BLOCK_HEADER_SIZE;
    pos++;
  }
  return pos;
}

static void the_signature_is_the_specified_one(void **state) {
  (void)state;
  uint8_t bytes[CPB_SIGNATURE_SIZE];
  const cpb_block_header block = {0, 64};
  const cpb_chunk_header chunk = {0, 0x72c3b1e9c0139fe1, 0, 0, CPB_CHUNK_SIGNATURE};
  cpb_block_header_encode(&block, bytes);
  cpb_chunk_header_encode(&chunk, bytes + CPB_BLOCK_HEADER_SIZE);
  assert_memory_equal(bytes, signature, sizeof signature);
}

static void headers_come_back_and_every_flipped_bit_is_seen(void **state) {
  (void)state;
  const cpb_chunk_header in = {0x123456789, 0xfedcba9876543210, CPB_MAX_NUM_RECORDS, 77, 'r'};
  cpb_chunk_header out;
  uint8_t bytes[CPB_CHUNK_HEADER_SIZE];
  cpb_chunk_header_encode(&in, bytes);
  assert_true(cpb_chunk_header_decode(bytes, &out));
  assert_true(out.data_size == in.data_size && out.data_hash == in.data_hash);
  assert_true(out.num_records == in.num_records && out.type == 'r');
  assert_true(out.decoded_data_size == in.decoded_data_size);
  for (unsigned bit = 0; bit < 8 * sizeof bytes; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_false(cpb_chunk_header_decode(bytes, &out));
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  uint8_t block_bytes[CPB_BLOCK_HEADER_SIZE];
  memcpy(block_bytes, signature, sizeof block_bytes);
  cpb_block_header block;
  assert_true(cpb_block_header_decode(block_bytes, &block));
  assert_true(block.previous_chunk == 0 && block.next_chunk == 64);
  for (unsigned bit = 0; bit < 8 * sizeof block_bytes; bit++) {
    block_bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    assert_false(cpb_block_header_decode(block_bytes, &block));
    block_bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
}

static void ends_are_those_of_a_walk_around_the_headers(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 2, 24, 40, 65510, 65511, 65512, 65513, 131024, 131025};
  for (uint64_t begin = 0; begin < 2 * CPB_BLOCK_SIZE + 100; begin += begin % 65536 < 70 ? 1 : 1091) {
    if (!cpb_is_chunk_boundary(begin)) continue;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      uint64_t end;
      assert_true(cpb_add_with_overhead(begin, sizes[i], &end));
      assert_int_equal(end, end_by_walking(begin, sizes[i]));
      assert_int_equal(cpb_distance_without_overhead(begin, end), sizes[i]);
    }
  }
}

static void boundaries_are_neither_in_nor_right_after_a_header(void **state) {
  (void)state;
  for (uint64_t pos = 1; pos < 3 * CPB_BLOCK_SIZE; pos++) {
    uint64_t in_block = pos % CPB_BLOCK_SIZE;
    bool boundary = in_block == 0 || in_block > CPB_BLOCK_HEADER_SIZE;
    assert_int_equal(cpb_is_chunk_boundary(pos), boundary);
    uint64_t up = boundary ? pos : pos - in_block + CPB_BLOCK_HEADER_SIZE + 1;
    assert_int_equal(cpb_round_up_to_chunk_boundary(pos), up);
    assert_int_equal(cpb_block_header_remaining(pos),
                     in_block < CPB_BLOCK_HEADER_SIZE ? CPB_BLOCK_HEADER_SIZE - in_block : 0);
    assert_int_equal(cpb_block_begin(pos) + in_block, pos);
    assert_int_equal((pos + cpb_block_remaining(pos)) % CPB_BLOCK_SIZE, 0);
  }
}

static void a_chunk_is_at_least_as_long_as_it_has_records(void **state) {
  (void)state;
  uint64_t end;
  assert_true(cpb_chunk_end(64, 10, 1, &end) && end == 114); /* records/one_empty.riegeli */
  assert_true(cpb_chunk_end(64, 10, 1000, &end) && end == 1064);
  assert_true(cpb_chunk_end(64, 10, 65536 - 64 + 1, &end) && end == 65536 + 25);
  assert_true(cpb_chunk_end(64, 10, 65536 - 64, &end) && end == 65536);
}

static void ends_past_64_bits_are_refused(void **state) {
  (void)state;
  uint64_t end;
  assert_false(cpb_chunk_end(64, UINT64_MAX, 0, &end));
  assert_false(cpb_chunk_end(64, UINT64_MAX - 200, 0, &end));
  assert_false(cpb_chunk_end(UINT64_MAX - 1000, 10, 10000, &end));
  assert_false(cpb_chunk_end(UINT64_MAX - 70000, 10, 5000, &end));
  assert_false(cpb_chunk_end(UINT64_MAX - 70000, 10, 80000, &end));
  assert_true(cpb_chunk_end(64, UINT64_MAX / 2, 0, &end));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_signature_is_the_specified_one),
      cmocka_unit_test(headers_come_back_and_every_flipped_bit_is_seen),
      cmocka_unit_test(ends_are_those_of_a_walk_around_the_headers),
      cmocka_unit_test(boundaries_are_neither_in_nor_right_after_a_header),
      cmocka_unit_test(a_chunk_is_at_least_as_long_as_it_has_records),
      cmocka_unit_test(ends_past_64_bits_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
