// SPDX-License-Identifier: Apache-2.0
// `fredsim traffic`: synthetic traffic, without SystemC.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "config/buffer_notes.h"
#include "report/breakdown_table.h"
#include "report/output_file.h"
#include "report/traffic_table.h"
#include "results/fields/traffic.h"
#include "results/version.h"
#include "runner/machines.h"
#include "runner/run.h"
#include "runner/run_ranks.h"
#include "runner/wave_options.h"

namespace fredsim {

namespace {

// Prints the tables, also of points before a failure.
class TrafficPrinter final : public RunObserver {
 public:
  explicit TrafficPrinter(const TrafficRequest& request)
      : request_(request), output_(table_output(request)) {}

  void on_end(const Results& results) override {
    const TrafficJobs& traffic = *std::get<TrafficResults>(results);
    if (traffic.wave() != nullptr) note_wave(*traffic.wave(), request_.quiet);
    if (!prints() || traffic.points().empty()) return;
    fmt::print("{}", output_.table(traffic_table(traffic.setup(), traffic.points())));
    fmt::print("{}", output_.block(traffic_summary(traffic.setup(), traffic.points())));
    for (const TrafficPoint& point : traffic.points()) {
      if (!point.breakdown) continue;
      const std::string title =
          fmt::format("{}, {} at rate {:g}", traffic.name(), traffic.setup().pattern, point.rate);
      fmt::print("{}", breakdown_text(title, {&*point.breakdown, 1}, output_));
    }
  }

  void print_notes(const TrafficJobs& traffic) {
    if (!prints()) return;
    const Topology& topology = traffic.machine().topology;
    if (!request_.quiet) {
      std::vector<std::string> notes = topology.notes;
      std::ranges::move(buffer_notes(topology, lengths()), std::back_inserter(notes));
      fmt::print("{}", output_.lists({{notes_title(traffic.machine()), std::move(notes)}}));
    }
    fmt::print("{}", output_.legend(kTrafficLegend));
  }

 private:
  std::vector<int> lengths() const {
    const TrafficOptions& options = request_.traffic;
    if (!request_.netrace.file.empty())
      return {netrace_flits(kMaxNetraceBytes, request_.netrace.flit_bytes)};
    if (options.exchange.is_on) return {options.exchange.longest()};
    std::vector<int> lengths = options.packet_flits.lengths();
    std::ranges::sort(lengths);
    return lengths;
  }
  bool prints() const { return request_.json_file != "-"; }

  const TrafficRequest& request_;
  TableOutput output_;
};

class TrafficCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, request_, kMachineRows);
    options_.add_given(app, kTrafficRows);
    options_.add(app, request_, kSwitchRows);
    options_.add(
        app, request_.traffic,
        seed_rows<&TrafficOptions::seed>("seed of creation times and destinations (default 1)"));
    options_.add(app, request_.breakdown, kBreakdownRows);
    options_.add(app, request_.series, kSeriesRows);
    options_.add(app, request_.wave, kWaveRows);
    options_.add(app, request_, kJsonRows, kTableRows, kOverrideRows, kRankRows, kQuietRows,
                 kProgressRows);
  }

  void check() override {
    options_.read();
    check_switches(request_);
    check_wave(options_.texts, request_.wave, request_.model);
    read_traffic(options_.texts, request_);
    check_threads(request_);
    check_series(request_.series, request_.json_file);
    refuse_on_ranks("--wave", !request_.wave.file.empty());
    refuse_on_ranks("--breakdown", request_.breakdown.is_on);
    refuse_on_ranks("--series", request_.series.cycles > 0);
    refuse_on_ranks("--netrace", !request_.netrace.file.empty());
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    if (const auto& matrix = request_.traffic.pattern.matrix; matrix != nullptr)
      files.inputs.push_back({.option = "--pattern", .given = matrix->file});
    if (!request_.netrace.file.empty())
      files.inputs.push_back({.option = "--netrace", .given = request_.netrace.file});
    add_output("--json", request_.json_file, files);
    add_output("--progress", request_.progress_file, files);
    add_output("--series-file", request_.series.file, files);
    add_wave_files(request_.wave, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    TrafficPrinter printer(request_);
    answer_command(request_, invocation, printer, [&](const Results& answer) {
      printer.print_notes(*std::get<TrafficResults>(answer));
    });
  }

 private:
  OptionSet options_;
  TrafficRequest request_;
};

}  // namespace

CommandRow traffic_row() {
  return {.name = "traffic",
          .purpose = "Latency and throughput of a machine under synthetic traffic.",
          .aliases = "synthetic noc booksim garnet load netrace",
          .main_options =
              "--rate --saturation --pattern --packet-flits --request-reply --netrace "
              "--warmup --cycles --model --threads --breakdown --wave --set --json --format",
          .examples =
              "  fredsim traffic mesh_2x2 --rate 0.1:1:0.1\n"
              "  fredsim traffic mesh_2x2 --saturation --pattern transpose",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<TrafficCommand>(); },
          .runs_on_ranks = true,
          .point_results = &fields::kTrafficDocument};
}

}  // namespace fredsim
