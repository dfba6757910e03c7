// SPDX-License-Identifier: Apache-2.0
// Writes traces of Netrace for tests, from the format's description (traffic/netrace_file.h): as
// plain bytes, or compressed.
#pragma once

#include <bzlib.h>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fredsim::test {

struct WrittenPacket {
  std::uint64_t cycle = 0;
  std::uint32_t id = 0;
  int source = 0, destination = 0;
  std::vector<std::uint32_t> dependents{};
  int type = 1;  // ReadReq, 8 bytes; 2 is ReadResp, 72 bytes
};

struct WrittenRegion {
  std::uint64_t offset = 0, cycles = 0, packets = 0;
};

class NetraceWriter {
 public:
  explicit NetraceWriter(int nodes, std::string notes = "a test")
      : nodes_(nodes), notes_(std::move(notes)) {}

  void add(const WrittenPacket& packet) {
    ++packets_;
    cycles_ = packet.cycle;
    put(packet.cycle, 8);
    put(packet.id, 4);
    put(0xABCD, 4);
    put(static_cast<std::uint64_t>(packet.type), 1);
    put(static_cast<std::uint64_t>(packet.source), 1);
    put(static_cast<std::uint64_t>(packet.destination), 1);
    put(0, 1);
    put(packet.dependents.size(), 1);
    for (const std::uint32_t id : packet.dependents) put(id, 4);
  }
  // The next packet begins a region, which has all packets up to the next one.
  void begin_region() { regions_.push_back({.offset = body_.size(), .packets = packets_}); }

  std::string text() const {
    NetraceWriter header(nodes_);
    header.put(0x484A5455, 4);
    header.put(std::bit_cast<std::uint32_t>(1.0F), 4);
    std::string name = "synthetic";
    name.resize(30);
    header.body_ += name;
    header.put(static_cast<std::uint64_t>(nodes_), 1);
    header.put(0, 1);
    header.put(cycles_, 8);
    header.put(packets_, 8);
    header.put(notes_.size() + 1, 4);
    header.put(regions_.size(), 4);
    header.put(0, 8);
    header.body_ += notes_ + '\0';
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const std::uint64_t end = r + 1 < regions_.size() ? regions_[r + 1].packets : packets_;
      header.put(regions_[r].offset, 8);
      header.put(cycles_, 8);
      header.put(end - regions_[r].packets, 8);
    }
    return header.body_ + body_;
  }

 private:
  void put(std::uint64_t number, int bytes) {
    for (int byte = 0; byte < bytes; ++byte) body_ += static_cast<char>(number >> 8 * byte & 0xFFU);
  }

  int nodes_;
  std::string notes_;
  std::string body_;
  std::uint64_t packets_ = 0, cycles_ = 0;
  std::vector<WrittenRegion> regions_;
};

inline std::string bzip2_of(std::string text) {
  std::string packed(text.size() + text.size() / 50 + 1000, '\0');
  auto size = static_cast<unsigned>(packed.size());
  if (BZ2_bzBuffToBuffCompress(packed.data(), &size, text.data(),
                               static_cast<unsigned>(text.size()), 9, 0, 0) != BZ_OK)
    throw std::runtime_error("bzip2 failed");
  packed.resize(size);
  return packed;
}

}  // namespace fredsim::test
