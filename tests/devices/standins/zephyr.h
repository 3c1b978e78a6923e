/* What the samples use of Zephyr; CMakeLists.txt makes a header of each name below that includes this one. */
#ifndef STANDIN_ZEPHYR_H
#define STANDIN_ZEPHYR_H

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

/* --- zephyr/kernel.h -------------------------------------------------------------------------- */

#define ARG_UNUSED(x) (void)(x)
#define printk printf

static inline void k_yield(void) {}
static inline uint32_t k_cycle_get_32(void) { return (uint32_t)clock(); }

/* --- zephyr/sys/sys_heap.h -------------------------------------------------------------------- */

/* Holds no more than it was given, as the real one. */
struct sys_heap {
  size_t left;
};

static inline void sys_heap_init(struct sys_heap *heap, void *memory, size_t size) {
  (void)memory;
  heap->left = size;
}

/* Before each block; as large as malloc's alignment. */
typedef union standin_block {
  size_t size;
  max_align_t alignment;
} standin_block;

static inline void *sys_heap_aligned_realloc(struct sys_heap *heap, void *old, size_t alignment, size_t size) {
  (void)alignment;
  standin_block *block = old ? (standin_block *)old - 1 : NULL;
  size_t before = block ? block->size : 0;
  if (size > before && size - before > heap->left) return NULL;
  block = realloc(block, sizeof *block + size);
  if (!block) abort();
  block->size = size;
  heap->left = heap->left + before - size;
  return block + 1;
}

static inline void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t alignment, size_t size) {
  return sys_heap_aligned_realloc(heap, NULL, alignment, size);
}

static inline void sys_heap_free(struct sys_heap *heap, void *memory) {
  standin_block *block = (standin_block *)memory - 1;
  heap->left += block->size;
  free(block);
}

/* --- zephyr/storage/flash_map.h --------------------------------------------------------------- */

struct flash_area {
  size_t fa_size;
};

enum { standin_partition_model_partition };
#define FIXED_PARTITION_ID(label) standin_partition_##label

static inline int flash_area_open(uint8_t id, const struct flash_area **out) {
  static struct flash_area area;
  (void)id;
  area.fa_size = standin_flash_size();
  *out = &area;
  return 0;
}

static inline int flash_area_read(const struct flash_area *area, off_t offset, void *out, size_t length) {
  (void)area;
  return standin_flash_read((uint64_t)offset, out, length);
}

/* --- ff.h ------------------------------------------------------------------------------------- */

typedef struct FATFS {
  int unused;
} FATFS;

/* --- zephyr/fs/fs.h --------------------------------------------------------------------------- */

/* The card is the folder CARD in the environment. */

enum { FS_FATFS, FS_O_READ = 1, FS_SEEK_SET = SEEK_SET };

struct fs_mount_t {
  int type;
  const char *mnt_point;
  void *fs_data;
};

struct fs_file_t {
  FILE *file;
};

struct fs_dirent {
  size_t size;
};

static inline int fs_mount(struct fs_mount_t *mount) {
  return strcmp(mount->mnt_point, "/SD:") == 0 && mount->fs_data && standin_text("CARD")[0] ? 0 : -ENODEV;
}

static inline void fs_file_t_init(struct fs_file_t *file) { file->file = NULL; }

static inline int fs_open(struct fs_file_t *file, const char *path, int flags) {
  char name[512];
  if (flags != FS_O_READ || strncmp(path, "/SD:/", 5) != 0) return -EINVAL;
  snprintf(name, sizeof name, "%s/%s", standin_text("CARD"), path + 5);
  file->file = fopen(name, "rb");
  return file->file ? 0 : -ENOENT;
}

static inline int fs_seek(struct fs_file_t *file, off_t offset, int whence) {
  return fseek(file->file, (long)offset, whence) == 0 ? 0 : -EINVAL;
}

static inline ssize_t fs_read(struct fs_file_t *file, void *out, size_t size) {
  return (ssize_t)fread(out, 1, size, file->file);
}

static inline int fs_stat(const char *path, struct fs_dirent *entry) {
  struct fs_file_t file;
  int error = fs_open(&file, path, FS_O_READ);
  if (error != 0) return error;
  fseek(file.file, 0, SEEK_END);
  entry->size = (size_t)ftell(file.file);
  fclose(file.file);
  return 0;
}

/* --- zephyr/net/socket.h ---------------------------------------------------------------------- */

#define zsock_addrinfo addrinfo
#define zsock_getaddrinfo getaddrinfo
#define zsock_freeaddrinfo freeaddrinfo
#define zsock_socket socket
#define zsock_connect connect
#define zsock_close close

/* --- zephyr/net/http/client.h ----------------------------------------------------------------- */

enum http_final_call { HTTP_DATA_MORE = 0, HTTP_DATA_FINAL = 1 };
enum http_method { HTTP_GET = 1 };

struct http_content_range {
  uint64_t start, end, total;
};

struct http_response {
  uint8_t *body_frag_start;
  size_t body_frag_len, content_length;
  uint16_t http_status_code;
  struct http_content_range content_range;
  uint8_t cr_present : 1;
};

typedef int (*http_response_cb_t)(struct http_response *response, enum http_final_call final, void *user_data);

struct http_request {
  enum http_method method;
  http_response_cb_t response;
  uint8_t *recv_buf;
  size_t recv_buf_len;
  const char *url, *protocol, *host, *port;
  const char *const *header_fields;
};

int http_client_req(int sock, struct http_request *req, int32_t timeout, void *user_data);

#endif
