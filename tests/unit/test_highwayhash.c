#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "riegeli/highwayhash.h"

/* Published with HighwayHash: the hashes of (), (0), (0, 1), ... up to 64 bytes
 * with the key 00 01 02 ... 1f. */
static const uint64_t published[65] = {
    0x907A56DE22C26E53, 0x7EAB43AAC7CDDD78, 0xB8D0569AB0B53D62, 0x5C6BEFAB8A463D80, 0xF205A46893007EDA,
    0x2B8A1668E4A94541, 0xBD4CCC325BEFCA6F, 0x4D02AE1738F59482, 0xE1205108E55F3171, 0x32D2644EC77A1584,
    0xF6E10ACDB103A90B, 0xC3BBF4615B415C15, 0x243CC2040063FA9C, 0xA89A58CE65E641FF, 0x24B031A348455A23,
    0x40793F86A449F33B, 0xCFAB3489F97EB832, 0x19FE67D2C8C5C0E2, 0x04DD90A69C565CC2, 0x75D9518E2371C504,
    0x38AD9B1141D3DD16, 0x0264432CCD8A70E0, 0xA9DB5A6288683390, 0xD7B05492003F028C, 0x205F615AEA59E51E,
    0xEEE0C89621052884, 0x1BFC1A93A7284F4F, 0x512175B5B70DA91D, 0xF71F8976A0A2C639, 0xAE093FEF1F84E3E7,
    0x22CA92B01161860F, 0x9FC7007CCF035A68, 0xA0C964D9ECD580FC, 0x2C90F73CA03181FC, 0x185CF84E5691EB9E,
    0x4FC1F5EF2752AA9B, 0xF5B7391A5E0A33EB, 0xB9B84B83B4E96C9C, 0x5E42FE712A5CD9B4, 0xA150F2F90C3F97DC,
    0x7FA522D75E2D637D, 0x181AD0CC0DFFD32B, 0x3889ED981E854028, 0xFB4297E8C586EE2D, 0x6D064A45BB28059C,
    0x90563609B3EC860C, 0x7AA4FCE94097C666, 0x1326BAC06B911E08, 0xB926168D2B154F34, 0x9919848945B1948D,
    0xA2A98FC534825EBE, 0xE9809095213EF0B6, 0x582E5483707BC0E9, 0x086E9414A88A6AF5, 0xEE86B98D20F6743D,
    0xF89B7FF609B1C0A7, 0x4C7D9CC19E22C3E8, 0x9A97005024562A6F, 0x5DD41CF423E6EBEF, 0xDF13609C0468E227,
    0x6E0DA4F64188155A, 0xB755BA4B50D7D4A1, 0x887A3484647479BD, 0xAB8EEBE9BF2139A0, 0x75542C5D4CD2A6FF};

static uint64_t hash_key(const cpb_hash_kernel *kernel, const uint64_t key[4], const void *data, size_t size) {
  cpb_hash hash;
  cpb_hash_init_key(&hash, key);
  cpb_hash_update_with(kernel, &hash, data, size);
  return cpb_hash_finish_with(kernel, &hash);
}

static void every_kernel_gives_the_published_hashes(void **state) {
  (void)state;
  const uint64_t key[4] = {0x0706050403020100, 0x0F0E0D0C0B0A0908, 0x1716151413121110, 0x1F1E1D1C1B1A1918};
  const uint64_t small_key[4] = {1, 2, 3, 4};
  uint8_t data[64], high[33];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)i;
  for (size_t i = 0; i < sizeof high; i++) high[i] = (uint8_t)(128 + i);
  const cpb_hash_kernel *kernel;
  for (size_t k = 0; (kernel = cpb_hash_kernel_get(k)) != NULL; k++) {
    print_message("kernel %s\n", kernel->name);
    for (size_t size = 0; size <= 64; size++) assert_true(hash_key(kernel, key, data, size) == published[size]);
    assert_true(hash_key(kernel, small_key, high, sizeof high) == 0x53c516cce478cad7);
  }
}

