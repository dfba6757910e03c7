// Parts of the results JSON that several kinds of run have (report/json.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "results/results.h"

namespace fredsim {

// What was run: machine, model of its switches, lanes, clock.
nlohmann::ordered_json run_head_json(const RunResult& result);
nlohmann::ordered_json links_json(std::span<const LinkResult> links);
nlohmann::ordered_json switches_json(std::span<const SwitchResult> switches);
nlohmann::ordered_json layout_json(const Layout& layout);
nlohmann::ordered_json operations_json(const OperationsResult& operations);
nlohmann::ordered_json slices_json(const RunResult& result);
nlohmann::ordered_json skipped_json(const RunResult& result);
nlohmann::ordered_json traffic_json(const RunResult& result);

}  // namespace fredsim
