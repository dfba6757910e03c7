// SPDX-License-Identifier: Apache-2.0
#include "switch/rtl_context.h"

#include <verilated.h>

namespace fredsim {

RtlContext::RtlContext() : context_(std::make_unique<VerilatedContext>()) {
  context_->threads(1);
  context_->fatalOnError(false);
  context_->traceEverOn(true);
}

RtlContext::~RtlContext() = default;

bool RtlContext::stopped() const { return context_->gotFinish(); }

void RtlContext::clear_stopped() {
  context_->gotFinish(false);
  context_->gotError(false);
}

}  // namespace fredsim
