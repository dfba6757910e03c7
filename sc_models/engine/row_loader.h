// SPDX-License-Identifier: Apache-2.0
// Writer of rows into phase stores during traffic: an access per switch and cycle, as in the
// fabric's own set-up.
//
// Use: add() phases, then issue() once between every two edges. A phase is `loaded` at the first
//   call after the edge that has served the last of its writes.
// Other accesses to a switch that is being written (ControlPlane) wait until the writes are done.
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
  std::uint64_t words() const { return words_; }  // words written since construction
  void reset();  // discards unwritten rows; no write may be in progress

 private:
  struct Loading {
    StoredPhase* phase = nullptr;
    std::size_t left = 0;  // writes that are not served
  };
  struct Write {
    RegisterRequest request;
    StoredPhase* phase = nullptr;
  };
  // Memory: one per node of the machine, most of them without writes.
  struct Queue {
    std::vector<Write> writes;
    std::size_t issued = 0;
    StoredPhase* in_flight = nullptr;  // phase whose write the next edge serves

    bool is_empty() const { return issued == writes.size(); }
    void pop() {
      if (++issued < writes.size()) return;
      writes.clear();
      issued = 0;
    }
  };
  Fabric& fabric_;
  std::vector<Queue> queues_;  // index: node
  std::vector<NodeId> active_;
  std::vector<Loading> loading_;
  std::uint64_t words_ = 0;
};

}  // namespace fredsim
