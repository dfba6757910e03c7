// SPDX-License-Identifier: Apache-2.0
// Worked example: your own NPU model on the fabric of fredsim.
//
// Two small user-written modules, Sender and Receiver, replace the NPUs at two endpoints of any
// machine. Sender sends messages with blocking TLM-2.0 calls, Receiver checks them and records
// their arrival, and the program prints a line per message, the same table and JSON as `fredsim
// run`. See --help for options.
//
// To use it for your own model, copy this folder, anywhere, and change Sender and Receiver. Packets
// and the phases of the sockets: see sc_models/nic/packet_extension.h.

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "base/option_words.h"
#include "base/shell.h"
#include "cli/command_line.h"
#include "cli/program_options.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/measurement.h"
#include "fabric/fabric.h"
#include "nic/packet_extension.h"
#include "nic/packet_pool.h"
#include "report/json.h"
#include "report/output_file.h"
#include "report/run_table.h"
#include "results/version.h"
#include "routing/nic_port.h"
#include "runner/file_uses.h"
#include "runner/rtl_build_line.h"
#include "runner/run.h"
#include "trace/wave_recorder.h"

namespace {

constexpr std::array<std::string_view, 2> kQuestions{"collective", "training"};
constexpr int kLanes = 1;  // FP16 lanes carried per flit; timing does not depend on it

// Step 1: a module that receives. It needs one target socket; b_transport is the easy way to write
// one. The NIC calls it once per packet, after the packet's last flit has arrived. An error answer
// ends the run.
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
    const std::uint16_t* const lanes = fredsim::lanes_of(packet);
    const bool is_right = std::all_of(lanes, lanes + e.flits * kLanes,
                                      [&](std::uint16_t lane) { return lane == e.index; });
    packet.set_response_status(is_right ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
    ++packets;
    arrived.notify(sc_core::SC_ZERO_TIME);
  }
};

// Step 2: a module that sends. One initiator socket, and an SC_THREAD that calls b_transport, which
// returns when the packet's last flit has left on the link (the packet is then still in flight).
struct Sender : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Sender, 32, fredsim::PacketProtocol> tx{"tx"};
  std::vector<fredsim::ReportedRun> runs;  // a message each

  Sender(sc_core::sc_module_name name, fredsim::Fabric& fabric,
         const fredsim::MachineConfig& machine, fredsim::NodeId from, fredsim::NodeId to,
         Receiver& receiver)
      : sc_core::sc_module(name),
        fabric_(fabric),
        machine_(machine),
        from_(from),
        to_(to),
        receiver_(receiver) {
    SC_HAS_PROCESS(Sender);
    SC_THREAD(run);
  }

 private:
  void run() {
    // A packet can be passed on at any time, and leaves when the fabric has set up its switches.
    // The measurement starts then.
    fabric_.wait_until_ready();
    for (const int flits : {1, 8, 80}) {
      const fredsim::Measurement measurement(fabric_);
      const int due =
          receiver_.packets + (flits + fredsim::kPacketFlits - 1) / fredsim::kPacketFlits;
      for (int left = flits; left > 0; left -= fredsim::kPacketFlits) {
        send_packet(std::min(left, fredsim::kPacketFlits));
      }
      while (receiver_.packets < due) wait(receiver_.arrived);
      // Your description of the model's work; omitted fields do not apply.
      const auto bytes = static_cast<std::uint64_t>(flits) * fredsim::kFlitBytes;
      runs.push_back({measurement.result({.collective = "own_message",
                                          .algorithm = "blocking",
                                          .machine = &machine_,
                                          .size_bytes = bytes,
                                          .payload = "exact"}),
                      std::nullopt});
    }
    fabric_.stop();  // no more clock edges: sc_start() returns
  }

  void send_packet(int flits) {
    fredsim::Packet& packet = pool_.allocate(flits);  // or build a tlm_generic_payload of your own
    fredsim::PacketExtension& e = fredsim::extension(packet);
    e.destination = fabric_.topology().nodes[to_].address;
    e.port = static_cast<std::uint8_t>(
        fredsim::nic_port(fabric_.topology(), from_, to_, static_cast<int>(index_)));
    e.vc = fredsim::kMp;
    e.phase = fredsim::kPhaseOnline;  // a unicast packet, routed by the switches themselves
    e.stream = 1;
    e.index = index_++;
    std::fill_n(fredsim::lanes_of(packet), flits * kLanes, static_cast<std::uint16_t>(e.index));
    sc_core::sc_time delay;
    tx->b_transport(packet, delay);
    if (!packet.is_response_ok()) throw fredsim::RunFailed(fredsim::refusal(packet));
    packet.release();
  }

  fredsim::Fabric& fabric_;
  const fredsim::MachineConfig& machine_;
  fredsim::NodeId from_;
  fredsim::NodeId to_;
  Receiver& receiver_;
  std::uint32_t index_ = 0;
  fredsim::PacketPool pool_{kLanes};
};

