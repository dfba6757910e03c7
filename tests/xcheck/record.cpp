// SPDX-License-Identifier: Apache-2.0
// Records the pins of a switch, edge by edge, under random work that keeps the rules: senders with
// credits, links that pause, receivers that return credits late; every flit is checked. The switch
// is the twin, which has no unknown state; scripts/xcheck.sh compares RTL with initially unknown
// state with the record.
//
//   xcheck_record SIZE SEED PACKETS    SIZE: a name of kSizes
//
// Output: the entry of the size list, then a line per edge: pins of inputs and of outputs as bits,
// the highest port first, x for an input that must not matter, and for an output without meaning.
// Order: rst_ni in_valid_i in_flit_i out_ready_i out_credit_i reg_valid_i reg_write_i reg_addr_i
// reg_wdata_i; in_credit_o out_valid_o out_flit_o reg_rdata_o idle_o error_o.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "switch/rtl_switch.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "tb_fred_switch/switch_driver.h"
#include "tb_mesh_router/router_driver.h"
#include "tb_voq_crossbar/voq_driver.h"

namespace fredsim::tb {
namespace {

std::string bits(std::uint32_t value, int width) {
  std::string text;
  for (int b = width; b-- > 0;) text += (value >> b & 1U) != 0 ? '1' : '0';
  return text;
}
std::string unknown(int width) { return std::string(static_cast<std::size_t>(width), 'x'); }

class Recorder final : public SwitchCore {
 public:
  explicit Recorder(const SwitchShape& shape)
      : inner_(make_twin(shape, "twin")), ports_(shape.ports()), words_(flit_words(shape.lanes())) {
    fmt::print("{}\n", size_entry(shape));
  }
  // The first edge of a reset has undriven pins; register outputs are defined after it.
  void reset() override {
    const int inputs = ports_ * (2 + kNumVcs + 32 * words_) + 1 + 1 + 16 + 32;
    const int outputs = ports_ * (1 + kNumVcs + 32 * words_) + 32 + 1 + 32;
    for (int edge = 0; edge < 2; ++edge) fmt::print("0{} {}\n", unknown(inputs), unknown(outputs));
    inner_->reset();
  }
  void step(SwitchPins& pins) override {
    std::string line = "1" + bits(pins.in_valid, ports_) + flits(pins.in_valid, pins.in_flit) +
                       bits(pins.out_ready, ports_) + credits(pins.out_credit);
    const RegisterRequest& reg = pins.reg;
    line +=
        reg.valid ? "1" + bits(reg.write ? 1 : 0, 1) + bits(reg.address, 16) : "0" + unknown(17);
    line += reg.valid && reg.write ? bits(reg.wdata, 32) : unknown(32);
    const bool is_read = reg.valid && !reg.write;
    inner_->step(pins);
    line += " " + credits(pins.in_credit) + bits(pins.out_valid, ports_) +
            flits(pins.out_valid, pins.out_flit);
    line += is_read ? bits(pins.reg_rdata, 32) : unknown(32);
    line += bits(inner_->idle() ? 1 : 0, 1) + bits(inner_->error(), 32);
    fmt::print("{}\n", line);
  }
  bool idle() const override { return inner_->idle(); }
  std::uint32_t error() const override { return inner_->error(); }
  std::string_view model() const override { return inner_->model(); }
  bool peek_counters(SwitchCounters& into) const override { return inner_->peek_counters(into); }
  bool peek_phase(SwitchPhase& into) const override { return inner_->peek_phase(into); }
  bool peek_hol(int port, int vc, FlitHeader& into) const override {
    return inner_->peek_hol(port, vc, into);
  }

