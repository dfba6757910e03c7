// SPDX-License-Identifier: Apache-2.0
// A SystemC simulation inside one GoogleTest case: every case gets a fresh simulation context, so
// that cases can follow each other in one process.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>

namespace fredsim::test {

class Simulation {
 public:
  Simulation() {
    sc_core::sc_curr_simcontext = nullptr;
    thread_ = std::make_unique<Thread>("test");
  }

  // Runs `body` as an SC_THREAD until no events are left; rethrows its exception.
  void run(std::function<void()> body) {
    thread_->body = std::move(body);
    sc_core::sc_start();
    if (thread_->thrown != nullptr) std::rethrow_exception(thread_->thrown);
  }

 private:
  struct Thread : sc_core::sc_module {
    SC_HAS_PROCESS(Thread);
    explicit Thread(sc_core::sc_module_name name) : sc_core::sc_module(name) {
      SC_THREAD(run);
      set_stack_size(1 << 20);
    }
    void run() {
      try {
        body();
      } catch (const std::exception&) {
        thrown = std::current_exception();
      }
    }
    std::function<void()> body;
    std::exception_ptr thrown;
  };
  std::unique_ptr<Thread> thread_;
};

// Message, what(), of the exception of type Error that `body` throws; empty if it throws none.
template <class Error>
std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace fredsim::test
