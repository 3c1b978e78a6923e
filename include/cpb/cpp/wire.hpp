/* cpb/cpp/wire.hpp: protobuf's wire format, as far as splitters and mergers need it
 * (https://protobuf.dev/programming-guides/encoding/). */
#ifndef CPB_CPP_WIRE_HPP
#define CPB_CPP_WIRE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cpb::wire {

inline void PutVarint(std::string *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

inline void PutNumber(std::string *out, uint32_t field, uint64_t value) {
  PutVarint(out, static_cast<uint64_t>(field) << 3);
  PutVarint(out, value);
}

inline void PutBytes(std::string *out, uint32_t field, std::string_view value) {
  PutVarint(out, static_cast<uint64_t>(field) << 3 | 2);
  PutVarint(out, value.size());
  out->append(value);
}

/* How many bytes the tag and, where there is one, the length of a field have at most. */
inline constexpr size_t kMostHeader = 20;

/* Wire types of a group, which has no length: its fields stand between two tags of its number. */
inline constexpr uint32_t kGroup = 3, kEndGroup = 4;

struct Header {
  uint32_t number;
  uint32_t type;  // wire type
  size_t size;    // of tag and length
  uint64_t value; // bytes that follow; of a varint, its own; of a group's begin and end, none
};

inline size_t GetVarint(std::string_view in, uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < in.size() && i < 10; i++) {
    uint64_t byte = static_cast<unsigned char>(in[i]);
    *value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return i + 1;
  }
  return 0;
}

/* Reads the field that `in` begins with, or the end of a group; false if `in`
 * begins with neither. */
inline bool GetHeader(std::string_view in, Header *header) {
  uint64_t tag;
  header->size = GetVarint(in, &tag);
  if (header->size == 0 || tag >> 3 == 0 || tag >> 32 != 0) return false;
  header->number = static_cast<uint32_t>(tag >> 3);
  header->type = static_cast<uint32_t>(tag & 7);
  in.remove_prefix(header->size);
  uint64_t ignored;
  switch (header->type) {
    case 0: return (header->value = GetVarint(in, &ignored)) != 0;
    case 1: header->value = 8; return true;
    case 5: header->value = 4; return true;
    case 2: {
      size_t length = GetVarint(in, &header->value);
      header->size += length;
      return length != 0;
    }
    case kGroup:
    case kEndGroup: header->value = 0; return true;
    default: return false;
  }
}

} // namespace cpb::wire

#endif
