// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/detail/chunk_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 22;

auto operand_of(const Contribution& part) { return std::pair(part.rank, part.chunk); }

Contributions added(const Contributions& a, const Contributions& b) {
  constexpr int kMaxTimes = 1 << 20;
  Contributions sum;
  sum.reserve(a.size() + b.size());
  auto first = a.begin();
  auto second = b.begin();
  while (first != a.end() || second != b.end()) {
    if (second == b.end() || (first != a.end() && operand_of(*first) < operand_of(*second))) {
      sum.push_back(*first++);
    } else if (first == a.end() || operand_of(*second) < operand_of(*first)) {
      sum.push_back(*second++);
    } else {
      sum.push_back({first->rank, first->chunk, std::min(first->times + second->times, kMaxTimes)});
      ++first;
      ++second;
    }
  }
  return sum;
}

std::string times_text(int times) { return times == 2 ? "twice" : fmt::format("{} times", times); }

}  // namespace

int ChunkValues::add(const ChunkValue& value) {
  if (values_.size() == kMaxValues)
    throw BadInput(fmt::format("found more than {} moves of chunks; allowed: fewer", kMaxValues));
  values_.push_back(value);
  return static_cast<int>(values_.size()) - 1;
}

int ChunkValues::source(int value) const {
  while ((*this)[value].kind == ChunkValue::Kind::kCopy) value = (*this)[value].first;
  return value;
}

// Terms have smaller numbers: a list of values whose terms are known, without recursion.
const Contributions& ChunkValues::contributions(int value) const {
  contributions_.resize(values_.size());
  std::vector<int> open{source(value)};
  while (!open.empty()) {
    const int at = open.back();
    Contributions& own = contributions_[at];
    const ChunkValue& v = (*this)[at];
    if (!own.empty()) {
      open.pop_back();
    } else if (v.kind == ChunkValue::Kind::kOperand) {
      own = {{v.rank, v.chunk}};
    } else {
      const int first = source(v.first);
      const int second = source(v.second);
      if (contributions_[first].empty()) {
        open.push_back(first);
      } else if (contributions_[second].empty()) {
        open.push_back(second);
      } else {
        own = added(contributions_[first], contributions_[second]);
      }
    }
  }
  return contributions_[source(value)];
}

Contributions wanted(const StepProgram& program, int rank, int place) {
  const int chunks = program.chunks;
  const auto ranks = static_cast<int>(program.ranks.size());
  const auto of_all = [&](int chunk) {
    Contributions all;
    for (int from = 0; from < ranks; ++from) all.push_back({from, chunk});
    return all;
  };
  switch (program.collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
      return of_all(place);
    case Collective::kReduceScatter:
      return of_all(rank * chunks + place);
    case Collective::kAllGather:
    case Collective::kGather:
      return {{place / chunks, place % chunks}};
    case Collective::kScatter:
      return {{program.root, rank * chunks + place}};
    case Collective::kAllToAll:
      return {{place / chunks, rank * chunks + place % chunks}};
    default:
      return {{program.root, place}};
  }
}

std::string difference(const Contributions& found, const Contributions& wanted) {
  auto one = found.begin();
  auto other = wanted.begin();
  while (one != found.end() || other != wanted.end()) {
    if (one == found.end() || (other != wanted.end() && operand_of(*other) < operand_of(*one)))
      return fmt::format("lacks chunk {} of rank {}", other->chunk, other->rank);
    if (other == wanted.end() || operand_of(*one) < operand_of(*other)) {
      const auto next = std::ranges::find_if(wanted, [&](const Contribution& part) {
        return std::ranges::find(found, operand_of(part), operand_of) == found.end();
      });
      const std::string instead = fmt::format("has chunk {} of rank {}", one->chunk, one->rank);
      if (next == wanted.end()) return instead + ", which does not belong there";
      return fmt::format("{}, and lacks chunk {} of rank {}", instead, next->chunk, next->rank);
    }
    if (one->times > other->times)
      return fmt::format("has chunk {} of rank {} {}", one->chunk, one->rank,
                         times_text(one->times));
    ++one;
    ++other;
  }
  return {};
}

}  // namespace fredsim
