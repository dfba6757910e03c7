// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/detail/symbolic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "schedule_files/detail/chunk_values.h"
#include "schedule_files/detail/flows_of_values.h"

namespace fredsim {
namespace {

class SymbolicRun {
 public:
  // `backwards`: the last thread blocks go first.
  SymbolicRun(const StepProgram& program, bool backwards)
      : program_(program), backwards_(backwards) {
    for (int rank = 0; rank < ranks(); ++rank) {
      const RankProgram& own = program_.ranks[rank];
      std::vector<int>& memory =
          memory_.emplace_back(static_cast<std::size_t>(own.memory), kNoValue);
      for (int k = 0; k < input_chunks(program_, rank); ++k)
        memory[own.base[0] + k] = values_.operand(rank, k);
      done_.emplace_back(own.blocks.size());
    }
    for (const auto& [from, to, channel] : program_.tokens) ++tokens_[{from, to, channel}];
  }

  void run() {
    for (bool some = true; some;) {
      some = false;
      for (int k = 0; k < ranks(); ++k) {
        const int rank = backwards_ ? ranks() - 1 - k : k;
        const int blocks = static_cast<int>(program_.ranks[rank].blocks.size());
        for (int b = 0; b < blocks; ++b)
          some = advance(rank, backwards_ ? blocks - 1 - b : b) || some;
      }
    }
    check_complete();
    check_results();
  }

  OutputValues outputs() const {
    OutputValues outputs;
    for (int rank = 0; rank < ranks(); ++rank) {
      std::vector<int>& own = outputs.emplace_back();
      for (int place = 0; place < output_chunks(program_, rank); ++place)
        own.push_back(memory_[rank][program_.ranks[rank].base[1] + place]);
    }
    return outputs;
  }
  const ChunkValues& values() const { return values_; }

 private:
  using Message = ProgramStep::Message;

