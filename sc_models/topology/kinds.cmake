# SPDX-License-Identifier: Apache-2.0
# Kinds of topologies: one folder here, one name in this list (topology_kind.h). Messages use this
# order.
set(FREDSIM_TOPOLOGY_KINDS mesh2d torus2d fred_tree fully_connected torus3d dimensions bigraph fat_tree graph infragraph astra_sim)
