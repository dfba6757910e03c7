// SPDX-License-Identifier: Apache-2.0
// Lines of NCCL-tests: the layout to the character, and what programs that read it take from it.
#include "report/nccl_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"

namespace fredsim {
namespace {

ReportedRun nccl_run(const std::string& collective, std::uint64_t bytes, double time_ns,
                     double busbw) {
  ReportedRun run;
  RunResult& r = run.result;
  r.fabric = "mesh_2x2";
  r.collective = collective;
  r.algorithm = "ring";
  r.groups = {{0, 1, 2, 3}};
  r.size_bytes = bytes;
  r.time_ns = time_ns;
  r.algbw_gbps = static_cast<double>(bytes) / time_ns;
  r.busbw_gbps = busbw;
  r.payload = "exact";
  return run;
}

TEST(NcclTable, IsThatOfNcclTests) {
  const std::vector<ReportedRun> runs{nccl_run("all_reduce", 1024, 61.5, 24.9756),
                                      nccl_run("all_reduce", 1 << 20, 12345.678, 127.4),
                                      nccl_run("all_reduce", 1ULL << 30U, 10123456789, 159.1)};
  EXPECT_EQ(nccl_text(runs, 2, "1.2"),
            R"(# fredsim 1.2: mesh_2x2, algorithm ring, simulated
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 4 minBytes 1024 maxBytes 1073741824 step: 1024(factor) warmup iters: 0 iters: 1 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid      0 on   mesh_2x2 device  0 [npu0] simulated
#  Rank  1 Group  0 Pid      0 on   mesh_2x2 device  1 [npu1] simulated
#  Rank  2 Group  0 Pid      0 on   mesh_2x2 device  2 [npu2] simulated
#  Rank  3 Group  0 Pid      0 on   mesh_2x2 device  3 [npu3] simulated
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)        
        1024           512      half     sum      -1   0.0615   16.65   24.98       0   0.0615   16.65   24.98       0
     1048576        524288      half     sum      -1  12.3457   84.93  127.40       0  12.3457   84.93  127.40       0
  1073741824     536870912      half     sum      -1  10123457    0.11  159.10       0  10123457    0.11  159.10       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 103.825 
#
# Collective test concluded: all_reduce_perf
)");
}

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Readers skip comments, split at blanks, and take columns by number from either end.
TEST(NcclTable, ReadersFindTheirColumns) {
  Random random(74);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    std::vector<ReportedRun> runs;
    double sum = 0;
    for (std::uint64_t bytes = 2 + 2 * random.below(1 << 20); runs.size() < 5; bytes *= 4) {
      const double time = 1 + static_cast<double>(random.below(1ULL << (10 + random.below(30))));
      runs.push_back(nccl_run("all_gather", bytes, time, 0.75 * static_cast<double>(bytes) / time));
      sum += runs.back().result.busbw_gbps;
    }
    std::istringstream text(nccl_text(runs, 0, "1"));
    std::size_t row = 0;
    bool has_average = false;
    for (std::string line; std::getline(text, line);) {
      const std::vector<std::string> words = words_of_line(line);
      if (line.starts_with("# Avg bus bandwidth")) {
        EXPECT_NEAR(std::stod(words.back()), sum / 5, 1e-5 * sum);
        has_average = true;
      }
      if (line.starts_with('#')) continue;
      ASSERT_EQ(words.size(), 13U) << line;
      const RunResult& r = runs.at(row++).result;
      EXPECT_EQ(std::stoull(words[0]), r.size_bytes);
      EXPECT_EQ(std::stoull(words[1]), r.size_bytes / 8) << "elements of one of four ranks";
      EXPECT_EQ(words[2] + words[3] + words[4], "halfnone-1");
      EXPECT_NEAR(std::stod(words[5]), r.time_ns / 1000, 1e-4 + r.time_ns * 1e-6);
      EXPECT_NEAR(std::stod(words[7]), r.busbw_gbps, 0.006 + r.busbw_gbps * 1e-4);
      EXPECT_EQ(words[words.size() - 6], words[7]) << "from the end";
      EXPECT_EQ(words[8], "0");
    }
    EXPECT_EQ(row, 5U);
    EXPECT_TRUE(has_average);
  }
}

TEST(NcclTable, FlowsCarryNoPayloadToCheck) {
  ReportedRun run = nccl_run("broadcast", 1024, 100, 10);
  run.result.flow.emplace();
  const std::string text = nccl_text({&run, 1}, 3, "1");
  EXPECT_NE(text.find("half    none       3   0.1000   10.24   10.00     N/A"), std::string::npos)
      << text;
  EXPECT_NE(text.find("validation: 0"), std::string::npos);
}

TEST(NcclTable, InterruptedRunsAreLeftOut) {
  std::vector<ReportedRun> runs{nccl_run("reduce", 1024, 100, 10), nccl_run("reduce", 2048, 1, 9)};
  runs.back().result.incomplete = true;
  const std::string text = nccl_text(runs, 0, "1");
  EXPECT_EQ(text.find("        2048  "), std::string::npos);
  EXPECT_NE(text.find("# Avg bus bandwidth    : 10 \n"), std::string::npos) << text;
}

TEST(NcclTable, HasTheCollectivesOfNcclTests) {
  EXPECT_EQ(nccl_program("all_to_all"), "alltoall_perf");
  EXPECT_EQ(nccl_program("reduce_scatter"), "reduce_scatter_perf");
  EXPECT_FALSE(nccl_program("unicast"));
  EXPECT_TRUE(nccl_collectives().starts_with("all_reduce, reduce_scatter, "));
}

}  // namespace
}  // namespace fredsim