  int ranks() const { return static_cast<int>(program_.ranks.size()); }
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}: {}{}", program_.file, what,
                               backwards_ ? ", if thread blocks run in the opposite order" : ""));
  }

  const ProgramStep* next(int rank, int block) const {
    const auto& steps = program_.ranks[rank].blocks[block];
    const std::size_t at = done_[rank][block];
    return at < steps.size() ? &steps[at] : nullptr;
  }
  bool is_done(int rank, const ProgramStep::Dependency& step) const {
    return done_[rank][step.block] > static_cast<std::size_t>(step.step);
  }
  bool has_message(int rank, const Message& from) const {
    const auto found = messages_.find({from.peer, rank, from.channel});
    return found != messages_.end() && !found->second.empty();
  }
  bool has_token(int rank, const Message& from) const {
    const auto found = tokens_.find({from.peer, rank, from.channel});
    return found != tokens_.end() && found->second > 0;
  }
  // First place that a step reads, and that has nothing yet; null: there is none.
  const ChunkPlace* empty_place(int rank, const ProgramStep& step) const {
    for (const ChunkPlace& place : step.adds)
      for (int k = 0; k < step.count; ++k)
        if (at(rank, step, place, k) == kNoValue) return &place;
    return nullptr;
  }
  bool may_run(int rank, const ProgramStep& step) const {
    return std::ranges::all_of(step.after,
                               [&](const auto& other) { return is_done(rank, other); }) &&
           std::ranges::all_of(step.receives,
                               [&](const Message& from) { return has_message(rank, from); }) &&
           std::ranges::all_of(step.takes,
                               [&](const Message& from) { return has_token(rank, from); }) &&
           (!step.waits_for_data || empty_place(rank, step) == nullptr);
  }

  bool advance(int rank, int block) {
    bool some = false;
    for (const ProgramStep* step = next(rank, block); step != nullptr && may_run(rank, *step);
         step = next(rank, block)) {
      execute(rank, *step);
      ++done_[rank][block];
      some = true;
    }
    return some;
  }

  static int owner(int rank, const ChunkPlace& place) { return place.rank < 0 ? rank : place.rank; }
  // Value at the k-th chunk from a place.
  const int& at(int rank, const ProgramStep& step, const ChunkPlace& place, int k) const {
    constexpr const char* kNames[] = {"input", "output", "scratch"};
    const RankProgram& own = program_.ranks[owner(rank, place)];
    const auto buffer = static_cast<std::size_t>(place.buffer);
    const int chunk = place.offset + k;
    if (chunk < 0 || chunk >= own.chunks[buffer])
      fail(fmt::format("{}: found chunk {} of the {} of rank {}; allowed: {} chunks", step.name,
                       chunk, kNames[buffer], owner(rank, place), own.chunks[buffer]));
    return memory_[owner(rank, place)][own.base[buffer] + chunk];
  }
  int value_at(int rank, const ProgramStep& step, const ChunkPlace& place, int k) {
    const int value = at(rank, step, place, k);
    if (value == kNoValue)
      fail(fmt::format("{}: rank {} has nothing yet at chunk {}, which it reads", step.name,
                       owner(rank, place), place.offset + k));
    return owner(rank, place) == rank ? value : values_.copy(rank, value);
  }
  void store(int rank, const ProgramStep& step, const ChunkPlace& place, int k, int value) {
    const int there = owner(rank, place);
    const int& old = at(rank, step, place, k);
    memory_[there][static_cast<std::size_t>(&old - memory_[there].data())] =
        there == rank ? value : values_.copy(there, value);
  }

  void execute(int rank, const ProgramStep& step) {
    for (const Message& from : step.takes) --tokens_[{from.peer, rank, from.channel}];
    if (step.count > 0) move(rank, step);
    for (const Message& to : step.gives) ++tokens_[{rank, to.peer, to.channel}];
  }

  void move(int rank, const ProgramStep& step) {
    std::vector<int> chunks;
    for (const Message& from : step.receives) {
      auto& queue = messages_[{from.peer, rank, from.channel}];
      for (const int value : queue.front()) chunks.push_back(values_.copy(rank, value));
      queue.pop_front();
      if (std::ssize(chunks) != step.count)
        fail(fmt::format("{}: receives {} chunks of rank {}, which sends {}", step.name, step.count,
                         from.peer, chunks.size()));
    }
    for (const ChunkPlace& place : step.adds) {
      const bool is_first = chunks.empty();
      std::vector<int> own;
      for (int k = 0; k < step.count; ++k) own.push_back(value_at(rank, step, place, k));
      for (int k = 0; k < step.count && !is_first; ++k)
        own[k] = values_.sum(rank, own[k], chunks[k]);
      chunks = std::move(own);
    }
    for (const ChunkPlace& place : step.stores)
      for (int k = 0; k < step.count; ++k) store(rank, step, place, k, chunks[k]);
    for (const Message& to : step.sends) messages_[{rank, to.peer, to.channel}].push_back(chunks);
  }

  // First step of a rank that will send on a channel, or give a token, and has not.
  std::pair<int, const ProgramStep*> sender(int rank, int to, int channel,
                                            std::vector<Message> ProgramStep::*what) const {
    const auto& blocks = program_.ranks[rank].blocks;
    for (int block = 0; block < std::ssize(blocks); ++block)
      for (std::size_t k = done_[rank][block]; k < blocks[block].size(); ++k)
        for (const Message& message : blocks[block][k].*what)
          if (message.peer == to && message.channel == channel) return {block, &blocks[block][k]};
    return {-1, nullptr};
  }

  // Follows what waits for what from a step that waits for ever.
  [[noreturn]] void name_wait(int rank, int block) const {
    std::set<std::pair<int, int>> passed;
    std::string text;
    for (;;) {
      const ProgramStep* step = next(rank, block);
      text += fmt::format("{}{}", text.empty() ? "" : ", which waits for ", step->name);
      if (!passed.emplace(rank, block).second) fail("a circle of waits: " + text);
      const auto open = std::ranges::find_if(
          step->after, [&, rank = rank](const auto& other) { return !is_done(rank, other); });
      if (open != step->after.end()) {
        block = open->block;
        continue;
      }
      if (step->waits_for_data)
        if (const ChunkPlace* place = empty_place(rank, *step); place != nullptr)
          fail(fmt::format("{} waits for ever, for data at chunk {} of rank {}", text,
                           place->offset, owner(rank, *place)));
      const auto lacks = [&, rank = rank](const std::vector<Message>& all, auto has) {
        return std::ranges::find_if(all,
                                    [&](const Message& from) { return !(this->*has)(rank, from); });
      };
      const auto chunks = lacks(step->receives, &SymbolicRun::has_message);
      const bool waits_for_chunks = chunks != step->receives.end();
      const Message& from =
          waits_for_chunks ? *chunks : *lacks(step->takes, &SymbolicRun::has_token);
      const auto [other, send] =
          sender(from.peer, rank, from.channel,
                 waits_for_chunks ? &ProgramStep::sends : &ProgramStep::gives);
      if (send == nullptr)
        fail(fmt::format("{} waits for {} of rank {} on channel {}, which sends no more", text,
                         waits_for_chunks ? "chunks" : "a signal", from.peer, from.channel));
      rank = from.peer;
      block = other;
    }
  }

  void check_complete() const {
    for (int rank = 0; rank < ranks(); ++rank)
      for (int block = 0; block < std::ssize(done_[rank]); ++block)
        if (next(rank, block) != nullptr) name_wait(rank, block);
    for (const auto& [channel, queue] : messages_)
      if (!queue.empty())
        fail(fmt::format("rank {} never receives {} chunks that rank {} sends on channel {}",
                         std::get<1>(channel), queue.front().size(), std::get<0>(channel),
                         std::get<2>(channel)));
  }

  void check_results() const {
    for (int rank = 0; rank < ranks(); ++rank) {
      for (int place = 0; place < output_chunks(program_, rank); ++place) {
        const int value = memory_[rank][program_.ranks[rank].base[1] + place];
        const Contributions found =
            value == kNoValue ? Contributions{} : values_.contributions(value);
        if (const std::string why = difference(found, wanted(program_, rank, place)); !why.empty())
          fail(fmt::format("at the end, chunk {} of the output of rank {}: it {}", place, rank,
                           why));
      }
    }
  }

  const StepProgram& program_;
  bool backwards_;
  ChunkValues values_;
  std::vector<std::vector<int>> memory_;        // values by rank and place
  std::vector<std::vector<std::size_t>> done_;  // steps by rank and thread block
  // Messages on their way, by sender, receiver and channel.
  std::map<std::tuple<int, int, int>, std::deque<std::vector<int>>> messages_;
  std::map<std::tuple<int, int, int>, int> tokens_;  // number of tokens, likewise
};

}  // namespace

void run_symbolically(const StepProgram& program, CollectiveSchedule& schedule) {
  SymbolicRun run(program, false);
  run.run();
  SymbolicRun(program, true).run();
  add_flows(program, run.values(), run.outputs(), schedule);
}

}  // namespace fredsim
