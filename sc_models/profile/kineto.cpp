// SPDX-License-Identifier: Apache-2.0
#include "profile/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "profile/detail/host_collectives.h"
#include "profile/detail/json_file.h"

namespace fredsim {
namespace {

using Json = nlohmann::json;
using Ps = Kineto::Ps;
__extension__ using Wide = __int128;

enum class Category : std::uint8_t { kCpu, kAnnotation, kRuntime, kKernel, kCopy, kSet, kSync };

std::optional<Category> category_of(const std::string& name) {
  using Named = std::pair<std::string_view, Category>;
  static constexpr std::array kNames{Named{"cpu_op", Category::kCpu},
                                     Named{"Operator", Category::kCpu},
                                     Named{"user_annotation", Category::kAnnotation},
                                     Named{"cuda_runtime", Category::kRuntime},
                                     Named{"cuda_driver", Category::kRuntime},
                                     Named{"Runtime", Category::kRuntime},
                                     Named{"kernel", Category::kKernel},
                                     Named{"Kernel", Category::kKernel},
                                     Named{"gpu_memcpy", Category::kCopy},
                                     Named{"Memcpy", Category::kCopy},
                                     Named{"gpu_memset", Category::kSet},
                                     Named{"Memset", Category::kSet},
                                     Named{"cuda_sync", Category::kSync}};
  const auto* const found = std::ranges::find(kNames, name, &Named::first);
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

// "4458676522690.655" or 1694128201435418, µs, as picoseconds. None: no number.
std::optional<Wide> picoseconds(const Json& value) {
  constexpr int kDigits = 6;
  std::string text = value.is_string() ? value.get_ref<const std::string&>() : value.dump();
  const bool is_negative = text.starts_with('-');
  std::size_t at = is_negative ? 1 : 0;
  Wide number = 0;
  int behind = -1;  // digits behind the point
  if (text.find_first_of("eE") != std::string::npos) {
    char* end = nullptr;
    const double micros = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(std::abs(micros) < 1e18)) return std::nullopt;
    return static_cast<Wide>(micros * 1e6);
  }
  if (at == text.size()) return std::nullopt;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && behind < 0) {
      behind = 0;
      continue;
    }
    if (c < '0' || c > '9' || number > Wide{1} << 100) return std::nullopt;
    if (behind >= kDigits) continue;
    number = number * 10 + (c - '0');
    if (behind >= 0) ++behind;
  }
  for (int n = std::max(behind, 0); n < kDigits; ++n) number *= 10;
  return is_negative ? -number : number;
}

// List of numbers that a text has: "[0, 1]"; older profiles have texts in place of lists.
std::vector<std::uint64_t> list_of(const Json& value) {
  Json list = value;
  if (value.is_string()) list = Json::parse(value.get_ref<const std::string&>(), nullptr, false);
  std::vector<std::uint64_t> numbers;
  if (!list.is_array()) return numbers;
  for (const Json& one : list)
    if (one.is_number_unsigned()) numbers.push_back(one.get<std::uint64_t>());
  return numbers;
}

class KinetoReader final : public JsonListReader {
 public:
  explicit KinetoReader(Kineto& into) : JsonListReader("traceEvents"), into_(into) {}

  void entry(Json& event) override;
  void member(const std::string& key, Json& value) override;
  void finish();

 protected:
  bool is_exact(const std::string& key) const override { return key == "ts" || key == "dur"; }

 private:
  [[noreturn]] void fail(std::string_view key, const std::string& found,
                         std::string_view allowed) const {
    throw BadInput(fmt::format("{}: event {}: {}: found {}; allowed: {}", into_.path,
                               into_.events - 1, key, found, allowed));
  }
  Ps time(const Json& event, const char* key);
  int number_of(const std::string& name, std::unordered_map<std::string, int>& numbers,
                std::vector<std::string>& names) const;
  std::uint64_t count(const Json& args, const char* key, std::uint64_t without) const;
  void flow(const Json& event);
  void add(Category category, const Json& event);
  void without_category(const Json& event);
  int call_of(const Json& args);
  int host_call_of(const std::string& name, const Json& args);
  int shape_of(const Json& args);

