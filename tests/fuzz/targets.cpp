// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "cli/parse_command.h"
#include "cli/study_commands.h"
#include "config/config.h"
#include "import/import_format.h"
#include "report/report_data.h"
#include "runner/placement.h"
#include "runner/work_file.h"
#include "schedule_files/schedule_file.h"
#include "study/study_points.h"
#include "support/netrace_writer.h"
#include "support/schedule_texts.h"
#include "target_input.h"
#include "traffic/netrace_file.h"
#include "traffic/rate_matrix.h"
#include "traffic/traffic_options.h"
#include "workload/model_file.h"

namespace fredsim::fuzz {
namespace {

// ------------------------------------------------------------------ files

bool machine_file(std::string_view input) {
  static const InputFile file("machine.yaml");
  file.write(input);
  return accepts(file.path(), [] { load_config(file.path()); });
}

std::vector<std::string> machine_files() {
  return {text_of("configs/fred_small.yaml") + "\nfaults: [npu:3, 'link:npu0.0->l1_0.s0.0*0.5']\n",
          text_of("configs/fred_small.yaml"),
          text_of("configs/mesh_2x2.yaml"),
          text_of("configs/mesh_reducing.yaml"),
          text_of("configs/torus.yaml"),
          text_of("configs/fred_64.yaml"),
          text_of("configs/fred_d.yaml")};
}

bool work_file(std::string_view input) {
  static const InputFile file("work.yaml");
  file.write(input);
  return accepts(file.path(), [] { read_work_file(file.path()); });
}

std::vector<std::string> work_files() {
  return {text_of("configs/paper/mp2_dp5_pp2_dp.yaml"), text_of("configs/paper/streaming.yaml"),
          text_of("configs/works/mp_interrupts_all.yaml"),
          "- {name: first, collective: all_reduce, groups: all, size: 4 KiB, repeat: 3}\n"
          "- {collective: reduce, root: 1, groups: [[0, 1], [io0, all]], priority: dp,\n"
          "   after: {name: first, rank: all}, delay: 200 ns}\n"
          "- {collective: broadcast, groups: [[0, 1]], start: 300 ns}\n"};
}

bool study(std::string_view input) {
  static const InputFile file("study.yaml");
  static const std::vector<StudyCommand> commands = study_commands();
  file.write(input);
  return accepts(file.path(), [] {
    const Study read = read_study(file.path(), commands);
    const StudyPoints points(read);
    command_of(points[points.size() - 1]);
  });
}

std::vector<std::string> studies() {
  return {text_of("configs/studies/small.yaml"),
          "name: all\nmachines:\n- a.yaml\n- {file: b.yaml, settings: {npu.count: [2, 4]}}\n"
          "settings: {switch.vc_order: [[mp, pp, dp, control]], 'fabric.levels.1.below': 2}\n"
          "run:\n- {size: [1KiB, 2KiB], group: [all, [0-1, 2-3]], no-skip: [true, false]}\n"
          "traffic: {rate: 0.1}\ntrain:\nseeds: [7, 1:3]\nzip: [[size, no-skip]]\n"
          "exclude: [{machine: a.yaml, seed: [1, 2]}, {command: traffic}]\n"};
}

bool model_file(std::string_view input) {
  static const InputFile file("model.yaml");
  file.write(input);
  return accepts(file.path(), [] { read_model_file(file.path()); });
}

std::vector<std::string> model_files() {
  return {text_of("configs/models/small.yaml"), text_of("configs/models/llama3_70b.yaml")};
}

bool matrix(std::string_view input) {
  static const InputFile file("matrix");
  file.write(input);
  return accepts(file.path(), [] { read_matrix(file.path()); });
}

std::vector<std::string> matrices() {
  return {"[[0, 10], [20, 0]]", "0, 4096, 1\n2, 0, 65536\n7, 8, 0\n", "0 1\n1 0\n"};
}

bool rate_matrix(std::string_view input) {
  static const InputFile file("rates.csv");
  file.write(input);
  return accepts(file.path(), [] { read_rate_matrix(file.path()); });
}

std::vector<std::string> rate_matrices() {
  return {"0,1,0.5\n1,0,0.25\n# a comment\n2e-3, 4 ,0\n", "0\n"};
}

bool netrace(std::string_view input) {
  static const InputFile file("t.tra.bz2");
  file.write(input);
  return accepts(file.path(), [] { check_netrace(file.path(), {}); });
}

std::vector<std::string> netraces() {
  test::NetraceWriter writer(4);
  writer.begin_region();
  for (std::uint32_t id = 0; id < 12; ++id)
    writer.add({.cycle = 3 * id,
                .id = id,
                .source = static_cast<int>(id % 4),
                .destination = static_cast<int>(id % 3),
                .dependents = {id + 1, id + 3},
                .type = id % 2 == 0 ? 1 : 2});
  return {writer.text(), test::bzip2_of(writer.text())};
}

// A word per kind of source, in a line each.
bool traffic_sources(std::string_view input) {
  std::istringstream lines{std::string(input)};
  std::string sizes;
  std::string bursts;
  std::string exchange;
  std::getline(lines, sizes);
  std::getline(lines, bursts);
  std::getline(lines, exchange);
  return accepts("--", [&] {
    const PacketKinds kinds(parse_packet_sizes(sizes, "--packet-flits"),
                            parse_request_reply(exchange, "--request-reply"));
    make_process(0.1, kinds.mean_flits(), parse_bursts(bursts, "--burst"));
  });
}

std::vector<std::string> sources_of_traffic() {
  return {"1:0.5,8:0.5\nalpha=0.02,beta=0.1\nread=1:8,write=8:1,writes=0.5\n",
          "4\nbeta=0.1,r1=0.8\nwrites=0\n"};
}

bool placement(std::string_view input) {
  static const InputFile file("placement.yaml");
  file.write(input);
  return accepts(file.path(), [] { parse_placement(file.path()); });
}

std::vector<std::string> placements() { return {"[3, 2, 1, 0]", "- 0\n- 5\n"}; }

// A schedule of a format, under a name that the format has.
bool schedule(const char* name, std::string_view input) {
  return accepts(name, [&] { schedule_of(name, std::string(input)); });
}

bool plan_schedule(std::string_view input) { return schedule("schedule.json", input); }
std::vector<std::string> plan_schedules() {
  return {R"({"fredsim_schedule": 1, "collective": "all_reduce", "ranks": 3, "chunks": 2, "flows": [
          {"chunk": 0, "sums": [[0, 1], [2, 1]], "results": [[1, 0], [1, 2]]},
          {"share": [1, 2, 2], "sums": [[2, 1], [1, 0]], "results": [[0, 1], [1, 2, "mp"]]}]})",
          R"({"fredsim_schedule": 1, "collective": "all_gather", "ranks": 2, "window": 64,
          "flows": [{"block": 0, "results": [[0, 1]]}, {"block": 1, "results": [[1, 0]]}]})"};
}

