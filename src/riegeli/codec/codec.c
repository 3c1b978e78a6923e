#include "riegeli/codec/codec.h"

#define NUMBERED(NAME, name, number, byte, least, most) [number] = {#name, byte, least, most},
static const struct {
  const char *name;
  char byte;
  int least, most;
} codecs[] = {CPB_CODECS(NUMBERED)};

const char *cpb_codec_name(cpb_codec codec) { return (size_t)codec < CPB_NUM_CODECS ? codecs[codec].name : NULL; }

cpb_codec cpb_codec_of_byte(char byte) {
  for (cpb_codec codec = CPB_CODEC_NONE; (size_t)codec < CPB_NUM_CODECS; codec++) {
    if (codecs[codec].byte == byte) return codec;
  }
  return CPB_CODEC_DEFAULT;
}

int cpb_codec_levels(cpb_codec codec, int *least, int *most) {
  const bool has_levels = cpb_codec_name(codec) && codec != CPB_CODEC_NONE;
  *least = has_levels ? codecs[codec].least : 0;
  *most = has_levels ? codecs[codec].most : 0;
  return has_levels;
}
