#include "lockstep.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "switch/register_map.h"
#include "switch/rtl_switch.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "switch_driver.h"

namespace fredsim::tb {
namespace {

// Switches of ours with phases among those that are built.
std::vector<TestedSwitch> built_shapes() {
  std::vector<TestedSwitch> shapes;
  for (int ports = 2; ports <= 32; ++ports) {
    for (const int middle :
         {TestedSwitch::kAggregator, TestedSwitch::kMesh, TestedSwitch::kCrossbar, 2, 3, 4}) {
      for (const int lanes : {1, 2, 3, 256}) {
        TestedSwitch shape(ports, middle);
        shape.lanes = lanes;
        shapes.push_back(shape);
        TestedSwitch narrow = narrow_shape();
        narrow.fred = shape.fred;
        narrow.lanes = lanes;
        shapes.push_back(narrow);
      }
    }
  }
  for (const TestedSwitch& shape : shapes_of_other_orders()) shapes.push_back(shape);
  const std::vector<std::string> built = built_switch_sizes();
  std::erase_if(shapes, [&](const TestedSwitch& shape) {
    return std::ranges::find(built, size_entry(shape)) == built.end();
  });
  return shapes;
}

// Reads a random register in steps in which nobody else accesses one; the request stays on the pins for who looks at
// them.
class RandomReads final : public SwitchCore {
 public:
  RandomReads(std::unique_ptr<SwitchCore> inner, std::uint64_t seed)
      : inner_(std::move(inner)), random_(seed) {}
  void reset() override { inner_->reset(); }
  void step(SwitchPins& pins) override {
    if (!pins.reg.valid && random_.below(2) == 0) {
      pins.reg = {.valid = true, .write = false, .address = address(), .wdata = 0};
    }
    inner_->step(pins);
  }
  bool idle() const override { return inner_->idle(); }
  std::uint32_t error() const override { return inner_->error(); }
  std::string_view model() const override { return inner_->model(); }

 private:
  std::uint16_t address() {
    constexpr std::array<std::pair<std::uint16_t, std::uint16_t>, 6> kRanges{
        {{reg::kId, 8},
         {reg::kCredit, 140},
         {reg::kFlitsIn, 80},
         {reg::kFlitsOut, 160},
         {reg::kRoute, 256},
         {reg::kPhaseStore, 400}}};
    const auto& [first, count] = kRanges[random_.below(kRanges.size())];
    return static_cast<std::uint16_t>(first + random_.below(count));
  }

  std::unique_ptr<SwitchCore> inner_;
  Random random_;
};

// Flits that no sender who keeps the contract would send, without credits either.
std::uint64_t break_contract(SwitchCore& core, const TestedSwitch& shape, Random& random) {
  SwitchPins pins(shape.ports(), shape.lanes);
  const std::uint64_t steps = 50 + random.below(100);
  for (std::uint64_t i = 0; i < steps; ++i) {
    pins.out_ready = static_cast<std::uint32_t>(random.next());
    pins.in_valid =
        static_cast<std::uint32_t>(random.next() & random.next()) & (~0U >> (32 - shape.ports()));
    for (int p = 0; p < shape.ports(); ++p) {
      FlitHeader h;
      h.tag = static_cast<std::uint32_t>(random.below(2));
      h.phase = static_cast<std::uint8_t>(random.below(random.below(4) == 0 ? 256 : 3));
      if (random.below(8) == 0) h.phase = kPhaseOnline;
      h.dst = static_cast<std::uint16_t>(random.below(random.below(4) == 0 ? 0x10000 : 64));
      h.vc = static_cast<std::uint8_t>(random.below(kControl));  // control packets are one flit
      h.head = h.tail = true;
      pack_header(h, &pins.in_flit[static_cast<std::size_t>(p * flit_words(shape.lanes))]);
    }
    pins.reg = {};
    core.step(pins);
  }
  return steps;
}

}  // namespace

std::uint64_t run_lockstep(std::uint64_t seed) {
  static const std::vector<TestedSwitch> shapes = built_shapes();
  Random random(seed);
  const TestedSwitch& shape = shapes[random.below(shapes.size())];
  Stalls stalls;
  if (random.below(4) != 0) {
    stalls.gap_percent = static_cast<int>(random.below(70));
    stalls.pause_percent = static_cast<int>(random.below(70));
    stalls.return_delay = static_cast<int>(random.below(80));
    stalls.receive_depth = 1 + static_cast<int>(random.below(64));
  }
  SwitchDriver driver(
      shape, std::make_unique<RandomReads>(make_switch(SwitchModel::kLockstep, shape, "dut"), seed),
      stalls, seed);
  std::vector<Phase> phases;
  for (std::uint64_t left = 1 + random.below(8); left != 0; --left) {
    phases.push_back(
        random_phase(shape, static_cast<int>(random.below(kNumVcs)), shape.fred.ports, random));
    driver.add_phase(phases.back());
  }
  const auto packets = static_cast<int>((shape.lanes > 16 ? 10 : 50) + random.below(300));
  const auto online = static_cast<int>(random.below(2) * random.below(101));
  add_random_packets(driver, shape, phases, packets, online, random);
  driver.drain(2'000'000);
  driver.check_quiet();
  return driver.cycle() + break_contract(driver.core(), shape, random);
}

}  // namespace fredsim::tb
