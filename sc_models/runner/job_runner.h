// SPDX-License-Identifier: Apache-2.0
// All jobs of one command, run one after the other by one SystemC thread.
//
// Why a thread: a communicator waits for simulated time; and why one: all machines are elaborated
// before the kernel starts, and only the one at work has its clock running. An exception in the
// thread would be turned into a SystemC report that has lost its type, so it is caught there and
// thrown again by finish(), after the kernel has stopped.
#pragma once

#include <exception>
#include <functional>
#include <systemc>

namespace fredsim {

class JobRunner : public sc_core::sc_module {
 public:
  JobRunner(sc_core::sc_module_name name, std::function<void()> jobs);
  ~JobRunner() override;
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;
  // After sc_start: throws what the jobs threw.
  void finish() const;

 private:
  void run_jobs();

  std::function<void()> jobs_;
  // The kernel says "Simulation stopped by user" on standard output, where results go: not
  // meanwhile.
  sc_core::sc_actions when_stopped_;
  std::exception_ptr failure_;
};

}  // namespace fredsim
