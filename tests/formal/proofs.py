# SPDX-License-Identifier: Apache-2.0
"""All proofs, with the faults that break them. The properties are listed on top of each harness."""

from dataclasses import replace

from formal import Fault, Proof

PROOFS = []
LINK = ("two_resets.sv", "async_fifo_contract.sv", "credit_crossing_contract.sv")
NETWORK = ("parity_add.sv", "parity_add_halves.sv", "fred_network_meaning.sv")
CLOCKS = ("caught_synchroniser.sv", "two_resets.sv", "gray_crossing.sv")


def rr_arbiter():
    turn = "in_turn_q <= ~(grant_o | (grant_o - N'(1)));"
    pick = "grant_o = first & (~first + N'(1));"
    faults = (
        Fault("grants_the_first_in_turn", "rr_arbiter", "first = request_i & in_turn_q;", "first = request_i;"),
        Fault("waits_for_fewer_than_n", "rr_arbiter", turn, "in_turn_q <= ~(grant_o - N'(1));"),
        Fault("grants_one", "rr_arbiter", pick, "grant_o = first;"),
        Fault("grants_one_that_asks", "rr_arbiter", pick, "grant_o = N'(1);"),
        Fault("turn_is_a_thermometer", "rr_arbiter", turn, "in_turn_q <= ~grant_o;"),
    )
    return [Proof("rr_arbiter", depth=8, induction=2, parameters={"N": 4}, faults=faults),
            Proof("rr_arbiter", depth=8, induction=2, parameters={"N": 3}, faults=())]  # fmt: skip


def credit_counter():
    faults = (
        Fault("none_created_or_lost", "credit_counter", "else if (give_i != spend_i) begin", "else if (give_i || spend_i) begin"),
        Fault("within_depth", "credit_counter", "credits_q <= wdata_i;", "credits_q <= wdata_i + CREDIT_W'(1);"),
        Fault("says_whether_there_are", "credit_counter", "credits_q != CREDIT_W'(1)", "credits_q != CREDIT_W'(2)"),
    )
    return [Proof("credit_counter", depth=8, induction=2, parameters={"DEPTH": depth}, faults=faults if depth else (),
                  assumed=("spend_has_a_credit",)) for depth in (3, 0)]  # fmt: skip


def vc_queue():
    faults = (
        Fault("sides_in_order", "vc_queue", "direct = unread_q == '0 && (pop_i", "direct = (pop_i"),
        Fault("hol_where_there_are_flits", "vc_queue", "read = !known_full;", "read = known_q[0];"),
        Fault("full_where_all_slots_are_in_use", "vc_queue", "&& !popped_q;", ";"),
        Fault("slot_of_the_hol", "vc_queue", "(head_q == LAST_SLOT) ?", "(head_q + SLOT_W'(1) == LAST_SLOT) ?"),
        Fault("slot_is_free", "vc_queue", "(tail_q == LAST_SLOT) ?", "(tail_q + SLOT_W'(1) == LAST_SLOT) ?"),
        Fault("full_is_all_slots_in_use", "vc_queue", "used_q == COUNT_W'(DEPTH - 1)", "used_q == COUNT_W'(DEPTH - 2)"),
        Fault("hol_where_flits_are", "vc_queue", "unread_q + COUNT_W'(write) - COUNT_W'(read)", "unread_q - COUNT_W'(read)"),
        Fault("known_is_one_hot", "vc_queue", "after_pop = pop_i ? known_q >> 1 : known_q;", "after_pop = pop_i ? known_q - 1'b1 : known_q;"),
    )
    return [Proof("vc_queue", depth=12, induction=2, parameters={"DEPTH": depth}, faults=faults if depth == 5 else (),
                  assumed=("push_has_room", "pop_takes_a_hol")) for depth in (5, 4)]  # fmt: skip


def flit_ram():
    faults = (
        Fault("gives_what_was_written", "flit_ram", "if (read_i) rdata_o", "if (read_i || write_i) rdata_o"),
    )
    return [Proof("flit_ram", depth=8, induction=2, faults=faults,
                  assumed=("write_within_depth", "read_within_depth", "no_read_of_a_word_being_written"))]  # fmt: skip


