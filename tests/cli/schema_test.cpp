// SPDX-License-Identifier: Apache-2.0
// `fredsim schema` and `fredsim help --markdown`: the files of the tree equal their output.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file_text.h"
#include "support/program.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

struct Printed {
  Words command;
  const char* file;
};

class PrintedFile : public testing::TestWithParam<Printed> {};

TEST_P(PrintedFile, IsThatOfTheTree) {
  const auto& [command, file] = GetParam();
  const Outcome outcome = run_fredsim(command);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(file_text(file) == outcome.out)
      << file << " is stale; renew it: scripts/reference.sh";
}

INSTANTIATE_TEST_SUITE_P(
    Schema, PrintedFile,
    testing::Values(Printed{{"schema", "machine"}, "docs/reference/machine.schema.json"},
                    Printed{{"schema", "study"}, "docs/reference/study.schema.json"},
                    Printed{{"schema", "study", "--markdown"}, "docs/reference/studies.md"},
                    Printed{{"schema", "results"}, "sc_models/results/results.schema.json"},
                    Printed{{"schema", "machine", "--markdown"}, "docs/reference/machine_files.md"},
                    Printed{{"schema", "results", "--markdown"}, "docs/reference/results.md"},
                    Printed{{"schema", "model", "--markdown"}, "docs/reference/model_files.md"},
                    Printed{{"schema", "work", "--markdown"}, "docs/reference/work_files.md"},
                    Printed{{"schema", "placement", "--markdown"},
                            "docs/reference/placement_files.md"},
                    Printed{{"schema", "router", "--markdown"}, "docs/reference/router_files.md"},
                    Printed{{"schema", "expert_placement", "--markdown"},
                            "docs/reference/expert_placement_files.md"},
                    Printed{{"schema", "graph", "--markdown"}, "docs/reference/graph_files.md"},
                    Printed{{"help", "--markdown"}, "docs/reference/options.md"}));

TEST(Schema, RefusesOtherFiles) {
  const Outcome outcome = run_fredsim({"schema", "machines"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("FILES: found 'machines'; did you mean 'machine'?"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace fredsim