  Kineto& into_;
  std::unordered_map<std::string, int> names_, threads_;
  std::unordered_map<std::uint64_t, std::pair<int, Ps>> starts_;  // forward ends of flows, by id
  std::optional<Wide> base_;
};

Ps KinetoReader::time(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end()) fail(key, "nothing", "a time in µs");
  const std::optional<Wide> read = picoseconds(*found);
  const bool is_begin = key[0] == 't';
  if (!read || (!is_begin && *read < 0)) fail(key, found->dump(), "a time in µs");
  if (is_begin && !base_) base_ = *read;
  const Wide since = is_begin ? *read - *base_ : *read;
  if (since > std::numeric_limits<Ps>::max() / 4 || since < std::numeric_limits<Ps>::min() / 4)
    fail(key, found->dump(), "a time within 26 days of the first event");
  return static_cast<Ps>(since);
}

int KinetoReader::number_of(const std::string& name, std::unordered_map<std::string, int>& numbers,
                            std::vector<std::string>& names) const {
  const auto [at, is_new] = numbers.try_emplace(name, static_cast<int>(names.size()));
  if (is_new) names.push_back(name);
  return at->second;
}

std::uint64_t KinetoReader::count(const Json& args, const char* key, std::uint64_t without) const {
  const auto found = args.find(key);
  if (found == args.end() || (found->is_number_integer() && !found->is_number_unsigned()))
    return without;  // absent, or -1: none
  if (!found->is_number_unsigned()) fail(key, found->dump(), "a whole number");
  return found->get<std::uint64_t>();
}

// "pid/tid": a thread's name in messages and tables.
std::string thread_name(const Json& event) {
  const auto text = [&](const char* key) {
    const auto found = event.find(key);
    if (found == event.end()) return std::string("?");
    return found->is_string() ? found->get<std::string>() : found->dump();
  };
  return text("pid") + "/" + text("tid");
}

void KinetoReader::flow(const Json& event) {
  const std::uint64_t id = count(event, "id", Kineto::kNone);
  const int thread = number_of(thread_name(event), threads_, into_.threads);
  const Ps at = time(event, "ts");
  if (event.at("ph") == "s") {
    starts_[id] = {thread, at};
  } else if (const auto start = starts_.find(id); start != starts_.end()) {
    into_.flows.push_back({start->second.first, thread, start->second.second, at});
  } else {
    starts_[~id] = {thread, at};  // its start comes later in the file
  }
  if (event.at("ph") == "s")
    if (const auto end = starts_.find(~id); end != starts_.end()) {
      into_.flows.push_back({thread, end->second.first, at, end->second.second});
      starts_.erase(end);
    }
}

int KinetoReader::call_of(const Json& args) {
  const auto name = args.find("Collective name");
  if (name == args.end() || !name->is_string()) return -1;
  CollectiveCall call;
  call.name = *name;
  if (const auto dtype = args.find("dtype"); dtype != args.end() && dtype->is_string())
    call.dtype = *dtype;
  call.in_elements = count(args, "In msg nelems", 0);
  call.out_elements = count(args, "Out msg nelems", 0);
  const auto list = [&](const char* key) {
    const auto found = args.find(key);
    return found == args.end() ? std::vector<std::uint64_t>() : list_of(*found);
  };
  call.in_splits = list("In split size");
  call.out_splits = list("Out split size");
  for (const std::uint64_t rank : list("Process Group Ranks"))
    call.ranks.push_back(static_cast<int>(rank));
  if (const auto group = args.find("Process Group Name"); group != args.end())
    call.group = group->is_string() ? group->get<std::string>() : group->dump();
  constexpr std::uint64_t kMostRanks = 1U << 20;
  call.size = static_cast<int>(std::min(count(args, "Group size", 0), kMostRanks));
  call.start = static_cast<int>(std::min(count(args, "Global rank start", kMostRanks), kMostRanks));
  if (call.start == static_cast<int>(kMostRanks)) call.start = -1;
  call.stride = static_cast<int>(std::min(count(args, "Global rank stride", 0), kMostRanks));
  const std::optional<CollectiveMeaning> meaning = meaning_of(call.name);
  const bool receives = meaning && meaning->type == TraceNodeType::kReceive;
  if (const std::uint64_t peer = count(args, receives ? "Src Rank" : "Dst Rank", kMostRanks);
      peer < kMostRanks)
    call.peer = static_cast<int>(peer);
  into_.calls.push_back(std::move(call));
  return static_cast<int>(into_.calls.size()) - 1;
}

