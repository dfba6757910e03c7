// SPDX-License-Identifier: Apache-2.0
#include "flow/calibration_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/error.h"
#include "base/member.h"
#include "base/sha256.h"
#include "collective/algorithm.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "fredsim_calibration";
constexpr int kVersion = 1;
constexpr const char* kWritten = "a file that fredsim calibrate has written";
constexpr std::size_t kLongestShown = 60;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 60U;
constexpr std::uint64_t kMaxStart = std::uint64_t{1} << 40U;  // cycles
constexpr int kMaxMember = 1 << 24;

// A value in the file, with its place.
class Value {
 public:
  Value(const Json& json, std::string path, std::string key)
      : json_(json), path_(std::move(path)), key_(std::move(key)) {}

  [[noreturn]] void fail(std::string_view allowed) const {
    refuse(fmt::format("allowed: {}", allowed));
  }
  [[noreturn]] void refuse(std::string_view advice) const {
    std::string found = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > kLongestShown) found = found.substr(0, kLongestShown) + "…";
    throw BadInput(fmt::format("{}: {}: found {}; {}", path_,
                               key_.empty() ? "the whole file" : key_, found, advice));
  }
  Value at(const char* key) const {
    if (!json_.is_object()) fail("an object");
    const auto found = json_.find(key);
    const std::string name = key_.empty() ? key : key_ + "." + key;
    if (found == json_.end())
      throw BadInput(fmt::format("{}: {}: found nothing; allowed: {}", path_, name, kWritten));
    return {*found, path_, name};
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  std::vector<Value> list() const {
    if (!json_.is_array()) fail("a list");
    std::vector<Value> values;
    for (std::size_t i = 0; i < json_.size(); ++i)
      values.emplace_back(json_[i], path_, fmt::format("{}[{}]", key_, i));
    return values;
  }
  std::string text() const {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
  }
  std::uint64_t count(std::uint64_t min, std::uint64_t max) const {
    if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() < min ||
        json_.get<std::uint64_t>() > max)
      fail(fmt::format("a whole number, {} to {}", min, max));
    return json_.get<std::uint64_t>();
  }
  double cycles() const {
    if (!json_.is_number()) fail("a number of cycles");
    return json_.get<double>();
  }
  double positive_cycles() const {
    if (cycles() <= 0) fail("a number of cycles above 0");
    return cycles();
  }
  // An NPU by its number, an I/O controller by its name.
  int member() const {
    if (!json_.is_string()) return static_cast<int>(count(0, kMaxMember));
    const std::string name = text();
    int controller = -1;
    if (name.starts_with("io"))
      std::from_chars(name.data() + 2, name.data() + name.size(), controller);
    if (controller < 0 || controller >= kMaxIoControllers ||
        member_name(io_member(controller)) != name)
      fail("a number, or io and a number");
    return io_member(controller);
  }

 private:
  const Json& json_;
  std::string path_, key_;
};

// A value that one of our parsers takes.
template <class Parse>
auto parsed(const Value& value, const Parse& parse) {
  try {
    return parse(value.text());
  } catch (const BadInput& error) {
    const std::string what = error.what();
    for (const std::string_view advice : {"allowed: ", "did you mean "}) {
      if (const std::size_t at = what.find(advice); at != std::string::npos)
        value.refuse(what.substr(at));
    }
    value.fail(what);
  }
}

CalibratedPart part_of(const Value& value) {
  CalibratedPart part;
  part.collective = parsed(value.at("collective"), parse_collective);
  part.algorithm = parsed(value.at("algorithm"), [](std::string name) {
    check_algorithm(name);
    return name;
  });
  for (const Value& member : value.at("group").list()) part.group.push_back(member.member());
  part.root = static_cast<int>(value.at("root").count(0, kMaxMember));
  part.vc = parsed(value.at("priority"), parse_priority);
  part.proportion = value.at("proportion").count(1, kProportion);
  part.start = value.at("start").count(0, kMaxStart);
  if (value.has("packet_flits"))
    part.packet_flits = static_cast<int>(value.at("packet_flits").count(1, kPacketFlits));
  return part;
}

CalibratedWork work_of(const Value& value) {
  CalibratedWork work;
  for (const Value& part : value.at("parts").list()) work.push_back(part_of(part));
  if (std::ranges::find(work, kProportion, &CalibratedPart::proportion) == work.end())
    value.at("parts").fail(fmt::format("parts, one at least with the proportion {}", kProportion));
  return work;
}

