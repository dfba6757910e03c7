// SPDX-License-Identifier: Apache-2.0
// The file of --series-file: series of links of all runs, as CSV, a line per window and link, or as
// JSON with the keys of results.
//
// CSV: names with units as in results, RFC 4180, all digits. Stalls of switches are in JSON only.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/setting.h"
#include "results/fields/series.h"
#include "results/json_object.h"
#include "results/link_series.h"

namespace fredsim {

struct SeriesOfRun {
  std::string config;
  Settings settings;
  std::string fabric;
  std::optional<std::uint64_t> size_bytes{};  // collectives only
  std::optional<double> rate{};               // synthetic traffic only
  const LinkSeries* series = nullptr;
};

JsonObject<fields::kSeries> series_json(const LinkSeries& series);

// Throws BadInput for names that do not end with .csv or .json.
void check_series_file(const std::string& path);
std::string series_text(const std::string& path, std::span<const SeriesOfRun> runs,
                        std::string_view version);

}  // namespace fredsim
