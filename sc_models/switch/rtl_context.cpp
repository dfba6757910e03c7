#include "switch/rtl_context.h"

#include <verilated.h>

namespace fredsim {

RtlContext::RtlContext() : context_(std::make_unique<VerilatedContext>()) {
  context_->threads(1);
  context_->fatalOnError(false);
  context_->traceEverOn(true);
}

RtlContext::~RtlContext() = default;

void RtlContext::set_time_ps(std::uint64_t time_ps) { context_->time(time_ps); }

bool RtlContext::stopped() const { return context_->gotFinish(); }

void RtlContext::clear_stopped() {
  context_->gotFinish(false);
  context_->gotError(false);
}

}  // namespace fredsim
