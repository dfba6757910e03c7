#include <gtest/gtest.h>

#include "program.h"

namespace fredsim {
namespace {

class WaveTest : public FolderTest {
 protected:
  std::uintmax_t wave_bytes(const std::string& name, const std::string& scope) {
    const Outcome outcome = run_fredsim({"run", "configs/mesh_2x2.yaml", "--size", "4KiB", "--wave",
                                         path(name), "--wave-scope", scope});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return std::filesystem::file_size(path(name));
  }
};

TEST_F(WaveTest, HoldsTheInstancesThatMatch) {
  const std::uintmax_t all = wave_bytes("all.fst", "*");
  const std::uintmax_t one = wave_bytes("one.fst", "r1_0");
  EXPECT_GT(one, 1000U);
  EXPECT_GT(all, 2 * one) << "four routers against one";
  EXPECT_EQ(read_text(path("one.fst")).front(), '\0') << "an FST file begins with its header block";
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

}  // namespace
}  // namespace fredsim
