// SPDX-License-Identifier: Apache-2.0
#include "topology/infragraph/infragraph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "topology/node_reader.h"

namespace fredsim {
namespace {

constexpr int kMaxComponents = kMaxGraphNpus + 4 * kMaxGraphSwitches;
constexpr std::array<std::string_view, 2> kSchemes = {"one2one", "many2many"};
constexpr std::array<std::string_view, 8> kChoices = {"custom", "device", "cpu",  "xpu",
                                                      "nic",    "memory", "port", "switch"};

struct Component {
  std::string choice{};
  int count = 0;
};

// A link of the file. None of what it lacks is missed before it is used.
struct FileLink {
  std::optional<std::uint64_t> bandwidth{}, latency_ps{};
  std::string label{};
  std::string found_bandwidth = "none";
};

using FileLinks = std::map<std::string, FileLink>;

struct Device {
  std::vector<std::pair<std::string, Component>> components{};  // in order
  FileLinks links{};
  std::vector<NodeReader> edges{};

  const Component* find(const std::string& name) const {
    const auto found =
        std::ranges::find(components, name, [](const auto& one) { return one.first; });
    return found == components.end() ? nullptr : &found->second;
  }
};

template <class Map>
std::vector<std::string_view> names_in(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& entry : map) names.emplace_back(entry.first);
  return names;
}

[[noreturn]] void refuse_name(const std::string& label, std::string_view what,
                              const std::string& found,
                              const std::vector<std::string_view>& names) {
  throw BadInput(fmt::format("{}: found '{}', which is no {}{}; allowed: {}", label, shown(found),
                             what, did_you_mean(found, names),
                             names.empty() ? "none, since there is none" : join_words(names)));
}

// "xpu[0:4]": a name, and which of so many.
struct Slice {
  std::string name{};
  std::vector<int> which{};
};

class SliceParser {
 public:
  SliceParser(std::string_view text, const std::string& label) : text_(text), label_(label) {
    const std::size_t open = text.find('[');
    name_ = text.substr(0, open);
    if (open == std::string_view::npos) return;
    if (text.back() != ']' || open + 1 == text.size()) refuse();
    inside_ = text.substr(open + 1, text.size() - open - 2);
    has_inside_ = true;
  }

  std::string name() const { return std::string(name_); }

  std::vector<int> of(int count) const {
    std::array<int, 3> range{0, count, 1};
    if (has_inside_ && inside_.find(':') == std::string_view::npos) {
      range[0] = number(inside_);
      range[1] = range[0] + 1;
    } else if (has_inside_) {
      std::size_t begin = 0;
      for (std::size_t piece = 0;; ++piece) {
        const std::size_t end = std::min(inside_.find(':', begin), inside_.size());
        if (piece == range.size()) refuse();
        if (end > begin) range[piece] = number(inside_.substr(begin, end - begin));
        if (end == inside_.size()) break;
        begin = end + 1;
      }
    }
    if (range[2] < 1) refuse();
    if (range[0] >= range[1] || range[1] > count) {
      throw BadInput(fmt::format("{}: found '{}' of {} {}; allowed: {} to {}", label_, shown(text_),
                                 count, name_, 0, count - 1));
    }
    std::vector<int> which;
    for (int i = range[0]; i < range[1]; i += range[2]) which.push_back(i);
    return which;
  }

 private:
  [[noreturn]] void refuse() const {
    throw BadInput(fmt::format("{}: found '{}'; allowed: NAME, NAME[2], NAME[0:4] or NAME[0:8:2]",
                               label_, shown(text_)));
  }
  int number(std::string_view digits) const {
    int value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || stop != digits.data() + digits.size() || value < 0) refuse();
    return value;
  }

  std::string_view text_;
  const std::string& label_;
  std::string_view name_, inside_;
  bool has_inside_ = false;
};

// "gigabits_per_second: 400", the unit alone or beside `choice`.
std::optional<std::pair<std::string, double>> choice_of(
    const NodeReader& physical, std::string_view name,
    std::initializer_list<std::string_view> units) {
  if (!physical.has(name)) return std::nullopt;
  const NodeReader value = physical.map(name);
  std::vector<std::string_view> allowed{"choice"};
  allowed.insert(allowed.end(), units);
  for (const std::string_view unit : units) {
    if (!value.has(unit)) continue;
    if (value.has("choice") && value.text("choice") != unit) continue;
    return std::pair(std::string(unit), value.number(unit));
  }
  return std::nullopt;
}

