// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/meetings.h"

#include <algorithm>

namespace fredsim {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // that traces may have

}  // namespace

int Meetings::root_of(const SyntheticGroup& group, int role) const {
  const auto root =
      std::ranges::find_if(group.ranks, [&](int rank) { return ranks_.role(rank) == role; });
  return role < 0 || root == group.ranks.end() ? TraceNode::kNobody : *root;
}

const Meetings::ByGroup& Meetings::meetings_of(const TraceToken& token) {
  const auto [known, is_new] = meetings_.try_emplace(&token);
  if (!is_new) return known->second;
  std::set<int> roles;
  for (const TokenPart& part : token.parts) roles.insert(part.role);
  int parts = 0;
  for (const auto& [number, group] : ranks_.groups(token.family)) {
    Meeting& meeting = known->second[number];
    meeting.group = &group;
    meeting.root = root_of(group, token.root);
    const bool all_take_part = std::ranges::all_of(
        group.ranks, [&](int rank) { return roles.contains(ranks_.role(rank)); });
    if (all_take_part && group.ranks.size() > 1) meeting.part = parts++;
  }
  return known->second;
}

bool Meetings::meet(int rank, const TraceToken& token, TraceNode& node) {
  const ByGroup& groups = meetings_of(token);
  const auto own = groups.find(ranks_.group_of(token.family, rank));
  if (own == groups.end() || own->second.part < 0) return false;
  node.group = own->second.group->name;
  node.peer = own->second.root;
  if (token.shape < 0 || node.bytes == 0) return true;
  node.shape = shape_number(token, groups, node.bytes);
  node.part = own->second.part;
  used_[rank].insert(node.shape);
  return true;
}

std::set<int> Meetings::numbers_of(int rank) const {
  const auto used = used_.find(rank);
  return used == used_.end() ? std::set<int>{} : used->second;
}

TraceShapes Meetings::shapes(const std::set<int>& numbers) const {
  TraceShapes own;
  for (const int number : numbers) own[number] = shapes_.at(number);
  return own;
}

TracePart Meetings::part_of(const SyntheticGroup& group, const PlannedCollective& planned,
                            std::uint64_t bytes) const {
  const int root = root_of(group, planned.root);
  const auto place = std::ranges::find(group.ranks, root) - group.ranks.begin();
  return {.group = group.name,
          .collective = to_string(planned.collective),
          .bytes = bytes,
          .priority = planned.priority,
          .root = root < 0 ? 0 : static_cast<int>(place),
          .roots = 0,
          .algorithm = planned.algorithm};
}

std::vector<TracePart> Meetings::parts_of(const std::vector<PlannedCollective>& planned,
                                          std::uint64_t bytes) const {
  constexpr double kThousandths = 1000;
  std::vector<TracePart> parts;
  for (const PlannedCollective& one : planned) {
    const double share = static_cast<double>(bytes) * one.share / kThousandths;
    const auto size =
        static_cast<std::uint64_t>(std::clamp(share, 1.0, static_cast<double>(kMostBytes)));
    for (const auto& [number, group] : ranks_.groups(one.family))
      if (group.ranks.size() > 1) parts.push_back(part_of(group, one, size));
  }
  return parts;
}

int Meetings::shape_number(const TraceToken& token, const ByGroup& groups, std::uint64_t bytes) {
  const auto known = known_.find({&token, bytes});
  if (known != known_.end()) return known->second;
  const JointShape& joint = model_.shapes[static_cast<std::size_t>(token.shape)];
  const PlannedCollective own{.family = token.family,
                              .collective = joint.collective,
                              .algorithm = joint.algorithm,
                              .priority = static_cast<int>(token.priority),
                              .root = token.root};
  const bool is_of_a_rank =
      joint.collective == Collective::kAllGather || joint.collective == Collective::kGather;
  TraceShape shape;
  std::uint64_t largest = bytes;
  for (const auto& [number, meeting] : groups) {
    if (meeting.part < 0) continue;
    const std::uint64_t ranks = is_of_a_rank ? meeting.group->ranks.size() : 1;
    const std::uint64_t size = std::min(bytes, kMostBytes / ranks) * ranks;
    shape.work.push_back(part_of(*meeting.group, own, size));
    largest = std::max(largest, size);
  }
  shape.before = parts_of(joint.before, largest);
  shape.beside = parts_of(joint.beside, largest);
  const auto number = static_cast<int>(numbers_.size());
  const auto same = numbers_.emplace(trace_shapes_text({{0, shape}}), number).first;
  if (same->second == number) shapes_[number] = std::move(shape);
  known_[{&token, bytes}] = same->second;
  return same->second;
}

}  // namespace fredsim
