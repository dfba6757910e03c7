// SPDX-License-Identifier: Apache-2.0
#include "support/test_mesh_router.h"

#include <algorithm>

#include "routing/mesh_routing.h"
#include "switch/register_map.h"

namespace fredsim::test {

TestSwitch::TestSwitch(const SwitchShape& shape)
    : ports_(shape.ports()), words_(flit_words(shape.lanes())) {
  TestSwitch::reset();
}

void TestSwitch::reset() {
  const auto ports = static_cast<std::size_t>(ports_);
  queues_.assign(ports * kNumVcs, {});
  Output output;
  output.owner.fill(-1);
  outputs_.assign(ports, output);
  flits_in_.assign(ports, 0);
  flits_out_.assign(ports, 0);
  flits_ = 0;
  credit_pulse_ = false;
}

int TestMeshRouter::route(std::uint16_t destination) const {
  const int x = destination & 63;
  const int y = destination >> 6 & 63;
  const int endpoint = destination >> 12;
  if (x != x_ || y != y_) return mesh_direction(x_, y_, x, y, {});
  // Any local port leads to the NPU; the first one will do.
  return endpoint == 0 ? kFirstLocal : kFirstLocal + locals_ + endpoint - 1;
}

std::uint32_t TestMeshRouter::identity() const { return mesh_pkg::MESH_ID; }

void TestMeshRouter::write(std::uint16_t address, std::uint32_t data) {
  if (address != reg::kPosition) return;
  x_ = static_cast<int>(data & 0xFF);
  y_ = static_cast<int>(data >> 8);
}

void TestSwitch::access(SwitchPins& pins) {
  const std::uint16_t a = pins.reg.address;
  const auto in = [&](std::uint16_t base, int words) { return a >= base && a < base + words; };
  const int ports = ports_;
  if (pins.reg.write) {
    if (in(reg::kCredit, 4 * ports)) {
      outputs_[(a - reg::kCredit) / 4].credits[(a - reg::kCredit) % 4] =
          static_cast<int>(pins.reg.wdata);
    } else {
      write(a, pins.reg.wdata);
    }
    return;
  }
  pins.reg_rdata = 0;
  if (a == reg::kId) pins.reg_rdata = identity();
  if (in(reg::kCredit, 4 * ports)) {
    pins.reg_rdata = static_cast<std::uint32_t>(
        outputs_[(a - reg::kCredit) / 4].credits[(a - reg::kCredit) % 4]);
  }
  if (in(reg::kFlitsIn, 2 * ports) && a % 2 == 0) {
    pins.reg_rdata = static_cast<std::uint32_t>(flits_in_[(a - reg::kFlitsIn) / 2]);
  }
  if (in(reg::kFlitsOut, 2 * ports) && a % 2 == 0) {
    pins.reg_rdata = static_cast<std::uint32_t>(flits_out_[(a - reg::kFlitsOut) / 2]);
  }
}

bool TestSwitch::send(int port, int vc, SwitchPins& pins) {
  Output& out = outputs_[port];
  if (out.credits[vc] == 0 || (hold >> port & 1U) != 0) return false;
  const int ports = ports_;
  for (int tried = 0; tried < ports; ++tried) {
    const int input = out.owner[vc] >= 0 ? out.owner[vc] : (out.next[vc] + tried) % ports;
    auto& flits = queue(input, vc);
    if (flits.empty()) {
      if (out.owner[vc] >= 0) return false;
      continue;
    }
    if ((pins.in_credit[vc] >> input & 1U) != 0) continue;  // one flit per input, VC and cycle
    const FlitHeader header = unpack_header(flits.front().data());
    if (out.owner[vc] < 0 && (!header.head || route(header.dst) != port)) continue;
    out.owner[vc] = header.tail ? -1 : input;
    if (header.tail) out.next[vc] = (input + 1) % ports;
    std::uint32_t* words = &pins.out_flit[port * words_];
    std::ranges::copy(flits.front(), words);
    if (corrupt) corrupt(words);
    flits.pop_front();
    --flits_;
    --out.credits[vc];
    ++flits_out_[port];
    pins.out_valid |= 1U << port;
    pins.in_credit[vc] |= 1U << input;
    return true;
  }
  return false;
}

void TestSwitch::step(SwitchPins& pins) {
  pins.out_valid = 0;
  pins.in_credit = {};
  for (int port = 0; port < ports_; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      if ((pins.out_credit[vc] >> port & 1U) != 0) ++outputs_[port].credits[vc];
    }
  }
  if (pins.reg.valid) access(pins);
  for (int port = 0; port < ports_; ++port) {
    if ((pins.out_ready >> port & 1U) == 0) continue;
    for (const int vc : {int{kControl}, int{kMp}, int{kPp}, int{kDp}}) {
      if (send(port, vc, pins)) break;
    }
  }
  for (int port = 0; port < ports_; ++port) {
    if ((pins.in_valid >> port & 1U) == 0) continue;
    const std::uint32_t* flit = &pins.in_flit[port * words_];
    queue(port, unpack_header(flit).vc).emplace_back(flit, flit + words_);
    ++flits_in_[port];
    ++flits_;
  }
  credit_pulse_ = std::ranges::any_of(pins.in_credit, [](std::uint32_t c) { return c != 0; });
}

}  // namespace fredsim::test
