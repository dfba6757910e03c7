// SPDX-License-Identifier: Apache-2.0
// Save files for GTKWave: every trace in them exists in the waveform file, and every slice of an
// RTL vector has the values of its port and virtual channel.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "support/gtkwave_save_file.h"
#include "support/program.h"
#include "support/vcd.h"

namespace fredsim {
namespace {

class WaveSaveTest : public FolderTest {
 protected:
  void run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--wave", path("w.fst"), "--json", path("r.json")});
    const Outcome outcome = run_fredsim(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    vcd_ = run_fst2vcd(path("w.fst"));
    save_ = read_save_file(read_text(path("w.gtkw")));
    for (const VcdName& name : vcd_names(vcd_)) {
      std::string dotted = name.path;
      std::ranges::replace(dotted, '/', '.');
      names_[dotted] = name;
    }
  }

  // Returns how many traces there are inside RTL.
  int expect_all_exist() const {
    for (const std::string& problem : problems_of(save_, vcd_names(vcd_))) ADD_FAILURE() << problem;
    return static_cast<int>(std::ranges::count_if(save_.traces, [](const SavedTrace& trace) {
      return !trace.pieces[0].path.starts_with("links.");
    }));
  }

  std::uint64_t value_of(const SavedTrace& trace, const VcdState& state) const {
    std::uint64_t value = 0;
    for (const SavedPiece& piece : trace.pieces) {
      const VcdName& name = names_.at(piece.path);
      if (piece.bit < 0) return state.at(name.path);
      const std::uint64_t bit = name.bits > 64
                                    ? std::uint64_t{state.bits.at(name.path)[piece.bit] == '1'}
                                    : state.at(name.path) >> (name.bits - 1 - piece.bit) & 1U;
      value = value << 1U | bit;
    }
    return value;
  }

  const SavedTrace* find(const std::string& groups, const std::string& title) const {
    const auto found = std::ranges::find_if(save_.traces, [&](const SavedTrace& trace) {
      return trace.group_path() == groups && trace.title == title;
    });
    return found == save_.traces.end() ? nullptr : &*found;
  }
  // The trace "links.<scope>.NAME" in the group "to PEER", "from PEER" of a port.
  const SavedTrace* find_link(const std::string& port, const std::string& direction,
                              const std::string& name) const {
    const auto found = std::ranges::find_if(save_.traces, [&](const SavedTrace& trace) {
      return trace.group_path().starts_with(port + "/" + direction + " ") &&
             trace.pieces[0].path.ends_with("." + name);
    });
    return found == save_.traces.end() ? nullptr : &*found;
  }
  // "l1_0.s0/port 1" …
  std::set<std::string> ports() const {
    std::set<std::string> ports;
    for (const SavedTrace& trace : save_.traces) {
      if (trace.groups.size() >= 2 && trace.groups[1].starts_with("port ")) {
        ports.insert(trace.groups[0] + "/" + trace.groups[1]);
      }
    }
    return ports;
  }

