// SPDX-License-Identifier: Apache-2.0
// No output goes over an input or over another output: exit code 2, and every file is as it was.
#include <gtest/gtest.h>

#include <map>

#include "support/program.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

class OutputClashTest : public FolderTest {
 protected:
  // A machine file of the test's own.
  std::string machine(const std::string& name = "m.yaml") const {
    return write(name, read_text("configs/mesh_2x2.yaml"));
  }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> contents;
    for (const std::string& name : files()) {
      if (fs::is_regular_file(folder_ / name)) contents[name] = read_text(path(name));
    }
    return contents;
  }

  void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
               const Surroundings& around = {}) const {
    const auto before = contents();
    expect_refused(run_fredsim(arguments, around), words);
    EXPECT_EQ(contents(), before);
  }
};

TEST_F(OutputClashTest, JsonOverTheMachineFileOfEveryCommand) {
  const std::string m = machine();
  const std::vector<std::string> words{"--json: found '" + m + "'", "CONFIG '" + m + "'",
                                       "a file that the command does not read"};
  refused({"run", m, "--json", m}, words);
  refused({"compare", "configs/mesh_2x2.yaml", m, "--json", m}, words);
  refused({"traffic", m, "--rate", "0.1", "--json", m}, words);
  refused({"strategies", m, "--json", m}, words);
  refused({"optimize", m, "--size", "1MiB", "--total", "1GB/s", "--json", m}, words);
}

TEST_F(OutputClashTest, OtherOutputsOverTheMachineFile) {
  const std::string m = machine("m.fst");
  refused({"run", m, "--timeline", m}, {"--timeline", "CONFIG"});
  refused({"run", m, "--wave", m}, {"--wave", "CONFIG"});
  refused({"traffic", m, "--rate", "0.1", "--wave", m}, {"--wave", "CONFIG"});
}

TEST_F(OutputClashTest, AnySpellingOfTheSameFile) {
  const std::string m = machine();
  fs::create_directory(path("sub"));
  fs::create_symlink("m.yaml", path("link.yaml"));
  fs::create_symlink("link.yaml", path("link_of_link.yaml"));
  fs::create_directory_symlink("sub", path("folder_link"));
  fs::create_hard_link(m, path("hard.yaml"));
  for (const std::string& json :
       {folder_.string() + "/./m.yaml", folder_.string() + "/sub/../m.yaml",
        folder_.string() + "/folder_link/../m.yaml", fs::relative(m).string(), path("link.yaml"),
        path("link_of_link.yaml"), path("hard.yaml")}) {
    SCOPED_TRACE(json);
    refused({"run", m, "--json", json}, {"--json: found '" + json + "'", "CONFIG '" + m + "'"});
    refused({"run", json, "--json", m}, {"--json: found '" + m + "'", "CONFIG '" + json + "'"});
  }
}

TEST_F(OutputClashTest, FilesThatAreNotThereYet) {
  fs::create_directory(path("sub"));
  fs::create_directory_symlink("sub", path("folder_link"));
  fs::create_symlink("new.json", path("first"));
  fs::create_symlink("first", path("second"));
  for (const auto& [json, timeline] : {std::pair("new.json", "./new.json"),
                                       {"sub/x", "folder_link/x"},
                                       {"first", "new.json"},
                                       {"new.json", "second"},
                                       {"sub/../x", "x"}}) {
    refused({"run", "configs/mesh_2x2.yaml", "--json", path(json), "--timeline", path(timeline)},
            {"--timeline: found '" + path(timeline) + "'", "--json '" + path(json) + "'",
             "another file for each"});
  }
}

TEST_F(OutputClashTest, FilesBesideTheWaveform) {
  const auto with_wave = [&](const std::string& option, const std::string& name) {
    refused({"run", "configs/mesh_2x2.yaml", "--size", "1K", "--wave", path("w.fst"),
             "--wave-links-only", option, path(name)},
            {"--wave: found '" + path("w.fst") + "'", option + " '" + path(name) + "'"});
  };
  for (const char* name :
       {"w.fst", "w.gtkw", "w.vc.filter", "w.phase.filter", "w.direction.filter"}) {
    with_wave("--json", name);
    with_wave("--timeline", name);
  }
  const std::string m = machine("w.gtkw");
  refused({"run", m, "--wave", path("w.fst")}, {"--wave", "'" + m + "' beside it", "CONFIG"});
}

TEST_F(OutputClashTest, WaveformsOfEveryMachine) {
  const auto compare = [&](const std::string& json) {
    return std::vector<std::string>{
        "compare", "configs/mesh_2x2.yaml", "configs/mesh_2x2.yaml", "--size", "1K",
        "--wave",  path("w.fst"),           "--wave-links-only",     "--json", path(json)};
  };
  for (const char* name :
       {"w.mesh_2x2.fst", "w.mesh_2x2.gtkw", "w.mesh_2x2.2.fst", "w.mesh_2x2.2.vc.filter"}) {
    refused(compare(name), {"--wave", "--json '" + path(name) + "'"});
  }
  EXPECT_EQ(run_fredsim(compare("w.fst")).exit_code, 0) << "is no machine's";
  const std::string m = machine("w.mesh_2x2.fst");
  refused({"compare", m, "configs/fred_small.yaml", "--size", "1K", "--wave", path("w.fst"),
           "--wave-links-only"},
          {"--wave", "CONFIG"});
}

