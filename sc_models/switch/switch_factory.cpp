// SPDX-License-Identifier: Apache-2.0
#include "switch/switch_factory.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "switch/lockstep_switch.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

constexpr std::array<std::string_view, 3> kNames{"rtl", "tlm", "lockstep"};  // index: SwitchModel

constexpr auto kModelAliases =
    std::to_array<Alias>({{"tlm", "systemc twin cpp c++ fast default"},
                          {"rtl", "verilog systemverilog verilator verilated hdl"},
                          {"lockstep", "both cosim co_simulation compare check"}});

}  // namespace

std::string_view switch_model_name(SwitchModel model) {
  return kNames[static_cast<std::size_t>(model)];
}

bool has_rtl(SwitchModel model, const SwitchShape& shape) {
  return model != SwitchModel::kTlm || !shape.rtl_top.empty();
}

SwitchModel parse_model(std::string_view text) {
  constexpr std::array<SwitchModel, 3> kModels{SwitchModel::kTlm, SwitchModel::kRtl,
                                               SwitchModel::kLockstep};
  std::vector<std::string_view> names;
  for (const SwitchModel model : kModels) {
    names.push_back(switch_model_name(model));
    if (text == names.back()) return model;
  }
  throw BadInput(fmt::format("--model: found '{}'; {}", text,
                             advice(text, names, {.aliases = kModelAliases})));
}

std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape, const std::string& name) {
  shape.kind->check(shape, name);
  return shape.kind->make_twin(shape, name);
}

std::unique_ptr<SwitchCore> make_switch(SwitchModel model, const SwitchShape& shape,
                                        const std::string& name,
                                        std::shared_ptr<RtlContext> context) {
  if (!has_rtl(model, shape)) return make_twin(shape, name);
  if (model != SwitchModel::kLockstep) return make_rtl_switch(shape, name, std::move(context));
  auto twin = make_twin(shape, name);
  return std::make_unique<LockstepSwitch>(make_rtl_switch(shape, name, std::move(context)),
                                          std::move(twin), shape, name);
}

RtlSwitch* rtl_inside(SwitchCore& core) {
  if (auto* pair = dynamic_cast<LockstepSwitch*>(&core)) return rtl_inside(pair->reference());
  return dynamic_cast<RtlSwitch*>(&core);
}

}  // namespace fredsim
