// Records runs of one machine on a timeline: what its NPUs, switches and links do.
//
// Levels, each with those below it:
//   0  the parts of every NPU; the phases of every FRED switch, a track for each, as the flits that leave it show
//      them; pre-emptions: a phase of higher priority begins while another one's flits are leaving
//   1  steps of every NPU; per interval, the utilization of every link, the stalls and phase changes of every
//      switch
//   2  every packet that an NPU sends (from the NIC's queue until its last flit has left) or receives
//   3  additions at NPUs; every flit launched on a link
// Exact: every cycle named, but for what is sampled per interval: differences of the link and switch counters
//   (exact too, of the interval as a whole). Intervals double as a run grows, so that a run has 256 at most.
// Bodies: only the pins and counters of a switch are looked at, which are the same in all of them. A body
//   that cannot be peeked has no stalls on the timeline.
// Cost: nothing when there is none; a look at every node per cycle otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "endpoint/collective_job.h"
#include "endpoint/npu_observer.h"
#include "fabric/fabric.h"
#include "observe/timeline.h"

namespace fredsim {

class TimelineRecorder final : public NpuObserver {
 public:
  // Timeline and fabric outlive the recorder. `name`: of the process.
  TimelineRecorder(Timeline& timeline, int level, const std::string& name, Fabric& fabric);

  void begin_run(const CollectiveJob& job, std::uint64_t first_edge);
  void edge();  // after every clock edge of the run
  void end_run(std::uint64_t cycles);

  void queued(int npu, const Packet& packet) override;
  void sent(int npu, Packet& packet) override;
  void received(int npu, Packet& packet) override;
  void added(int npu, int tree, int inputs) override;

 private:
  struct Extent {  // cycles: edges at which something happened first and last
    std::uint64_t begin = 0, end = 0;
  };
  struct Phase {  // flits of which leave, or left a while ago
    int phase = 0;
    int vc = 0;
    Timeline::Track track;
    Extent extent;
    bool is_open = false;
  };
  // Differences of a counter by interval.
  struct Series {
    std::string name;
    double scale = 1;  // value shown: difference / (cycles × scale)
    std::uint64_t last = 0;
    std::vector<std::uint64_t> differences;
  };

  std::uint64_t now() const { return fabric_.core().edge() - first_; }
  const Tree& tree_of(const PacketExtension& e) const {
    return job_->plan().trees[static_cast<std::size_t>(e.stream >> 1)];
  }
  void active(int npu, const Tree& tree, std::uint64_t cycle);
  void look_at_phase(NodeId node, const SwitchPins& pins);
  void show_phase(NodeId node, const FlitHeader& flit, std::uint64_t cycle);
  void close(Phase& phase);
  void show_flits(NodeId node, const SwitchPins& pins);
  void sample();
  void merge_intervals();
  void emit_series(std::uint64_t cycles);
  Timeline::Track port_track(int npu, const char* way, const PacketExtension& e);
  Timeline::Track track_named(const std::string& name);  // made when first needed

  Timeline& timeline_;
  int level_;
  Fabric& fabric_;
  int process_;
  Timeline::Track runs_;
  std::vector<Timeline::Track> nodes_;             // by node
  std::map<std::string, Timeline::Track> others_;  // by name
  std::vector<Timeline::Track> links_;             // level 3
  const CollectiveJob* job_ = nullptr;
  std::uint64_t first_ = 0;                                      // edge
  std::map<std::pair<int, int>, Extent> parts_;                  // by NPU and part
  std::map<std::pair<int, std::pair<int, int>>, Extent> steps_;  // by NPU, part and step
  std::vector<std::vector<Phase>> phases_;                       // by node
  std::unordered_map<const Packet*, std::uint64_t> queued_;      // cycle
  std::map<int, std::uint64_t> last_sent_;                       // by thread of a send track
  std::uint64_t interval_ = 0;
  std::uint64_t next_sample_ = 0;
  std::vector<Series> link_series_, switch_series_;
};

}  // namespace fredsim
