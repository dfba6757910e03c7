// SPDX-License-Identifier: Apache-2.0
#include "cli/route_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/flit.h"
#include "base/port_mask.h"
#include "base/text_width.h"
#include "results/document.h"
#include "results/fields/routing.h"
#include "results/json_object.h"
#include "routing/switch_settings.h"

namespace fredsim {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWordColumns = 11;  // columns of "0x00000000" and a blank
constexpr std::size_t kIndent = 2;        // indentation of continuation lines

std::string hex(const std::vector<bool>& bits) {
  std::string digits;
  for (std::size_t first = 0; first < bits.size(); first += 4) {
    unsigned digit = 0;
    for (std::size_t b = first; b < std::min(first + 4, bits.size()); ++b)
      digit |= static_cast<unsigned>(bits[b]) << (b - first);
    digits += fmt::format("{:x}", digit);
  }
  std::ranges::reverse(digits);
  return "0x" + digits;
}

// "(0 + 3) + 5".
std::string infix(const SumOrder& order) {
  std::vector<std::string> stack;
  for (const int n : order.postfix) {
    if (n != SumOrder::kAdd) {
      stack.push_back(fmt::to_string(n));
      continue;
    }
    const std::string right = std::move(stack.back());
    stack.pop_back();
    stack.back() = fmt::format("({} + {})", stack.back(), right);
  }
  const std::string& sum = stack.front();
  return sum.starts_with('(') ? sum.substr(1, sum.size() - 2) : sum;
}

std::vector<int> ports_of(std::uint32_t mask) {
  std::vector<int> ports;
  for_each_port(mask, [&](int port) { ports.push_back(port); });
  return ports;
}

bool is_edge(const SwitchSetting& setting) {
  return setting.block == SwitchBlock::kDemux || setting.block == SwitchBlock::kMux;
}

std::string name_of(const SwitchSetting& setting) {
  const std::string name(to_string(setting.block));
  return is_edge(setting) ? name : fmt::format("{} {}", name, setting.index);
}

std::string bits_of(const SwitchSetting& setting) {
  const int bits = setting.code_bits * static_cast<int>(setting.codes.size());
  return fmt::format("[{}:{}]", setting.first_bit + bits - 1, setting.first_bit);
}

std::string meaning_of(const SwitchSetting& setting) {
  const std::vector<std::string> words = in_words(setting);
  if (is_edge(setting)) return words.front();
  std::string meaning;
  for (std::size_t k = 0; k < words.size(); ++k)
    meaning += fmt::format("{}out {} = {}", k == 0 ? "" : ", ", k, words[k]);
  return meaning;
}

// Lines of settings, in the same columns at all levels; continuation lines of a meaning stay in its
// column.
class SettingLines {
 public:
  SettingLines(const std::vector<SwitchSetting>& settings, std::size_t columns)
      : columns_(columns) {
    for (const SwitchSetting& setting : settings) {
      if (setting.idle()) continue;
      name_ = std::max(name_, display_width(name_of(setting)));
      bits_ = std::max(bits_, display_width(bits_of(setting)));
      codes_ = std::max(codes_, display_width(binary(setting)));
    }
  }
  std::string line(const SwitchSetting& setting) const {
    const std::string text =
        fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}", name_of(setting), name_, bits_of(setting),
                    bits_, binary(setting), codes_, meaning_of(setting));
    return wrap(text, columns_, name_ + bits_ + codes_ + 6) + '\n';
  }

 private:
  std::size_t columns_;
  std::size_t name_ = 0, bits_ = 0, codes_ = 0;
};

std::string level_text(const RouteLevel& level, const RouteOptions& options,
                       const std::vector<SwitchSetting>& settings, const SettingLines& lines) {
  std::string text = fmt::format(
      "\nlevel {}{}: Fred_{}({})\n", level.depth,
      level.path.empty() ? "" : fmt::format(", sub-network {}", fmt::join(level.path, ".")),
      options.shape.middle, level.ports);
  for (std::size_t i = 0; i < level.flows.size(); ++i) {
    text += fmt::format("  flow {} ({})", level.flows[i], options.flow_texts[level.flows[i]]);
    if (!level.colours.empty()) text += fmt::format(" takes sub-network {}", level.colours[i]);
    text += "\n";
  }
  for (const SwitchSetting& setting : settings)
    if (setting.path == level.path && !setting.idle()) text += lines.line(setting);
  return text;
}