def synchroniser():
    faults = (Fault("follows_two_edges_later", "synchroniser", "rst_ni ? first_q :", "rst_ni ? d_i :"),)
    return [Proof("synchroniser", depth=8, induction=2, faults=faults)]


def reset_sync():
    faults = (
        Fault("begins_at_once", "reset_sync", "posedge clk_i or negedge clear_n", "posedge clk_i"),
        Fault("ends_at_the_second_edge", "reset_sync", "second_q <= first_q;", "second_q <= 1'b1;"),
        Fault("the_test_has_it", "reset_sync", "assign rst_no = test_mode_i ? test_rst_ni : second_q;", "assign rst_no = second_q;"),
        Fault("ends_in_order", "reset_sync", "first_q <= 1'b1;", "first_q <= !first_q;"),
        Fault("low_while_asked_for", "reset_sync", "posedge clk_i or negedge clear_n", "posedge clk_i"),
    )
    return [Proof("reset_sync", depth=16, induction=3, free_clocks=True, faults=faults)]


def packet_order():
    faults = (
        Fault("knows_what_is_open", "packet_order", "<= !header_i.tail;", "<= !header_i.tail && !header_i.head;"),
        Fault("head_after_tail", "packet_order", "else if (valid_i) begin", "else if (valid_i && !header_i.head) begin"),
    )
    return [Proof("packet_order", depth=8, induction=2, faults=faults)]


def apb_slave():
    faults = (
        Fault("three_cycles", "apb_slave", "pready_o <= request_q;", "pready_o <= request_q || refuse_i;"),
        Fault("asks_once", "apb_slave", "request_q && !error_q", "request_q"),
        Fault("asks_for_the_word", "apb_slave", "reg_addr_o <= paddr_i[ADDR_W-1:2];", "reg_addr_o <= paddr_i[ADDR_W-3:0];"),
        Fault("gives_the_data", "apb_slave", "reg_wdata_o <= pwdata_i;", "reg_wdata_o <= 32'(pwdata_i[15:0]);"),
        Fault("answers", "apb_slave", "!error_q && !reg_write_o) ?", "!reg_write_o) ?"),
        Fault("reports_errors", "apb_slave", "if (begin_transfer) error_q", "if (psel_i) error_q"),
        Fault("transfer_stays_as_it_is", "apb_slave", "reg_write_o <= pwrite_i;", "reg_write_o <= !pwrite_i;"),
        Fault("access_follows_set_up", "apb_slave", "pready_o <= request_q;", "pready_o <= request_q || pready_o;"),
        Fault("set_up_comes_first", "apb_slave", "pready_o <= request_q;", "pready_o <= 1'b0;"),
    )
    return [Proof("apb_slave", depth=10, induction=2, faults=faults)]


def async_fifo():
    faults = (
        Fault("words_in_order", "async_fifo", "wpointer_q[ADDR_W-1:0] == ADDR_W'(i)", "rpointer_q[ADDR_W-1:0] == ADDR_W'(i)"),
        Fault("nothing_is_invented", "async_fifo", "wgray_here != rgray_q", "wgray_here != rgray_q || wrst_ni"),
        Fault("nothing_is_lost", "async_fifo", "wgray_here != rgray_q", "wgray_here[0] != rgray_q[0]"),
        Fault("room_is_there", "async_fifo", "used = wpointer_q - binary(rgray_here)", "used = wpointer_q - rpointer_d"),
        Fault("room_comes_back", "async_fifo", "rgray_q <= rrst_ni ? gray(rpointer_d) : '0;", "rgray_q <= rrst_ni ? gray(rpointer_q) : '0;"),
        Fault("no_more_words_than_places", "async_fifo", "used = wpointer_q - binary(", "used = wpointer_q + binary("),
        Fault("no_more_words_than_were_written", "async_fifo", "rpointer_q + COUNT_W'(read_i)", "rpointer_q + COUNT_W'(1)"),
        Fault("one_bit_of_the_write_pointer_changes", "async_fifo", "wpointer_q + COUNT_W'(write_i)", "wpointer_q + COUNT_W'({write_i, 1'b0})"),
        Fault("one_bit_of_the_read_pointer_changes", "async_fifo", "rpointer_q + COUNT_W'(read_i)", "rpointer_q + COUNT_W'({read_i, 1'b0})"),
        Fault("free_places_stay_free", "async_fifo", "used = wpointer_q - binary(", "used = wpointer_q + binary("),
        Fault("a_word_stays_until_it_is_read", "async_fifo", "wgray_here != rgray_q", "wgray_here != rgray_q && !write_i"),
    )
    faults = tuple(replace(fault, depth=14) for fault in faults)
    return [Proof("async_fifo", depth=6, induction=2, free_clocks=True, faults=faults if depth == 2 else (), beside=CLOCKS,
                  parameters={"DEPTH": depth}, assumed=("write_has_room", "read_takes_a_word")) for depth in (2, 4)]  # fmt: skip


