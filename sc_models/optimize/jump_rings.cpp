// SPDX-License-Identifier: Apache-2.0
#include "optimize/jump_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/error.h"

namespace fredsim {
namespace {

bool is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

// Powers that are whole numbers must not come out a little above them.
constexpr double kPowerSlack = 1e-9;

}  // namespace

std::vector<int> possible_jumps(int nodes, JumpKind kind) {
  std::vector<int> jumps;
  const int last = kind.both_ways ? nodes / 2 : nodes - 1;
  for (int jump = 1; jump <= last; ++jump)
    if (std::gcd(jump, nodes) == 1 && (!kind.primes || jump == 1 || is_prime(jump)))
      jumps.push_back(jump);
  return jumps;
}

std::vector<int> choose_jumps(int nodes, int count, JumpKind kind) {
  std::vector<int> free = possible_jumps(nodes, kind);
  if (count > std::ssize(free)) {
    throw BadInput(fmt::format(
        "found a degree of {} for rings of a group of {}, which has {} jump{}{} without "
        "a common divisor; allowed: up to {}",
        count, nodes, free.size(), free.size() == 1 ? "" : "s", kind.primes ? ", 1 or prime," : "",
        free.size()));
  }
  const double largest = std::max(kind.both_ways ? nodes / 2 : nodes - 1, 1);
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) {
    const double least = std::pow(largest, static_cast<double>(i) / count) - kPowerSlack;
    auto jump = std::ranges::find_if(free, [&](int one) { return one >= least; });
    if (jump == free.end()) --jump;
    chosen.push_back(*jump);
    free.erase(jump);
  }
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<int> ring_order(int nodes, int jump) {
  std::vector<int> order(static_cast<std::size_t>(nodes));
  for (int i = 0, at = 0; i < nodes; ++i, at = (at + jump) % nodes) order[i] = at;
  return order;
}

JumpRoutes::JumpRoutes(int nodes, const std::vector<int>& jumps, bool both_ways)
    : nodes_(nodes), links_(static_cast<std::size_t>(nodes), -1), last_(links_) {
  for (const int jump : jumps) {
    jumps_.push_back(jump);
    if (both_ways) jumps_.push_back(nodes - jump);
  }
  std::vector<int> reached{0};
  links_[0] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (int k = 0; k < std::ssize(jumps_); ++k) {
      const int ahead = (reached[next] + jumps_[k]) % nodes;
      if (links_[ahead] >= 0) continue;
      links_[ahead] = links_[reached[next]] + 1;
      last_[ahead] = k;
      reached.push_back(ahead);
    }
  }
}

std::vector<int> JumpRoutes::counts(int ahead) const {
  std::vector<int> counts(jumps_.size());
  for (; ahead != 0; ahead = (ahead - jumps_[last_[ahead]] + nodes_) % nodes_)
    ++counts[last_[ahead]];
  return counts;
}

int JumpRoutes::diameter() const { return std::ranges::max(links_); }

}  // namespace fredsim
