// SPDX-License-Identifier: Apache-2.0
#include "benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <vector>

#include "base/random.h"
#include "router_implementations.h"
#include "router_rules.h"
#include "speed_mesh.h"
#include "switch/register_map.h"
#include "topology/mesh_address.h"

namespace fredsim::tb {
namespace {

constexpr int kX = 2;
constexpr int kY = 2;
constexpr int kPairs = 5;

// Flits that one input repeats endlessly, packet by packet on one VC.
struct Stream {
  std::vector<std::array<std::uint32_t, 4>> flits;
  std::size_t next = 0;
  int credits = 0;
};

struct Speed {
  double per_second = 0;  // measured rate
  double load = 0;        // flits per cycle
};

template <class Work>
double processor_seconds(const Work& work) {  // the machine may be shared
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

// `measure` of RTL and twin in turn; one line with both and the ratio.
template <class Measure>
void compare(std::string_view name, std::string_view unit, double scale, const Measure& measure) {
  std::vector<double> rtl;
  std::vector<double> twin;
  std::vector<double> ratio;
  double load = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Speed a = measure(SwitchModel::kRtl);
    const Speed b = measure(SwitchModel::kTlm);
    rtl.push_back(a.per_second / scale);
    twin.push_back(b.per_second / scale);
    ratio.push_back(b.per_second / a.per_second);
    load = b.load;
  }
  fmt::print("{:<38} {:6.2f} {:9.2f} {:9.2f} {:6.1f}   {}\n", name, load, median(rtl), median(twin),
             median(ratio), unit);
}

// `percent`: probability per input and cycle to send; `vcs`: virtual channels used; `random`:
// random destinations, otherwise a permutation without conflicts.
Speed one_router(SwitchModel model, int percent, int vcs, bool random_destinations) {
  const RouterImplementation router = wafer_router(model);
  const MeshShape& shape = router.shape;
  const int ports = shape.ports();
  auto core = router.make();
  core->reset();
  SwitchPins pins(ports, shape.lanes);
  pins.reg = {true, true, reg::kPosition, kX | kY << 8};
  core->step(pins);
  pins.reg = {};
  pins.out_ready = (1U << ports) - 1;

  // Transit east-west and north-south, NPU to the links, I/O to I/O; from the links, I/O to itself.
  const std::array<std::uint16_t, 10> permutation{mesh_address(kX, 4, 0),  mesh_address(0, kY, 0),
                                                  mesh_address(kX, 0, 0),  mesh_address(4, kY, 0),
                                                  mesh_address(kX, kY, 0), mesh_address(kX, kY, 0),
                                                  mesh_address(kX, kY, 0), mesh_address(kX, kY, 0),
                                                  mesh_address(kX, kY, 2), mesh_address(kX, kY, 1)};
  Random random(1);
  std::vector<std::vector<Stream>> streams(static_cast<std::size_t>(ports));
  for (int p = 0; p < ports; ++p) {
    for (int v = 0; v < vcs; ++v) {
      Stream stream;
      stream.credits = shape.buffers.depth(v);
      for (int packet = 0; packet < 64; ++packet) {
        std::uint16_t dst = permutation[p];
        if (random_destinations) {
          do {
            dst = mesh_address(static_cast<int>(random.below(5)), static_cast<int>(random.below(4)),
                               static_cast<int>(random.below(3)));
          } while (expected_output(shape, kX, kY, p, dst) < 0);
        }
        for (int i = 0; i < kPacketFlits; ++i) {
          FlitHeader h;
          h.dst = dst;
          h.vc = static_cast<std::uint8_t>(v);
          h.head = i == 0;
          h.tail = i == kPacketFlits - 1;
          stream.flits.emplace_back();
          pack_header(h, stream.flits.back().data());
        }
      }
      streams[p].push_back(std::move(stream));
    }
  }

  constexpr int kCycles = 100'000;
  std::uint64_t flits = 0;
  const double seconds = processor_seconds([&] {
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      pins.in_valid = 0;
      for (int p = 0; p < ports; ++p) {
        const std::uint64_t r = random.next();
        if (static_cast<int>((r & 0xFFFF) * 100 >> 16) >= percent) continue;
        Stream& s = streams[p][(r >> 32) % static_cast<std::uint64_t>(vcs)];
        if (s.credits == 0) continue;
        --s.credits;
        std::copy_n(s.flits[s.next].begin(), 4, pins.in_flit.begin() + 4 * p);
        s.next = s.next + 1 == s.flits.size() ? 0 : s.next + 1;
        pins.in_valid |= 1U << p;
      }
      pins.out_credit = {};
      for (std::uint32_t m = pins.out_valid; m != 0; m &= m - 1) {
        const int p = std::countr_zero(m);
        pins.out_credit[unpack_header(&pins.out_flit[4 * p]).vc] |= 1U << p;
      }
      core->step(pins);
      flits += static_cast<std::uint64_t>(std::popcount(pins.out_valid));
      for (int v = 0; v < vcs; ++v) {
        for (std::uint32_t m = pins.in_credit[v]; m != 0; m &= m - 1) {
          ++streams[std::countr_zero(m)][v].credits;
        }
      }
    }
  });
  return {kCycles / seconds, static_cast<double>(flits) / kCycles};
}

// The mesh at a rate: per second flits over links between routers, flits out of routers, or cycles.
enum class Of { kLinkHops, kLaunches, kCycles };
Speed mesh(SwitchModel model, double rate, Of of) {
  constexpr int kCycles = 40'000;
  SpeedMesh mesh(model, rate, 1);
  mesh.run(1000);  // until the flow is steady
  const std::uint64_t hops = mesh.link_hops();
  const std::uint64_t launches = mesh.launches();
  const double seconds = processor_seconds([&] { mesh.run(kCycles); });
  const double done = of == Of::kLinkHops   ? static_cast<double>(mesh.link_hops() - hops)
                      : of == Of::kLaunches ? static_cast<double>(mesh.launches() - launches)
                                            : kCycles;
  return {done / seconds, static_cast<double>(mesh.launches() - launches) / kCycles};
}

}  // namespace

void run_benchmark() {
  const auto router = [](std::string_view name, int percent, int vcs, bool random) {
    compare(name, "k cycles/s", 1e3,
            [&](SwitchModel model) { return one_router(model, percent, vcs, random); });
  };
  fmt::print("{:<38} {:>6} {:>9} {:>9} {:>6}\n", "one router", "load", "rtl", "tlm", "ratio");
  router("no conflict, every port every cycle", 100, 1, false);
  router("random, 1 VC, saturated", 100, 1, true);
  router("random, 3 VCs, saturated", 100, 3, true);
  router("random, 3 VCs, 30 % load", 30, 3, true);
  router("nothing to do, stepped anyway", 0, 1, false);
  fmt::print("load: flits out per cycle\n\n");

  fmt::print("{:<38} {:>6} {:>9} {:>9} {:>6}\n", "5 x 4 mesh, uniform random", "load", "rtl", "tlm",
             "ratio");
  compare("0.3 flits per NPU and cycle", "M flit-link-hops/s, router to router", 1e6,
          [](SwitchModel model) { return mesh(model, 0.3, Of::kLinkHops); });
  compare("0.3 flits per NPU and cycle", "M flits/s out of routers, NPUs included", 1e6,
          [](SwitchModel model) { return mesh(model, 0.3, Of::kLaunches); });
  compare("0.02 flits per NPU and cycle", "k cycles/s", 1e3,
          [](SwitchModel model) { return mesh(model, 0.02, Of::kCycles); });
}

}  // namespace fredsim::tb
