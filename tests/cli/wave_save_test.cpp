// Save files for GTKWave: every trace in them exists in the waveform file, and the values that are cut out of
// the RTL's vectors are those of their port and virtual channel.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "program.h"
#include "vcd.h"

namespace fredsim {
namespace {

// One bit of a signal, or with bit -1 all of them.
struct Piece {
  std::string path, range;  // as GTKWave has them: "a.b", "[7:0]"
  int bit = -1;             // from the most significant one
};

struct Trace {
  std::vector<std::string> groups;  // it stands in, the outermost first
  std::string title;
  std::string filter;  // file of names, empty without
  std::vector<Piece> pieces;
  std::string group_path() const { return fmt::format("{}", fmt::join(groups, "/")); }
};

Piece piece_of(std::string text) {
  Piece piece;
  if (text[0] == '(') {
    piece.bit = std::stoi(text.substr(1));
    text.erase(0, text.find(')') + 1);
  }
  // "gen_port[1].i_input.vc[1:0]": the range is the bracket at the end with a colon in it.
  const std::size_t bracket = text.rfind('[');
  if (bracket != std::string::npos && text.find(':', bracket) != std::string::npos) {
    piece.range = text.substr(bracket);
    text.erase(bracket);
  }
  piece.path = text;
  return piece;
}

std::vector<Trace> read_save_file(const std::string& text) {
  std::vector<Trace> traces;
  std::vector<std::string> groups;
  std::istringstream lines(text);
  std::string filter;
  bool is_end = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '[' || line[0] == '*') continue;
    if (line[0] == '@') {
      filter.clear();
      is_end = (std::stoul(line.substr(1), nullptr, 16) & 0x1000000) != 0;
    } else if (line[0] == '-') {
      if (is_end) {
        EXPECT_EQ(groups.back(), line.substr(1));
        groups.pop_back();
      } else {
        groups.push_back(line.substr(1));
      }
    } else if (line[0] == '^') {
      filter = line.substr(3);
    } else {
      Trace trace{groups, line, filter, {}};
      std::istringstream words(line);
      std::string word;
      if (line[0] == '#') {
        words >> trace.title;
        trace.title = trace.title.substr(2, trace.title.size() - 3);
      }
      while (words >> word) trace.pieces.push_back(piece_of(word));
      traces.push_back(trace);
    }
  }
  EXPECT_TRUE(groups.empty());
  return traces;
}

class WaveSaveTest : public FolderTest {
 protected:
  void run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--wave", path("w.fst"), "--json", path("r.json")});
    const Outcome outcome = run_fredsim(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    vcd_ = run_fst2vcd(path("w.fst"));
    traces_ = read_save_file(read_text(path("w.gtkw")));
    for (const VcdName& name : vcd_names(vcd_)) {
      std::string dotted = name.path;
      std::ranges::replace(dotted, '/', '.');
      names_[dotted] = name;
    }
  }

  // Returns how many traces there are inside RTL.
  int expect_all_exist() const {
    int inside = 0;
    for (const Trace& trace : traces_) {
      EXPECT_FALSE(trace.pieces.empty()) << trace.title;
      for (const Piece& piece : trace.pieces) {
        const auto found = names_.find(piece.path);
        if (found == names_.end()) {
          ADD_FAILURE() << trace.group_path() << ": no " << piece.path << " in the file";
          continue;
        }
        EXPECT_EQ(piece.range, found->second.range) << piece.path;
        EXPECT_LT(piece.bit, found->second.bits) << piece.path;
      }
      if (!trace.filter.empty()) {
        EXPECT_TRUE(std::filesystem::exists(trace.filter)) << trace.filter;
      }
      inside += trace.pieces[0].path.starts_with("links.") ? 0 : 1;
    }
    return inside;
  }

  std::uint64_t value_of(const Trace& trace, const VcdState& state) const {
    std::uint64_t value = 0;
    for (const Piece& piece : trace.pieces) {
      const VcdName& name = names_.at(piece.path);
      if (piece.bit < 0) return state.at(name.path);
      const std::uint64_t bit = name.bits > 64
                                    ? std::uint64_t{state.bits.at(name.path)[piece.bit] == '1'}
                                    : state.at(name.path) >> (name.bits - 1 - piece.bit) & 1U;
      value = value << 1U | bit;
    }
    return value;
  }

