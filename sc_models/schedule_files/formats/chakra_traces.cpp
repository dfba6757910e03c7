// SPDX-License-Identifier: Apache-2.0
// chakra_traces: Chakra execution traces of one collective, as ASTRA-sim's custom collectives have
// them: PREFIX.0.et, PREFIX.1.et, …, one per rank, with sends, receives and computations.
//
// Collective: the text `collective` of the metadata.
// Chunks: traces have sizes only. A send that depends on a receive or a computation forwards what
//   that has; any other send has an operand of its rank. A computation that depends on a receive is
//   the addition of what came. All that hangs together in this way, over the k-th send and the k-th
//   receive of two ranks and one tag, is one chunk.
// Traces that are not complete by these rules, but have the algorithm that they were made from as
//   text (`input_file`), are read from that (formats/msccl_xml.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "schedule_files/detail/collective_words.h"
#include "schedule_files/detail/symbolic_run.h"
#include "schedule_files/schedule_file.h"
#include "schedule_files/schedule_format.h"
#include "workload_files/chakra_reader.h"

namespace fredsim {
namespace {

constexpr std::size_t kMaxNodes = std::size_t{1} << 20;

struct ScheduleNode {
  int rank = 0;
  TraceNode of{};
  bool adds = false;  // a receive with a computation after it
  int message = -1;   // number of its message, if any
  int chunk = -1;
};

class Sets {
 public:
  explicit Sets(std::size_t size) : above_(size) { std::iota(above_.begin(), above_.end(), 0); }
  int find(int of) {
    while (above_[of] != of) of = above_[of] = above_[above_[of]];
    return of;
  }
  void join(int a, int b) { above_[find(b)] = find(a); }

 private:
  std::vector<int> above_;
};

class ChakraSchedule {
 public:
  explicit ChakraSchedule(const ScheduleText& file) : file_(file) {}

  CollectiveSchedule read() {
    read_files();
    CollectiveSchedule schedule;
    schedule.file = program_.file = file_.path;
    schedule.name = std::filesystem::path(prefix_).filename().string();
    schedule.collective = program_.collective = collective_;
    schedule.ranks = static_cast<int>(program_.ranks.size());
    try {
      match();
      find_chunks();
      write_program();
      run_symbolically(program_, schedule);
    } catch (const BadInput&) {
      if (algorithm_.find("<algo") == std::string::npos) throw;
      schedule = schedule_of(file_.path, std::move(algorithm_));
      schedule.notes.push_back(fmt::format(
          "{}: its sends and receives alone do not say which chunks they have: read from the "
          "algorithm in its metadata",
          file_.path));
    }
    return schedule;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}: {}", file_.path, what));
  }
  std::string name_of(const ScheduleNode& node) const {
    return fmt::format("rank {}, node {} ({})", node.rank, node.of.id, node.of.name);
  }

  void read_files() {
    const std::string_view stem = std::string_view(file_.path).substr(0, file_.path.size() - 3);
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string_view::npos)
      fail("found a name without a rank; allowed: PREFIX.0.et, with a file per rank beside it");
    prefix_ = stem.substr(0, dot);
    for (int rank = 0; rank <= kMaxScheduleRanks; ++rank) {
      const std::string path = fmt::format("{}.{}.et", prefix_, rank);
      if (!std::filesystem::exists(path)) break;
      if (rank == kMaxScheduleRanks)
        fail(fmt::format("found more ranks than {}; allowed: fewer", kMaxScheduleRanks));
      read_rank(path, rank);
    }
    if (program_.ranks.empty())
      fail(fmt::format("found no {}.0.et; allowed: a file per rank, from 0", prefix_));
  }

  void read_rank(const std::string& path, int rank) {
    ChakraReader reader(path);
    const auto found = reader.texts().find("collective");
    if (found == reader.texts().end())
      throw BadInput(fmt::format("{}: found no text 'collective' in its metadata; allowed: {}",
                                 path, allowed_for_schedules()));
    const Collective collective = collective_of_word(path + ": collective", found->second);
    if (rank > 0 && collective != collective_)
      throw BadInput(fmt::format("{}: found {}; allowed: {}, as rank 0 has", path, found->second,
                                 to_string(collective_)));
    collective_ = collective;
    if (const auto text = reader.texts().find("input_file"); text != reader.texts().end())
      algorithm_ = text->second;
    program_.ranks.emplace_back();
    std::map<std::uint64_t, int>& ids = ids_.emplace_back();
    for (TraceNode node; reader.next(node);) {
      if (nodes_.size() == kMaxNodes) fail(fmt::format("found more than {} nodes", kMaxNodes));
      if (!ids.emplace(node.id, static_cast<int>(nodes_.size())).second)
        throw BadInput(fmt::format("{}: found node {} twice; allowed: once", path, node.id));
      nodes_.push_back({.rank = rank, .of = std::move(node)});
    }
  }

  static bool is_send(const ScheduleNode& node) { return node.of.type == TraceNodeType::kSend; }
  static bool is_receive(const ScheduleNode& node) {
    return node.of.type == TraceNodeType::kReceive;
  }

