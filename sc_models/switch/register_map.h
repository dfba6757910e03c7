// SPDX-License-Identifier: Apache-2.0
// C++ names of the register map of the switches, word addresses and 32-bit data.
// rtl/common/noc_pkg.sv describes each register.
#pragma once

#include <cstdint>

#include "rtl/noc_pkg.h"
#include "rtl/phased_pkg.h"

namespace fredsim::reg {

inline constexpr std::uint16_t kId = noc_pkg::REG_ID;
inline constexpr std::uint16_t kShape = noc_pkg::REG_SHAPE;
inline constexpr std::uint16_t kPosition = noc_pkg::REG_POSITION;
inline constexpr std::uint16_t kTorus = noc_pkg::REG_TORUS;
inline constexpr std::uint16_t kNoLink = noc_pkg::REG_NO_LINK;
inline constexpr std::uint16_t kError = noc_pkg::REG_ERROR;
inline constexpr std::uint16_t kCredit = noc_pkg::REG_CREDIT;
inline constexpr std::uint16_t kFlitsIn = noc_pkg::REG_FLITS_IN;
inline constexpr std::uint16_t kFlitsOut = noc_pkg::REG_FLITS_OUT;
inline constexpr std::uint16_t kReductions = noc_pkg::REG_REDUCTIONS;
inline constexpr std::uint16_t kPhaseChanges = noc_pkg::REG_PHASE_CHANGES;
inline constexpr std::uint16_t kStallJoin = noc_pkg::REG_STALL_JOIN;
inline constexpr std::uint16_t kStallCredit = noc_pkg::REG_STALL_CREDIT;
inline constexpr std::uint16_t kStallPhase = noc_pkg::REG_STALL_PHASE;
inline constexpr std::uint16_t kStallArbiter = noc_pkg::REG_STALL_ARBITER;
inline constexpr std::uint16_t kStallLink = noc_pkg::REG_STALL_LINK;
inline constexpr std::uint16_t kRoute = noc_pkg::REG_ROUTE;
inline constexpr int kMaxRoutes =
    noc_pkg::MAX_ROUTES;  // entries of a table at kRoute; larger ones:
inline constexpr std::uint16_t kLargeRoute = noc_pkg::REG_LARGE_ROUTE;
inline constexpr int kMaxLargeRoutes = 1 << noc_pkg::MAX_ROUTE_ADDR_W;
inline constexpr std::uint16_t kPhaseStore = noc_pkg::REG_PHASE_STORE;
inline constexpr int kPhaseStoreWords = phased_pkg::PHASE_STORE_WORDS;

inline constexpr std::uint32_t kErrorNone = noc_pkg::ERROR_NONE;
inline constexpr std::uint32_t kErrorOverflow = noc_pkg::ERROR_OVERFLOW;
inline constexpr std::uint32_t kErrorJoin = noc_pkg::ERROR_JOIN;
inline constexpr std::uint32_t kErrorPhase = noc_pkg::ERROR_PHASE;
inline constexpr std::uint32_t kErrorRoute = noc_pkg::ERROR_ROUTE;
inline constexpr std::uint32_t kErrorConfig = noc_pkg::ERROR_CONFIG;

}  // namespace fredsim::reg
