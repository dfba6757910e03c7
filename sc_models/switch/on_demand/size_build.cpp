// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/size_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "switch/on_demand/rtl_cache.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

constexpr std::array<SizeBuild::Step, 3> kCompiled{SizeBuild::Step::kFast, SizeBuild::Step::kSlow,
                                                   SizeBuild::Step::kAround};

// Seconds of processor time for a megabyte of C++ and, for the last two, at all.
constexpr double kVerilateSeconds = 0.2;
constexpr double kFastSeconds = 2.5;
constexpr double kSlowSeconds = 1.2;
constexpr double kAroundSeconds = 3;
constexpr double kLinkSeconds = 0.3;

std::string_view file_name(SizeBuild::Step step) {
  constexpr std::array<std::string_view, SizeBuild::kSteps> kNames{"verilator", "fast", "slow",
                                                                   "around", "linker"};
  return kNames[static_cast<std::size_t>(step)];
}

void write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) refuse_cache(path, errno == 0 ? EIO : errno);
}

// Steps, by the megabytes of C++ that Verilator writes.
std::array<double, SizeBuild::kSteps> seconds_of(double fast, double slow) {
  return {kVerilateSeconds * (fast + slow), kFastSeconds * fast, kSlowSeconds * slow,
          kAroundSeconds, kLinkSeconds};
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace

std::string_view step_name(SizeBuild::Step step) {
  if (step == SizeBuild::Step::kVerilate) return "Verilator";
  return step == SizeBuild::Step::kLink ? "linker" : "compiler";
}

SizeBuild::SizeBuild(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where,
                     fs::path folder)
    : size_(size), tools_(tools), where_(where), folder_(std::move(folder)) {
  std::error_code failed;
  fs::remove_all(folder_, failed);  // left by a builder that was killed
  fs::create_directories(folder_, failed);
  if (failed) refuse_cache(folder_, failed.value());
  seconds_ = fredsim::expected_seconds(size);
}

std::optional<SizeBuild::Step> SizeBuild::next() {
  const auto begin = [this](Step step) {
    states_[index(step)] = State::kRuns;
    return step;
  };
  const auto waits = [this](Step step) { return states_[index(step)] == State::kWaits; };
  if (waits(Step::kVerilate)) return begin(Step::kVerilate);
  if (!is_done(Step::kVerilate)) return std::nullopt;
  if (const auto step = std::ranges::find_if(kCompiled, waits); step != kCompiled.end())
    return begin(*step);
  const bool is_compiled = std::ranges::all_of(kCompiled, [this](Step s) { return is_done(s); });
  if (is_compiled && waits(Step::kLink)) return begin(Step::kLink);
  return std::nullopt;
}

void SizeBuild::done(Step step) {
  states_[index(step)] = State::kDone;
  seconds_[index(step)] = 0;
  if (step == Step::kVerilate) gather();
}

fs::path SizeBuild::output(Step step) const {
  return folder_ / fmt::format("{}.log", file_name(step));
}

Command SizeBuild::command(Step step) const {
  if (step == Step::kVerilate) {
    std::vector<std::string> words{tools_.verilator};
    append(words, {"--Mdir", folder_.string(), "--prefix", size_.model, "--top", size_.top});
    for (const std::string& parameter : size_.parameters) words.push_back("-G" + parameter);
    append(words, tools_.verilate);
    append(words, size_.sources);
    return {std::move(words), where_.root};
  }
  std::vector<std::string> words{tools_.compiler};
  append(words, tools_.compile);
  if (step == Step::kLink) {
    append(words, tools_.link);
    for (const Step compiled : kCompiled) words.push_back(fmt::format("{}.o", file_name(compiled)));
    append(words, {"-o", library().filename().string()});
    return {std::move(words), folder_};
  }
  append(words, step == Step::kFast   ? tools_.fast
                : step == Step::kSlow ? tools_.slow
                                      : tools_.around);
  for (const std::string& folder : tools_.includes) append(words, {"-isystem", folder});
  if (step == Step::kAround) {
    append(words,
           {"-I.", "-I" + (where_.root / "sc_models").string(), "-I" + where_.generated.string()});
    for (const std::string& folder : size_.includes)
      words.push_back("-I" + (where_.root / folder).string());
  }
  append(words, {"-c", fmt::format("{}.cpp", file_name(step)), "-o",
                 fmt::format("{}.o", file_name(step))});
  return {std::move(words), folder_};
}

// The same halves as those of parts.cmake: reset, initial state and waves are slow.
void SizeBuild::gather() {
  static const std::regex kSlowName("(__Slow|__Syms|__Trace__[0-9]+)\\.cpp$");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  // Types that the program has too keep their visibility, so that there is one of each.
  std::string fast =
      "#pragma GCC visibility push(default)\n#include <verilated.h>\n#include "
      "<verilated_fst_c.h>\n#pragma GCC visibility pop\n";
  std::string slow = fast;
  double fast_bytes = 0;
  double slow_bytes = 0;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const bool is_slow = std::regex_search(name, kSlowName);
    (is_slow ? slow : fast) += fmt::format("#include \"{}\"\n", name);
    (is_slow ? slow_bytes : fast_bytes) += static_cast<double>(fs::file_size(file));
  }
  write(folder_ / "fast.cpp", fast);
  write(folder_ / "slow.cpp", slow);
  write(folder_ / "around.cpp", rtl_entry_text(size_));
  seconds_ = seconds_of(fast_bytes / 1e6, slow_bytes / 1e6);
  seconds_[index(Step::kVerilate)] = 0;
}

std::array<double, SizeBuild::kSteps> expected_seconds(const RtlSize& size) {
  // Megabytes of C++, by the sizes of tests/switch/sizes.cmake: within a factor of two.
  const double megabytes = (0.05 * size.ports + 0.4) * size.ports + 0.007 * size.lanes;
  return seconds_of(megabytes, megabytes);
}

}  // namespace fredsim
