// SPDX-License-Identifier: Apache-2.0
// Traces of a small job: layers of computation and all-reduce, two groups of two, a gradient over
// the others.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "workload_files/chakra_writer.h"

namespace fredsim {

class TraceFolder {
 public:
  TraceFolder()
      : path_(std::filesystem::temp_directory_path() / fmt::format("synthesis.{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

struct SmallJob {
  int layers = 4;
  std::uint64_t bytes = 123'456;          // of an all-reduce
  std::uint64_t duration_ps = 7'654'321;  // of a layer
};

// Writes NAME.0.et … NAME.3.et and NAME.groups.json; the prefix.
inline std::string write_small_job(const TraceFolder& folder, const std::string& name,
                                   const SmallJob& job = {}) {
  for (int rank = 0; rank < 4; ++rank) {
    ChakraWriter writer;
    std::uint64_t id = 0;
    for (int layer = 0; layer < job.layers; ++layer) {
      TraceNode computation{.id = id, .name = "secret layer", .type = TraceNodeType::kCompute};
      if (id > 0) computation.after = {id - 1};
      computation.duration_ps = job.duration_ps;
      writer.add(computation);
      TraceNode reduction{.id = id + 1,
                          .name = "secret reduction",
                          .type = TraceNodeType::kCollective,
                          .after = {id}};
      reduction.bytes = job.bytes;
      reduction.priority = 2;
      reduction.group = rank < 2 ? "tensor a" : "tensor b";
      writer.add(reduction);
      id += 2;
    }
    TraceNode gradient{
        .id = id, .name = "secret gradient", .type = TraceNodeType::kCollective, .after = {id - 1}};
    gradient.bytes = 10 * job.bytes;
    gradient.group = rank % 2 == 0 ? "data even" : "data odd";
    writer.add(gradient);
    folder.write(fmt::format("{}.{}.et", name, rank), writer.text());
  }
  folder.write(name + ".groups.json",
               R"({"tensor a":[0,1],"tensor b":[2,3],"data even":[0,2],"data odd":[1,3]})");
  return folder.file(name);
}

}  // namespace fredsim
