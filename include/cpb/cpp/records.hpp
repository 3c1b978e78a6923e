/* cpb/cpp/records.hpp: Riegeli/records files. Part of cpb/cpb.hpp.
 *
 *     auto writer = cpb::RecordWriter::Create("words.riegeli");
 *     if (!writer.ok()) return writer.status();
 *     cpb::Status status = writer->Write("hello");
 *     if (status.ok()) status = writer->Close(); // the file appears
 *
 *     auto reader = cpb::RecordReader::Open("words.riegeli");
 *     if (!reader.ok()) return reader.status();
 *     std::string_view record;
 *     while (reader->Read(&record)) Use(record);
 *     return reader->status(); */
#ifndef CPB_CPP_RECORDS_HPP
#define CPB_CPP_RECORDS_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpb/cpp/handle.hpp"
#include "cpb/cpp/status.hpp"
#include "cpb/url.h"

namespace cpb {

/* Reads the records of a file, front to back or from any position. */
class RecordReader {
 public:
  /* `path` may be a URL (cpb/url.h). With `options.recover` damaged regions are left out
   * (skipped()); otherwise it is the status at which reading ends. */
  static StatusOr<RecordReader> Open(const std::string &path,
                                     cpb_record_reader_options options = Options<cpb_record_reader_options>()) {
    cpb_error error;
    Handle<cpb_file> file(cpb_is_url(path.c_str()) ? cpb_url_open(nullptr, path.c_str(), nullptr, &error)
                                                   : cpb_file_open(nullptr, path.c_str(), &error));
    if (!file) return Status(error).In(path);
    Handle<cpb_record_reader> reader(cpb_record_reader_new(nullptr, &options));
    if (!reader) return Status(CPB_E_MEMORY, cpb_code_text(CPB_E_MEMORY));
    return RecordReader(std::move(file), std::move(reader));
  }

  /* The next record, valid until the next call. False at the end, and when reading failed, which
   * status() tells. */
  bool Read(std::string_view *record) {
    cpb_step step = CPB_STEP_SKIPPED;
    while (status_.ok() && step == CPB_STEP_SKIPPED) {
      step = Step();
      if (step == CPB_STEP_RECORD) step = ReadBytes(record);
      if (step == CPB_STEP_RECORD) return true;
      if (step == CPB_STEP_ERROR) status_ = Status(*cpb_record_reader_error(reader_.get()));
    }
    return false;
  }

  /* The position of the last record that was read, for Seek(). */
  uint64_t position() const { return cpb_record_reader_record(reader_.get())->position; }

  /* Goes to a record, as cpb_record_reader_seek() does. */
  void Seek(uint64_t position) { cpb_record_reader_seek(reader_.get(), position); }

  /* Goes to the last record. */
  void SeekLast() { cpb_record_reader_seek_last(reader_.get()); }

  /* Goes to the record with this number, as cpb_record_reader_seek_number() does. */
  void SeekNumber(uint64_t number) { cpb_record_reader_seek_number(reader_.get(), number); }

  /* OK unless reading failed. */
  const Status &status() const { return status_; }

  /* The damaged regions that `recover` has left out so far. */
  struct Skipped {
    uint64_t begin, end; // file offsets
    std::string reason;
  };
  const std::vector<Skipped> &skipped() const { return skipped_; }

  /* The engine, for uses that this class has no function for. */
  cpb_record_reader *get() { return reader_.get(); }

 private:
  RecordReader(Handle<cpb_file> file, Handle<cpb_record_reader> reader)
      : file_(std::move(file)), reader_(std::move(reader)) {}

  cpb_step Step() {
    cpb_step step;
    while ((step = cpb_record_reader_step(reader_.get())) == CPB_STEP_NEED)
      cpb_file_supply(file_.get(), cpb_record_reader_input(reader_.get()));
    if (step == CPB_STEP_SKIPPED) {
      const cpb_skipped *skipped = cpb_record_reader_skipped(reader_.get());
      skipped_.push_back({skipped->begin, skipped->end, skipped->reason});
    }
    return step;
  }

