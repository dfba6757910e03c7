// SPDX-License-Identifier: Apache-2.0
#include "plan/collective_spec.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"

namespace fredsim {

std::vector<std::uint64_t> random_matrix(int ranks, std::uint64_t bytes, std::uint64_t seed) {
  Random random(seed);
  const auto n = static_cast<std::uint64_t>(ranks);
  std::vector<std::uint64_t> matrix;
  for (std::uint64_t i = 0; i < n * n; ++i)
    matrix.push_back(random.below((2 * bytes + n - 1) / n + 1));
  return matrix;
}

void check_spec(const CollectiveSpec& spec) {
  const auto ranks = std::ssize(spec.group);
  if (spec.bytes == 0) throw BadInput("size: found 0 bytes; allowed: one byte or more");
  if (spec.root < 0 || spec.root >= ranks)
    throw BadInput(
        fmt::format("root: rank {} found, the group has ranks 0 to {}", spec.root, ranks - 1));
  if (spec.collective == Collective::kUnicast && ranks != 2)
    throw BadInput(
        fmt::format("group: {} member{} found, unicast goes from the first of a group of "
                    "two to the second; allowed: two members",
                    ranks, ranks == 1 ? "" : "s"));
}

}  // namespace fredsim
