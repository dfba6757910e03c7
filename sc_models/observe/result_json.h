// Parts of the results JSON that several kinds of run have (observe/json.h).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "observe/results.h"

namespace fredsim {

nlohmann::ordered_json link_json(const LinkResult& link);
nlohmann::ordered_json switch_json(const SwitchResult& result);
nlohmann::ordered_json layout_json(const Layout& layout);
nlohmann::ordered_json operations_json(const OperationsResult& operations);
nlohmann::ordered_json slices_json(const RunResult& result);
nlohmann::ordered_json skipped_json(const RunResult& result);
nlohmann::ordered_json traffic_json(const RunResult& result);

}  // namespace fredsim
