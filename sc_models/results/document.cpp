// SPDX-License-Identifier: Apache-2.0
#include "results/document.h"

namespace fredsim {

JsonObject<fields::kDocument> document_of(const Origin& origin) {
  return {{"fredsim", origin.version},
          {"commit", origin.commit},
          {"schema", kResultsSchema},
          {"command", origin.command}};
}

std::string text_of(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fredsim
