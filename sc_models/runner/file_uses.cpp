// SPDX-License-Identifier: Apache-2.0
#include "runner/file_uses.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "report/same_file.h"
#include "switch/vcd_file.h"
#include "trace/wave_save_file.h"

namespace fredsim {
namespace {

constexpr const char* kStandardOutput = "standard output";

const std::string& path_of(const FileUse& use) {
  return use.beside.empty() ? use.given : use.beside;
}

// "--wave 'w.fst' with 'w.gtkw' beside it"; an empty option is omitted.
std::string text_of(const FileUse& use, const std::string& option) {
  if (use.option == kStandardOutput) return use.option;
  return fmt::format("{}{}'{}'{}", option, option.empty() ? "" : " ", use.given,
                     use.beside.empty() ? "" : fmt::format(" with '{}' beside it", use.beside));
}

void check_apart(const FileUse& output, const FileUse& other, const char* allowed) {
  if (!is_same_file(path_of(output), path_of(other))) return;
  if (output.given == "-" && other.given == "-") {
    throw BadInput(fmt::format("{}: found '-', as for {}; allowed: one of the two", output.option,
                               other.option));
  }
  throw BadInput(fmt::format("{}: found {}, the same file as {}; allowed: {}", output.option,
                             text_of(output, ""), text_of(other, other.option), allowed));
}

bool stdout_is_file() {
  struct stat status = {};
  return ::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::vector<FileUse> wave_uses(const std::string& file) {
  std::vector<FileUse> uses{{"--wave", file}};
  if (std::string fst = recorded_fst(file); fst != file)
    uses.push_back({"--wave", file, std::move(fst)});
  for (std::string& beside : files_beside_wave(file)) {
    uses.push_back({"--wave", file, std::move(beside)});
  }
  return uses;
}

void check_outputs(std::span<const FileUse> inputs, std::span<const FileUse> outputs) {
  std::vector<FileUse> all;
  if (stdout_is_file() && std::ranges::count(outputs, "-", &FileUse::given) == 0) {
    all.push_back({kStandardOutput, "-"});
  }
  all.insert(all.end(), outputs.begin(), outputs.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const FileUse& input : inputs) {
      check_apart(all[i], input, "a file that the command does not read");
    }
    for (std::size_t j = 0; j < i; ++j) {
      check_apart(all[i], all[j], "another file for each");
    }
  }
}

}  // namespace fredsim
