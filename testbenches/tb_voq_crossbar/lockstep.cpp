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
#include "voq_driver.h"

namespace fredsim::tb {
namespace {

// Those that are built, of the usual depths or narrow.
std::vector<SwitchShape> built_shapes() {
  std::vector<SwitchShape> shapes{narrow_shape()};
  for (int ports = 2; ports <= 32; ++ports) {
    for (const int iterations : {1, 2, 3, 4}) {
      shapes.push_back(voq_shape({{"P", ports}, {"ITERATIONS", iterations}}));
    }
  }
  const std::vector<std::string> built = built_switch_sizes();
  std::erase_if(shapes, [&](const SwitchShape& shape) {
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
         {reg::kRoute + reg::kMaxRoutes, 8000}}};
    const auto& [first, count] = kRanges[random_.below(kRanges.size())];
    return static_cast<std::uint16_t>(first + random_.below(count));
  }

  std::unique_ptr<SwitchCore> inner_;
  Random random_;
};

// Flits that no sender who keeps the contract would send, without credits either. All are packets of one flit.
std::uint64_t break_contract(SwitchCore& core, const SwitchShape& shape, Random& random) {
  const int ports = shape.ports();
  SwitchPins pins(ports, shape.lanes());
  const std::uint64_t steps = 50 + random.below(100);
  for (std::uint64_t i = 0; i < steps; ++i) {
    pins.out_ready = static_cast<std::uint32_t>(random.next());
    pins.in_valid =
        static_cast<std::uint32_t>(random.next() & random.next()) & (~0U >> (32 - ports));
    for (int p = 0; p < ports; ++p) {
      FlitHeader h;
      h.tag = static_cast<std::uint32_t>(random.next());
      h.phase = random.below(8) == 0 ? static_cast<std::uint8_t>(random.below(256)) : kPhaseOnline;
      h.dst = static_cast<std::uint16_t>(random.below(random.below(8) == 0 ? 0x10000 : 32));
      h.vc = static_cast<std::uint8_t>(random.below(kNumVcs));
      h.head = h.tail = true;
      pack_header(h, &pins.in_flit[p * flit_words(shape.lanes())]);
    }
    pins.reg = {};
    core.step(pins);
  }
  return steps;
}

}  // namespace

std::uint64_t run_lockstep(std::uint64_t seed) {
  static const std::vector<SwitchShape> shapes = built_shapes();
  Random random(seed);
  const SwitchShape& shape = shapes.at(random.below(shapes.size()));
  Stalls stalls;
  if (random.below(4) != 0) {
    stalls.gap_percent = static_cast<int>(random.below(70));
    stalls.pause_percent = static_cast<int>(random.below(70));
    stalls.return_delay = static_cast<int>(random.below(80));
    stalls.receive_depth = 1 + static_cast<int>(random.below(64));
  }
  VoqDriver driver(
      shape, std::make_unique<RandomReads>(make_switch(SwitchModel::kLockstep, shape, "dut"), seed),
      stalls, seed);
  driver.add_random_packets(static_cast<int>(50 + random.below(300)));
  driver.drain(2'000'000);
  driver.check_quiet();
  std::uint64_t cycles = driver.cycle() + break_contract(driver.core(), shape, random);
  if (random.below(2) == 0) {  // with whatever is inside
    driver.core().reset();
    cycles += break_contract(driver.core(), shape, random);
  }
  return cycles;
}

}  // namespace fredsim::tb
