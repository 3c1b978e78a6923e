/* Zip archives put together by hand: entry after entry, then the directory. Every
 * field can be made to lie. */
#ifndef ZIP_BUILDER_H
#define ZIP_BUILDER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

typedef struct zip_bytes {
  uint8_t data[65536 * 4];
  size_t size;
} zip_bytes;

typedef struct zip_file {
  const char *name;
  const char *content; /* as it lies in the file */
  size_t content_size; /* 0: strlen */
  uint32_t crc, size;  /* of what it stands for; size 0: content_size */
  uint16_t method, flags;
  uint16_t made_by; /* in the high byte 3: Unix */
  uint32_t attributes;
  const char *local_name; /* NULL: the same */
  int descriptor;         /* sizes only after the data */
  int wide;               /* sizes in Zip64 fields */
  int64_t at_moved;       /* the directory tells of another place */
} zip_file;

typedef struct zip_builder {
  zip_bytes out, directory;
  unsigned count;
  uint16_t told_count; /* how many more the end record tells of */
  int wide;            /* with Zip64 end records */
} zip_builder;

static inline void zip_put(zip_bytes *b, const void *data, size_t size) {
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

/* Little-endian; zeros beyond the 8 bytes that a number has. */
static inline void zip_number(zip_bytes *b, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) b->data[b->size++] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

static inline size_t zip_content_size(const zip_file *f) {
  return f->content_size ? f->content_size : strlen(f->content);
}
static inline uint32_t zip_told_size(const zip_file *f) { return f->size ? f->size : (uint32_t)zip_content_size(f); }

static inline void zip_sizes(zip_bytes *b, const zip_file *f, int none) {
  uint32_t all = 0xffffffffu;
  zip_number(b, none ? 0 : f->crc, 4);
  zip_number(b, none ? 0 : f->wide ? all : zip_content_size(f), 4);
  zip_number(b, none ? 0 : f->wide ? all : zip_told_size(f), 4);
}

static inline void zip_wide(zip_bytes *b, const zip_file *f) {
  if (!f->wide) return;
  zip_number(b, 1, 2);
  zip_number(b, 16, 2);
  zip_number(b, zip_told_size(f), 8);
  zip_number(b, zip_content_size(f), 8);
}

static inline void zip_add(zip_builder *z, zip_file f) {
  zip_bytes *b = &z->out, *d = &z->directory;
  const char *local = f.local_name ? f.local_name : f.name;
  uint16_t flags = (uint16_t)(f.flags | (f.descriptor ? 8 : 0));
  size_t at = b->size;
  zip_number(b, 0x04034b50, 4);
  zip_number(b, 20, 2);
  zip_number(b, flags, 2);
  zip_number(b, f.method, 2);
  zip_number(b, 0, 4);
  zip_sizes(b, &f, f.descriptor);
  zip_number(b, strlen(local), 2);
  zip_number(b, f.wide ? 20 : 0, 2);
  zip_put(b, local, strlen(local));
  zip_wide(b, &f);
  zip_put(b, f.content, zip_content_size(&f));
  if (f.descriptor) {
    zip_number(b, 0x08074b50, 4);
    zip_sizes(b, &f, 0);
  }
  zip_number(d, 0x02014b50, 4);
  zip_number(d, f.made_by, 2);
  zip_number(d, 20, 2);
  zip_number(d, flags, 2);
  zip_number(d, f.method, 2);
  zip_number(d, 0, 4);
  zip_sizes(d, &f, 0);
  zip_number(d, strlen(f.name), 2);
  zip_number(d, f.wide ? 20 : 0, 2);
  zip_number(d, 0, 6);
  zip_number(d, f.attributes, 4);
  zip_number(d, (uint64_t)((int64_t)at + f.at_moved), 4);
  zip_put(d, f.name, strlen(f.name));
  zip_wide(d, &f);
  z->count++;
}

static inline void zip_end(zip_builder *z, const char *comment) {
  zip_bytes *b = &z->out;
  size_t at = b->size, end;
  unsigned told = z->count + z->told_count;
  zip_put(b, z->directory.data, z->directory.size);
  end = b->size;
  if (z->wide) {
    zip_number(b, 0x06064b50, 4);
    zip_number(b, 44, 8);
    zip_number(b, 45, 4);
    zip_number(b, 0, 8);
    zip_number(b, told, 8);
    zip_number(b, told, 8);
    zip_number(b, z->directory.size, 8);
    zip_number(b, at, 8);
    zip_number(b, 0x07064b50, 4);
    zip_number(b, 0, 4);
    zip_number(b, end, 8);
    zip_number(b, 1, 4);
  }
  zip_number(b, 0x06054b50, 4);
  zip_number(b, 0, 4);
  zip_number(b, z->wide ? 0xffff : told, 2);
  zip_number(b, z->wide ? 0xffff : told, 2);
  zip_number(b, z->wide ? 0xffffffffu : z->directory.size, 4);
  zip_number(b, z->wide ? 0xffffffffu : at, 4);
  zip_number(b, strlen(comment), 2);
  zip_put(b, comment, strlen(comment));
}

#endif
