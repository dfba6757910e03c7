// SPDX-License-Identifier: Apache-2.0
// Options of series of links (results/link_series.h), a row each, and their file.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/output_file.h"
#include "report/series_file.h"
#include "results/option_row.h"
#include "results/report.h"
#include "results/traffic_results.h"
#include "runner/run_options.h"

namespace fredsim {

struct SeriesOptions {
  std::uint64_t cycles = 0;  // length of a window; 0: no series
  std::string file;          // empty: none
};
inline constexpr auto kSeriesRows = rows::under(
    headings::kOutput,
    rows::number<&SeriesOptions::cycles>(
        "--series", "N",
        "flits, bytes and utilization of each link in every N cycles, in --json and --series-file; "
        "all cycles are then simulated one by one",
        {.only_exact = kNoCycles}),
    rows::text<&SeriesOptions::file>(
        "--series-file", "FILE",
        "with --series: writes the series, as CSV into FILE.csv, as "
        "JSON into FILE.json",
        {.needs = "--series", .allowed = "together with --series N", .only_exact = kNoCycles}));

// Checks the options together, after they are read.
void check_series(const SeriesOptions& options, const std::string& json_file);

// Writes the series of all runs.
void write_series(const OutputFile& file, std::span<const ReportedRun> runs);
void write_series(const OutputFile& file, const TrafficSetup& setup,
                  std::span<const TrafficPoint> points);

}  // namespace fredsim
