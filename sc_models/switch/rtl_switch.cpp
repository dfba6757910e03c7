// SPDX-License-Identifier: Apache-2.0
#include "switch/rtl_switch.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "switch/missing_sizes.h"
#include "switch/switch_kind.h"
#include "switch/switch_registry.h"

namespace fredsim {

std::vector<std::string> built_switch_sizes() {
  std::vector<std::string> sizes;
  for (const RegisteredSwitch& s : registered_switches()) sizes.emplace_back(s.entry);
  return sizes;
}

namespace {

// Ends the program with std::bad_alloc for its terminate handler.
[[noreturn]] void end_without_memory() {
  try {
    throw std::bad_alloc();
  } catch (...) {
    std::terminate();
  }
}

// Guard: a Verilated model whose constructor throws reads scopes that have no name yet, so lack of
// memory ends the program there.
class EndsWithoutMemory {
 public:
  EndsWithoutMemory() : before_(std::set_new_handler(end_without_memory)) {}
  ~EndsWithoutMemory() { std::set_new_handler(before_); }
  EndsWithoutMemory(const EndsWithoutMemory&) = delete;
  EndsWithoutMemory& operator=(const EndsWithoutMemory&) = delete;

 private:
  std::new_handler before_;
};

}  // namespace

std::unique_ptr<RtlSwitch> make_rtl_switch(const SwitchShape& shape,
                                           const std::string& instance_name,
                                           std::shared_ptr<RtlContext> context) {
  const std::string entry = size_entry(shape);
  const auto switches = registered_switches();
  const auto found = std::ranges::find(switches, std::string_view(entry), &RegisteredSwitch::entry);
  if (found == switches.end()) {
    const NeededSwitch needed{shape, instance_name};
    require_built({&needed, 1});
  }
  if (!context) context = std::make_shared<RtlContext>();
  const EndsWithoutMemory guard;
  return found->make(shape, instance_name, std::move(context));
}

}  // namespace fredsim
