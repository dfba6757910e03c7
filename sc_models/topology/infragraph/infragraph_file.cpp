// SPDX-License-Identifier: Apache-2.0
#include "topology/infragraph/infragraph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/suggest.h"
#include "topology/infragraph/connection.h"

namespace fredsim {
namespace {

constexpr int kMaxComponents = kMaxGraphNpus + 4 * kMaxGraphSwitches;
constexpr std::array<std::string_view, 2> kSchemes = {"one2one", "many2many"};
constexpr std::array<std::string_view, 8> kChoices = {"custom", "device", "cpu",  "xpu",
                                                      "nic",    "memory", "port", "switch"};

struct Component {
  std::string choice{};
  int count = 0;
  bool is_implied = false;  // its count: as many as connections name
};

struct Device {
  std::vector<std::pair<std::string, Component>> components{};  // in order
  FileLinks links{};
  std::vector<KeyReader> edges{};
  std::vector<FileConnection> connections{};

  Component* find(const std::string& name) {
    const auto found =
        std::ranges::find(components, name, [](const auto& one) { return one.first; });
    return found == components.end() ? nullptr : &found->second;
  }
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
  throw BadInput(fmt::format("{}: found '{}', which is no {}; {}", label, shown(found), what,
                             advice(found, names, {.none = "none, since there is none"})));
}

// Name with a range of its instances: "xpu[0:4]".
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

class InfragraphReader {
 public:
  InfragraphReader(const KeyReader& file, const LinkDefaults& defaults)
      : file_(file), defaults_(defaults), links_reader_(defaults) {}

  GraphSpec read() {
    file_.allow({"name", "description", "devices", "links", "instances", "edges", "connections",
                 "annotations"});
    for (const KeyReader& device : file_.list("devices")) read_device(device);
    check_devices();
    links_ = links_reader_.read(file_);
    links_reader_.check_names();
    const std::vector<FileConnection> connections = read_connections(file_);
    for (const KeyReader& instance : file_.list("instances")) read_instance(instance);
    imply_counts(connections);
    for (const auto& [name, instance] : instances_in_order_) add_instance(name, instance);
    if (file_.has("edges")) {
      for (const KeyReader& edge : file_.list("edges"))
        add_edges(edge, links_, ends_of(edge, "ep1"), ends_of(edge, "ep2"));
    }
    for (const FileConnection& one : connections) connect("", one, links_);
    return graph();
  }

 private:
  using Path = std::string;  // "host.0.xpu.3"

  void read_device(const KeyReader& reader) {
    reader.allow({"name", "description", "components", "links", "edges", "connections"});
    const std::string name = reader.text("name");
    const auto [at, is_new] = devices_.try_emplace(name);
    if (!is_new)
      throw BadInput(fmt::format("{}: found '{}' twice; allowed: each device once",
                                 reader.label("name"), name));
    Device& device = at->second;
    for (const KeyReader& one : reader.list("components")) {
      one.allow({"name", "description", "count", "choice", "custom", "device", "cpu", "xpu", "nic",
                 "memory", "port", "switch", "type", "external"});
      const std::string component = one.text("name");
      if (device.find(component) != nullptr)
        throw BadInput(fmt::format("{}: found '{}' twice; allowed: each component once",
                                   one.label("name"), component));
      const bool is_older = one.has("type");
      Component facts{std::string(kChoices[one.choice(is_older ? "type" : "choice", kChoices)])};
      facts.is_implied = is_older && !one.has("count");
      if (!facts.is_implied) facts.count = one.integer("count", 1, kMaxComponents);
      device.components.emplace_back(component, std::move(facts));
      device_labels_[{name, component}] = one.label("name");
    }
    device.links = links_reader_.read(reader);
    if (reader.has("edges")) device.edges = reader.list("edges");
    device.connections = read_connections(reader);
  }

  static std::vector<FileConnection> read_connections(const KeyReader& reader) {
    std::vector<FileConnection> connections;
    if (!reader.has("connections")) return connections;
    for (const auto& [text, label] : reader.values("connections"))
      connections.push_back(parse_connection(text, label));
    return connections;
  }

  // Components that are devices; no device may contain itself.
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

  struct Instance {
    std::string device{};
    int count = 0;
    bool is_implied = false;
    std::string label{};
  };

  void read_instance(const KeyReader& reader) {
    reader.allow({"name", "description", "device", "count"});
    const std::string name = reader.text("name");
    Instance instance{.device = reader.text("device"), .label = reader.label("name")};
    if (!devices_.contains(instance.device))
      refuse_name(reader.label("device"), "device", instance.device, names_in(devices_));
    instance.is_implied = !reader.has("count") && file_.has("connections");
    if (!instance.is_implied) instance.count = reader.integer("count", 1, kMaxComponents);
    if (!instances_.emplace(name, instances_in_order_.size()).second)
      throw BadInput(
          fmt::format("{}: found '{}' twice; allowed: each instance once", instance.label, name));
    instances_in_order_.emplace_back(name, std::move(instance));
  }

  Instance& instance_called(const std::string& name, const std::string& label) {
    const auto found = instances_.find(name);
    if (found == instances_.end()) refuse_name(label, "instance", name, names_in(instances_));
    return instances_in_order_[found->second].second;
  }

