// SPDX-License-Identifier: Apache-2.0
#include "study/study_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace fredsim {
namespace {

bool is_setting(const StudyAxis& axis, const StudyWork& work) {
  return std::ranges::none_of(work.options,
                              [&](const StudyAxis& option) { return &option == &axis; });
}

const StudyAxis* find_axis(const std::vector<StudyAxis>& axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &StudyAxis::name);
  return found == axes.end() ? nullptr : &*found;
}

}  // namespace

StudyPoints::StudyPoints(const Study& study) : study_(study) {
  std::size_t points = 0;
  for (const StudyWork& work : study.works) {
    for (const StudyMachine& machine : study.machines) {
      Block block = block_of(work, machine);
      block.first = points;
      for (const Dimension& dimension : block.dimensions) {
        if (block.points > kMaxStudyPoints / dimension.length) block.points = kMaxStudyPoints + 1;
        if (block.points > kMaxStudyPoints) break;
        block.points *= dimension.length;
      }
      points += block.points;
      if (points > kMaxStudyPoints) {
        throw BadInput(
            fmt::format("{}: {}: found a product of more than {} points, with those before it; "
                        "allowed: {} at most",
                        work.where, work.command, kMaxStudyPoints, kMaxStudyPoints));
      }
      blocks_.push_back(std::move(block));
    }
  }
  for (std::size_t number = 0; number < points; ++number) {
    if (study.exclusions.empty() || !is_excluded(product(number)))
      included_.push_back(static_cast<std::uint32_t>(number));
  }
  if (included_.empty()) {
    throw BadInput(fmt::format(
        "{}: exclude: found that all {} points are left out; allowed: one point or more",
        study.exclusions.front().where, points));
  }
}

StudyPoints::Block StudyPoints::block_of(const StudyWork& work, const StudyMachine& machine) const {
  Block block{.work = &work, .machine = &machine, .dimensions = {}};
  const auto add = [&](const StudyAxis& axis) {
    block.dimensions.push_back({.axes = {&axis}, .length = axis.values.size()});
  };
  for (const StudyAxis& axis : study_.settings)
    if (find_axis(machine.settings, axis.name) == nullptr) add(axis);
  for (const StudyAxis& axis : machine.settings) add(axis);
  for (const StudyAxis& axis : work.options) add(axis);
  if (study_.seeds) add(*study_.seeds);
  zip(block);
  return block;
}

void StudyPoints::zip(Block& block) const {
  for (const StudyZip& zip : study_.zips) {
    std::vector<Dimension>& all = block.dimensions;
    const auto has_axis = [&](const std::string& name) {
      return std::ranges::find_if(
          all, [&](const Dimension& dimension) { return dimension.axes.front()->name == name; });
    };
    std::vector<std::string> missing;
    for (const std::string& name : zip.axes)
      if (has_axis(name) == all.end()) missing.push_back(name);
    if (missing.size() == zip.axes.size()) continue;
    if (!missing.empty()) {
      throw BadInput(fmt::format(
          "{}: zip: found no axis {} for {} on {}, which has others of them; allowed: all or none",
          zip.where, missing.front(), block.work->command, block.machine->file));
    }
    const auto first = std::ranges::min_element(zip.axes, {}, has_axis);
    Dimension together = *has_axis(*first);
    for (const std::string& name : zip.axes) {
      if (name == *first) continue;
      const auto other = has_axis(name);
      if (other->length != together.length) {
        throw BadInput(
            fmt::format("{}: zip: found {} values of {} and {} of {}; allowed: as many of each",
                        zip.where, together.length, *first, other->length, name));
      }
      together.axes.push_back(other->axes.front());
      all.erase(other);
    }
    *has_axis(*first) = std::move(together);
  }
}

bool StudyPoints::is_excluded(const StudyPoint& point) const {
  return std::ranges::any_of(study_.exclusions, [&](const StudyExclusion& exclusion) {
    return std::ranges::all_of(exclusion.values, [&](const auto& one) {
      const std::string* const value = value_of(point, one.first);
      return value != nullptr && std::ranges::find(one.second, *value) != one.second.end();
    });
  });
}

StudyPoint StudyPoints::product(std::size_t number) const {
  const Block& block = *std::prev(std::ranges::upper_bound(blocks_, number, {}, &Block::first));
  StudyPoint point{.machine = block.machine, .work = block.work, .settings = {}, .options = {}};
  std::size_t rest = number - block.first;
  std::size_t points = block.points;
  for (const Dimension& dimension : block.dimensions) {
    points /= dimension.length;
    const std::size_t at = rest / points;
    rest %= points;
    for (const StudyAxis* const axis : dimension.axes) {
      const PointValue chosen{axis, &axis->values[at]};
      if (axis->name == kSeedAxis) {
        point.seed = chosen.value;
      } else {
        (is_setting(*axis, *block.work) ? point.settings : point.options).push_back(chosen);
      }
    }
  }
  return point;
}

const std::string* value_of(const StudyPoint& point, std::string_view axis) {
  if (axis == kMachineAxis) return &point.machine->file;
  if (axis == kCommandAxis) return &point.work->command;
  if (axis == kSeedAxis) return point.seed == nullptr ? nullptr : &point.seed->text;
  for (const std::vector<PointValue>* const values : {&point.settings, &point.options}) {
    for (const PointValue& one : *values)
      if (one.axis->name == axis) return &one.value->text;
  }
  return nullptr;
}

std::vector<std::string> command_of(const StudyPoint& point) {
  std::vector<std::string> words{point.work->command, point.machine->file};
  for (const auto& [axis, value] : point.settings) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}={}", axis->name, value->words.front()));
  }
  for (const auto& [axis, value] : point.options) {
    if (axis->form == OptionForm::kFlag) {
      if (value->text == "true") words.push_back(fmt::format("--{}", axis->name));
      continue;
    }
    for (const std::string& word : value->words)
      words.push_back(fmt::format("--{}={}", axis->name, word));
  }
  if (point.seed != nullptr) words.push_back(fmt::format("--{}={}", kSeedAxis, point.seed->text));
  return words;
}

}  // namespace fredsim
