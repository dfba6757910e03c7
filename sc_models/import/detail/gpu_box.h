// SPDX-License-Identifier: Apache-2.0
// GPUs of a box, the links between them, and the PCIe tree above them.
//
// Purpose: NCCL sends over NVLinks (or XGMI) alone where these join all GPUs; such a box is built
//   without its PCIe tree. Switches that lie between no GPUs are left out.
// Names: gpu0, … in the order of add_gpu(); nvswitch; of other switches the word and a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/import_format.h"

namespace fredsim {

class GpuBox {
 public:
  // Numbers of nodes, in any order.
  int add_gpu(const std::string& label);
  int add_switch(std::string_view word, const std::string& label);

  // `count` links in parallel, each of `bandwidth`.
  void add_nvlink(int from, int to, std::uint64_t bandwidth, int count, const std::string& label);
  void add_pcie(int from, int to, std::uint64_t bandwidth, const std::string& label);

  // The graph, of NVLinks alone or of all links, and notes about it. `pcie_key`: the file's word
  // for its PCIe tree.
  void build(const std::string& path, const ImportOptions& options, std::string_view pcie_key,
             ImportedMachine& machine) const;

 private:
  struct BoxNode {
    std::string word;
    std::string label;
    bool is_gpu = false;
  };
  struct BoxLink {
    int from = 0, to = 0;
    std::uint64_t bandwidth = 0;
    int count = 1;
    bool is_nvlink = false;
    std::string label;
  };

  bool nvlinks_join_all() const;
  std::vector<bool> between_gpus(const std::vector<BoxLink>& links) const;

  std::vector<BoxNode> nodes_;
  std::vector<BoxLink> links_;
};

}  // namespace fredsim
