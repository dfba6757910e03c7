// SPDX-License-Identifier: Apache-2.0
// A message between the processes of a run (ranks/ranks.h): a sequence of values, read in the order
// in which they were put.
//
// Values are trivially copyable and sent as they lie in memory: the processes are of one build
//   (Ranks::greet()). The first bytes belong to Ranks.
// Errors: std::logic_error for a read beyond the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fredsim {

class RankMessage {
 public:
  RankMessage() : bytes_(kHeader) {}

  // ---- writing of values
  void clear() {
    bytes_.resize(kHeader);
    next_ = kHeader;
  }
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  template <typename T>
  void put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<std::uint64_t>(values.size()));
    put_bytes(values.data(), values.size_bytes());
  }
  template <typename T>
  void put_all(const std::vector<T>& values) {
    put_all(std::span<const T>(values));
  }
  void append(const RankMessage& other) {
    put_bytes(other.bytes_.data() + kHeader, other.bytes_.size() - kHeader);
  }
  void put_text(std::string_view text) { put_all(std::span<const char>(text)); }

  // ---- reading of values
  template <typename T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <typename T>
  void get_all(std::vector<T>& values) {
    values.resize(get<std::uint64_t>());
    const std::size_t bytes = values.size() * sizeof(T);
    if (bytes != 0) std::memcpy(values.data(), take(bytes), bytes);
  }
  template <typename T>
  std::vector<T> get_all() {
    std::vector<T> values;
    get_all(values);
    return values;
  }
  std::string get_text() {
    const std::vector<char> text = get_all<char>();
    return {text.begin(), text.end()};
  }
  bool is_read() const { return next_ == bytes_.size(); }

  // ---- access by Ranks and transports
  static constexpr std::size_t kHeader = 16;
  std::vector<std::byte>& bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  void put_bytes(const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    std::memcpy(&bytes_[at], from, bytes);
  }
  const std::byte* take(std::size_t bytes) {
    if (bytes > bytes_.size() - next_) throw std::logic_error("a message between ranks is short");
    const std::byte* const at = bytes_.data() + next_;
    next_ += bytes;
    return at;
  }

  std::vector<std::byte> bytes_;
  std::size_t next_ = kHeader;
};

}  // namespace fredsim
