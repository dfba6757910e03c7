// SPDX-License-Identifier: Apache-2.0
// Sanitizers in the build: they have a heap of their own and reserve terabytes of addresses, so that neither what is in use of memory nor
// a limit of it says anything about the program.
#pragma once

namespace fredsim {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
inline constexpr const char* kWhyNotSanitized = "a sanitizer has memory of its own";

}  // namespace fredsim
