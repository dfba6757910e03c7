// SPDX-License-Identifier: Apache-2.0
#include "support/vcd.h"

#include <cstdio>
#include <memory>

#include "base/shell.h"

namespace fredsim {

std::string run_fst2vcd(const std::string& fst) {
  const std::unique_ptr<std::FILE, decltype([](std::FILE* f) { ::pclose(f); })> pipe(
      ::popen(("fst2vcd " + shell_quoted(fst)).c_str(), "r"));
  std::string text;
  std::vector<char> block(1U << 16);
  for (std::size_t n = 1; n > 0; text.append(block.data(), n)) {
    n = std::fread(block.data(), 1, block.size(), pipe.get());
  }
  return text;
}

std::vector<VcdName> vcd_names(const std::string& vcd) {
  std::istringstream lines(vcd.substr(0, vcd.find("$enddefinitions")));
  std::vector<VcdName> names;
  std::vector<std::string> scope;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> word;
      scope.push_back(word + "/");
    } else if (word == "$upscope") {
      scope.pop_back();
    } else if (word == "$var") {
      std::string type, id, name, range;
      int bits = 0;
      words >> type >> bits >> id >> name >> range;
      std::string path;
      for (const std::string& part : scope) path += part;
      names.push_back({path + name, range == "$end" ? "" : range, bits});
    }
  }
  return names;
}

}  // namespace fredsim
