// SPDX-License-Identifier: Apache-2.0
#include "report/series_file.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "base/error.h"
#include "report/json.h"
#include "report/table_output.h"
#include "results/document.h"

namespace fredsim {

namespace {

bool is_series_csv(std::string_view path) { return path.ends_with(".csv"); }

void add_csv_rows(const SeriesOfRun& run, std::string& text) {
  const LinkSeries& series = *run.series;
  const std::string head = fmt::format(
      "{},{},{},{}", csv_field(run.config), csv_field(settings_text(run.settings.all)),
      csv_field(run.fabric),
      run.rate ? fmt::to_string(*run.rate) : fmt::to_string(run.size_bytes.value_or(0)));
  for (std::uint64_t w = 0; w < series.windows(); ++w) {
    for (const LinkSeries::OfLink& link : series.links) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", head,
                     series.begin(w), series.length(w), csv_field(link.name), csv_field(link.from),
                     csv_field(link.to), link.flits[w], link.bytes[w], link.busy_cycles[w],
                     link.utilization[w]);
    }
  }
}

std::string csv_of_series(std::span<const SeriesOfRun> runs) {
  std::string text = fmt::format(
      "config,settings,fabric,{},begin_cycle,cycles,link,from,to,flits,bytes,"
      "busy_cycles,utilization\n",
      !runs.empty() && runs.front().rate ? "rate" : "size_bytes");
  for (const SeriesOfRun& run : runs) add_csv_rows(run, text);
  return text;
}

}  // namespace

JsonObject<fields::kSeries> series_json(const LinkSeries& series) {
  using Json = nlohmann::ordered_json;
  Json links = Json::array();
  for (const LinkSeries::OfLink& link : series.links)
    links.push_back(JsonObject<fields::kLinkSeries>{{"name", link.name},
                                                    {"from", link.from},
                                                    {"to", link.to},
                                                    {"flits", link.flits},
                                                    {"bytes", link.bytes},
                                                    {"busy_cycles", link.busy_cycles},
                                                    {"utilization", link.utilization}});
  Json switches = Json::array();
  for (const LinkSeries::OfSwitch& one : series.switches) {
    JsonObject<fields::kStallSeries> stalls;
    for (const auto& [reason, cycles] : one.stall_cycles) stalls.set_named(reason, cycles);
    switches.push_back(
        JsonObject<fields::kSwitchSeries>{{"name", one.name}, {"stall_cycles", stalls}});
  }
  return {{"window_cycles", series.window_cycles},
          {"begin_cycle", series.begin_cycle},
          {"cycles", series.cycles},
          {"links", std::move(links)},
          {"switches", std::move(switches)}};
}

void check_series_file(const std::string& path) {
  if (!is_series_csv(path) && !path.ends_with(".json"))
    throw BadInput(fmt::format(
        "--series-file: found '{}'; allowed: a name that ends with .csv or .json", path));
}

std::string series_text(const std::string& path, std::span<const SeriesOfRun> runs,
                        std::string_view version) {
  if (is_series_csv(path)) return csv_of_series(runs);
  nlohmann::ordered_json objects = nlohmann::ordered_json::array();
  for (const SeriesOfRun& run : runs) {
    JsonObject<fields::kSeriesRun> json{
        {"config", run.config}, {"settings", settings_json(run.settings)}, {"fabric", run.fabric}};
    if (run.size_bytes) json.set("size_bytes", *run.size_bytes);
    if (run.rate) json.set("rate", *run.rate);
    json.set("series", series_json(*run.series));
    objects.push_back(json);
  }
  return text_of(
      JsonObject<fields::kSeriesDocument>{{"fredsim", version}, {"runs", std::move(objects)}});
}

}  // namespace fredsim
