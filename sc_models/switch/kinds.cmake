# SPDX-License-Identifier: Apache-2.0
# The kinds of switches: one folder here, one in rtl/, one name in this list (switch_kind.h).
set(FREDSIM_SWITCH_KINDS fred mesh mesh_reducing reducing_crossbar aggregator voq_crossbar)
