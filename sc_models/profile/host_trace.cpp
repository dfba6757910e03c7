// SPDX-License-Identifier: Apache-2.0
#include "profile/host_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "profile/detail/host_collectives.h"
#include "profile/detail/json_file.h"

namespace fredsim {
namespace {

using Json = nlohmann::json;

std::uint64_t number_in(const Json& object, const char* key, std::uint64_t without) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>()
                                                              : without;
}

std::vector<std::uint64_t> numbers(const Json& list) {
  std::vector<std::uint64_t> read;
  if (list.is_array())
    for (const Json& one : list)
      if (one.is_number_unsigned()) read.push_back(one.get<std::uint64_t>());
  return read;
}

// Elements of tensors among values: [id, storage, offset, elements, bytes of an element, device].
void add_tensors(const Json& value, std::uint64_t& elements, std::uint64_t& bytes_each) {
  constexpr std::size_t kTensor = 6;
  if (!value.is_array()) return;
  if (value.size() == kTensor && value[kTensor - 1].is_string() && value[3].is_number_unsigned() &&
      value[4].is_number_unsigned()) {
    elements += value[3].get<std::uint64_t>();
    bytes_each = value[4].get<std::uint64_t>();
    return;
  }
  for (const Json& one : value) add_tensors(one, elements, bytes_each);
}

class HostReader final : public JsonListReader {
 public:
  explicit HostReader(HostTrace& into) : JsonListReader("nodes"), into_(into) {}

  void member(const std::string& key, Json& value) override {
    if (key == "schema" && value.is_string()) into_.schema = value;
    if (key == "pid") into_.process = value.is_string() ? value.get<std::string>() : value.dump();
  }
  void entry(Json& node) override;

 protected:
  bool is_exact(const std::string&) const override { return false; }

 private:
  void add_call(const Json& values, const Json& outputs, HostTrace::Node& node);
  void add_host_call(const Json& values, HostTrace::Node& node);
  void add_groups(const Json& values);
  HostTrace& into_;
};

// record_param_comms: tensors, sequence number, group, rank, name, splits in, splits out, and since
// 1.0.3 the group's start, stride and size.
void HostReader::add_call(const Json& values, const Json& outputs, HostTrace::Node& node) {
  const auto name = std::ranges::find_if(values, &Json::is_string);
  if (name == values.end()) return;
  CollectiveCall call;
  call.name = *name;
  std::uint64_t out_bytes = 0;
  for (auto value = values.begin(); value != name; ++value)
    if (value->is_array()) {
      const bool is_group = value->size() == 2 && (*value)[0].is_string();
      if (is_group)
        call.group = (*value)[0];
      else
        add_tensors(*value, call.in_elements, call.element_bytes);
    }
  add_tensors(outputs, call.out_elements, out_bytes);
  if (call.element_bytes == 0) call.element_bytes = out_bytes;
  auto next = std::next(name);
  if (next != values.end() && next->is_array()) call.in_splits = numbers(*next++);
  if (next != values.end() && next->is_array()) call.out_splits = numbers(*next++);
  std::array<int*, 3> parts{&call.start, &call.stride, &call.size};
  for (std::size_t n = 0; n < parts.size() && next != values.end(); ++n, ++next) {
    constexpr std::uint64_t kMostRanks = 1U << 20;
    if (!next->is_number_unsigned() || next->get<std::uint64_t>() > kMostRanks) break;
    *parts[n] = static_cast<int>(next->get<std::uint64_t>());
  }
  node.call = static_cast<int>(into_.calls.size());
  into_.calls.push_back(std::move(call));
}

// gloo:all_reduce and its like: inputs alone.
void HostReader::add_host_call(const Json& values, HostTrace::Node& node) {
  CollectiveCall call;
  call.name = node.name;
  add_tensors(values, call.in_elements, call.element_bytes);
  node.call = static_cast<int>(into_.calls.size());
  into_.calls.push_back(std::move(call));
}

// ## process_group:init ##: a text with the groups.
void HostReader::add_groups(const Json& values) {
  for (const Json& value : values) {
    if (!value.is_string()) continue;
    const Json groups = Json::parse(value.get_ref<const std::string&>(), nullptr, false);
    if (!groups.is_array()) continue;
    for (const Json& group : groups) {
      if (!group.is_object() || !group.contains("pg_name") || !group["pg_name"].is_string())
        continue;
      std::vector<int> ranks;
      constexpr std::uint64_t kMostRanks = 1U << 20;
      for (const std::uint64_t rank : numbers(group.value("ranks", Json::array())))
        ranks.push_back(static_cast<int>(std::min(rank, kMostRanks)));
      const std::uint64_t size = std::min(number_in(group, "group_size", 0), kMostRanks);
      if (ranks.empty())  // all ranks
        for (int r = 0; r < static_cast<int>(size); ++r) ranks.push_back(r);
      into_.groups[group["pg_name"]] = std::move(ranks);
    }
  }
}

void HostReader::entry(Json& object) {
  const std::size_t number = into_.nodes.size();
  const auto fail = [&](const char* key, const char* allowed) {
    throw BadInput(fmt::format("{}: nodes[{}]: {}: found nothing; allowed: {}", into_.path, number,
                               key, allowed));
  };
  if (!object.is_object()) fail("node", "an object");
  HostTrace::Node node;
  node.id = number_in(object, "id", Kineto::kNone);
  if (node.id == Kineto::kNone) fail("id", "a whole number");
  const auto name = object.find("name");
  if (name == object.end() || !name->is_string()) fail("name", "a text");
  node.name = *name;
  node.record = number_in(object, "rf_id", Kineto::kNone);
  node.thread = static_cast<int>(number_in(object, "tid", 0));
  if (const auto attributes = object.find("attrs");
      attributes != object.end() && attributes->is_array()) {
    for (const Json& attribute : *attributes) {
      if (!attribute.is_object()) continue;
      const auto key = attribute.find("name");
      if (key == attribute.end()) continue;
      if (*key == "rf_id") node.record = number_in(attribute, "value", node.record);
      if (*key == "tid") node.thread = static_cast<int>(number_in(attribute, "value", 0));
    }
  }
  // Values: a list, or since 1.0.2 in an object.
  const auto values_of = [&](const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return Json::array();
    if (found->is_array()) return *found;
    return found->is_object() ? found->value("values", Json::array()) : Json::array();
  };
  if (node.name == "record_param_comms")
    add_call(values_of("inputs"), values_of("outputs"), node);
  else if (is_host_collective(node.name))
    add_host_call(values_of("inputs"), node);
  else if (node.name == "## process_group:init ##")
    add_groups(values_of("inputs"));
  into_.nodes.push_back(std::move(node));
}

}  // namespace

