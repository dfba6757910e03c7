// SPDX-License-Identifier: Apache-2.0
// The registers of rtl/common/switch_counters.sv in a Verilated model, for the kinds' peeks
// (switch/verilated_switch.h). switch/verilator/peek.vlt keeps them readable.
//
// PEEK_COUNTERS(root, i_counters_of_the_top, ports, into): the instance by its Verilated name,
//   "fred_switch__DOT__i_counters". A macro, because the name of a register in a Verilated class is
//   one word.
#pragma once

#include "switch/switch_core.h"

#define PEEK_COUNTERS(root, instance, ports, into)                              \
  do {                                                                          \
    (into).flits_in.assign((root).instance##__DOT__in_q.m_storage,              \
                           (root).instance##__DOT__in_q.m_storage + (ports));   \
    (into).flits_out.assign((root).instance##__DOT__out_q.m_storage,            \
                            (root).instance##__DOT__out_q.m_storage + (ports)); \
    (into).reductions = (root).instance##__DOT__reductions_q;                   \
    (into).phase_changes = (root).instance##__DOT__phase_changes_q;             \
    (into).stall_join = (root).instance##__DOT__join_q;                         \
    (into).stall_credit = (root).instance##__DOT__credit_q;                     \
    (into).stall_phase = (root).instance##__DOT__phase_q;                       \
    (into).stall_arbiter = (root).instance##__DOT__arbiter_q;                   \
    (into).stall_link = (root).instance##__DOT__link_q;                         \
  } while (false)