std::string flows_text(const RouteOptions& options, const FredRoute& route) {
  std::string text;
  for (std::size_t f = 0; f < options.flows.size(); ++f) {
    const Flow& flow = options.flows[f];
    text += fmt::format("flow {}: inputs {} to outputs {}, order of additions {}\n", f,
                        fmt::join(ports_of(flow.inputs), ","),
                        fmt::join(ports_of(flow.outputs), ","), infix(route.order[f]));
  }
  return text;
}

std::vector<std::string> row_words(const RouteOptions& options, const FredRoute& route) {
  std::vector<std::string> words;
  for (const std::uint32_t word : phase_row(options.shape, options.vc, options.flows, route))
    words.push_back(fmt::format("0x{:08x}", word));
  return words;
}

JsonObject<fields::kRouteBlock> setting_json(const SwitchSetting& setting) {
  return {{"block", to_string(setting.block)},
          {"path", setting.path},
          {"index", setting.index},
          {"first_bit", setting.first_bit},
          {"bits", binary(setting)},
          {"outputs", in_words(setting)}};
}

JsonObject<fields::kRouteLevel> level_json(const RouteLevel& level) {
  return {{"level", level.depth},
          {"path", level.path},
          {"ports", level.ports},
          {"flows", level.flows},
          {"colours", level.colours}};
}

}  // namespace

std::string route_text(const RouteOptions& options, const FredRoute& route, std::size_t columns) {
  const FredSwitchShape& shape = options.shape;
  const std::vector<SwitchSetting> settings = switch_settings(shape, route.bits);
  std::string text = fmt::format(
      "Fred_{}({}): {} flow{} routed, {} stages, {} configuration bits\n\n", shape.middle,
      shape.ports, options.flows.size(), options.flows.size() == 1 ? "" : "s",
      fred_stages(shape.ports), route.bits.size());
  text += flows_text(options, route);
  const SettingLines lines(settings, columns);
  for (const RouteLevel& level : route.levels) text += level_text(level, options, settings, lines);
  text += fmt::format("\n{} of {} µSwitches, demuxes and muxes are idle, all their bits 0\n",
                      std::ranges::count_if(settings, &SwitchSetting::idle), settings.size());
  text += fmt::format("configuration {}\n", hex(route.bits));
  text += fmt::format("phase row, VC {}, {} words of the phase store from the lowest:\n",
                      kVcNames[options.vc], phase_row_words(shape));
  const std::vector<std::string> words = row_words(options, route);
  // Numbers per line: the largest power of two that fits.
  const std::size_t per_line =
      std::bit_floor(std::max((columns - 1) / kWordColumns, std::size_t{1}));
  for (std::size_t w = 0; w < words.size(); ++w)
    text += fmt::format("{}{}", w % per_line == 0 ? (w == 0 ? "  " : "\n  ") : " ", words[w]);
  return wrap(text, columns, kIndent) + "\n";
}

std::string route_json(const Origin& origin, const RouteOptions& options, const FredRoute& route) {
  Json flows = Json::array();
  for (std::size_t f = 0; f < options.flows.size(); ++f) {
    flows.push_back(JsonObject<fields::kRoutedFlow>{{"typed", options.flow_texts[f]},
                                                    {"inputs", ports_of(options.flows[f].inputs)},
                                                    {"outputs", ports_of(options.flows[f].outputs)},
                                                    {"order_of_additions", infix(route.order[f])}});
  }
  Json levels = Json::array();
  for (const RouteLevel& level : route.levels) levels.push_back(level_json(level));
  Json blocks = Json::array();
  for (const SwitchSetting& setting : switch_settings(options.shape, route.bits))
    blocks.push_back(setting_json(setting));
  JsonObject<fields::kRouteDocument> json;
  json.add(document_of(origin));
  json.add({{"ports", options.shape.ports},
            {"middle", options.shape.middle},
            {"stages", fred_stages(options.shape.ports)},
            {"flows", std::move(flows)},
            {"levels", std::move(levels)},
            {"blocks", std::move(blocks)},
            {"configuration", JsonObject<fields::kConfiguration>{{"bits", route.bits.size()},
                                                                 {"hex", hex(route.bits)}}},
            {"phase_row", JsonObject<fields::kPhaseRow>{{"vc", kVcNames[options.vc]},
                                                        {"words", row_words(options, route)}}}});
  return text_of(json);
}

}  // namespace fredsim
