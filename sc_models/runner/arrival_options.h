// SPDX-License-Identifier: Apache-2.0
// Arrival times of NPUs at collectives (operations/arrivals.h), as the options give them: random,
// in addition to the machine's overhead.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <string>

#include "config/config.h"
#include "operations/arrivals.h"
#include "results/option_row.h"
#include "results/results.h"

namespace fredsim {

struct ArrivalOptions {
  std::string skew{};  // as typed; empty: none
  Skew of{};
};
ArrivalOptions parse_skew(const std::string& text);  // "none", "uniform:2us", "normal:2us"
template <class Request>
inline constexpr auto kSkewRows = rows::under(
    headings::kModel,
    rows::parsed<parse_skew, &Request::arrivals>(
        "--skew", "WHAT",
        "random delay of each NPU's arrival at each collective, by --seed: none (default), "
        "uniform:2us (from 0 to 2us) or normal:2us (magnitude of a normal deviate)"));

Arrivals arrivals_of(const ArrivalOptions& options, const MachineConfig& machine,
                     std::uint64_t seed);
// Names the arrivals in the form of a result.
void name_arrivals(const ArrivalOptions& options, const MachineConfig& machine, RunResult& result);

}  // namespace fredsim
