// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/rtl_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <fstream>
#include <list>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/suggest.h"
#include "switch/on_demand/rtl_cache.h"
#include "switch/on_demand/size_build.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{10};
constexpr std::chrono::milliseconds kReport{100};
constexpr std::size_t kLastLines = 20;

std::string last_lines(const std::string& text) {
  std::deque<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back("  " + line);
    if (lines.size() > kLastLines) lines.pop_front();
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// A tool must be the one of this program's build, whose runtime and headers the library shares.
void check_tool(const char* name, const char* package, const ChildCommand& version,
                const std::string& wanted) {
  std::optional<std::string> found;
  try {
    found = output_of(version);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format(
        "RTL of a switch size is to be built, and {} {}; allowed: install it (Debian: {}), or "
        "--model tlm, or --rtl-build never for the sizes that are in the program",
        name, error.what(), package));
  }
  const std::string text = found.value_or("nothing");
  const std::string line = text.substr(0, text.find('\n'));
  if (line == wanted || line.starts_with(wanted + " ")) return;
  throw BadInput(
      fmt::format("RTL of a switch size is to be built, and '{}' says {}; allowed: {}, with which "
                  "this program was built, or build the program again",
                  version.words.front(), line, wanted));
}

void check_tools(const RtlToolchain& tools) {
  check_tool("Verilator:", "verilator", {{tools.verilator, "--version"}, "/"},
             tools.verilator_version);
  check_tool("the compiler:", "g++", {{tools.compiler, tools.version_flag}, "/"},
             tools.compiler_version);
}

// State that changes with the file of a name and with its contents; no value: there is no such
// file.
std::optional<std::array<std::int64_t, 5>> state_of(const fs::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::array<std::int64_t, 5>{static_cast<std::int64_t>(status.st_ino), status.st_size,
                                     status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                                     status.st_ctim.tv_nsec};
}

// One library on its way into the cache.
struct Wanted {
  const RtlSize* size = nullptr;
  CachedLibrary library{};
  std::unique_ptr<BuildLock> lock{};
  std::unique_ptr<SizeBuild> build{};
  bool is_there = false;
  std::optional<std::array<std::int64_t, 5>> damaged{};  // file that differs from its digest
};

struct Running {
  Wanted* wanted = nullptr;
  std::size_t step = 0;
  SteadyClock::time_point since{};
  ChildProcess process;
};

class Builder {
 public:
  Builder(std::span<const RtlSize> sizes, const RtlToolchain& tools, const RtlLocations& where,
          const fs::path& cache, const RtlBuildOptions& options)
      : tools_(tools),
        where_(where),
        cache_(cache),
        options_(options),
        jobs_(std::max(1U, std::thread::hardware_concurrency())) {
    check_trusted(cache);
    for (const RtlSize& size : sizes) {
      wanted_.push_back(
          {.size = &size, .library = cached_library(cache, size, rtl_key(size, tools, where))});
    }
    for (Wanted& wanted : wanted_) {
      if (is_there(wanted)) continue;
      missing_.push_back(&wanted);
      entries_.push_back(wanted.size->entry);
      if (wanted.damaged) damaged_.push_back(wanted.size->entry);
    }
  }

  std::vector<fs::path> run() {
    if (!missing_.empty()) {
      check_tools(tools_);
      while (left() > 0) {
        if (options_.stop != nullptr && *options_.stop)
          throw Interrupted("interrupted while RTL of a switch size was built");
        start();
        if (reap()) continue;
        report(false);
        std::this_thread::sleep_for(kPoll);
      }
      report(true);
    }
    std::vector<fs::path> libraries;
    libraries.reserve(wanted_.size());
    for (const Wanted& wanted : wanted_) libraries.push_back(wanted.library.file);
    return libraries;
  }

 private:
  // Called a hundred times a second while another process builds it: a file is read once.
  static bool is_there(Wanted& wanted) {
    const auto state = state_of(wanted.library.file);
    if (!state || state == wanted.damaged) return false;
    wanted.is_there = is_intact(wanted.library);
    if (!wanted.is_there) wanted.damaged = state;
    return wanted.is_there;
  }
  std::size_t left() const {
    return static_cast<std::size_t>(std::ranges::count(missing_, false, &Wanted::is_there));
  }

  // Starts as many commands as possible: first of the sizes in progress, then of new ones that
  // nobody else builds.
  void start() {
    for (Wanted* wanted : missing_) {
      if (wanted->build == nullptr) continue;
      while (running_.size() < jobs_) {
        const std::optional<std::size_t> step = wanted->build->next();
        if (!step) break;
        run_step(*wanted, *step);
      }
    }
    for (Wanted* wanted : missing_) {
      if (wanted->is_there || wanted->build != nullptr) continue;
      if (running_.size() >= jobs_) break;
      if (is_there(*wanted)) continue;
      wanted->lock = BuildLock::take(wanted->library);
      if (!wanted->lock) continue;
      if (is_there(*wanted)) {  // completed meanwhile
        wanted->lock.reset();
        continue;
      }
      wanted->build =
          std::make_unique<SizeBuild>(*wanted->size, tools_, where_, wanted->library.building);
      run_step(*wanted, *wanted->build->next());
    }
  }

