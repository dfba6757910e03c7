// SPDX-License-Identifier: Apache-2.0
// Common parts of the results JSON of several kinds of run (report/json.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "results/fields/run.h"
#include "results/json_object.h"
#include "results/results.h"

namespace fredsim {

// Head of a run: machine, model of its switches, lanes, clock.
JsonObject<fields::kRunHead> run_head_json(const RunResult& result);
nlohmann::ordered_json links_json(std::span<const LinkResult> links);
nlohmann::ordered_json switches_json(std::span<const SwitchResult> switches);
JsonObject<fields::kLayout> layout_json(const Layout& layout);
JsonObject<fields::kOperations> operations_json(const OperationsResult& operations);
JsonObject<fields::kSlices> slices_json(const RunResult& result);
JsonObject<fields::kSystemUse> system_json(const SystemResult& system);
JsonObject<fields::kSkipped> skipped_json(const RunResult& result);
JsonObject<fields::kEnergy> energy_json(const EnergyResult& energy);
// Null: unmeasured.
nlohmann::ordered_json flow_error_json(const FlowResult& flow);
JsonObject<fields::kInjected> traffic_json(const RunResult& result);

}  // namespace fredsim