def credit_crossing():
    faults = (
        Fault("none_is_created", "credit_crossing", "credit_o <= given != taken_q;", "credit_o <= given != taken_q || credit_o;"),
        Fault("none_too_many", "credit_crossing", "credit_o <= given != taken_q;", "credit_o <= given != taken_q || credit_o;"),
        Fault("none_is_lost", "credit_crossing", "credit_o <= given != taken_q;", "credit_o <= given != taken_q && !credit_o;"),
        Fault("no_more_on_their_way_than_slots", "credit_crossing", "srst_ni ? given_d ^ (given_d >> 1) :", "srst_ni ? given_d :"),
    )
    faults = tuple(replace(fault, depth=20) for fault in faults)
    return [Proof("credit_crossing", depth=6, induction=2, free_clocks=True, parameters={"MOST": most}, beside=CLOCKS,
                  faults=faults if most == 2 else ()) for most in (2, 3)]  # fmt: skip


def link_tx():
    faults = (
        Fault("in_order", "link_tx", "if (here && tx_ready_i) tx_flit_o <= flit;", "if (here && !tx_ready_i) tx_flit_o <= flit;", 14),
        Fault("once_each", "link_tx", "tx_valid_o <= tx_rst_ni && here && tx_ready_i;", "tx_valid_o <= tx_rst_ni && tx_ready_i;", 12),
        Fault("write_has_room", "link_tx", "32'(free) >= ROOM", "32'(free) >= 1", 20),
        Fault("credits_once_each", "link_tx", ".dclk_i(tx_clk_i), .drst_ni(tx_rst_ni)", ".dclk_i(tx_clk_i), .drst_ni(1'b1)", 12),
        Fault("credits_of_their_channel", "link_tx", ".give_i(credit_i[v])", ".give_i(credit_i[v ^ 1])", 12),
    )
    return [Proof("link_tx", depth=6, induction=2, free_clocks=True, beside=LINK, parameters={"DEPTH": depth, "LAUNCH_EDGES": edges},
                  faults=faults if depth == 4 else ()) for depth, edges in ((4, 1), (8, 2))]  # fmt: skip


def link_rx():
    faults = (
        Fault("in_order", "link_rx", ".rdata_o(flit_o)", ".rdata_o()", 12),
        Fault("once_each", "link_rx", ".read_i (valid_o),", ".read_i (valid_o && !rx_valid_i),", 14),
        Fault("write_has_room", "link_rx", "rx_valid_i && free != '0", "rx_valid_i", 12),
        Fault("reports_what_was_dropped", "link_rx", "if (rx_valid_i && free == '0)", "if (free == '0)", 12),
        Fault("credits_once_each", "link_rx", ".dclk_i(clk_i), .drst_ni(rst_ni)", ".dclk_i(clk_i), .drst_ni(1'b1)", 12),
        Fault("credits_of_their_channel", "link_rx", ".give_i(rx_credit_i[v])", ".give_i(rx_credit_i[v ^ 1])", 12),
    )
    return [Proof("link_rx", depth=6, induction=2, free_clocks=True, beside=LINK, parameters={"DEPTH": depth},
                  faults=faults if depth == 2 else ()) for depth in (2, 8)]  # fmt: skip


