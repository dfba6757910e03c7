// SPDX-License-Identifier: Apache-2.0
#include "operations/arrivals.h"

#include <cmath>
#include <numbers>

#include "base/int128.h"
#include "base/random.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kPsOfSecond = 1'000'000'000'000;
std::uint64_t cycles_up(std::uint64_t time_ps, std::uint64_t clock_hz) {
  const Uint128 all = static_cast<Uint128>(time_ps) * clock_hz + kPsOfSecond - 1;
  return static_cast<std::uint64_t>(all / kPsOfSecond);
}

// Uniform random number in (0, 1].
double fraction(Random& random) {
  constexpr int kBits = 53;
  return std::ldexp(static_cast<double>((random.next() >> (64 - kBits)) + 1), -kBits);
}

// Magnitude of a normal deviate of standard deviation 1 (Box and Muller, 1958).
double half_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(fraction(random)));
  return std::abs(radius * std::cos(2 * std::numbers::pi * fraction(random)));
}

}  // namespace

Arrivals::Arrivals(std::uint64_t overhead_ps, const Skew& skew, std::uint64_t seed,
                   std::uint64_t clock_hz)
    : overhead_(cycles_up(overhead_ps, clock_hz)),
      skew_(skew),
      seed_(seed),
      skew_cycles_(static_cast<double>(skew.time_ps) * static_cast<double>(clock_hz) /
                   static_cast<double>(kPsOfSecond)) {}

std::uint64_t Arrivals::lag(std::uint64_t operation, std::uint64_t who) const {
  if (skew_.kind == SkewKind::kNone) return overhead_;
  Random random(mix64(mix64(seed_) ^ operation) ^ who);
  const double share = skew_.kind == SkewKind::kUniform ? fraction(random) : half_normal(random);
  return overhead_ + static_cast<std::uint64_t>(std::ceil(share * skew_cycles_));
}

std::vector<std::uint64_t> Arrivals::lags(std::uint64_t operation, const Topology& topology) const {
  if (!any()) return {};
  std::vector<std::uint64_t> lags(topology.nodes.size());
  for (const NodeId npu : topology.npus)
    lags[npu] = lag(operation, static_cast<std::uint64_t>(npu));
  return lags;
}

}  // namespace fredsim