std::uint64_t rounded(double value, bool may_be_0, const std::string& label) {
  if (value <= static_cast<double>(kMaxQuantity) && (may_be_0 || value >= 1))
    return static_cast<std::uint64_t>(std::llround(value));
  throw BadInput(
      fmt::format("{}: found {:g}; allowed: a number {} 0, and no larger quantity than 2^53", label,
                  value, may_be_0 ? "from" : "above"));
}

FileLink read_link(const NodeReader& reader) {
  reader.allow({"name", "description", "physical"});
  FileLink link;
  link.label = reader.label("name");
  if (!reader.has("physical")) return link;
  const NodeReader physical = reader.map("physical");
  physical.allow({"bandwidth", "latency"});
  if (const auto bandwidth =
          choice_of(physical, "bandwidth",
                    {"gigabits_per_second", "gigabytes_per_second", "gigatransfers_per_second"})) {
    const auto& [unit, value] = *bandwidth;
    link.found_bandwidth = fmt::format("{:g} {}", value, unit);
    constexpr double kGigabit = 125e6;
    constexpr double kGigabyte = 1e9;
    if (unit != "gigatransfers_per_second")
      link.bandwidth = rounded(value * (unit == "gigabits_per_second" ? kGigabit : kGigabyte),
                               false, physical.label("bandwidth"));
  }
  if (const auto latency = choice_of(physical, "latency", {"ms", "us", "ns"})) {
    const auto& [unit, value] = *latency;
    const double picoseconds = unit == "ms" ? 1e9 : unit == "us" ? 1e6 : 1e3;
    link.latency_ps = rounded(value * picoseconds, true, physical.label("latency"));
  }
  return link;
}

FileLinks read_links(const NodeReader& owner) {
  FileLinks links;
  if (!owner.has("links")) return links;
  for (const NodeReader& one : owner.list("links")) {
    if (!links.emplace(one.text("name"), read_link(one)).second)
      throw BadInput(fmt::format("{}: found '{}' twice; allowed: each name once", one.label("name"),
                                 one.text("name")));
  }
  return links;
}

class InfragraphReader {
 public:
  InfragraphReader(const NodeReader& file, const DefaultLatency& default_latency_ps)
      : file_(file), default_latency_ps_(default_latency_ps) {}

  GraphSpec read() {
    file_.allow({"name", "description", "devices", "links", "instances", "edges"});
    for (const NodeReader& device : file_.list("devices")) read_device(device);
    check_devices();
    links_ = read_links(file_);
    for (const NodeReader& instance : file_.list("instances")) add_instance(instance);
    if (file_.has("edges")) {
      for (const NodeReader& edge : file_.list("edges"))
        add_edges(edge, links_, ends_of(edge, "ep1"), ends_of(edge, "ep2"));
    }
    return graph();
  }

 private:
  using Path = std::string;  // "host.0.xpu.3"

  void read_device(const NodeReader& reader) {
    reader.allow({"name", "description", "components", "links", "edges"});
    const std::string name = reader.text("name");
    const auto [at, is_new] = devices_.try_emplace(name);
    if (!is_new)
      throw BadInput(fmt::format("{}: found '{}' twice; allowed: each device once",
                                 reader.label("name"), name));
    Device& device = at->second;
    for (const NodeReader& one : reader.list("components")) {
      one.allow({"name", "description", "count", "choice", "custom", "device", "cpu", "xpu", "nic",
                 "memory", "port", "switch"});
      const std::string component = one.text("name");
      if (device.find(component) != nullptr)
        throw BadInput(fmt::format("{}: found '{}' twice; allowed: each component once",
                                   one.label("name"), component));
      device.components.push_back({component,
                                   {std::string(kChoices[one.choice("choice", kChoices)]),
                                    one.integer("count", 1, kMaxComponents)}});
      device_labels_[{name, component}] = one.label("name");
    }
    device.links = read_links(reader);
    if (reader.has("edges")) device.edges = reader.list("edges");
  }