def fred_interconnect():
    faults = (
        Fault("flits_where_they_are_meant", "fred_port_mux", "code == 3'd2);", "code == 3'd1);", 8),
        Fault("flits_where_they_are_meant", "fred_interconnect", "wave = (wave_q << 1) | STAGES'(load_i);", "wave = {STAGES{load_i}};", 8),
        Fault("flits_where_they_are_meant", "fred_network", "localparam int unsigned SUB_LSB = R * R_BITS",
              "localparam int unsigned SUB_LSB = 2 * R_BITS", 8),
        Fault("header_of_the_lowest_input", "fred_r_uswitch", "assign sum_flit[noc_pkg::HEADER_W-1:0] = flit_0[",
              "assign sum_flit[noc_pkg::HEADER_W-1:0] = flit_1[", 8),
        Fault("sum_of_the_inputs", "fred_r_uswitch", ".b_i  (flit_1[LSB+:", ".b_i  (flit_0[LSB+:", 8),
        Fault("busy_while_something_is_inside", "fred_interconnect", "(active_q != '0) || (wave_q != '0)", "(active_q != '0)", 8),
    )
    two_stage = (
        Fault("flits_where_they_are_meant", "fred_r_uswitch_two_stage", "& ~ruled) == '0", "& ruled) == '0", 8),
        Fault("header_of_the_lowest_input", "fred_r_uswitch_two_stage", "{sum, flit_0_q[noc_pkg::HEADER_W-1:0]}",
              "{sum, flit_1_q[noc_pkg::HEADER_W-1:0]}", 8),
        Fault("sum_of_the_inputs", "fred_r_uswitch_two_stage", ".b_i   (flit_1[LSB+:", ".b_i   (flit_0[LSB+:", 8),
    )
    return [Proof("fred_interconnect", beside=NETWORK, depth=9, deep=14, parameters={"P": 2}, faults=()),
            Proof("fred_interconnect", beside=NETWORK, depth=7, parameters={"P": 2, "ADDER_STAGES": 2}, faults=two_stage),
            Proof("fred_interconnect", beside=NETWORK, depth=6, induction=4, parameters={"P": 3}, faults=faults)]  # fmt: skip


def switch_counters():
    faults = (
        Fault("low_word_is_counted", "switch_counters", "phase_q <= phase_q + 64'(stall_phase_i)", "phase_q <= phase_q + 64'(stall_join_i)"),
        Fault("high_word_is_counted", "switch_counters", "addr_i[0] ? value[63:32] :", "addr_i[0] ? value[32:1] :"),
    )
    return [Proof("switch_counters", depth=5, induction=1, faults=faults)]


def link_retry():
    room = "come - base < SEQ_W'(DEPTH - MARGIN)"
    faults = (
        Fault("once_each", "link_retry_rx", "assign pass = intact && is_next;", "assign pass = intact && (is_next || is_old);", 18),
        Fault("in_order", "link_retry_rx", "assign is_next = ahead == '0;", "assign is_next = !is_old;", 12),
        Fault("no_credit_is_created", "link_retry_tx", "if (intact) given_q <= given;", "given_q <= given;", 12),
        Fault("no_credit_is_lost", "link_retry_tx", "owed_q + (given - given_q)", "owed_q + CREDIT_W'(given != given_q)", 16),
        Fault("keeps_no_more_than_its_depth", "link_retry_tx", room, "come - base < SEQ_W'(DEPTH)", 12),
        Fault("has_room", "link_retry_tx", room, "come - base < SEQ_W'(DEPTH)", 12),
        Fault("sends_what_is_kept", "link_retry_tx", "wire_ready_i && (waits || valid_i)", "wire_ready_i", 8),
        Fault("was_sent_before_it_is_acknowledged", "link_retry_rx", "expected_q + SEQ_W'(1)", "expected_q + SEQ_W'(2)", 12),
        Fault("dead_after_the_last_retry", "link_retry_tx", "(base != base_q) ? '0 : retries_q;", "retries_q;", 18),
        Fault("one_of_both", "link_retry_rx", "(intact ? !is_next && !is_old &&", "(intact ? !is_old &&", 12),
    )
    return [Proof("link_retry", depth=8, induction=8, of=("link_retry_tx", "link_retry_rx"), beside=("small_link.sv",),
                  faults=faults)]  # fmt: skip