  const Trace* find(const std::string& groups, const std::string& title) const {
    const auto found = std::ranges::find_if(traces_, [&](const Trace& trace) {
      return trace.group_path() == groups && trace.title == title;
    });
    return found == traces_.end() ? nullptr : &*found;
  }
  // The trace "links.<scope>.NAME" in the group "to PEER", "from PEER" of a port.
  const Trace* find_link(const std::string& port, const std::string& direction,
                         const std::string& name) const {
    const auto found = std::ranges::find_if(traces_, [&](const Trace& trace) {
      return trace.group_path().starts_with(port + "/" + direction + " ") &&
             trace.pieces[0].path.ends_with("." + name);
    });
    return found == traces_.end() ? nullptr : &*found;
  }
  // "l1_0.s0/port 1" …
  std::set<std::string> ports() const {
    std::set<std::string> ports;
    for (const Trace& trace : traces_) {
      if (trace.groups.size() >= 2 && trace.groups[1].starts_with("port ")) {
        ports.insert(trace.groups[0] + "/" + trace.groups[1]);
      }
    }
    return ports;
  }

  // In every cycle what a port's registers hold is what its links carry. Returns ports compared.
  int expect_registers_to_be_the_links(const std::string& output_group) const {
    struct Pair {
      const Trace *rtl, *link;
      std::string what;
      std::uint64_t sum = 0;
    };
    std::vector<Pair> pairs;
    int compared = 0;
    for (const std::string& port : ports()) {
      const Trace* const in_valid = find(port + "/pins", "in_valid");
      if (in_valid == nullptr) continue;  // an endpoint
      ++compared;
      pairs.push_back({in_valid, find_link(port, "from", "arrive"), port + " in_valid"});
      pairs.push_back(
          {find(port + "/pins", "out_valid"), find_link(port, "to", "valid"), port + " out_valid"});
      for (const std::string vc : {"mp", "pp", "dp", "control"}) {
        const std::string inside = "/VC " + vc;
        pairs.push_back({find(port + "/pins", "out_credit_" + vc),
                         find_link(port, "to", "credit_" + vc), port + " out_credit_" + vc});
        pairs.push_back({find(port + "/" + output_group + inside, "credits"),
                         find_link(port, "to", "credits_" + vc), port + " credits " + vc});
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
        EXPECT_EQ(rtl, value_of(*pair.link, state))
            << pair.what << " in cycle " << state.at("wave/cycle");
        pair.sum += rtl;
      }
    });
    std::uint64_t flits = 0;
    for (const Pair& pair : pairs) {
      if (pair.what.ends_with("out_valid")) flits += pair.sum;
    }
    EXPECT_GT(flits, 20U);
    return compared;
  }

  std::string vcd_;
  std::vector<Trace> traces_;
  std::map<std::string, VcdName> names_;
};

// After the set-up, which gives switches their credits.
const std::vector<std::string> kWindow{"--wave-window", "150:"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(WaveSaveTest, PortsOfAFredSwitchAreItsLinks) {
  run(with({"run", "configs/fred_small.yaml", "--size", "16KiB"}, kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_GE(expect_registers_to_be_the_links("output staging"), 12);
  ASSERT_NE(find("l1_0.s0/control unit/phase", "l1_0.s0.fred_switch.i_control.phase_q[7:0]"),
            nullptr);
}

TEST_F(WaveSaveTest, PortsOfAMeshRouterAreItsLinks) {
  run(with({"run", "configs/mesh_2x2.yaml", "--size", "16KiB"}, kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_GE(expect_registers_to_be_the_links("output"), 12);
}

TEST_F(WaveSaveTest, FlowsAreThoseOfThePhase) {
  run({"run", "configs/fred_small.yaml", "--size", "4KiB", "--wave-scope", "l1_0.s0"});
  const Trace* const inputs = find("l1_0.s0/control unit/flow 0", "inputs");
  const Trace* const outputs = find("l1_0.s0/control unit/flow 0", "outputs");
  const Trace* const fires = find("l1_0.s0/control unit/flow 0", "fires");
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

TEST_F(WaveSaveTest, AnOwnSwitchHasItsPinsAndWhatHasOurNames) {
  run(with({"run", "configs/fred_small.yaml", "--size", "4KiB", "--model", "rtl", "--set",
            "switch.rtl_top=own_switch"},
           kWindow));
  EXPECT_GT(expect_all_exist(), 300);
  EXPECT_NE(find("l1_0.s0/port 0/pins", "in_valid"), nullptr);
  const auto inside = std::ranges::find_if(traces_, [](const Trace& trace) {
    return trace.group_path() == "l1_0.s0/control unit/phase";
  });
  ASSERT_NE(inside, traces_.end());
  EXPECT_TRUE(inside->pieces[0].path.starts_with("l1_0.s0.own_switch.")) << inside->title;
}

}  // namespace
}  // namespace fredsim
