#include "model/common/guess.h"
#include "model/common/kind.h"

#define FOOTER 48
#define CERTAIN 1000

/* The last bytes identify a LevelDB table. */
int cpb_checkpoint_guess(const cpb_file_ends *ends, bool is_named) {
  static const uint8_t magic[8] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
  const cpb_span end = cpb_ends_end(ends);
  (void)is_named;
  const bool is = end.size >= FOOTER && memcmp(end.data + end.size - sizeof magic, magic, sizeof magic) == 0;
  return is ? CERTAIN : 0;
}
