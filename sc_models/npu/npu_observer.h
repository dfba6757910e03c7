// SPDX-License-Identifier: Apache-2.0
// Observer of an NPU's work, packet by packet, and a list of observers as one. Called within the
// clock edge of the event.
#pragma once

#include <vector>

#include "nic/packet_extension.h"

namespace fredsim {

class NpuObserver {
 public:
  virtual ~NpuObserver() = default;
  NpuObserver(const NpuObserver&) = delete;
  NpuObserver& operator=(const NpuObserver&) = delete;

  // `npu`: number given to Npu::observe(). The packet's extension has its stream and index.
  virtual void queued(int npu, const Packet& packet) = 0;  // passed to the NIC
  virtual void sent(int npu, Packet& packet) = 0;          // its last flit has left
  virtual void received(int npu, Packet& packet) = 0;      // its last flit has arrived
  virtual void added(int npu, int tree,
                     int additions) = 0;  // additions of whole packets, for one partial sum

 protected:
  NpuObserver() = default;
};

class NpuObservers final : public NpuObserver {
 public:
  // Adds an observer, called after earlier ones; it outlives this.
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
