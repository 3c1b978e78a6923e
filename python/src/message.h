/* What the files of the type Message share. */
#ifndef CPB_PYTHON_MESSAGE_H
#define CPB_PYTHON_MESSAGE_H

#include <cpb/chunked.h>
#include <cpb/message.h>
#include <cpb/opened.h>

#include "core.h"

typedef struct py_message {
  PyObject_HEAD;
  py_work work;
  bool open;
  py_source source;             /* nothing in it when the chunks are in memory */
  PyObject *schema;             /* a Schema */
  const cpb_message_type *type; /* NULL: not known */
  cpb_limits limits;
  cpb_opened *opened;
  const cpb_index *index;   /* NULL: the source is the message itself */
  cpb_chunk_reader *chunks; /* made when one is read first */
  uint64_t size;
  /* Chunks in memory. */
  size_t num_bytes;
  py_buffer *buffers;
  cpb_chunk_bytes *bytes;
} py_message;

/* As py_work_begin(), and fails when it is closed. */
bool py_message_begin(py_message *message);

/* Without the GIL. Answers an engine that reads the message; on failure the engine's next step
 * fails, and `error` has the cause. */
void py_message_supply(py_message *message, cpb_input *input, cpb_error *error);

/* fields.c: methods of the type. */
PyObject *py_message_find(py_message *message, PyObject *args);
PyObject *py_message_json(py_message *message, PyObject *args);

#endif
