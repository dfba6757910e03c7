// SPDX-License-Identifier: Apache-2.0
#include "runner/series_options.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "results/version.h"

namespace fredsim {

void check_series(const SeriesOptions& options, const std::string& json_file) {
  if (options.cycles == 0) return;
  if (options.file.empty() && json_file.empty())
    throw BadInput(
        fmt::format("--series: found {} without a file; allowed: together with --series-file or "
                    "--json",
                    options.cycles));
  if (!options.file.empty()) check_series_file(options.file);
}

void write_series(const OutputFile& file, std::span<const ReportedRun> runs) {
  std::vector<SeriesOfRun> series;
  for (const auto& [result, comparison, is_best_base, speedup_best_base] : runs)
    if (result.series)
      series.push_back({.config = result.config,
                        .settings = result.settings,
                        .fabric = result.fabric,
                        .size_bytes = result.size_bytes,
                        .series = &*result.series});
  file.write(series_text(file.path(), series, version()));
}

void write_series(const OutputFile& file, const TrafficSetup& setup,
                  std::span<const TrafficPoint> points) {
  std::vector<SeriesOfRun> series;
  for (const TrafficPoint& point : points)
    if (point.series)
      series.push_back({.config = setup.config,
                        .settings = setup.settings,
                        .fabric = setup.fabric,
                        .rate = point.rate,
                        .series = &*point.series});
  file.write(series_text(file.path(), series, version()));
}

}  // namespace fredsim