  // ScheduleNode that another one depends on.
  const ScheduleNode& before(const ScheduleNode& node, std::uint64_t id) const {
    const auto found = ids_[node.rank].find(id);
    if (found == ids_[node.rank].end())
      fail(fmt::format("{}: depends on node {}, which is not there", name_of(node), id));
    return nodes_[static_cast<std::size_t>(found->second)];
  }
  int number(const ScheduleNode& node) const { return static_cast<int>(&node - nodes_.data()); }

  // The k-th send of two ranks and one tag, and the k-th receive, are one message.
  void match() {
    std::map<std::tuple<int, int, std::uint32_t>, std::pair<std::vector<int>, std::vector<int>>>
        channels;
    std::optional<std::uint64_t> bytes;
    for (ScheduleNode& node : nodes_) {
      if (node.of.type == TraceNodeType::kCollective)
        fail(fmt::format("{}: found a collective; allowed: sends, receives and computations",
                         name_of(node)));
      if (!is_send(node) && !is_receive(node)) continue;
      if (node.of.peer < 0 || node.of.peer >= std::ssize(program_.ranks) ||
          node.of.peer == node.rank)
        fail(fmt::format("{}: found peer {}; allowed: another rank, 0 to {}", name_of(node),
                         node.of.peer, program_.ranks.size() - 1));
      if (bytes.value_or(node.of.bytes) != node.of.bytes)
        fail(fmt::format("{}: found {} bytes; allowed: {}, chunks of one size", name_of(node),
                         node.of.bytes, *bytes));
      bytes = node.of.bytes;
      if (is_send(node)) {
        channels[{node.rank, node.of.peer, node.of.tag}].first.push_back(number(node));
      } else {
        channels[{node.of.peer, node.rank, node.of.tag}].second.push_back(number(node));
      }
    }
    for (const auto& [channel, ends] : channels) {
      const auto& [sends, receives] = ends;
      if (sends.size() != receives.size())
        fail(fmt::format("rank {} sends {} messages of tag {} to rank {}, which receives {}",
                         std::get<0>(channel), sends.size(), std::get<2>(channel),
                         std::get<1>(channel), receives.size()));
      for (std::size_t k = 0; k < sends.size(); ++k) {
        nodes_[sends[k]].message = nodes_[receives[k]].message = static_cast<int>(messages_.size());
        messages_.emplace_back(sends[k], receives[k]);
      }
    }
  }

  void find_chunks() {
    Sets sets(nodes_.size());
    for (const auto& [send, receive] : messages_) sets.join(send, receive);
    for (ScheduleNode& node : nodes_)
      for (const std::uint64_t id : node.of.after) {
        const ScheduleNode& other = before(node, id);
        const bool is_sum = node.of.type == TraceNodeType::kCompute && is_receive(other);
        const bool forwards =
            is_send(node) && (is_receive(other) || other.of.type == TraceNodeType::kCompute);
        if (is_sum) nodes_[number(other)].adds = true;
        if (is_sum || forwards) sets.join(number(node), number(other));
      }
    std::map<int, int> chunks;
    for (ScheduleNode& node : nodes_)
      if (is_send(node) || is_receive(node))
        node.chunk =
            chunks.emplace(sets.find(number(node)), static_cast<int>(chunks.size())).first->second;
    ends_.resize(chunks.size());
    for (const auto& [send, receive] : messages_) {
      ends_[nodes_[send].chunk].sends.push_back(nodes_[send].rank);
      ends_[nodes_[receive].chunk].receives.push_back(nodes_[receive].rank);
    }
    for (Ends& chunk : ends_) chunk.find();
  }

  // First and last rank of a chunk's way.
  struct Ends {
    std::vector<int> sends{}, receives{};
    int first = 0, last = 0;
    void find() {
      const auto without = [](const std::vector<int>& all, const std::vector<int>& others) {
        const auto found = std::ranges::find_if(
            all, [&](int rank) { return std::ranges::find(others, rank) == others.end(); });
        return found == all.end() ? all.front() : *found;
      };
      first = without(sends, receives);
      last = without(receives, sends);
    }
  };

  bool by_first() const {
    return collective_ == Collective::kAllGather || collective_ == Collective::kGather;
  }
  bool by_last() const {
    return collective_ == Collective::kReduceScatter || collective_ == Collective::kScatter;
  }

  // Places of a chunk: among its rank's data where it begins and where it ends.
  void place_chunks() {
    std::map<std::pair<int, int>, int> counts;
    for (const Ends& chunk : ends_) {
      std::pair<int, int> block{0, 0};
      if (by_first()) block.first = chunk.first;
      if (by_last()) block.first = chunk.last;
      if (collective_ == Collective::kAllToAll) block = {chunk.first, chunk.last};
      places_.push_back(counts[block]++);
    }
    program_.chunks = 0;
    for (const auto& [block, count] : counts) program_.chunks = std::max(program_.chunks, count);
    if (program_.chunks == 0) fail("found no messages; allowed: sends and receives");
    const bool has_root = collective_ == Collective::kBroadcast ||
                          collective_ == Collective::kScatter ||
                          collective_ == Collective::kMulticast;
    if (has_root) program_.root = ends_.front().first;
    if (collective_ == Collective::kReduce || collective_ == Collective::kGather)
      program_.root = ends_.front().last;
  }

