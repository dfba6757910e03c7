// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/layout_of_job.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/random.h"

namespace fredsim {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return mix64(hash ^ mix64(value)); }

// Signature of a rank's communications, given the colours of all ranks.
std::uint64_t signature(const std::vector<TraceNode>& nodes, const CommGroups& groups, int rank,
                        const std::vector<int>& colours,
                        std::map<std::string, std::uint64_t>& of_groups) {
  const auto colour = [&](int r) {
    return r >= 0 && r < static_cast<int>(colours.size())
               ? static_cast<std::uint64_t>(colours[static_cast<std::size_t>(r)])
               : 0;
  };
  std::uint64_t hash = mixed(0, colour(rank));
  for (const TraceNode& node : nodes) {
    if (node.type < TraceNodeType::kSend) continue;
    hash = mixed(hash, static_cast<std::uint64_t>(node.type));
    if (node.type != TraceNodeType::kCollective) {
      hash = mixed(hash, colour(node.peer));
      continue;
    }
    hash = mixed(hash, static_cast<std::uint64_t>(node.collective));
    if (node.peer >= 0) hash = mixed(hash, node.peer == rank ? 1 : 2 + colour(node.peer));
    const auto [known, is_new] = of_groups.emplace(node.group, 0);
    if (is_new) {
      std::vector<std::uint64_t> all;
      for (const int r : ranks_of_group(node, groups, static_cast<int>(colours.size())))
        all.push_back(colour(r));
      std::ranges::sort(all);
      for (const std::uint64_t one : all) known->second = mixed(known->second, one);
    }
    hash = mixed(hash, known->second);
  }
  return hash;
}

std::uint64_t computations_of(const std::vector<TraceNode>& nodes) {
  std::uint64_t hash = 0;
  for (const TraceNode& node : nodes)
    if (!is_communication(node))
      for (const std::uint64_t value :
           {static_cast<std::uint64_t>(node.type), node.duration_ps, node.operations,
            node.tensor_bytes, static_cast<std::uint64_t>(node.stream + 1)})
        hash = mixed(hash, value);
  return hash;
}

// Ranks by their computations, unless they are too many that differ.
std::vector<int> computing_alike(const JobNodes& nodes) {
  constexpr std::size_t kMost = 64;
  std::map<std::uint64_t, int> numbers;
  std::vector<int> colours;
  for (const auto& rank : nodes)
    colours.push_back(
        numbers.emplace(computations_of(rank), static_cast<int>(numbers.size())).first->second);
  if (numbers.size() > kMost) colours.assign(nodes.size(), 0);
  return colours;
}

std::vector<int> roles_of(const JobNodes& nodes, const CommGroups& groups) {
  std::vector<int> colours = computing_alike(nodes);
  int count = *std::ranges::max_element(colours) + 1;
  while (true) {
    std::map<std::string, std::uint64_t> of_groups;
    std::map<std::uint64_t, int> numbers;
    std::vector<int> next;
    for (std::size_t r = 0; r < nodes.size(); ++r)
      next.push_back(
          numbers
              .emplace(signature(nodes[r], groups, static_cast<int>(r), colours, of_groups),
                       static_cast<int>(numbers.size()))
              .first->second);
    colours = std::move(next);
    if (static_cast<int>(numbers.size()) == count) return colours;
    count = static_cast<int>(numbers.size());
  }
}

// Form of a group: its number of ranks and their distance, by role.
using GroupForm = std::vector<std::tuple<int, int, int>>;

GroupForm form_of(const std::vector<int>& ranks, const LayoutOfJob& job) {
  std::map<int, std::vector<int>> places;
  for (const int rank : ranks) {
    const auto r = static_cast<std::size_t>(rank);
    places[job.layout.role_of[r]].push_back(job.place[r]);
  }
  GroupForm form;
  for (const auto& [role, at] : places)
    form.emplace_back(role, static_cast<int>(at.size()), at.size() > 1 ? at[1] - at[0] : 0);
  return form;
}

// Families that grow: all ranks, or else, for each of their roles, none with a larger distance.
void mark_growing(LayoutOfJob& job, const std::vector<GroupForm>& forms) {
  std::map<int, int> largest;
  for (const GroupForm& form : forms)
    for (const auto& [role, size, stride] : form) largest[role] = std::max(largest[role], stride);
  for (std::size_t f = 0; f < forms.size(); ++f) {
    GroupFamily& family = job.layout.families[f];
    const bool is_all = std::ranges::all_of(family.group_of, [](int group) { return group == 0; });
    family.grows = is_all || std::ranges::all_of(forms[f], [&](const auto& part) {
                     const auto& [role, size, stride] = part;
                     return stride > 0 && stride == largest[role];
                   });
  }
}

}  // namespace

std::vector<int> ranks_of_group(const TraceNode& node, const CommGroups& groups, int ranks) {
  if (const auto known = groups.find(node.group); known != groups.end()) {
    std::vector<int> sorted = known->second;
    std::ranges::sort(sorted);
    return sorted;
  }
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

LayoutOfJob layout_of(const JobNodes& nodes, const CommGroups& groups, const TraceShapes& shapes) {
  LayoutOfJob job;
  job.layout.role_of = roles_of(nodes, groups);
  job.members.resize(static_cast<std::size_t>(job.layout.roles()));
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    auto& members = job.members[static_cast<std::size_t>(job.layout.role_of[r])];
    job.place.push_back(static_cast<int>(members.size()));
    members.push_back(static_cast<int>(r));
  }
  std::set<std::vector<int>> used;
  for (const auto& rank : nodes)
    for (const TraceNode& node : rank)
      if (node.type == TraceNodeType::kCollective)
        used.insert(ranks_of_group(node, groups, static_cast<int>(nodes.size())));
  for (const auto& [number, shape] : shapes)
    for (const auto* const parts : {&shape.before, &shape.work, &shape.beside})
      for (const TracePart& part : *parts)
        if (const auto group = groups.find(part.group); group != groups.end()) {
          std::vector<int> sorted = group->second;
          std::ranges::sort(sorted);
          if (!sorted.empty()) used.insert(std::move(sorted));
        }
  std::vector<GroupForm> forms;
  std::vector<int> counts;
  for (const std::vector<int>& ranks : used) {
    const GroupForm form = form_of(ranks, job);
    std::size_t f = 0;
    for (; f < forms.size(); ++f)
      if (forms[f] == form && std::ranges::all_of(ranks, [&](int rank) {
            return job.layout.families[f].group_of[static_cast<std::size_t>(rank)] < 0;
          }))
        break;
    if (f == forms.size()) {
      forms.push_back(form);
      counts.push_back(0);
      job.layout.families.push_back({std::vector<int>(nodes.size(), TraceNode::kNobody), false});
    }
    for (const int rank : ranks)
      job.layout.families[f].group_of[static_cast<std::size_t>(rank)] = counts[f];
    ++counts[f];
    job.family_of[ranks] = static_cast<int>(f);
  }
  mark_growing(job, forms);
  return job;
}

}  // namespace fredsim
