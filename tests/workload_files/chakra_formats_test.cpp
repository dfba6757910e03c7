// SPDX-License-Identifier: Apache-2.0
// Traces between protobuf and JSON: nothing is lost, whatever kind an attribute has.
#include "workload_files/chakra_formats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/temporary_folder.h"
#include "support/traces.h"

namespace fredsim {
namespace {

// Wire format of random messages, in the order and packing of protobuf's own writer.
class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

  std::string metadata() {
    std::string text = optional_text(1);
    for (std::uint64_t n = random_.below(4); n > 0; --n) text += attribute(2);
    return delimited(text);
  }

  std::string node(std::uint64_t id) {
    std::string text = id == 0 ? "" : varint_field(1, id);
    text += optional_text(2);
    if (const std::uint64_t type = random_.below(9); type != 0) text += varint_field(3, type);
    for (const int field : {4, 5}) {
      std::string ids;
      for (std::uint64_t n = random_.below(4); n > 0; --n) ids += varint(number());
      if (!ids.empty()) text += bytes_field(field, ids);
    }
    for (const int field : {6, 7})
      if (const std::uint64_t time = number(); time != 0) text += varint_field(field, time);
    for (const int field : {8, 9})
      if (random_.below(2) != 0)
        text += bytes_field(field, optional_text(1) + optional_text(2) + optional_text(3));
    for (std::uint64_t n = random_.below(6); n > 0; --n) text += attribute(10);
    if (random_.below(8) == 0) text += varint_field(99, number());
    return delimited(text);
  }

  static constexpr int kFirstKind = 3, kLastKind = 32;  // field numbers of values
  std::string attribute(int field) {
    const auto kind = kFirstKind + static_cast<int>(random_.below(kLastKind + 1 - kFirstKind));
    return bytes_field(
        field, optional_text(1) + optional_text(2) + (random_.below(12) == 0 ? "" : value(kind)));
  }

 private:
  std::uint64_t number() { return random_.next() >> random_.below(64); }

  std::string text(bool is_utf8) {
    static const std::vector<std::string> kPieces{
        "a", "\"", "\\", "é", "\n", "世", std::string(1, '\0'), "[{", "x=1", "😀"};
    std::string made;
    for (std::uint64_t n = random_.below(5); n > 0; --n)
      made += is_utf8 ? kPieces[random_.below(kPieces.size())]
                      : std::string(1, static_cast<char>(random_.next()));
    return made;
  }

  std::string optional_text(int field) {
    const std::string made = text(true);
    return made.empty() ? "" : bytes_field(field, made);
  }

  static std::string fixed(std::uint64_t value, int bytes) {
    std::string made;
    for (int k = 0; k < bytes; ++k) made.push_back(static_cast<char>(value >> (8 * k)));
    return made;
  }

  template <class Real, class Bits>
  std::uint64_t real() {
    const std::vector<Real> special{Real{0},
                                    -Real{0},
                                    std::numeric_limits<Real>::infinity(),
                                    -std::numeric_limits<Real>::infinity(),
                                    std::numeric_limits<Real>::quiet_NaN(),
                                    std::numeric_limits<Real>::denorm_min(),
                                    std::numeric_limits<Real>::max(),
                                    Real(0.1),
                                    Real{300}};
    if (random_.below(2) == 0) return std::bit_cast<Bits>(special[random_.below(special.size())]);
    const auto any = static_cast<Bits>(random_.next());
    return std::isnan(std::bit_cast<Real>(any)) ? 0 : any;  // payloads of NaN are not kept
  }

