// SPDX-License-Identifier: Apache-2.0
// Reads a JSON file, plain or compressed by gzip, as a stream of events.
//
// Memory: a block of the file; profiles of several GB are never held as text.
// Errors: BadInput with the file: it cannot be read; its gzip data is damaged or ends early; no
//   JSON, with the offset in the text, where the text ends in the middle.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fredsim {

using JsonEvents = nlohmann::json_sax<nlohmann::json>;

// Base of handlers: ignores everything.
class IgnoredJson : public JsonEvents {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
};

// Feeds `events`, whose own exceptions pass through.
void read_json_file(const std::string& path, IgnoredJson& events);

// Passes the values of one object per entry of a list to a function: {"LIST": [{…}, …], …}.
// Nested values arrive as JSON of their own; the object is held, not the list.
class JsonListReader : public IgnoredJson {
 public:
  // `list`: key of the list, at the top of the file. A file that is a list itself is read likewise.
  explicit JsonListReader(std::string list) : list_(std::move(list)) {}
  virtual void entry(nlohmann::json& object) = 0;                          // one of the list
  virtual void member(const std::string& key, nlohmann::json& value) = 0;  // another one on top

  bool null() final { return add(nullptr); }
  bool boolean(bool value) final { return add(value); }
  bool number_integer(number_integer_t value) final { return add(value); }
  bool number_unsigned(number_unsigned_t value) final { return add(value); }
  bool number_float(number_float_t value, const string_t& text) final {
    // Times have more digits than a double: keys in `exact` keep their text.
    return is_exact(key_) ? add(text) : add(value);
  }
  bool string(string_t& value) final { return add(std::move(value)); }
  bool key(string_t& name) final;
  bool start_object(std::size_t) final { return open(nlohmann::json::object()); }
  bool start_array(std::size_t) final { return open(nlohmann::json::array()); }
  bool end_object() final { return close(); }
  bool end_array() final { return close(); }

 protected:
  // Numbers of this key are kept as text where they have a fraction.
  virtual bool is_exact(const std::string& key) const = 0;

 private:
  bool add(nlohmann::json value);
  bool open(nlohmann::json value);
  bool close();

  const std::string list_;
  std::string key_, top_key_;
  int depth_ = 0;                       // containers open outside of `held_`
  std::vector<nlohmann::json> held_;    // containers open inside of an entry or member
  std::vector<std::string> held_keys_;  // key under which each is put into the one before
};

}  // namespace fredsim
