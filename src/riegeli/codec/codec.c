#include "riegeli/codec/codec.h"

/* In a separate file, so that a program links only the codecs that it uses. */
#define NAMED(NAME, name, number, byte, least, most) [number] = #name,
static const char *const names[] = {CPB_CODECS(NAMED)};
#define LEVELS(NAME, name, number, byte, least, most) [number] = {least, most},
static const int levels[][2] = {CPB_CODECS(LEVELS)};

const char *cpb_codec_name(cpb_codec codec) { return (unsigned)codec < CPB_NUM_CODECS ? names[codec] : NULL; }

cpb_codec cpb_codec_of_byte(char byte) {
#define BYTE(NAME, name, number, letter, least, most) \
  case letter: return CPB_CODEC_##NAME;
  switch (byte) { CPB_CODECS(BYTE) }
  return CPB_CODEC_DEFAULT;
}

int cpb_codec_levels(cpb_codec codec, int *least, int *most) {
  const bool is_known = (unsigned)codec < CPB_NUM_CODECS;
  *least = is_known ? levels[codec][0] : 0;
  *most = is_known ? levels[codec][1] : 0;
  return *most > 0;
}
