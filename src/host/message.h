/* A message in a file, chunked or not, for engines that read messages: cpb_find,
 * cpb_outline, cpb_model. */
#ifndef CPB_HOST_MESSAGE_H
#define CPB_HOST_MESSAGE_H

#include <stdbool.h>

#include "cpb/file.h"

typedef struct cpb_message_file cpb_message_file;

/* A .cpb file, of which chunks are opened only where an engine looks, or any other
 * file, which is the message itself. NULL with `error` filled. */
cpb_message_file *cpb_message_file_open(const cpb_allocator *a, const char *path, cpb_error *error);

/* The same in two steps, for a caller that looks at the index before it says the
 * message's type (NULL: not known). `file`, whose name is `path`, is closed with the
 * message, and also when NULL is returned. */
cpb_message_file *cpb_message_file_on(const cpb_allocator *a, cpb_file *file, const char *path, cpb_error *error);
const cpb_index *cpb_message_file_index(const cpb_message_file *message); /* NULL: it has none */
bool cpb_message_file_plan(cpb_message_file *message, const cpb_message_type *type, cpb_error *error);
void cpb_message_file_close(cpb_message_file *message);

/* Bytes of the message from `offset` on, valid until the next call: `*length` in is how
 * many are wanted, out how many there are (0 at the end). NULL with `error` filled. */
const uint8_t *cpb_message_file_read(cpb_message_file *message, uint64_t offset, size_t *length, cpb_error *error);

/* Supplies what the engine waits for. False with `error` filled: what the engine then
 * says is only that. */
bool cpb_message_file_supply(cpb_message_file *message, cpb_input *input, cpb_error *error);

#endif
