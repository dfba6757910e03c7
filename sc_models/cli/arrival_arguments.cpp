// SPDX-License-Identifier: Apache-2.0
#include "cli/arrival_arguments.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/add_option.h"

namespace fredsim {
namespace {

constexpr auto kSkewNames = std::to_array<std::pair<std::string_view, SkewKind>>(
    {{"uniform", SkewKind::kUniform}, {"normal", SkewKind::kNormal}});

// "none", "uniform:2us", "normal:2us"; empty: none.
Skew parse_skew(std::string_view text, std::string_view what) {
  if (text.empty() || text == "none") return {};
  const std::size_t colon = text.find(':');
  for (const auto& [name, kind] : kSkewNames) {
    if (colon == std::string_view::npos || text.substr(0, colon) != name) continue;
    const std::uint64_t time = parse_time_ps(text.substr(colon + 1), what);
    return time > 0 ? Skew{kind, time} : Skew{};
  }
  throw BadInput(
      fmt::format("{}: found '{}'; allowed: none, uniform:TIME or normal:TIME, such as "
                  "normal:2us",
                  what, shown(text)));
}

}  // namespace

void ArrivalStrings::add_to(CLI::App& command) {
  under(command, headings::kModel);
  add(command, "--skew", skew, "WHAT",
      "time by which each NPU comes later to each collective, at random by --seed: none (default), "
      "uniform:2us, from 0 to that, or normal:2us, the magnitude of a normal deviate");
}

ArrivalOptions ArrivalStrings::checked() const {
  ArrivalOptions options{.of = parse_skew(skew, "--skew")};
  if (options.of.kind != SkewKind::kNone) options.skew = skew;
  return options;
}

}  // namespace fredsim
