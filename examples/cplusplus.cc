// cplusplus FILE TYPE: the message in a .cpb or .pb file as JSON, from C++17.
#include <iostream>
#include <string>

#include "cpb/cpb.hpp"

namespace {

cpb::Status WriteJson(std::ostream &out, const cpb_message_type *type, const std::string &bytes) {
  auto options = cpb::Options<cpb_json_options>();
  options.original_names = 1;
  options.indent = 2;
  cpb::Handle<cpb_json> json(cpb_json_new(nullptr, type, bytes.data(), bytes.size(), &options));
  if (!json) return cpb::Status(CPB_E_MEMORY, "out of memory");
  cpb_step step;
  while ((step = cpb_json_step(json.get())) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json.get(), &length);
    out.write(text, static_cast<std::streamsize>(length));
  }
  return step == CPB_STEP_DONE ? cpb::Status() : cpb::Status(cpb_json_error(json.get()));
}

cpb::Status Show(const std::string &path, const std::string &type_name) {
  cpb_error error;
  cpb::Handle<cpb_schema> schema(cpb_schema_new_builtin(nullptr, &error));
  if (!schema) return cpb::Status(error);
  const cpb_message_type *type = cpb_schema_find_message(schema.get(), type_name.c_str());
  if (!type) return cpb::Status(CPB_E_NOT_FOUND, "there is no message type " + type_name);
  auto message = cpb::Message::Open(path, type);
  if (!message.ok()) return message.status();
  auto bytes = message->Read(0, message->size());
  return bytes.ok() ? WriteJson(std::cout, type, *bytes) : bytes.status();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: cplusplus FILE TYPE\n";
    return 1;
  }
  cpb::Status status = Show(argv[1], argv[2]);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  std::cout << "\n";
  return status.ok() && std::cout.flush() ? 0 : 1;
}