def phased_control():
    choice = "assign change = decided_q && (open & replaced) == '0;"
    decide = ("!decided_q && lock_q == '0 &&", "!decided_q &&")
    every = ("!= '0) partly_in[f] = 1'b1;", "== '1) partly_in[f] = 1'b1;")
    faults = (
        Fault("nothing_fires_in_a_change", "phased_control", ".hold_i   ({SLOTS{decided_q}} & replaced),", ".hold_i   ('0),"),
        Fault("change_is_between_packets", "phased_control", choice, "assign change = decided_q;"),
        Fault("only_the_active_phase_leaves", "phased_join", *every),
        Fault("wave_two_edges_later", "phased_control", "load_q <= changed_q;", "load_q <= change;"),
        Fault("first_vc_is_of_slot_0", "phased_control", "first_vc_q <= VCS'(1) << next_vc_q;", "first_vc_q <= VCS'(1) << pick;"),
    )
    look_up = "if (clear_i) candidate_o <= '0;"
    choices = (
        Fault("row_of_the_phase_is_loaded", "phased_control", "candidate_rows[ROW_W*32'(next_vc_q) +: ROW_W]",
              "candidate_rows[ROW_W*32'(vc_q[0 +: VC_W]) +: ROW_W]"),
        Fault("decision_has_a_reason", "phased_control", "vc_rank(VC_ORDER, pick) < noc_pkg::vc_rank(VC_ORDER, vc_q);",
              "vc_rank(VC_ORDER, pick) <= noc_pkg::vc_rank(VC_ORDER, vc_q);"),
        Fault("change_forgets_look_ups", "phased_candidates", look_up, "if (clear_i && !ready) candidate_o <= '0;"),
        Fault("change_forgets_look_ups", "phased_candidates", look_up, "if (clear_i && !read_q) candidate_o <= '0;"),
    )
    apart = (
        Fault("changes_are_apart", "phased_control", *decide),
        Fault("wave_has_passed", "phased_control", *decide),
    )
    two = (
        Fault("phases_share_no_port", "phased_candidates", "use_of[p] = code != '0;", "use_of[p] = 1'b0;"),
        Fault("one_slot_is_taken", "phased_control", "assign leaves[v] = (in_way == 2'b00) ? to[v] : in_way;",
              "assign leaves[v] = in_way;"),
    )
    # Labels except the labels of the arbiters below it, which rr_arbiter_proof proves.
    labels = ("invariant_lock", "invariant_decided", "invariant_changed", "invariant_counts", "invariant_look_up",
              "invariant_candidates", "invariant_next", *dict.fromkeys(fault.breaks for fault in (*faults, *choices, *apart)))
    return [Proof("phased_control", depth=4, induction=2, only=labels, parameters={"P": 3},
                  faults=tuple(replace(fault, depth=12) for fault in choices)),
            Proof("phased_control", depth=4, induction=2, only=labels, faults=tuple(replace(fault, depth=11) for fault in faults)),
            Proof("phased_control", depth=4, induction=2, only=labels, parameters={"STAGES": 6},
                  faults=tuple(replace(fault, depth=12) for fault in apart)),
            Proof("phased_control", depth=9, only=tuple(fault.breaks for fault in two), parameters={"PHASES_IN_USE": 2},
                  faults=tuple(replace(fault, depth=11) for fault in two))]  # fmt: skip


for subject in (rr_arbiter, credit_counter, vc_queue, flit_ram, synchroniser, reset_sync, packet_order, apb_slave, async_fifo,
                credit_crossing, link_tx, link_rx, fred_interconnect, switch_counters, link_retry,
                phased_control):
    PROOFS += subject()
