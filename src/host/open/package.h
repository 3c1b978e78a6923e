/* Packages of Core ML (.mlpackage): folders whose Manifest.json names the model in them. */
#ifndef CPB_HOST_PACKAGE_H
#define CPB_HOST_PACKAGE_H

#include <stdbool.h>

#include "cpb/url.h"

#define CPB_PACKAGE_MANIFEST "Manifest.json"
#define CPB_PACKAGE_ROOM 256

/* The root model according to the manifest, an open file: its name relative to the package's folder, within it. False
 * if the manifest does not name one. Closes the file. */
bool cpb_package_root(const cpb_allocator *a, cpb_file *manifest, char out[CPB_PACKAGE_ROOM]);

#endif
