// SPDX-License-Identifier: Apache-2.0
// Parts of a machine for several processes, and their forecasts (`fredsim info --ranks`), as tables
// and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/machine_key.h"
#include "base/setting.h"
#include "report/table_output.h"
#include "results/document.h"
#include "results/rank_forecast.h"

namespace fredsim {

struct RankSetup {
  std::string config{};
  Settings settings{};
  std::vector<MachineKey> machine{};
  std::string fabric{};
  std::string model{};
  int lanes = 1;
  ExchangeCosts exchange{};
};

TitledTable rank_part_table(const RankSetup& setup, const RankForecast& forecast);
TitledTable rank_forecast_table(std::span<const RankForecast> forecasts);
std::string rank_legend(const RankSetup& setup);

// `forecasts`: at least one; the parts are the first one's.
std::string ranks_json(const Origin& origin, const RankSetup& setup,
                       std::span<const RankForecast> forecasts);

}  // namespace fredsim
