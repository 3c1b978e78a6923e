/* cpb/cpp/handle.hpp: who frees what. Part of cpb/cpb.hpp. */
#ifndef CPB_CPP_HANDLE_HPP
#define CPB_CPP_HANDLE_HPP

#include <memory>

#include "cpb/checkpoint.h"
#include "cpb/chunked.h"
#include "cpb/diff.h"
#include "cpb/field_reader.h"
#include "cpb/file.h"
#include "cpb/find.h"
#include "cpb/message.h"
#include "cpb/model.h"
#include "cpb/open.h"
#include "cpb/outline.h"
#include "cpb/pager.h"
#include "cpb/records.h"
#include "cpb/repack.h"
#include "cpb/samediff.h"
#include "cpb/split.h"
#include "cpb/values.h"

namespace cpb {

/* Frees each object of the C headers by its own function. */
struct Deleter {
  void operator()(cpb_checkpoint *object) const { cpb_checkpoint_free(object); }
  void operator()(cpb_chunk_reader *object) const { cpb_chunk_reader_free(object); }
  void operator()(cpb_diff *object) const { cpb_diff_free(object); }
  void operator()(cpb_field_reader *object) const { cpb_field_reader_free(object); }
  void operator()(cpb_file *object) const { cpb_file_close(object); }
  void operator()(cpb_find *object) const { cpb_find_free(object); }
  void operator()(cpb_index *object) const { cpb_index_free(object); }
  void operator()(cpb_json *object) const { cpb_json_free(object); }
  void operator()(cpb_merge *object) const { cpb_merge_free(object); }
  void operator()(cpb_message_file *object) const { cpb_message_file_close(object); }
  void operator()(cpb_model *object) const { cpb_model_free(object); }
  void operator()(cpb_model_file *object) const { cpb_model_file_close(object); }
  void operator()(cpb_outline *object) const { cpb_outline_free(object); }
  void operator()(cpb_output *object) const { cpb_output_free(object); }
  void operator()(cpb_pager *object) const { cpb_pager_free(object); }
  void operator()(cpb_path *object) const { cpb_path_free(object); }
  void operator()(cpb_record_reader *object) const { cpb_record_reader_free(object); }
  void operator()(cpb_record_writer *object) const { cpb_record_writer_free(object); }
  void operator()(cpb_repack *object) const { cpb_repack_free(object); }
  void operator()(cpb_samediff_writer *object) const { cpb_samediff_writer_free(object); }
  void operator()(cpb_schema *object) const { cpb_schema_free(object); }
  void operator()(cpb_split *object) const { cpb_split_free(object); }
  void operator()(cpb_values *object) const { cpb_values_free(object); }
  void operator()(cpb_values_file *object) const { cpb_values_file_close(object); }
};

/* Owns an object of the C headers, as in Handle<cpb_index> index(cpb_index_new(nullptr, nullptr)).
 * Declare objects that it refers to before it. */
template <typename T>
using Handle = std::unique_ptr<T, Deleter>;

/* An options struct that knows its size and has all defaults. */
template <typename T>
T Options() {
  T options{};
  options.struct_size = sizeof options;
  return options;
}

} // namespace cpb

#endif