bool msccl_schedule(std::string_view input) { return schedule("schedule.xml", input); }
std::vector<std::string> msccl_schedules() {
  return {test::msccl_ring(3), test::msccl_trees(3), test::msccl_halving_doubling(4)};
}

bool mscclpp_schedule(std::string_view input) { return schedule("plan.json", input); }
std::vector<std::string> mscclpp_schedules() {
  std::string plan = R"({"name": "t", "collective": "allgather", "inplace": true, "gpus": [)";
  for (const std::string rank : {"0", "1"}) {
    const std::string peer = rank == "0" ? "1" : "0";
    plan += (rank == "0" ? "" : ",") + (R"({"id": )" + rank) +
            R"(, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0, "threadblocks": [
            {"id": 0, "ops": [{"name": "put", "src_buff": [{"type": "o", "index": )" +
            rank + R"(, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": )" + rank +
            R"(, "size": 1}], "channel_ids": [0], "channel_type": "memory"},
            {"name": "signal", "channel_ids": [0], "channel_type": "memory"},
            {"name": "wait", "channel_ids": [0], "channel_type": "memory"}],
            "channels": [{"channel_type": "memory", "channel_ids": [0]}], "remote_buffer_refs": [
            {"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
            "channels": [{"channel_type": "memory", "connected_to": [)" +
            peer + R"(]}], "remote_buffers": [{"rank": )" + peer + R"(, "type": "o"}]})";
  }
  return {plan + "]}"};
}

bool results(std::string_view input) {
  return accepts("results.json", [&] {
    ReportData data;
    data.add({.path = "results.json", .text = std::string(input)});
    data.json().dump();
  });
}

std::vector<std::string> some_results() {
  return {
      R"({"fredsim": "0.2.0", "commit": "unknown", "schema": 1, "command": "fredsim sweep s.yaml", "study": "s", "missing": 0,
          "points": [{"point": "00", "command": "run", "machine": "m.yaml", "settings": {"npu.count": "4"}, "options": {},
          "seed": null, "status": "done", "message": null, "results": {"cycles": 5, "payload": "exact"}}]})",
      R"({"fredsim": "0.1.0", "commit": "0", "schema": 1, "command": "fredsim conflicts", "runs": [{"ports": 4, "middle": 2,
          "kind": "all_reduce", "flows": 2, "trials": 10, "seed": 1, "conflicts": 0, "conflict_rate": 0.0,
          "wilson_95": {"low": 0.0, "high": 0.2775}}]})"};
}

// ------------------------------------------------------------------ files of other tools

// Imports a file; the machine file of an accepted one is YAML, and loads if it is short, unless the
// machine itself cannot be built.
bool import_file(std::string_view format, std::string_view input) {
  static const InputFile file("imported"), machine("imported.yaml");
  constexpr std::size_t kMaxLoaded = 4096;
  const auto found = std::ranges::find(import_formats(), format, &ImportFormat::name);
  file.write(input);
  return accepts(file.path(), [&] {
    const std::string text = import_machine(**found, file.path(), {}).text;
    parse_config_text(text, "imported.yaml");
    if (text.size() > kMaxLoaded) return;
    machine.write(text);
    accepts(machine.path(), [] { load_config(machine.path()); });
  });
}

std::vector<std::string> example(const std::string& name) {
  return {text_of("configs/systems/files/" + name)};
}

bool import_nccl(std::string_view input) { return import_file("nccl", input); }
bool import_nvidia_smi(std::string_view input) { return import_file("nvidia_smi", input); }
bool import_booksim(std::string_view input) { return import_file("booksim", input); }
bool import_ns3(std::string_view input) { return import_file("ns3", input); }
bool import_floogen(std::string_view input) { return import_file("floogen", input); }
bool import_noxim(std::string_view input) { return import_file("noxim", input); }

std::vector<std::string> nccl_files() {
  return {text_of("configs/systems/files/nccl_box.xml"),
          "<system><cpu numaid='0' arch='x86_64' vendor='AuthenticAMD'><pci busid='1' "
          "class='0x038000' link_speed='16 GT/s' link_width='16'><gpu gcn='910' rank='0'><xgmi "
          "target='2' count='2' tclass='0x038000'/><c2c bw='400' count='2'/></gpu></pci><pci "
          "busid='2' class='0x03'/></cpu></system>"};
}
std::vector<std::string> nvidia_smi_files() { return example("nvidia_smi_box.txt"); }
std::vector<std::string> booksim_files() {
  return {text_of("configs/systems/files/booksim_mesh.txt"),
          "topology = flatfly; k = 2; n = 2; c = 4; x = 2; xr = 2; yr = 2; traffic = {uniform, "
          "hotspot({0},{1})};",
          "topology = fattree; k = 2; n = 3; packet_size = 4;",
          "topology = dragonflynew; k = 1; n = 1;",
          "router 0 node 0 node 1 node 2 router 1 10\nrouter 1 node 3 2 node 4\n"};
}
std::vector<std::string> ns3_files() {
  return {text_of("configs/systems/files/ns3_ring.txt"),
          "7 2 2 1 6 H100\n4 5 6\n0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 25ns 0\n"
          "2 5 2880Gbps 25ns 0\n3 5 2880Gbps 25ns 0\n4 6 400Gbps 1us 0\n5 6 400Gbps 1us 0.1\n"};
}
std::vector<std::string> floogen_files() { return example("floogen_mesh.yml"); }
std::vector<std::string> noxim_files() { return example("noxim_mesh.yaml"); }

// ------------------------------------------------------------------ command line

// A line is a word. Commands that neither simulate nor write are also executed.
bool command_line(std::string_view input) {
  std::vector<std::string> words = {"fredsim"};
  std::istringstream lines{std::string(input)};
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  // Words as the system hands them over: up to the first 0.
  std::vector<const char*> argv;
  std::ranges::transform(words, std::back_inserter(argv),
                         [](const auto& word) { return word.c_str(); });
  argv.push_back(nullptr);
  return accepts("", [&] {
    const std::optional<ParsedCommand> parsed =
        parse_command_line(static_cast<int>(words.size()), argv.data());
    if (!parsed || !parsed->invocation.files.outputs.empty()) return;
    if (parsed->name == "info" || parsed->name == "route") parsed->run();
  });
}

std::vector<std::string> command_lines() {
  return {
      "info\nconfigs/"
      "fred_small.yaml\n--parts\n--fault\nnpu:3\n--fault\nlink:npu0.0->l1_0.s0.0*0.5\n",

      "info\nconfigs/fred_small.yaml\n--set\nfabric.middle=2\n",
      "run\nconfigs/mesh_2x2.yaml\n-b\n1KiB\n-e\n64KiB\n-f\n4\n--quiet\n",
      "compare\nconfigs/mesh_2x2.yaml\nconfigs/fred_small.yaml@fabric.middle=2\n--size\n64KiB\n"
      "--collective\nreduce\n--root\n2\n--group\n0-3\n--priority\ndp\n",
      "traffic\nconfigs/"
      "mesh_2x2.yaml\n--rate\n0.1:1:0.1\n--pattern\ntranspose\n--packet-flits\n4\n",
      "route\n--ports\n12\n--middle\n3\n0-3:0-3\n4-7:4-7\n8,9:10\n",
      "conflicts\n--ports\n12\n--middle\n2,3,4\n--flows\n2:6\n--kind\nall_reduce\n--trials\n10\n",
      "train\nconfigs/mesh_2x2.yaml\nconfigs/fred_small.yaml\n--workload\nconfigs/models/"
      "small.yaml\n"
      "--mp\n2\n--dp\n2\n--fit\nconfigs/fred_small.yaml=1.4\n",
      "strategies\nconfigs/fred_small.yaml\n--all\n",
      "help\nrun\n"};
}

}  // namespace

