// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/size_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "switch/on_demand/rtl_cache.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;

using Tool = SizeBuild::Tool;
using State = SizeBuild::State;
using Step = SizeBuild::Step;

constexpr double kMegabyte = 1e6;
// Bytes of Verilator's output that are compiled at once, unless a file is larger. Smaller sizes are
// one part.
constexpr double kPart = 20 * kMegabyte;

// Seconds of processor time per megabyte of C++ and, for the last two, fixed.
constexpr double kVerilateSeconds = 0.2;
constexpr double kFastSeconds = 2.5;
constexpr double kSlowSeconds = 1.2;
constexpr double kAroundSeconds = 3;
constexpr double kLinkSeconds = 0.3;

void write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) refuse_cache(path, errno == 0 ? EIO : errno);
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace

std::string_view tool_name(Tool tool) {
  constexpr std::array<std::string_view, 3> kNames{"Verilator", "compiler", "linker"};
  return kNames[static_cast<std::size_t>(tool)];
}

SizeBuild::SizeBuild(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where,
                     fs::path folder)
    : size_(size),
      tools_(tools),
      where_(where),
      folder_(std::move(folder)),
      steps_(expected_steps(size)) {
  std::error_code failed;
  fs::remove_all(folder_, failed);  // left by a builder that was killed
  fs::create_directories(folder_, failed);
  if (failed) refuse_cache(folder_, failed.value());
}

bool SizeBuild::are_done(Tool tool) const {
  return std::ranges::all_of(
      steps_, [&](const Step& step) { return step.tool != tool || step.state == State::kDone; });
}

std::optional<std::size_t> SizeBuild::next() {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    if (step.tool == Tool::kCompiler && !are_done(Tool::kVerilator)) break;
    if (step.tool == Tool::kLinker && !are_done(Tool::kCompiler)) break;
    if (step.state != State::kWaits) continue;
    step.state = State::kRuns;
    return s;
  }
  return std::nullopt;
}

void SizeBuild::done(std::size_t step) {
  steps_[step].state = State::kDone;
  steps_[step].seconds = 0;
  if (steps_[step].tool == Tool::kVerilator) gather();
}

fs::path SizeBuild::output(std::size_t step) const {
  return folder_ / fmt::format("{}.log", steps_[step].name);
}

ChildCommand SizeBuild::command(std::size_t number) const {
  const Step& step = steps_[number];
  if (step.tool == Tool::kVerilator) {
    std::vector<std::string> words{tools_.verilator};
    append(words, {"--Mdir", folder_.string(), "--prefix", size_.model, "--top", size_.top});
    for (const std::string& parameter : size_.parameters) words.push_back("-G" + parameter);
    append(words, tools_.verilate);
    // Verilator ends a name at a blank, and finds no files beside a file in such a folder.
    std::set<std::string> folders;
    for (const std::string& source : size_.sources)
      if (const std::string folder = fs::path(source).parent_path().string();
          folder.find(' ') != std::string::npos && folders.insert(folder).second)
        words.push_back("-I" + folder);
    append(words, size_.sources);
    return {std::move(words), where_.root};
  }
  std::vector<std::string> words{tools_.compiler};
  append(words, tools_.compile);
  if (step.tool == Tool::kLinker) {
    append(words, tools_.link);
    for (const Step& compiled : steps_)
      if (compiled.tool == Tool::kCompiler) words.push_back(fmt::format("{}.o", compiled.name));
    append(words, {"-o", library().filename().string()});
    return {std::move(words), folder_};
  }
  append(words, *step.options);
  for (const std::string& folder : tools_.includes) append(words, {"-isystem", folder});
  if (step.options == &tools_.around) {
    append(words,
           {"-I.", "-I" + (where_.root / "sc_models").string(), "-I" + where_.generated.string()});
    for (const std::string& folder : size_.includes)
      words.push_back("-I" + (where_.root / folder).string());
  }
  append(words, {"-c", fmt::format("{}.cpp", step.name), "-o", fmt::format("{}.o", step.name)});
  return {std::move(words), folder_};
}

// Makes parts named `name`, `name`_2 and so on.
std::vector<Step> SizeBuild::gather(const std::vector<fs::path>& files, std::string_view name,
                                    const std::vector<std::string>& options,
                                    double seconds_per_megabyte) {
  // Types that the program has too keep their visibility, so that there is one of each.
  const std::string begin =
      "#pragma GCC visibility push(default)\n#include <verilated.h>\n#include "
      "<verilated_fst_c.h>\n#pragma GCC visibility pop\n";
  std::vector<Step> steps;
  std::string text = begin;
  double bytes = 0;
  const auto end_part = [&] {
    const std::string number = steps.empty() ? "" : fmt::format("_{}", steps.size() + 1);
    steps.push_back({.tool = Tool::kCompiler,
                     .name = fmt::format("{}{}", name, number),
                     .options = &options,
                     .seconds = bytes / kMegabyte * seconds_per_megabyte});
    write(folder_ / fmt::format("{}.cpp", steps.back().name), std::exchange(text, begin));
    bytes = 0;
  };
  for (const fs::path& file : files) {
    const auto size = static_cast<double>(fs::file_size(file));
    if (bytes > 0 && bytes + size > kPart) end_part();
    text += fmt::format("#include \"{}\"\n", file.filename().string());
    bytes += size;
  }
  end_part();
  return steps;
}

// Splits sources like parts.cmake: reset, initial state and waves are slow.
void SizeBuild::gather() {
  static const std::regex kSlowName("(__Slow|__Syms(__[0-9]+)?|__Trace__[0-9]+)\\.cpp$");
  std::vector<fs::path> fast, slow;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".cpp") continue;
    const bool is_slow = std::regex_search(entry.path().filename().string(), kSlowName);
    (is_slow ? slow : fast).push_back(entry.path());
  }
  std::ranges::sort(fast);
  std::ranges::sort(slow);
  const Step linker = steps_.back();
  steps_.resize(1);
  std::ranges::move(gather(fast, "fast", tools_.fast, kFastSeconds), std::back_inserter(steps_));
  std::ranges::move(gather(slow, "slow", tools_.slow, kSlowSeconds), std::back_inserter(steps_));
  write(folder_ / "around.cpp", rtl_entry_text(size_));
  steps_.push_back({.tool = Tool::kCompiler,
                    .name = "around",
                    .options = &tools_.around,
                    .seconds = kAroundSeconds});
  steps_.push_back(linker);
}

std::vector<Step> expected_steps(const RtlSize& size) {
  // Megabytes of C++, fitted to the sizes of tests/switch/sizes.cmake: within a factor of two.
  const double megabytes = (0.05 * size.ports + 0.4) * size.ports + 0.007 * size.lanes;
  return {
      {.tool = Tool::kVerilator, .name = "verilator", .seconds = 2 * kVerilateSeconds * megabytes},
      {.tool = Tool::kCompiler, .name = "fast", .seconds = kFastSeconds * megabytes},
      {.tool = Tool::kCompiler, .name = "slow", .seconds = kSlowSeconds * megabytes},
      {.tool = Tool::kCompiler, .name = "around", .seconds = kAroundSeconds},
      {.tool = Tool::kLinker, .name = "linker", .seconds = kLinkSeconds}};
}

}  // namespace fredsim
