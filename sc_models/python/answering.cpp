// SPDX-License-Identifier: Apache-2.0
#include "answering.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "runner/interrupt.h"
#include "switch/on_demand/rtl_locations.h"

// libsystemc calls one; nothing here does.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) { return 0; }

namespace fredsim {
namespace {

// Machines and models by name come from this program.
const std::vector<std::string>& with_files_of(const std::string& program,
                                              const std::vector<std::string>& words) {
  static std::string known;
  if (known != program) {
    known = program;
    std::error_code failed;
    set_rtl_locations(rtl_locations_of(std::filesystem::canonical(program, failed)));
  }
  return words;
}

// Descriptor that is closed after the answer.
class OwnDescriptor {
 public:
  explicit OwnDescriptor(int other) : number_(::fcntl(other, F_DUPFD_CLOEXEC, 0)) {}
  ~OwnDescriptor() { ::close(number_); }
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Blocks all signals: the threads of the interpreter handle them.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Answering::Answering(const std::vector<std::string>& words, const std::string& program,
                     bool in_process, int out, int err, const std::vector<int>& kept)
    : question_(with_files_of(program, words)) {
  if (!in_process) {
    const auto work = [this] {
      begin_process();
      return question_.answer_into(STDOUT_FILENO, STDERR_FILENO);
    };
    child_.emplace(work, ChildSettings{.out = out, .err = err, .ends_with_parent = true}, kept);
    return;
  }
  question_.begin();
  auto own_out = std::make_shared<OwnDescriptor>(out),
       own_err = std::make_shared<OwnDescriptor>(err);
  thread_ = std::async(std::launch::async, [this, own_out = std::move(own_out),
                                            own_err = std::move(own_err)]() mutable {
    block_signals();
    const OwnInterrupt own(is_interrupted_);
    const int code = question_.answer_into(own_out->number(), own_err->number());
    own_out.reset();  // a reader waits for the end of the file
    own_err.reset();
    return code;
  });
}

Answering::~Answering() { kill(); }

std::optional<int> Answering::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLook{5};
  const std::chrono::duration<double> time(seconds);
  if (code_) return code_;
  if (thread_.valid()) {
    if (seconds < 0 || thread_.wait_for(time) == std::future_status::ready) code_ = thread_.get();
    return code_;
  }
  const auto begin = Clock::now();
  std::optional<ChildEnd> end = seconds < 0 ? std::optional(child_->wait()) : child_->ended();
  while (!end && Clock::now() - begin < time) {
    std::this_thread::sleep_for(kLook);
    end = child_->ended();
  }
  if (end) code_ = end->exit_code < 0 ? -end->signal : end->exit_code;
  return code_;
}

void Answering::interrupt() {
  is_interrupted_ = true;
  if (child_ && !code_) child_->send(SIGTERM);
}

void Answering::kill() {
  interrupt();
  if (child_ && !code_) child_->send(SIGKILL);
  if (child_ || thread_.valid()) wait(-1);
}

}  // namespace fredsim
