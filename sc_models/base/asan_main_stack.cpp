// SPDX-License-Identifier: Apache-2.0
// Hook of the asan preset only: lets an exception leave no poison on the main stack.
//
// AddressSanitizer marks the stack frames of running functions and clears the marks of frames that
// an exception unwinds, from the throw up to the stack's bounds. Debian's libsystemc announces its
// switches between coroutines to the sanitizer without the bounds of the main stack. So nothing is
// cleared for an exception thrown there after the first switch (by an SC_METHOD), and later frames
// in the same place are reported. This definition is found before the sanitizer's own, clears the
// frames to be unwound on the main stack and passes the call on.
#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <unwind.h>

#include <cstddef>

namespace {

struct Bounds {
  char* bottom = nullptr;
  std::size_t size = 0;
};

// Bounds of the calling thread's stack as the system made it, whatever coroutine runs. Earlier
// frames may have left marks in the place of these variables.
Bounds thread_stack() {
  void* bottom = nullptr;
  std::size_t size = 0;
  pthread_attr_t attributes;
  __asan_unpoison_memory_region(static_cast<void*>(&bottom), sizeof bottom);
  __asan_unpoison_memory_region(&size, sizeof size);
  __asan_unpoison_memory_region(&attributes, sizeof attributes);
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &bottom, &size);
    pthread_attr_destroy(&attributes);
  }
  return {static_cast<char*>(bottom), size};
}

}  // namespace

// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): the unwinder's name
extern "C" _Unwind_Reason_Code _Unwind_RaiseException(_Unwind_Exception* exception) {
  using Function = _Unwind_Reason_Code(_Unwind_Exception*);
  static auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "_Unwind_RaiseException"));
  const Bounds stack = thread_stack();
  auto* const here = static_cast<char*>(__builtin_frame_address(0));
  if (here >= stack.bottom && here < stack.bottom + stack.size) {
    __asan_unpoison_memory_region(here, static_cast<std::size_t>(stack.bottom + stack.size - here));
  }
  return next(exception);
}
