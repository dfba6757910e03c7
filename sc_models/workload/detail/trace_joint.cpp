// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/trace_joint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "workload_files/node_place.h"

namespace fredsim {

std::string TraceJoint::place(int rank, const TraceNode& node, std::string_view field) const {
  return node_place(paths_[rank], node.id, node.name, field);
}

CollectiveSpec TraceJoint::spec_of(const std::string& place, const TracePart& part) const {
  const auto group = groups_.find(part.group);
  if (group == groups_.end()) {
    throw BadInput(fmt::format("{}: group: found {}; {}", place, part.group,
                               groups_.empty() ? "groups of that name are given by --comm-groups"
                                               : "no group has that name"));
  }
  if (part.root >= std::ssize(group->second) || part.roots >= std::ssize(group->second) ||
      part.bytes == 0) {
    throw BadInput(fmt::format("{}: found root {}, {} roots and {} bytes; group {} has {} ranks",
                               place, part.root, part.roots, part.bytes, part.group,
                               group->second.size()));
  }
  CollectiveSpec spec;
  try {
    spec.collective = parse_collective(part.collective);
  } catch (const BadInput& refusal) {
    throw BadInput(fmt::format("{}: collective: {}", place, refusal.what()));
  }
  for (const int rank : group->second) spec.group.push_back(members_[rank]);
  spec.bytes = part.bytes;
  spec.algorithm = rules_.algorithm_of(spec.collective, part.algorithm);
  spec.vc = part.priority == 2 ? kMp : part.priority == 1 ? kPp : kDp;
  spec.root = part.root;
  spec.roots = part.roots;
  spec.matrix = part.matrix;
  const std::size_t ranks = spec.group.size();
  const std::size_t wanted = spec.collective == Collective::kAllToAllV ? ranks * ranks : 0;
  if (spec.matrix.size() != wanted)
    throw BadInput(fmt::format("{}: matrix: found {} sizes; {} of {} ranks has {}", place,
                               spec.matrix.size(), part.collective, ranks, wanted));
  return spec;
}

TraceJoint::Joint& TraceJoint::joint_of(int rank, const TraceNode& node,
                                        const TraceShapes& shapes) {
  const auto said = shapes.find(node.shape);
  if (said == shapes.end()) {
    throw BadInput(fmt::format("{}: found {}, which the metadata of this file does not have",
                               place(rank, node, "fredsim_shape"), node.shape));
  }
  const auto [at, is_new] = joints_.try_emplace(node.shape);
  Joint& joint = at->second;
  if (!is_new) {
    if (joint.said != said->second) {
      throw BadInput(fmt::format("{}: found {}, which is another one in {}",
                                 place(rank, node, "fredsim_shape"), node.shape,
                                 paths_[joint.first_rank]));
    }
    return joint;
  }
  joint.said = said->second;
  joint.first_rank = rank;
  const std::string of_shape =
      fmt::format("{}: metadata: fredsim_shapes: shape {}", paths_[rank], node.shape);
  for (const TracePart& part : joint.said.before)
    joint.shape.before.push_back(spec_of(of_shape, part));
  for (const TracePart& part : joint.said.work) {
    joint.shape.work.push_back(spec_of(of_shape, part));
    joint.groups.push_back(groups_.at(part.group));
    joint.came.emplace_back(joint.groups.back().size());
    joint.ranks += joint.groups.back().size();
  }
  for (const TracePart& part : joint.said.beside)
    joint.shape.beside.push_back(spec_of(of_shape, part));
  return joint;
}

void TraceJoint::join(int rank, const TraceNode& node, const TraceShapes& shapes, Task& task) {
  Joint& joint = joint_of(rank, node, shapes);
  if (node.part >= std::ssize(joint.groups)) {
    throw BadInput(fmt::format("{}: found {}; shape {} has {} parts",
                               place(rank, node, "fredsim_part"), node.part, node.shape,
                               joint.groups.size()));
  }
  const std::vector<int>& group = joint.groups[node.part];
  const auto at = std::ranges::find(group, rank) - group.begin();
  if (at == std::ssize(group)) {
    throw BadInput(fmt::format("{}: found {}, whose group is without rank {}",
                               place(rank, node, "fredsim_part"), node.part, rank));
  }
  const std::size_t k = joint.came[node.part][at]++;
  if (k == joint.made)
    joint.open[joint.made++] = {make_(OperationShape(joint.shape), node), node.times, joint.ranks};
  const auto open = joint.open.find(k);
  const auto [operation, times, left] = open->second;
  if (node.times != times || times == 0) {
    throw BadInput(fmt::format("{}: found {}, but another rank has {}; allowed: the same, above 0",
                               place(rank, node, "fredsim_times"), node.times, times));
  }
  if (left == 1) {
    joint.open.erase(open);
  } else {
    --open->second.left;
  }
  const CollectiveSpec& spec = joint.shape.work[node.part];
  task.operation = operation;
  task.part = node.part;
  task.rank = static_cast<int>(at);
  task.category = spec.vc == kMp   ? TimeCategory::kMp
                  : spec.vc == kPp ? TimeCategory::kPp
                                   : TimeCategory::kDp;
  if (node.category.empty()) return;
  const auto* const category = std::ranges::find(kTimeCategories, node.category);
  if (category == kTimeCategories.end()) {
    throw BadInput(fmt::format("{}: found {}; allowed: {}", place(rank, node, "fredsim_category"),
                               node.category, join_words(kTimeCategories)));
  }
  task.category = static_cast<TimeCategory>(category - kTimeCategories.begin());
}

void TraceJoint::check() const {
  for (const auto& entry : joints_) {
    const Joint& joint = entry.second;
    for (std::size_t part = 0; part < joint.came.size(); ++part) {
      const auto at = std::ranges::find_if(joint.came[part],
                                           [&](std::size_t came) { return came != joint.made; });
      if (at == joint.came[part].end()) continue;
      const int rank = joint.groups[part][at - joint.came[part].begin()];
      throw BadInput(
          fmt::format("rank {}: found {} nodes of fredsim_shape {}, fredsim_part {}; others of "
                      "that shape have {}",
                      rank, *at, entry.first, part, joint.made));
    }
  }
}

}  // namespace fredsim
