// SPDX-License-Identifier: Apache-2.0
// Several observers of NPUs as one.
#pragma once

#include <vector>

#include "npu/npu_observer.h"

namespace fredsim {

class NpuObservers final : public NpuObserver {
 public:
  // Told from now on, after those before it; outlives this.
  void add(NpuObserver& observer) { observers_.push_back(&observer); }
  bool empty() const { return observers_.empty(); }

  void queued(int npu, const Packet& packet) override {
    for (NpuObserver* observer : observers_) observer->queued(npu, packet);
  }
  void sent(int npu, Packet& packet) override {
    for (NpuObserver* observer : observers_) observer->sent(npu, packet);
  }
  void received(int npu, Packet& packet) override {
    for (NpuObserver* observer : observers_) observer->received(npu, packet);
  }
  void added(int npu, int tree, int additions) override {
    for (NpuObserver* observer : observers_) observer->added(npu, tree, additions);
  }

 private:
  std::vector<NpuObserver*> observers_;
};

}  // namespace fredsim
