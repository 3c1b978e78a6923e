/* cpb/cpp/merger.hpp: chunks put together to a message of libprotobuf's. Part of cpb/cpb.hpp.
 *
 *     tensorflow::SavedModel model;
 *     cpb::Status status = cpb::Merger::Read("model/saved_model", &model);
 *
 * (the API of TensorFlow's proto_splitter, as its design document "Unbound SavedModel" gives it) */
#ifndef CPB_CPP_MERGER_HPP
#define CPB_CPP_MERGER_HPP

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "cpb/cpp/files.hpp"
#include "cpb/cpp/splitter.hpp"
#include "cpb/cpp/status.hpp"

namespace cpb {

struct MergeOptions {
  /* Bytes that libprotobuf parses in one go, at most 2^31 - 1. A message that is larger is parsed field by
   * field, so that it may have any size. */
  uint64_t max_parse = 1 << 30;
};

/* Merges chunks. Field order, repeated fields and occurrences of a field count as in TensorFlow's Merger.
 *
 * The merged fields are added to those of `merged_message`, as by MergeFromString(). After a
 * failure the message is cleared, so a partial message is never taken for a whole one. A message
 * without its required fields is CPB_E_FORMAT. */
class Merger {
 public:
  /* Chunks in memory, and where they belong. CPB_E_DAMAGED: they do not fit the type of the message. */
  static Status Merge(const std::vector<std::unique_ptr<google::protobuf::Message>> &chunks,
                      const ChunkedMessage &chunked_message, google::protobuf::Message *merged_message) {
    return Merge(chunks, chunked_message.SerializeAsString(), merged_message);
  }

  /* As Splitter::Split() returns them. */
  static Status Merge(const std::vector<MessageBytes> &chunks, const ChunkedMessage &chunked_message,
                      google::protobuf::Message *merged_message) {
    return Merge(chunks, chunked_message.SerializeAsString(), merged_message);
  }

  /* With a ChunkedMessage that protoc has generated from chunk.proto. */
  template <typename Chunks>
  static Status Merge(const Chunks &chunks, const google::protobuf::MessageLite &chunked_message,
                      google::protobuf::Message *merged_message) {
    return Merge(chunks, chunked_message.SerializePartialAsString(), merged_message);
  }

  /* The message in `prefix` + ".cpb", or else ".pb"; `prefix` may also be the whole name, a directory with a
   * SavedModel, or a URL. */
  static Status Read(std::string prefix, google::protobuf::Message *merged_message,
                     const MergeOptions &options = MergeOptions());

 private:
  template <typename Chunks>
  static Status Merge(const Chunks &chunks, const std::string &chunked_message,
                      google::protobuf::Message *merged_message);
};

} // namespace cpb

#include "cpb/cpp/merger_inl.hpp"

#endif
