// SPDX-License-Identifier: Apache-2.0
// System and memory files of ASTRA-sim 2: JSON, an object of keys.
//
//   {"scheduling-policy": "LIFO", "preferred-dataset-splits": 4, "all-reduce-implementation":
//    ["ring"], "local-mem-bw": 50, "peak-perf": 900, "roofline-enabled": 1}
//   {"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 50}
// Keys: those of ASTRA-sim's present version (system/Sys.cc, astraccl/CollectiveImplLookup.cc), and
//   those of its examples and older versions, which that version does not read. Each has a row that
//   says what becomes of it (AstraKey); other keys are refused.
// Units: ns, GB/s of 10^9 bytes, TFLOP/s.
// Errors: BadInput with file, line and key, the found value and the allowed values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload_files/trace_node.h"

namespace fredsim {

// A key as a file has it, and what becomes of it.
struct AstraKey {
  enum class Use : std::uint8_t {
    kMapped,       // has its meaning
    kIgnored,      // has no effect on times in ASTRA-sim, or none on this run
    kUnsupported,  // has an effect on times in ASTRA-sim that is not modelled
  };
  static constexpr auto kUses =
      std::to_array<std::string_view>({"mapped", "ignored", "unsupported"});

  std::string key;
  std::string found;
  Use use = Use::kIgnored;
  std::string says;  // meaning here, or why it has none
};

struct AstraSystem {
  // Words of a collective, lowest dimension first, each with its place in the file; empty: none.
  using Words = std::vector<std::pair<std::string, std::string>>;
  struct Implementation {
    TraceCollective collective;
    Words by_dimension{};
    std::string schedule{};  // prefix of the traces that do the collective; empty: none
  };

  std::array<Implementation, 4> implementations{{{TraceCollective::kAllReduce},
                                                 {TraceCollective::kAllGather},
                                                 {TraceCollective::kReduceScatter},
                                                 {TraceCollective::kAllToAll}}};
  int splits = 1;         // chunks of a collective
  int active_chunks = 1;  // chunks that a dimension works on at once
  bool has_roofline = false;
  bool replays = false;
  double peak_tflops = 0;        // 0: none
  double memory_gbps = 0;        // of an NPU's own memory; 0: none
  std::vector<AstraKey> keys{};  // those that the file has, in its order
};
AstraSystem read_astra_system(const std::string& path);

struct AstraMemory {
  bool is_there = false;  // loads and stores are allowed
  double latency_ns = 0;
  double bandwidth_gbps = 0;
  std::vector<AstraKey> keys{};
};
AstraMemory read_astra_memory(const std::string& path);

}  // namespace fredsim
