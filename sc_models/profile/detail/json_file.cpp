// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/json_file.h"

#include <fmt/format.h>

#include <istream>
#include <utility>

#include "base/error.h"
#include "workload_files/gzip_blocks.h"

namespace fredsim {
namespace {

// Passes events on and keeps the place of an error.
class Placed final : public JsonEvents {
 public:
  Placed(const std::string& path, IgnoredJson& events) : path_(path), events_(events) {}
  bool null() override { return events_.null(); }
  bool boolean(bool value) override { return events_.boolean(value); }
  bool number_integer(number_integer_t value) override { return events_.number_integer(value); }
  bool number_unsigned(number_unsigned_t value) override { return events_.number_unsigned(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return events_.number_float(value, text);
  }
  bool string(string_t& value) override { return events_.string(value); }
  bool binary(binary_t& value) override { return events_.binary(value); }
  bool start_object(std::size_t size) override { return deeper() && events_.start_object(size); }
  bool key(string_t& name) override { return events_.key(name); }
  bool end_object() override { return --depth_, events_.end_object(); }
  bool start_array(std::size_t size) override { return deeper() && events_.start_array(size); }
  bool end_array() override { return --depth_, events_.end_array(); }
  bool parse_error(std::size_t offset, const std::string& token,
                   const nlohmann::detail::exception&) override {
    throw BadInput(fmt::format(
        "{}: no JSON at byte {}{}", path_, offset,
        token.empty() ? ": the text ends in the middle" : fmt::format(": found '{:.20}'", token)));
  }

 private:
  bool deeper() {
    constexpr int kDeepest = 64;
    if (++depth_ > kDeepest)
      throw BadInput(
          fmt::format("{}: found values {} deep; allowed: {} at most", path_, depth_, kDeepest));
    return true;
  }
  const std::string& path_;
  IgnoredJson& events_;
  int depth_ = 0;
};

}  // namespace

void read_json_file(const std::string& path, IgnoredJson& events) {
  GzipBlocks blocks(path);
  std::istream stream(&blocks);
  stream.exceptions(std::ios::badbit);  // errors of the file pass through
  Placed placed(path, events);
  nlohmann::json::sax_parse(stream, &placed);
}

bool JsonListReader::key(string_t& name) {
  key_ = name;
  if (held_.empty() && depth_ == 1) top_key_ = name;
  return true;
}

// Values on top of the file outside of the list, and values inside of an entry.
bool JsonListReader::add(nlohmann::json value) {
  if (!held_.empty()) {
    nlohmann::json& into = held_.back();
    if (into.is_array())
      into.push_back(std::move(value));
    else
      into[key_] = std::move(value);
    return true;
  }
  if (depth_ == 1 && !top_key_.empty()) member(top_key_, value);
  return true;
}

bool JsonListReader::open(nlohmann::json value) {
  const bool is_list = depth_ == 0 && value.is_array();  // the file is the list itself
  if (held_.empty() && (depth_ == 0 || (depth_ == 1 && top_key_ == list_ && value.is_array()))) {
    depth_ += is_list ? 2 : 1;
    return true;
  }
  held_keys_.push_back(key_);
  held_.push_back(std::move(value));
  return true;
}

bool JsonListReader::close() {
  if (held_.empty()) {
    if (depth_ == 2) top_key_.clear();
    --depth_;
    return true;
  }
  nlohmann::json value = std::move(held_.back());
  held_.pop_back();
  key_ = std::move(held_keys_.back());
  held_keys_.pop_back();
  if (!held_.empty()) return add(std::move(value));
  if (depth_ == 2)
    entry(value);
  else
    member(top_key_, value);
  return true;
}

}  // namespace fredsim
