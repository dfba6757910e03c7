// SPDX-License-Identifier: Apache-2.0
// The program on several processes, started by mpirun: results equal one process, and the end of
// one process ends all, with a message and an exit code. Without MPI these tests are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/program.h"

namespace fredsim {
namespace {

#ifdef FREDSIM_MPIRUN
constexpr const char* kMpirun = FREDSIM_MPIRUN;
#else
constexpr const char* kMpirun = nullptr;
#endif

class RankProgramTest : public FolderTest {
 protected:
  void SetUp() override {
    if (kMpirun == nullptr) GTEST_SKIP() << "this build has no MPI";
    // Containers have only this user, and few processors.
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }

  static std::vector<std::string> on_ranks(int ranks, const std::vector<std::string>& words) {
    return with(
        {"--oversubscribe", "--bind-to", "none", "-n", std::to_string(ranks), FREDSIM_PROGRAM},
        words);
  }
  static Surroundings launcher() { return {.program = kMpirun}; }
  static Outcome run(int ranks, const std::vector<std::string>& words) {
    return run_fredsim(on_ranks(ranks, words), launcher());
  }
};

// Results without the description and speed of the simulation.
nlohmann::json without_times(nlohmann::json results) {
  results.erase("command");
  for (const char* list : {"runs", "points"}) {
    if (!results.contains(list)) continue;
    for (nlohmann::json& run : results.at(list)) {
      for (const char* key : {"wall_s", "cpu_s", "sim_cycles_per_s"}) run.erase(key);
      // Processes pass windows in which single edges are not looked at.
      if (run.contains("skipped")) run.at("skipped").erase("idle_cycles");
    }
  }
  return results;
}

using Words = std::vector<std::string>;
struct RankedCommand {
  const char* name;
  int max_ranks;
  Words words;
};

void PrintTo(const RankedCommand& command, std::ostream* out) { *out << command.name; }

class RankedCommands : public RankProgramTest, public testing::WithParamInterface<RankedCommand> {};

TEST_P(RankedCommands, GiveTheResultsOfOneProcess) {
  const Words words = with(GetParam().words, {"--quiet", "--json", "-"});
  const Outcome one = run_fredsim(words);
  ASSERT_EQ(one.exit_code, 0) << one.err;
  for (int ranks = 2; ranks <= GetParam().max_ranks; ++ranks) {
    SCOPED_TRACE(ranks);
    const Outcome several = run(ranks, words);
    ASSERT_EQ(several.exit_code, 0) << several.err;
    EXPECT_EQ(several.err, "");
    const nlohmann::json results = without_times(several.json());
    EXPECT_EQ(nlohmann::json::diff(without_times(one.json()), results), nlohmann::json::array());
    EXPECT_FALSE(results.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, RankedCommands,
    testing::Values(
        RankedCommand{
            "RunMesh", 4, {"run", "configs/mesh.yaml", "-b", "1KiB", "-e", "64KiB", "-f", "8"}},
        RankedCommand{"RunRecurring",
                      3,
                      {"run", "configs/mesh.yaml", "--size", "4MiB", "--algorithm", "multi_tree"}},
        RankedCommand{"RunInSwitch", 3, {"run", "configs/fred_d.yaml", "--size", "64KiB"}},
        RankedCommand{
            "RunRing", 3, {"run", "configs/fred_a.yaml", "--size", "64KiB", "--algorithm", "ring"}},
        RankedCommand{
            "RunAllToAll",
            3,
            {"run", "configs/torus.yaml", "--size", "64KiB", "--collective", "all_to_all"}},
        RankedCommand{"RunDetours",
                      3,
                      {"run", "configs/mesh.yaml", "--size", "100KiB", "--algorithm", "detours",
                       "--group", "0,1", "--group", "7,8,13"}},
        RankedCommand{"RunOneShot", 3, {"run", "configs/torus.yaml", "--size", "4KiB"}},
        RankedCommand{
            "RunRtl", 4, {"run", "configs/mesh_2x2.yaml", "--size", "8KiB", "--model", "rtl"}},
        RankedCommand{
            "RunMix",
            3,
            {"run", "configs/fred_small.yaml", "--size", "8KiB", "--rtl-instances", "l1_0*"}},
        RankedCommand{"RunLockstep",
                      3,
                      {"run", "configs/mesh_2x2.yaml", "--size", "8KiB", "--model", "lockstep"}},
        RankedCommand{
            "RunFaults", 3, {"run", "configs/mesh.yaml", "--size", "16KiB", "--fault", "npu:3"}},
        RankedCommand{"RunWork",
                      3,
                      {"run", "configs/fred_d.yaml", "--work",
                       "configs/works/mp_interrupts_dp.yaml", "--size", "16KiB"}},
        RankedCommand{
            "Compare",
            3,
            {"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--size", "16KiB"}},
        RankedCommand{
            "Train",
            3,
            {"train", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--workload",
             "configs/models/small.yaml", "--mp", "2", "--dp", "2", "--compute-rate", "10PFLOP/s"}},
        RankedCommand{"Traffic",
                      4,
                      {"traffic", "configs/mesh.yaml", "--rate", "0.1,0.8", "--warmup", "500",
                       "--cycles", "2000"}}),
    [](const auto& param) { return std::string(param.param.name); });

// ---- tables and files

TEST_F(RankProgramTest, PrintsOnceAndWritesOnce) {
  const Words words{"run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--json", path("one.json")};
  const Outcome one = run_fredsim(words);
  ::setenv("TERM", "xterm", 1);
  const Outcome several = run(3, words);
  EXPECT_EQ(several.exit_code, 0) << several.err;
  EXPECT_EQ(several.out.find('\x1b'), std::string::npos) << several.out;
  // The table says how many cycles were simulated.
  EXPECT_EQ(lines_of(several.out).front(), lines_of(one.out).front());
  EXPECT_EQ(several.out.find("payload"), several.out.rfind("payload"));
  EXPECT_EQ(files(), (std::vector<std::string>{"one.json"}));
}

// ---- ends

struct Refused {
  const char* name;
  int ranks;
  Words words;
  const char* message;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class RefusedOnRanks : public RankProgramTest, public testing::WithParamInterface<Refused> {};

TEST_P(RefusedOnRanks, WithOneMessage) {
  const Outcome outcome = run(GetParam().ranks, GetParam().words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  // The launcher's own notice comes before or behind it.
  const std::vector<std::string> lines = lines_of(outcome.err);
  const std::string message = std::string("fredsim: ") + GetParam().message;
  EXPECT_EQ(std::ranges::count(lines, message), 1) << outcome.err;
  EXPECT_EQ(outcome.err.find("fredsim:"), outcome.err.rfind("fredsim:")) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    For, RefusedOnRanks,
    testing::Values(
        Refused{"TooMany",
                5,
                {"run", "configs/mesh_2x2.yaml", "--quiet", "--size", "1KiB"},
                "found 5 ranks; allowed for mesh_2x2: 1 to 4, as many as it has switches, each "
                "with its "
                "endpoints, and endpoints without one"},
        Refused{"OtherCommands",
                2,
                {"info", "configs/mesh_2x2.yaml"},
                "info: found 2 processes; allowed: one. On several run: run, compare, train, "
                "astra, traffic"},
        Refused{"Waves",
                2,
                {"run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--wave", "none.fst"},
                "--wave: found with 2 processes; allowed: in one process"},
        Refused{"Flows",
                2,
                {"run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--engine", "flow"},
                "--engine flow: found with 2 processes; allowed: in one process"},
        Refused{
            "ChannelsThatCross",
            2,
            {"run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--quiet", "--set",
             "link.reliability=link"},
            "found 2 ranks; allowed for mesh_2x2: 1 to 1, as many as it has parts between which "
            "links retransmit (link.reliability), which keeps their ends in one process"},
        Refused{"BadPatience",
                2,
                {"run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--rank-timeout", "0"},
                "--rank-timeout: found '0'; allowed: a whole number, 1 to 1000000"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST_F(RankProgramTest, DifferentCommandLinesAreRefused) {
  const Words first{"run", "configs/mesh_2x2.yaml", "--size", "1KiB"};
  Words words = on_ranks(1, first);
  words.emplace_back(":");
  words = with(words, with({"-n", "1", FREDSIM_PROGRAM},
                           {"run", "configs/mesh_2x2.yaml", "--size", "2KiB"}));
  const Outcome outcome = run_fredsim(words, launcher());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      std::ranges::count(
          lines_of(outcome.err),
          "fredsim: command line: found 'fredsim run configs/mesh_2x2.yaml --size 1KiB' on rank 0 "
          "and 'fredsim run configs/mesh_2x2.yaml --size 2KiB' on rank 1; allowed: the same on "
          "all ranks"),
      1)
      << outcome.err;
}

TEST_F(RankProgramTest, DifferentProgramsAreRefused) {
  const std::string other = path("fredsim");
  std::filesystem::copy_file(FREDSIM_PROGRAM, other);
  std::ofstream(other, std::ios::app) << "another build";
  const Words command{"run", "configs/mesh_2x2.yaml", "--size", "1KiB"};
  Words words = on_ranks(1, command);
  words = with(with(words, {":", "-n", "1", other}), command);
  const Outcome outcome = run_fredsim(words, launcher());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(std::ranges::count_if(lines_of(outcome.err),
                                  [](const std::string& line) {
                                    return line.starts_with("fredsim: program: found '");
                                  }),
            1)
      << outcome.err;
}

// All ranks detect a time-out, with one report of waiting ranks, equal to one process.
TEST_F(RankProgramTest, RunsThatFailSayTheSame) {
  const Words words{"run",     "configs/mesh.yaml", "--size", "64KiB",
                    "--quiet", "--timeout-cycles",  "100"};
  const Outcome one = run_fredsim(words);
  ASSERT_EQ(one.exit_code, 1);
  const Outcome several = run(3, words);
  EXPECT_EQ(several.exit_code, 1);
  EXPECT_NE(several.err.find(one.err), std::string::npos) << several.err;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("PPid:") && std::stoi(line.substr(5)) == parent)
        children.push_back(process);
    }
  }
  return children;
}

// Processes that do the work: their guards' children.
std::vector<pid_t> workers_of(pid_t launcher) {
  std::vector<pid_t> workers;
  for (const pid_t guard : children_of(launcher))
    for (const pid_t worker : children_of(guard)) workers.push_back(worker);
  return workers;
}

// Its guard is gone before it, and init may take its time to reap it.
bool is_gone(pid_t process) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    if (!(stat >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

class LongRunOnRanks : public RankProgramTest {
 protected:
  Words long_run(const Words& more = {}) const {
    return on_ranks(2, with({"traffic", "configs/mesh.yaml", "--rate", "0.3", "--cycles",
                             "100000000", "--json", path("none.json")},
                            more));
  }
  // Once both are at work.
  static bool wait_for_workers(RunningProgram& program, std::vector<pid_t>& workers) {
    return program.wait_until([&] {
      workers = workers_of(program.process());
      return workers.size() == 2 && std::ranges::all_of(workers, [](pid_t worker) {
               return processor_time(worker) >= std::chrono::milliseconds(500);
             });
    });
  }
  static void expect_gone(const std::vector<pid_t>& workers) {
    for (const pid_t worker : workers) EXPECT_TRUE(is_gone(worker)) << worker;
  }
};

TEST_F(LongRunOnRanks, KilledRankEndsAll) {
  RunningProgram program(long_run(), launcher());
  std::vector<pid_t> workers;
  ASSERT_TRUE(wait_for_workers(program, workers));
  ::kill(workers[1], SIGKILL);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find(" was ended by signal 9 (Killed)"), std::string::npos) << outcome.err;
  EXPECT_TRUE(files().empty());
  expect_gone(workers);
}

TEST_F(LongRunOnRanks, SilentRankEndsAll) {
  RunningProgram program(long_run({"--rank-timeout", "1"}), launcher());
  std::vector<pid_t> workers;
  ASSERT_TRUE(wait_for_workers(program, workers));
  ::kill(workers[1], SIGSTOP);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(files().empty());
  expect_gone(workers);
}

TEST_F(LongRunOnRanks, InterruptEndsAll) {
  RunningProgram program(long_run(), launcher());
  std::vector<pid_t> workers;
  ASSERT_TRUE(wait_for_workers(program, workers));
  ::kill(workers[0], SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("interrupted"), std::string::npos) << outcome.err;
  EXPECT_TRUE(files().empty());
  expect_gone(workers);
}

}  // namespace
}  // namespace fredsim
