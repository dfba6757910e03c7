// SPDX-License-Identifier: Apache-2.0
// Topology files of NCCL and RCCL: NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE.
//
//   <system> <cpu numaid arch vendor> <pci busid class link_speed link_width>
//     <gpu dev sm rank> <nvlink target count tclass/> <c2c bw count/> </gpu>
//     <nic> <net …/> </nic>
// Rates are NCCL's own (src/graph/topo.h, xml.cc): of an NVLink by `sm`, of an XGMI link by `gcn`, of
//   PCIe by `link_speed` and `link_width`, between CPUs by vendor and model. All NVSwitches are one
//   switch, as in NCCL. A GPU is an NPU; GPUs are in the order of `rank`, or of the file without it.
// A file that NCCL completes at run time has GPUs by their PCI class alone, and no NVLinks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "import/detail/gpu_box.h"
#include "import/detail/xml_file.h"
#include "import/import_format.h"
#include "import/machine_text.h"

namespace fredsim {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxLinks = 1024;  // of a GPU to one other, or in an attribute

std::uint64_t gigabytes(double rate) { return static_cast<std::uint64_t>(rate * 1e9 + 0.5); }

// Rate of an NVLink per direction, by compute capability.
std::uint64_t nvlink_rate(int sm) {
  struct Row {
    int from;
    double rate;
  };
  constexpr auto kRates = std::to_array<Row>(
      {{100, 40.1}, {90, 20.6}, {87, 20}, {86, 12}, {80, 20}, {70, 20}, {60, 18}, {0, 20}});
  return gigabytes(
      std::ranges::find_if(kRates, [&](const Row& row) { return sm >= row.from; })->rate);
}

// Rate of an XGMI link per direction, by architecture: "910", "gfx90a".
std::uint64_t xgmi_rate(const std::string& gcn) {
  const auto has = [&](const char* part) { return gcn.find(part) != std::string::npos; };
  return gigabytes(has("94") || has("95") ? 48 : has("910") || has("90a") ? 36 : 24);
}

// Rate between two CPUs.
std::uint64_t cpu_rate(const XmlFile& xml, const pugi::xml_node& cpu) {
  const std::string arch = xml.text_if(cpu, "arch").value_or("x86_64");
  if (arch == "ppc64") return gigabytes(32);
  if (arch != "x86_64") return gigabytes(6);
  if (xml.text_if(cpu, "vendor").value_or("") == "AuthenticAMD") return gigabytes(16);
  if (xml.number(cpu, "familyid", 0, 1 << 16, 6) != 6) return gigabytes(6);
  struct Row {
    int from;
    double rate;
  };
  constexpr auto kModels = std::to_array<Row>({{0xCF, 40}, {0x8F, 22}, {0x55, 10}, {0, 6}});
  const int model = xml.number(cpu, "modelid", 0, 1 << 16, 0);
  return gigabytes(
      std::ranges::find_if(kModels, [&](const Row& row) { return model >= row.from; })->rate);
}

class NcclReader {
 public:
  NcclReader(const std::string& path, const ImportOptions& options)
      : path_(path), options_(options), xml_(path) {
    machine_.name = machine_name_of(path);
  }

  ImportedMachine read() {
    const pugi::xml_node system = xml_.root();
    if (std::string_view(system.name()) != "system")
      throw BadInput(
          fmt::format("{}: found as the outermost element; allowed: <system>", xml_.label(system)));
    collect(system, "", "", 0);
    if (gpus_.empty())
      throw BadInput(fmt::format("{}: found no GPU; allowed: 2 or more", xml_.label(system)));
    std::ranges::stable_sort(gpus_, {}, &Gpu::rank);
    for (Gpu& gpu : gpus_) gpu.node = box_.add_gpu(xml_.label(gpu.element));
    for (const Gpu& gpu : gpus_) by_bus_.emplace(gpu.host + gpu.bus, gpu.node);
    add_cpus(system);
    for (const Gpu& gpu : gpus_) add_gpu_links(gpu);
    for (const auto& [ends, link] : direct_)
      box_.add_nvlink(ends.first, ends.second, link.rate, link.count, link.label);
    add_notes();
    box_.build(path_, options_, "pci", machine_);
    return std::move(machine_);
  }

 private:
  struct Gpu {
    pugi::xml_node element;  // <gpu>, or <pci> where there is none
    std::string host, bus;
    int rank = 0, node = -1;
  };
  struct Direct {
    std::uint64_t rate = 0;
    int count = 0;
    std::string label;
  };

  std::string bus_of(const pugi::xml_node& pci) const { return lower(xml_.text(pci, "busid")); }
  static std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }
  bool is_class(const pugi::xml_node& pci, std::string_view prefix) const {
    return xml_.text_if(pci, "class").value_or("").starts_with(prefix);
  }
  // GPU of a file that NCCL completes: a display controller without <gpu>.
  bool is_bare_gpu(const pugi::xml_node& pci) const {
    return is_class(pci, "0x03") && !pci.child("gpu");
  }