  // The registers of a port equal its links in every cycle. Returns the number of ports compared.
  int expect_registers_to_be_the_links(const std::string& output_group) const {
    struct Pair {
      const SavedTrace *rtl, *link;
      std::string what;
      std::uint64_t sum = 0;
      // Switches spend a credit when they decide for a launch; the link counts it when the flit is
      // on the pins.
      bool early = false;
      int equal = 0;  // cycles
    };
    std::vector<Pair> pairs;
    int compared = 0;
    for (const std::string& port : ports()) {
      const SavedTrace* const in_valid = find(port + "/pins", "in_valid");
      if (in_valid == nullptr) continue;  // an endpoint
      ++compared;
      pairs.push_back({in_valid, find_link(port, "from", "arrive"), port + " in_valid"});
      pairs.push_back(
          {find(port + "/pins", "out_valid"), find_link(port, "to", "valid"), port + " out_valid"});
      for (const std::string vc : {"mp", "pp", "dp", "control"}) {
        const std::string group = fmt::format("{}/{}/VC {}", port, output_group, vc);
        pairs.push_back({find(port + "/pins", "out_credit_" + vc),
                         find_link(port, "to", "credit_" + vc),
                         fmt::format("{} out_credit_{}", port, vc)});
        pairs.push_back({.rtl = find(group, "credits"),
                         .link = find_link(port, "to", "credits_" + vc),
                         .what = fmt::format("{} credits {}", port, vc),
                         .early = true});
      }
    }
    for (const Pair& pair : pairs) {
      if (pair.rtl == nullptr || pair.link == nullptr) {
        ADD_FAILURE() << pair.what << " is not in the save file";
        return 0;
      }
    }
    std::istringstream vcd(vcd_);
    read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
      if (state.at("wave/recording") == 0) return;
      for (Pair& pair : pairs) {
        const std::uint64_t rtl = value_of(*pair.rtl, state);
        const std::uint64_t link = value_of(*pair.link, state);
        pair.equal += rtl == link ? 1 : 0;
        if (pair.early) {
          constexpr std::uint64_t kLaunchEdges = 2;  // SwitchCore::launch_edges(), of any switch
          EXPECT_TRUE(rtl <= link && link <= rtl + kLaunchEdges)
              << pair.what << " " << rtl << " and " << link << " in cycle "
              << state.at("wave/cycle");
        } else {
          EXPECT_EQ(rtl, link) << pair.what << " in cycle " << state.at("wave/cycle");
        }
        pair.sum += rtl;
      }
    });
    std::uint64_t flits = 0;
    for (const Pair& pair : pairs) {
      if (pair.what.ends_with("out_valid")) flits += pair.sum;
      EXPECT_GT(pair.equal, 0) << pair.what;
    }
    EXPECT_GT(flits, 20U);
    return compared;
  }

  std::string vcd_;
  SaveFile save_;
  std::map<std::string, VcdName> names_;
};

// After the set-up, which gives switches their credits.
const std::vector<std::string> kWindow{"--wave-window", "150:"};

TEST_F(WaveSaveTest, PortsOfAFredSwitchAreItsLinks) {
  run(with({"run", "configs/fred_small.yaml", "--size", "16KiB"}, kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_GE(expect_registers_to_be_the_links("output staging"), 12);
  ASSERT_NE(
      find("l1_0.s0/control unit/phase", "l1_0.s0.fred_switch.i_phased.i_control.phase_q[7:0]"),
      nullptr);
}

TEST_F(WaveSaveTest, LanesThatLeaveASwitchReachTheNext) {
  run({"run", "configs/fred_small.yaml", "--size", "16KiB"});
  const auto lanes = [&](const std::string& port, const std::string& direction) {
    const SavedTrace* const valid = find(port + "/pins", direction + "_valid");
    const SavedTrace* const lane = find(port + "/pins", direction + "_lane_0");
    std::vector<std::uint64_t> values;
    if (valid == nullptr || lane == nullptr) return values;
    std::istringstream vcd(vcd_);
    read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
      if (state.at("wave/recording") == 0 || value_of(*valid, state) == 0) return;
      values.push_back(value_of(*lane, state));
    });
    return values;
  };
  const std::vector<std::uint64_t> sent = lanes("l1_0.s0/port 2", "out");
  EXPECT_EQ(sent.size(), 32U) << "16 KiB";
  EXPECT_EQ(sent, lanes("l2.s0.c0/port 0", "in"));
  EXPECT_GT(std::set(sent.begin(), sent.end()).size(), 10U) << "random sums";
}

