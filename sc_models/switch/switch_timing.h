// SPDX-License-Identifier: Apache-2.0
// Timing of a flit through a switch as seen at its pins, if the kind provides it
// (SwitchKind::timing()).
//
// Edges: a flit arrives at the edge at which it is on the input pins, leaves its input buffer at
//   the edge that returns its credit, and is launched at the edge after which it is on the output
//   pins.
#pragma once

namespace fredsim {

struct SwitchTiming {
  int to_leave = 0;  // edges from its arrival until it can leave its input buffer
  int to_pins = 0;   // edges from leaving the buffer to its launch, without waiting
  // Additional edges of a sum of n flits: `sum` + n x `per_operand`.
  int sum = 0, per_operand = 0;
  // True: flits of a port and virtual channel leave the input buffer in the order of their arrival.
  bool in_order = true;
  // Flits of staging per output and virtual channel, where they wait for credits and the link at
  // the end of their path, at the edge before the launch; 0: they wait in the input buffer.
  int staging = 0;
  // Edges from the one at which a credit is on the pins to the one at which it can be spent.
  int credit_edges = 0;

  // Cycles at no load, from its input pins to the input pins of the next node, without the link
  // between them.
  int through() const { return to_leave + to_pins + 1; }
};

}  // namespace fredsim