  // All GPUs, in the order of the file.
  void collect(const pugi::xml_node& element, const std::string& host, const std::string& bus,
               int depth) {
    if (depth > kMaxDepth)
      throw BadInput(fmt::format("{}: found {} elements inside each other; allowed: up to {}",
                                 xml_.label(element), depth, kMaxDepth));
    const std::string_view name = element.name();
    if (name == "gpu" || (name == "pci" && is_bare_gpu(element))) {
      const int order = static_cast<int>(gpus_.size());
      if (name == "pci") ++bare_gpus_;
      gpus_.push_back({element, host, name == "pci" ? bus_of(element) : bus,
                       xml_.number(element, "rank", 0, kMaxGraphNpus, order)});
      return;
    }
    if (name == "nic" || (name == "pci" && is_class(element, "0x02"))) {
      ++nics_;
      return;
    }
    if (name == "pcilink") machine_.note("pcilink", "left out");
    const std::string inner_host = xml_.text_if(element, "host_hash").value_or(host);
    const std::string inner_bus = name == "pci" ? bus_of(element) : bus;
    for (const pugi::xml_node& child : element.children())
      if (child.type() == pugi::node_element) collect(child, inner_host, inner_bus, depth + 1);
  }

  void add_cpus(const pugi::xml_node& system) {
    struct Cpu {
      std::string host;
      int node;
      std::uint64_t rate;
      std::string label;
    };
    std::vector<Cpu> cpus;
    for (const pugi::xml_node& element : system.children("cpu")) {
      const std::string label = xml_.label(element);
      const Cpu cpu{xml_.text_if(element, "host_hash").value_or(""), box_.add_switch("cpu", label),
                    cpu_rate(xml_, element), label};
      for (const Cpu& other : cpus)
        if (other.host == cpu.host)
          box_.add_pcie(other.node, cpu.node, std::min(other.rate, cpu.rate), label);
      cpus.push_back(cpu);
      add_pci(element, cpu.node);
      for (const pugi::xml_node& gpu : element.children("gpu")) cpu_of_[gpu] = cpu.node;
      note_cpu_of(element, cpu.node, 0);
    }
  }

  // Remembers the CPU of every <gpu>, for C2C links and NVLinks to it.
  void note_cpu_of(const pugi::xml_node& element, int cpu, int depth) {
    for (const pugi::xml_node& child : element.children()) {
      if (std::string_view(child.name()) == "gpu") cpu_of_[child] = cpu;
      if (depth < kMaxDepth) note_cpu_of(child, cpu, depth + 1);
    }
  }

  std::uint64_t pci_rate(const pugi::xml_node& pci) const {
    constexpr int kLanes = 16;
    constexpr double kPerLane = 80;  // NCCL: GB/s are 100 Mb/s per lane, times lanes, over 80
    const int width = xml_.number(pci, "link_width", 0, kMaxLinks, kLanes);
    const std::string speed = xml_.text_if(pci, "link_speed").value_or("");
    struct Row {
      std::string_view begin;
      int rate;
    };
    constexpr auto kSpeeds = std::to_array<Row>({{"2.5 ", 15},
                                                 {"5 ", 30},
                                                 {"5.0 ", 30},
                                                 {"8 ", 60},
                                                 {"8.0 ", 60},
                                                 {"16 ", 120},
                                                 {"16.0 ", 120},
                                                 {"32 ", 240},
                                                 {"32.0 ", 240},
                                                 {"64 ", 480},
                                                 {"64.0 ", 480}});
    const auto* const row =
        std::ranges::find_if(kSpeeds, [&](const Row& one) { return speed.starts_with(one.begin); });
    const int rate = row == kSpeeds.end() ? 60 : row->rate;
    return gigabytes((width == 0 ? kLanes : width) * rate / kPerLane);
  }

  void add_pci(const pugi::xml_node& parent, int node) {
    for (const pugi::xml_node& pci : parent.children("pci")) {
      if (is_class(pci, "0x02") || pci.child("nic")) continue;
      const std::string label = xml_.label(pci);
      const std::uint64_t rate = pci_rate(pci);
      bool has_gpu = false;
      for (const Gpu& gpu : gpus_) {
        if (gpu.element != pci && gpu.element.parent() != pci) continue;
        box_.add_pcie(gpu.node, node, rate, label);
        has_gpu = true;
      }
      if (has_gpu) continue;
      const int bridge = box_.add_switch("pcie", label);
      box_.add_pcie(bridge, node, rate, label);
      add_pci(pci, bridge);
    }
  }