  void run_step(Wanted& wanted, std::size_t step) {
    running_.push_back({&wanted, step, SteadyClock::now(),
                        start_to_file(wanted.build->command(step), wanted.build->output(step),
                                      options_.stop != nullptr)});
  }

  // Returns true if a command has ended.
  bool reap() {
    bool any = false;
    for (auto running = running_.begin(); running != running_.end();) {
      const std::optional<ChildEnd> end = running->process.ended();
      if (!end) {
        ++running;
        continue;
      }
      any = true;
      Wanted& wanted = *running->wanted;
      const std::size_t step = running->step;
      running = running_.erase(running);
      if (const std::string failure = end->failure(); !failure.empty()) fail(wanted, step, failure);
      wanted.build->done(step);
      if (wanted.build->is_complete()) keep(wanted);
    }
    return any;
  }

  void keep(Wanted& wanted) {
    std::error_code failed;
    keep_library(wanted.build->library(), wanted.library);
    fs::remove(wanted.library.log, failed);
    wanted.is_there = true;
    wanted.build.reset();
    wanted.lock.reset();
  }

  [[noreturn]] void fail(const Wanted& wanted, std::size_t step, const std::string& failure) {
    const std::string command = command_text(wanted.build->command(step));
    const std::string output = file_text(wanted.build->output(step).string()).value_or("");
    std::ofstream log(wanted.library.log, std::ios::binary);
    log << command << "\n" << output;
    log.close();
    const std::string all =
        log ? fmt::format("all of it: {}", wanted.library.log.string()) : "the end of it";
    throw BadInput(fmt::format("RTL of '{}' cannot be built: {} of {}:\n  {}\nIts output, {}:\n{}",
                               wanted.size->entry, failure, tool_of(wanted, step), command, all,
                               last_lines(output)));
  }

  static std::string_view tool_of(const Wanted& wanted, std::size_t step) {
    return tool_name(wanted.build->steps()[step].tool);
  }

  void report(bool at_end) {
    const SteadyClock::time_point now = SteadyClock::now();
    if (!options_.on_progress || (!at_end && now - reported_ < kReport)) return;
    reported_ = now;
    RtlBuildProgress progress{.entries = entries_,
                              .damaged = damaged_,
                              .done = missing_.size() - left(),
                              .waits = running_.empty() && !at_end,
                              .seconds_left = seconds_left(now),
                              .cache = cache_};
    if (!running_.empty()) {
      const Running& first = running_.front();
      progress.step =
          fmt::format("{}: {}", tool_of(*first.wanted, first.step), first.wanted->size->entry);
    }
    options_.on_progress(progress);
  }

  // Remaining time of all commands on all threads, and at least that of one size, whose commands
  // are sequential.
  double seconds_left(SteadyClock::time_point now) const {
    double work = 0;
    double longest = 0;
    for (const Wanted* wanted : missing_) {
      if (wanted->is_there) continue;
      std::vector<SizeBuild::Step> steps =
          wanted->build != nullptr ? wanted->build->steps() : expected_steps(*wanted->size);
      for (const Running& running : running_) {
        if (running.wanted != wanted) continue;
        const double so_far = std::chrono::duration<double>(now - running.since).count();
        double& own = steps[running.step].seconds;
        own = std::max(own - so_far, 0.0);
      }
      std::array<double, 3> longest_of{};  // index: tool
      for (const SizeBuild::Step& step : steps) {
        work += step.seconds;
        double& of_tool = longest_of[static_cast<std::size_t>(step.tool)];
        of_tool = std::max(of_tool, step.seconds);
      }
      longest = std::max(longest, longest_of[0] + longest_of[1] + longest_of[2]);
    }
    return std::max(work / jobs_, longest);
  }

  const RtlToolchain& tools_;
  const RtlLocations& where_;
  const fs::path& cache_;
  const RtlBuildOptions& options_;
  unsigned jobs_;
  std::vector<Wanted> wanted_;
  std::vector<Wanted*> missing_;
  std::vector<std::string> entries_, damaged_;
  std::list<Running> running_;  // declared after wanted_: ended first
  SteadyClock::time_point reported_{};
};

}  // namespace

RtlBuild parse_rtl_build(std::string_view text) {
  constexpr std::array<std::string_view, 2> kNames{"auto", "never"};
  if (text == kNames[0]) return RtlBuild::kAuto;
  if (text == kNames[1]) return RtlBuild::kNever;
  throw BadInput(fmt::format("--rtl-build: found '{}'; {}", text, advice(text, kNames)));
}

std::vector<fs::path> build_libraries(std::span<const RtlSize> sizes, const RtlToolchain& tools,
                                      const RtlLocations& where, const fs::path& cache,
                                      const RtlBuildOptions& options) {
  return Builder(sizes, tools, where, cache, options).run();
}

}  // namespace fredsim
