// SPDX-License-Identifier: Apache-2.0
// Errors of libraries are reported in fredsim's words: file and line, value found, allowed values.
// expect_refused() also checks that no original message gets through.
#include <gtest/gtest.h>

#include "support/program.h"

namespace fredsim {
namespace {

class LibraryTextTest : public FolderTest {
 protected:
  // Runs `fredsim run` with a file as the value of an option.
  void expect_file_refused(const std::string& option, const std::string& text,
                           std::vector<std::string> words) const {
    const std::string file = write("file", text);
    words.push_back(file);
    std::vector<std::string> arguments{"run", "configs/mesh_2x2.yaml", option, file};
    if (option == "--matrix") arguments.insert(arguments.end(), {"--collective", "all_to_all_v"});
    expect_refused(run_fredsim(arguments), words);
  }
};

TEST_F(LibraryTextTest, MachineFiles) {
  for (const auto& [text, found] :
       {std::pair("name: a\nnpu: {count: 4\n", "'{' without its '}'"),
        std::pair("name: [a\n", "'[' without its ']'"),
        std::pair("name: a]\n]\n", "closes nothing"),
        std::pair("npu:\n  count: 4\n bandwidth: 1\n", "a line that is no 'key: value'"),
        std::pair("name: \"\\q\"\n", "an unknown escape"),
        std::pair("name: a: b\n", "a ':' where no key can be")}) {
    expect_refused(run_fredsim({"info", write("m.yaml", text)}),
                   {path("m.yaml") + ":", ": not YAML: found ", found});
  }
  expect_refused(run_fredsim({"info", write("m.yaml", "npu:\n\tcount: 4\n")}),
                 {path("m.yaml") + ":2: found a tab", "allowed: blanks"});
}

TEST_F(LibraryTextTest, WorkAndPlacementFiles) {
  expect_file_refused("--work", "- collective: [all_reduce\n", {"not YAML: found '[' without"});
  expect_file_refused("--placement", "[0, 1, 2\n", {"not YAML: found '[' without"});
}

TEST_F(LibraryTextTest, Matrices) {
  expect_file_refused("--matrix", "[[0, 1],\n [2", {":2: found no JSON", "[[0, 512], [512, 0]]"});
  expect_file_refused("--matrix", "[[0, 1e999]]", {"a number that is too large"});
  expect_file_refused("--matrix", "[1, 2]", {"found 1;", "lists of whole numbers"});
  expect_file_refused("--matrix", "[[0, \"x\"], [1, 0]]", {"found \"x\";", "whole numbers"});
}

TEST_F(LibraryTextTest, Results) {
  expect_refused(run_fredsim({"report", write("r.json", R"({"fredsim": "1", "runs": [1e999]})")}),
                 {path("r.json"), "a number that is too large"});
  expect_refused(run_fredsim({"report", write("r.json", "{\"fredsim\": ")}),
                 {path("r.json"), "no JSON at byte 13"});
}

}  // namespace
}  // namespace fredsim
