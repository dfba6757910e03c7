// SPDX-License-Identifier: Apache-2.0
// Profiles of PyTorch made by hand: one thread, or a backward thread too, times in µs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "profile/profile_graph.h"
#include "support/temporary_folder.h"

namespace fredsim::test {

// For EXPECT_PRED2: a message has a text.
inline bool has_text(const std::string& message, const std::string& text) {
  return message.find(text) != std::string::npos;
}

class SampleProfile {
 public:
  using Json = nlohmann::json;

  static constexpr int kMain = 100, kBackward = 200;

  SampleProfile& cpu(const std::string& name, double at, double length, Json args = Json::object(),
                     int thread = kMain) {
    return add("cpu_op", name, at, length, thread, std::move(args));
  }
  SampleProfile& step(int number, double at, double length) {
    return add("user_annotation", fmt::format("ProfilerStep#{}", number), at, length, kMain,
               Json::object());
  }
  // A call at `called` that launches a kernel at `at`.
  SampleProfile& kernel(const std::string& name, double called, double at, double length,
                        int stream = 7, int thread = kMain) {
    ++correlation_;
    add("cuda_runtime", "cudaLaunchKernel", called, 1, thread, {{"correlation", correlation_}});
    return on_gpu("kernel", name, at, length, stream);
  }
  SampleProfile& copy(const std::string& name, double called, double at, double length,
                      std::uint64_t bytes, int stream = 7) {
    ++correlation_;
    add("cuda_runtime", "cudaMemcpyAsync", called, 1, kMain, {{"correlation", correlation_}});
    on_gpu("gpu_memcpy", name, at, length, stream);
    events_.back()["args"]["bytes"] = bytes;
    return *this;
  }
  SampleProfile& runtime(const std::string& name, double at, double length, int thread = kMain) {
    ++correlation_;
    return add("cuda_runtime", name, at, length, thread, {{"correlation", correlation_}});
  }
  // A call of torch.distributed from `at` on, with a kernel that it launches 2 µs later, on stream 40
  // unless `more` has another.
  SampleProfile& collective(const std::string& name, std::uint64_t elements, double at,
                            double begins, double length, Json more = Json::object(),
                            int thread = kMain) {
    const int stream = more.value("stream", 40);
    Json args{{"Collective name", name},
              {"In msg nelems", elements},
              {"Out msg nelems", elements},
              {"dtype", "Float"}};
    args.update(more);
    cpu("record_param_comms", at, 5, args, thread);
    return kernel("ncclKernel_" + name, at + 2, begins, length, stream, thread);
  }
  SampleProfile& wait(double at, int thread = kMain) {
    return cpu("record_param_comms", at, 1, {{"Collective name", "wait"}}, thread);
  }
  SampleProfile& event(Json event) {
    events_.push_back(std::move(event));
    return *this;
  }
  // Number of the process of all further events.
  SampleProfile& process(int number) {
    process_ = number;
    return *this;
  }
  // Device of all further operations of the GPU.
  SampleProfile& device(int number) {
    device_ = number;
    return *this;
  }
  SampleProfile& rank(int rank, int world) {
    top_["distributedInfo"] = {{"rank", rank}, {"world_size", world}};
    return *this;
  }

  std::string text() const {
    Json all = top_;
    all["traceEvents"] = events_;
    return all.dump();
  }
  std::string write(const TemporaryFolder& folder, const std::string& name = "trace.json") const {
    std::ofstream(folder.file(name)) << text();
    return folder.file(name);
  }
  Kineto read() const {
    const TemporaryFolder folder;
    return read_kineto(write(folder));
  }
  ProfileGraph graph(const ProfileOptions& options = {}) const {
    return profile_graph(read(), options);
  }

 private:
  SampleProfile& add(const char* category, const std::string& name, double at, double length,
                     int thread, Json args) {
    events_.push_back({{"ph", "X"},
                       {"cat", category},
                       {"name", name},
                       {"pid", process_},
                       {"tid", thread},
                       {"ts", at},
                       {"dur", length},
                       {"args", std::move(args)}});
    return *this;
  }
  SampleProfile& on_gpu(const char* category, const std::string& name, double at, double length,
                        int stream) {
    add(category, name, at, length, stream,
        {{"correlation", correlation_}, {"stream", stream}, {"device", device_}});
    return *this;
  }

  Json top_ = Json::object();
  Json events_ = Json::array();
  int correlation_ = 0, process_ = 1, device_ = 0;
};

}  // namespace fredsim::test
