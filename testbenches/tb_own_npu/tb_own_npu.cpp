// Worked example: your own NPU model on our fabric.
//
// What it shows: two small user-written modules, Sender and Receiver, take the place of our NPUs
// on two endpoints of a mesh; Sender sends messages with blocking TLM-2.0 calls, Receiver notes
// when they arrive, and the program prints the latency of each size. The switches are the
// Verilated routers.
//
//   tb_own_npu [--wave FILE.fst] [configs/mesh_2x2.yaml]
//
// --wave: the whole run as a waveform; open it with
//   gtkwave FILE.fst testbenches/tb_own_npu/tb_own_npu.gtkw
//
// To use it for your own model, copy this file and its CMakeLists.txt, and change Sender and
// Receiver. What a packet is and which phases the sockets speak:
// sc_models/endpoint/packet_extension.h.

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "endpoint/packet_extension.h"
#include "endpoint/packet_pool.h"
#include "fabric/control_plane.h"
#include "fabric/fabric.h"
#include "routing/mesh_routing.h"
#include "topology/config.h"

namespace {

constexpr int kLanes = 1;  // FP16 lanes carried per flit; timing does not depend on it

// Step 1: a module that receives. It needs one target socket; b_transport is the easy way to write
// one. The NIC calls it once per packet, after the packet's last flit has arrived.
struct Receiver : sc_core::sc_module {
  tlm_utils::simple_target_socket<Receiver, 32, fredsim::PacketProtocol> rx{"rx"};
  sc_core::sc_event arrived;
  int packets = 0;

  explicit Receiver(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    rx.register_b_transport(this, &Receiver::take);
  }

  void take(fredsim::Packet& packet, sc_core::sc_time&) {
    // The payload is in lanes_of(packet), lane l of flit f at f * kLanes + l. Sender wrote the
    // packet's index into every lane.
    const fredsim::PacketExtension& e = fredsim::extension(packet);
    for (int l = 0; l < e.flits * kLanes; ++l) {
      if (fredsim::lanes_of(packet)[l] != e.index) SC_REPORT_ERROR(name(), "payload wrong");
    }
    packet.set_response_status(tlm::TLM_OK_RESPONSE);
    ++packets;
    arrived.notify(sc_core::SC_ZERO_TIME);
  }
};

// Step 2: a module that sends. One initiator socket, and an SC_THREAD that calls b_transport: it
// comes back when the packet's last flit has left on the link (the packet is then still under way).
struct Sender : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Sender, 32, fredsim::PacketProtocol> tx{"tx"};

  Sender(sc_core::sc_module_name name, fredsim::Fabric& fabric, fredsim::ControlPlane& control,
         fredsim::NodeId from, fredsim::NodeId to, Receiver& receiver)
      : sc_core::sc_module(name),
        fabric_(fabric),
        control_(control),
        from_(from),
        to_(to),
        receiver_(receiver) {
    SC_HAS_PROCESS(Sender);
    SC_THREAD(run);
  }

 private:
  void run() {
    // Switches are set up over their register sockets, in simulated time, before anything is sent.
    control_.configure();
    for (const int flits : {1, 8, 80}) {
      const sc_core::sc_time start = sc_core::sc_time_stamp();
      const std::uint64_t first_edge = fabric_.core().edge();
      const int due =
          receiver_.packets + (flits + fredsim::kPacketFlits - 1) / fredsim::kPacketFlits;
      for (int left = flits; left > 0; left -= fredsim::kPacketFlits) {
        send_packet(std::min(left, fredsim::kPacketFlits));
      }
      while (receiver_.packets < due) wait(receiver_.arrived);
      fmt::print("{} -> {}: {} bytes after {} cycles, {}\n", node(from_).name, node(to_).name,
                 flits * fredsim::kFlitBytes, fabric_.core().edge() - first_edge - 1,
                 (sc_core::sc_time_stamp() - start).to_string());
    }
    fabric_.stop();  // no more clock edges: sc_start() returns
  }

  void send_packet(int flits) {
    fredsim::Packet& packet = pool_.allocate(flits);  // or build a tlm_generic_payload of your own
    fredsim::PacketExtension& e = fredsim::extension(packet);
    e.destination = node(to_).address;
    e.port = static_cast<std::uint8_t>(
        fredsim::mesh_nic_port(fabric_.topology(), from_, node(to_).address));
    e.vc = fredsim::kMp;
    e.phase = fredsim::kPhaseOnline;  // a unicast packet, routed by the switches themselves
    e.stream = 1;
    e.index = index_++;
    for (int l = 0; l < flits * kLanes; ++l) {
      fredsim::lanes_of(packet)[l] = static_cast<std::uint16_t>(e.index);
    }
    sc_core::sc_time delay;
    tx->b_transport(packet, delay);
    if (!packet.is_response_ok()) SC_REPORT_ERROR(name(), packet.get_response_string().c_str());
    packet.release();
  }

  const fredsim::Node& node(fredsim::NodeId id) const { return fabric_.topology().nodes[id]; }

  fredsim::Fabric& fabric_;
  fredsim::ControlPlane& control_;
  fredsim::NodeId from_;
  fredsim::NodeId to_;
  Receiver& receiver_;
  std::uint32_t index_ = 0;
  fredsim::PacketPool pool_{kLanes};
};

}  // namespace

// Step 3: assemble. A Fabric makes a NIC for every endpoint of the topology; bind what you have,
// leave the rest unbound (a packet sent there would be an error).
int sc_main(int argc, char** argv) {
  try {
    const std::span<char*> arguments(argv + 1, argv + argc);
    std::string config = "configs/mesh_2x2.yaml";
    std::string wave;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (std::string_view(arguments[i]) != "--wave") {
        config = arguments[i];
      } else if (++i < arguments.size()) {
        wave = arguments[i];
      } else {
        throw fredsim::BadInput("tb_own_npu: --wave: found nothing after it; allowed: FILE.fst");
      }
    }
    const fredsim::Topology topology = fredsim::load_config(config).topology;
    fredsim::Fabric fabric("fabric", topology, kLanes,
                           fredsim::switches_of(fredsim::SwitchModel::kRtl));
    fredsim::ControlPlane control("control", fabric);

    const fredsim::NodeId from = topology.npus.front();
    const fredsim::NodeId to = topology.npus.back();
    Receiver receiver("receiver");
    Sender sender("sender", fabric, control, from, to, receiver);
    sender.tx.bind(fabric.nic(from).tx);
    fabric.nic(to).rx.bind(receiver.rx);

    if (!wave.empty()) fabric.trace({.file = wave});
    fabric.reset();
    fabric.start();
    sc_core::sc_start();
    return receiver.packets == 12 ? 0 : 1;
  } catch (const fredsim::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
