// SPDX-License-Identifier: Apache-2.0
// Writes rows into phase stores while traffic goes on: an access per switch and cycle, as the fabric's own set-up does it.
//
// Use: add() phases, then issue() once between every two edges. A phase is `loaded` at the first call after the edge that
//   has served the last of its writes.
// Accesses of others to a switch that is being written (ControlPlane) wait until it is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/row_store.h"
#include "fabric/fabric.h"

namespace fredsim {

class RowLoader {
 public:
  explicit RowLoader(Fabric& fabric) : fabric_(fabric), queues_(fabric.topology().nodes.size()) {}

  void add(StoredPhase& phase);
  bool issue();  // true: a phase has become loaded
  bool idle() const { return loading_.empty(); }
  std::uint64_t words() const { return words_; }  // written, ever
  void reset();  // discards unwritten rows; no write may be under way

 private:
  struct Loading {
    StoredPhase* phase = nullptr;
    std::size_t left = 0;  // writes that are not served
  };
  struct Write {
    RegisterRequest request;
    StoredPhase* phase = nullptr;
  };
  // Memory: one for each node of the machine, most of them without writes.
  struct Queue {
    std::vector<Write> writes;
    std::size_t issued = 0;
    StoredPhase* under_way = nullptr;  // whose write the next edge serves

    bool is_empty() const { return issued == writes.size(); }
    void pop() {
      if (++issued < writes.size()) return;
      writes.clear();
      issued = 0;
    }
  };
  Fabric& fabric_;
  std::vector<Queue> queues_;  // by node
  std::vector<NodeId> active_;
  std::vector<Loading> loading_;
  std::uint64_t words_ = 0;
};

}  // namespace fredsim
