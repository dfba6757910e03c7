// SPDX-License-Identifier: Apache-2.0
#include "rtl/cover_counts.h"

#include <fstream>
#include <sstream>

#include "rtl/bench.h"
#include "support/temporary_folder.h"
#include "verilated_cov.h"

namespace fredsim {

// The file has lines of C '\1key\2value\1key\2value' count.
void add_cover_counts(VerilatedContext& context, CoverCounts& counts) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "coverage.dat").string();
  context.coveragep()->write(file.c_str());
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("C '")) continue;
    const std::size_t end = line.rfind("' ");
    std::istringstream fields(line.substr(3, end - 3));
    std::string name, label;
    for (std::string field; std::getline(fields, field, '\1');) {
      const std::size_t separator = field.find('\2');
      if (separator == std::string::npos) continue;
      const std::string value = field.substr(separator + 1);
      if (field.starts_with("f\2")) name = value.substr(value.rfind('/') + 1);
      if (field.starts_with("o\2")) label = value;
    }
    counts[name.append(" ").append(label)] += std::stoull(line.substr(end + 2));
  }
}

CoverCounts cover_counts_of(const std::function<void()>& work) {
  CoverCounts counts;
  at_end_of_bench = [&](VerilatedContext& context) { add_cover_counts(context, counts); };
  work();
  at_end_of_bench = {};
  return counts;
}

}  // namespace fredsim