  void add_gpu_links(const Gpu& gpu) {
    const int sm = xml_.number(gpu.element, "sm", 0, 10'000, 80);
    for (const pugi::xml_node& link : gpu.element.children("nvlink"))
      add_link(gpu, link, options_.bandwidth.value_or(nvlink_rate(sm)));
    const std::string gcn = xml_.text_if(gpu.element, "gcn").value_or("");
    for (const pugi::xml_node& link : gpu.element.children("xgmi"))
      add_link(gpu, link, options_.bandwidth.value_or(xgmi_rate(gcn)));
    for (const pugi::xml_node& link : gpu.element.children("c2c")) {
      constexpr std::uint64_t kMega = 1'000'000;
      const auto bandwidth =
          kMega * static_cast<std::uint64_t>(xml_.number(link, "bw", 1, 1 << 30)) *
          static_cast<std::uint64_t>(xml_.number(link, "count", 1, kMaxLinks, 1));
      if (const auto cpu = cpu_of_.find(gpu.element); cpu != cpu_of_.end())
        box_.add_pcie(gpu.node, cpu->second, bandwidth, xml_.label(link));
    }
  }

  void add_link(const Gpu& gpu, const pugi::xml_node& link, std::uint64_t rate) {
    constexpr std::string_view kCpuClass = "0x068001";
    const int count = xml_.number(link, "count", 0, kMaxLinks, 1);
    const std::string target = lower(xml_.text_if(link, "target").value_or(""));
    const std::string target_class = xml_.text_if(link, "tclass").value_or("");
    const std::string label = xml_.label(link);
    if (count == 0) return;
    const auto other = by_bus_.find(gpu.host + target);
    if (other != by_bus_.end()) {
      if (other->second == gpu.node) {
        machine_.note(fmt::format("{} target", link.name()),
                      "links of a GPU to itself are left out");
        return;
      }
      Direct& direct = direct_[std::minmax(gpu.node, other->second)];
      if (direct.count != 0 && direct.count != count)
        machine_.note(fmt::format("{} count", link.name()),
                      "differs by end of a link; the larger one counts");
      if (direct.count < count) direct = {rate, count, label};
      rates_.insert(rate);
    } else if (target_class == kCpuClass) {
      if (const auto cpu = cpu_of_.find(gpu.element); cpu != cpu_of_.end())
        box_.add_nvlink(gpu.node, cpu->second, rate, count, label);
      rates_.insert(rate);
    } else if (target_class.starts_with("0x03")) {
      machine_.note(fmt::format("{} target", link.name()),
                    "links to GPUs that are not in the file are left out");
    } else {
      if (nvswitch_ < 0) nvswitch_ = box_.add_switch("nvswitch", label);
      box_.add_nvlink(gpu.node, nvswitch_, rate, count, label);
      rates_.insert(rate);
    }
  }

  void add_notes() {
    for (const std::uint64_t rate : rates_)
      if (!options_.bandwidth)
        machine_.note("nvlink, xgmi", fmt::format("NCCL's own rate of a link, {} without protocol; "
                                                  "--link-bandwidth sets it",
                                                  bandwidth_text(rate)));
    if (nvswitch_ >= 0) machine_.note("nvlink target", "all NVSwitches are one, as in NCCL");
    if (bare_gpus_ > 0)
      machine_.note("gpu", fmt::format("{} GPUs are known by their PCI class alone; NVLinks, if "
                                       "they have any, are not in the file: a file of "
                                       "NCCL_TOPO_DUMP_FILE has them",
                                       bare_gpus_));
    if (nics_ > 0)
      machine_.note("nic",
                    fmt::format("NICs, {} here, are left out: they lead out of the box", nics_));
    machine_.facts.push_back(fmt::format("{} GPUs: gpu0 is the first by rank.", gpus_.size()));
  }

  const std::string& path_;
  const ImportOptions& options_;
  XmlFile xml_;
  ImportedMachine machine_;
  GpuBox box_;
  std::vector<Gpu> gpus_;
  std::map<std::string, int> by_bus_;
  std::map<pugi::xml_node, int> cpu_of_;
  std::map<std::pair<int, int>, Direct> direct_;
  std::set<std::uint64_t> rates_;
  int nvswitch_ = -1, nics_ = 0, bare_gpus_ = 0;
};

ImportedMachine read_nccl(const std::string& path, const ImportOptions& options) {
  return NcclReader(path, options).read();
}

}  // namespace

const ImportFormat& nccl_format() {
  static constexpr ImportFormat kFormat{.name = "nccl",
                                        .aliases = "rccl nccl_topo nccl_xml",
                                        .reads = "topology files of NCCL and RCCL, in XML",
                                        .read = read_nccl};
  return kFormat;
}

}  // namespace fredsim
