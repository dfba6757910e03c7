// Waveform files: their content, read back with GTKWave's fst2vcd, against the counters of the same run.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "support/program.h"
#include "support/vcd.h"

namespace fredsim {
namespace {

// What the cycles in a file add up to.
struct Content {
  std::vector<std::uint64_t> cycles;           // recorded ones
  std::map<std::string, std::uint64_t> times;  // value of "<path>" summed over recorded cycles
  std::map<std::string, std::uint64_t> last;
  std::vector<std::uint64_t> time_ps;
  std::uint64_t sum(const std::string& link, const std::string& signal) const {
    const auto found = times.find("links/" + link + "/" + signal);
    return found == times.end() ? ~std::uint64_t{0} : found->second;
  }
  bool has_instance(const std::string& name) const {
    const auto next = times.lower_bound(name + "/");
    return next != times.end() && next->first.starts_with(name + "/");
  }
};

Content content_of(const std::string& fst) {
  std::istringstream vcd(run_fst2vcd(fst));
  Content content;
  read_vcd(vcd, [&](std::uint64_t time, const VcdState& state) {
    const auto& values = state.values;
    for (const auto& [path, value] : values) content.last[path] = value;
    if (values.at("wave/recording") == 0) return;
    content.cycles.push_back(values.at("wave/cycle"));
    content.time_ps.push_back(time);
    for (const auto& [path, value] : values) content.times[path] += value;
  });
  return content;
}

std::string scope_of(const std::string& link) {
  std::string scope;
  for (const char c : link) scope += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return scope;
}

constexpr const char* kVcs[] = {"mp", "pp", "dp", "control"};

// Launches, arrivals and credits of every link as its counter has them; how many links.
int expect_counts(const Content& content, const nlohmann::json& run) {
  int links = 0;
  for (const nlohmann::json& link : run["links"]) {
    const std::string scope = scope_of(link["name"]);
    const auto flits = link["flits"].get<std::uint64_t>();
    EXPECT_EQ(content.sum(scope, "valid"), flits) << scope;
    EXPECT_EQ(content.sum(scope, "arrive"), flits) << scope;
    std::uint64_t valid = 0;
    std::uint64_t credits = 0;
    for (const std::string vc : kVcs) {
      valid += content.sum(scope, "valid_" + vc);
      credits += content.sum(scope, "credit_" + vc);
    }
    EXPECT_EQ(valid, flits) << scope;
    EXPECT_EQ(credits, flits) << scope << ": all credits are back at the end";
    ++links;
  }
  return links;
}

class WaveTest : public FolderTest {
 protected:
  nlohmann::json run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--wave", path("w.fst"), "--json", "-"});
    const Outcome outcome = run_fredsim(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json();
  }
  Content content() const { return content_of(path("w.fst")); }
};

const std::vector<std::string> kSmallRun{"run", "configs/fred_small.yaml", "--size", "4KiB"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(WaveTest, LinksAreWhatTheCountersSay) {
  const nlohmann::json result = run(with(kSmallRun, {"--wave-links-only"}));
  EXPECT_EQ(result["runs"][0]["model"], "tlm");
  const Content wave = content();
  EXPECT_GT(expect_counts(wave, result["runs"][0]), 10);
  for (std::size_t c = 0; c < wave.cycles.size(); ++c) {
    EXPECT_EQ(wave.cycles[c], c);
    EXPECT_EQ(wave.time_ps[c], c * 2000 / 3) << "1.5 GHz";
  }
  EXPECT_FALSE(wave.has_instance("l1_0.s0")) << "no RTL";
}

TEST_F(WaveTest, LinksOfRtlAreThoseOfTwins) {
  run(with(kSmallRun, {"--wave-links-only"}));
  const std::map<std::string, std::uint64_t> twins = content().times;
  const nlohmann::json result = run(kSmallRun);
  EXPECT_EQ(result["runs"][0]["model"], "rtl");
  const Content rtl = content();
  expect_counts(rtl, result["runs"][0]);
  EXPECT_TRUE(rtl.has_instance("l1_0.s0"));
  for (const auto& [path, value] : twins) EXPECT_EQ(rtl.times.at(path), value) << path;
}

TEST_F(WaveTest, ScopeChoosesInstancesAndTheirLinks) {
  const nlohmann::json result =
      run({"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--wave-scope", "r1_0"});
  EXPECT_EQ(result["runs"][0]["model"], "rtl+tlm");
  const Content wave = content();
  EXPECT_TRUE(wave.has_instance("r1_0"));
  EXPECT_FALSE(wave.has_instance("r0_0"));
  for (const nlohmann::json& link : result["runs"][0]["links"]) {
    const bool touches = link["from"] == "r1_0" || link["to"] == "r1_0";
    const std::string scope = scope_of(link["name"]);
    EXPECT_EQ(wave.sum(scope, "valid"),
              touches ? link["flits"].get<std::uint64_t>() : ~std::uint64_t{0})
        << scope;
  }
}

TEST_F(WaveTest, ScopeMayBeAnEndpoint) {
  const nlohmann::json result = run(with(kSmallRun, {"--wave-scope", "npu1"}));
  EXPECT_EQ(result["runs"][0]["model"], "tlm") << "no switch is in scope";
  EXPECT_TRUE(content().has_instance("links/npu1_0__l1_0_s0_1"));
}

TEST_F(WaveTest, HoldsAllSizesOneAfterTheOther) {
  const nlohmann::json result = run({"run", "configs/fred_small.yaml", "-b", "1KiB", "-e", "2KiB",
                                     "-f", "2", "--wave-links-only"});
  const Content wave = content();
  for (const nlohmann::json& link : result["runs"][0]["links"]) {
    std::uint64_t flits = 0;
    for (const nlohmann::json& one : result["runs"]) {
      for (const nlohmann::json& other : one["links"]) {
        if (other["name"] == link["name"]) flits += other["flits"].get<std::uint64_t>();
      }
    }
    EXPECT_EQ(wave.sum(scope_of(link["name"]), "valid"), flits);
  }
}

TEST_F(WaveTest, WindowsAreCutOutOfTheWhole) {
  run(with(kSmallRun,
           {"--wave-links-only", "--wave-window", "150:220", "--wave-window", "160ns:170ns"}));
  const Content wave = content();
  std::vector<std::uint64_t> expected;
  for (std::uint64_t c = 150; c <= 220; ++c) expected.push_back(c);
  for (std::uint64_t c = 240; c <= 255; ++c) expected.push_back(c);
  EXPECT_EQ(wave.cycles, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(wave.time_ps[i], expected[i] * 2000 / 3);
  }
  for (const auto& [path, value] : wave.last) {
    if (path == "wave/recording" || path.ends_with("/valid")) {
      EXPECT_EQ(value, 0U) << path << " in the gap after the last window";
    }
  }

  run(with(kSmallRun, {"--wave-links-only"}));
  Content whole;
  std::istringstream vcd(run_fst2vcd(path("w.fst")));
  read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
    const std::uint64_t cycle = state.at("wave/cycle");
    if (std::ranges::find(expected, cycle) == expected.end()) return;
    for (const auto& [path, value] : state.values) whole.times[path] += value;
  });
  std::uint64_t flits = 0;
  for (const auto& [path, value] : whole.times) {
    if (!path.ends_with("/valid") && path.find("/credit") == std::string::npos) continue;
    EXPECT_EQ(wave.times.at(path), value) << path;
    if (path.ends_with("/valid")) flits += value;
  }
  EXPECT_GT(flits, 20U) << "the windows are where something happens";
}

TEST_F(WaveTest, CompareWritesAFilePerMachine) {
  const nlohmann::json result = run({"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml",
                                     "--size", "1KiB", "--wave-links-only"});
  EXPECT_EQ(result["runs"].size(), 2U);
  for (const nlohmann::json& one : result["runs"]) {
    const std::string fabric = one["fabric"];
    EXPECT_GT(expect_counts(content_of(path("w." + fabric + ".fst")), one), 10) << fabric;
    EXPECT_NE(read_text(path("w." + fabric + ".gtkw")).find("w." + fabric + ".fst"),
              std::string::npos);
  }
}

TEST_F(WaveTest, TrafficHasOneToo) {
  const nlohmann::json result =
      run({"traffic", "configs/fred_small.yaml", "--rate", "0.2", "--warmup", "0", "--cycles",
           "1000", "--wave-links-only", "--wave-window", "0:10"});
  EXPECT_EQ(content().cycles.size(), 11U);
}

TEST_F(WaveTest, SaysWhenNoWindowWasReached) {
  const Outcome outcome =
      run_fredsim(with(kSmallRun, {"--wave", path("w.fst"), "--wave-window", "1000000:"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("holds no cycle"), std::string::npos) << outcome.err;
}

TEST_F(WaveTest, SaveFileNamesSignalsThatThereAre) {
  run(with(kSmallRun, {"--wave-links-only", "--wave-scope", "l1_0*"}));
  const Content wave = content();
  std::istringstream save(read_text(path("w.gtkw")));
  std::string line;
  int signals = 0;
  std::vector<std::string> groups;
  bool named = false;
  while (std::getline(save, line)) {
    if (line.starts_with("@")) {
      named = false;
    } else if (line.starts_with("^1 ")) {
      EXPECT_TRUE(std::filesystem::exists(line.substr(3))) << line;
      named = true;
    } else if (line.starts_with("-")) {
      if (!groups.empty() && groups.back() == line) {
        groups.pop_back();
      } else {
        groups.push_back(line);
      }
    } else if (line.starts_with("links.") || line.starts_with("wave.")) {
      std::string path = line.substr(0, line.find('['));
      std::ranges::replace(path, '.', '/');
      EXPECT_TRUE(wave.times.contains(path)) << path;
      EXPECT_EQ(named, path.ends_with("/vc") || path.ends_with("/phase")) << path;
      ++signals;
    }
  }
  EXPECT_GT(signals, 100);
  EXPECT_TRUE(groups.empty()) << "every group is closed";
  EXPECT_NE(read_text(path("w.vc.filter")).find("3 control\n"), std::string::npos);
}

// Three parts of different priorities, for what happens between virtual channels.
class WaveTriggerTest : public WaveTest {
 protected:
  std::vector<std::string> work(const std::string& size = "256KiB") const {
    return {"run",
            "configs/fred_small.yaml",
            "--size",
            size,
            "--wave-links-only",
            "--work",
            write("work.yaml",
                  "- {collective: all_reduce, priority: mp, start: 50}\n"
                  "- {collective: broadcast, root: 3, priority: pp, start: 40}\n"
                  "- {collective: all_to_all, algorithm: direct}\n")};
  }
  // Runs with the trigger; the cycle of marker A in the save file, -1 where there is none.
  std::int64_t triggered(const std::vector<std::string>& arguments, const std::string& trigger) {
    run(with(arguments, {"--wave-trigger", trigger, "--wave-before", "7", "--wave-after", "9"}));
    return marked();
  }
  std::int64_t marked() const {
    std::istringstream save(read_text(path("w.gtkw")));
    std::string line;
    while (std::getline(save, line) && !line.starts_with("*")) {
    }
    std::istringstream words(line);
    std::string zoom;
    std::int64_t primary = 0;
    std::int64_t trigger = 0;
    words >> zoom >> primary >> trigger;
    return trigger < 0 ? -1 : (trigger * 3 + 1999) / 2000;  // of 1.5 GHz, edges rounded down
  }
  // First cycle in the file at which this holds for the values of some link.
  using OfLink = std::function<bool(const std::string& scope, const VcdState& state)>;
  std::int64_t first_cycle(const OfLink& holds) const {
    std::int64_t first = -1;
    std::istringstream vcd(run_fst2vcd(path("w.fst")));
    read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
      for (const auto& [name, value] : state.values) {
        if (value == 0 || !name.ends_with("/valid")) continue;
        if (holds(name.substr(0, name.size() - 5), state) && first < 0) {
          first = static_cast<std::int64_t>(state.at("wave/cycle"));
        }
      }
    });
    return first;
  }
  void expect_around(std::int64_t cycle) const {
    const Content wave = content();
    ASSERT_EQ(wave.cycles.size(), 17U);
    EXPECT_EQ(wave.cycles.front(), cycle - 7);
    EXPECT_EQ(wave.cycles.back(), cycle + 9);
  }
};

TEST_F(WaveTriggerTest, PacketAndStream) {
  run(work());
  const std::int64_t packet = first_cycle(
      [](const std::string& link, const VcdState& v) { return v.at(link + "tag") == 0x2001; });
  const std::int64_t stream = first_cycle(
      [](const std::string& link, const VcdState& v) { return v.at(link + "stream") == 2; });
  ASSERT_GT(packet, 0);
  ASSERT_GT(packet, stream);
  EXPECT_EQ(triggered(work(), "packet:0x2001"), packet);
  expect_around(packet);
  EXPECT_EQ(triggered(work(), "stream:2"), stream);
  expect_around(stream);
}

TEST_F(WaveTriggerTest, Preemption) {
  struct Order {
    const char* setting;
    std::array<int, 4> rank;  // of mp, pp, dp, control
  };
  for (const Order& order : {Order{"switch.vc_order=[control, mp, pp, dp]", {1, 2, 3, 0}},
                             Order{"switch.vc_order=[dp, control, pp, mp]", {3, 2, 0, 1}}}) {
    SCOPED_TRACE(order.setting);
    const std::vector<std::string> arguments = with(work(), {"--set", order.setting});
    run(arguments);
    std::map<std::string, std::map<std::uint64_t, bool>> under_way;
    const std::int64_t first = first_cycle([&](const std::string& link, const VcdState& v) {
      const std::uint64_t vc = v.at(link + "vc");
      bool overtakes = false;
      for (const auto& [other, open] : under_way[link]) {
        overtakes = overtakes || (open && order.rank[other] > order.rank[vc]);
      }
      under_way[link][vc] = v.at(link + "tail") == 0;
      return overtakes;
    });
    ASSERT_GT(first, 0) << "the work has one";
    EXPECT_EQ(triggered(arguments, "preemption"), first);
    expect_around(first);
  }
}

// Counter registers in the RTL of every switch, cycle by cycle: on_switch(cycle, switch, value of a register).
template <typename OnSwitch>
void for_every_switch(const std::string& fst, const OnSwitch& on_switch) {
  const std::string inside = "/fred_switch/i_phased/i_counters/";
  std::istringstream vcd(run_fst2vcd(fst));
  read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
    const auto cycle = static_cast<std::int64_t>(state.at("wave/cycle"));
    for (const auto& [path, value] : state.values) {
      const std::string end = inside + "phase_changes_q";
      if (!path.ends_with(end)) continue;
      const std::string name = path.substr(0, path.size() - end.size());
      on_switch(cycle, name, [&, counters = name + inside](const std::string& counter) {
        return state.at(counters + counter);
      });
    }
  });
}

