// SPDX-License-Identifier: Apache-2.0
#include "runner/arrival_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"

namespace fredsim {

ArrivalOptions parse_skew(const std::string& text) {
  static constexpr std::array kNames{std::pair{std::string_view("uniform"), SkewKind::kUniform},
                                     std::pair{std::string_view("normal"), SkewKind::kNormal}};
  if (text == "none") return {};
  const std::size_t colon = text.find(':');
  for (const auto& [name, kind] : kNames) {
    if (colon == std::string::npos || text.substr(0, colon) != name) continue;
    const std::uint64_t time = parse_time_ps(text.substr(colon + 1), "--skew");
    return time > 0 ? ArrivalOptions{text, {kind, time}} : ArrivalOptions{};
  }
  throw BadInput(
      fmt::format("--skew: found '{}'; allowed: none, uniform:TIME or normal:TIME, such as "
                  "normal:2us",
                  shown(text)));
}

Arrivals arrivals_of(const ArrivalOptions& options, const MachineConfig& machine,
                     std::uint64_t seed) {
  return {machine.compute.collective_overhead_ps, options.of, seed, machine.topology.clock_hz};
}

void name_arrivals(const ArrivalOptions& options, const MachineConfig& machine, RunResult& result) {
  constexpr double kPsOfNs = 1e3;
  result.collective_overhead_ns =
      static_cast<double>(machine.compute.collective_overhead_ps) / kPsOfNs;
  result.skew = options.skew;
}

}  // namespace fredsim
