// cplusplus FILE TYPE [PATH]: a message in a .cpb or .pb file, or one field of it, as JSON, from C++17.
#include <iostream>
#include <string>

#include "cpb/cpb.hpp"

namespace {

cpb::StatusOr<std::string> Show(const std::string &file, const std::string &type_name, const std::string &path) {
  cpb_error error;
  cpb::Handle<cpb_schema> schema(cpb_schema_new_builtin(nullptr, &error));
  if (!schema) return cpb::Status(error);
  const cpb_message_type *type = cpb_schema_find_message(schema.get(), type_name.c_str());
  if (!type) return cpb::Status(CPB_E_NOT_FOUND, "there is no message type " + type_name);
  auto message = cpb::Message::Open(file, type);
  if (!message.ok()) return message.status();
  auto field = message->Field(path); // "": the message itself
  if (!field.ok()) return field.status();
  cpb::JsonOptions how;
  how.indent = 2;
  return field->Json(how);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: cplusplus FILE TYPE [PATH]\n";
    return 1;
  }
  auto json = Show(argv[1], argv[2], argc == 4 ? argv[3] : "");
  if (!json.ok()) {
    std::cerr << json.status().ToString() << "\n";
    return 1;
  }
  std::cout << *json << "\n";
  return std::cout.flush() ? 0 : 1;
}
