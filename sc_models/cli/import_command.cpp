// SPDX-License-Identifier: Apache-2.0
// `fredsim import`: the machine file of a network that another tool describes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text_width.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "import/import_format.h"
#include "report/output_file.h"
#include "runner/option_values.h"
#include "runner/program_name.h"
#include "runner/run_options.h"
#include "traffic/traffic_pattern.h"

namespace fredsim {
namespace {

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const ImportFormat* const format : import_formats()) names.push_back(format->name);
  return names;
}

std::vector<Alias> format_aliases() {
  std::vector<Alias> aliases;
  for (const ImportFormat* const format : import_formats())
    aliases.push_back({format->name, format->aliases});
  return aliases;
}

bool has_pattern(std::string_view name) {
  try {
    parse_pattern(std::string(name));
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

class ImportCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::join(
        rows::under(
            headings::kWork,
            rows::text<&ImportCommand::name_>(
                "FORMAT", "", "",
                {.more_words = format_words, .more_meaning = format_list, .least = 1}),
            rows::text<&ImportCommand::file_>("FILE", "", "the file", {.least = 1}),
            rows::parsed<parse_bandwidth, &ImportCommand::bandwidth_>(
                "--link-bandwidth", "RATE",
                "bandwidth per direction of links for which the format has none; of NVLinks, of "
                "one"),
            rows::parsed<parse_time_ps, &ImportCommand::latency_ps_>(
                "--link-latency", "TIME", "latency of links for which the format has none")),
        rows::under(headings::kOutput,
                    rows::text<&ImportCommand::output_>(
                        "-o,--output", "FILE", "the machine file; - (default) is standard output",
                        {.initial = "-"})));
    options_.add(app, *this, kRows);
  }

  void check() override {
    options_.read();
    const auto found = std::ranges::find(import_formats(), name_,
                                         [](const ImportFormat* format) { return format->name; });
    if (found == import_formats().end())
      refuse_word("FORMAT", name_, format_names(), format_aliases());
    format_ = *found;
  }

  FileUses files() const override {
    FileUses files;
    files.inputs.push_back({"FILE", file_});
    add_output("--output", output_, files);
    return files;
  }

  void run(const Invocation& /*invocation*/) override {
    const OutputFile output(output_, "--output");
    const ImportResult result = import_machine(
        *format_, file_,
        {.bandwidth = bandwidth_, .latency_ps = latency_ps_, .has_pattern = has_pattern});
    output.write(result.text);
    for (const auto& [keys, reason] : result.notes)
      fmt::print(stderr, "{}: {}: {}\n", program_name(), printable(keys), printable(reason));
  }

 private:
  static std::string format_words() { return fmt::format("{}", fmt::join(format_names(), " ")); }
  static std::string format_list() {
    std::vector<std::string> all;
    for (const ImportFormat* const format : import_formats())
      all.push_back(fmt::format("{}: {}", format->name, format->reads));
    return fmt::format("{}", fmt::join(all, "; "));
  }

  OptionSet options_;
  std::string name_, file_, output_ = "-";
  std::optional<std::uint64_t> bandwidth_, latency_ps_;
  const ImportFormat* format_ = nullptr;
};

}  // namespace

CommandRow import_row() {
  return {.name = "import",
          .purpose = "Prints a machine file of another tool's network.",
          .aliases = "convert read translate",
          .examples =
              "  fredsim import ns3 configs/systems/files/ns3_ring.txt > my.yaml\n"
              "  fredsim import ns3 configs/systems/files/ns3_ring.txt --output my.yaml",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<ImportCommand>(); }};
}

}  // namespace fredsim
