/* Tables in which Brotli's encoder searches words of its dictionary, unchanged and in capitals. The library has them as
 * constants, 190 KB that hardly compress. This file replaces enc/encoder_dict.c and makes them from the dictionary when
 * the first encoder is created; it supports only one thread.
 *
 * A bucket belongs to a hash of a word's first four bytes. It lists words of all lengths in the order in which this
 * code adds them: first unchanged; then, if no earlier word is the same, with a capital and, if all is ASCII, in
 * capitals. */
#include "enc/encoder_dict.h"

#include <stdlib.h>
#include <string.h>

#include "common/dictionary.h"
#include "common/transform.h"
#include "enc/dictionary_hash.h"
#include "enc/hash.h"

enum { BUCKETS = 1 << 15, WORDS = 31705, LENGTH_MIN = 4, LENGTH_MAX = 24 };
enum { AS_IT_IS = 0, CAPITAL = 10, CAPITALS = 11, LAST = 0x80 };

static uint16_t buckets[BUCKETS];
static DictWord words[WORDS];

/* Words in the order in which they came, the first at 1, and lists of them: buckets[] has the first
 * of each, 0 for none. */
typedef struct lists {
  DictWord word[WORDS];
  uint16_t next[WORDS], last[BUCKETS];
  size_t count;
} lists;

static uint8_t capital(uint8_t c) { return c >= 'a' && c <= 'z' ? c ^ 32 : c; }

static void write(DictWord word, uint8_t *out) {
  const BrotliDictionary *d = BrotliGetDictionary();
  memcpy(out, d->data + d->offsets_by_length[word.len] + (size_t)word.idx * word.len, word.len);
  size_t changed = word.transform == CAPITALS ? word.len : word.transform == CAPITAL;
  for (size_t i = 0; i < changed; i++) out[i] = capital(out[i]);
}

static void add(lists *l, DictWord word) {
  uint8_t text[LENGTH_MAX], other[LENGTH_MAX];
  write(word, text);
  uint32_t first = (uint32_t)text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 | (uint32_t)text[3] << 24;
  size_t key = first * kDictHashMul32 >> (32 - kDictNumBits);
  for (size_t i = buckets[key]; i != 0 && word.transform != AS_IT_IS; i = l->next[i]) {
    write(l->word[i], other);
    if (l->word[i].len == word.len && memcmp(text, other, word.len) == 0) return;
  }
  if (l->count == WORDS) return;
  uint16_t *link = buckets[key] ? &l->next[l->last[key]] : &buckets[key];
  *link = l->last[key] = (uint16_t)l->count;
  l->word[l->count++] = word;
}

static int is_ascii(DictWord word) {
  uint8_t text[LENGTH_MAX], all = 0;
  write(word, text);
  for (size_t i = 0; i < word.len; i++) all |= text[i];
  return all < 0x80;
}

static void add_all(lists *l, int as_they_are) {
  const BrotliDictionary *d = BrotliGetDictionary();
  for (unsigned length = LENGTH_MIN; length <= LENGTH_MAX; length++) {
    for (unsigned i = 0; d->size_bits_by_length[length] && i >> d->size_bits_by_length[length] == 0; i++) {
      DictWord word = {(uint8_t)length, AS_IT_IS, (uint16_t)i};
      if (as_they_are) add(l, word);
      word.transform = CAPITAL;
      if (!as_they_are) add(l, word);
      word.transform = CAPITALS;
      if (!as_they_are && is_ascii(word)) add(l, word);
    }
  }
}

/* The lists one after the other. */
static void lay_out(const lists *l) {
  size_t at = 1;
  for (size_t key = 0; key < BUCKETS; key++) {
    size_t i = buckets[key];
    if (i == 0) continue;
    buckets[key] = (uint16_t)at;
    for (; i != 0; i = l->next[i]) words[at++] = l->word[i];
    words[at - 1].len |= LAST;
  }
}

static void make_tables(void) {
  lists *l = calloc(1, sizeof *l);
  if (!l) return; /* without them no word is found, and the output is a little larger */
  l->count = 1;
  add_all(l, 1);
  add_all(l, 0);
  lay_out(l);
  free(l);
}

void BrotliInitEncoderDictionary(BrotliEncoderDictionary *dict) {
  if (words[1].len == 0) make_tables();
  dict->words = BrotliGetDictionary();
  dict->num_transforms = (uint32_t)BrotliGetTransforms()->num_transforms;
  dict->hash_table_words = kStaticDictionaryHashWords;
  dict->hash_table_lengths = kStaticDictionaryHashLengths;
  dict->buckets = buckets;
  dict->dict_words = words;
  dict->cutoffTransformsCount = kCutoffTransformsCount;
  dict->cutoffTransforms = kCutoffTransforms;
}
