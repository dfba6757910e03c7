// SPDX-License-Identifier: Apache-2.0
// Waveform files read back: GTKWave's fst2vcd turns an FST file into a value change dump, which is
// read here time by time.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fredsim {

// All values at a time, by path with '/' between its parts, without the range: "links/a__b/valid".
struct VcdState {
  std::map<std::string, std::uint64_t> values;  // signals of 64 bits at most
  std::map<std::string, std::string> bits;      // wider signals, the most significant bit first
  std::uint64_t at(const std::string& path) const { return values.at(path); }
};

struct VcdName {
  std::string path, range;  // "[7:0]", empty of one bit
  int bits = 0;
};

std::string run_fst2vcd(const std::string& fst);
// The declarations at the head of a dump.
std::vector<VcdName> vcd_names(const std::string& vcd);

// on_time(time in the file's unit, state), at every time of the dump.
template <typename OnTime>
void read_vcd(std::istream& vcd, const OnTime& on_time) {
  std::map<std::string, std::vector<std::string>> paths;  // by identifier
  std::map<std::string, std::size_t> widths;
  std::vector<std::string> scope;
  VcdState state;
  std::uint64_t time = 0;
  bool has_time = false;
  std::string line;
  while (std::getline(vcd, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> word;
      scope.push_back(word);
    } else if (word == "$upscope") {
      scope.pop_back();
    } else if (word == "$var") {
      std::string type, bits, id, name;
      words >> type >> bits >> id >> name;
      std::string path;
      for (const std::string& part : scope) path += part + "/";
      paths[id].push_back(path + name);
      widths[id] = std::stoul(bits);
    } else if (line[0] == '#') {
      if (has_time) on_time(time, state);
      has_time = true;
      time = std::stoull(line.substr(1));
    } else if (line[0] == '0' || line[0] == '1') {
      for (const std::string& path : paths[line.substr(1)]) state.values[path] = line[0] == '1';
    } else if (line[0] == 'b') {
      std::string id;
      words >> id;
      word.erase(0, 1);
      const std::size_t width = widths[id];
      if (word.size() < width) word.insert(0, width - word.size(), '0');
      for (const std::string& path : paths[id]) {
        if (width > 64) {
          state.bits[path] = word;
        } else {
          state.values[path] = std::stoull(word, nullptr, 2);
        }
      }
    }
  }
  if (has_time) on_time(time, state);
}

}  // namespace fredsim
