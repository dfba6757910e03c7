// SPDX-License-Identifier: Apache-2.0
#include "engine/row_loader.h"

#include <algorithm>
#include <utility>

#include "fabric/switch_setup.h"

namespace fredsim {

void RowLoader::add(StoredPhase& phase) {
  std::size_t writes = 0;
  for (const auto& [node, row] : phase.rows) {
    Queue& queue = queues_[node];
    if (queue.is_empty() && queue.in_flight == nullptr) active_.push_back(node);
    fabric_.control(node).hold(true);
    for (const RegisterWrite& w : phase_writes({node, phase.index, row})) {
      queue.writes.push_back(
          {{.valid = true, .write = true, .address = w.address, .wdata = w.data}, &phase});
      ++writes;
    }
  }
  loading_.push_back({&phase, writes});
}

bool RowLoader::issue() {
  for (const NodeId node : active_) {
    Queue& queue = queues_[node];
    if (StoredPhase* const served = std::exchange(queue.in_flight, nullptr); served != nullptr)
      --std::ranges::find(loading_, served, &Loading::phase)->left;
    if (queue.is_empty()) {
      fabric_.control(node).hold(false);
    } else if (!fabric_.control(node).busy()) {
      const Write& write = queue.writes[queue.issued];
      fabric_.core().access(node, write.request);
      queue.in_flight = write.phase;
      queue.pop();
      ++words_;
    }
  }
  std::erase_if(active_, [&](NodeId node) {
    return queues_[node].is_empty() && queues_[node].in_flight == nullptr;
  });
  return std::erase_if(loading_, [](const Loading& loading) {
           if (loading.left == 0) loading.phase->loaded = true;
           return loading.left == 0;
         }) > 0;
}

void RowLoader::reset() {
  for (const NodeId node : active_) fabric_.control(node).hold(false);
  for (Queue& queue : queues_) queue = {};
  active_.clear();
  loading_.clear();
}

}  // namespace fredsim
