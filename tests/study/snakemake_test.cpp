// SPDX-License-Identifier: Apache-2.0
#include "study/snakemake.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace fredsim {
namespace {

TEST(Snakemake, FilesNameThePointsAndWhatRunsThem) {
  const std::vector<std::string> points{"aa", "bb"};
  const std::vector<WorkflowFile> files = snakemake_files({.program = "/bin/fredsim",
                                                           .folder = "/home/o'neil",
                                                           .study = "s.yaml",
                                                           .results = "/r",
                                                           .points = points});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].name, "Snakefile");
  const nlohmann::json study = nlohmann::json::parse(files[1].text);
  EXPECT_EQ(study["program"], "/bin/fredsim");
  EXPECT_EQ(study["folder"], "/home/o'neil");
  EXPECT_EQ(study["points"], points);
  EXPECT_EQ(files[0].text.find("neil"), std::string::npos)
      << "what is the study's is in study.json alone";
}

}  // namespace
}  // namespace fredsim
