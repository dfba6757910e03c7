// SPDX-License-Identifier: Apache-2.0
// Runs all jobs of one command in sequence in one SystemC thread.
//
// A thread is needed because a communicator waits for simulated time. One thread is enough because
// all machines are elaborated before the kernel starts, and only the clock of the active machine
// runs. An exception in the thread would become a SystemC report without its type, so it is caught
// there and rethrown by finish() after the kernel has stopped.
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
  // Rethrows the exception of the jobs; called after sc_start.
  void finish() const;

 private:
  void run_jobs();

  std::function<void()> jobs_;
  // Suppresses the kernel's "Simulation stopped by user" on standard output, which belongs to
  // results.
  sc_core::sc_actions when_stopped_;
  std::exception_ptr failure_;
};

}  // namespace fredsim
