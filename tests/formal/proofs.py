"""All proofs, with the faults that break them. What is proven is said on top of each harness."""

from formal import Fault, Proof

PROOFS = []


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
        Fault("front_where_there_are_flits", "vc_queue", "read = !known_full;", "read = known_q[0];"),
        Fault("full_where_all_slots_are_in_use", "vc_queue", "&& !popped_q;", ";"),
        Fault("slot_of_the_front", "vc_queue", "(head_q == LAST_SLOT) ?", "(head_q + SLOT_W'(1) == LAST_SLOT) ?"),
        Fault("slot_is_free", "vc_queue", "(tail_q == LAST_SLOT) ?", "(tail_q + SLOT_W'(1) == LAST_SLOT) ?"),
        Fault("full_is_all_slots_in_use", "vc_queue", "used_q == COUNT_W'(DEPTH - 1)", "used_q == COUNT_W'(DEPTH - 2)"),
        Fault("front_where_flits_are", "vc_queue", "unread_q + COUNT_W'(write) - COUNT_W'(read)", "unread_q - COUNT_W'(read)"),
        Fault("known_is_one_hot", "vc_queue", "after_pop = pop_i ? known_q >> 1 : known_q;", "after_pop = pop_i ? known_q - 1'b1 : known_q;"),
    )
    return [Proof("vc_queue", depth=12, induction=2, parameters={"DEPTH": depth}, faults=faults if depth == 5 else (),
                  assumed=("push_has_room", "pop_takes_a_front")) for depth in (5, 4)]  # fmt: skip


for subject in (rr_arbiter, credit_counter, vc_queue):
    PROOFS += subject()