Calibration calibration_of(const Value& value, std::size_t parts) {
  Calibration calibration;
  for (const Value& point : value.at("points").list()) {
    std::vector<double> offset;
    for (const Value& cycles : point.at("surplus").list()) offset.push_back(cycles.cycles());
    if (offset.size() != parts)
      point.at("surplus").fail(fmt::format("as many numbers as parts, {}", parts));
    calibration.add_point(point.at("bytes").count(1, kMaxBytes), std::move(offset));
  }
  for (const Value& checked : value.at("checked").list())
    calibration.add_check(checked.at("bytes").count(1, kMaxBytes),
                          Calibration::Checked{.exact = checked.at("exact").positive_cycles(),
                                               .flow = checked.at("flow").positive_cycles()});
  return calibration;
}

Json json_of(const CalibratedWork& work) {
  Json parts = Json::array();
  for (const CalibratedPart& part : work) {
    Json group = Json::array();
    for (const int member : part.group)
      group.push_back(is_io_member(member) ? Json(member_name(member)) : Json(member));
    parts.push_back({{"collective", to_string(part.collective)},
                     {"algorithm", part.algorithm},
                     {"group", std::move(group)},
                     {"root", part.root},
                     {"priority", priority_name(part.vc)},
                     {"proportion", part.proportion},
                     {"start", part.start}});
    if (part.packet_flits > 0) parts.back()["packet_flits"] = part.packet_flits;
  }
  return parts;
}

Json json_of(const CalibratedWork& work, const Calibration& calibration) {
  Json points = Json::array();
  for (const auto& [bytes, offset] : calibration.points())
    points.push_back({{"bytes", bytes}, {"surplus", offset}});
  Json checked = Json::array();
  for (const auto& [bytes, check] : calibration.checked())
    checked.push_back({{"bytes", bytes}, {"exact", check.exact}, {"flow", check.flow}});
  return {{"parts", json_of(work)}, {"points", std::move(points)}, {"checked", std::move(checked)}};
}

Json parsed_json(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto lines = std::ranges::count(text.substr(0, error.byte), '\n');
    throw BadInput(fmt::format("{}:{}: found no JSON; allowed: {}", path, 1 + lines, kWritten));
  } catch (const Json::exception&) {
    throw BadInput(
        fmt::format("{}: found a number that is too large; allowed: {}", path, kWritten));
  }
}

std::string value_text(const MachineKey& key) {
  const Json json = std::visit([](const auto& value) { return Json(value); }, key.value);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

CalibratedMachine calibrated_machine(std::string name, std::span<const MachineKey> keys) {
  std::string all;
  for (const MachineKey& key : keys) all += fmt::format("{}: {}\n", key.path, value_text(key));
  return {std::move(name), sha256(all)};
}

CalibrationFile::CalibrationFile(std::string_view text, std::string path, std::string program)
    : path_(std::move(path)), program_(std::move(program)) {
  const Json json = parsed_json(text, path_);
  const Value root(json, path_, "");
  root.at(kFormat).count(kVersion, kVersion);
  if (const std::string made_by = root.at("program").text(); made_by != program_)
    throw BadInput(fmt::format("{}: found calibrations by {}; allowed: by this program, {}", path_,
                               made_by, program_));
  for (const Value& machine : root.at("machines").list()) {
    Calibrator::Calibrations calibrations;
    for (const Value& value : machine.at("works").list()) {
      CalibratedWork work = work_of(value);
      Calibration calibration = calibration_of(value, work.size());
      calibrations.insert_or_assign(std::move(work), std::move(calibration));
    }
    add({machine.at("name").text(), machine.at("sha256").text()}, calibrations);
  }
}

const Calibrator::Calibrations& CalibrationFile::of(const CalibratedMachine& machine) const {
  const auto found = machines_.find(machine);
  if (found != machines_.end()) return found->second;
  const auto name = [](const CalibratedMachine& named) {
    constexpr std::size_t kDigits = 12;
    return fmt::format("{} ({})", named.name, named.sha256.substr(0, kDigits));
  };
  std::string there;
  for (const auto& [other, calibrations] : machines_)
    there += (there.empty() ? "" : ", ") + name(other);
  throw BadInput(fmt::format("{}: found calibrations of {}; allowed: of {}, the machine that runs",
                             path_, there.empty() ? "no machine" : there, name(machine)));
}

void CalibrationFile::add(const CalibratedMachine& machine,
                          const Calibrator::Calibrations& calibrations) {
  for (const auto& [work, calibration] : calibrations) machines_[machine][work].merge(calibration);
}

std::string CalibrationFile::text() const {
  Json machines = Json::array();
  for (const auto& [machine, calibrations] : machines_) {
    Json works = Json::array();
    for (const auto& [work, calibration] : calibrations)
      works.push_back(json_of(work, calibration));
    machines.push_back(
        {{"name", machine.name}, {"sha256", machine.sha256}, {"works", std::move(works)}});
  }
  const Json json{{kFormat, kVersion}, {"program", program_}, {"machines", std::move(machines)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fredsim