  // Components that are devices, none of which may be in itself.
  void check_devices() {
    for (const auto& [name, device] : devices_) check_device(name, {});
  }
  void check_device(const std::string& name, std::set<std::string> outer) {
    outer.insert(name);
    for (const auto& [component, facts] : devices_.at(name).components) {
      if (facts.choice != "device") continue;
      const std::string& label = device_labels_.at({name, component});
      if (!devices_.contains(component))
        refuse_name(label, "device", component, names_in(devices_));
      if (outer.contains(component))
        throw BadInput(
            fmt::format("{}: found '{}' inside itself; allowed: another device", label, component));
      check_device(component, outer);
    }
  }

  void add_instance(const NodeReader& reader) {
    reader.allow({"name", "description", "device", "count"});
    const std::string name = reader.text("name");
    const std::string device = reader.text("device");
    if (!devices_.contains(device))
      refuse_name(reader.label("device"), "device", device, names_in(devices_));
    const int count = reader.integer("count", 1, kMaxComponents);
    if (!instances_.emplace(name, std::pair(device, count)).second)
      throw BadInput(fmt::format("{}: found '{}' twice; allowed: each instance once",
                                 reader.label("name"), name));
    for (int i = 0; i < count; ++i)
      add_device(fmt::format("{}.{}", name, i), device, reader.label("name"));
  }

  void add_device(const Path& path, const std::string& name, const std::string& label) {
    const Device& device = devices_.at(name);
    for (const auto& [component, facts] : device.components) {
      for (int i = 0; i < facts.count; ++i) {
        const Path inside = fmt::format("{}.{}.{}", path, component, i);
        if (facts.choice == "device") {
          add_device(inside, component, label);
          continue;
        }
        number_.emplace(inside, static_cast<int>(nodes_.size()));
        nodes_.push_back({inside, facts.choice != "xpu", label});
        if (nodes_.size() > kMaxComponents)
          throw BadInput(fmt::format("{}: found more than {} components; allowed is up to {}",
                                     label, kMaxComponents, kMaxComponents));
      }
    }
    for (const NodeReader& edge : device.edges)
      add_edges(edge, device.links, inner_ends(edge, "ep1", path, name),
                inner_ends(edge, "ep2", path, name));
  }

  // Components that "cx5[0].port[0:2]" means, of a device at each of these paths.
  std::vector<Path> components_of(std::vector<Path> paths, std::string device,
                                  const std::string& text, const std::string& label) const {
    std::size_t begin = 0;
    while (true) {
      const std::size_t end = std::min(text.find('.', begin), text.size());
      const SliceParser slice(std::string_view(text).substr(begin, end - begin), label);
      const Component* const component = devices_.at(device).find(slice.name());
      if (component == nullptr)
        refuse_name(label, fmt::format("component of {}", device), slice.name(),
                    names_in(devices_.at(device).components));
      std::vector<Path> inside;
      for (const Path& path : paths)
        for (const int i : slice.of(component->count))
          inside.push_back(fmt::format("{}.{}.{}", path, slice.name(), i));
      paths = std::move(inside);
      const bool is_device = component->choice == "device";
      if (end == text.size() && !is_device) return paths;
      if (end == text.size() || !is_device) {
        throw BadInput(
            fmt::format("{}: found '{}', where {} is {}; allowed: a component that is no "
                        "device",
                        label, shown(text), slice.name(), is_device ? "a device" : "no device"));
      }
      device = slice.name();
      begin = end + 1;
    }
  }

  std::vector<Path> inner_ends(const NodeReader& edge, std::string_view name, const Path& path,
                               const std::string& device) const {
    const NodeReader end = edge.map(name);
    end.allow({"device", "component"});
    std::string text = end.text("component");
    if (end.has("device")) text = fmt::format("{}.{}", end.text("device"), text);
    return components_of({path}, device, text, end.label("component"));
  }

  std::vector<Path> ends_of(const NodeReader& edge, std::string_view name) const {
    const NodeReader end = edge.map(name);
    end.allow({"instance", "component"});
    const std::string label = end.label("instance");
    const std::string text = end.text("instance");
    const SliceParser slice(text, label);
    const auto instance = instances_.find(slice.name());
    if (instance == instances_.end())
      refuse_name(label, "instance", slice.name(), names_in(instances_));
    std::vector<Path> paths;
    for (const int i : slice.of(instance->second.second))
      paths.push_back(fmt::format("{}.{}", slice.name(), i));
    return components_of(std::move(paths), instance->second.first, end.text("component"),
                         end.label("component"));
  }

