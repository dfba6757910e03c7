// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

namespace tb {
namespace {

int code_bits(int choices) {  // bits that hold 0 … choices
  int bits = 0;
  while ((1 << bits) < choices + 1) ++bits;
  return bits;
}

constexpr int kUswitchBits = 2;
constexpr int kSum = 3;
constexpr int kBase = -1;  // depth code of an RD-µSwitch

struct Reader {
  const ConfigBits& bits;
  std::size_t next = 0;
  int take(int count) {
    int value = 0;
    for (int b = 0; b < count; ++b) value |= static_cast<int>(bits.at(next++)) << b;
    return value;
  }
};

class Evaluation {
 public:
  Evaluation(const Shape& shape, const ConfigBits& bits) : middle_(shape.middle), reader_{bits} {
    std::vector<int> inputs;
    for (int p = 0; p < shape.ports; ++p) {
      network_.expressions.push_back({.port = p, .ports = 1U << p});
      network_.joined.push_back(1U << p);
      inputs.push_back(p);
    }
    network_.outputs = pass(inputs);
  }
  Network take() { return std::move(network_); }

 private:
  using Wires = std::vector<int>;

  int choose(int code, int first, int second) {
    if (code == 1) return first;
    if (code == 2) return second;
    if (code != kSum || first == Network::kNothing || second == Network::kNothing) {
      return Network::kNothing;
    }
    const std::uint32_t ports =
        network_.expressions[first].ports | network_.expressions[second].ports;
    join(ports);
    network_.expressions.push_back({.left = first, .right = second, .port = 0, .ports = ports});
    return static_cast<int>(network_.expressions.size()) - 1;
  }

  void join(std::uint32_t ports) {
    for (std::size_t p = 0; p < network_.joined.size(); ++p) {
      if ((ports >> p & 1U) != 0) ports |= network_.joined[p];
    }
    for (std::size_t p = 0; p < network_.joined.size(); ++p) {
      if ((ports >> p & 1U) != 0) network_.joined[p] = ports;
    }
  }

  // Outputs of one (sub-)network from its inputs, reading its bits in order.
  Wires pass(const Wires& in) {
    const int ports = static_cast<int>(in.size());
    if (ports == 2) {
      const int out0 = choose(reader_.take(kUswitchBits), in[0], in[1]);
      const int out1 = choose(reader_.take(kUswitchBits), in[0], in[1]);
      return {out0, out1};
    }
    const int edges = ports / 2;
    const int select = code_bits(middle_);
    std::vector<Wires> to(middle_, Wires((ports + 1) / 2, Network::kNothing));
    for (int i = 0; i < edges; ++i) {
      for (int j = 0; j < middle_; ++j) {
        to[j][i] = choose(reader_.take(kUswitchBits), in[2 * i], in[2 * i + 1]);
      }
    }
    if (ports % 2 == 1) {
      const int code = reader_.take(select);
      if (code >= 1 && code <= middle_) to[code - 1][edges] = in[ports - 1];
    }
    std::vector<Wires> from;
    from.reserve(middle_);
    for (int j = 0; j < middle_; ++j) from.push_back(pass(to[j]));
    Wires out;
    for (int p = 0; p < ports; ++p) {
      const int code = reader_.take(select);
      out.push_back(code >= 1 && code <= middle_ ? from[code - 1][p / 2] : Network::kNothing);
    }
    return out;
  }

  int middle_;
  Reader reader_;
  Network network_;
};

// Builds configurations front to back: pick_* choose a code for every µSwitch output in the order
// of the layout; the walk tracks which wires carry flits.
class Builder {
 public:
  using Wires = std::vector<bool>;
  // Code of output j of R-µSwitch i of a level, or of the RD-µSwitch (depth kBase); whether its
  // inputs carry anything.
  using PickSum = std::function<int(int depth, int i, int j, bool first, bool second)>;
  // Sub-network + 1, or 0, for a port of the level: output side, or the odd last port's input side.
  using PickNetwork = std::function<int(int depth, int port)>;

  Builder(int middle, PickSum pick_sum, PickNetwork pick_network)
      : middle_(middle), pick_sum_(std::move(pick_sum)), pick_network_(std::move(pick_network)) {}

  ConfigBits build(int ports) {
    pass(Wires(ports, true), 0);
    return bits_;
  }

 private:
  void put(int value, int count) {
    for (int b = 0; b < count; ++b) bits_.push_back((value >> b & 1) != 0);
  }
  bool uswitch(int depth, int i, int j, bool first, bool second) {
    const int code = pick_sum_(depth, i, j, first, second);
    put(code, kUswitchBits);
    return code == kSum ? first && second : (code == 1 ? first : code == 2 && second);
  }
  void pass(const Wires& in, int depth) {
    const int ports = static_cast<int>(in.size());
    if (ports == 2) {
      uswitch(kBase, 0, 0, in[0], in[1]);
      uswitch(kBase, 0, 1, in[0], in[1]);
      return;
    }
    const int edges = ports / 2;
    const int select = code_bits(middle_);
    std::vector<Wires> to(middle_, Wires((ports + 1) / 2, false));
    for (int i = 0; i < edges; ++i) {
      for (int j = 0; j < middle_; ++j) {
        to[j][i] = uswitch(depth, i, j, in[2 * i], in[2 * i + 1]);
      }
    }
    if (ports % 2 == 1) {
      const int code = pick_network_(depth, ports - 1);
      put(code, select);
      if (code != 0) to[code - 1][edges] = in[ports - 1];
    }
    for (int j = 0; j < middle_; ++j) pass(to[j], depth + 1);
    for (int p = 0; p < ports; ++p) put(pick_network_(depth, p), select);
  }

