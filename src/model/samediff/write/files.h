/* The files of the zip, as they are put out. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_FILES_H
#define CPB_MODEL_SAMEDIFF_WRITE_FILES_H

#include "model/samediff/write/state.h"

/* Lists them. False with the error set. */
bool cpb_sd_write_list(cpb_samediff_writer *w);

/* Puts out what comes next. */
cpb_step cpb_sd_write_files(cpb_samediff_writer *w);

#endif
