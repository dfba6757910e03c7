// SPDX-License-Identifier: Apache-2.0
#include "wave_runs.h"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>

#include "support/vcd.h"

namespace fredsim {
namespace {

constexpr const char* kVcs[] = {"mp", "pp", "dp", "control"};

}  // namespace

WaveContent wave_content_of(const std::string& fst) {
  std::istringstream vcd(run_fst2vcd(fst));
  WaveContent content;
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

std::string wave_scope_of(const std::string& link) {
  std::string scope;
  for (const char c : link) scope += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return scope;
}

int expect_counts(const WaveContent& content, const nlohmann::json& run) {
  int links = 0;
  for (const nlohmann::json& link : run["links"]) {
    const std::string scope = wave_scope_of(link["name"]);
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

nlohmann::json WaveTest::run(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--wave", path("w.fst"), "--json", "-"});
  const Outcome outcome = run_fredsim(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

}  // namespace fredsim
