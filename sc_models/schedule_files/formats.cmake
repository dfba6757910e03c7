# SPDX-License-Identifier: Apache-2.0
# The formats of schedule files: one file in formats/, one name in this list (schedule_format.h).
set(FREDSIM_SCHEDULE_FORMATS fredsim_json msccl_xml mscclpp_json chakra_traces)
