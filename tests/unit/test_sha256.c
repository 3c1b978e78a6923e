#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/sha256.c" /* both ways to compute it, of which it takes the faster */

static const char *digest_of(const void *data, size_t size, size_t piece) {
  static char hex[CPB_SHA256_HEX];
  cpb_sha256 sha;
  cpb_sha256_begin(&sha);
  for (size_t at = 0; at < size; at += piece)
    cpb_sha256_add(&sha, (const char *)data + at, cpb_min_size(piece, size - at));
  cpb_sha256_end_hex(&sha, hex);
  return hex;
}

/* FIPS 180-4's examples: one block, two blocks, a million letters. */
static void published_vectors(void **state) {
  (void)state;
  static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  static char letters[1000000];
  memset(letters, 'a', sizeof letters);
  assert_string_equal(digest_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert_string_equal(digest_of("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert_string_equal(digest_of(two_blocks, sizeof two_blocks - 1, 100),
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  assert_string_equal(digest_of(letters, sizeof letters, 65537),
                      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_make_no_difference(void **state) {
  (void)state;
  char data[300], whole[CPB_SHA256_HEX];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 7);
  memcpy(whole, digest_of(data, sizeof data, sizeof data), sizeof whole);
  for (size_t piece = 1; piece < sizeof data; piece++) assert_string_equal(digest_of(data, sizeof data, piece), whole);
}

/* Where the processor has no instructions for it, both are the same. */
static void both_ways_agree(void **state) {
  (void)state;
  uint8_t data[5 * BLOCK];
  uint32_t fast[8] = {1, 2, 3, 4, 5, 6, 7, 8}, portable[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * i + 3);
  compress(fast, data, 5);
  compress_portable_all(portable, data, 5);
  assert_memory_equal(fast, portable, sizeof fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_vectors),
      cmocka_unit_test(pieces_make_no_difference),
      cmocka_unit_test(both_ways_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