// Refuses output files that would overwrite the machine file or each other.
void check_files(const std::string& config, const std::string& json, const std::string& wave) {
  const std::vector<fredsim::FileUse> inputs{{"--config", config}};
  std::vector<fredsim::FileUse> outputs;
  if (!wave.empty()) outputs = fredsim::wave_uses(wave);
  if (!json.empty()) outputs.push_back({"--json", json});
  fredsim::check_outputs(inputs, outputs);
}

struct Options {
  std::string config = "configs/mesh_2x2.yaml";
  std::string model = "rtl";
  std::string rtl_build = "auto";
  std::string format = "table";
  std::string json;
  std::string wave;
  std::string ask;
};

// Step 3: assemble. A Fabric makes a NIC for every endpoint of the topology; bind your own modules
// and leave all other NICs unbound (a packet sent there is an error).
void run(const Options& options, const std::string& program, const std::string& command) {
  check_files(options.config, options.json, options.wave);
  const fredsim::TableFormat format = fredsim::parse_format(options.format);
  std::optional<fredsim::OutputFile> json;
  if (!options.json.empty()) json.emplace(options.json, "--json");
  const fredsim::MachineConfig machine = fredsim::load_config(options.config);
  const fredsim::Topology& topology = machine.topology;
  const fredsim::SwitchModel model = fredsim::parse_model(options.model);
  // Missing RTL sizes of switches are built, all at once, and kept for the next run.
  {
    fredsim::RtlBuildLine line(stderr, fredsim::progress_style(stderr), program);
    fredsim::require_built(fredsim::needed_rtl(topology, {.model = model, .lanes = kLanes}),
                           fredsim::rtl_build_options(fredsim::parse_rtl_build(options.rtl_build),
                                                      nullptr, false, line),
                           program);
  }
  fredsim::Fabric fabric("fabric", topology, kLanes, fredsim::switches_of(model));
  const fredsim::NodeId from = topology.npus.front();
  const fredsim::NodeId to = topology.npus.back();
  Receiver receiver("receiver");
  Sender sender("sender", fabric, machine, from, to, receiver);
  sender.tx.bind(fabric.nic(from).tx);
  fabric.nic(to).rx.bind(receiver.rx);

  std::optional<fredsim::WaveRecorder> wave;
  if (!options.wave.empty()) wave.emplace(fabric, fredsim::WaveOptions{.file = options.wave});
  fabric.start();
  sc_core::sc_start();
  fabric.rethrow_failure();
  if (wave) wave->finish();

  // Step 4: the table, and the file that `fredsim report` shows.
  if (!json || !json->is_stdout()) {
    fredsim::TableOutput output(format, fredsim::terminal_style(stdout));
    fmt::print("{}", output.table(fredsim::run_table(sender.runs)));
  }
  if (json) json->write(fredsim::results_json(fredsim::origin_of(command), sender.runs));
}