  int middle_;
  PickSum pick_sum_;
  PickNetwork pick_network_;
  ConfigBits bits_;
};

// Even ports by the first sub-network, odd ones by the second. Wires that carry nothing stay off.
int straight_code(int j, bool first, bool second) {
  return j == 0 ? (first ? 1 : 0) : j == 1 && second ? 2 : 0;
}

}  // namespace

int config_bits(int ports, int middle) {
  if (ports == 2) return 2 * kUswitchBits;
  return ports / 2 * middle * kUswitchBits + (ports + ports % 2) * code_bits(middle) +
         middle * config_bits((ports + 1) / 2, middle);
}

int levels(int ports) { return ports == 2 ? 0 : 1 + levels((ports + 1) / 2); }

int stages(const Shape& shape) {
  const int inner = levels(shape.ports);
  if (shape.adder_stages == 1) return 2 * inner + 1;
  return 2 * (inner + 1) + (inner + 2) / 3;  // three levels of D-µSwitches to a stage
}

Network evaluate(const Shape& shape, const ConfigBits& bits) {
  return Evaluation(shape, bits).take();
}

ConfigBits random_config(const Shape& shape, fredsim::Random& random) {
  // Next random configuration: mostly routing, or mostly sums.
  const auto sum_percent = 5 + random.below(60);
  const auto off_percent = random.below(30);
  return Builder(
             shape.middle,
             [&](int, int, int, bool first, bool second) {
               if (random.below(100) < off_percent) return 0;
               if (first && second && random.below(100) < sum_percent) return kSum;
               // A code for an input without flits is legal and gives nothing.
               if (first != second && random.below(8) != 0) return first ? 1 : 2;
               return 1 + static_cast<int>(random.below(2));
             },
             [&](int, int) { return static_cast<int>(random.below(shape.middle + 1)); })
      .build(shape.ports);
}

ConfigBits straight_config(const Shape& shape) {
  return Builder(
             shape.middle,
             [](int, int, int j, bool first, bool second) {
               return straight_code(j, first, second);
             },
             [](int, int port) { return 1 + port % 2; })
      .build(shape.ports);
}

ConfigBits pair_config(const Shape& shape) {
  if (shape.ports == 2) return all_reduce_config(shape);
  return Builder(
             shape.middle,
             [](int depth, int i, int j, bool first, bool second) {
               if (depth == 0) return j == i % 2 ? kSum : 0;
               return straight_code(j, first, second);
             },
             [](int depth, int port) { return depth == 0 ? 1 + port / 2 % 2 : 1 + port % 2; })
      .build(shape.ports);
}

ConfigBits all_reduce_config(const Shape& shape) {
  return Builder(
             shape.middle,
             [](int depth, int, int j, bool, bool) { return depth == kBase || j == 0 ? kSum : 0; },
             [](int, int) { return 1; })
      .build(shape.ports);
}

std::vector<Unicast> random_unicasts(const Shape& shape, fredsim::Random& random) {
  std::vector<int> to(static_cast<std::size_t>(shape.ports));
  std::iota(to.begin(), to.end(), 0);
  for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random.below(i)]);
  std::vector<Unicast> unicasts;
  // Sub-networks in use behind an edge µSwitch: (side, level, path so far, µSwitch).
  std::map<std::array<int, 4>, unsigned> used;
  for (int in = 0; in < shape.ports; ++in) {
    const int out = to[in];
    if (random.below(4) == 0) continue;
    unsigned path = 0;
    bool found = true;
    std::vector<std::pair<unsigned*, unsigned>> taken;
    for (int level = 0; level < levels(shape.ports); ++level) {
      unsigned& at_input = used[{0, level, static_cast<int>(path), in >> (level + 1)}];
      unsigned& at_output = used[{1, level, static_cast<int>(path), out >> (level + 1)}];
      std::vector<unsigned> free;
      for (int m = 0; m < shape.middle; ++m) {
        if (((at_input | at_output) >> m & 1U) == 0) free.push_back(static_cast<unsigned>(m));
      }
      if (free.empty()) {
        found = false;
        break;
      }
      const unsigned chosen = free[random.below(free.size())];
      taken.emplace_back(&at_input, 1U << chosen);
      taken.emplace_back(&at_output, 1U << chosen);
      path |= chosen << (2 * level);
    }
    if (!found) continue;
    for (const auto& [mask, bit] : taken) *mask |= bit;
    unicasts.push_back({in, out, 1U | static_cast<unsigned>(out) << 1 | path << 6});
  }
  return unicasts;
}

}  // namespace tb
