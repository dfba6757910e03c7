// SPDX-License-Identifier: Apache-2.0
// Records runs of one machine on a timeline: activity of its NPUs, switches and links.
//
// Levels, each including the lower ones:
//   0  the parts of every NPU and I/O controller, in a work with order the parts of each operation;
//      the phase in use in the control unit of every FRED switch, and its pre-emptions: the phase
//      was given up for one of higher priority while inside a packet or not silent yet
//   1  steps of every NPU, of compound collectives; counters (trace/timeline_counters.h)
//   2  every packet that an NPU sends (from the NIC's queue until its last flit has left) or
//      receives (its last flit), with an arrow from one to the other; for a sum of a switch, from
//      one of its senders
//   3  additions at NPUs; every packet on every link, from its first flit to its last, in parts if
//      another one comes between
// Exact: every cycle shown. Counters are exact for an interval as a whole.
// Failure: events up to it, and a mark with the message.
// Implementations: only pins, counters and phases of a switch are read, which are the same in all
//   of them. A switch whose registers cannot be peeked has neither phases nor stalls on the
//   timeline.
// Cost: nothing when there is none; a look at every node per cycle otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "npu/collective_job.h"
#include "npu/npu_observer.h"
#include "results/timeline.h"
#include "trace/observed_job.h"
#include "trace/timeline_counters.h"

namespace fredsim {

class TimelineRecorder final : public NpuObserver {
 public:
  // Timeline and fabric outlive the recorder. `name`: name of the process.
  TimelineRecorder(Timeline& timeline, int level, const std::string& name, Fabric& fabric);

  // Begins a run; `work`: the parts of its result. Jobs are added and removed during it.
  void begin_run(std::uint64_t first_edge, std::span<const Part* const> work);
  void add(const ObservedJob& job) { jobs_.add(job); }
  void remove(const CollectiveJob& job);
  void edge();  // call after every clock edge of the run
  void end_run(std::uint64_t cycles);
  // Ends the current run, or the one that has just ended, as failed.
  void run_failed(const std::string& message);
  // Undoes the last run, which is made again.
  void drop_run() { timeline_.drop_run(process_); }

  void queued(int npu, const Packet& packet) override;
  void sent(int npu, Packet& packet) override;
  void received(int npu, Packet& packet) override;
  void added(int npu, int tree, int additions) override;

 private:
  struct Extent {  // cycles: first and last edge with an event
    std::uint64_t begin = 0, end = 0;
  };
  struct PhaseInUse {
    NodeId node = 0;
    SwitchPhase now{};        // state after the last edge
    std::uint64_t since = 0;  // cycle since which `now.phase` is in use
    // The phase pre-empted last, and whether it was busy.
    SwitchPhase before{};
    bool was_busy = false;
  };

  struct OnLink {  // flits of one packet, launched one after the other
    std::string name{};
    std::uint32_t tag = 0;
    std::uint8_t vc = 0;
    Extent extent{};  // ends at the cycle after the last flit
    std::uint64_t flits = 0;
  };

  std::uint64_t now() const { return fabric_.core().edge() - first_; }
  struct Activity {
    std::map<std::pair<int, int>, Extent> parts;                  // key: NPU and part
    std::map<std::pair<int, std::pair<int, int>>, Extent> steps;  // key: NPU, part and step
  };
  using Jobs = ObservedJobs<Activity>;

  std::string packet_name(std::uint32_t stream, std::uint32_t index, int vc);
  static bool in_use(const SwitchPhase& phase) { return phase.active && !phase.loading; }
  void active(int npu, const Jobs::Place& at, std::uint64_t cycle);
  void look_at_phase(PhaseInUse& phase);
  void show_phase(const PhaseInUse& phase, std::uint64_t end);
  void look_at_links(NodeId node, const SwitchPins& pins);
  void show_on_link(int link);
  void show(const Jobs::Entry& job);
  void show_parts(const Jobs::Entry& job);
  void show_steps(const Jobs::Entry& job);
  void show_after_others(Timeline::Track track, Timeline::Category category,
                         const std::string& name, const Extent& extent, Timeline::Args args = {});
  Timeline::Track port_track(int npu, const char* direction, const PacketExtension& e);
  Timeline::Track track_named(int owner, const std::string& name);  // made on first use

  Timeline& timeline_;
  int level_;
  Fabric& fabric_;
  int process_;
  Timeline::Track runs_;
  std::vector<Timeline::Track> nodes_;             // index: node
  std::map<std::string, Timeline::Track> others_;  // key: name
  std::vector<Timeline::Track> links_;             // used at level 3
  TimelineCounters counters_;
  bool is_running_ = false;
  std::string work_;
  Jobs jobs_;
  std::uint64_t first_ = 0;                   // an edge
  std::uint64_t end_ = 0;                     // last cycle of the last run
  std::map<int, std::uint64_t> shown_until_;  // key: thread of a track of parts or steps
  std::vector<PhaseInUse> phases_;            // phases of switches that report them
  std::vector<OnLink> on_links_;              // used at level 3
  std::unordered_map<const Packet*, std::uint64_t> queued_;  // cycles
  std::map<int, std::uint64_t> last_sent_;                   // key: thread of a send track
  // Key: sender's address, stream and index. Span of the packet sent last.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Timeline::Place> shown_sent_;
};

}  // namespace fredsim
