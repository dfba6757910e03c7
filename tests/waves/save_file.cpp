#include "waves/save_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace fredsim {
namespace {

// "path", "path[3:0]", or "(2)path[3:0]", one bit of it.
SavedSignal signal_of(const std::string& text) {
  static const std::regex kForm(R"((?:\(\d+\))?(.*?)(?:\[(\d+):(\d+)\])?)");
  std::smatch part;
  std::regex_match(text, part, kForm);
  SavedSignal signal{.path = part[1]};
  if (part[2].matched) signal.bits = std::stoi(part[2]) - std::stoi(part[3]) + 1;
  return signal;
}

}  // namespace

SaveFile read_save_file(const std::string& path) {
  SaveFile save;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty()) continue;
    if (line.starts_with("^1 ")) {
      save.filters.push_back(line.substr(3));
    } else if (line[0] == '-') {
      if (!save.open_groups.empty() && save.open_groups.back() == line) {
        save.open_groups.pop_back();
      } else {
        save.open_groups.push_back(line);
      }
    } else if (line.starts_with("+{")) {  // with an alias
      save.signals.push_back(signal_of(line.substr(line.find("} ") + 2)));
    } else if (line.starts_with("#{")) {  // several as one vector
      std::istringstream words(line.substr(line.find('}') + 1));
      for (std::string word; words >> word;) save.signals.push_back(signal_of(word));
    } else if (std::string("[*@").find(line[0]) == std::string::npos) {
      save.signals.push_back(signal_of(line));
    }
  }
  return save;
}

std::vector<std::string> problems_of(const std::string& path, const std::vector<VcdName>& names) {
  std::vector<std::string> problems;
  const SaveFile save = read_save_file(path);
  if (save.signals.empty()) problems.emplace_back("no signals");
  std::map<std::string, int> bits_of;  // by path as GTKWave writes it
  for (const VcdName& name : names) {
    std::string dots = name.path;
    std::ranges::replace(dots, '/', '.');
    bits_of[dots] = name.bits;
  }
  for (const SavedSignal& signal : save.signals) {
    const auto found = bits_of.find(signal.path);
    if (found == bits_of.end()) {
      problems.push_back("no signal " + signal.path);
    } else if (found->second != signal.bits) {
      problems.push_back(signal.path + " has " + std::to_string(found->second) + " bits, not " +
                         std::to_string(signal.bits));
    }
  }
  for (const std::string& filter : save.filters) {
    if (filter.starts_with("/")) problems.push_back("absolute path " + filter);
    if (!std::filesystem::exists(filter)) problems.push_back("no filter file " + filter);
  }
  for (const std::string& group : save.open_groups) problems.push_back("open group " + group);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("[dumpfile") || line.starts_with("[savefile")) {
      problems.push_back("names a file of one's own: " + line);
    }
  }
  return problems;
}

}  // namespace fredsim