TEST_F(WaveTriggerTest, PhaseChangeIsWhereTheRtlCountsIt) {
  run(kSmallRun);
  std::int64_t first = -1;
  for_every_switch(path("w.fst"), [&](std::int64_t cycle, const std::string&, const auto& counter) {
    if (first < 0 && counter("phase_changes_q") != 0) first = cycle;
  });
  ASSERT_GT(first, 0);
  EXPECT_EQ(triggered(with(kSmallRun, {"--wave-links-only"}), "phase-change"), first);
  expect_around(first);
}

TEST_F(WaveTriggerTest, StallIsWhereTheCountersOfTheRtlHaveGrownForSoLong) {
  std::vector<std::string> rtl = work("16KiB");
  std::erase(rtl, "--wave-links-only");
  run(rtl);
  std::map<std::string, std::pair<std::uint64_t, int>> stalls;  // so far, cycles in a row
  std::map<int, std::int64_t> first;                            // by cycles in a row
  for_every_switch(path("w.fst"), [&](std::int64_t cycle, const std::string& name, const auto& of) {
    const std::uint64_t sum =
        of("join_q") + of("credit_q") + of("phase_q") + of("arbiter_q") + of("link_q");
    auto& [count, in_row] = stalls[name];
    in_row = sum > count ? in_row + 1 : 0;
    count = sum;
    first.emplace(in_row, cycle);
  });
  for (const int n : {0, 2, 4}) {
    ASSERT_TRUE(first.contains(n + 1)) << n;
    EXPECT_EQ(triggered(work("16KiB"), "stall:" + std::to_string(n)), first[n + 1]) << n;
    expect_around(first[n + 1]);
  }
}

