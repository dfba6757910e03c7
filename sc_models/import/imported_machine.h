// SPDX-License-Identifier: Apache-2.0
// A machine as an importer has read it, before it becomes a machine file.
//
// Shape: either a graph, or the keys of another kind of fabric; NPUs are numbered in the order of
//   the graph's nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/setting.h"
#include "topology/graph/graph.h"

namespace fredsim {

// A part of the file that has no effect, or another one than there, and the reason.
struct ImportNote {
  std::string keys;  // as the file names it; several with the same reason: "x, y"
  std::string reason;
};

struct ImportedMachine {
  std::string name;                     // of the file, without folder and extension
  std::string clock = "auto";           // as in machine files
  GraphSpec graph{};                    // no nodes: `keys` have the fabric
  std::vector<Setting> keys{};          // further keys: "fabric.type", "switch.input_buffer"
  std::vector<std::string> facts{};     // sentences for the head of the file
  std::vector<std::string> commands{};  // command lines after `fredsim`, FILE for the machine
  std::vector<ImportNote> notes{};

  void note(std::string_view key, std::string_view reason);
};

// Name of a machine from the path of a file: letters, digits, '_', '-' and '.'.
std::string machine_name_of(const std::string& path);

// Adds nodes and links of a graph by name.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string label) { spec_.label = std::move(label); }

  int add_npu(const std::string& name, const std::string& label) { return add(name, false, label); }
  int add_switch(const std::string& name, const std::string& label) {
    return add(name, true, label);
  }
  void join(int from, int to, std::uint64_t bandwidth, std::uint64_t latency_ps, int count,
            const std::string& label);
  int npus() const { return npus_; }
  GraphSpec take() { return std::move(spec_); }

 private:
  int add(const std::string& name, bool is_switch, const std::string& label);

  GraphSpec spec_;
  int npus_ = 0, switches_ = 0;
};

}  // namespace fredsim
