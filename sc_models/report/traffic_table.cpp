// SPDX-License-Identifier: Apache-2.0
#include "report/traffic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>

#include "base/setting.h"
#include "report/table_fields.h"

namespace fredsim {

namespace {

constexpr std::size_t kBusiest = 4;
constexpr int kRateDecimals = 4;

std::string rate_text(double rate) { return number_text(rate, kRateDecimals); }

// Links by load, the busiest first; wafer links and on-die ones alike, since either may saturate.
std::vector<const LinkResult*> by_load(const TrafficPoint& point) {
  std::vector<const LinkResult*> links;
  for (const LinkResult& link : point.links) links.push_back(&link);
  std::ranges::stable_sort(links, std::ranges::greater{},
                           [](const LinkResult* link) { return link->utilization; });
  return links;
}

Cell state_cell(const TrafficPoint& point) {
  if (point.incomplete) {
    return {fmt::format("incomplete, {} cycles", point.cycles), "incomplete", Tone::kBad};
  }
  return point.saturated ? Cell("saturated", Tone::kDoubtful) : Cell("", "free");
}

std::string heading(const TrafficSetup& setup) {
  std::string pattern = setup.pattern;
  if (setup.hotspot_node) {
    pattern += fmt::format(" ({:g} to NPU {})", *setup.hotspot_fraction, *setup.hotspot_node);
  }
  return fmt::format(
      "{}: {} traffic, {} of {} NPUs send, packets of {} flit{}, model {}, clock {:g} GHz, seed "
      "{}\n"
      "warm-up {} cycles, window {} cycles, injection limit {:g} flits per cycle and NPU",
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
  if (saturation.rises_beyond()) {
    return fmt::format(
        "saturation: first saturated rate {}, accepted {}; beyond it {} is accepted, at rate {}\n",
        rate_text(*saturation.first_rate), rate_text(saturation.first_accepted),
        rate_text(saturation.accepted), rate_text(saturation.accepted_rate));
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
    text += fmt::format("{} {} {} %", l == 0 ? "" : ",", links[l]->name,
                        number_text(100 * links[l]->utilization, 1));
  }
  return text + "\n";
}

using TrafficField = Field<TrafficPoint>;

Cell rate_cell(double rate) { return number_cell(rate, kRateDecimals); }

std::vector<TrafficField> fields_of_setup(const TrafficSetup& setup) {
  std::vector<TrafficField> fields;
  const auto add = [&](const char* name, const std::string& text) {
    fields.push_back({{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
                      [text](const TrafficPoint&) { return text; }});
  };
  const auto text = [](const auto& number) { return number ? fmt::to_string(*number) : ""; };
  add("config", setup.config);
  add("settings", settings_text(setup.settings.all));
  add("fabric", setup.fabric);
  add("model", setup.model);
  add("clock_ghz", fmt::to_string(setup.clock_ghz));
  add("seed", fmt::to_string(setup.seed));
  add("pattern", setup.pattern);
  add("hotspot_node", text(setup.hotspot_node));
  add("hotspot_fraction", text(setup.hotspot_fraction));
  add("nodes", fmt::to_string(setup.nodes));
  add("sending_nodes", fmt::to_string(setup.sending_nodes));
  add("packet_flits", fmt::to_string(setup.packet_flits));
  add("warmup_cycles", fmt::to_string(setup.warmup_cycles));
  add("window_cycles", fmt::to_string(setup.window_cycles));
  add("injection_limit_flits_per_cycle", fmt::to_string(setup.injection_limit));
  return fields;
}

TrafficField percentile_field(const char* name, int rank, std::uint64_t TrafficPoint::*latency) {
  return {{.label = fmt::format("latency {}", name),
           .unit = "cycles",
           .rank = rank,
           .header = {"", name},
           .name = fmt::format("latency_{}_cycles", name)},
          [latency](const TrafficPoint& p) {
            return p.arrived == 0 ? no_cell() : count_cell(p.*latency);
          }};
}

// Packets of the window that did not arrive: a column only if there are any.
TrafficField missing_field(bool is_any) {
  return {{.label = "missing",
           .unit = "packets",
           .rank = 1,
           .name = "packets_missing",
           .shown = is_any ? Shown::kAlways : Shown::kOnlyInCsv},
          [](const TrafficPoint& p) { return count_cell(p.packets - p.arrived); }};
}

std::vector<TrafficField> fields_of_points(bool is_any_missing) {
  return {{{.label = "rate",
            .unit = "flits/cycle",
            .header = {"rate", ""},
            .name = "rate_flits_per_cycle"},
           [](const TrafficPoint& p) { return rate_cell(p.rate); }},
          {{.label = "offered",
            .unit = "flits/cycle",
            .rank = 6,
            .header = {"offered", ""},
            .name = "offered_flits_per_cycle"},
           [](const TrafficPoint& p) { return rate_cell(p.offered); }},
          {{.label = "accepted",
            .unit = "flits/cycle",
            .header = {"accepted", ""},
            .name = "accepted_flits_per_cycle"},
           [](const TrafficPoint& p) { return rate_cell(p.accepted); }},
          {{.label = "latency mean",
            .unit = "cycles",
            .header = {"latency", "mean"},
            .name = "latency_mean_cycles"},
           [](const TrafficPoint& p) {
             return p.arrived == 0 ? no_cell() : number_cell(p.latency_mean, 1);
           }},
          percentile_field("p50", 8, &TrafficPoint::latency_p50),
          percentile_field("p95", 7, &TrafficPoint::latency_p95),
          percentile_field("p99", 2, &TrafficPoint::latency_p99),
          percentile_field("max", 4, &TrafficPoint::latency_max),
          {{.label = "hops mean", .rank = 5, .header = {"hops", "mean"}, .name = "hops"},
           [](const TrafficPoint& p) { return p.incomplete ? no_cell() : number_cell(p.hops, 2); }},
          {{.label = "link load max",
            .rank = 3,
            .header = {"link", "load max"},
            .name = "link_utilization_max"},
           [](const TrafficPoint& p) { return percent_cell(by_load(p).front()->utilization); }},
          missing_field(is_any_missing),
          {{.label = "state", .align = Align::kLeft, .header = {"state", ""}, .name = "state"},
           state_cell},
          {{.label = "packets", .name = "packets", .shown = Shown::kOnlyInCsv},
           [](const TrafficPoint& p) { return count_cell(p.packets); }},
          {{.label = "cycles", .name = "cycles", .shown = Shown::kOnlyInCsv},
           [](const TrafficPoint& p) { return count_cell(p.cycles); }},
          {{.label = "wall", .name = "wall_s", .shown = Shown::kOnlyInCsv},
           [](const TrafficPoint& p) { return fmt::to_string(p.wall_s); }}};
}

}  // namespace

TitledTable traffic_table(const TrafficSetup& setup, std::span<const TrafficPoint> points) {
  assert(!points.empty());
  const bool is_any_missing =
      std::ranges::any_of(points, [](const TrafficPoint& p) { return p.arrived < p.packets; });
  std::vector<TrafficField> fields = fields_of_setup(setup);
  std::ranges::move(fields_of_points(is_any_missing), std::back_inserter(fields));
  return {heading(setup), table_of(fields, std::vector(points.begin(), points.end()))};
}

std::string traffic_summary(std::span<const TrafficPoint> points) {
  return saturation_text(points) + busiest_text(points);
}

}  // namespace fredsim
