/* Zstd frames that no writer makes: the verdict does not depend on how the host feeds them, nor on
 * which of libzstd's ways to decode is taken. */
#include "codec_cases.h"

/* Frames with one block each, which no writer makes. `head` is the frame's descriptor and what
 * follows it: a window, or the size of the content, of up to 255 bytes. */
static const struct {
  const char *head;
  uint32_t type, size; /* of the block: 0, raw; 1, a byte repeated; 3, reserved */
  cpb_code code;
} frames[] = {
    {"\x20\x05", 0, 5, CPB_OK},
    {"\x20\x04", 0, 5, CPB_E_DAMAGED},
    {"\x20\x06", 0, 5, CPB_E_DAMAGED},
    {"\x28\x05", 0, 5, CPB_E_DAMAGED}, /* a reserved bit */
    {"\x30\x05", 0, 5, CPB_OK},        /* an unused one */
    {"\x20\x05", 3, 5, CPB_E_DAMAGED},
    {"\x20\x05", 1, 5, CPB_OK},
    {"\x20\x04", 1, 5, CPB_E_DAMAGED},
    {"\x00\x00", 0, 1024, CPB_OK}, /* the window, and more */
    {"\x00\x00", 0, 1025, CPB_E_DAMAGED},
    {"\x00\x00", 1, 1024, CPB_OK},
    {"\x00\x00", 1, 1025, CPB_E_DAMAGED},
    {"\x00\x50", 0, 1 << 17, CPB_OK}, /* the largest block, and more */
    {"\x00\x50", 0, (1 << 17) + 1, CPB_E_DAMAGED},
    {"\x00\x50", 1, 1 << 17, CPB_OK},
    {"\x00\x50", 1, (1 << 17) + 1, CPB_E_DAMAGED},
};

static cpb_span make_frame(size_t i, uint8_t *room) {
  static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
  uint32_t size = frames[i].size, header = 1 | frames[i].type << 1 | size << 3;
  size_t stored = frames[i].type == 1 ? 1 : size;
  uint8_t *at = cpb_varint_write(room, size);
  memcpy(at, magic, 4);
  memcpy(at + 4, frames[i].head, 2);
  memcpy(at + 6, (const uint8_t[]){(uint8_t)header, (uint8_t)(header >> 8), (uint8_t)(header >> 16)}, 3);
  memset(at + 9, 'a', stored);
  return (cpb_span){room, (size_t)(at - room) + 9 + stored};
}

typedef enum way { IN_PIECES, FRUGAL, IN_PLACE, WAYS } way;

static cpb_code code_of(cpb_span in, size_t size, way w, size_t piece) {
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompressor *d = cpb_decompressor_new(NULL, NULL, 'z', in.size, &error);
  if (w == FRUGAL) cpb_decompressor_be_frugal(d);
  result r = {{CPB_OK, NULL}, NULL, 0};
  if (w == IN_PLACE) r = decompress_in_place(d, in, size, piece, 1);
  else r = decompress_pieces(d, in, size, piece, piece, 1);
  free(r.data);
  cpb_decompressor_free(d);
  return r.error.code;
}

static cpb_code code_of_whole(cpb_span in, size_t size) {
  cpb_buffer out = new_buffer(NULL);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_decompress_all(NULL, NULL, 'z', in, size, &out, &error);
  cpb_buffer_free(&out);
  return error.code;
}

static void each_frame_gets_one_verdict_however_it_comes(void **state) {
  (void)state;
  static uint8_t room[(1 << 17) + 64];
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    cpb_span in = make_frame(i, room);
    if (code_of_whole(in, frames[i].size) != frames[i].code) fail_msg("frame %zu, whole", i);
    for (size_t piece = 7; piece <= 1 << 19; piece *= 7) {
      for (way w = IN_PIECES; w < WAYS; w++)
        if (code_of(in, frames[i].size, w, piece) != frames[i].code)
          fail_msg("frame %zu in pieces of %zu, way %d", i, piece, (int)w);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_frame_gets_one_verdict_however_it_comes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