std::span<const Target> targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> every{
        {"machine_file", "machine files", machine_file, machine_files},
        {"work_file", "--work", work_file, work_files},
        {"study", "studies of sweep", study, studies},
        {"model_file", "models of --workload", model_file, model_files},
        {"matrix", "--matrix", matrix, matrices},
        {"rate_matrix", "files of traffic's --pattern", rate_matrix, rate_matrices},
        {"netrace", "--netrace", netrace, netraces},
        {"traffic_sources", "--packet-flits, --burst, --request-reply", traffic_sources,
         sources_of_traffic},
        {"placement", "--placement", placement, placements},
        {"plan_schedule", "--algorithm FILE.json", plan_schedule, plan_schedules},
        {"msccl_schedule", "--algorithm FILE.xml", msccl_schedule, msccl_schedules},
        {"mscclpp_schedule", "execution plans of MSCCL++", mscclpp_schedule, mscclpp_schedules},
        {"results", "results, as report reads them", results, some_results},
        {"import_nccl", "topology files of NCCL", import_nccl, nccl_files},
        {"import_nvidia_smi", "nvidia-smi topo -m", import_nvidia_smi, nvidia_smi_files},
        {"import_booksim", "BookSim2's files", import_booksim, booksim_files},
        {"import_ns3", "ns-3's topology lists", import_ns3, ns3_files},
        {"import_floogen", "FlooGen's files", import_floogen, floogen_files},
        {"import_noxim", "Noxim's files", import_noxim, noxim_files},
        {"command_line", "the words of a command", command_line, command_lines},
    };
    every.insert(every.end(), workload_targets().begin(), workload_targets().end());
    return every;
  }();
  return all;
}

}  // namespace fredsim::fuzz
