// SPDX-License-Identifier: Apache-2.0
#include "support/fred_interpreter.h"

#include <stdexcept>

namespace fredsim::test {
namespace {

class Interpreter {
 public:
  Interpreter(int middle, const std::vector<bool>& bits) : middle_(middle), bits_(bits) {}

  std::vector<Expression> level(const std::vector<Expression>& in) {
    const int ports = static_cast<int>(in.size());
    if (ports == 2) return micro_switch(in[0], in[1], 2);
    const int pairs = ports / 2;
    const int inner = ports - pairs;
    std::vector<std::vector<Expression>> to(middle_, std::vector<Expression>(inner));
    for (int i = 0; i < pairs; ++i) {
      const std::vector<Expression> out = micro_switch(in[2 * i], in[2 * i + 1], middle_);
      for (int j = 0; j < middle_; ++j) to[j][i] = out[j];
    }
    if (ports % 2 == 1) {
      const int code = take(select_width());
      if (code > middle_) throw std::runtime_error("demux code out of range");
      if ((code == 0) != in[ports - 1].empty()) throw std::runtime_error("demux against its input");
      if (code > 0) to[code - 1][inner - 1] = in[ports - 1];
    }
    std::vector<std::vector<Expression>> from;
    from.reserve(middle_);
    for (int j = 0; j < middle_; ++j) from.push_back(level(to[j]));
    std::vector<Expression> out(ports);
    std::vector<std::vector<bool>> heard(middle_, std::vector<bool>(inner));
    for (int p = 0; p < ports; ++p) {
      const int code = take(select_width());
      if (code > middle_) throw std::runtime_error("D-µSwitch code out of range");
      if (code == 0) continue;
      out[p] = from[code - 1][p / 2];
      if (out[p].empty()) throw std::runtime_error("D-µSwitch selects a silent sub-network");
      heard[code - 1][p / 2] = true;
    }
    for (int j = 0; j < middle_; ++j)
      for (int p = 0; p < inner; ++p)
        if (!from[j][p].empty() && !heard[j][p])
          throw std::runtime_error("a sub-network's output is lost");
    return out;
  }

  bool at_end() const { return next_ == bits_.size(); }

 private:
  int select_width() const { return middle_ == 4 ? 3 : 2; }

  int take(int width) {
    int value = 0;
    for (int b = 0; b < width; ++b) {
      if (next_ == bits_.size()) throw std::runtime_error("configuration too short");
      value |= static_cast<int>(bits_[next_++]) << b;
    }
    return value;
  }

  std::vector<Expression> micro_switch(const Expression& a, const Expression& b, int outputs) {
    std::vector<Expression> out(outputs);
    bool used[2] = {a.empty(), b.empty()};
    for (Expression& o : out) {
      const int code = take(2);
      if (((code & 1) != 0 && a.empty()) || ((code & 2) != 0 && b.empty()))
        throw std::runtime_error("µSwitch selects a silent input");
      if ((code & 1) != 0) used[0] = true;
      if ((code & 2) != 0) used[1] = true;
      if ((code & 1) != 0) o = a;
      if ((code & 2) != 0) o.insert(o.end(), b.begin(), b.end());
      if (code == 3) o.push_back(SumOrder::kAdd);
    }
    if (!used[0] || !used[1]) throw std::runtime_error("µSwitch drops an input");
    return out;
  }

  int middle_;
  const std::vector<bool>& bits_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<Expression> interpret(const FredSwitchShape& shape, const std::vector<bool>& bits,
                                  std::uint32_t driven) {
  std::vector<Expression> in(shape.ports);
  for (int p = 0; p < shape.ports; ++p)
    if ((driven >> p & 1U) != 0) in[p] = {p};
  Interpreter interpreter(shape.middle, bits);
  std::vector<Expression> out = interpreter.level(in);
  if (!interpreter.at_end()) throw std::runtime_error("configuration too long");
  return out;
}

}  // namespace fredsim::test
