// SPDX-License-Identifier: Apache-2.0
#include "cli/flow_arguments.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "runner/option_values.h"

namespace fredsim {

namespace {

constexpr const char* kForms = "input ports, a colon, output ports, such as 0,1,2:4,5 or 0-3:4-7";

// One side of one flow.
class SideParser {
 public:
  SideParser(const std::string& flow, const FredSwitchShape& shape, const char* side)
      : flow_(flow), shape_(shape), side_(side) {}

  std::uint32_t parse(std::string_view text) {
    if (text.empty()) {
      throw BadInput(fmt::format("FLOW '{}': found no {} port; allowed: {}", flow_, side_, kForms));
    }
    for (const std::string_view field : split_at(text, ',')) {
      const std::optional<NumberRange> range = to_range(field);
      if (!range) {
        throw BadInput(fmt::format("FLOW '{}': found '{}' for {} ports; allowed: {}", flow_, field,
                                   side_, kForms));
      }
      if (range->last >= shape_.ports) {
        throw BadInput(
            fmt::format("FLOW '{}': found {} port {}; allowed: 0 to {}, the ports of "
                        "Fred_{}({})",
                        flow_, side_, range->last, shape_.ports - 1, shape_.middle, shape_.ports));
      }
      for (int port = range->first; port <= range->last; ++port) add(port);
    }
    return ports_;
  }

 private:
  void add(int port) {
    if ((ports_ >> port & 1U) != 0) {
      throw BadInput(fmt::format("FLOW '{}': found {} port {} twice; allowed: each port once",
                                 flow_, side_, port));
    }
    ports_ |= 1U << port;
  }

  const std::string& flow_;
  const FredSwitchShape& shape_;
  const char* side_;
  std::uint32_t ports_ = 0;
};

Flow parse_flow(const std::string& text, const FredSwitchShape& shape) {
  const std::vector<std::string_view> sides = split_at(text, ':');
  if (sides.size() != 2) {
    throw BadInput(
        fmt::format("FLOW '{}': found {} colons; allowed: {}", text, sides.size() - 1, kForms));
  }
  return {SideParser(text, shape, "input").parse(sides[0]),
          SideParser(text, shape, "output").parse(sides[1])};
}

void check_disjoint(const std::vector<std::string>& texts, const std::vector<Flow>& flows,
                    std::uint32_t Flow::*ports, const char* side) {
  for (std::size_t f = 0; f < flows.size(); ++f) {
    for (std::size_t g = 0; g < f; ++g) {
      const std::uint32_t shared = flows[f].*ports & flows[g].*ports;
      if (shared == 0) continue;
      throw BadInput(
          fmt::format("FLOW '{}': found {} port {}, which FLOW '{}' has too; allowed: "
                      "each {} port in one flow",
                      texts[f], side, std::countr_zero(shared), texts[g], side));
    }
  }
}

}  // namespace

std::vector<Flow> parse_flows(const std::vector<std::string>& texts, const FredSwitchShape& shape) {
  std::vector<Flow> flows;
  flows.reserve(texts.size());
  for (const std::string& text : texts) flows.push_back(parse_flow(text, shape));
  check_disjoint(texts, flows, &Flow::inputs, "input");
  check_disjoint(texts, flows, &Flow::outputs, "output");
  return flows;
}

}  // namespace fredsim
