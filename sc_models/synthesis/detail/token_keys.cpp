// SPDX-License-Identifier: Apache-2.0
#include "synthesis/detail/token_keys.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace fredsim {
namespace {

// Number of the part of an octave that a value is in; 0: none.
int bucket(std::uint64_t value, int per_octave) {
  return value == 0
             ? 0
             : 1 + static_cast<int>(std::floor(std::log2(static_cast<double>(value)) * per_octave));
}

// Everything but dependencies.
TokenKey key_without_dependencies(const JobOperation& operation, int per_octave) {
  const TraceToken& token = operation.token;
  TokenKey key{static_cast<int>(token.type),
               static_cast<int>(token.collective),
               token.priority,
               token.family,
               token.root,
               token.offset,
               token.shape,
               token.times,
               token.category,
               bucket(operation.bytes, per_octave),
               bucket(operation.duration_ps, per_octave),
               bucket(operation.operations, per_octave)};
  for (const TokenPart& part : token.parts)
    key.insert(key.end(), {part.role, part.share, part.lane.on_cpu ? 1 : 0, part.lane.stream});
  return key;
}

void add_dependencies(const TraceToken& token, TokenKey& key) {
  for (const TokenPart& part : token.parts) {
    key.push_back(static_cast<std::int64_t>(part.after.size()));
    for (const LaneDistance& one : part.after) key.insert(key.end(), {one.lane, one.distance});
  }
}

using Lanes = std::set<std::pair<int, std::int64_t>>;         // role, number
using Dependencies = std::vector<std::vector<LaneDistance>>;  // by part

Dependencies dependencies_of(const TraceToken& token) {
  Dependencies all;
  for (const TokenPart& part : token.parts) all.push_back(part.after);
  return all;
}

// True if `more` adds dependencies on lanes without operations alone.
bool completes(const Dependencies& more, const TraceToken& token, const Lanes& used) {
  bool is_more = false;
  for (std::size_t p = 0; p < more.size(); ++p) {
    const TokenPart& part = token.parts[p];
    if (!std::ranges::includes(more[p], part.after)) return false;
    std::vector<LaneDistance> added;
    std::ranges::set_difference(more[p], part.after, std::back_inserter(added));
    if (std::ranges::any_of(added, [&](const LaneDistance& one) {
          return used.contains({part.role, one.lane});
        }))
      return false;
    is_more = is_more || !added.empty();
  }
  return is_more;
}

}  // namespace

std::vector<TokenKey> token_keys(std::vector<JobOperation>& sequence, int per_octave) {
  std::vector<TokenKey> keys;
  std::map<TokenKey, std::map<Dependencies, int>> variants;
  for (const JobOperation& operation : sequence) {
    keys.push_back(key_without_dependencies(operation, per_octave));
    ++variants[keys.back()][dependencies_of(operation.token)];
  }
  Lanes used;
  for (std::size_t n = 0; n < sequence.size(); ++n) {
    TraceToken& token = sequence[n].token;
    const Dependencies* best = nullptr;
    int most = variants[keys[n]][dependencies_of(token)] - 1;
    for (const auto& [variant, count] : variants[keys[n]])
      if (count > most && completes(variant, token, used)) {
        best = &variant;
        most = count;
      }
    if (best != nullptr)
      for (std::size_t p = 0; p < token.parts.size(); ++p) token.parts[p].after = (*best)[p];
    add_dependencies(token, keys[n]);
    for (const TokenPart& part : token.parts) used.emplace(part.role, token.lane_of(part));
  }
  return keys;
}

}  // namespace fredsim
