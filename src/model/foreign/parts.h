/* The steps of cpb_foreign_look(), in this order; each returns false if none of its formats fits. */
#ifndef CPB_MODEL_FOREIGN_PARTS_H
#define CPB_MODEL_FOREIGN_PARTS_H

#include <stdbool.h>

#include "cpb/model.h"
#include "model/foreign/rows.h"

bool cpb_foreign_signature(const cpb_file_ends *ends, cpb_foreign *found); /* by bytes at a fixed place */
bool cpb_foreign_archive(const cpb_file_ends *ends, cpb_foreign *found);   /* zip, tar, gzip */
bool cpb_foreign_binary(const cpb_file_ends *ends, cpb_foreign *found);    /* by more than a signature */
bool cpb_foreign_message(const cpb_file_ends *ends, cpb_foreign *found);   /* protobuf messages that are not models */
bool cpb_foreign_text(const cpb_file_ends *ends, cpb_foreign *found);

#endif
