// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/detail/flows_of_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace fredsim {
namespace {

struct Output {
  int rank = 0, value = kNoValue;
};

class FlowsOfValues {
 public:
  FlowsOfValues(const StepProgram& program, const ChunkValues& values, CollectiveSchedule& schedule)
      : program_(program), values_(values), schedule_(schedule) {}

  void run(const OutputValues& outputs) {
    // Outputs by source, block and chunk.
    std::map<std::tuple<int, int, int>, std::vector<Output>> groups;
    for (int rank = 0; rank < std::ssize(outputs); ++rank)
      for (int place = 0; place < std::ssize(outputs[rank]); ++place)
        groups[key(rank, place)].push_back({rank, outputs[rank][place]});
    for (const auto& [place, group] : groups) {
      const auto [source, block, chunk] = place;
      if (stays(source, block)) continue;
      ScheduleFlow flow{.block = block,
                        .source = source,
                        .begin = static_cast<std::uint64_t>(chunk),
                        .end = static_cast<std::uint64_t>(chunk) + 1,
                        .of = static_cast<std::uint64_t>(program_.chunks)};
      fill(flow, group);
      add(std::move(flow));
    }
    add_notes();
  }

 private:
  [[noreturn]] void fail(const ScheduleFlow& flow, const std::string& what) const {
    throw BadInput(fmt::format("{}: {}: {}", program_.file, chunk_name(schedule_, flow), what));
  }

  std::tuple<int, int, int> key(int rank, int place) const {
    const int block = place / program_.chunks;
    const int chunk = place % program_.chunks;
    switch (program_.collective) {
      case Collective::kAllGather:
      case Collective::kGather:
        return {0, block, chunk};
      case Collective::kReduceScatter:
      case Collective::kScatter:
        return {0, rank, chunk};
      case Collective::kAllToAll:
        return {block, rank, chunk};
      default:
        return {0, 0, chunk};
    }
  }

  bool stays(int source, int block) const {
    if (program_.collective == Collective::kAllToAll) return source == block;
    const bool goes_by_root =
        program_.collective == Collective::kGather || program_.collective == Collective::kScatter;
    return goes_by_root && block == program_.root;
  }

  void fill(ScheduleFlow& flow, const std::vector<Output>& group) {
    const int base = values_.source(group.front().value);
    const bool is_one = std::ranges::all_of(
        group, [&](const Output& output) { return values_.source(output.value) == base; });
    if (!is_one) return fill_operands(flow, group);
    if (values_[base].kind == ChunkValue::Kind::kSum) {
      senders_.clear();
      add_sums(flow, base);
    }
    flow.results = hops(group);
  }

  // Hops by which copies of one value reach ranks, in the order of their values.
  std::vector<ScheduleHop> hops(const std::vector<Output>& group) {
    std::map<int, int> first;  // first copy at each rank
    for (const Output& output : group)
      for (int value = output.value; is_copy(value); value = values_[value].first) {
        const auto [found, is_new] = first.emplace(values_[value].rank, value);
        if (!is_new) found->second = std::min(found->second, value);
      }
    const int holder = values_[values_.source(group.front().value)].rank;
    std::set<int> needed;  // copies
    for (const Output& output : group)
      for (int rank = output.rank; rank != holder; rank = sender_of(first.at(rank)))
        if (!needed.insert(first.at(rank)).second) break;
    std::vector<ScheduleHop> hops;
    for (const int value : needed) {
      hops.push_back({.from = sender_of(value), .to = values_[value].rank});
      used_.insert(value);
    }
    return hops;
  }

  bool is_copy(int value) const { return values_[value].kind == ChunkValue::Kind::kCopy; }
  int sender_of(int copy) const { return values_[values_[copy].first].rank; }