TEST_F(WaveSaveTest, PortsOfAMeshRouterAreItsLinks) {
  run(with({"run", "configs/mesh_2x2.yaml", "--size", "16KiB"}, kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_GE(expect_registers_to_be_the_links("output"), 12);
}

TEST_F(WaveSaveTest, PortsOfAVoqCrossbarAreItsLinks) {
  run(with(
      {"run", "configs/fred_small.yaml", "--size", "16KiB", "--set", "switch.kind=voq_crossbar"},
      kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_GE(expect_registers_to_be_the_links("output staging"), 12);
  EXPECT_NE(find("l1_0.s0/port 1/input queues/VC dp", "hol_by_output"), nullptr);
  EXPECT_NE(find("l1_0.s0/scheduler", "output_2_from_inputs"), nullptr);
}

TEST_F(WaveSaveTest, AddersOfAnAggregatorAddWhatGoesUp) {
  run({"run", "configs/fred_small.yaml", "--size", "4KiB", "--set", "switch.kind=aggregator"});
  EXPECT_GT(expect_all_exist(), 300);
  for (const std::string title :
       {"flows_that_wait", "flows_held_back", "adders_free", "phase_waits_for_sums"}) {
    EXPECT_NE(find("l1_0.s0/adders", title), nullptr) << title;
  }
  std::vector<const SavedTrace*> reads, sums;
  for (int k = 0; k < 4; ++k) {
    const std::string adder = fmt::format("l1_0.s0/adders/adder {}", k);
    for (const std::string title :
         {"starts_flow_of_inputs", "looks_for_operands", "last_operand", "adds"}) {
      EXPECT_NE(find(adder, title), nullptr) << adder << " " << title;
    }
    reads.push_back(find(adder, "reads_inputs"));
    sums.push_back(find(adder, "sum_to_outputs"));
    ASSERT_TRUE(reads.back() != nullptr && sums.back() != nullptr) << adder;
  }
  EXPECT_EQ(find("l1_0.s0/adders/adder 4", "adds"), nullptr) << "ADDERS is 4";
  const SavedTrace* const operands = find("l1_0.s0/port 1/operands", "flits");
  ASSERT_NE(operands, nullptr);
  std::uint64_t sums_made = 0, operands_held = 0;
  std::istringstream vcd(vcd_);
  read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
    if (state.at("wave/recording") == 0) return;
    operands_held = std::max(operands_held, value_of(*operands, state));
    for (std::size_t k = 0; k < sums.size(); ++k) {
      EXPECT_TRUE(value_of(*reads[k], state) == 0 || value_of(*reads[k], state) == 0b0011U)
          << "the two NPUs";
      const std::uint64_t to = value_of(*sums[k], state);
      sums_made += to != 0 ? 1 : 0;
      EXPECT_TRUE(to == 0 || to == 0b0100 || to == 0b1000) << "an uplink";
    }
  });
  EXPECT_EQ(sums_made, 8U) << "4 KiB";
  EXPECT_GT(operands_held, 0U);
}

TEST_F(WaveSaveTest, FlowsAreThoseOfThePhase) {
  run({"run", "configs/fred_small.yaml", "--size", "4KiB", "--wave-scope", "l1_0.s0"});
  const SavedTrace* const inputs = find("l1_0.s0/control unit/flow 0", "inputs");
  const SavedTrace* const outputs = find("l1_0.s0/control unit/flow 0", "outputs");
  const SavedTrace* const fires = find("l1_0.s0/control unit/flow 0", "fires");
  ASSERT_TRUE(inputs != nullptr && outputs != nullptr && fires != nullptr);
  std::uint64_t fired = 0;
  std::istringstream vcd(vcd_);
  read_vcd(vcd, [&](std::uint64_t, const VcdState& state) {
    if (value_of(*fires, state) == 0 || state.at("wave/recording") == 0) return;
    ++fired;
    EXPECT_EQ(value_of(*inputs, state), 0b0011U) << "the two NPUs";
    EXPECT_TRUE(value_of(*outputs, state) == 0b0100 || value_of(*outputs, state) == 0b1000)
        << "an uplink";
  });
  EXPECT_EQ(fired, 8U) << "4 KiB";
}

TEST_F(WaveSaveTest, ACustomSwitchHasItsPinsAndWhatHasOurNames) {
  run(with({"run", "configs/fred_small.yaml", "--size", "4KiB", "--model", "rtl", "--set",
            "switch.rtl_top=custom_switch"},
           kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_NE(find("l1_0.s0/port 0/pins", "in_valid"), nullptr);
  const auto inside = std::ranges::find_if(save_.traces, [](const SavedTrace& trace) {
    return trace.group_path() == "l1_0.s0/control unit/phase";
  });
  ASSERT_NE(inside, save_.traces.end());
  EXPECT_TRUE(inside->pieces[0].path.starts_with("l1_0.s0.custom_switch.")) << inside->title;
}

}  // namespace
}  // namespace fredsim