  void add_edges(const NodeReader& edge, const FileLinks& links, const std::vector<Path>& from,
                 const std::vector<Path>& to) {
    edge.allow({"ep1", "ep2", "scheme", "link"});
    const std::string link = edge.text("link");
    const auto used = links.find(link);
    if (used == links.end()) refuse_name(edge.label("link"), "link", link, names_in(links));
    if (edge.choice("scheme", kSchemes) == 1) {
      for (const Path& a : from)
        for (const Path& b : to) join(a, b, used->second, edge.label());
      return;
    }
    if (from.size() != to.size()) {
      throw BadInput(
          fmt::format("{}: found one2one of {} and {} components; allowed: as many on "
                      "both sides, or many2many",
                      edge.label("scheme"), from.size(), to.size()));
    }
    for (std::size_t i = 0; i < from.size(); ++i) join(from[i], to[i], used->second, edge.label());
  }

  void join(const Path& from, const Path& to, const FileLink& link, const std::string& label) {
    const int a = number_.at(from), b = number_.at(to);
    if (a != b) edges_[std::minmax(a, b)] = {&link, label};
  }

  // Not NPUs and on no path between them: ends of one link at most, one after the other.
  std::vector<bool> left_out() const {
    std::vector<std::set<int>> next(nodes_.size());
    for (const auto& [ends, edge] : edges_) {
      next[ends.first].insert(ends.second);
      next[ends.second].insert(ends.first);
    }
    std::vector<bool> out(nodes_.size());
    std::vector<int> open;
    for (int i = 0; i < std::ssize(nodes_); ++i)
      if (nodes_[i].is_switch && next[i].size() < 2) open.push_back(i);
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      if (out[at]) continue;
      out[at] = true;
      for (const int other : next[at]) {
        next[other].erase(at);
        if (nodes_[other].is_switch && next[other].size() < 2) open.push_back(other);
      }
    }
    return out;
  }

  GraphSpec graph() const {
    GraphSpec spec;
    spec.label = file_.label("instances");
    const std::vector<bool> out = left_out();
    std::vector<int> number(nodes_.size(), -1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (out[i]) continue;
      number[i] = static_cast<int>(spec.nodes.size());
      spec.nodes.push_back(nodes_[i]);
    }
    for (const auto& [ends, edge] : edges_) {
      if (out[ends.first] || out[ends.second]) continue;
      const FileLink& link = *edge.first;
      if (!link.bandwidth) {
        throw BadInput(
            fmt::format("{}: found {} for the bandwidth; allowed: physical.bandwidth in "
                        "gigabits_per_second or gigabytes_per_second",
                        link.label, link.found_bandwidth));
      }
      const std::optional<std::uint64_t> latency =
          link.latency_ps ? link.latency_ps : default_latency_ps_();
      if (!latency) {
        throw BadInput(
            fmt::format("{}: found no latency; allowed: physical.latency in ns, us or ms, "
                        "or fabric.link_latency in the machine file",
                        link.label));
      }
      spec.links.push_back(
          {number[ends.first], number[ends.second], *link.bandwidth, *latency, 1, edge.second});
    }
    check_graph(spec);
    return spec;
  }

  const NodeReader& file_;
  const DefaultLatency& default_latency_ps_;
  std::map<std::string, Device> devices_;
  std::map<std::pair<std::string, std::string>, std::string> device_labels_;
  std::map<std::string, std::pair<std::string, int>> instances_;  // device and count
  FileLinks links_;
  std::vector<GraphNode> nodes_;
  std::map<Path, int> number_;
  std::map<std::pair<int, int>, std::pair<const FileLink*, std::string>> edges_;
};

}  // namespace

GraphSpec read_infragraph(const std::string& path, const DefaultLatency& default_latency_ps) {
  const ConfigNode root = read_config_file(path);
  const NodeReader file(root, "");
  if (!file.has("infrastructure")) return InfragraphReader(file, default_latency_ps).read();
  file.allow({"infrastructure"});
  const NodeReader inside = file.map("infrastructure");
  return InfragraphReader(inside, default_latency_ps).read();
}

}  // namespace fredsim
