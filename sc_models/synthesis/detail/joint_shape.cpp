// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/joint_shape.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "collective/algorithm.h"

namespace fredsim {
namespace {

constexpr int kThousandths = 1000;
constexpr std::uint64_t kMostShare = 1'000'000'000;

bool has_root(Collective collective) {
  switch (collective) {
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kMulticast:
    case Collective::kUnicast:
      return true;
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:
    case Collective::kAllToAllV:
      break;
  }
  return false;
}

// A part by the family of its group.
struct FamilyPart {
  PlannedCollective planned{};
  int group = 0;  // of the family
  std::uint64_t bytes = 0;
};

std::optional<FamilyPart> family_part(const TracePart& part, const CommGroups& groups,
                                      const LayoutOfJob& job) {
  const auto group = groups.find(part.group);
  const auto names = collective_names();
  const auto name = std::ranges::find(names, part.collective);
  if (group == groups.end() || name == names.end() || part.roots != 0 || part.bytes == 0 ||
      part.root >= std::ssize(group->second))
    return std::nullopt;
  std::vector<int> ranks = group->second;
  const int root = ranks[static_cast<std::size_t>(part.root)];
  std::ranges::sort(ranks);
  const auto family = job.family_of.find(ranks);
  if (family == job.family_of.end()) return std::nullopt;
  FamilyPart made{.bytes = part.bytes};
  made.planned.family = family->second;
  made.planned.collective = static_cast<Collective>(name - names.begin());
  if (made.planned.collective == Collective::kAllToAllV)
    made.planned.collective = Collective::kAllToAll;
  made.planned.algorithm = known_algorithm(part.algorithm);
  made.planned.priority = static_cast<int>(part.priority);
  if (has_root(made.planned.collective))
    made.planned.root = job.layout.role_of[static_cast<std::size_t>(root)];
  const auto& group_of = job.layout.families[static_cast<std::size_t>(family->second)].group_of;
  made.group = group_of[static_cast<std::size_t>(ranks.front())];
  return made;
}

int groups_of(const GroupFamily& family) { return *std::ranges::max_element(family.group_of) + 1; }

// Collectives of whole families, in the order of their first groups.
std::optional<std::vector<PlannedCollective>> whole_families(const std::vector<TracePart>& parts,
                                                             std::uint64_t bytes,
                                                             const CommGroups& groups,
                                                             const LayoutOfJob& job) {
  std::vector<std::pair<PlannedCollective, std::set<int>>> found;
  for (const TracePart& part : parts) {
    std::optional<FamilyPart> one = family_part(part, groups, job);
    if (!one) return std::nullopt;
    const double share = static_cast<double>(one->bytes) / static_cast<double>(bytes);
    one->planned.share = static_cast<int>(
        std::clamp<double>(std::round(share * kThousandths), 1, static_cast<double>(kMostShare)));
    auto known = std::ranges::find_if(found, [&](const auto& other) {
      return other.first == one->planned && !other.second.contains(one->group);
    });
    if (known == found.end()) known = found.insert(found.end(), {one->planned, std::set<int>{}});
    known->second.insert(one->group);
  }
  std::vector<PlannedCollective> whole;
  for (const auto& [planned, own] : found) {
    const GroupFamily& family = job.layout.families[static_cast<std::size_t>(planned.family)];
    if (std::ssize(own) != groups_of(family)) return std::nullopt;
    whole.push_back(planned);
  }
  return whole;
}

}  // namespace

std::string known_algorithm(const std::string& word) {
  const bool is_known =
      is_choice(word) || std::ranges::any_of(algorithms(), [&](const Algorithm* algorithm) {
        return algorithm->name() == word;
      });
  return is_known ? word : "auto";
}

std::optional<JointShape> joint_shape(const TraceShape& shape, const CommGroups& groups,
                                      const LayoutOfJob& job) {
  if (shape.work.empty() || shape.work.front().bytes == 0) return std::nullopt;
  const std::uint64_t bytes = shape.work.front().bytes;
  const auto work = whole_families(shape.work, bytes, groups, job);
  const auto before = whole_families(shape.before, bytes, groups, job);
  const auto beside = whole_families(shape.beside, bytes, groups, job);
  if (!work || !before || !beside || work->size() != 1) return std::nullopt;
  return JointShape{.collective = work->front().collective,
                    .algorithm = work->front().algorithm,
                    .before = *before,
                    .beside = *beside};
}

}  // namespace fredsim