TEST_F(WaveTriggerTest, FailureIsTheLastCycle) {
  const Outcome outcome = run_fredsim(
      with(kSmallRun, {"--wave-links-only", "--timeout-cycles", "60", "--wave", path("w.fst"),
                       "--wave-trigger", "failure", "--wave-before", "20"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("time-out after 60 cycles"), std::string::npos) << outcome.err;
  const Content wave = content();
  ASSERT_EQ(wave.cycles.size(), 21U);
  EXPECT_EQ(static_cast<std::int64_t>(wave.cycles.back()), marked());
}

TEST_F(WaveTriggerTest, OneThatNeverComesLeavesTheResult) {
  const std::vector<std::string> arguments =
      with(kSmallRun, {"--wave", path("w.fst"), "--wave-trigger", "packet:99"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("did not happen"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("exact"), std::string::npos);
}

TEST_F(WaveTriggerTest, TrafficIsSearchedRateByRate) {
  const std::vector<std::string> traffic{
      "traffic", "configs/fred_small.yaml", "--rate", "0.01,0.7", "--warmup", "0", "--cycles",
      "300",     "--wave-links-only"};
  const std::int64_t cycle = triggered(traffic, "stall:6");
  EXPECT_GT(cycle, 300) << "in the second rate";
  EXPECT_EQ(content().cycles.size(), 17U);
}

TEST_F(WaveTest, DoesNotChangeTheResult) {
  const std::vector<std::string> plain{"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--json",
                                       "-"};
  std::vector<std::string> traced = plain;
  traced.insert(traced.end(), {"--wave", path("w.fst")});
  const auto result = [](const std::vector<std::string>& arguments) {
    nlohmann::json run = run_fredsim(arguments).json()["runs"][0];
    run.erase("wall_s");
    run.erase("sim_cycles_per_s");
    run.erase("skipped");
    run.erase("model");  // what is in the wave is RTL
    for (nlohmann::json& one : run["switches"]) one.erase("model");
    return run;
  };
  EXPECT_EQ(result(plain), result(traced));
}

TEST_F(WaveTest, UnwritablePathIsRefused) {
  expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--wave", path("no/w.fst")}),
                 {path("no/w.fst"), "cannot be written"});
}

TEST_F(WaveTest, UnwritableSaveFileIsRefused) {
  std::filesystem::create_directory(path("w.gtkw"));
  expect_refused(run_fredsim({"run", "configs/mesh_2x2.yaml", "--wave", path("w.fst")}),
                 {path("w.gtkw"), "cannot be written"});
  EXPECT_EQ(files(), std::vector<std::string>{"w.gtkw"});
}

// Wherever the disk, or a quota, ends: names, save file, a block in the middle of the run, the end.
TEST_F(WaveTest, FullDiskEndsTheRunAndLeavesNoFile) {
  const std::vector<std::string> run{"run",    "configs/fred_small.yaml",
                                     "--size", "64KiB",
                                     "--json", path("r.json"),
                                     "--wave", path("w.fst")};
  ASSERT_EQ(run_fredsim(run).exit_code, 0);
  const std::uint64_t whole = std::filesystem::file_size(path("w.fst"));
  for (const std::uint64_t bytes : {std::uint64_t{5000}, whole / 4, whole / 2, whole - 1}) {
    for (const std::string& name : files()) std::filesystem::remove(path(name));
    const Outcome outcome = run_fredsim(run, {.max_file_bytes = bytes});
    SCOPED_TRACE(testing::Message() << bytes << " of " << whole << " bytes");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find(path("w.")), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" bytes"), std::string::npos) << outcome.err;
    EXPECT_TRUE(files().empty());
  }
  const Outcome traffic =
      run_fredsim({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.5", "--wave", path("w.fst")},
                  {.max_file_bytes = 20'000});
  EXPECT_EQ(traffic.exit_code, 1) << traffic.err;
  EXPECT_NE(traffic.err.find("File too large"), std::string::npos) << traffic.err;
  EXPECT_TRUE(files().empty());
}

TEST_F(WaveTest, AFileThatIsThereStaysTheSame) {
  write("real", std::string(100'000, 'x'));
  ASSERT_EQ(::chmod(path("real").c_str(), 0604), 0);
  std::filesystem::create_hard_link(path("real"), path("hard"));
  std::filesystem::create_symlink("real", path("w.fst"));
  struct stat before = {};
  struct stat after = {};
  ASSERT_EQ(::stat(path("real").c_str(), &before), 0);
  run(with(kSmallRun, {"--wave-links-only"}));
  ASSERT_EQ(::stat(path("hard").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(after.st_mode & 07777U, 0604U);
  EXPECT_TRUE(std::filesystem::is_symlink(path("w.fst")));
  EXPECT_GT(content().cycles.size(), 100U);
}

TEST_F(WaveTest, TheSecondRunOfOneFileIsRefused) {
  run(kSmallRun);
  const std::string before = read_text(path("w.fst"));
  const int file = ::open(path("w.fst").c_str(), O_RDWR);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);  // as a run has it
  expect_refused(run_fredsim(with(kSmallRun, {"--wave", path("w.fst")})),
                 {path("w.fst"), "another run is writing it", "a file for each run"});
  EXPECT_EQ(read_text(path("w.fst")), before);
  ::close(file);
  run(kSmallRun);
}

TEST_F(WaveTest, ARunHasItsFileLocked) {
  RunningProgram program({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.1", "--cycles",
                          "100000000", "--wave", path("w.fst"), "--wave-links-only"});
  ASSERT_TRUE(program.wait_for_output("mesh_2x2"));
  const int file = ::open(path("w.fst").c_str(), O_RDWR);
  EXPECT_NE(::flock(file, LOCK_EX | LOCK_NB), 0);
  program.send(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 130);
  EXPECT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0) << "no lock is left";
  ::close(file);
  EXPECT_FALSE(content().cycles.empty());
}

TEST_F(WaveTest, NoDeviceIsWritten) {
  for (const char* device : {"/dev/full", "/dev/null"}) {
    expect_refused(run_fredsim(with(kSmallRun, {"--wave", device})), {device, "no regular file"});
    EXPECT_TRUE(std::filesystem::is_character_file(device));
  }
}

// At most a block is left to be written when a run ends or is interrupted. Fields of a block: type, length, begin, end,
// bytes that a reader needs for the block; 4 bits of a value take a byte there at least. The file is not converted, which takes
// minutes.
TEST_F(WaveTest, BlocksAreSmall) {
  ASSERT_EQ(run_fredsim({"traffic", "configs/mesh_2x2.yaml", "--rate", "0.9", "--cycles", "60000",
                         "--wave", path("w.fst"), "--wave-links-only"})
                .exit_code,
            0);
  const std::string text = read_text(path("w.fst"));
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
      value = value << 8U | static_cast<unsigned char>(text[at + i]);
    return value;
  };
  constexpr char kValueChanges = 8;
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;
  int blocks = 0;
  for (std::size_t at = 0; at < text.size(); at += 1 + number(at + 1)) {
    if (text[at] != kValueChanges) continue;
    ++blocks;
    EXPECT_LE(number(at + 25), kMostBytes) << "block " << blocks;
  }
  EXPECT_GT(blocks, 5);
  // The header, the first block, ends with its first and last times: ps, a cycle of 666 each.
  constexpr char kHeader = 0;
  ASSERT_EQ(text[0], kHeader);
  EXPECT_GT(number(1 + 8 + 8), 60'000U * 666);
}

}  // namespace
}  // namespace fredsim
