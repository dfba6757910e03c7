# SPDX-License-Identifier: Apache-2.0
# The algorithms of collectives: one file in algorithms/, one name in this list (algorithm.h). Special ones come after those that
# any group has.
set(FREDSIM_ALGORITHMS ring detours bidirectional_ring hier_ring chain tree direct one_shot hier_direct halving_doubling hdrm multi_tree edge_tree jump_rings two_phase switch_reads in_switch)
