// SPDX-License-Identifier: Apache-2.0
// Communication groups of a layer of a text workload, by its type (workload/text_graph.h has the
// rules).
//
// Errors: BadInput where MP is neither in the file nor given, does not divide the NPUs, or is given
// where the type says it.
#pragma once

#include <string>

#include "plan/collective.h"
#include "workload_files/text_workload.h"

namespace fredsim {

// All groups of `size` NPUs that are `stride` apart.
struct GroupSpan {
  int size = 1;
  int stride = 1;
};

Collective collective_of(TraceCollective collective);

// Number of NPUs that share the model. `given`: over the value in the file; 0: the value in the
// file. `machine`: its name, for messages.
int text_model_group(const TextWorkload& workload, const std::string& path, int given, int npus,
                     const std::string& machine);

// Groups of activations and gradients of inputs; and of gradients of weights. `mp`:
// text_model_group().
GroupSpan text_model_span(TextWorkloadType type, int npus, int mp);
GroupSpan text_data_span(TextWorkloadType type, int npus, int mp);

}  // namespace fredsim
