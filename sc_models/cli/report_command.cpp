// SPDX-License-Identifier: Apache-2.0
// `fredsim report`: results of earlier commands as a page.
#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "report/output_file.h"
#include "report/report_data.h"
#include "report/report_page.h"
#include "results/version.h"
#include "runner/run_options.h"

namespace fredsim {
namespace {

ResultFile read(const std::string& path) {
  std::optional<std::string> text = file_text(path);
  if (!text) {
    throw BadInput(
        fmt::format("{}: cannot be read: {}; allowed: a file of --json, or table.json of sweep",
                    path, std::generic_category().message(errno)));
  }
  return {.path = path, .text = std::move(*text)};
}

class ReportCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&ReportCommand::results_>(
            "RESULTS", "",
            "JSON of run, compare, train, traffic or conflicts, table.json of sweep, or of "
            "scripts/microarchitectures.sh",
            {.least = 1, .most = kAnyNumber}),
        rows::text<&ReportCommand::page_>("-o,--output", "FILE.html",
                                          "the page (default report.html); - is standard output",
                                          {.initial = "report.html"}));
    options_.add(app, *this, kRows);
  }

  void check() override { options_.read(); }

  FileUses files() const override {
    FileUses files;
    for (const std::string& path : results_) files.inputs.push_back({"RESULTS", path});
    add_output("--output", page_, files);
    return files;
  }

  void run(const Invocation&) override {
    const OutputFile page(page_, "--output");
    ReportData data;
    for (const std::string& path : results_) data.add(read(path));
    page.write(report_page(version(), data.json()));
  }

 private:
  OptionSet options_;
  std::vector<std::string> results_;
  std::string page_;
};

}  // namespace

CommandRow report_row() {
  return {.name = "report",
          .purpose = "Draws results as a page for a browser: curves, links, stalls.",
          .aliases = "plot html page graph",
          .examples =
              "  fredsim run mesh_2x2 -b 1KiB -e 64KiB --json results.json\n"
              "  fredsim report results.json -o results.html",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<ReportCommand>(); }};
}

}  // namespace fredsim
