// SPDX-License-Identifier: Apache-2.0
// Runs of the program with a waveform file, and sums over its recorded cycles.
//
// Links are scopes of their names, letters and digits kept ("npu1_0__l1_0_s0_1"); signals: see
// trace/wave_recorder.h. Times are picoseconds, as in the file.
// Errors: a run that fails is a test failure; an unreadable file throws the error of run_fst2vcd().
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {

struct WaveContent {
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

WaveContent wave_content_of(const std::string& fst);
std::string wave_scope_of(const std::string& link);

// Launches, arrivals and credits of every link as its counter has them; how many links.
int expect_counts(const WaveContent& content, const nlohmann::json& run);

// A short run on a small tree.
inline const std::vector<std::string> kSmallRun{"run", "configs/fred_small.yaml", "--size", "4KiB"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more);

class WaveTest : public FolderTest {
 protected:
  // Writes w.fst; the results.
  nlohmann::json run(std::vector<std::string> arguments);
  WaveContent content() const { return wave_content_of(path("w.fst")); }
};

}  // namespace fredsim
