// SPDX-License-Identifier: Apache-2.0
// `fredsim schema`: the JSON schema of machine files, studies or results, or their keys as a page.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/study_commands.h"
#include "config/machine_schema.h"
#include "report/fields/all.h"
#include "results/reference.h"
#include "results/schema.h"
#include "runner/option_values.h"
#include "study/study_schema.h"

namespace fredsim {
namespace {

struct DescribedFiles {
  std::string_view name;
  std::string (*page)();
  nlohmann::ordered_json (*schema)();
};

constexpr std::array kDescribed{
    DescribedFiles{"machine", machine_reference, machine_file_schema},
    DescribedFiles{"study", [] { return study_reference(study_commands()); },
                   [] { return study_file_schema(study_commands()); }},
    DescribedFiles{"results", [] { return results_reference(fields::kDocuments); },
                   [] { return results_schema(machine_in_results_schema(), fields::kDocuments); }}};

std::array<std::string_view, kDescribed.size()> file_names() {
  std::array<std::string_view, kDescribed.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kDescribed[i].name;
  return names;
}

class SchemaCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    offer(app.add_option("FILES", name_, "machine, study or results")->required()->type_name(""),
          file_names());
    app.add_flag("--markdown", is_page_, "their keys as a page, in place of a schema");
  }

  void check() override { files_ = &kDescribed[parse_word("FILES", name_, file_names())]; }

  FileUses files() const override { return {}; }

  void run(const Invocation& /*invocation*/) override {
    fmt::print("{}", is_page_ ? files_->page() : files_->schema().dump(2) + "\n");
  }

 private:
  std::string name_;
  bool is_page_ = false;
  const DescribedFiles* files_ = nullptr;
};

}  // namespace

CommandRow schema_row() {
  return {
      .name = "schema",
      .purpose = "Prints the JSON schema of machine files or studies, for editors, or of results.",
      .aliases = "keys format",
      .examples =
          "  fredsim schema machine\n"
          "  fredsim schema results --markdown",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<SchemaCommand>(); }};
}

}  // namespace fredsim