  // Value of one entry, without tag: kinds by the number of the scalar's field.
  std::string scalar(int kind) {
    switch (kind) {
      case 3:
        return fixed(real<double, std::uint64_t>(), 8);
      case 5:
        return fixed(real<float, std::uint32_t>(), 4);
      case 7:  // negative numbers of 32 bits have ten bytes
        return varint(
            static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(number())}));
      case 11:
        return varint(static_cast<std::uint32_t>(number()));
      case 15:
        return varint(static_cast<std::uint32_t>(number()));
      case 19:
      case 23:
        return fixed(number(), 4);
      case 21:
      case 25:
        return fixed(number(), 8);
      case 27:
        return varint(random_.below(2));
      default:
        return varint(number());
    }
  }

  std::string value(int kind) {
    const bool is_list = kind % 2 == 0;
    const int of = is_list ? kind - 1 : kind;
    const bool is_text = of == 29 || of == 31;
    if (is_text && !is_list) return bytes_field(kind, text(of == 29));
    std::string values;
    if (!is_list) {
      const int wire = of == 3 || of == 21 || of == 25   ? 1
                       : of == 5 || of == 19 || of == 23 ? 5
                                                         : 0;
      return varint(static_cast<std::uint64_t>(kind) << 3 | static_cast<std::uint64_t>(wire)) +
             scalar(of);
    }
    for (std::uint64_t n = random_.below(4); n > 0; --n)
      values += is_text ? bytes_field(1, text(of == 29)) : scalar(of);
    if (is_text) return bytes_field(kind, values);
    return bytes_field(kind, values.empty() ? "" : bytes_field(1, values));
  }

  Random random_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ChakraFormats : public testing::Test {
 protected:
  std::string converted(const std::string& from, ChakraFormat to, const std::string& name) {
    write_file(folder_.file(name), chakra_text(folder_.file(from), to));
    return bytes_of(folder_.file(name));
  }
  TemporaryFolder folder_;
};

TEST_F(ChakraFormats, ThousandRandomGraphsComeBackToTheByte) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomMessages random(seed);
    std::string graph = random.metadata();
    for (std::uint64_t id = 0; id < 1 + seed % 9; ++id) graph += random.node(id * id * 77);
    write_file(folder_.file("a.et"), graph);
    const std::string json = converted("a.et", ChakraFormat::kJson, "b.json");
    ASSERT_EQ(converted("b.json", ChakraFormat::kProtobuf, "c.et"), graph) << seed << "\n" << json;
    const std::string lines = converted("b.json", ChakraFormat::kJsonLines, "d.jsonl");
    ASSERT_EQ(converted("d.jsonl", ChakraFormat::kProtobuf, "e.et"), graph) << seed << "\n"
                                                                            << lines;
    ASSERT_EQ(converted("d.jsonl", ChakraFormat::kJson, "f.json"), json) << seed;
    ASSERT_EQ(nlohmann::json::parse(json).size(), 2 + seed % 9) << seed;
  }
}

// Each kind, and each as a list, as protobuf's mapping writes it.
TEST_F(ChakraFormats, EachKindOfAttributeHasItsKey) {
  const std::vector<std::string> kinds{"double",   "float",    "int32",  "int64",   "uint32",
                                       "uint64",   "sint32",   "sint64", "fixed32", "fixed64",
                                       "sfixed32", "sfixed64", "bool",   "string",  "bytes"};
  std::string all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) all += RandomMessages(seed).node(seed);
  write_file(folder_.file("a.et"), delimited("") + all);
  const std::string json = converted("a.et", ChakraFormat::kJsonLines, "b.jsonl");
  for (const std::string& kind : kinds)
    for (const char* const form : {"Val", "List"})
      EXPECT_NE(json.find(fmt::format("\"{}{}\":", kind, form)), std::string::npos) << kind << form;
}

TEST_F(ChakraFormats, ExactTextOfAMessage) {
  const auto attribute = [](const std::string& name, const std::string& value) {
    return bytes_field(10, bytes_field(1, name) + value);
  };
  write_file(
      folder_.file("a.et"),
      delimited(bytes_field(1, "0.0.4")) +
          delimited(varint_field(1, ~std::uint64_t{0}) + bytes_field(2, "mm") + varint_field(3, 4) +
                    bytes_field(5, varint(7)) + attribute("n", varint_field(9, 1)) +
                    attribute("b", bytes_field(31, "\xff\x01")) +
                    attribute("l", bytes_field(28, bytes_field(1, varint(1) + varint(0))))));
  EXPECT_EQ(
      converted("a.et", ChakraFormat::kJson, "b.json"),
      "[\n{\"version\":\"0.0.4\"},\n"
      R"({"id":"18446744073709551615","name":"mm","type":"COMP_NODE","dataDeps":["7"],"attr":[)"
      R"({"name":"n","int64Val":"1"},{"name":"b","bytesVal":"/wE="},)"
      R"({"name":"l","boolList":{"values":[true,false]}}]})"
      "\n]\n");
}

TEST_F(ChakraFormats, TextThatIsNotUtf8HasNoJson) {
  write_file(folder_.file("a.et"),
             delimited("") + delimited(varint_field(1, 4) + bytes_field(2, "\xff")));
  EXPECT_NE(refusal_of([&] {
              converted("a.et", ChakraFormat::kJson, "b.json");
            }).find("a.et: node 4: found text that is not UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim
