// proto_splitter FILE PREFIX: a trainer.Checkpoint of libprotobuf's, split into PREFIX.cpb by a class that says
// what becomes a chunk, and read again.
#include <google/protobuf/util/message_differencer.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint.pb.h"
#include "cpb/cpb.hpp"

namespace {

// Moves the state of each step into a chunk of its own, unless it is small.
class CheckpointSplitter : public cpb::ComposableSplitter {
 public:
  using ComposableSplitter::ComposableSplitter;

  cpb::Status BuildChunks() override {
    auto *checkpoint = static_cast<trainer::Checkpoint *>(message());
    if (cpb::Status status = SetMessageAsBaseChunk(); !status.ok()) return status;
    for (int i = 0; i < checkpoint->step_size(); i++) {
      trainer::Step *step = checkpoint->mutable_step(i);
      if (step->state().size() < 100) continue;
      std::vector<cpb::FieldType> fields = {"step", i, "state"};
      auto state = std::make_unique<cpb::MessageBytes>(std::move(*step->mutable_state()));
      step->clear_state();
      if (cpb::Status status = AddChunk(std::move(state), &fields); !status.ok()) return status;
    }
    return {};
  }
};

cpb::Status SplitAndMerge(trainer::Checkpoint checkpoint, const std::string &prefix) {
  const trainer::Checkpoint before = checkpoint;

  CheckpointSplitter splitter(&checkpoint); // takes the states out of it
  if (cpb::Status status = splitter.Write(prefix); !status.ok()) return status;
  std::cout << splitter.Split()->first->size() << " chunks\n";

  trainer::Checkpoint merged;
  if (cpb::Status status = cpb::Merger::Read(prefix, &merged); !status.ok()) return status;
  const bool same = google::protobuf::util::MessageDifferencer::Equals(before, merged);
  std::cout << (same ? "the same message\n" : "another message\n");
  return {};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: proto_splitter FILE PREFIX\n";
    return 1;
  }
  std::ifstream file(argv[1], std::ios::binary);
  trainer::Checkpoint checkpoint;
  if (!checkpoint.ParseFromIstream(&file)) {
    std::cerr << argv[1] << ": expected a trainer.Checkpoint\n";
    return 1;
  }
  cpb::Status status = SplitAndMerge(std::move(checkpoint), argv[2]);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
