// SPDX-License-Identifier: Apache-2.0
// Sanitizers in the build: they have their own heap and reserve terabytes of addresses, so that
// neither memory use nor a memory limit says anything about the program.
#pragma once

namespace fredsim {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
inline constexpr const char* kWhyNotSanitized = "a sanitizer has memory of its own";

}  // namespace fredsim
