// SPDX-License-Identifier: Apache-2.0
// Process groups that METADATA nodes of a trace list ("process_group:init").
#pragma once

#include "workload_files/chakra.pb.h"
#include "workload_files/comm_groups.h"

namespace fredsim {

bool is_process_groups(const pb::ChakraNode& node);
// Texts that list no groups are left out.
void read_process_groups(const pb::ChakraNode& node, CommGroups& into);

}  // namespace fredsim
