// SPDX-License-Identifier: Apache-2.0
#include "report/nccl_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/member.h"
#include "base/setting.h"

namespace fredsim {

namespace {

struct NcclTest {
  std::string_view collective, program;
  bool reduces = false;
  bool has_root = false;
  bool counts_per_rank = false;  // count: elements of one rank
};
constexpr std::array kNcclTests{
    NcclTest{.collective = "all_reduce", .program = "all_reduce_perf", .reduces = true},
    NcclTest{.collective = "reduce_scatter",
             .program = "reduce_scatter_perf",
             .reduces = true,
             .counts_per_rank = true},
    NcclTest{.collective = "all_gather", .program = "all_gather_perf", .counts_per_rank = true},
    NcclTest{.collective = "reduce", .program = "reduce_perf", .reduces = true, .has_root = true},
    NcclTest{.collective = "broadcast", .program = "broadcast_perf", .has_root = true},
    NcclTest{.collective = "gather",
             .program = "gather_perf",
             .has_root = true,
             .counts_per_rank = true},
    NcclTest{.collective = "scatter",
             .program = "scatter_perf",
             .has_root = true,
             .counts_per_rank = true},
    NcclTest{.collective = "all_to_all", .program = "alltoall_perf", .counts_per_rank = true},
    NcclTest{.collective = "all_to_all_v", .program = "alltoallv_perf", .counts_per_rank = true},
};
constexpr std::uint64_t kElementBytes = 2;

const NcclTest* find_test(std::string_view collective) {
  const auto* const found = std::ranges::find(kNcclTests, collective, &NcclTest::collective);
  return found == kNcclTests.end() ? nullptr : found;
}

// A number with as many decimals as its column has room for.
std::string fitted_number(double value, std::size_t width, int decimals) {
  for (;; --decimals) {
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= width || decimals == 0) return text;
  }
}

std::string column_group(const RunResult& r) {
  constexpr std::size_t kTimeWidth = 7, kBandwidthWidth = 6;
  constexpr double kNsPerUs = 1000;
  return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}",
                     fitted_number(r.time_ns / kNsPerUs, kTimeWidth, 4),
                     fitted_number(r.algbw_gbps, kBandwidthWidth, 2),
                     fitted_number(r.busbw_gbps, kBandwidthWidth, 2), r.flow ? "N/A" : "0");
}

std::string nccl_row(const RunResult& r, const NcclTest& test, int root) {
  const std::uint64_t elements = r.size_bytes / kElementBytes;
  const std::string group = column_group(r);
  return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", r.size_bytes,
                     test.counts_per_rank ? elements / r.groups.front().size() : elements, "half",
                     test.reduces ? "sum" : "none", test.has_root ? root : -1, group, group);
}

// Ranks as NCCL-tests lists its devices.
std::string rank_lines(const RunResult& r) {
  std::string text;
  int rank = 0;
  for (std::size_t g = 0; g < r.groups.size(); ++g) {
    for (const int member : r.groups[g]) {
      const std::string name =
          is_io_member(member) ? member_name(member) : fmt::format("npu{}", member_name(member));
      text += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] simulated\n",
                          rank, g, 0, r.fabric, rank, name);
      ++rank;
    }
  }
  return text;
}

std::string head_lines(std::span<const ReportedRun> runs, const NcclTest& test,
                       std::string_view version) {
  const RunResult& first = runs.front().result;
  const std::uint64_t last_size = runs.back().result.size_bytes;
  std::size_t ranks = 0;
  for (const auto& group : first.groups) ranks += group.size();
  const std::uint64_t factor = runs.size() > 1 ? runs[1].result.size_bytes / first.size_bytes : 1;
  std::string text = fmt::format(
      "# fredsim {}: {}, algorithm {}, simulated{}\n"
      "# Collective test starting: {}\n"
      "# nThread 1 nGpus {} minBytes {} maxBytes {} step: {}(factor) warmup iters: 0 iters: 1 agg "
      "iters: 1 validation: {} graph: 0 unalign: 0\n"
      "#\n"
      "# Using devices\n",
      version, with_settings(first.fabric, first.settings.own), first.algorithm,
      first.flow ? " by flows" : "", test.program, ranks, first.size_bytes, last_size, factor,
      first.flow ? 0 : 1);
  text += rank_lines(first);
  text += fmt::format(
      "#\n# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}           out-of-place                       "
      "in-place          \n",
      "", "", "", "", "");
  const auto heading = [&](std::array<std::string_view, 5> work,
                           std::array<std::string_view, 4> group) {
    const auto of_group =
        fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", group[0], group[1], group[2], group[3]);
    text += fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", work[0], work[1], work[2],
                        work[3], work[4], of_group, of_group);
  };
  heading({"size", "count", "type", "redop", "root"}, {"time", "algbw", "busbw", "#wrong"});
  heading({"(B)", "(elements)", "", "", ""}, {"(us)", "(GB/s)", "(GB/s)", ""});
  return text;
}

}  // namespace

std::optional<std::string_view> nccl_program(std::string_view collective) {
  const NcclTest* const test = find_test(collective);
  return test == nullptr ? std::nullopt : std::optional(test->program);
}

std::string nccl_collectives() {
  std::string text;
  for (const NcclTest& test : kNcclTests)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", test.collective);
  return text;
}

std::string nccl_text(std::span<const ReportedRun> runs, int root, std::string_view version) {
  if (runs.empty()) return "";
  const NcclTest& test = *find_test(runs.front().result.collective);
  std::string text = head_lines(runs, test, version);
  double sum = 0;
  int rows = 0;
  for (const ReportedRun& run : runs) {
    if (run.result.incomplete) continue;
    text += nccl_row(run.result, test, root);
    sum += run.result.busbw_gbps;
    ++rows;
  }
  return text + fmt::format(
                    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:g} \n#\n"
                    "# Collective test concluded: {}\n",
                    rows == 0 ? 0 : sum / rows, test.program);
}

}  // namespace fredsim
