// SPDX-License-Identifier: Apache-2.0
#include "study/study_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "results/fields/run.h"
#include "support/temporary_folder.h"
#include "topology/support.h"

namespace fredsim {
namespace {

const ModelVersion kVersion{.version = "1.2.3", .commit = "abcdef0"};
const std::string kHash(32, 'a');

class StudyFolderTest : public testing::Test {
 protected:
  StudyFolder folder(const ModelVersion& version = kVersion) const { return {path_, version}; }
  static std::optional<PointOutcome> find(const StudyFolder& folder) {
    return folder.find(kHash, fields::kRunDocument);
  }
  std::string refused(const ModelVersion& version) const {
    return refusal([&] { folder(version); });
  }
  std::vector<std::string> names(const std::string& inner = "") const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + inner))
      all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
  }

  TemporaryFolder temporary_;
  std::string path_ = temporary_.file("a/b");
};

TEST_F(StudyFolderTest, KeepsPoints) {
  const StudyFolder before = folder();
  EXPECT_FALSE(find(before));
  EXPECT_FALSE(std::filesystem::exists(path_)) << "nothing is made before it is needed";
  before.create();
  before.create();
  before.keep(kHash, R"({"runs": [{"cycles": 5}]})");
  const std::optional<PointOutcome> found = find(folder());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_done);
  EXPECT_EQ(found->results.dump(), R"({"cycles":5})");
  EXPECT_EQ(names(), (std::vector<std::string>{"folder.json", "points"}));
  EXPECT_EQ(names("/points"), std::vector<std::string>{kHash + ".json"});
}

TEST_F(StudyFolderTest, KeepsFailures) {
  const StudyFolder own = folder();
  own.create();
  own.keep(kHash,
           failed_point_text({.version = "1", .commit = "abcdef0", .command = "fredsim run x"}, 3,
                             "no\nroute"));
  const std::optional<PointOutcome> found = find(own);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_done);
  EXPECT_EQ(found->message, "no\nroute");
}

TEST_F(StudyFolderTest, RefusesResultsOfAnotherVersion) {
  folder().create();
  for (const ModelVersion& other :
       {ModelVersion{.version = "1.2.4", .commit = "abcdef0"},
        ModelVersion{.version = "1.2.3", .commit = "abcdef1"},
        ModelVersion{.version = "1.2.3", .commit = "abcdef0", .program = "11"}}) {
    expect_parts(refused(other),
                 {path_ +
                  "/folder.json: found results of fredsim 1.2.3 (commit abcdef0); allowed: those "
                  "of this program, " +
                  other.text()});
  }
  EXPECT_EQ(refused(kVersion), "(nothing was thrown)");
}

TEST_F(StudyFolderTest, RefusesWhatIsNoFolderOfResults) {
  std::filesystem::create_directories(path_);
  EXPECT_EQ(refused(kVersion), "(nothing was thrown)") << "an empty folder";
  std::ofstream(path_ + "/notes.txt") << "mine";
  expect_parts(refused(kVersion),
               {"--results: found other files in '" + path_ + "'; allowed: an empty folder"});
  std::ofstream(path_ + "/folder.json") << "[1]";
  expect_parts(refused(kVersion), {path_ + "/folder.json: found no JSON object"});
  std::filesystem::remove_all(path_);
  std::ofstream(path_) << "a file";
  expect_parts(refused(kVersion), {"--results: found '" + path_ + "', which is no folder"});
}

TEST_F(StudyFolderTest, AFileThatIsNoResultIsRefusedAndStays) {
  const StudyFolder own = folder();
  own.create();
  own.keep(kHash, "{\"runs\": [");
  expect_parts(refusal([&] { find(own); }),
               {own.point_file(kHash) + ": found no JSON object; allowed: results of the point"});
  std::ostringstream text;
  text << std::ifstream(own.point_file(kHash)).rdbuf();
  EXPECT_EQ(text.str(), "{\"runs\": [");
}

// Cut short anywhere it is no result, but for the end of its last line.
TEST_F(StudyFolderTest, AFileThatIsCutShortIsNeverAnotherResult) {
  const StudyFolder own = folder();
  own.create();
  const std::string text = "{\"runs\": [{\"cycles\": 5, \"traffic\": {\"flit_hops\": 12}}]}\n";
  own.keep(kHash, text);
  const std::string whole = find(own)->results.dump();
  for (std::size_t bytes = 0; bytes + 2 <= text.size(); ++bytes) {
    own.keep(kHash, text.substr(0, bytes));
    EXPECT_THROW(find(own), BadInput) << bytes << " bytes left";
  }
  own.keep(kHash, text.substr(0, text.size() - 1));
  EXPECT_EQ(find(own)->results.dump(), whole);
}

}  // namespace
}  // namespace fredsim
