/* What cpb_foreign_look() asks, one after the other: false where it is none of these. */
#ifndef CPB_MODEL_FOREIGN_PARTS_H
#define CPB_MODEL_FOREIGN_PARTS_H

#include <stdbool.h>

#include "cpb/model.h"
#include "model/foreign/rows.h"

bool cpb_foreign_signature(const cpb_file_ends *ends, cpb_foreign *found); /* bytes at a place */
bool cpb_foreign_archive(const cpb_file_ends *ends, cpb_foreign *found);   /* zip, tar, gzip */
bool cpb_foreign_binary(const cpb_file_ends *ends, cpb_foreign *found);    /* what takes more to tell */
bool cpb_foreign_message(const cpb_file_ends *ends, cpb_foreign *found);   /* protobuf messages that are no models */
bool cpb_foreign_text(const cpb_file_ends *ends, cpb_foreign *found);

#endif
