// cplusplus FILE.cpb TYPE: the message of a .cpb file as JSON, from C++17. The
// headers are C's; objects belong to a unique_ptr, errors become exceptions.
#include <cstdint>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "cpb/chunked.h"
#include "cpb/file.h"
#include "cpb/message.h"

namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T *object) const {
    Free(object);
  }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

using File = Owned<cpb_file, cpb_file_close>;
using Index = Owned<cpb_index, cpb_index_free>;
using Merge = Owned<cpb_merge, cpb_merge_free>;
using Schema = Owned<cpb_schema, cpb_schema_free>;
using Json = Owned<cpb_json, cpb_json_free>;

class Error : public std::runtime_error {
 public:
  explicit Error(const cpb_error &error) : std::runtime_error(error.message), code(error.code) {}
  cpb_code code;
};

// What a function returned that has NULL for "out of memory".
template <typename T>
T *made(T *object) {
  if (!object) throw std::bad_alloc();
  return object;
}

// The same for one that fills `error` as well.
template <typename T>
T *made(T *object, const cpb_error &error) {
  if (!object) throw Error(error);
  return object;
}

// The merged message of a .cpb file.
class Message {
 public:
  Message(const std::string &path, const cpb_message_type *type) {
    cpb_error error;
    file_.reset(made(cpb_file_open(nullptr, path.c_str(), &error), error));
    index_.reset(made(cpb_index_new(nullptr, nullptr)));
    cpb_step step;
    while ((step = cpb_index_step(index_.get())) == CPB_STEP_NEED) {
      cpb_file_supply(file_.get(), cpb_index_input(index_.get()));
    }
    if (step != CPB_STEP_DONE) throw Error(*cpb_index_error(index_.get()));
    cpb_merge_options options{};
    options.struct_size = sizeof options;
    options.type = type;
    merge_.reset(made(cpb_merge_new(nullptr, index_.get(), &options)));
    this->step();
  }

  uint64_t size() const { return cpb_merge_size(merge_.get()); }

  std::string read(uint64_t offset, uint64_t length) {
    if (cpb_merge_read(merge_.get(), offset, length) != CPB_OK) fail();
    std::string bytes;
    while (step() == CPB_STEP_DATA) {
      size_t n;
      const uint8_t *data = cpb_merge_data(merge_.get(), &n);
      bytes.append(reinterpret_cast<const char *>(data), n);
    }
    return bytes;
  }

 private:
  [[noreturn]] void fail() const { throw Error(*cpb_merge_error(merge_.get())); }

  cpb_step step() {
    cpb_step step;
    while ((step = cpb_merge_step(merge_.get())) == CPB_STEP_NEED) {
      cpb_file_supply(file_.get(), cpb_merge_input(merge_.get()));
    }
    if (step == CPB_STEP_ERROR) fail();
    return step;
  }

  File file_;
  Index index_; // outlives merge_, which is destroyed first
  Merge merge_;
};

void write_json(std::ostream &out, const cpb_message_type *type, const std::string &bytes) {
  cpb_json_options options{};
  options.struct_size = sizeof options;
  options.original_names = 1;
  options.indent = 2;
  Json json(made(cpb_json_new(nullptr, type, bytes.data(), bytes.size(), &options)));
  cpb_step step;
  while ((step = cpb_json_step(json.get())) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json.get(), &length);
    out.write(text, static_cast<std::streamsize>(length));
  }
  if (step != CPB_STEP_DONE) throw Error(*cpb_json_error(json.get()));
}

} // namespace

int main(int argc, char **argv) try {
  if (argc != 3) {
    std::cerr << "usage: cplusplus FILE.cpb TYPE\n";
    return 1;
  }
  cpb_error error;
  Schema schema(made(cpb_schema_new_builtin(nullptr, &error), error));
  const cpb_message_type *type = cpb_schema_find_message(schema.get(), argv[2]);
  if (!type) throw std::runtime_error("there is no message type of this name");
  Message message(argv[1], type);
  write_json(std::cout, type, message.read(0, message.size()));
  std::cout << "\n";
  return std::cout.flush() ? 0 : 1;
} catch (const std::exception &e) {
  std::cerr << (argc > 1 ? argv[1] : "cplusplus") << ": " << e.what() << "\n";
  return 1;
}