HostTrace read_host_trace(const std::string& path) {
  HostTrace host;
  host.path = path;
  HostReader reader(host);
  read_json_file(path, reader);
  if (host.nodes.empty()) {
    throw BadInput(fmt::format(
        "{}: nodes: found none; allowed: an execution trace of PyTorch (ExecutionTraceObserver)",
        path));
  }
  if (!host.schema.starts_with("1.")) {
    throw BadInput(
        fmt::format("{}: schema: found '{}'; allowed: 1.0.1 to 1.1.1", path, host.schema));
  }
  std::ranges::stable_sort(host.nodes, {}, &HostTrace::Node::record);
  return host;
}

HostJoin join(Kineto& profile, const HostTrace& host) {
  HostJoin found;
  std::unordered_map<std::uint64_t, const HostTrace::Node*> by_record;
  for (const HostTrace::Node& node : host.nodes)
    if (node.record != Kineto::kNone) by_record.emplace(node.record, &node);
  // The host numbers its threads in order of appearance, the profile has the system's numbers:
  // equal names are counted on the thread that has them most often.
  std::map<std::pair<int, std::string_view>, std::vector<const HostTrace::Node*>> by_name;
  for (const HostTrace::Node& node : host.nodes) by_name[{node.thread, node.name}].push_back(&node);
  std::map<int, std::map<int, int>> votes;  // profile's thread -> host's thread -> names in common
  {
    std::map<int, std::map<std::string_view, int>> names;
    for (const Kineto::CpuOp& op : profile.cpu)
      ++names[op.thread][profile.names[static_cast<std::size_t>(op.name)]];
    for (const auto& [thread, counts] : names)
      for (const auto& [key, nodes] : by_name)
        if (const auto same = counts.find(key.second); same != counts.end())
          votes[thread][key.first] += std::min(same->second, static_cast<int>(nodes.size()));
  }
  std::map<int, int> thread_of;
  for (const auto& [thread, counts] : votes)
    thread_of[thread] =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  std::map<std::pair<int, std::string_view>, std::size_t> next;
  for (Kineto::CpuOp& op : profile.cpu) {
    if (op.is_annotation) continue;
    ++found.operations;
    const std::string& name = profile.names[static_cast<std::size_t>(op.name)];
    const HostTrace::Node* node = nullptr;
    if (op.record != Kineto::kNone) {
      const auto same = by_record.find(op.record);
      if (same != by_record.end() && same->second->name == name) node = same->second;
      found.by_record += node != nullptr;
    }
    if (node == nullptr) {
      const auto thread = thread_of.find(op.thread);
      if (thread != thread_of.end()) {
        const std::pair key{thread->second, std::string_view(name)};
        const auto nodes = by_name.find(key);
        std::size_t& at = next[key];
        if (nodes != by_name.end() && at < nodes->second.size()) node = nodes->second[at++];
      }
      found.by_order += node != nullptr;
    }
    constexpr std::size_t kNamed = 10;
    if (node == nullptr) {
      if (found.missing.size() < kNamed) found.missing.push_back(name);
      continue;
    }
    ++found.joined;
    if (node->call >= 0 && op.call < 0) {
      op.call = static_cast<int>(profile.calls.size());
      profile.calls.push_back(host.calls[static_cast<std::size_t>(node->call)]);
    }
  }
  for (const auto& [name, ranks] : host.groups)
    if (!ranks.empty()) profile.groups.try_emplace(name, ranks);
  return found;
}

}  // namespace fredsim
