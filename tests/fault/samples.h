/* Small files of every kind, for tests that try each byte or each allocation. */
#ifndef CPB_TESTS_SAMPLES_H
#define CPB_TESTS_SAMPLES_H

static const char *const record_samples[] = {
    "records/three_small.riegeli",        "records/append_twice.riegeli",
    "records/flush_each.riegeli",         "records/metadata_full.riegeli",
    "records/metadata_snappy.riegeli",    "corrupt/base_zstd.riegeli",
    "corrupt/base_snappy.riegeli",        "corrupt/base_tr_none.riegeli",
    "corrupt/base_tr_brotli.riegeli",     "corrupt/base_tr_snappy.riegeli",
    "corrupt/base_tr_zstd.riegeli",       "corrupt/base_meta.riegeli",
};
static const char *const cpb_samples[] = {
    "cpb/test_many_fields/brotli.cpb",
    "cpb/test_tree_df_4/brotli.cpb",
    "cpb/graph_split-lots-nodes/max500_none.cpb",
    "cpb/graph_split-lots-nodes/max500_tr.cpb",
    "cpb/graph_split-large-constant/max500_zstd.cpb",
    "cpb/graph_function-lots-of-nodes/max300_brotli.cpb",
};
static const char *const message_samples[] = {
    "cpb/graph_mixed-large/orig.pb",
    "cpb/graph_const_dtypes/orig.pb",
    "cpb/saved_model_split-standard/orig.pb",
};

static const char *const samediff_samples[] = {"samediff_small/minimal.zip", "samediff_small/linear.fb",
                                               "samediff_small/permuted.fb"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
