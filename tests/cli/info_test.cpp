#include <gtest/gtest.h>

#include "program.h"

namespace fredsim {
namespace {

TEST(Info, SaysWhatWasBuiltAndWhatWasRounded) {
  const Outcome outcome = run_fredsim({"info", "configs/mesh.yaml"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"mesh", "20", "750 GB/s", "3.75 TB/s", "20 ns = 30 cycles"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
  }
}

TEST(Info, OverridesAreInIt) {
  const Outcome outcome =
      run_fredsim({"info", "configs/mesh_2x2.yaml", "--set", "fabric.link_latency=21 ns"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("21 ns = 32 cycles"), std::string::npos) << outcome.out;
}

TEST(Program, HelpAndVersionAreNoErrors) {
  const Outcome version = run_fredsim({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "fredsim " FREDSIM_VERSION "\n");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"run", "--help"}, {"compare", "-h"}}) {
    const Outcome help = run_fredsim(arguments);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Usage: fredsim"), std::string::npos) << help.out;
  }
}

}  // namespace
}  // namespace fredsim
