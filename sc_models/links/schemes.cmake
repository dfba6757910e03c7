# SPDX-License-Identifier: Apache-2.0
# The schemes of links: one folder here, one name in this list (link_scheme.h). It is the order in which they are applied.
set(FREDSIM_LINK_SCHEMES burst protocol retransmission)
