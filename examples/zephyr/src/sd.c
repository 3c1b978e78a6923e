/* The model in a file on an SD card. */
#include <ff.h>
#include <zephyr/fs/fs.h>

#include "device/sample.h"

#define MOUNT_POINT "/SD:"

static FATFS fat;
static struct fs_mount_t card = {.type = FS_FATFS, .fs_data = &fat, .mnt_point = MOUNT_POINT};
static struct fs_file_t file;

static int read_file(void *state, uint64_t offset, void *out, size_t length) {
  if (fs_seek(state, (off_t)offset, FS_SEEK_SET) != 0) return -1;
  return fs_read(state, out, length) == (ssize_t)length ? 0 : -1;
}

const char *sample_open(device_source *source) {
  static const char path[] = MOUNT_POINT "/" CONFIG_SAMPLE_FILE;
  struct fs_dirent entry;
  if (fs_mount(&card) != 0) return "cannot mount the card";
  fs_file_t_init(&file);
  if (fs_stat(path, &entry) != 0 || fs_open(&file, path, FS_O_READ) != 0)
    return "cannot open " MOUNT_POINT "/" CONFIG_SAMPLE_FILE;
  *source = (device_source){read_file, &file, entry.size};
  return NULL;
}
