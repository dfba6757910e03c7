// SPDX-License-Identifier: Apache-2.0
// The memories of a Verilated model, every flit_ram in it, and bits in them that are stuck. The
// model is Verilated with memory_faults.vlt.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "verilated.h"
#include "verilated_sym_props.h"
#include "verilated_syms.h"

namespace fredsim {

// A memory of any shape.
struct Memory {
  std::string name;
  const VerilatedVar* words;

  int depth() const { return words->elements(1); }
  int bits() const { return words->elements(0); }
  std::uint8_t* word(int i) const {
    return static_cast<std::uint8_t*>(words->datap()) + std::size_t{words->entSize()} * i;
  }
};

inline std::vector<Memory> memories_of(VerilatedContext& context) {
  std::vector<Memory> found;
  for (const auto& [name, scope] : *context.scopeNameMap()) {
    if (const VerilatedVar* words = scope->varFind("mem_q")) found.push_back({name, words});
  }
  return found;
}

// Bit of bist_fail_o of a switch with phases for a memory: inputs, outputs, phase store, routing
// table.
inline int memory_test_place(const std::string& name, int ports) {
  const auto port = [&name](const char* unit) {  // the index just before the unit
    const auto at = name.find(unit);
    if (at == std::string::npos) return -1;
    return std::stoi(name.substr(name.rfind('[', at) + 1));
  };
  for (const char* const unit : {".i_input.", ".i_operands."}) {
    if (const int p = port(unit); p >= 0) return p;
  }
  if (const int p = port(".i_output."); p >= 0) return ports + p;
  if (name.find("i_phase_store") != std::string::npos) return 2 * ports;
  if (name.find("i_routes") != std::string::npos) return 2 * ports + 1;
  ADD_FAILURE() << name << " has no place";
  return 0;
}

// Stuck bits: writes do not change them.
class StuckBits {
 public:
  void clear() { bits_.clear(); }
  void add(const Memory& memory, int word, int bit, bool value) {
    bits_.push_back({memory.word(word) + bit / 8, bit % 8, value});
  }
  void hold() const {  // after every edge
    for (const auto& [byte, bit, value] : bits_) {
      *byte = static_cast<std::uint8_t>((*byte & ~(1U << bit)) | unsigned{value} << bit);
    }
  }

 private:
  struct Bit {
    std::uint8_t* byte;
    int bit;
    bool value;
  };
  std::vector<Bit> bits_;
};

}  // namespace fredsim
