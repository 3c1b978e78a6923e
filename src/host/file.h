/* A file that is read by several threads. */
#ifndef CPB_HOST_FILE_H
#define CPB_HOST_FILE_H

#include "cpb/file.h"

/* Another view of a file, for one more thread: it reads the same descriptor without
 * moving it. NULL when memory is short or not everything can be read at any offset;
 * `file` must outlive it. */
cpb_file *cpb_file_share(cpb_file *file);

#endif