  // Sets missing counts to the minimum that the connections need.
  void imply_counts(const std::vector<FileConnection>& connections) {
    for (auto& [name, device] : devices_) {
      for (const FileConnection& one : device.connections)
        for (const auto* const place : {&one.from, &one.to}) imply(name, *place, 0, one.label);
    }
    for (const FileConnection& one : connections) {
      for (const auto* const place : {&one.from, &one.to}) {
        const auto& [name, number] = place->front();
        Instance& instance = instance_called(name, one.label);
        if (instance.is_implied) instance.count = std::max(instance.count, number + 1);
        imply(instance.device, *place, 1, one.label);
      }
    }
    for (auto& [name, device] : devices_)
      for (auto& [component, facts] : device.components) facts.count = std::max(facts.count, 1);
    for (auto& [name, instance] : instances_in_order_) instance.count = std::max(instance.count, 1);
  }
  void imply(std::string device, const FileConnection::Place& place, std::size_t first,
             const std::string& label) {
    for (std::size_t i = first; i < place.size(); ++i) {
      const auto at = devices_.find(device);
      if (at == devices_.end()) refuse_name(label, "device", device, names_in(devices_));
      const auto& [name, number] = place[i];
      Component* const component = at->second.find(name);
      if (component == nullptr)
        refuse_name(label, fmt::format("component of {}", device), name,
                    names_in(at->second.components));
      if (number >= kMaxComponents)
        throw BadInput(fmt::format("{}: found {}.{}; allowed: up to {} of a name", label, name,
                                   number, kMaxComponents));
      if (component->is_implied) component->count = std::max(component->count, number + 1);
      device = name;
    }
  }

  void add_instance(const std::string& name, const Instance& instance) {
    for (int i = 0; i < instance.count; ++i)
      add_device(fmt::format("{}.{}", name, i), instance.device, instance.label);
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
          throw BadInput(fmt::format("{}: found more than {} components; allowed: up to {}", label,
                                     kMaxComponents, kMaxComponents));
      }
    }
    for (const KeyReader& edge : device.edges)
      add_edges(edge, device.links, inner_ends(edge, "ep1", path, name),
                inner_ends(edge, "ep2", path, name));
    for (const FileConnection& one : device.connections) connect(path + '.', one, device.links);
  }

  void connect(const Path& prefix, const FileConnection& connection, const FileLinks& links) {
    const auto end = [&](const FileConnection::Place& place) {
      Path path;
      for (const auto& [name, number] : place)
        path += fmt::format("{}{}.{}", path.empty() ? prefix : ".", name, number);
      if (number_.contains(path)) return path;
      throw BadInput(
          fmt::format("{}: found {}, which is no component; allowed: as many of a name "
                      "as its count says",
                      connection.label, shown(path)));
    };
    const auto used = links.find(connection.link);
    if (used == links.end())
      refuse_name(connection.label, "link", connection.link, names_in(links));
    join(end(connection.from), end(connection.to), used->second, connection.label);
  }

  // Components named by "cx5[0].port[0:2]", of a device at each of these paths.
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

  std::vector<Path> inner_ends(const KeyReader& edge, std::string_view name, const Path& path,
                               const std::string& device) const {
    const KeyReader end = edge.map(name);
    end.allow({"device", "component"});
    std::string text = end.text("component");
    if (end.has("device")) text = fmt::format("{}.{}", end.text("device"), text);
    return components_of({path}, device, text, end.label("component"));
  }

  std::vector<Path> ends_of(const KeyReader& edge, std::string_view name) {
    const KeyReader end = edge.map(name);
    end.allow({"instance", "component"});
    const std::string label = end.label("instance");
    const std::string text = end.text("instance");
    const SliceParser slice(text, label);
    const Instance& instance = instance_called(slice.name(), label);
    std::vector<Path> paths;
    for (const int i : slice.of(instance.count))
      paths.push_back(fmt::format("{}.{}", slice.name(), i));
    return components_of(std::move(paths), instance.device, end.text("component"),
                         end.label("component"));
  }

  void add_edges(const KeyReader& edge, const FileLinks& links, const std::vector<Path>& from,
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
    const std::size_t pairs = std::min(from.size(), to.size());
    for (std::size_t i = 0; i < pairs; ++i) join(from[i], to[i], used->second, edge.label());
  }

  void join(const Path& from, const Path& to, const FileLink& link, const std::string& label) {
    const int a = number_.at(from), b = number_.at(to);
    if (a != b) edges_[std::minmax(a, b)] = {&link, label};
  }

  // Marks components without a path between NPUs: ends of at most one link, removed repeatedly.
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
      spec.links.push_back({number[ends.first], number[ends.second], link.used_bandwidth(defaults_),
                            link.used_latency_ps(defaults_), 1, edge.second});
    }
    check_graph(spec);
    return spec;
  }

  const KeyReader& file_;
  const LinkDefaults& defaults_;
  FileLinksReader links_reader_;
  std::map<std::string, Device> devices_;
  std::map<std::pair<std::string, std::string>, std::string> device_labels_;
  std::vector<std::pair<std::string, Instance>> instances_in_order_;
  std::map<std::string, std::size_t> instances_;  // indices in that list
  FileLinks links_;
  std::vector<GraphNode> nodes_;
  std::map<Path, int> number_;
  std::map<std::pair<int, int>, std::pair<const FileLink*, std::string>> edges_;
};

}  // namespace

GraphSpec read_infragraph(const std::string& path, const LinkDefaults& defaults) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, "");
  if (!file.has("infrastructure")) return InfragraphReader(file, defaults).read();
  file.allow({"infrastructure", "annotations"});
  const KeyReader inside = file.map("infrastructure");
  return InfragraphReader(inside, defaults).read();
}

}  // namespace fredsim
