/* The card is the folder CARD in the environment. */
#ifndef STANDIN_ZEPHYR_FS_H
#define STANDIN_ZEPHYR_FS_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "standin.h"

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

#endif
