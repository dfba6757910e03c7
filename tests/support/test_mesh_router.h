// SPDX-License-Identifier: Apache-2.0
// Small switches in plain C++ for tests of the fabric, with a minimal replacement of virtual
// cut-through: a packet holds its output's VC from head to tail.
//
// TestMeshRouter: X-Y routed. Ports, registers (identity, position, credits, flit counters) and
//   credit rules equal mesh_router's; its timing differs: a flit in the buffer after edge e leaves
//   at e + 1 at the earliest.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "switch/switch_core.h"
#include "switch/switch_shape.h"

namespace fredsim::test {

class TestSwitch : public SwitchCore {
 public:
  explicit TestSwitch(const SwitchShape& shape);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override { return flits_ == 0 && !credit_pulse_; }
  std::uint32_t error() const override { return 0; }
  std::string_view model() const override { return "test"; }

  // Faults to inject. corrupt: called on every flit that leaves. hold: outputs that never send.
  std::function<void(std::uint32_t* flit)> corrupt;
  std::uint32_t hold = 0;

 protected:
  virtual int route(std::uint16_t destination) const = 0;  // output port
  virtual std::uint32_t identity() const = 0;
  virtual void write(std::uint16_t address, std::uint32_t data) = 0;  // writes all but credits

 private:
  struct Output {
    std::array<int, kNumVcs> credits{};
    std::array<int, kNumVcs> owner{};  // input port whose packet holds the VC, -1 free
    std::array<int, kNumVcs> next{};   // round robin
  };

  void access(SwitchPins& pins);
  bool send(int port, int vc, SwitchPins& pins);
  std::deque<std::vector<std::uint32_t>>& queue(int port, int vc) {
    return queues_[port * kNumVcs + vc];
  }

  int ports_;
  int words_;
  int flits_ = 0;
  bool credit_pulse_ = false;  // in_credit is high: one more step lowers it
  std::vector<std::deque<std::vector<std::uint32_t>>> queues_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> flits_in_;
  std::vector<std::uint64_t> flits_out_;
};

class TestMeshRouter : public TestSwitch {
 public:
  explicit TestMeshRouter(const SwitchShape& shape)  // kind: "mesh"
      : TestSwitch(shape), locals_(shape.value("NUM_LOCAL")) {}

 protected:
  int route(std::uint16_t destination) const override;
  std::uint32_t identity() const override;
  void write(std::uint16_t address, std::uint32_t data) override;

 private:
  int locals_;
  int x_ = 0;
  int y_ = 0;
};

}  // namespace fredsim::test
