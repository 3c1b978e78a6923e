/* cpb/cpb.hpp: libcpb for C++17, header only, over the C headers beside it.
 *
 *     #include <cpb/cpb.hpp>
 *
 * | cpb::Status, StatusOr            | errors as values; absl's where a program has them
 * | cpb::Handle                      | owns any object of the C headers
 * | cpb::RecordReader, RecordWriter  | Riegeli/records files
 * | cpb::Message                     | a message in a file or at a URL, chunked or not, read by range
 * | cpb::MessageField               | a field of one: its elements, fields, numbers, bytes, JSON
 * | cpb::Model                       | questions about a model
 * | cpb::Splitter, ComposableSplitter, Merger | messages of libprotobuf's, split and merged
 *
 * The last need <google/protobuf/message.h>, 3.12 or newer, and the program links libprotobuf. They
 * are left out where that header is not found, or with CPB_NO_PROTOBUF.
 *
 * Nothing here throws but StatusOr::value() and what the standard library throws when memory is
 * short. An object is used by one thread at a time. */
#ifndef CPB_CPB_HPP
#define CPB_CPB_HPP

#include "cpb/cpp/field.hpp"
#include "cpb/cpp/files.hpp"
#include "cpb/cpp/handle.hpp"
#include "cpb/cpp/records.hpp"
#include "cpb/cpp/status.hpp"

#if !defined(CPB_NO_PROTOBUF) && __has_include(<google/protobuf/message.h>)
#  include "cpb/cpp/merger.hpp"
#  include "cpb/cpp/splitter.hpp"
#endif

#endif
