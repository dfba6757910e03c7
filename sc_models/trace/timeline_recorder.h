// SPDX-License-Identifier: Apache-2.0
// Records runs of one machine on a timeline: what its NPUs, switches and links do.
//
// Levels, each with those below it:
//   0  the parts of every NPU and I/O controller, of a work with order those of each of its operations; the phase that
//      the control unit of every FRED switch has in use, and where it was pre-empted: given up for one of higher
//      priority though it was inside a packet or not silent yet
//   1  steps of every NPU, of compound collectives; counters (trace/timeline_counters.h)
//   2  every packet that an NPU sends (from the NIC's queue until its last flit has left) or receives (its last flit), with an arrow
//      from one to the other; of a sum of a switch from one of those that sent
//   3  additions at NPUs; every packet on every link, from its first flit to its last, in parts where another
//      one comes between
// Exact: every cycle named. Counters are exact of an interval as a whole.
// Failure: what happened until then, and a mark with the message.
// Implementations: only the pins, counters and phases of a switch are looked at, which are the same in all of them.
//   One whose registers cannot be peeked has neither phases nor stalls on the timeline.
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
  // Timeline and fabric outlive the recorder. `name`: of the process.
  TimelineRecorder(Timeline& timeline, int level, const std::string& name, Fabric& fabric);

  // `work`: the parts of its result. Jobs come and go then.
  void begin_run(std::uint64_t first_edge, std::span<const Part* const> work);
  void add(const ObservedJob& job) { jobs_.add(job); }
  void remove(const CollectiveJob& job);
  void edge();  // after every clock edge of the run
  void end_run(std::uint64_t cycles);
  // The run under way, or the one that has just ended, has failed: ends it.
  void run_failed(const std::string& message);
  // The last run is made again: as if it had not been.
  void drop_run() { timeline_.drop_run(process_); }

  void queued(int npu, const Packet& packet) override;
  void sent(int npu, Packet& packet) override;
  void received(int npu, Packet& packet) override;
  void added(int npu, int tree, int additions) override;

 private:
  struct Extent {  // cycles: edges at which something happened first and last
    std::uint64_t begin = 0, end = 0;
  };
  struct PhaseInUse {
    NodeId node = 0;
    SwitchPhase now{};        // after the last edge
    std::uint64_t since = 0;  // `now.phase` is in use, if it is
    // The phase that gave way last, and whether it was busy.
    SwitchPhase before{};
    bool was_busy = false;
  };

  struct OnLink {  // flits of one packet, launched one after the other
    std::string name{};
    std::uint32_t tag = 0;
    std::uint8_t vc = 0;
    Extent extent{};  // to the cycle after the last one
    std::uint64_t flits = 0;
  };

  std::uint64_t now() const { return fabric_.core().edge() - first_; }
  struct Activity {
    std::map<std::pair<int, int>, Extent> parts;                  // by NPU and part
    std::map<std::pair<int, std::pair<int, int>>, Extent> steps;  // by NPU, part and step
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
  Timeline::Track track_named(int owner, const std::string& name);  // made when first needed

  Timeline& timeline_;
  int level_;
  Fabric& fabric_;
  int process_;
  Timeline::Track runs_;
  std::vector<Timeline::Track> nodes_;             // by node
  std::map<std::string, Timeline::Track> others_;  // by name
  std::vector<Timeline::Track> links_;             // level 3
  TimelineCounters counters_;
  bool is_running_ = false;
  std::string work_;
  Jobs jobs_;
  std::uint64_t first_ = 0;                   // edge
  std::uint64_t end_ = 0;                     // cycle, of the last run
  std::map<int, std::uint64_t> shown_until_;  // by thread of a track of parts or steps
  std::vector<PhaseInUse> phases_;            // phases of switches that report them
  std::vector<OnLink> on_links_;              // level 3
  std::unordered_map<const Packet*, std::uint64_t> queued_;  // cycle
  std::map<int, std::uint64_t> last_sent_;                   // by thread of a send track
  // Keyed by address of the sender, stream and index: the span of the packet that was sent last.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Timeline::Place> shown_sent_;
};

}  // namespace fredsim
