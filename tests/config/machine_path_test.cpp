// SPDX-License-Identifier: Apache-2.0
// Machine files by name: files first, then a folder's, with and without their ending; refusals.
#include "config/machine_path.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace fredsim::test {
namespace {

class MachinePath : public testing::Test {
 protected:
  MachinePath() {
    for (const char* name : {"fred_d.yaml", "mesh.yaml", "README.md"})
      std::ofstream(folder() / name) << "name: x\n";
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string refusal(const std::string& word, const std::filesystem::path& where) const {
    try {
      return "not refused: " + machine_path(word, where);
    } catch (const BadInput& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(MachinePath, ANameIsAFileOfTheFolderWithOrWithoutItsEnding) {
  EXPECT_EQ(machine_path("fred_d", folder()), folder() / "fred_d.yaml");
  EXPECT_EQ(machine_path("fred_d.yaml", folder()), folder() / "fred_d.yaml");
}

TEST_F(MachinePath, SystemsHaveAFolderOfTheirOwn) {
  std::filesystem::create_directory(folder() / "systems");
  std::ofstream(folder() / "systems" / "pods.yaml") << "name: x\n";
  EXPECT_EQ(machine_path("pods", folder()), folder() / "systems" / "pods.yaml");
  EXPECT_EQ(machine_names(folder()), (std::vector<std::string>{"fred_d", "mesh", "pods"}));
}

TEST_F(MachinePath, PathsAndFilesThatExistStayAsTheyAre) {
  EXPECT_EQ(machine_path("configs/fred_d.yaml", folder()), "configs/fred_d.yaml");
  EXPECT_EQ(machine_path("no/fred_e", folder()), "no/fred_e");
  EXPECT_EQ(machine_path("CMakeLists.txt", folder()),
            "CMakeLists.txt");                                    // the working directory's
  EXPECT_EQ(machine_path("other.yaml", folder()), "other.yaml");  // refused when it is opened
  EXPECT_EQ(machine_path("", folder()), "");
}

TEST_F(MachinePath, AnotherNameIsRefusedWithThoseThereAre) {
  EXPECT_EQ(refusal("fred_e", folder()),
            "machine: found 'fred_e', which is no file and no machine; did you mean 'fred_d'?");
  EXPECT_EQ(refusal("dgx", folder()),
            "machine: found 'dgx', which is no file and no machine; allowed: fred_d or mesh");
  EXPECT_EQ(refusal("elsewhere/mesh.yaml", folder()),
            "machine: found 'elsewhere/mesh.yaml', which is no file; did you mean 'mesh'?");
  EXPECT_EQ(refusal("fred_d", folder() / "none"),
            "machine: found 'fred_d', which is no file, and no machines in '" +
                (folder() / "none").string() + "'; allowed: a file");
  EXPECT_EQ(refusal("fred_d", {}),
            "machine: found 'fred_d', which is no file, and no machines; allowed: a file");
}

// Nothing is installed beside this program.
TEST_F(MachinePath, MachinesOfTheProgramAreThoseOfConfigs) {
  EXPECT_TRUE(std::filesystem::equivalent(machine_folder(), "configs"));
  EXPECT_TRUE(std::filesystem::equivalent(machine_path("fred_small"), "configs/fred_small.yaml"));
}

}  // namespace
}  // namespace fredsim::test
