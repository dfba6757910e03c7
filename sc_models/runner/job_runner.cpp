// SPDX-License-Identifier: Apache-2.0
#include "runner/job_runner.h"

#include <utility>

namespace fredsim {

namespace {

constexpr const char* kKernel = "/OSCI/SystemC";
constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // formatting and verification run on it

}  // namespace

JobRunner::JobRunner(sc_core::sc_module_name name, std::function<void()> jobs)
    : sc_core::sc_module(name),
      jobs_(std::move(jobs)),
      when_stopped_(sc_core::sc_report_handler::set_actions(kKernel, sc_core::SC_DO_NOTHING)) {
  SC_HAS_PROCESS(JobRunner);
  SC_THREAD(run_jobs);
  set_stack_size(kStackBytes);
}

JobRunner::~JobRunner() { sc_core::sc_report_handler::set_actions(kKernel, when_stopped_); }

void JobRunner::finish() const {
  if (failure_) std::rethrow_exception(failure_);
}

void JobRunner::run_jobs() {
  try {
    jobs_();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel takes this thread down
  } catch (...) {
    failure_ = std::current_exception();
  }
  sc_core::sc_stop();
}

}  // namespace fredsim
