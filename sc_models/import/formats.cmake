# SPDX-License-Identifier: Apache-2.0
# Formats of `fredsim import`: one file in formats/, one name in this list (import_format.h). Messages use this order.
set(FREDSIM_IMPORT_FORMATS nccl nvidia_smi booksim ns3 floogen noxim)
