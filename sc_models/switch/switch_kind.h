// The kinds of switches: what each of them is, and what it can do. All others ask here; none of them
// asks which kind it is.
//
// A kind is a folder of RTL (rtl/<kind>/), a folder here (sc_models/switch/<kind>/) and its name in the list in
//   switch/kinds.cmake. The folder has kind.cmake, with the names and ranges of its parameters, its RTL top and
//   file list; <kind>_kind.h, which declares `const SwitchKind& <kind>_kind()`; <kind>_peek.h, how its counters
//   are read in the Verilated class (switch/verilated_switch.h); and its twin.
// Parameters are those of the RTL top, by their names there. Every kind has LANES.
// Errors: BadInput for what a machine file or a size may say; std::logic_error for kinds that contradict each other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switch/switch_core.h"
#include "switch/switch_shape.h"

namespace fredsim {

struct SwitchParameter {
  std::string name;     // as in the RTL: "VC_DEPTH"
  std::string meaning;  // "input buffer of each data VC in flits"
  int fallback = 0;     // value where none is given
  int least = 0, most = 0;
};

struct SwitchFacts {
  std::string name;     // "fred"
  std::string rtl_top;  // "fred_switch"
  std::vector<SwitchParameter> parameters;
  int basic = 0;  // the first ones, which an entry of the size list always names
  int (*ports)(std::span<const int> values) = nullptr;
};

class SwitchKind {
 public:
  explicit SwitchKind(SwitchFacts facts);
  virtual ~SwitchKind() = default;
  SwitchKind(const SwitchKind&) = delete;
  SwitchKind& operator=(const SwitchKind&) = delete;

  const std::string& name() const { return facts_.name; }
  const std::string& rtl_top() const { return facts_.rtl_top; }
  std::span<const SwitchParameter> parameters() const { return facts_.parameters; }
  int basic_parameters() const { return facts_.basic; }
  int ports(std::span<const int> values) const { return facts_.ports(values); }
  int index(
      std::string_view parameter) const;  // its place among the parameters; -1: not one of them

  // With the values given, of those of the names that are parameters of this kind, and else its defaults.
  SwitchShape shape(std::span<const NamedValue> values) const;

  // BadInput, opening with `name`, where the RTL does not take the values.
  void check(const SwitchShape& shape, const std::string& name) const;
  // The C++ twin: the same outputs in the same cycle as the RTL. After check().
  virtual std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                                const std::string& name) const = 0;

 protected:
  // What the ranges of the parameters do not say.
  virtual void check_together(const SwitchShape& shape, const std::string& name) const;

 private:
  SwitchFacts facts_;
};

// All kinds: ours, in the order of kinds.cmake, and those added.
std::vector<const SwitchKind*> switch_kinds();
const SwitchKind* find_switch_kind(std::string_view name);  // null: none of that name
const SwitchKind& switch_kind(std::string_view name);       // BadInput with those there are
// One more, before anything asks for it; `kind` lives as long as the program. For a program with a switch of
// its own: its machines may then name it, and it runs as its twin.
void add_switch_kind(const SwitchKind& kind);
// What kind.cmake says of one of ours.
SwitchFacts switch_facts(std::string_view kind);

// The entry of the size list that stands for a shape: "fred P=4 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24
// FORMAT=0". Further parameters where they are not the kind's default; then those of a user's own RTL, and its top.
std::string size_entry(const SwitchShape& shape);

}  // namespace fredsim
