#include "sample.h"

#include <stdio.h>
#include <string.h>

#include "psa/crypto.h"

enum { SHA256_SIZE = 32, HEX_SIZE = 2 * SHA256_SIZE + 1 };

/* What is read goes into a hash, as there is nothing else to do with it here. */
typedef struct sink {
  psa_hash_operation_t hash;
  uint64_t size;
} sink;

static int failed(const char *what, const char *problem) {
  printf("%s: %s\n", what, problem);
  return 1;
}

static int open_sink(sink *s) {
  s->hash = psa_hash_operation_init();
  s->size = 0;
  return psa_hash_setup(&s->hash, PSA_ALG_SHA_256) == PSA_SUCCESS ? 0 : -1;
}

static int add_to_sink(void *state, const uint8_t *data, size_t length) {
  sink *s = state;
  s->size += length;
  return psa_hash_update(&s->hash, data, length) == PSA_SUCCESS ? 0 : -1;
}

/* `hex`: HEX_SIZE bytes. */
static int close_sink(sink *s, char *hex) {
  static const char digits[] = "0123456789abcdef";
  uint8_t hash[SHA256_SIZE];
  size_t length;
  if (psa_hash_finish(&s->hash, hash, sizeof hash, &length) != PSA_SUCCESS || length != sizeof hash) return -1;
  for (size_t i = 0; i < sizeof hash; i++) {
    hex[2 * i] = digits[hash[i] >> 4];
    hex[2 * i + 1] = digits[hash[i] & 15];
  }
  hex[2 * sizeof hash] = '\0';
  return 0;
}

/* Ends what began with open_sink(), and prints what was read if that went well. */
static int report(sink *s, const char *what, const char *problem) {
  char hex[HEX_SIZE];
  if (problem) {
    psa_hash_abort(&s->hash);
    return failed(what, problem);
  }
  if (close_sink(s, hex) != 0) return failed(what, "cannot compute a hash");
  printf("%s: %lu bytes, SHA-256 %s\n", what, (unsigned long)s->size, hex);
  return 0;
}

/* Before anything is made of the file. */
static int verify(device_reader *d, const sample_manifest *m) {
  sink s;
  char hex[HEX_SIZE];
  if (m->size > d->source.size) return failed("model", "it is shorter than the manifest says");
  if (m->size > 0) d->source.size = m->size;
  printf("model: %lu bytes\n", (unsigned long)d->source.size);
  if (!m->sha256[0]) {
    printf("model: not verified, the manifest has no SHA-256\n");
    return 0;
  }
  if (open_sink(&s) != 0) return failed("model", "cannot compute a hash");
  const char *problem = device_file(d, add_to_sink, &s);
  if (problem) {
    psa_hash_abort(&s.hash);
    return failed("model", problem);
  }
  if (close_sink(&s, hex) != 0 || strcmp(hex, m->sha256) != 0)
    return failed("model", "its SHA-256 is not the manifest's; it is not read");
  printf("model: verified\n");
  return 0;
}

static int read_field(device_reader *d, const sample *s) {
  const cpb_field_reader_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .memory = s->memory, .read_size = d->window_size};
  sink out;
  if (open_sink(&out) != 0) return failed(s->field, "cannot compute a hash");
  d->state = &out;
  cpb_field_reader *reader = cpb_field_reader_new(s->allocator, &how);
  int status = report(&out, s->field, reader ? device_field(d, reader, s->field) : "out of memory");
  if (reader) printf("field reader: %lu bytes of memory\n", (unsigned long)cpb_field_reader_memory(reader));
  cpb_field_reader_free(reader);
  return status;
}

static int read_chunk(device_reader *d, const sample *s) {
  const cpb_pager_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .memory = s->memory, .read_size = d->window_size};
  sink out;
  char name[32];
  snprintf(name, sizeof name, "chunk %lu", (unsigned long)s->chunk);
  if (open_sink(&out) != 0) return failed(name, "cannot compute a hash");
  d->state = &out;
  cpb_pager *pager = cpb_pager_new(s->allocator, &how);
  int status = report(&out, name, pager ? device_chunk(d, pager, s->chunk) : "out of memory");
  if (pager) printf("pager: %lu bytes of memory\n", (unsigned long)cpb_pager_memory(pager));
  cpb_pager_free(pager);
  return status;
}

int sample_run(device_reader *d, const sample *s) {
  d->write = add_to_sink;
  if (psa_crypto_init() != PSA_SUCCESS) return failed("PSA Crypto", "it does not start");
  const char *problem = sample_open(&d->source);
  if (problem) return failed("source", problem);
  int status = verify(d, &s->manifest);
  if (status == 0 && s->field[0]) status = read_field(d, s);
  if (status == 0) status = read_chunk(d, s);
  if (d->now)
    printf("%lu steps, the longest took %lu %s\n", (unsigned long)d->steps, (unsigned long)d->longest, s->ticks);
  return status;
}
