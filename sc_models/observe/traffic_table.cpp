#include "observe/traffic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/setting.h"
#include "observe/text_table.h"

namespace fredsim {

namespace {

constexpr std::size_t kBusiest = 4;

std::string rate_text(double rate) {
  return rate > 0 && rate < 0.001 ? fmt::format("{:.2e}", rate) : fmt::format("{:.4f}", rate);
}

// By load, the busiest first; wafer links and on-die ones alike, since either may be what saturates.
std::vector<const LinkResult*> by_load(const TrafficPoint& point) {
  std::vector<const LinkResult*> links;
  for (const LinkResult& link : point.links) links.push_back(&link);
  std::ranges::stable_sort(links, std::ranges::greater{},
                           [](const LinkResult* link) { return link->utilization; });
  return links;
}

std::string state_text(const TrafficPoint& point) {
  if (point.incomplete) return fmt::format("incomplete, {} cycles", point.cycles);
  if (!point.saturated) return "";
  const std::uint64_t missing = point.packets - point.arrived;
  return missing == 0 ? "saturated"
                      : fmt::format("saturated, {} of {} packets missing", missing, point.packets);
}

std::string heading(const TrafficSetup& setup) {
  std::string pattern = setup.pattern;
  if (setup.hotspot_node) {
    pattern += fmt::format(" ({:g} to NPU {})", *setup.hotspot_fraction, *setup.hotspot_node);
  }
  return fmt::format(
      "{}: {} traffic, {} of {} NPUs send, packets of {} flit{}, model {}, clock {:g} GHz, seed "
      "{}\n"
      "warm-up {} cycles, window {} cycles, injection limit {:g} flits per cycle and NPU\n",
      with_settings(setup.fabric, setup.settings.own), pattern, setup.sending_nodes, setup.nodes,
      setup.packet_flits, setup.packet_flits == 1 ? "" : "s", setup.model, setup.clock_ghz,
      setup.seed, setup.warmup_cycles, setup.window_cycles, setup.injection_limit);
}

std::string saturation_text(std::span<const TrafficPoint> points) {
  const TrafficSaturation saturation = saturation_of(points);
  if (!saturation.first_rate) {
    return fmt::format("saturation: none of these rates; highest accepted rate {}\n",
                       rate_text(saturation.accepted));
  }
  return fmt::format("saturation: highest accepted rate {}, first saturated rate {}\n",
                     rate_text(saturation.accepted), rate_text(*saturation.first_rate));
}

std::string busiest_text(std::span<const TrafficPoint> points) {
  const TrafficPoint& point = *std::ranges::max_element(
      points, {}, [](const TrafficPoint& p) { return p.incomplete ? -1 : p.accepted; });
  const std::vector<const LinkResult*> links = by_load(point);
  std::string text = fmt::format("busiest links at rate {}:", rate_text(point.rate));
  for (std::size_t l = 0; l < std::min(kBusiest, links.size()); ++l) {
    text += fmt::format("{} {} {:.1f} %", l == 0 ? "" : ",", links[l]->name,
                        100 * links[l]->utilization);
  }
  return text + "\n";
}

}  // namespace

std::string traffic_table(const TrafficSetup& setup, std::span<const TrafficPoint> points) {
  assert(!points.empty());
  TextTable table({{"rate", ""},
                   {"offered", ""},
                   {"accepted", ""},
                   {"latency", "mean"},
                   {"", "p50"},
                   {"", "p95"},
                   {"", "p99"},
                   {"", "max"},
                   {"hops", "mean"},
                   {"link load", "max"},
                   {"", "", Align::kLeft}});
  for (const TrafficPoint& p : points) {
    const auto cycles = [&](std::uint64_t latency) {
      return p.arrived == 0 ? "-" : fmt::to_string(latency);
    };
    table.add_row({rate_text(p.rate), rate_text(p.offered), rate_text(p.accepted),
                   p.arrived == 0 ? "-" : fmt::format("{:.1f}", p.latency_mean),
                   cycles(p.latency_p50), cycles(p.latency_p95), cycles(p.latency_p99),
                   cycles(p.latency_max), p.incomplete ? "-" : fmt::format("{:.2f}", p.hops),
                   fmt::format("{:.1f} %", 100 * by_load(p).front()->utilization), state_text(p)});
  }
  return heading(setup) + "\n" + table.to_string() + "\n" + saturation_text(points) +
         busiest_text(points);
}

}  // namespace fredsim
