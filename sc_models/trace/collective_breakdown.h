// SPDX-License-Identifier: Apache-2.0
// The breakdown of the packets of a plan (packet_follower.h), and of the collectives that they make
// up.
//
// A packet: from the edge at which an NPU passes it to its NIC to the edge at which its last flit
//   is taken.
// A collective: from its start to its end, along the critical path of its last result. The path has
//   the packet that was delivered last; before it the packet that its sender needed for it (of the
//   same tree and index, the last to arrive); and so on. Time at an NPU between two packets is
//   "queue". Time before the first packet of the path was passed to a NIC is "source".
// Acknowledgements (plan/acknowledgements.h) are not followed: waits for them are in "source" and
//   "queue".
// Operations of a work: all packets of a part are one kind; paths of its collectives are added up,
//   and the last packet is the last collective's.
// Checks: arrivals reported by NPUs equal the arrivals at the pins; cycles of the path of a
//   collective equal the collective's. Otherwise the run fails.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "nic/ring_queue.h"
#include "npu/collective_job.h"
#include "npu/npu_observer.h"
#include "results/results.h"
#include "trace/breakdown_statistics.h"
#include "trace/observed_job.h"
#include "trace/packet_follower.h"
#include "trace/packet_list.h"

namespace fredsim {

class CollectiveBreakdown final : public PacketFollower, public NpuObserver {
 public:
  CollectiveBreakdown(const BreakdownOptions& options, Fabric& fabric);

  void begin_run(std::size_t parts);  // number of parts of the result
  // Adds a job; its phases have their indices in the switches. The job stays until remove() or
  // fill().
  void add(const ObservedJob& job, std::span<const PhaseProgram> programs);
  void remove(const CollectiveJob& job);
  void edge_of_run();  // an inconsistency ends a job
  // Adds the parts of the finished run, whose results are complete.
  void fill(RunResult& result);

  void queued(int npu, const Packet& packet) override;
  void sent(int /*npu*/, Packet& /*packet*/) override {}
  void received(int npu, Packet& packet) override;
  void added(int /*npu*/, int /*tree*/, int /*additions*/) override {}

 protected:
  std::uint64_t handed_over(NodeId node, int port, const FlitHeader& head) override;
  void delivered(const Delivery& packet) override;
  void joined(int stage, const FlitHeader& flit, std::uint64_t cycles) override;
  void edge_done() override;
  std::uint64_t handing_over() const override { return 1; }

 private:
  struct Name {  // identity of a packet
    int node = 0, port = 0;
    std::uint32_t stream = 0, index = 0;
    bool operator==(const Name&) const = default;
  };
  struct Handed {
    std::uint64_t edge = 0;
    std::uint32_t stream = 0, index = 0;
  };
  struct CriticalPath {  // path from a part's start to the delivery of a packet
    bool is_there = false;
    std::uint32_t index = 0;
    std::uint64_t delivered = 0;
    std::uint64_t packets = 0;
    std::vector<StageCycles::Item> cycles;
  };
  struct JobPart {  // state of a part of a job
    bool has_last = false;
    Delivery last{};  // holds its hops
    CriticalPath path;
  };
  struct PartState {  // state of a part of the result
    BreakdownStatistics statistics;
    PacketList list;
    StageCycles path;
    std::uint64_t packets = 0;  // packets on the path
    std::optional<PacketBreakdown> last{};
  };
  using Jobs = ObservedJobs<std::vector<JobPart>>;

  static Name name_of(int node, int port, const FlitHeader& header);
  Jobs::Place place_of(const FlitHeader& header);
  std::string packet_name(const FlitHeader& header);
  const CriticalPath* cause_of(const Delivery& packet) const;
  void check_originates(const Delivery& packet, const Jobs::Place& at);
  void find_path(const Delivery& packet, const Jobs::Place& at, CriticalPath& path);
  PacketBreakdown described(const Delivery& packet);
  PathBreakdown path_of(const PartState& part) const;
  static bool passes_on(NodeId npu, const Jobs::Place& at);
  void add_up(Jobs::Entry& job);  // adds the paths of its parts to the parts of the result

  BreakdownOptions options_;
  bool is_running_ = false;
  Jobs jobs_;
  std::uint64_t first_ = 0;
  std::vector<RingQueue<Handed>> handed_;  // index: endpoint's port and VC
  std::vector<PartState> parts_;
  // Key: number of the tree, and NPU. Value: the last delivered packets, at their index modulo the
  // size; empty if the NPU forwards no packet of the tree.
  std::map<std::pair<int, NodeId>, std::vector<CriticalPath>> paths_;
  std::vector<Name> received_;   // arrivals in this edge reported by NPUs
  std::vector<Name> delivered_;  // arrivals at the pins
  StageCycles cycles_;  // cycles of the packet under examination, and with its predecessors
  std::vector<int> visits_;
  CriticalPath path_;  // path of the packet under examination
};

}  // namespace fredsim
