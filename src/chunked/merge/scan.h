/* The walk of one job: finds the fields of a range of a chunk, and their targets. */
#ifndef CPB_CHUNKED_MERGE_SCAN_H
#define CPB_CHUNKED_MERGE_SCAN_H

#include "chunked/merge/walk_state.h"

bool cpb_walk_begin_job(cpb_merge_walk *w, cpb_walk_job job);

/* Carries on with the job that was begun. */
cpb_have cpb_walk_run_job(cpb_merge_walk *w);

#endif
