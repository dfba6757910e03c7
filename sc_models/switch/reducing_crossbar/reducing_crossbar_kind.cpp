// SPDX-License-Identifier: Apache-2.0
#include "switch/reducing_crossbar/reducing_crossbar_kind.h"

#include <fmt/format.h>

#include "rtl/reducing_crossbar_pkg.h"
#include "switch/reducing_crossbar/adder_tree_kind.h"

namespace fredsim {
namespace {

class ReducingCrossbarKind final : public AdderTreeKind {
 public:
  ReducingCrossbarKind() : AdderTreeKind(switch_facts("reducing_crossbar")) {}

  std::uint32_t identity() const override { return reducing_crossbar_pkg::REDUCING_CROSSBAR_ID; }

  std::string label(const SwitchShape& shape) const override {
    return fmt::format("reducing crossbar({})", shape.ports());
  }
  std::string_view parts_title() const override {
    return "adders of one chiplet, for every lane: a tree at every output";
  }

 protected:
  std::uint32_t shape_register(const SwitchShape& shape) const override {
    return static_cast<std::uint32_t>(shape.ports());
  }
};

}  // namespace

const SwitchKind& reducing_crossbar_kind() {
  static const ReducingCrossbarKind kKind;
  return kKind;
}

}  // namespace fredsim