// A collective of gloo or MPI, whose input is one tensor.
int KinetoReader::host_call_of(const std::string& name, const Json& args) {
  const auto dims = args.find("Input Dims");
  const auto types = args.find("Input type");
  if (dims == args.end() || !dims->is_array() || dims->empty() || types == args.end() ||
      !types->is_array() || types->empty() || !types->front().is_string())
    return -1;
  CollectiveCall call;
  call.name = name;
  call.dtype = types->front();
  if (bytes_of_type(call.dtype) == 0) return -1;
  call.in_elements = 1;
  for (const std::uint64_t size : list_of(dims->front())) call.in_elements *= size;
  into_.calls.push_back(std::move(call));
  return static_cast<int>(into_.calls.size()) - 1;
}

int KinetoReader::shape_of(const Json& args) {
  auto found = args.find("Input Dims");
  if (found == args.end()) found = args.find("Input dims");
  if (found == args.end()) return -1;
  Kineto::Shape shape;
  if (found->is_array())
    for (const Json& input : *found) shape.push_back(list_of(input));
  into_.shapes.push_back(std::move(shape));
  return static_cast<int>(into_.shapes.size()) - 1;
}

void KinetoReader::add(Category category, const Json& event) {
  static const Json kNoArgs = Json::object();
  const auto given = event.find("args");
  const Json& args = given == event.end() || !given->is_object() ? kNoArgs : *given;
  const auto name = event.find("name");
  if (name == event.end() || !name->is_string()) fail("name", "no text", "a text");
  Kineto::Event common;
  common.begin = time(event, "ts");
  common.end = common.begin + time(event, "dur");
  common.name = number_of(*name, names_, into_.names);
  common.number = into_.events - 1;
  const auto on_thread = [&] {
    common.thread = number_of(thread_name(event), threads_, into_.threads);
  };
  // Number of a stream or a device; -1: not told.
  const auto place = [&](const char* key) {
    const std::uint64_t number = count(args, key, Kineto::kNone);
    return number > 1U << 30U ? -1 : static_cast<int>(number);
  };
  const std::uint64_t correlation = count(args, "correlation", Kineto::kNone);
  switch (category) {
    case Category::kCpu:
    case Category::kAnnotation: {
      on_thread();
      Kineto::CpuOp op{common};
      op.is_annotation = category == Category::kAnnotation;
      op.record = count(args, "Record function id", Kineto::kNone);
      op.is_backward = count(args, "Fwd thread id", 0) != 0;
      op.call = is_host_collective(name->get_ref<const std::string&>()) ? host_call_of(*name, args)
                                                                        : call_of(args);
      op.shape = shape_of(args);
      into_.cpu.push_back(op);
      return;
    }
    case Category::kRuntime:
      on_thread();
      into_.runtime.push_back({common, correlation});
      return;
    case Category::kSync: {
      common.thread = place("stream");
      Kineto::Sync sync{common};
      sync.device = place("device");
      sync.on_stream = place("wait_on_stream");
      sync.record_correlation = count(args, "wait_on_cuda_event_record_corr_id", Kineto::kNone);
      sync.correlation = correlation;
      into_.syncs.push_back(sync);
      return;
    }
    case Category::kKernel:
    case Category::kCopy:
    case Category::kSet:
      common.thread = place("stream");
      if (common.thread < 0) fail("args.stream", "nothing", "the number of a stream");
      Kineto::GpuOp op{common};
      op.kind = category == Category::kKernel ? Kineto::GpuKind::kKernel
                : category == Category::kCopy ? Kineto::GpuKind::kCopy
                                              : Kineto::GpuKind::kSet;
      op.device = static_cast<int>(std::min<std::uint64_t>(count(args, "device", 0), 1U << 20U));
      op.correlation = correlation;
      op.bytes = count(args, "bytes", 0);
      if (const int call = call_of(args); call >= 0) {  // newer profiles: on the kernel itself
        // The call on the CPU has the same; it is found by the launch.
        into_.calls.pop_back();
      }
      into_.gpu.push_back(op);
      return;
  }
}

