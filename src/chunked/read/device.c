#include "chunked/read/pager.h"

#include "base/checked.h"
#include "base/status.h"
#include "cpb/pager.h"
#include "riegeli/codec/decompressor.h"

/* The program around a reader: besides the pager, its data and stack, and memory lost between blocks. */
typedef struct host {
  uint32_t all, plain; /* with each decoder, and without */
  uint32_t page;       /* the unit of its memory */
} host;

/* cpb-core.wasm, of whose data 122 KiB are Brotli's dictionary, and the module without decoders;
 * wasi/reactor/test_reactor.py holds them to this. */
static const host module = {158 * 1024, 20 * 1024, 64 * 1024};
/* A program with the reader in C, its codecs in flash; wasi/devices holds it to this. */
static const host core = {6 * 1024, 6 * 1024, 1024};

enum {
  PAGER = 8 * 1024,       /* a pager with a reader and its small blocks */
  ZSTD = 35 * 1024,       /* its context */
  BLOCK_MAX = 128 * 1024, /* of Zstd */
  SNAPPY = 130 * 1024,
  BROTLI = 3 * 1024 * 1024, /* its tables, at worst */
  SHARES = 3,
  SHARE = 16, /* the share of bytes lent, held and decoded at once: 3/16 of the pager's */
  LEAST_WINDOW_LOG = 10,
  MOST_WINDOW_LOG = 27
};

static uint64_t decoder_memory(char codec, uint64_t window) {
  uint64_t block = cpb_min_u64(window, BLOCK_MAX);
  switch (codec) {
    case 0: return 0;
    case CPB_RIEGELI_ZSTD: return ZSTD + window + 3 * block;
    case CPB_RIEGELI_SNAPPY: return SNAPPY + 2 * window;
    default: return BROTLI + 2 * window; /* a ring that grows */
  }
}

static uint64_t in_pages(uint64_t beside, uint64_t held, uint32_t page) {
  if (held > UINT64_MAX / (2 * SHARE)) return UINT64_MAX;
  uint64_t all = beside + held * SHARE / (SHARE - SHARES);
  return (all + page - 1) / page * page;
}

static uint64_t memory_in(const host *h, const cpb_riegeli_chunk *chunk, uint64_t window) {
  if (window > UINT64_MAX / 8) return UINT64_MAX;
  uint64_t held = PAGER + decoder_memory(chunk->codec, window), whole;
  if (chunk->type == 't') {
    if (!cpb_add_u64(chunk->data_size, chunk->decoded_data_size, &whole) || !cpb_mul_u64(whole, 2, &whole) ||
        !cpb_add_u64(held, whole, &held))
      return UINT64_MAX;
  }
  uint64_t sizes = chunk->num_records > 1 ? chunk->num_records : 0; /* of the records */
  if (!cpb_mul_u64(sizes, 4, &sizes) || !cpb_add_u64(held, sizes, &held)) return UINT64_MAX;
  return in_pages(chunk->codec == 0 ? h->plain : h->all, held, h->page);
}

uint64_t cpb_device_memory(const cpb_riegeli_chunk *chunk, uint64_t window) {
  return memory_in(&module, chunk, window);
}

uint64_t cpb_core_memory(const cpb_riegeli_chunk *chunk, uint64_t window) { return memory_in(&core, chunk, window); }

static uint64_t memory_for(const host *h, char codec, int window_log) {
  const cpb_riegeli_chunk chunk = {.num_records = 1, .type = 'r', .codec = codec};
  return memory_in(h, &chunk, (uint64_t)1 << window_log);
}

static bool too_little(uint64_t memory, const char *what, uint64_t least, cpb_error *error) {
  return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET,
                   "for_memory is %llu bytes; expected at least %llu to read a file %s", (unsigned long long)memory,
                   (unsigned long long)least, what);
}

/* The largest window up to `most`; less than LEAST_WINDOW_LOG if none fits. */
static int window_in(const host *h, uint64_t memory, int most) {
  int log = most;
  while (log >= LEAST_WINDOW_LOG && memory_for(h, CPB_RIEGELI_ZSTD, log) > memory) log--;
  return log;
}

/* If even the module with its smallest memory does not fit, the reader in C may. It uses no larger window than that
 * module would, so that more memory never gives a larger file. */
static int fitting_window(uint64_t memory, int asked) {
  int most = asked > 0 ? asked : MOST_WINDOW_LOG;
  uint64_t least = memory_for(&module, CPB_RIEGELI_ZSTD, LEAST_WINDOW_LOG);
  if (memory >= least) return window_in(&module, memory, most);
  int log = window_in(&module, least, most);
  return window_in(&core, memory, log);
}

bool cpb_device_choose(uint64_t memory, cpb_layout layout, cpb_transpose transpose, uint64_t index_pages,
                       cpb_codec_options *codec, cpb_error *error) {
  if (layout != CPB_LAYOUT_REMOTE || codec->codec == CPB_CODEC_BROTLI || codec->codec == CPB_CODEC_SNAPPY ||
      transpose != CPB_TRANSPOSE_NEVER || index_pages > 0)
    return CPB_FAILS(
        error, CPB_E_USAGE, CPB_NO_OFFSET,
        "for_memory is set; expected the remote layout, Zstd or no compression, no transposing, and no pages");
  uint64_t plain = memory_for(&core, 0, 0);
  if (memory < plain) return too_little(memory, "without compression", plain, error);
  int window_log = fitting_window(memory, codec->window_log);
  bool fits = window_log >= LEAST_WINDOW_LOG;
  if (fits && codec->codec != CPB_CODEC_NONE) codec->window_log = window_log;
  if (fits || codec->codec == CPB_CODEC_NONE) return true;
  if (codec->codec != CPB_CODEC_DEFAULT)
    return too_little(memory, "compressed with Zstd", memory_for(&core, CPB_RIEGELI_ZSTD, LEAST_WINDOW_LOG), error);
  codec->codec = CPB_CODEC_NONE;
  return true;
}
