/* Files of src/host, which are what a host lends. */
#ifndef CPB_COMPONENT_HOST_H
#define CPB_COMPONENT_HOST_H

#include "component.h"
#include "cpb/file.h"

/* A view of its own. NULL and `error` when memory is short. */
cpb_file *host_open(lent *from, cpb_error *error);

/* Opens the file of this name, which a file at `path` has given; NULL with the error set. */
typedef cpb_file *host_beside(const char *path, const char *name, cpb_error *error);

/* Where a file is, which says where those are that it names. False when memory is short. */
bool host_set_path(cpb_file *file, const char *path, host_beside *beside);

#endif
