// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/trace_matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "base/error.h"
#include "workload_files/node_place.h"

namespace fredsim {

std::optional<Collective> collective_to_run(TraceCollective collective) {
  switch (collective) {
    case TraceCollective::kAllReduce:
    case TraceCollective::kBarrier:
      return Collective::kAllReduce;
    case TraceCollective::kReduce:
      return Collective::kReduce;
    case TraceCollective::kAllGather:
      return Collective::kAllGather;
    case TraceCollective::kGather:
      return Collective::kGather;
    case TraceCollective::kScatter:
      return Collective::kScatter;
    case TraceCollective::kBroadcast:
      return Collective::kBroadcast;
    case TraceCollective::kAllToAll:
      return Collective::kAllToAll;
    case TraceCollective::kReduceScatter:
    case TraceCollective::kReduceScatterBlock:
      return Collective::kReduceScatter;
  }
  return std::nullopt;
}

TimeCategory trace_category(const TraceNode& node) {
  return node.priority >= 2   ? TimeCategory::kMp
         : node.priority == 1 ? TimeCategory::kPp
                              : TimeCategory::kDp;
}

namespace {

// Bytes in the meaning of CollectiveSpec.
std::uint64_t size_of(const TraceNode& node, std::size_t ranks) {
  constexpr std::uint64_t kBarrierBytes = 2;
  if (node.collective == TraceCollective::kBarrier) return kBarrierBytes;
  const bool is_of_a_rank =
      node.collective == TraceCollective::kAllGather || node.collective == TraceCollective::kGather;
  return is_of_a_rank ? node.bytes * ranks : node.bytes;
}

}  // namespace

TraceMatching::TraceMatching(const std::vector<std::string>& paths, const TraceGroups& groups,
                             std::vector<int> members, const TraceRules& rules,
                             std::vector<std::string>& names, Make make)
    : paths_(paths),
      groups_(groups),
      members_(std::move(members)),
      rules_(rules),
      names_(names),
      make_(std::move(make)),
      next_(members_.size()),
      noted_(members_.size()) {}

bool TraceMatching::Key::operator<(const Key& other) const {
  return std::tie(name, group, tag, is_collective) <
         std::tie(other.name, other.group, other.tag, other.is_collective);
}

std::string TraceMatching::Key::text() const {
  if (!is_collective)
    return fmt::format("messages of tag {} from rank {} to rank {}", tag, group[0], group[1]);
  const std::string of = name.empty() ? "the default group" : fmt::format("group '{}'", name);
  constexpr std::size_t kMaxShown = 16;
  const std::span shown(group.data(), std::min(group.size(), kMaxShown));
  return fmt::format("{} of ranks {}{}", of, fmt::join(shown, ","),
                     shown.size() < group.size() ? ",…" : "");
}

std::string TraceMatching::place(int rank, const TraceNode& node, std::string_view field) const {
  return node_place(paths_[rank], node.id, node.name, field);
}

void TraceMatching::begin() {
  operations_.clear();
  next_.assign(members_.size(), {});
}

int TraceMatching::number_of(const Key& key) {
  const auto [number, is_new] = group_numbers_.try_emplace(key, std::ssize(names_));
  if (is_new) names_.push_back(key.text());
  return number->second;
}

TraceMatching::Key TraceMatching::key_of(int rank, const TraceNode& node) const {
  const bool is_collective = node.type == TraceNodeType::kCollective;
  const bool sends = node.type == TraceNodeType::kSend;
  return {.name = is_collective && !groups_.is_of_all(node) ? node.group : "",
          .group = is_collective ? groups_.group_of(rank, node)
                   : sends       ? Group{rank, node.peer}
                                 : Group{node.peer, rank},
          .tag = node.tag,
          .is_collective = is_collective};
}

void TraceMatching::note_splits(int rank, const TraceNode& node) {
  if (node.type != TraceNodeType::kCollective) return;
  const Key key = key_of(rank, node);
  const std::uint64_t k = noted_[static_cast<std::size_t>(rank)][key]++;
  if (node.collective != TraceCollective::kAllToAll) return;
  const std::size_t ranks = key.group.size();
  if (!node.splits.empty() && node.splits.size() != ranks)
    throw BadInput(fmt::format("{}: found {} sizes; allowed: {}, one for each rank of the group",
                               place(rank, node, "fredsim_splits"), node.splits.size(), ranks));
  auto& [matrix, is_unequal] = matrices_[key][k];
  matrix.resize(ranks * ranks);
  is_unequal = is_unequal || !node.splits.empty();
  const auto place_in_group = std::ranges::find(key.group, rank) - key.group.begin();
  const auto row = matrix.begin() + place_in_group * static_cast<std::ptrdiff_t>(ranks);
  if (node.splits.empty())
    std::fill_n(row, ranks, node.bytes / ranks);
  else
    std::ranges::copy(node.splits, row);
}

const TraceMatching::Matrix* TraceMatching::matrix_of(const Key& key, std::uint64_t number) const {
  const auto all = matrices_.find(key);
  if (all == matrices_.end()) return nullptr;
  const auto own = all->second.find(number);
  return own == all->second.end() || !own->second.is_unequal ? nullptr : &own->second.matrix;
}

bool TraceMatching::join(int rank, const TraceNode& node, Task& task) {
  const bool is_collective = node.type == TraceNodeType::kCollective;
  const Key key = key_of(rank, node);
  const Group& group = key.group;
  if (group.front() == group.back() && (group.size() == 1 || !is_collective)) return false;
  const std::uint64_t k = next_[static_cast<std::size_t>(rank)][key]++;
  const Matrix* const matrix = matrix_of(key, k);
  if (matrix != nullptr && std::ranges::count(*matrix, 0U) == std::ssize(*matrix))
    return false;  // nothing to move
  Series& series = operations_[key];
  if (k == series.made) {
    series.open.emplace(k, first_match(rank, node, key, k));
    ++series.made;
  }
  const auto open = series.open.find(k);
  Match& match = open->second;
  check_agreement(match, rank, node, matrix != nullptr);
  const auto at = std::ranges::find(group, rank) - group.begin();
  match.came[at] = true;
  task.operation = match.operation;
  task.rank = static_cast<int>(at);
  if (--match.left == 0) series.open.erase(open);
  task.category = trace_category(node);
  return true;
}

void TraceMatching::check() const {
  for (const auto& [key, match] : operations_)
    if (!match.open.empty()) refuse_absent(match.open.begin()->second);
}

CollectiveSpec TraceMatching::spec_of(int rank, const TraceNode& node, const Group& group,
                                      const Matrix* matrix) const {
  CollectiveSpec spec;
  spec.vc = node.priority >= 2 ? kMp : node.priority == 1 ? kPp : kDp;
  for (const int of : group) spec.group.push_back(members_[of]);
  if (node.type == TraceNodeType::kCollective) {
    spec.collective =
        matrix == nullptr ? *collective_to_run(node.collective) : Collective::kAllToAllV;
    spec.algorithm = rules_.algorithm_of(spec.collective, "auto");
    spec.bytes = size_of(node, group.size());
    if (matrix != nullptr) {
      spec.matrix = *matrix;
      const auto sum = std::accumulate(spec.matrix.begin(), spec.matrix.end(), std::uint64_t{0});
      spec.bytes = std::max<std::uint64_t>(sum / group.size(), 1);
    }
    if (node.peer != TraceNode::kNobody) {
      const auto root = std::ranges::find(group, node.peer);
      if (root == group.end()) {
        throw BadInput(fmt::format("{}: found {}, which is not in the group",
                                   place(rank, node, "root_rank"), node.peer));
      }
      spec.root = static_cast<int>(root - group.begin());
    }
  } else {
    spec.collective = Collective::kUnicast;
    spec.bytes = node.bytes;
  }
  if (spec.bytes == 0) throw BadInput(place(rank, node, "comm_size") + ": found 0");
  return spec;
}

TraceMatching::Match TraceMatching::first_match(int rank, const TraceNode& node, const Key& key,
                                                std::uint64_t number) {
  const Group& group = key.group;
  const int operation =
      make_({.work = {spec_of(rank, node, group, matrix_of(key, number))}, .beside = {}}, node,
            number_of(key), number);
  return {operation, rank, node, group, std::vector<bool>(group.size()), group.size()};
}

void TraceMatching::check_agreement(const Match& match, int rank, const TraceNode& node,
                                    bool is_unequal) const {
  if (node.type != TraceNodeType::kCollective) return;
  const auto differs = [&](std::string_view field, auto own, auto other) {
    if (own == other) return;
    throw BadInput(
        fmt::format("{}: found {}, but {}", place(rank, node, field), own,
                    fmt::format("{} has {}", place(match.rank, match.node, field), other)));
  };
  differs("comm_type", to_string(node.collective), to_string(match.node.collective));
  if (!is_unequal) differs("comm_size", node.bytes, match.node.bytes);
  differs("root_rank", node.peer, match.node.peer);
  differs("comm_priority", node.priority, match.node.priority);
}

void TraceMatching::refuse_absent(const Match& match) const {
  const auto at = std::ranges::find(match.came, false);
  throw BadInput(fmt::format(
      "{}: a {} that rank {} of its group does not have: its trace has fewer in this group",
      place(match.rank, match.node, "comm_type"), to_string(match.node.collective),
      match.group[static_cast<std::size_t>(at - match.came.begin())]));
}

}  // namespace fredsim