// The autograd profiler without Kineto: operations of the CPU, without categories and arguments.
void KinetoReader::without_category(const Json& event) {
  const auto process = event.find("pid");
  const auto phase = event.find("ph");
  if (process == event.end() || *process != "CPU functions" || phase == event.end() ||
      *phase != "X")
    return;
  const auto name = event.find("name");
  const bool is_step = name != event.end() && name->is_string() &&
                       name->get_ref<const std::string&>().starts_with("ProfilerStep#");
  add(is_step ? Category::kAnnotation : Category::kCpu, event);
}

void KinetoReader::entry(Json& event) {
  ++into_.events;
  if (!event.is_object()) fail("event", event.dump().substr(0, 20), "an object");
  const auto phase = event.find("ph");
  const auto category = event.find("cat");
  if (category == event.end()) {
    without_category(event);
    return;
  }
  if (!category->is_string()) return;
  if (*category == "fwdbwd" && phase != event.end() && (*phase == "s" || *phase == "f")) {
    flow(event);
    return;
  }
  if (*category == "ac2g" || *category == "Trace") return;
  const std::optional<Category> known = category_of(*category);
  const bool is_complete = phase == event.end() || *phase == "X";
  if (!known || !is_complete) {
    ++into_.unknown;
    return;
  }
  add(*known, event);
}

void KinetoReader::member(const std::string& key, Json& value) {
  if (key != "distributedInfo" || !value.is_object()) return;
  constexpr int kMostRanks = 1 << 20;
  const auto small = [&](const char* name, int without) {
    const auto found = value.find(name);
    if (found == value.end() || !found->is_number_unsigned()) return without;
    return static_cast<int>(std::min<std::uint64_t>(found->get<std::uint64_t>(), kMostRanks));
  };
  into_.rank = small("rank", -1);
  into_.world = small("world_size", 0);
  const auto groups = value.find("pg_config");
  if (groups == value.end() || !groups->is_array()) return;
  for (const Json& group : *groups) {
    const auto name = group.find("pg_name");
    const auto ranks = group.find("ranks");
    if (name == group.end() || ranks == group.end() || !name->is_string()) continue;
    for (const std::uint64_t rank : list_of(*ranks))
      into_.groups[*name].push_back(static_cast<int>(std::min<std::uint64_t>(rank, kMostRanks)));
  }
}

void KinetoReader::finish() {
  Ps first = std::numeric_limits<Ps>::max();
  const auto over_all = [&](const auto& what) {
    what(into_.cpu);
    what(into_.runtime);
    what(into_.gpu);
    what(into_.syncs);
  };
  over_all([&](const auto& list) {
    for (const Kineto::Event& event : list) first = std::min(first, event.begin);
  });
  over_all([&](auto& list) {
    for (Kineto::Event& event : list) {
      event.begin -= first;
      event.end -= first;
    }
    std::ranges::stable_sort(
        list, {}, [](const Kineto::Event& event) { return std::tuple(event.begin, event.number); });
  });
  for (Kineto::Flow& flow : into_.flows) {
    flow.from -= first;
    flow.to -= first;
  }
}

}  // namespace

Kineto read_kineto(const std::string& path) {
  Kineto profile;
  profile.path = path;
  KinetoReader reader(profile);
  read_json_file(path, reader);
  if (profile.cpu.empty() && profile.gpu.empty()) {
    throw BadInput(fmt::format(
        "{}: traceEvents: found no operation of a CPU or GPU in {} events; allowed: a profile of "
        "torch.profiler (export_chrome_trace)",
        path, profile.events));
  }
  reader.finish();
  place_host_collectives(profile);
  return profile;
}

std::vector<ProfiledStep> steps_of(const Kineto& profile) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  std::vector<ProfiledStep> steps;
  for (const Kineto::CpuOp& op : profile.cpu) {
    const std::string& name = profile.names[static_cast<std::size_t>(op.name)];
    if (!name.starts_with(kPrefix)) continue;
    ProfiledStep step{.begin = op.begin, .end = op.end};
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step.number);
    steps.push_back(step);
  }
  return steps;
}

}  // namespace fredsim
