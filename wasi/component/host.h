/* The files of src/host, over lent sources. */
#ifndef CPB_COMPONENT_HOST_H
#define CPB_COMPONENT_HOST_H

#include "component.h"
#include "cpb/file.h"

/* An independent view of a file. NULL and `error` when memory is short. */
cpb_file *host_open(lent *from, cpb_error *error);

/* Opens the file of this name, which the file at `path` names; NULL with the error set. */
typedef cpb_file *host_beside(const char *path, const char *name, cpb_error *error);

/* Sets a file's path, from which the files that it names are found. False when memory is short. */
bool host_set_path(cpb_file *file, const char *path, host_beside *beside);

#endif