 private:
  std::string flits(std::uint32_t valid, const std::vector<std::uint32_t>& words) const {
    std::string text;
    for (int p = ports_; p-- > 0;) {
      for (int w = words_; w-- > 0;)
        text += (valid >> p & 1U) != 0 ? bits(words[static_cast<std::size_t>(p * words_ + w)], 32)
                                       : unknown(32);
    }
    return text;
  }
  std::string credits(const std::array<std::uint32_t, kNumVcs>& by_vc) const {
    std::string text;
    for (int p = ports_; p-- > 0;)
      for (std::size_t v = kNumVcs; v-- > 0;) text += (by_vc[v] >> p & 1U) != 0 ? '1' : '0';
    return text;
  }

  std::unique_ptr<SwitchCore> inner_;
  int ports_, words_;
};

Stalls random_stalls(Random& random) {
  return {.gap_percent = static_cast<int>(random.below(60)),
          .pause_percent = static_cast<int>(random.below(60)),
          .return_delay = static_cast<int>(random.below(40)),
          .receive_depth = 1 + static_cast<int>(random.below(24))};
}

// All phases of the store and online unicasts.
void record_phased(TestedSwitch shape, std::uint64_t seed, int packets) {
  shape.lanes = 1;
  Random random(seed);
  SwitchDriver driver(shape, std::make_unique<Recorder>(shape), random_stalls(random), seed);
  std::vector<Phase> phases;
  for (int i = 0; i < 4; ++i) {
    phases.push_back(
        random_phase(shape, static_cast<int>(random.below(kNumVcs)), shape.fred.ports, random));
    driver.add_phase(phases.back());
  }
  add_random_packets(driver, shape, phases, packets, 40, random);
  driver.drain(100'000);
  driver.check_quiet();
}

void record_voq(std::uint64_t seed, int packets) {
  SwitchShape shape = voq_shape({{"P", 5},
                                 {"LANES", 1},
                                 {"VC_DEPTH", 12},
                                 {"CTRL_DEPTH", 1},
                                 {"OUT_DEPTH", 9},
                                 {"PACKET_FLITS", 6},
                                 {"ITERATIONS", 2}});
  Random random(seed);
  VoqDriver driver(shape, std::make_unique<Recorder>(shape), random_stalls(random), seed);
  driver.add_random_packets(packets);
  driver.drain(100'000);
  driver.check_quiet();
}

void record_mesh(std::uint64_t seed, int packets) {
  const RouterImplementation router = small_router(SwitchModel::kTlm);
  Random random(seed);
  RouterDriver driver(router, std::make_unique<Recorder>(router.shape), random_stalls(random),
                      seed);
  driver.add_random_packets(packets);
  driver.drain(100'000);
  driver.check_quiet();
}

using Record = std::function<void(std::uint64_t seed, int packets)>;
const std::vector<std::pair<std::string_view, Record>>& sizes() {
  static const std::vector<std::pair<std::string_view, Record>> all{
      {"fred", [](auto... work) { record_phased(narrow_shape(2), work...); }},
      {"fred_two_phases",
       [](auto... work) { record_phased(with_two_phases(narrow_shape(2)), work...); }},
      {"reducing_crossbar",
       [](auto... work) { record_phased(narrow_shape(TestedSwitch::kCrossbar), work...); }},
      {"aggregator",
       [](auto... work) { record_phased(narrow_shape(TestedSwitch::kAggregator), work...); }},
      {"mesh_reducing",
       [](auto... work) { record_phased(narrow_shape(TestedSwitch::kMesh), work...); }},
      {"voq_crossbar", record_voq},
      {"mesh", record_mesh}};
  return all;
}

}  // namespace
}  // namespace fredsim::tb

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    for (const auto& [name, record] : fredsim::tb::sizes()) fmt::print("{}\n", name);
    return 0;
  }
  try {
    for (const auto& [name, record] : fredsim::tb::sizes()) {
      if (argc == 4 && name == argv[1]) {
        record(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]));
        return 0;
      }
    }
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "xcheck_record: {}\n", error.what());
    return 1;
  }
  fmt::print(stderr, "xcheck_record: found {}; allowed: SIZE SEED PACKETS, a size of --list\n",
             argc > 1 ? argv[1] : "no size");
  return 2;
}