TEST_F(OutputClashTest, WorkMatrixAndPlacement) {
  const std::string work = write("work.yaml", "- collective: all_reduce\n");
  refused({"run", "configs/mesh_2x2.yaml", "--work", work, "--json", work}, {"--json", "--work"});
  const std::string matrix = write("matrix.csv", "0 1\n1 0\n");
  refused({"run", "configs/mesh_2x2.yaml", "--collective", "all_to_all_v", "--group", "0,1",
           "--matrix", matrix, "--timeline", matrix},
          {"--timeline", "--matrix"});
  const std::string placement = write("placement.yaml", "[3, 2, 1, 0]\n");
  refused({"run", "configs/mesh_2x2.yaml", "--placement", placement, "--json", placement},
          {"--json", "--placement"});
  refused({"strategies", "configs/fred_small.yaml", "--placement", placement, "--json", placement},
          {"--json", "--placement"});
}

// Every rank's file is read, and one more would be.
TEST_F(OutputClashTest, FilesOfTraces) {
  ASSERT_EQ(run_fredsim({"train", "configs/mesh_2x2.yaml", "--workload",
                         "configs/models/small.yaml", "--dp", "4", "--export-et", path("P")})
                .exit_code,
            0);
  const std::string groups = path("P.groups.json");
  fs::create_hard_link(path("P.1.et"), path("hard"));
  fs::create_symlink("P.3.et", path("link"));
  const std::vector<std::string> train{"train",   "configs/mesh_2x2.yaml", "--trace",
                                       path("P"), "--comm-groups",         groups};
  const auto with = [&](const char* option, const std::string& file) {
    std::vector<std::string> arguments = train;
    arguments.insert(arguments.end(), {option, file});
    return arguments;
  };
  for (const char* option : {"--json", "--timeline"}) {
    for (const char* name : {"P.0.et", "P.2.et", "./P.3.et", "hard", "link", "P.4.et"}) {
      SCOPED_TRACE(name);
      refused(with(option, path(name)), {option, "'" + path(name) + "'", "--trace '" + path("P")});
    }
    refused(with(option, groups), {option, "--comm-groups '" + groups + "'"});
  }
  for (const char* name : {"P.1.et", "P.groups.json"}) {
    const std::string before = read_text(path(name));
    const Outcome outcome = run_fredsim(train, {.stdout_file = path(name), .max_file_bytes = 0});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
    EXPECT_EQ(read_text(path(name)), before);
  }
}

TEST_F(OutputClashTest, FilesOfWorkloadsOfEveryKind) {
  const std::string model = write("E.2.et", read_text("configs/models/small.yaml"));
  const std::vector<std::string> train{"train", "configs/mesh_2x2.yaml", "--workload", model};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = train;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  refused(with({"--json", model}), {"--json", "--workload '" + model + "'"});
  refused(with({"--dp", "4", "--export-et", path("E")}), {"--export-et", "'" + model + "'"});
  refused(with({"--dp", "4", "--export-et", path("F"), "--json", path("F.3.et")}),
          {"--export-et", "--json '" + path("F.3.et") + "'"});
  const std::string placement = write("p.yaml", "[0, 1, 2, 3]\n");
  refused(with({"--dp", "4", "--placement", placement, "--timeline", placement}),
          {"--timeline", "--placement"});
  const std::string text = write("w.txt", "DATA\n0\n");
  refused({"train", "configs/mesh_2x2.yaml", "--workload", text, "--json", text},
          {"--json", "--workload"});
}

TEST_F(OutputClashTest, PageOverResults) {
  const std::string results = write("r.json", "{}");
  refused({"report", "configs/mesh.yaml", results, "-o", path("./r.json")},
          {"--output: found '" + path("./r.json") + "'", "RESULTS '" + results + "'"});
}

TEST_F(OutputClashTest, StandardOutputTwice) {
  refused({"run", "configs/mesh_2x2.yaml", "--json", "-", "--timeline", "-"},
          {"--timeline: found '-', as for --json", "one of the two"});
}

TEST_F(OutputClashTest, StandardOutputIntoAFile) {
  const std::string log = write("log", "");
  const Surroundings to_log{.stdout_file = log, .max_file_bytes = 0};
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"route", "--ports", "8", "--middle", "3", "0:1", "--json", log},
           {"conflicts", "--ports", "8", "--middle", "3", "--flows", "2", "--json", log},
           {"run", "configs/mesh_2x2.yaml", "--json", log},
           {"run", "configs/mesh_2x2.yaml", "--json", "-", "--timeline", log},
           {"run", "configs/mesh_2x2.yaml", "--json", "/dev/stdout"}}) {
    const Outcome outcome = run_fredsim(arguments, to_log);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("found '"), std::string::npos) << outcome.err;
    EXPECT_EQ(read_text(log), "");
  }
}

TEST_F(OutputClashTest, WhatIsApartIsWritten) {
  const std::string m = machine();
  fs::create_hard_link(m, path("other.yaml"));
  ASSERT_EQ(
      run_fredsim({"compare", m, path("other.yaml"), "--size", "1K", "--json", path("r.json"),
                   "--timeline", path("t.json"), "--wave", path("r.fst"), "--wave-links-only"})
          .exit_code,
      0)
      << "inputs may be the same";
  EXPECT_EQ(
      run_fredsim({"run", m, "--size", "1K", "--json", "/dev/null", "--timeline", "/dev/null"},
                  {.stdout_file = "/dev/null", .max_file_bytes = 0})
          .exit_code,
      0);
  EXPECT_EQ(run_fredsim({"report", path("r.json"), path("r.json"), "-o", path("r.html")}).exit_code,
            0);
  EXPECT_EQ(run_fredsim({"run", m, "--size", "1K", "--json", path("r.json")}).exit_code, 0)
      << "an older result";
}

}  // namespace
}  // namespace fredsim
