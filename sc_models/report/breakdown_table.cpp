// SPDX-License-Identifier: Apache-2.0
#include "report/breakdown_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/table_fields.h"

namespace fredsim {
namespace {

// Cycles by stage and cause, of the packet that was delivered last and of the whole collective.
using Cycles = std::map<std::pair<std::string, std::string>, std::uint64_t>;

Cycles of_packet(const std::optional<PacketBreakdown>& packet) {
  Cycles cycles;
  if (!packet) return cycles;
  for (const PacketHop& hop : packet->hops) {
    for (const auto& [cause, count] : hop.causes) cycles[{hop.stage, cause}] += count;
  }
  return cycles;
}

Cycles of_path(const std::optional<PathBreakdown>& path) {
  Cycles cycles;
  if (!path) return cycles;
  for (const auto& [stage, causes] : path->stages) {
    for (const auto& [cause, count] : causes) cycles[{stage, cause}] += count;
  }
  return cycles;
}

TextTable stages_table(const LatencyBreakdown& of) {
  std::vector<Column> columns{{"stage", "", Align::kLeft},
                              {"cause", "", Align::kLeft},
                              {"mean", "cycles"},
                              {"p50", "cycles", Align::kRight, 3},
                              {"p99", "cycles", Align::kRight, 2},
                              {"max", "cycles", Align::kRight, 4},
                              {"share", "of all"}};
  const bool has_path = of.path.has_value();
  if (has_path) {
    columns.push_back({"last packet", "cycles", Align::kRight, 5});
    columns.push_back({"collective", "cycles", Align::kRight, 1});
    columns.push_back({"share", "of it", Align::kRight, 1});
  }
  TextTable table(std::move(columns));
  const Cycles packet = of_packet(of.critical);
  const Cycles path = of_path(of.path);
  const auto add = [&](const std::string& stage, const BreakdownCause& cause) {
    std::vector<Cell> cells{stage,
                            cause.name,
                            number_cell(cause.cycles.mean, 1),
                            count_cell(cause.cycles.p50),
                            count_cell(cause.cycles.p99),
                            count_cell(cause.cycles.max),
                            percent_cell(cause.share)};
    if (has_path) {
      const auto find = [&](const Cycles& in) {
        const auto found = in.find({stage, cause.name});
        return found == in.end() ? std::uint64_t{0} : found->second;
      };
      cells.push_back(count_cell(find(packet)));
      cells.push_back(count_cell(find(path)));
      cells.push_back(
          percent_cell(static_cast<double>(find(path)) /
                       static_cast<double>(std::max(of.path->cycles, std::uint64_t{1}))));
    }
    table.add_row(std::move(cells));
  };
  // Stages that no packet has by itself: the NPU before and between packets.
  for (const auto& [place, cycles] : path) {
    if (place.first == "NPU") add(place.first, {.name = place.second, .cycles = {}});
  }
  for (const BreakdownStage& stage : of.stages) {
    for (const BreakdownCause& cause : stage.causes) add(stage.name, cause);
  }
  return table;
}

std::string heading(const std::string& title, const LatencyBreakdown& of) {
  std::string text = fmt::format(
      "{}{}{}: where the cycles of {} packets went, latency mean {:.1f}, p50 {}, p99 {}, max {} "
      "cycles",
      title, of.work.empty() ? "" : ", ", of.work, of.packets, of.latency.mean, of.latency.p50,
      of.latency.p99, of.latency.max);
  if (of.path) {
    text += fmt::format(
        "\nand the collective's {} cycles, by the packets that its last result waited for, one "
        "after the other: {}",
        of.path->cycles, of.path->packets);
  }
  for (const BreakdownStage& stage : of.stages) {
    if (stage.operands == 0) continue;
    text += fmt::format(
        "\n{}: {} operands joined others, waiting {:.1f} cycles for the last one (p99 {}, max {})",
        stage.name, stage.operands, stage.join.mean, stage.join.p99, stage.join.max);
  }
  return text;
}

std::string causes_text(const NamedCycles& causes) {
  std::string text;
  for (const auto& [cause, cycles] : causes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause, cycles);
  return text.empty() ? "-" : text;
}

TitledTable packet_table(const PacketBreakdown& packet) {
  TextTable table({{"cycle"},
                   {"place", "", Align::kLeft},
                   {"stage", "", Align::kLeft, 1},
                   {"cycles"},
                   {"of these", "", Align::kLeft}});
  for (const PacketHop& hop : packet.hops) {
    std::uint64_t sum = 0;
    for (const auto& [cause, cycles] : hop.causes) sum += cycles;
    table.add_row(
        {count_cell(hop.begin), hop.place, hop.stage, count_cell(sum), causes_text(hop.causes)});
  }
  return {fmt::format("{}, {} to {}: {} cycles", packet.name, packet.source, packet.destination,
                      packet.end - packet.begin),
          std::move(table)};
}

}  // namespace

std::string breakdown_text(const std::string& title, std::span<const LatencyBreakdown> breakdowns,
                           TableOutput& output) {
  std::string text;
  for (const LatencyBreakdown& breakdown : breakdowns) {
    text += output.table({heading(title, breakdown), stages_table(breakdown)});
    for (const PacketBreakdown& packet : breakdown.listed)
      text += output.table(packet_table(packet));
  }
  return text;
}

}  // namespace fredsim
