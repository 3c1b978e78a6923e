// test FOLDER: what cpb/cpb.hpp promises. FOLDER is empty; the oracle is libprotobuf, and the bytes that the
// design documents give for field tags.
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chunked.pb.h"
#include "cpb/cpb.hpp"
#include "messages.pb.h"
#if __has_include("absl/status/status.h")
#  include "absl/status/status.h"
#  include "absl/status/statusor.h"
#endif

namespace {

int failures = 0;
std::string folder;

void Expect(bool truth, const char *what, int line) {
  if (truth) return;
  failures++;
  std::cerr << "test.cc:" << line << ": expected " << what << "\n";
}
#define EXPECT(truth) Expect(static_cast<bool>(truth), #truth, __LINE__)

bool Same(const google::protobuf::Message &a, const google::protobuf::Message &b) {
  return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

bool Has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

std::string Contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<cpb::MessageBytes> Chunk(std::string bytes) {
  return std::make_unique<cpb::MessageBytes>(std::move(bytes));
}

// A splitter whose BuildChunks() is given.
class Splitter : public cpb::ComposableSplitter {
 public:
  Splitter(google::protobuf::Message *message, std::function<cpb::Status(Splitter *)> build)
      : ComposableSplitter(message), build_(std::move(build)) {}
  Splitter(google::protobuf::Message *message, ComposableSplitter *parent, std::vector<cpb::FieldType> *fields,
           std::function<cpb::Status(Splitter *)> build)
      : ComposableSplitter(message, parent, fields), build_(std::move(build)) {}
  cpb::Status BuildChunks() override { return build_(this); }
  using ComposableSplitter::AddChunk;
  using ComposableSplitter::SetMessageAsBaseChunk;

 private:
  std::function<cpb::Status(Splitter *)> build_;
};

cpb::Status Nothing(Splitter *) { return {}; }

// Each string of a Strings into a chunk.
cpb::Status EachString(Splitter *splitter, test::Strings *strings) {
  for (int i = 0; i < strings->text_size(); i++) {
    std::vector<cpb::FieldType> fields = {"text", i};
    cpb::Status status = splitter->AddChunk(Chunk(strings->text(i)), &fields);
    if (!status.ok()) return status;
  }
  strings->clear_text();
  return {};
}

test::Strings ThreeStrings() {
  test::Strings strings;
  for (const char *text : {"one", "two", "three"}) strings.add_text(text);
  return strings;
}

void TestSplit() {
  test::Strings strings = ThreeStrings();
  const test::Strings before = strings;
  Splitter splitter(&strings, [&](Splitter *self) { return EachString(self, &strings); });
  auto split = splitter.Split();
  EXPECT(split.ok() && split->first->size() == 3);
  EXPECT(std::get<std::string>((*split->first)[2]) == "three");
  // chunked_fields { field_tag { field: 1 } field_tag { index: 0 } message { chunk_index: 0 } } ...
  const std::string field = split->second->SerializeAsString().substr(0, 14);
  EXPECT(field == std::string("\x12\x0c\x0a\x02\x08\x01\x0a\x02\x18\x00\x1a\x02\x08\x00", 14));
  auto again = splitter.Split();
  EXPECT(again->first == split->first && again->first->size() == 3);

  test::Strings merged;
  EXPECT(cpb::Merger::Merge(*split->first, *split->second, &merged).ok());
  EXPECT(Same(merged, before));
}

void TestWrite() {
  test::Strings strings = ThreeStrings();
  const test::Strings before = strings;
  Splitter splitter(&strings, [&](Splitter *self) { return EachString(self, &strings); });
  const std::string prefix = folder + "/strings";
  EXPECT(splitter.Write(prefix).ok());
  auto message = cpb::Message::Open(prefix + ".cpb");
  EXPECT(message.ok() && message->index() && cpb_index_num_chunks(message->index()) == 3);
  test::Strings merged;
  EXPECT(cpb::Merger::Read(prefix, &merged).ok() && Same(merged, before));

  cpb::WriteOptions keep;
  keep.replace = false;
  cpb::Status status = splitter.Write(prefix, keep);
  EXPECT(status.code() == CPB_E_WRITE && Has(status.message(), "strings.cpb"));
  EXPECT(splitter.Write(folder + "/none/there").code() == CPB_E_WRITE);
}

void TestNotSplit() {
  test::Strings strings = ThreeStrings();
  Splitter splitter(&strings, Nothing);
  auto split = splitter.Split();
  EXPECT(split.ok() && split->first->size() == 1 && split->second->SerializeAsString() == std::string("\x08\x00", 2));
  EXPECT(splitter.Write(folder + "/whole").ok());
  EXPECT(Contents(folder + "/whole.pb") == strings.SerializeAsString());
  EXPECT(!std::filesystem::exists(folder + "/whole.cpb"));
  test::Strings merged;
  EXPECT(cpb::Merger::Read(folder + "/whole", &merged).ok() && Same(merged, strings));
}

void TestChildren() {
  test::Tree tree;
  for (const char *name : {"a", "b"}) {
    *tree.add_child()->mutable_strings() = ThreeStrings();
    tree.mutable_child(tree.child_size() - 1)->set_name(name);
  }
  const test::Tree before = tree;
  Splitter splitter(&tree, [&](Splitter *self) {
    if (cpb::Status status = self->SetMessageAsBaseChunk(); !status.ok()) return status;
    for (int i = 0; i < tree.child_size(); i++) {
      std::vector<cpb::FieldType> fields = {"child", i, "strings"};
      test::Strings *strings = tree.mutable_child(i)->mutable_strings();
      Splitter child(strings, self, &fields, [&](Splitter *inner) { return EachString(inner, strings); });
      if (cpb::Status status = child.BuildChunks(); !status.ok()) return status;
      EXPECT(child.Split().status().code() == CPB_E_UNSUPPORTED);
      EXPECT(child.Write("x").code() == CPB_E_UNSUPPORTED);
    }
    EXPECT(self->SetMessageAsBaseChunk().code() == CPB_E_USAGE);
    return cpb::Status();
  });
  auto split = splitter.Split();
  EXPECT(split.ok() && split->first->size() == 7);
  EXPECT(split->second->chunked_fields[4].field_tag.size() == 5);
  test::Tree merged;
  EXPECT(cpb::Merger::Merge(*split->first, *split->second, &merged).ok() && Same(merged, before));
}

// Chunks inserted in front of others: numbers follow.
void TestIndexes() {
  test::Tree tree;
  tree.set_name("root");
  Splitter splitter(&tree, [&](Splitter *self) {
    std::vector<cpb::FieldType> first = {"child", 0}, inner = {"child", 0, "content"};
    auto child = std::make_shared<test::Tree>();
    child->set_name("child");
    int one = 1, far = 5;
    if (cpb::Status status = self->SetMessageAsBaseChunk(); !status.ok()) return status;
    tree.add_child();
    if (cpb::Status status = self->AddChunk(Chunk("later"), &inner); !status.ok()) return status;
    EXPECT(self->AddChunk(Chunk("x"), &inner, &far).code() == CPB_E_USAGE);
    return self->AddChunk(std::make_unique<cpb::MessageBytes>(child), &first, &one);
  });
  auto split = splitter.Split();
  EXPECT(split.ok() && split->first->size() == 3);
  EXPECT(split->second->chunked_fields[0].message.chunk_index == 2u);
  EXPECT(split->second->chunked_fields[1].message.chunk_index == 1u);
  EXPECT(splitter.Write(folder + "/order").ok());
  test::Tree merged;
  EXPECT(cpb::Merger::Read(folder + "/order.cpb", &merged).ok());
  EXPECT(merged.child_size() == 1 && merged.child(0).name() == "child" && merged.child(0).content() == "later");
}

void TestMapKeys() {
  test::Tree tree;
  (*tree.mutable_by_name())["k\"\n\\'\1\xc3\xa9"].set_name("1");
  (*tree.mutable_by_bool())[true].set_name("2");
  (*tree.mutable_by_int32())[-7].set_name("3");
  (*tree.mutable_by_int64())[INT64_MIN].set_name("4");
  (*tree.mutable_by_uint32())[UINT32_MAX].set_name("5");
  (*tree.mutable_by_uint64())[UINT64_MAX].set_name("6");
  test::Tree expected = tree;
  const std::vector<std::vector<cpb::FieldType>> paths = {{"by_name", "k\"\n\\'\1\xc3\xa9", "content"},
                                                          {5, true, "content"},
                                                          {"by_int32", -7, "content"},
                                                          {"by_int64", int64_t{INT64_MIN}, "content"},
                                                          {"by_uint32", uint64_t{UINT32_MAX}, 3},
                                                          {"by_uint64", uint64_t{UINT64_MAX}, "content"}};
  Splitter splitter(&tree, [&](Splitter *self) {
    cpb::Status status = self->SetMessageAsBaseChunk();
    for (size_t i = 0; i < paths.size() && status.ok(); i++) {
      std::vector<cpb::FieldType> fields = paths[i];
      status = self->AddChunk(Chunk("content " + std::to_string(i)), &fields);
    }
    return status;
  });
  auto split = splitter.Split();
  EXPECT(split.ok());
  if (!split.ok()) return;
  test::ChunkedMessage generated;
  EXPECT(generated.ParseFromString(split->second->SerializeAsString()));
  EXPECT(split->second->DebugString() == generated.DebugString());
  (*expected.mutable_by_name())["k\"\n\\'\1\xc3\xa9"].set_content("content 0");
  (*expected.mutable_by_bool())[true].set_content("content 1");
  (*expected.mutable_by_int32())[-7].set_content("content 2");
  (*expected.mutable_by_int64())[INT64_MIN].set_content("content 3");
  (*expected.mutable_by_uint32())[UINT32_MAX].set_content("content 4");
  (*expected.mutable_by_uint64())[UINT64_MAX].set_content("content 5");
  test::Tree merged;
  EXPECT(cpb::Merger::Merge(*split->first, *split->second, &merged).ok() && Same(merged, expected));
}

void TestWrongFields() {
  const struct {
    std::vector<cpb::FieldType> fields;
    cpb_code code;
    const char *message;
  } rows[] = {
      {{"nope"}, CPB_E_NOT_FOUND, "there is no field \"nope\" in test.Tree"},
      {{"child", 0, 99}, CPB_E_NOT_FOUND, "there is no field 99 in test.Tree"},
      {{"child", "first"}, CPB_E_USAGE, "the number of an element in test.Tree.child[\"first\"]"},
      {{"child", -1}, CPB_E_USAGE, "the number of an element"},
      {{"content", "x"}, CPB_E_USAGE, "test.Tree.content is no message"},
      {{"by_name", 3}, CPB_E_USAGE, "test.Tree.by_name are of type string, not 3"},
      {{"by_bool", 1}, CPB_E_USAGE, "of type bool, not 1"},
      {{"by_uint32", -1}, CPB_E_USAGE, "of type uint32, not -1"},
      {{"by_int32", int64_t{1} << 40}, CPB_E_USAGE, "of type int32"},
  };
  for (const auto &row : rows) {
    test::Tree tree;
    Splitter splitter(&tree, [&](Splitter *self) {
      std::vector<cpb::FieldType> fields = row.fields;
      return self->AddChunk(Chunk("x"), &fields);
    });
    cpb::Status status = splitter.Write(folder + "/wrong");
    EXPECT(status.code() == row.code && Has(status.message(), row.message));
    if (!Has(status.message(), row.message)) std::cerr << "  " << status.ToString() << "\n";
  }
  EXPECT(!std::filesystem::exists(folder + "/wrong.cpb"));
}

// A message that is parsed in pieces of `max_parse` bytes is the one that is parsed at once.
void TestPieces() {
  test::Tree tree;
  tree.set_content(std::string(300, 'c'));
  for (int i = 0; i < 20; i++) {
    test::Tree *child = tree.add_child();
    child->set_name(std::string(static_cast<size_t>(i * 7), 'n'));
    for (int k = 0; k < i; k++) {
      child->add_child()->set_content(std::string(static_cast<size_t>(k * 11), 'x'));
      child->add_number(k * 1000);
      (*child->mutable_by_int32())[k].set_name("value");
      child->add_note()->add_inner()->set_number(k);
    }
    test::Tree::Note *note = tree.add_note();
    note->set_text(std::string(static_cast<size_t>(i * 7), 't'));
    for (int k = 0; k < i; k++) note->add_inner()->set_number(k * 1000);
  }
  const std::string path = folder + "/pieces.pb";
  std::ofstream(path, std::ios::binary) << tree.SerializeAsString();
  for (uint64_t max : {1u, 10u, 100u, 1000u, 10000u, 1u << 30}) {
    cpb::MergeOptions options;
    options.max_parse = max;
    test::Tree merged;
    EXPECT(cpb::Merger::Read(path, &merged, options).ok() && Same(merged, tree));
  }
  const std::string cut = Contents(path);
  std::ofstream(path, std::ios::binary) << cut.substr(0, cut.size() - 3);
  for (uint64_t max : {1u, 100u, 1u << 30}) {
    cpb::MergeOptions options;
    options.max_parse = max;
    test::Tree merged;
    cpb::Status status = cpb::Merger::Read(path, &merged, options);
    EXPECT(status.code() == CPB_E_DAMAGED && Has(status.message(), "pieces.pb") && merged.ByteSizeLong() == 0);
  }
}

// Groups that end wrong, or are too deep, in front of what makes the message larger than a piece.
void TestWrongGroups() {
  const std::string path = folder + "/groups.pb", rest = "\x1a\x04rest";
  std::string deep(101, '\x63'), ends(101, '\x64');
  const struct {
    std::string bytes;
    cpb_code code;
    uint64_t offset;
    const char *message;
  } rows[] = {
      {"\x64", CPB_E_DAMAGED, 0, "group 12 ends, which is not open"},
      {"\x63\x14\x64", CPB_E_DAMAGED, 1, "group 2 ends, which is not open"},
      {"\x63\x13\x64\x14", CPB_E_DAMAGED, 2, "group 12 ends, which is not open"},
      {deep + ends, CPB_E_LIMIT, 100, "groups are nested deeper than 100 levels"},
      {"\x63", CPB_E_DAMAGED, 7, "expected a field"},
  };
  for (const auto &row : rows) {
    std::ofstream(path, std::ios::binary) << row.bytes << rest;
    cpb::MergeOptions options;
    options.max_parse = 1;
    test::Tree merged;
    cpb::Status status = cpb::Merger::Read(path, &merged, options);
    EXPECT(status.code() == row.code && status.offset() == row.offset && Has(status.message(), row.message));
    if (!Has(status.message(), row.message)) std::cerr << "  " << status.ToString() << "\n";
  }
}

void TestWrongMessages() {
  test::Strings strings = ThreeStrings();
  Splitter splitter(&strings, [&](Splitter *self) { return EachString(self, &strings); });
  EXPECT(splitter.Write(folder + "/typed").ok());
  test::Strict strict;
  EXPECT(!cpb::Merger::Read(folder + "/typed", &strict).ok() && strict.ByteSizeLong() == 0);
  test::Strict partial;
  partial.set_content("x");
  Splitter whole(&partial, Nothing);
  EXPECT(whole.Write(folder + "/partial").ok());
  cpb::Status status = cpb::Merger::Read(folder + "/partial", &strict);
  EXPECT(status.code() == CPB_E_FORMAT && Has(status.message(), "test.Strict lacks required fields: name"));
  EXPECT(cpb::Merger::Read(folder + "/not_there", &strict).code() == CPB_E_NOT_FOUND);
}

void TestRecords() {
  const std::string path = folder + "/records.riegeli";
  std::vector<uint64_t> positions;
  {
    auto writer = cpb::RecordWriter::Create(path);
    EXPECT(writer.ok());
    for (int i = 0; i < 1000; i++) {
      EXPECT(
          writer->Write(std::string(static_cast<size_t>(i % 50 ? i : i * 1000), static_cast<char>('a' + i % 26))).ok());
      positions.push_back(writer->position());
    }
    EXPECT(!std::filesystem::exists(path));
    EXPECT(writer->Close().ok());
  }
  { // is dropped: nothing is left
    auto writer = cpb::RecordWriter::Create(folder + "/dropped.riegeli");
    EXPECT(writer.ok() && writer->Write("x").ok());
  }
  EXPECT(!std::filesystem::exists(folder + "/dropped.riegeli"));

  auto reader = cpb::RecordReader::Open(path);
  EXPECT(reader.ok());
  std::string_view record;
  size_t count = 0;
  for (; reader->Read(&record); count++) {
    EXPECT(record.size() == (count % 50 ? count : count * 1000) && reader->position() == positions[count]);
    EXPECT(record.find_first_not_of(static_cast<char>('a' + count % 26)) == std::string_view::npos);
  }
  EXPECT(count == 1000 && reader->status().ok());
  reader->Seek(positions[950]);
  EXPECT(reader->Read(&record) && record.size() == 950000);

  std::string bytes = Contents(path);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  auto strict = cpb::RecordReader::Open(path);
  for (count = 0; strict->Read(&record); count++) continue;
  EXPECT(strict->status().code() == CPB_E_DAMAGED && strict->status().offset() != CPB_NO_OFFSET);
  auto options = cpb::Options<cpb_record_reader_options>();
  options.recover = 1;
  auto recovering = cpb::RecordReader::Open(path, options);
  size_t recovered = 0;
  while (recovering->Read(&record)) recovered++;
  EXPECT(recovering->status().ok() && recovered > count && recovered < 1000 && recovering->skipped().size() == 1);
}

// The types of messages.proto, for libcpb.
cpb::Handle<cpb_schema> Types() {
  google::protobuf::FileDescriptorSet set;
  test::Tree::descriptor()->file()->CopyTo(set.add_file());
  const std::string bytes = set.SerializeAsString();
  return cpb::Handle<cpb_schema>(cpb_schema_new(nullptr, bytes.data(), bytes.size(), nullptr, nullptr));
}

cpb::StatusOr<cpb::Message> OpenAs(const google::protobuf::Message &message, const cpb_schema *types) {
  const std::string path = folder + "/fields.pb";
  std::ofstream(path, std::ios::binary) << message.SerializeAsString();
  return cpb::Message::Open(path, cpb_schema_find_message(types, message.GetDescriptor()->full_name().c_str()));
}

template <typename T>
bool Has(const cpb::StatusOr<cpb::MessageField> &field, const google::protobuf::RepeatedField<T> &wanted) {
  auto values = field->Values<T>();
  if (!values.ok()) std::cerr << values.status().ToString() << "\n";
  return values.ok() && std::vector<T>(wanted.begin(), wanted.end()) == *values && *field->Count() == values->size() &&
         *(*field)[1]->template Value<T>() == wanted.Get(1);
}

void TestNumbers() {
  const cpb::Handle<cpb_schema> types = Types();
  test::Numbers numbers;
  for (int i = -2; i < 3; i++) {
    numbers.add_reals(static_cast<float>(i) / 4);
    numbers.add_wide(i * 1e300);
    numbers.add_zigzag(i * 1000000000 / 2);
    numbers.add_truths(i > 0);
    numbers.add_fixed(static_cast<uint64_t>(i));
    numbers.add_small(static_cast<uint32_t>(i));
  }
  numbers.set_one(-0.5);
  numbers.mutable_tree()->add_number(INT64_MIN);
  numbers.mutable_tree()->add_number(7);
  auto message = OpenAs(numbers, types.get());
  EXPECT(message.ok());
  if (!message.ok()) return;
  EXPECT(Has(message->Field("reals"), numbers.reals()) && Has(message->Field("wide"), numbers.wide()));
  EXPECT(Has(message->Field("zigzag"), numbers.zigzag()) && Has(message->Field("truths"), numbers.truths()));
  EXPECT(Has(message->Field("fixed"), numbers.fixed()) && Has(message->Field("small"), numbers.small()));
  EXPECT(Has(message->Field("tree.number"), numbers.tree().number()));
  EXPECT(*message->Field("one")->Value<double>() == -0.5);
  EXPECT(message->Field("one")->Value<float>().status().ToString() ==
         "USAGE: one: it is of type double; expected that type");
  EXPECT(message->Field("one")->Value<std::string>().status().code() == CPB_E_USAGE);
  EXPECT(message->Field("one")->Values<double>().status().code() == CPB_E_UNSUPPORTED);
  EXPECT(message->Field("reals")->Value<float>().status().code() == CPB_E_USAGE);
  EXPECT(message->Field("reals")->Elements().status().code() == CPB_E_UNSUPPORTED);
  EXPECT(message->Field("kind").status().code() == CPB_E_NOT_FOUND);
  EXPECT(*message->Field("truths")->Json() == "[false,false,false,true,true]" &&
         *message->Field("one")->Json() == "-0.5");
  EXPECT(*message->Field("tree")->Field("number")->Json() == "[\"-9223372036854775808\",\"7\"]");

  // In both forms, and then damaged.
  const std::string mixed("\x0a\x04\0\0\x80\x3f\x0d\0\0\0\x40\x3a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 23);
  std::ofstream(folder + "/mixed.pb", std::ios::binary) << mixed << std::string("\x0a\x03\0\0\0\x1a\x01\x80", 8);
  auto odd = cpb::Message::Open(folder + "/mixed.pb", cpb_schema_find_message(types.get(), "test.Numbers"));
  EXPECT(odd->Field("kind")->Values<int32_t>().value() == std::vector<int32_t>{-1});
  EXPECT(odd->Field("zigzag")->Values<int32_t>().status().code() == CPB_E_DAMAGED);
  cpb::Status status = odd->Field("reals")->Values<float>().status();
  EXPECT(status.code() == CPB_E_DAMAGED && status.offset() == 25);
  std::ofstream(folder + "/mixed.pb", std::ios::binary) << mixed;
  auto even = cpb::Message::Open(folder + "/mixed.pb", cpb_schema_find_message(types.get(), "test.Numbers"));
  EXPECT(even->Field("reals")->Values<float>().value() == (std::vector<float>{1, 2}));
}

void TestFields() {
  const cpb::Handle<cpb_schema> types = Types();
  test::Tree tree;
  tree.set_content(std::string(5000, 'c'));
  for (int i = 0; i < 30; i++) {
    test::Tree *child = tree.add_child();
    child->set_name("child " + std::to_string(i));
    (*child->mutable_by_name())["a key"].set_name("1");
    (*child->mutable_by_int32())[-i].set_content("2");
    child->mutable_strings()->add_text("one");
    child->mutable_strings()->add_text("");
    child->add_note()->add_inner()->set_number(i);
  }
  auto message = OpenAs(tree, types.get());
  EXPECT(message.ok());
  if (!message.ok()) return;
  auto children = message->Field("child");
  EXPECT(children.ok() && children->repeated() && *children->Count() == 30 && children->name() == "child");
  auto all = children->Elements();
  EXPECT(all.ok() && all->size() == 30);
  int i = 0;
  for (cpb::MessageField child : *all) {
    const test::Tree &wanted = tree.child(i);
    EXPECT(child.path() == "child[" + std::to_string(i) + "]" && child.type_name() == "test.Tree" && !child.repeated());
    EXPECT(*child.Read() == wanted.SerializeAsString() && child.size() == wanted.ByteSizeLong());
    EXPECT(*child.Field("name")->Value<std::string>() == wanted.name());
    EXPECT(*child.Field("strings.text")->Count() == 2 && *(*child.Field("strings")->Field("text"))[0]->Read() == "one");
    EXPECT(*(*child.Field("by_name"))["a key"]->Field("name")->Read() == "1");
    EXPECT(*child.Field("by_int32[-" + std::to_string(i) + "].content")->Read() == "2");
    EXPECT(*child.Field("by_name")->Elements()->At(0).Field("key")->Read() == "a key");
    EXPECT(*child.Field("note")->Elements()->At(0).Field("inner[0].number")->Value<int64_t>() == i);
    std::string json;
    google::protobuf::util::JsonPrintOptions as_named;
    as_named.preserve_proto_field_names = true;
    EXPECT(google::protobuf::util::MessageToJsonString(wanted.strings(), &json, as_named).ok()); // it knows no groups
    EXPECT(*child.Field("strings")->Json() == json && Has(*child.Json(), json.c_str()));
    i++;
  }
  EXPECT(i == 30);
  EXPECT(*all->At(5).Field("")->Field("name")->Read() == "child 5" &&
         *message->Field("")->Read() == tree.SerializeAsString());
  EXPECT(message->Field("")->Field("child")->path() == "child" && all->At(5).Field("")->path() == "child[5]");
  cpb::MessageField third = *(*children)[3];
  message = cpb::Status(CPB_E_USAGE, "closed"); // the field keeps it open
  EXPECT(*third.Field("name")->Read() == "child 3" && third.Field("nope").status().code() == CPB_E_NOT_FOUND);
  EXPECT((*children)[30].status().message() == folder + "/fields.pb: [30]: the length of 2 is 30");
  EXPECT(children->Field("name").status().code() == CPB_E_USAGE && (*children)[-1].status().code() == CPB_E_USAGE);
  EXPECT(third[0].status().code() == CPB_E_USAGE && third.Elements().status().code() == CPB_E_USAGE);
}

// Of built-in types, which is which the names tell; large values stay where they are.
void TestGuessedTypes() {
  const std::string node(
      "\x0a\x16\x0a\x04main\x12\x0e\x2a\x0c"
      "abcdefghijkl",
      24);
  std::ofstream(folder + "/guess.pb", std::ios::binary) << node;
  auto message = cpb::Message::Open(folder + "/guess.pb");
  EXPECT(message->Field("node[0].name")->Value<std::string>().value() == "main");
  EXPECT(message->Field("1[0].1")->Read().value() == "main");
  cpb::JsonOptions how;
  how.omit = 3;
  EXPECT(message->Field("node[0].name")->Json(how).value() == "{\"@omitted\":{\"offset\":4,\"size\":4}}");
  how.omit = 0;
  EXPECT(message->Field("node[0].name")->Json(how).value() == "\"main\"");
}

void TestStatus() {
  auto bad = cpb::Message::Open(folder + "/none.cpb");
  EXPECT(!bad.ok() && bad.status().code() == CPB_E_NOT_FOUND && Has(bad.status().message(), "none.cpb"));
  EXPECT(bad.status().system() == ENOENT && bad.status().http() == 0);
#if defined(__cpp_exceptions)
  bool thrown = false;
  try {
    bad.value().size();
  } catch (const cpb::BadStatus &error) {
    thrown = error.status().code() == CPB_E_NOT_FOUND;
  }
  EXPECT(thrown);
#endif
  EXPECT(cpb::Status(CPB_E_DAMAGED, "why", 12).In("file").ToString() == "DAMAGED at byte 12: file: why");
#ifdef ABSL_STATUS_STATUS_H_
  absl::Status converted = cpb::Status(CPB_E_DAMAGED, "why", 12);
  EXPECT(absl::IsNotFound(absl::Status(bad.status())) && absl::IsPermissionDenied(cpb::Status(CPB_E_DENIED, "")));
  EXPECT(absl::IsDataLoss(converted) && converted.message() == "DAMAGED at byte 12: why");
  EXPECT(absl::Status(cpb::Status()).ok());
  absl::StatusOr<cpb::Message> none = cpb::Message::Open(folder + "/none.cpb");
  EXPECT(absl::IsNotFound(none.status()));
  absl::StatusOr<std::unique_ptr<int>> one = cpb::StatusOr<std::unique_ptr<int>>(std::make_unique<int>(1));
  EXPECT(one.ok() && **one == 1);
  std::cout << "with absl\n";
#endif
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  for (auto test :
       {TestSplit, TestWrite, TestNotSplit, TestChildren, TestIndexes, TestMapKeys, TestWrongFields, TestPieces,
        TestWrongGroups, TestWrongMessages, TestRecords, TestNumbers, TestFields, TestGuessedTypes, TestStatus}) {
    test();
  }
  std::cout << failures << " failures\n";
  return failures ? 1 : 0;
}
