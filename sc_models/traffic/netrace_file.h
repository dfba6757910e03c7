// SPDX-License-Identifier: Apache-2.0
// Reads traces of Netrace (University of Texas at Austin, version 1.0): packets of a multi-core's
// caches and memory controllers, with the packets that depend on each.
//
// File: bzip2, as the traces are published, or the plain bytes; little endian, no alignment.
//   header  magic 0x484A5455 u32, version f32, benchmark char[30], nodes u8, padding, cycles u64,
//           packets u64, length of notes u32, regions u32, 8 bytes; the notes; per region its offset
//           behind the header, cycles and packets, u64 each
//   packet  cycle u64, id u32, address u32, type u8, source u8, destination u8, node types u8,
//           dependents u8; ids of its dependents, u32 each
//   Packets are in order of cycle and of id. A dependent is a later packet, which cannot leave before
//   this one has arrived: dependencies have no circles.
// Memory: a block of the file. The whole file is never in memory.
// Errors: BadInput with the option, the file, the byte or packet, what was found and what is
//   allowed: no trace, another version, a cut file, packets out of order, a node or type that does
//   not exist, a dependent that is not later, other counts than the header's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fredsim {

inline constexpr const char* kNetraceOption = "--netrace";
inline constexpr int kMaxNetraceRegions = 1000;

struct NetraceRegion {
  std::uint64_t offset = 0;  // bytes behind the header
  std::uint64_t cycles = 0;
  std::uint64_t packets = 0;
};

struct NetraceHeader {
  std::string benchmark;
  std::string notes;
  int nodes = 0;
  std::uint64_t cycles = 0;
  std::uint64_t packets = 0;
  std::vector<NetraceRegion> regions;
};

struct NetracePacket {
  std::uint64_t cycle = 0;  // earliest cycle at which it may leave
  std::uint32_t id = 0;
  int source = 0, destination = 0;
  int bytes = 0;                          // size of its type
  std::vector<std::uint32_t> dependents;  // ids
};

class NetraceFile {
 public:
  // `region`: number of the region that is read; none: all packets.
  NetraceFile(const std::string& path, std::optional<int> region);
  ~NetraceFile();
  NetraceFile(const NetraceFile&) = delete;
  NetraceFile& operator=(const NetraceFile&) = delete;

  const NetraceHeader& header() const { return header_; }
  // The next packet; none: the end of the file or region.
  std::optional<NetracePacket> next();

 private:
  class Bytes;

  void read_header();
  void seek(int region);
  void check(const NetracePacket& packet, int type);
  [[noreturn]] void refuse(const std::string& found, const std::string& allowed) const;

  std::string path_;
  std::unique_ptr<Bytes> bytes_;
  NetraceHeader header_;
  std::uint64_t packets_ = 0;  // packets read so far
  std::uint64_t end_ = 0;      // packets of the file or region
  bool is_region_ = false;
  std::optional<NetracePacket> last_;
};

// Sums over a trace or region, from a first reading that checks all of it.
struct NetraceFacts {
  NetraceHeader header;
  std::optional<int> region;
  std::uint64_t packets = 0;
  std::uint64_t local = 0;  // packets of a node to itself, which need no network
  std::uint64_t dependencies = 0;
  std::uint64_t outside = 0;  // dependents that are not in the file or region
  std::uint64_t first_cycle = 0, last_cycle = 0;
  std::vector<std::uint64_t> sent;          // index: node; packets to others
  std::map<int, std::uint64_t> packets_of;  // to others, by their bytes
  std::uint64_t cycles() const { return packets == 0 ? 0 : last_cycle - first_cycle + 1; }
  int sending_nodes() const;
  std::uint64_t flits(int flit_bytes) const;  // flits of the packets to others
};
inline constexpr int kMaxNetraceBytes = 72;  // longest packet
// Flits of a packet.
constexpr int netrace_flits(int bytes, int flit_bytes) {
  return (bytes + flit_bytes - 1) / flit_bytes;
}
NetraceFacts check_netrace(const std::string& path, std::optional<int> region);

}  // namespace fredsim