// Reference: the result of fredsim's own NPUs on this machine, asked as a value in place of a
// command line, to compare a model with. A question about works or training runs in a separate
// process, since SystemC is elaborated once: your modules cannot be beside it.
fredsim::Question collective(const std::string& config) {
  fredsim::RunRequest question;
  question.machines = {{.path = config}};
  question.is_flow = true;  // calibrated by exact runs of small sizes; results state their error
  question.work.items = {{.groups = {{}}}};  // an all-reduce of all NPUs
  question.work.sizes = {std::uint64_t{16} << 20};
  return question;
}

fredsim::Question training(const std::string& config) {
  fredsim::OptionTexts options;  // options of `fredsim train`, as texts
  options["--workload"] = "small";
  options["--dp"] = "4";
  fredsim::TrainRequest question;
  question.machines = {{.path = config}};
  question.train = fredsim::train_options(options, {});
  return question;
}

void ask(const fredsim::Question& question, const std::string& command) {
  fredsim::RunObserver nobody;
  const fredsim::Results results = fredsim::run(question, nobody);
  fmt::print("{}", fredsim::results_text(results, fredsim::origin_of(command)));
}

// The program as typed here, for the examples of the help.
std::string typed(const std::string& program) {
  if (program.find('/') == std::string::npos) return program;  // found by PATH
  const std::filesystem::path path = std::filesystem::absolute(program);
  const std::string inside = path.lexically_relative(std::filesystem::current_path());
  if (inside.starts_with("..")) return fredsim::shell_quoted(path.string());
  return fredsim::shell_quoted(inside.find('/') == std::string::npos ? "./" + inside : inside);
}

}  // namespace

int sc_main(int argc, char** argv) {
  Options options;
  const std::string name =
      std::filesystem::path(*argv).filename();  // the name of a copy is another one
  fredsim::ProgramOptions program(
      name,
      "Worked example: an NPU model of your own. Sends three messages from the first NPU of a\n"
      "machine to the last one, through two modules in place of ours, and prints a line for each.",
      fmt::format("  {0}\n"
                  "  {0} --config configs/fred_d.yaml --model tlm --json own.json\n"
                  "  build/fredsim report own.json -o own.html\n"
                  "  {0} --wave w.fst\n"
                  "  gtkwave w.fst testbenches/tb_own_npu/tb_own_npu.gtkw",
                  typed(*argv)));
  program.add("--config,CONFIG", options.config, "FILE.yaml",
              "machine, any of them (default configs/mesh_2x2.yaml)");
  program.add("--model", options.model, "NAME",
              "implementation of the switches: rtl (default, Verilated), tlm\n"
              "(C++ twins) or lockstep (both, compared)");
  program.add("--rtl-build", options.rtl_build, "NAME",
              "RTL of switch sizes that the program does not have: auto (default,\n"
              "built once and kept) or never (refused)");
  program.add("--format", options.format, "NAME", "of the table: table (default), csv or markdown");
  program.add("--json", options.json, "FILE", "results as JSON; -: to standard output");
  program.add("--wave", options.wave, "FILE.fst", "the whole run as a waveform");
  program.add("--ask", options.ask, "WHAT",
              "in place of your model: collective, an all-reduce as calibrated flows,\n"
              "or training, iterations of a small model; prints JSON");
  if (const auto end = program.parse({argv + 1, argv + argc})) return *end;
  try {
    const std::string command = fredsim::command_line(name, {argv + 1, argv + argc});
    if (options.ask.empty()) {
      run(options, name, command);
    } else {
      const auto what = fredsim::parse_word("--ask", options.ask, kQuestions);
      ask(what == 0 ? collective(options.config) : training(options.config), command);
    }
    return 0;
  } catch (const std::exception& error) {
    return fredsim::report_error(name, error);
  }
}
