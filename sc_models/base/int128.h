// SPDX-License-Identifier: Apache-2.0
// 128-bit integers for products of two 64-bit quantities that must stay exact. They are an
// extension of GCC and Clang, which -Wpedantic wants marked.
#pragma once

namespace fredsim {

// NOLINTBEGIN(modernize-use-using): `using` has no place for __extension__
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
// NOLINTEND(modernize-use-using)

}  // namespace fredsim
