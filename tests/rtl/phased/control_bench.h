// SPDX-License-Identifier: Apache-2.0
// phased_control with input buffers around it, and a reference of its contract, edge by edge: from
// the phases that it looks up the candidates, from these every decision, every change and every
// flit that fires.
//
// Traffic: jobs, a packet of one flow of a phase each; its flits reach the ports independently,
//   flits of a virtual channel in the order of the jobs.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "Vphased_control/Vphased_control.h"
#include "rtl/phased/rows.h"

namespace fredsim {

class ControlBench {
 public:
  static constexpr int kPorts = 5, kVcs = noc_pkg::NUM_VCS, kPhases = 8;
  static constexpr int kYield = 8, kQuantum = 16;  // as Verilated
  // Reasons of the decisions.
  struct Reasons {
    int first = 0, rewritten = 0, higher = 0, equal_silent = 0, equal_quantum = 0, lower = 0;
  };
  struct Rates {
    std::uint64_t job = 0, arrive = 0, room = 0, free = 0;  // percent per cycle
    int phases = kPhases;                                   // phases that jobs are of
  };

  explicit ControlBench(std::uint64_t seed);
  ~ControlBench() { model_.final(); }
  ControlBench(const ControlBench&) = delete;
  ControlBench& operator=(const ControlBench&) = delete;

  // One edge; gtest's fatal failures report a difference.
  void step(const Rates& rates);
  // With nothing at the inputs and idle_o high: `edges` pass of which the module sees none.
  void skip(int edges) { now_ += edges, silence_ += edges; }
  bool no_hol_flits() const;  // at the inputs
  bool drained() const;
  bool idle() const { return model_.idle_o != 0; }
  const Reasons& reasons() const { return reasons_; }
  const std::string& text() const { return text_; }

 private:
  struct FlitInfo {
    int phase = 0;
    bool tail = false;
  };
  using RowBits = std::array<std::uint32_t, 3>;

  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  RowBits bits_of(int phase) const;
  void add_job(int phases);
  void drive(const Rates& rates);
  void check(const std::string& where);
  void judge_lookup();
  void decide();
  void look_up(const std::string& where);
  void change();
  std::optional<int> first_candidate() const;
  bool hol_flits_of(int phase, std::uint32_t inputs) const;

  VerilatedContext context_;
  Vphased_control model_{&context_, "dut"};
  Random random_;
  std::string text_;
  std::vector<Row> rows_;  // phase n is of VC n % 4

  std::array<std::array<std::deque<FlitInfo>, kVcs>, kPorts> coming_, held_;
  std::uint32_t match_ = 0, tail_ = 0;
  std::uint32_t room_ = 0, other_ = 0;  // VC v of port p is bit 4p+v
  bool free_ = false;
  std::optional<int> written_;  // phase whose row is written at this edge

  // The reference.
  std::int64_t now_ = 0;
  JoinReference join_{kPorts};
  std::optional<int> active_, next_, looked_up_;  // phases; next: of the decision that stands
  std::array<std::optional<int>, kVcs> candidate_;
  std::int64_t silence_ = 0, last_change_ = -100;
  int busy_ = 0, other_before_ = 0;
  JoinReference::Fired fired_;
  std::deque<std::int64_t> waves_;  // edges that sample one
  Reasons reasons_;
};

}  // namespace fredsim
