// SPDX-License-Identifier: Apache-2.0
// `fredsim schema`: JSON schema of a kind of input files or of results, or their keys as a page.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/study_commands.h"
#include "config/file_schema.h"
#include "config/machine_schema.h"
#include "experts/expert_placement.h"
#include "experts/router_file.h"
#include "report/fields/all.h"
#include "results/reference.h"
#include "results/schema.h"
#include "runner/option_values.h"
#include "runner/placement.h"
#include "runner/work_file.h"
#include "study/study_schema.h"
#include "topology/graph/graph_file.h"
#include "workload/model_file.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

struct DescribedFiles {
  std::string_view name;
  std::function<std::string()> page;
  std::function<Json()> schema;
};

std::vector<DescribedFiles> described_files() {
  std::vector<DescribedFiles> files{{"machine", machine_reference, machine_file_schema}};
  for (const FileKeys* const keys :
       {&model_file_keys(), &work_file_keys(), &placement_file_keys(), &router_file_keys(),
        &expert_placement_keys(), &graph_file_keys()})
    files.push_back({keys->name, [keys] { return file_reference(*keys); },
                     [keys] { return file_schema(*keys); }});
  files.push_back({"study", [] { return study_reference(study_commands()); },
                   [] { return study_file_schema(study_commands()); }});
  files.push_back({"results", [] { return results_reference(fields::kDocuments); },
                   [] { return results_schema(machine_in_results_schema(), fields::kDocuments); }});
  return files;
}

std::vector<std::string_view> file_names() {
  static const std::vector<DescribedFiles> kFiles = described_files();
  std::vector<std::string_view> names;
  for (const DescribedFiles& files : kFiles) names.push_back(files.name);
  return names;
}

class SchemaCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&SchemaCommand::name_>(
            "FILES", "", "", {.more_words = file_words, .more_meaning = file_list, .least = 1}),
        rows::flag<&SchemaCommand::is_page_>("--markdown",
                                             "their keys as a page, in place of a schema"));
    options_.add(app, *this, kRows);
  }

  void check() override {
    options_.read();
    files_ = described_files()[parse_word("FILES", name_, file_names())];
  }

  FileUses files() const override { return {}; }

  void run(const Invocation& /*invocation*/) override {
    fmt::print("{}", is_page_ ? files_.page() : files_.schema().dump(2) + "\n");
  }

 private:
  static std::string file_words() { return fmt::format("{}", fmt::join(file_names(), " ")); }
  static std::string file_list() { return join_words(file_names()); }

  OptionSet options_;
  std::string name_;
  bool is_page_ = false;
  DescribedFiles files_{};
};

}  // namespace

CommandRow schema_row() {
  return {.name = "schema",
          .purpose = "Prints the JSON schema of machine files, studies or results.",
          .aliases = "keys format",
          .examples =
              "  fredsim schema machine\n"
              "  fredsim schema model --markdown\n"
              "  fredsim schema results --markdown",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<SchemaCommand>(); }};
}

}  // namespace fredsim
