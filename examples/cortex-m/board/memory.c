/* memcpy and memmove that only access aligned words: newlib's for this processor do not, which is
 * a fault here (startup.c). */
#include <stdint.h>
#include <string.h>

enum { WORD = sizeof(uint32_t) };

typedef uint32_t __attribute__((may_alias)) word;

void *memcpy(void *restrict out, const void *restrict in, size_t size) {
  uint8_t *to = out;
  const uint8_t *from = in;
  if (((uintptr_t)to - (uintptr_t)from) % WORD == 0) {
    for (; size > 0 && (uintptr_t)to % WORD != 0; size--) *to++ = *from++;
    for (; size >= WORD; size -= WORD, to += WORD, from += WORD) *(word *)to = *(const word *)from;
  }
  for (; size > 0; size--) *to++ = *from++;
  return out;
}

void *memmove(void *out, const void *in, size_t size) {
  uint8_t *to = out;
  const uint8_t *from = in;
  if (to <= from || to >= from + size) {
    for (; size > 0; size--) *to++ = *from++;
  } else {
    while (size > 0) {
      size--;
      to[size] = from[size];
    }
  }
  return out;
}
