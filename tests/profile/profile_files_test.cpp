// SPDX-License-Identifier: Apache-2.0
// Reading of profiles and hosts' traces: exact times, gzip, versions, damaged files.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "base/error.h"
#include "profile/host_trace.h"
#include "profile/kineto.h"
#include "profile/sample_profile.h"

namespace fredsim::test {
namespace {

using Json = nlohmann::json;

std::string message_of(const std::string& path) {
  try {
    read_kineto(path);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "no error";
}

void write_gzip(const std::string& path, const std::string& text) {
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(file);
}

TEST(Kineto, TimesAreExact) {
  const TemporaryFolder folder;
  // More digits than a double has: a difference of a nanosecond after 53 years.
  std::ofstream(folder.file("a.json")) << R"({"traceEvents": [
             {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7,
              "ts": 1694128201435418.123, "dur": 2.007, "args": {"stream": 7}},
             {"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7,
              "ts": 1694128201435420.131, "dur": 1, "args": {"stream": 7}}]})";
  const Kineto profile = read_kineto(folder.file("a.json"));
  ASSERT_EQ(profile.gpu.size(), 2U);
  EXPECT_EQ(profile.gpu[0].end, 2'007'000);
  EXPECT_EQ(profile.gpu[1].begin, 2'008'000);
}

TEST(Kineto, ReadsGzipAndListsOfEventsAndOldNames) {
  const TemporaryFolder folder;
  const SampleProfile sample = SampleProfile().cpu("x", 0, 5).kernel("a", 1, 2, 3).rank(3, 8);
  write_gzip(folder.file("a.json.gz"), sample.text());
  const Kineto zipped = read_kineto(folder.file("a.json.gz"));
  EXPECT_EQ(zipped.rank, 3);
  EXPECT_EQ(zipped.world, 8);
  EXPECT_EQ(zipped.gpu.size(), 1U);
  std::string list = Json::parse(sample.text())["traceEvents"].dump();
  for (const auto& [now, before] :
       {std::pair("\"cpu_op\"", "\"Operator\""), {"\"kernel\"", "\"Kernel\""}})
    list.replace(list.find(now), std::string(now).size(), before);
  std::ofstream(folder.file("list.json")) << list;
  const Kineto old = read_kineto(folder.file("list.json"));
  EXPECT_EQ(old.gpu.size(), 1U);
  EXPECT_EQ(old.cpu.size(), 1U);
}

TEST(Kineto, RefusesDamagedFilesByNameAndPlace) {
  const TemporaryFolder folder;
  const std::string text = SampleProfile().cpu("x", 0, 5).kernel("a", 1, 2, 3).text();
  std::ofstream(folder.file("cut.json")) << text.substr(0, text.size() / 2);
  EXPECT_PRED2(has_text, message_of(folder.file("cut.json")), "cut.json: no JSON at byte");
  write_gzip(folder.file("a.gz"), text);
  std::string zipped;
  {
    std::ifstream file(folder.file("a.gz"), std::ios::binary);
    zipped.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::ofstream(folder.file("cut.gz"), std::ios::binary) << zipped.substr(0, zipped.size() - 20);
  EXPECT_PRED2(has_text, message_of(folder.file("cut.gz")), "ends in the middle");
  zipped[zipped.size() - 6] ^= 0x55;  // its checksum
  std::ofstream(folder.file("bad.gz"), std::ios::binary) << zipped;
  EXPECT_PRED2(has_text, message_of(folder.file("bad.gz")), "is damaged");
  EXPECT_PRED2(has_text, message_of(folder.file("none.json")), "No such file");
  std::ofstream(folder.file("other.json")) << R"({"traceEvents": [], "x": 1})";
  EXPECT_PRED2(has_text, message_of(folder.file("other.json")), "found no operation");
  std::ofstream(folder.file("time.json"))
      << R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": -5}]})";
  EXPECT_PRED2(has_text, message_of(folder.file("time.json")), "event 0: dur: found -5");
  std::ofstream(folder.file("deep.json")) << std::string(100000, '[');
  EXPECT_PRED2(has_text, message_of(folder.file("deep.json")), "values 65 deep");
}

// A node in the flat form of 1.0.1, or with values and attributes as in later schemas.
Json host_node(int id, const std::string& name, int record, bool is_flat,
               const Json& values = Json::array(), const Json& outputs = Json::array()) {
  if (is_flat)
    return {{"id", id},          {"name", name},     {"rf_id", record},
            {"tid", 1},          {"inputs", values}, {"input_shapes", Json::array()},
            {"outputs", outputs}};
  return {{"id", id},
          {"name", name},
          {"inputs", {{"values", values}}},
          {"outputs", {{"values", outputs}}},
          {"attrs",
           {{{"name", "rf_id"}, {"type", "uint64"}, {"value", record}},
            {{"name", "tid"}, {"type", "uint64"}, {"value", 1}}}}};
}

TEST(HostTrace, GivesProfilesTheSizesThatTheyLack) {
  const Json tensor{434, 435, 0, 6144, 4, "cuda:0"};
  for (const bool is_flat : {true, false}) {
    for (const bool has_records : {true, false}) {
      const TemporaryFolder folder;
      Json nodes{host_node(2, "aten::add", 10, is_flat),
                 host_node(3, "record_param_comms", 11, is_flat,
                           {tensor, 5, 6, 0, "all_to_allv", {1, 2}, {3}}, {tensor}),
                 host_node(4, "## process_group:init ##", 1, is_flat,
                           {R"([{"pg_name": "0", "ranks": [], "group_size": 4}])"})};
      std::ofstream(folder.file("et.json"))
          << Json{{"schema", is_flat ? "1.0.1" : "1.1.0-chakra.0.0.4"}, {"nodes", nodes}}.dump();
      const auto record = [&](int number) {
        return has_records ? Json{{"Record function id", number}} : Json::object();
      };
      Kineto profile = SampleProfile()
                           .cpu("aten::add", 0, 2, record(10))
                           .cpu("record_param_comms", 3, 9, record(11))
                           .kernel("ncclKernel_SendRecv", 5, 8, 4, 40)
                           .read();
      const HostJoin found = join(profile, read_host_trace(folder.file("et.json")));
      EXPECT_EQ(found.joined, 2U);
      EXPECT_EQ(found.by_record, has_records ? 2U : 0U);
      const ProfileGraph graph = profile_graph(profile, {});
      EXPECT_EQ(graph.nodes.back().node.bytes, 24576U);
      EXPECT_EQ(graph.nodes.back().node.collective, TraceCollective::kAllToAll);
      EXPECT_EQ(profile.groups.at("0"), std::vector<int>({0, 1, 2, 3}));
      EXPECT_EQ(profile.calls.back().in_splits, std::vector<std::uint64_t>({1, 2}));
    }
  }
}

}  // namespace
}  // namespace fredsim::test
