#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "cli/commands.h"
#include "report/output_file.h"
#include "report/report_data.h"
#include "report/report_page.h"
#include "results/version.h"

namespace fredsim {
namespace {

ResultFile read(const std::string& path) {
  std::optional<std::string> text = file_text(path);
  if (!text) {
    throw BadInput(
        fmt::format("{}: cannot be read: {}; allowed: results of run, compare, train, traffic or "
                    "conflicts (--json FILE), or of scripts/microarchitectures.sh",
                    path, std::generic_category().message(errno)));
  }
  return {.path = path, .text = std::move(*text)};
}

}  // namespace

void report_command(const Options& options) {
  const OutputFile page(options.page_file, "--output");
  ReportData data;
  for (const std::string& path : options.result_files) data.add(read(path));
  page.write(report_page(version(), data.json()));
}

}  // namespace fredsim
