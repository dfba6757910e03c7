// SPDX-License-Identifier: Apache-2.0
// `fredsim sweep`: the points of a study.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/long_words.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/study_run.h"
#include "report/output_file.h"
#include "report/report_data.h"
#include "report/report_page.h"
#include "results/version.h"
#include "runner/interrupt.h"
#include "runner/option_values.h"
#include "runner/program_name.h"
#include "runner/run_options.h"
#include "study/snakemake.h"
#include "study/study_table.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMaxJobs = 1024;
constexpr std::size_t kMaxPagePoints = 20'000;  // a page of more is slow in a browser
constexpr std::size_t kMaxListedFailures = 10;
constexpr std::size_t kMaxListedFiles = 3;
constexpr std::string_view kSnakemake = "snakemake";

std::size_t count_missing(const StudyRun& study) {
  return static_cast<std::size_t>(std::ranges::count_if(
      study.outcomes(), [](const auto& outcome) { return !outcome.has_value(); }));
}

std::vector<StudyRow> rows_of(const StudyRun& study) {
  std::vector<StudyRow> rows;
  for (std::size_t i = 0; i < study.points().size(); ++i) {
    if (study.outcomes()[i])
      rows.push_back({study.hashes()[i], study.points()[i], *study.outcomes()[i]});
  }
  return rows;
}

std::string_view state_of(const std::optional<PointOutcome>& outcome) {
  return !outcome ? "missing" : outcome->is_done ? "done" : "failed";
}

// Points that failed with the same first line of their message.
struct Failure {
  std::string message;
  std::size_t points = 0;
  std::size_t first = 0;  // number of the first point
};

std::vector<Failure> failures_of(const StudyRun& study) {
  std::vector<Failure> failures;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < study.points().size(); ++i) {
    const std::optional<PointOutcome>& outcome = study.outcomes()[i];
    if (!outcome || outcome->is_done) continue;
    const std::string line = outcome->message.substr(0, outcome->message.find('\n'));
    const auto [place, is_new] = places.try_emplace(line, failures.size());
    if (is_new) failures.push_back({.message = line, .points = 0, .first = i});
    ++failures[place->second].points;
  }
  return failures;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

class SweepCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    using S = SweepCommand;
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&S::study_>("STUDY", "", "study file: machines, settings and works",
                               {.least = 1}),
        rows::text<&S::results_>("--results", "DIR",
                                 "folder of the results (default: name of the study with "
                                 ".results); points in it are not run again"),
        rows::number<&S::jobs_>("--jobs", "N", "points at a time (default 1)",
                                {.initial = "1", .max = kMaxJobs}),
        rows::flag<&S::retry_>("--retry", "runs failed points again"),
        rows::flag<&S::list_>("--list", "lists all points with hash, state and command; runs none"),
        rows::text<&S::point_>("--point", "HASH", "runs this point alone, and writes no table"),
        rows::flag<&S::table_>("--table", "prints the table of the finished points; runs none"),
        rows::text<&S::export_>(
            "--export", "snakemake DIR",
            "writes a Snakefile for all points and a profile for Slurm; runs none", {.most = 2}),
        rows::flag<&S::quiet_>("--quiet", "no progress and no summary"));
    options_.add(app, *this, kRows);
    options_.add(app, output_, kProgressRows);
    app.get_option("--export")->type_size(2)->expected(1);
    constexpr std::array kModes{"--list", "--point", "--table", "--export"};
    for (std::size_t i = 0; i < kModes.size(); ++i)
      for (std::size_t j = i + 1; j < kModes.size(); ++j)
        app.get_option(kModes[i])->excludes(app.get_option(kModes[j]));
  }

  void check() override {
    options_.read();
    if (!export_.empty()) {
      constexpr std::array kKinds{kSnakemake};
      parse_word("--export", export_.front(), kKinds);
    }
  }

  FileUses files() const override {
    FileUses files;
    files.inputs.push_back({"STUDY", study_});
    add_output("--progress", output_.progress_file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    interrupt_flag();
    const std::shared_ptr<ProgressLog> log = open_progress(output_.progress_file);
    StudyRun study(study_, results_);
    if (!export_.empty()) return write_workflow(study);
    if (!point_.empty()) return run_point(study);
    study.find_outcomes();
    note_unreadable(study);
    if (list_) return print_list(study);
    const bool is_complete = table_ || run_missing(study, log.get());
    if (!is_complete) study.find_outcomes();
    const std::vector<std::string> tables = write_tables(study, invocation.command_line);
    if (!quiet_) print_summary(study, tables);
    if (!is_complete) {
      throw Interrupted(fmt::format("interrupted: {} of {} points complete",
                                    study.points().size() - count_missing(study),
                                    study.points().size()));
    }
    check_failures(study);
  }

 private:
  void note_unreadable(const StudyRun& study) const {
    const std::vector<std::string>& files = study.unreadable();
    if (quiet_ || files.empty()) return;
    for (const std::string& file : files | std::views::take(kMaxListedFiles))
      fmt::print(stderr, "{}: {}; the point counts as not run\n", program_name(), file);
    if (files.size() > kMaxListedFiles)
      fmt::print(stderr, "{}: {} other files of points cannot be read\n", program_name(),
                 files.size() - kMaxListedFiles);
  }

  bool run_missing(StudyRun& study, ProgressLog* log) const {
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < study.points().size(); ++i) {
      const std::optional<PointOutcome>& outcome = study.outcomes()[i];
      if (!outcome || (retry_ && !outcome->is_done)) points.push_back(i);
    }
    return study.run(points, jobs_, !quiet_, log);
  }

  void run_point(StudyRun& study) const {
    const auto found = std::ranges::find(study.hashes(), point_);
    if (found == study.hashes().end()) {
      throw BadInput(fmt::format(
          "--point: found '{}'; allowed: the hash of a point of {}, as --list prints it", point_,
          study_));
    }
    const auto point = static_cast<std::size_t>(found - study.hashes().begin());
    if (!study.run({&point, 1}, 1, false))
      throw Interrupted("interrupted: the point is not complete");
    const PointOutcome& outcome = study.outcomes()[point].value();
    if (!outcome.is_done && !study.is_kept(point)) throw RunFailed(outcome.message);
  }

  static void print_list(const StudyRun& study) {
    for (std::size_t i = 0; i < study.points().size(); ++i) {
      fmt::print("{}  {:7}  {}\n", study.hashes()[i], state_of(study.outcomes()[i]),
                 study.command_text(i));
    }
  }

  // Writes the tables and returns their names.
  std::vector<std::string> write_tables(const StudyRun& study,
                                        const std::string& command_line) const {
    study.folder().create();
    const std::vector<StudyRow> rows = rows_of(study);
    const std::string json =
        study_json(origin_of(command_line), study.study().name, count_missing(study), rows);
    std::vector<std::pair<std::string, std::string>> texts{
        {"table.csv", study_csv(rows)}, {"table.jsonl", study_lines(rows)}, {"table.json", json}};
    if (!rows.empty() && rows.size() <= kMaxPagePoints) {
      ReportData data;
      data.add({.path = study.folder().file("table.json"), .text = json});
      texts.emplace_back("report.html", report_page(version(), data.json()));
    }
    std::vector<OutputFile> files;
    std::vector<std::string_view> views;
    for (const auto& [name, text] : texts) {
      files.emplace_back(study.folder().file(name), "--results");
      views.emplace_back(text);
    }
    OutputFile::write_together(files, views);
    std::vector<std::string> names;
    for (auto& [name, text] : texts) names.push_back(std::move(name));
    return names;
  }

  static void print_summary(const StudyRun& study, const std::vector<std::string>& tables) {
    const std::vector<Failure> failures = failures_of(study);
    std::size_t failed = 0;
    for (const Failure& failure : failures) failed += failure.points;
    const std::size_t missing = count_missing(study);
    fmt::print("{}: {} points: {} done, {} failed{}\n", study.study().name, study.points().size(),
               study.points().size() - missing - failed, failed,
               missing == 0 ? "" : fmt::format(", {} not run", missing));
    for (std::size_t i = 0; i < std::min(failures.size(), kMaxListedFailures); ++i) {
      const auto& [message, points, first] = failures[i];
      fmt::print("failed: {}\n  {}{}\n", with_short_words(message),
                 points == 1 ? "" : fmt::format("{} points, the first one: ", points),
                 study.command_text(first));
    }
    if (failures.size() > kMaxListedFailures)
      fmt::print("failed: {} other messages\n", failures.size() - kMaxListedFailures);
    fmt::print("{}: {}\n", study.folder().path(), fmt::join(tables, ", "));
  }

  void check_failures(const StudyRun& study) const {
    const auto failed = std::ranges::count_if(
        study.outcomes(), [](const auto& outcome) { return outcome && !outcome->is_done; });
    if (failed > 0) {
      throw RunFailed(fmt::format("{}: {} of {} points failed; {} says why", study_, failed,
                                  study.points().size(), study.folder().file("table.csv")));
    }
  }

  void write_workflow(const StudyRun& study) const {
    study.folder().create();  // before several jobs try it concurrently
    const std::filesystem::path folder(export_.back());
    const Workflow workflow{.program = own_program(),
                            .folder = absolute("."),
                            .study = study_,
                            .results = absolute(study.folder().path()),
                            .points = study.hashes()};
    std::vector<OutputFile> files;
    std::vector<std::string> texts;
    for (WorkflowFile& file : snakemake_files(workflow)) {
      const std::filesystem::path path = folder / file.name;
      std::error_code error;
      std::filesystem::create_directories(path.parent_path(), error);
      if (error) {
        throw BadInput(
            fmt::format("--export: '{}': cannot be made: {}; allowed: a folder in one "
                        "that can be written",
                        path.parent_path().string(), error.message()));
      }
      files.emplace_back(path.string(), "--export");
      texts.push_back(std::move(file.text));
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    OutputFile::write_together(files, views);
    if (!quiet_)
      fmt::print("{}: {} points; in it: snakemake --cores N, or snakemake --profile slurm\n",
                 export_.back(), study.points().size());
  }

  OptionSet options_;
  OutputOptions output_;
  std::string study_, results_, point_;
  std::vector<std::string> export_;
  bool retry_ = false, list_ = false, table_ = false, quiet_ = false;
  std::size_t jobs_ = 1;
};

}  // namespace

CommandRow sweep_row() {
  return {.name = "sweep",
          .purpose = "Runs a study: machines x settings x works, each point once.",
          .aliases = "study grid dse batch",
          .examples =
              "  fredsim sweep configs/studies/small.yaml --jobs 2\n"
              "  fredsim sweep configs/studies/small.yaml --export snakemake cluster",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<SweepCommand>(); }};
}

}  // namespace fredsim