  /* CPB_STEP_RECORD once all bytes are there; CPB_STEP_SKIPPED: the record turned out to be damaged. One
   * that comes in one piece stays where it is, any other is put together. */
  cpb_step ReadBytes(std::string_view *record) {
    joined_.clear();
    *record = {};
    uint64_t left = cpb_record_reader_record(reader_.get())->size;
    while (left > 0) {
      cpb_step step = Step();
      if (step != CPB_STEP_DATA) return step;
      size_t length;
      const uint8_t *data = cpb_record_reader_data(reader_.get(), &length);
      *record = std::string_view(reinterpret_cast<const char *>(data), length);
      left -= length;
      if (left > 0 || !joined_.empty()) joined_ += *record;
    }
    if (!joined_.empty()) *record = joined_;
    return CPB_STEP_RECORD;
  }

  Handle<cpb_file> file_;
  Handle<cpb_record_reader> reader_;
  Status status_;
  std::string joined_;
  std::vector<Skipped> skipped_;
};

/* Writes a file of records, which appears under its name when it is closed, and not at all otherwise. */
class RecordWriter {
 public:
  /* Without `replace` an existing file is CPB_E_WRITE. `options.metadata` must outlive the writer. */
  static StatusOr<RecordWriter> Create(const std::string &path,
                                       cpb_record_writer_options options = Options<cpb_record_writer_options>(),
                                       bool replace = true) {
    auto how = Options<cpb_output_options>();
    how.replace = replace;
    cpb_error error;
    Handle<cpb_output> output(cpb_output_create(nullptr, path.c_str(), &how, &error));
    if (!output) return Status(error).In(path);
    options.seekable = 1;
    Handle<cpb_record_writer> writer(cpb_record_writer_new(nullptr, &options));
    if (!writer) return Status(CPB_E_MEMORY, cpb_code_text(CPB_E_MEMORY));
    return RecordWriter(std::move(output), std::move(writer));
  }

  Status Write(std::string_view record) {
    cpb_record_writer_record(writer_.get(), record.data(), record.size());
    return Flush();
  }

  /* The same in parts: the size of a record, then parts of so many bytes together. */
  Status Begin(uint64_t size) {
    cpb_record_writer_begin_record(writer_.get(), size);
    return Flush();
  }
  Status Append(std::string_view part) {
    cpb_record_writer_write(writer_.get(), part.data(), part.size());
    return Flush();
  }

  /* The position of the record that was written last. */
  uint64_t position() const { return cpb_record_writer_position(writer_.get()); }

  /* Writes the rest, and gives the file its name. */
  Status Close() {
    cpb_record_writer_finish(writer_.get());
    Status status = Flush();
    if (!status.ok()) return status;
    return cpb_output_commit(output_.get()) == CPB_OK ? Status() : Status(cpb_output_error(output_.get()));
  }

 private:
  RecordWriter(Handle<cpb_output> output, Handle<cpb_record_writer> writer)
      : output_(std::move(output)), writer_(std::move(writer)) {}

  /* Writes the engine's output, unless an error prevents that. */
  Status Flush() {
    cpb_step step;
    while ((step = cpb_record_writer_step(writer_.get())) == CPB_STEP_OUTPUT) {
      uint64_t offset;
      size_t length;
      const uint8_t *data = cpb_record_writer_output(writer_.get(), &offset, &length);
      if (cpb_output_write(output_.get(), offset, data, length) != CPB_OK)
        return Status(cpb_output_error(output_.get()));
    }
    return step == CPB_STEP_ERROR ? Status(cpb_record_writer_error(writer_.get())) : Status();
  }

  Handle<cpb_output> output_;
  Handle<cpb_record_writer> writer_;
};

} // namespace cpb

#endif
