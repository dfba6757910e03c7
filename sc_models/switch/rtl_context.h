// SPDX-License-Identifier: Apache-2.0
// Context shared by the Verilated instances of one machine: Verilator's, kept alive by every
// instance.
//
// Purpose: one context per machine, so that all its instances can be traced into one file.
//   Single-threaded: set up before the first instance is made.
// Errors: none here; a $stop, $finish or failed assertion in the RTL is reported by the instance
//   that runs (RunFailed), never by ending the process.
#pragma once

#include <memory>

class VerilatedContext;

namespace fredsim {

class RtlContext {
 public:
  RtlContext();
  ~RtlContext();
  RtlContext(const RtlContext&) = delete;
  RtlContext& operator=(const RtlContext&) = delete;

  VerilatedContext* get() const { return context_.get(); }
  bool stopped() const;  // true after $finish, $stop or a failed assertion since the last call
  void clear_stopped();

 private:
  std::unique_ptr<VerilatedContext> context_;
};

}  // namespace fredsim
