/* Files of src/host, from a host's sources. */
#ifndef CPB_COMPONENT_HOST_H
#define CPB_COMPONENT_HOST_H

#include "component.h"
#include "cpb/file.h"

/* A separate view. NULL and `error` if memory is short. */
cpb_file *host_open(lent *from, cpb_error *error);

/* Opens the file of this name, which the file at `path` names; NULL with the error set. */
typedef cpb_file *host_beside(const char *path, const char *name, cpb_error *error);

/* The place of a file, which files that it refers to are relative to. False if memory is short. */
bool host_set_path(cpb_file *file, const char *path, host_beside *beside);

#endif