static void portable_kernel_is_always_there(void **state) {
  (void)state;
  size_t count = 0;
  while (cpb_hash_kernel_get(count) != NULL) count++;
  assert_in_range(count, 1, 3);
  assert_string_equal(cpb_hash_kernel_get(count - 1)->name, "portable");
}

/* The state that hashing begins with is the one that the key makes. */
static void riegelis_key_is_its_text(void **state) {
  (void)state;
  static const char text[33] = "Riegeli/records\nRiegeli/records\n";
  uint64_t key[4];
  uint8_t data[100];
  for (size_t i = 0; i < 4; i++) key[i] = cpb_load64((const uint8_t *)text + 8 * i);
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(7 * i);
  for (size_t size = 0; size <= sizeof data; size++) {
    cpb_hash hash;
    cpb_hash_init(&hash);
    for (size_t i = 0; i < size; i++) cpb_hash_update(&hash, data + i, 1);
    uint64_t expected = hash_key(cpb_hash_kernel_get(0), key, data, size);
    assert_true(cpb_hash_finish(&hash) == expected);
    assert_true(cpb_hash_finish(&hash) == expected); /* which leaves it as it is */
    assert_true(cpb_hash_bytes(data, size) == expected);
  }
}

/* The 64 bytes with which every Riegeli/records file begins, from its format
 * description: they hold a block header's, a chunk header's and an empty
 * chunk's hash. */
static void riegeli_key_gives_the_hashes_of_the_file_signature(void **state) {
  (void)state;
  const uint8_t signature[64] = {0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00,
                                 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x91, 0xba,
                                 0xc2, 0x3c, 0x92, 0x87, 0xe1, 0xa9, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                 0x00, 0xe1, 0x9f, 0x13, 0xc0, 0xe9, 0xb1, 0xc3, 0x72, 0x73, 0x00, 0x00, 0x00,
                                 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  assert_true(cpb_hash_bytes(signature + 8, 16) == cpb_load64(signature));
  assert_true(cpb_hash_bytes(signature + 32, 32) == cpb_load64(signature + 24));
  assert_true(cpb_hash_bytes(NULL, 0) == cpb_load64(signature + 40));
}

static uint32_t next_random(uint32_t *seed) { return (*seed = *seed * 1664525 + 1013904223) >> 8; }

static void pieces_hash_as_the_whole_on_every_kernel(void **state) {
  (void)state;
  static uint8_t data[70000];
  uint32_t seed = 1;
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)next_random(&seed);
  const uint64_t key[4] = {5, 6, 7, 8};
  for (unsigned round = 0; round < 800; round++) {
    size_t size = round <= 300 ? round : next_random(&seed) % (sizeof data - 64);
    const uint8_t *begin = data + round % 64;
    size_t last = 0;
    while (cpb_hash_kernel_get(last + 1) != NULL) last++;
    uint64_t expected = hash_key(cpb_hash_kernel_get(last), key, begin, size);
    for (size_t k = 0; k <= last; k++) {
      const cpb_hash_kernel *kernel = cpb_hash_kernel_get(k);
      assert_true(hash_key(kernel, key, begin, size) == expected);
      cpb_hash hash;
      cpb_hash_init_key(&hash, key);
      for (size_t at = 0, n; at < size; at += n) {
        n = next_random(&seed) % (round % 3 == 0 ? 5 : 200);
        if (n > size - at) n = size - at;
        cpb_hash_update_with(kernel, &hash, begin + at, n);
      }
      assert_true(cpb_hash_finish_with(kernel, &hash) == expected);
      assert_true(cpb_hash_finish_with(kernel, &hash) == expected); /* and can go on */
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kernel_gives_the_published_hashes),
      cmocka_unit_test(portable_kernel_is_always_there),
      cmocka_unit_test(riegelis_key_is_its_text),
      cmocka_unit_test(riegeli_key_gives_the_hashes_of_the_file_signature),
      cmocka_unit_test(pieces_hash_as_the_whole_on_every_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