  ChunkPlace place_at(int rank, int chunk) const {
    const Ends& ends = ends_[chunk];
    const int place = places_[chunk];
    const int chunks = program_.chunks;
    switch (collective_) {
      case Collective::kAllGather:
        return {ScheduleBuffer::kOutput, ends.first * chunks + place};
      case Collective::kReduceScatter:
        return {ScheduleBuffer::kInput, ends.last * chunks + place};
      case Collective::kGather:
        if (rank == ends.first) return {ScheduleBuffer::kInput, place};
        if (rank == ends.last) return {ScheduleBuffer::kOutput, ends.first * chunks + place};
        break;
      case Collective::kScatter:
        if (rank == ends.first) return {ScheduleBuffer::kInput, ends.last * chunks + place};
        if (rank == ends.last) return {ScheduleBuffer::kOutput, place};
        break;
      case Collective::kAllToAll:
        if (rank == ends.first) return {ScheduleBuffer::kInput, ends.last * chunks + place};
        if (rank == ends.last) return {ScheduleBuffer::kOutput, ends.first * chunks + place};
        break;
      default:
        return {ScheduleBuffer::kInput, place};
    }
    return {ScheduleBuffer::kScratch, chunk};
  }

  // A thread block per node: nodes of a rank have no order but their dependencies.
  void write_program() {
    place_chunks();
    check_places(program_, 0);
    const bool has_scratch = collective_ == Collective::kAllToAll ||
                             collective_ == Collective::kGather ||
                             collective_ == Collective::kScatter;
    const auto ranks = static_cast<int>(program_.ranks.size());
    for (int rank = 0; rank < ranks; ++rank) {
      if (has_scratch) program_.ranks[rank].chunks[2] = static_cast<int>(ends_.size());
      lay_out(program_.ranks[rank], program_, rank, !has_scratch);
    }
    std::vector<int> blocks(nodes_.size());
    for (const ScheduleNode& node : nodes_) {
      auto& own = program_.ranks[node.rank].blocks;
      blocks[number(node)] = static_cast<int>(own.size());
      own.push_back({step_of(node)});
    }
    if (has_scratch) keep_own();
    for (const ScheduleNode& node : nodes_)
      for (const std::uint64_t id : node.of.after)
        program_.ranks[node.rank].blocks[blocks[number(node)]].front().after.push_back(
            {blocks[number(before(node, id))], 0});
  }

  // Blocks that stay at their rank have no messages.
  void keep_own() {
    const auto keep = [&](int rank, int input, int output) {
      ProgramStep step{.name = fmt::format("rank {}, its own block", rank)};
      step.count = program_.chunks;
      step.adds.push_back({ScheduleBuffer::kInput, input * program_.chunks});
      step.stores.push_back({ScheduleBuffer::kOutput, output * program_.chunks});
      program_.ranks[rank].blocks.push_back({std::move(step)});
    };
    if (collective_ == Collective::kGather) keep(program_.root, 0, program_.root);
    if (collective_ == Collective::kScatter) keep(program_.root, program_.root, 0);
    if (collective_ != Collective::kAllToAll) return;
    for (int rank = 0; rank < std::ssize(program_.ranks); ++rank) keep(rank, rank, rank);
  }

  ProgramStep step_of(const ScheduleNode& node) const {
    ProgramStep step{.name = name_of(node)};
    if (node.message < 0) return step;
    step.count = 1;
    const ChunkPlace place = place_at(node.rank, node.chunk);
    if (is_send(node)) {
      step.adds.push_back(place);
      step.sends.push_back({node.of.peer, node.message});
    } else {
      step.receives.push_back({node.of.peer, node.message});
      if (node.adds) step.adds.push_back(place);
      step.stores.push_back(place);
    }
    return step;
  }

  const ScheduleText& file_;
  std::string prefix_{};
  std::string algorithm_{};  // algorithm in the metadata; empty: none
  Collective collective_ = Collective::kAllReduce;
  StepProgram program_{};
  std::vector<ScheduleNode> nodes_{};
  std::vector<std::map<std::uint64_t, int>> ids_{};  // nodes by rank and id
  std::vector<std::pair<int, int>> messages_{};      // send and receive
  std::vector<Ends> ends_{};                         // by chunk
  std::vector<int> places_{};                        // by chunk
};

}  // namespace

const ScheduleFormat& chakra_traces_format() {
  static const ScheduleFormat format{
      .name = "chakra_traces",
      .meaning = "Chakra traces of one collective",
      .is = [](const ScheduleText& file) { return file.path.ends_with(".et"); },
      .read = [](const ScheduleText& file) { return ChakraSchedule(file).read(); }};
  return format;
}

}  // namespace fredsim