  // Terms of a sum at its rank, in order; partial sums at the same rank are taken apart.
  void add_terms(int value, int rank, std::vector<int>& terms) const {
    const int source = values_.source(value);
    const ChunkValue& of = values_[source];
    if (of.kind == ChunkValue::Kind::kSum && of.rank == rank) {
      add_terms(of.first, rank, terms);
      add_terms(of.second, rank, terms);
    } else {
      terms.push_back(value);
    }
  }

  void add_sums(ScheduleFlow& flow, int sum) {
    const int rank = values_[sum].rank;
    std::vector<int> terms;
    add_terms(sum, rank, terms);
    const bool has_own = std::ranges::any_of(terms, [&](int term) {
      const ChunkValue& of = values_[values_.source(term)];
      return of.kind == ChunkValue::Kind::kOperand && of.rank == rank;
    });
    if (!has_own)
      fail(flow, fmt::format("rank {} adds without its own operand; allowed: a rank that adds has "
                             "its operand in the sum, or forwards without adding",
                             rank));
    for (const int term : terms) {
      const int source = values_.source(term);
      const int from = values_[source].rank;
      if (from == rank) continue;
      if (!senders_.insert(from).second)
        fail(flow,
             fmt::format("rank {} adds in two sums; allowed: one sum per rank and chunk", from));
      flow.sums.push_back({.from = from, .to = rank});
      use(term);
      if (values_[source].kind == ChunkValue::Kind::kSum) add_sums(flow, source);
    }
  }

  // Copies on the path of a partial sum.
  void use(int value) {
    for (bool is_first = true; is_copy(value); value = values_[value].first, is_first = false) {
      used_.insert(value);
      if (!is_first) ++shortened_;
    }
  }

  // Every rank adds by itself: each term is an operand.
  void fill_operands(ScheduleFlow& flow, const std::vector<Output>& group) {
    std::vector<std::vector<Output>> copies(program_.ranks.size());
    for (const Output& output : group) {
      std::vector<int> terms;
      add_terms(output.value, output.rank, terms);
      for (const int term : terms) {
        const ChunkValue& of = values_[values_.source(term)];
        if (of.kind != ChunkValue::Kind::kOperand)
          fail(flow,
               fmt::format("rank {} adds partial sums of others to a sum of its own, and others "
                           "have another one; allowed: one sum that all receive, or sums of "
                           "operands at every rank",
                           output.rank));
        copies[of.rank].push_back({output.rank, term});
      }
    }
    for (const std::vector<Output>& of : copies) flow.operands.push_back(hops(of));
  }

  void add(ScheduleFlow flow) {
    if (!schedule_.flows.empty()) {
      ScheduleFlow& last = schedule_.flows.back();
      if (last.block == flow.block && last.source == flow.source && last.end == flow.begin &&
          last.sums == flow.sums && last.results == flow.results &&
          last.operands == flow.operands) {
        last.end = flow.end;
        return;
      }
    }
    schedule_.flows.push_back(std::move(flow));
  }

  void add_notes() const {
    std::size_t copies = 0;
    for (std::size_t value = 0; value < values_.size(); ++value)
      copies += is_copy(static_cast<int>(value)) ? 1 : 0;
    if (copies > used_.size())
      schedule_.notes.push_back(
          fmt::format("{}: {} of {} transfers of chunks reach no result: left out", program_.file,
                      copies - used_.size(), copies));
    if (shortened_ > 0)
      schedule_.notes.push_back(
          fmt::format("{}: {} forwards of partial sums go straight to the rank that adds them",
                      program_.file, shortened_));
  }

  const StepProgram& program_;
  const ChunkValues& values_;
  CollectiveSchedule& schedule_;
  std::set<int> senders_{};  // senders in the sums of one chunk
  std::set<int> used_{};     // copies
  std::size_t shortened_ = 0;
};

}  // namespace

void add_flows(const StepProgram& program, const ChunkValues& values, const OutputValues& outputs,
               CollectiveSchedule& schedule) {
  FlowsOfValues(program, values, schedule).run(outputs);
}

}  // namespace fredsim
