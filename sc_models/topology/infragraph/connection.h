// SPDX-License-Identifier: Apache-2.0
// Connections of InfraGraph files of the older dialect: two components and the link between them,
// in one word.
//
//   xpu.0.nvlink.nvlsw.1                              inside a device
//   server.0.nic.1.eth.leaf.0.port.3                  between components of instances
// Errors: BadInput with the label.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fredsim {

struct FileConnection {
  using Place = std::vector<std::pair<std::string, int>>;  // "server.0.nic.1": names and which
  Place from{}, to{};
  std::string link{};
  std::string label{};
};

FileConnection parse_connection(const std::string& text, const std::string& label);

}  // namespace fredsim
