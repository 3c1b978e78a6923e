/* A SavedModel's directory to open: that of tests/data, in a folder of its own, in which files may
 * be put and damaged. */
#ifndef MODEL_FOLDER_H
#define MODEL_FOLDER_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL_DATA CPB_TEST_DATA "/cpb/real_tf_module/"
#define MODEL_PB MODEL_DATA "orig.pb"
#define MODEL_CPB MODEL_DATA "max3000_zstd.cpb"
#define MODEL_INDEX "variables/variables.index"
#define MODEL_VALUES "variables/variables.data-00000-of-00001"

static char model_folder[] = "/tmp/cpb-model-XXXXXX";

/* The path of a file in it, until the next call but three. */
static inline const char *model_path(const char *name) {
  static char paths[4][256];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", model_folder, name);
  return path;
}

/* Copies a file of tests/data; of its byte `damaged` a bit is turned (-1: of none). */
static inline void model_put(const char *name, const char *from, long damaged) {
  static char data[100000];
  FILE *in = fopen(from, "rb"), *out = fopen(model_path(name), "wb");
  assert(in && out);
  size_t size = fread(data, 1, sizeof data, in);
  if (damaged >= 0) data[damaged] ^= 1;
  fwrite(data, 1, size, out);
  fclose(in);
  fclose(out);
}

/* saved_model.pb with its checkpoint and fingerprint. */
static inline int model_folder_make(void **state) {
  (void)state;
  strcpy(model_folder + strlen(model_folder) - 6, "XXXXXX");
  if (!mkdtemp(model_folder) || mkdir(model_path("variables"), 0700) != 0) return -1;
  model_put("saved_model.pb", MODEL_PB, -1);
  model_put("fingerprint.pb", MODEL_DATA "model/fingerprint.pb", -1);
  model_put(MODEL_INDEX, MODEL_DATA "model/" MODEL_INDEX, -1);
  model_put(MODEL_VALUES, MODEL_DATA "model/" MODEL_VALUES, -1);
  return 0;
}

/* Fails if anything else is there. */
static inline int model_folder_remove(void **state) {
  static const char *const names[] = {"saved_model.pb", "saved_model.cpb",   "fingerprint.pb", MODEL_INDEX,
                                      MODEL_VALUES,     "keras_metadata.pb", "variables"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(model_path(names[i]));
  return rmdir(model_folder);
}

#endif
