/* Options as Python gives them. */
#include <cpb/records.h>

#include "core.h"

bool py_limits(cpb_limits *limits, PyObject *numbers) {
  unsigned long long n[16];
  unsigned depth;
  *limits = (cpb_limits){.struct_size = sizeof *limits};
  if (numbers == Py_None) return true;
  if (!PyArg_ParseTuple(numbers, "KKKKIKKKKKKKKKKKK", &n[0], &n[1], &n[2], &n[3], &depth, &n[4], &n[5], &n[6], &n[7],
                        &n[8], &n[9], &n[10], &n[11], &n[12], &n[13], &n[14], &n[15]))
    return false;
  *limits = (cpb_limits){.struct_size = sizeof *limits,
                         .riegeli_chunk = n[0],
                         .window = n[1],
                         .chunks = n[2],
                         .records_per_chunk = n[3],
                         .depth = depth,
                         .decoded = n[4],
                         .decoded_per_byte = n[5],
                         .held = n[6],
                         .held_per_byte = n[7],
                         .walked = n[8],
                         .walked_per_byte = n[9],
                         .entries = n[10],
                         .entries_per_byte = n[11],
                         .answer = n[12],
                         .answer_per_byte = n[13],
                         .index = n[14],
                         .index_per_byte = n[15]};
  return true;
}

bool py_limits_of(cpb_limits *limits, PyObject *given) {
  PyObject *options = PyImport_ImportModule("libcpb._options");
  PyObject *numbers = options ? PyObject_CallMethod(options, "limits", "O", given) : NULL;
  bool done = numbers && py_limits(limits, numbers);
  Py_XDECREF(numbers);
  Py_XDECREF(options);
  return done;
}

bool py_riegeli_options(cpb_record_writer_options *options, const char *text) {
  cpb_error error;
  if (cpb_record_writer_options_parse(options, text, &error) == CPB_OK) return true;
  return py_raise_text(error.code, NULL, "riegeli_options, character %llu: %s", (unsigned long long)error.offset + 1,
                       error.message) != NULL;
}
