// TensorFlow's own Merger as a command, for tests to compare with:
//
//   tf_merger SCHEMA.fds TYPE IN.cpb OUT.pb    merges, writes deterministically
//   tf_merger SCHEMA.fds TYPE IN.pb OUT.pb     parses, writes deterministically
//
// The Merger is exported by libtensorflow_framework.so.2 without a header in
// the wheel, so its class is declared here. Prints the seconds of the merge and
// the process's peak memory in KiB on one line.
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/dynamic_message.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"

namespace tensorflow::tools::proto_splitter {
class Merger {
 public:
  static absl::Status Read(std::string prefix, google::protobuf::Message *merged_message);
};
} // namespace tensorflow::tools::proto_splitter

namespace {

using google::protobuf::Message;

int Fail(const std::string &text) {
  std::cerr << "tf_merger: " << text << "\n";
  return 1;
}

bool EndsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

absl::Status Load(const std::string &path, Message *message) {
  if (EndsWith(path, ".cpb"))
    return tensorflow::tools::proto_splitter::Merger::Read(path.substr(0, path.size() - 4), message);
  std::ifstream in(path, std::ios::binary);
  google::protobuf::io::IstreamInputStream stream(&in);
  if (!message->ParsePartialFromZeroCopyStream(&stream)) return absl::InvalidArgumentError("no such message");
  return absl::OkStatus();
}

bool Save(const std::string &path, const Message &message) {
  std::ofstream out(path, std::ios::binary);
  google::protobuf::io::OstreamOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  return message.SerializePartialToCodedStream(&coded);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) return Fail("usage: tf_merger SCHEMA.fds TYPE IN OUT");
  std::ifstream in(argv[1], std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromString(bytes)) return Fail("cannot read the schema");
  google::protobuf::DescriptorPool pool;
  for (const auto &file : set.file())
    if (pool.BuildFile(file) == nullptr) return Fail("cannot build " + std::string(file.name()));
  const auto *type = pool.FindMessageTypeByName(argv[2]);
  if (type == nullptr) return Fail("no such type");
  google::protobuf::DynamicMessageFactory factory;
  std::unique_ptr<Message> message(factory.GetPrototype(type)->New());

  auto start = std::chrono::steady_clock::now();
  absl::Status status = Load(argv[3], message.get());
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!status.ok()) return Fail(std::string(status.message()));
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::cout << seconds.count() << " " << usage.ru_maxrss << "\n";
  if (std::string(argv[4]) != "/dev/null" && !Save(argv[4], *message)) return Fail("cannot write");
  return 0;
}
