// SPDX-License-Identifier: Apache-2.0
// Shell scripts in place of Verilator and the compiler: they append a line to a file in each run
// and make empty files, or execute a test's script.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "switch/on_demand/rtl_builder.h"
#include "switch/on_demand/rtl_cache.h"

namespace fredsim {

class FakeTools {
 public:
  FakeTools() {
    std::filesystem::create_directories(root() / "my");
    write(root() / "my/a.sv", "module a;\n`include \"my/b.svh\"\nendmodule\n");
    write(root() / "my/b.svh", "// b\n");
    write(root() / "my/peek.h", "#pragma once\n");
    says_verilator("");
    says_compiler("");
  }

  // Lines of the scripts before they make their file.
  void says_verilator(const std::string& more) const {
    script("verilator", "Verilator 5.006 2023-01-22", more,
           R"(while [ "$1" != --Mdir ]; do shift; done
: >"$2/Va.cpp"
)");
  }
  void says_compiler(const std::string& more) const {
    script("compiler", "12.2.0", more, R"(while [ "$1" != -o ]; do shift; done
: >"$2"
)");
  }

  RtlToolchain tools() const {
    return {.verilator = folder_.file("verilator"),
            .verilator_version = "Verilator 5.006",
            .compiler = folder_.file("compiler"),
            .compiler_version = "12.2.0",
            .version_flag = "-dumpfullversion",
            .verilate = {"--cc"},
            .settings = {},
            .shared_adder = "",
            .includes = {},
            .compile = {"-O2"},
            .fast = {"-O1"},
            .slow = {"-O0"},
            .around = {"-O3"},
            .link = {"-shared"}};
  }
  static RtlSize size(int ports) {
    return {.entry = "a P=" + std::to_string(ports),
            .model = "Va_P_" + std::to_string(ports),
            .top = "a",
            .parameters = {"P=" + std::to_string(ports)},
            .sources = {"my/a.sv"},
            .peek = "APeek",
            .peek_header = "my/peek.h",
            .includes = {"."},
            .ports = ports,
            .lanes = 1};
  }
  RtlLocations where() const { return {.root = root(), .generated = root() / "generated"}; }

  std::filesystem::path root() const { return folder_.path() / "root"; }
  std::filesystem::path cache() const { return folder_.path() / "cache"; }
  std::string file(const std::string& name) const { return folder_.file(name); }

  std::vector<std::filesystem::path> build(const std::vector<RtlSize>& sizes,
                                           const RtlBuildOptions& options = {}) const {
    return build_libraries(sizes, tools(), where(), cache(), options);
  }
  // Runs of "verilator" or "compiler" but for its version.
  int runs(const std::string& tool) const {
    std::ifstream lines(folder_.file(tool + ".runs"));
    int count = 0;
    for (std::string line; std::getline(lines, line);) ++count;
    return count;
  }
  // Names of the files in the cache, digests left out.
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache(), none)) {
      if (entry.path().filename() != "rtl" && entry.path().extension() != ".sha256")
        names.push_back(entry.path().filename().string());
    }
    return names;
  }

  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }

 private:
  void script(const std::string& name, const std::string& version, const std::string& more,
              const std::string& result) const {
    const std::string path = folder_.file(name);
    // Complete at once: another process may be about to start it.
    write(path + ".new", "#!/bin/sh\ncase $1 in --version|-dumpfullversion) echo '" + version +
                             "'; exit;; esac\necho \"$@\" >>" + path + ".runs\n" + more + "\n" +
                             result);
    std::filesystem::permissions(path + ".new", std::filesystem::perms::owner_all);
    std::filesystem::rename(path + ".new", path);
  }

  TemporaryFolder folder_;
};

}  // namespace fredsim
