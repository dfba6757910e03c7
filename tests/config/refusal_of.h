// SPDX-License-Identifier: Apache-2.0
// Message of the loader for a machine file that is wrong.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "config/config.h"
#include "support/temporary_folder.h"
#include "topology/support.h"

namespace fredsim {

inline std::string refused(const std::string& path, const std::vector<std::string>& overrides) {
  return refusal([&] { load_config(path, overrides); });
}

inline std::string refused_mesh(const std::string& override_text) {
  return refused("configs/mesh.yaml", {override_text});
}

inline std::string refused_fred(const std::string& override_text) {
  return refused("configs/fred_d.yaml", {override_text});
}

inline std::string write_file(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.file("machine.yaml")) << text;
  return folder.file("machine.yaml");
}

inline std::string refused_text(const std::string& text) {
  const TemporaryFolder folder;
  return refused(write_file(folder, text), {});
}

}  // namespace fredsim
