// SPDX-License-Identifier: Apache-2.0
// The digest of written registers depends on the last value of each, and on nothing else.
#include "fabric/register_writes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace fredsim {
namespace {

constexpr std::size_t kNodes = 3;

using Register = std::pair<std::uint32_t, std::uint16_t>;  // node, address

std::uint64_t digest_of(const std::vector<std::pair<Register, std::uint32_t>>& writes) {
  RegisterWrites registers(kNodes);
  for (const auto& [where, value] : writes) registers.note(where.first, where.second, value);
  return registers.digest();
}

TEST(RegisterWrites, AreKnownByTheirLastValues) {
  constexpr std::uint64_t kSeed = 8;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  Random random(kSeed);
  RegisterWrites registers(kNodes);
  std::map<Register, std::uint32_t> last;
  for (int i = 0; i < 5000; ++i) {
    // Both ends of the address space, neighbours, and the same ones again.
    const auto address = static_cast<std::uint16_t>(
        random.below(2) == 0 ? random.below(300) : 65'535 - random.below(300));
    const auto node = static_cast<std::uint32_t>(random.below(kNodes));
    const auto value = static_cast<std::uint32_t>(random.below(3));
    registers.note(node, address, value);
    last[{node, address}] = value;
  }
  const std::vector<std::pair<Register, std::uint32_t>> upwards(last.begin(), last.end());
  const std::vector<std::pair<Register, std::uint32_t>> downwards(last.rbegin(), last.rend());
  EXPECT_GT(upwards.size(), 1000U);
  EXPECT_EQ(digest_of(upwards), registers.digest());
  EXPECT_EQ(digest_of(downwards), registers.digest());
  auto other = upwards;
  ++other.back().second;
  EXPECT_NE(digest_of(other), registers.digest());
  other = upwards;
  other.pop_back();
  EXPECT_NE(digest_of(other), registers.digest()) << "one that is written, even with zero";
  registers.clear();
  EXPECT_EQ(registers.digest(), digest_of({}));
}

}  // namespace
}  // namespace fredsim
