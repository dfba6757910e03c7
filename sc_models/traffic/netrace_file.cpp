// SPDX-License-Identifier: Apache-2.0
#include "traffic/netrace_file.h"

#include <bzlib.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::uint32_t kMagic = 0x484A5455;
constexpr std::size_t kNameBytes = 30;
constexpr std::uint32_t kMaxNotes = 1 << 20;
constexpr std::string_view kMagicOfBzip2 = "BZh";

// Bytes of a packet by its type; 0: no such type. Commands and addresses take 8 bytes, cache lines
// 64 more.
constexpr std::array<int, 31> kBytesOfType{0,  8, 72, 72, 72, 8, 72, 0, 0, 0, 0, 0, 0, 8, 8, 8,
                                           72, 0, 0,  0,  0,  0, 0,  0, 0, 8, 0, 8, 8, 8, 72};

}  // namespace

// The bytes of a file, decompressed block by block.
class NetraceFile::Bytes {
 public:
  explicit Bytes(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) refuse_file(std::strerror(errno));
    std::array<char, kMagicOfBzip2.size()> start{};
    const std::size_t got = std::fread(start.data(), 1, start.size(), file_.get());
    if (std::ferror(file_.get()) != 0) refuse_file(std::strerror(errno));
    std::rewind(file_.get());
    if (std::string_view(start.data(), got) == kMagicOfBzip2) open_stream();
  }
  ~Bytes() { close_stream(); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::uint64_t position() const { return position_; }
  // Reads `size` bytes; fewer only at the end of the file.
  std::size_t read(char* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      if (at_ == filled_ && !fill()) break;
      const std::size_t some = std::min(size - done, filled_ - at_);
      std::copy_n(buffer_.data() + at_, some, to + done);
      at_ += some;
      done += some;
    }
    position_ += done;
    return done;
  }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void refuse_file(const std::string& what) const {
    throw BadInput(fmt::format("{} {}: found {}; allowed: a trace of Netrace (.tra.bz2)",
                               kNetraceOption, path_, what));
  }
  void open_stream() {
    int error = BZ_OK;
    stream_ = BZ2_bzReadOpen(&error, file_.get(), 0, 0, unused_.data(), unused_size_);
    if (error != BZ_OK) refuse_file(fmt::format("no readable bzip2 stream (code {})", error));
  }
  void close_stream() {
    int error = BZ_OK;
    if (stream_ != nullptr) BZ2_bzReadClose(&error, stream_);
    stream_ = nullptr;
  }
  bool fill() {
    at_ = filled_ = 0;
    if (stream_ == nullptr) {
      if (!is_compressed_) filled_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
      return filled_ > 0;
    }
    is_compressed_ = true;
    int error = BZ_OK;
    const int got = BZ2_bzRead(&error, stream_, buffer_.data(), static_cast<int>(buffer_.size()));
    if (error == BZ_UNEXPECTED_EOF)
      refuse_file(fmt::format("a file that is cut after {} bytes of the trace", position_));
    if (error != BZ_OK && error != BZ_STREAM_END)
      refuse_file(fmt::format("damaged bzip2 data behind byte {} (code {})", position_, error));
    filled_ = static_cast<std::size_t>(got);
    if (error == BZ_STREAM_END) next_stream();
    return filled_ > 0 || (stream_ != nullptr && fill());
  }
  // Files may have several streams, one behind the other.
  void next_stream() {
    int error = BZ_OK;
    void* left = nullptr;
    BZ2_bzReadGetUnused(&error, stream_, &left, &unused_size_);
    if (error != BZ_OK) unused_size_ = 0;
    std::copy_n(static_cast<const char*>(left), unused_size_, unused_.data());
    close_stream();
    const int next = unused_size_ > 0 ? 0 : std::fgetc(file_.get());
    if (unused_size_ == 0 && next == EOF) return;
    if (unused_size_ == 0) std::ungetc(next, file_.get());
    open_stream();
  }

  const std::string& path_;
  std::unique_ptr<std::FILE, Closer> file_;
  BZFILE* stream_ = nullptr;
  std::array<char, BZ_MAX_UNUSED> unused_{};
  int unused_size_ = 0;
  bool is_compressed_ = false;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t position_ = 0;
};

namespace {

// Little-endian numbers, one after the other.
class NetraceFields {
 public:
  explicit NetraceFields(const char* from) : from_(from) {}
  template <class Number>
  Number take() {
    std::uint64_t number = 0;
    for (std::size_t byte = 0; byte < sizeof(Number); ++byte)
      number |= std::uint64_t{static_cast<unsigned char>(from_[byte])} << 8 * byte;
    from_ += sizeof(Number);
    return static_cast<Number>(number);
  }
  std::string text(std::size_t size) {
    std::string text(from_, size);
    from_ += size;
    return text.substr(0, text.find('\0'));
  }
  void skip(std::size_t size) { from_ += size; }

 private:
  const char* from_;
};

constexpr std::size_t kHeaderBytes = 4 + 4 + kNameBytes + 1 + 1 + 8 + 8 + 4 + 4 + 8;
constexpr std::size_t kRegionBytes = 24;
constexpr std::size_t kPacketBytes = 21;

}  // namespace

NetraceFile::NetraceFile(const std::string& path, std::optional<int> region)
    : path_(path), bytes_(std::make_unique<Bytes>(path_)) {
  read_header();
  end_ = header_.packets;
  if (region) seek(*region);
}

NetraceFile::~NetraceFile() = default;

void NetraceFile::refuse(const std::string& found, const std::string& allowed) const {
  throw BadInput(
      fmt::format("{} {}: found {}; allowed: {}", kNetraceOption, path_, found, allowed));
}

void NetraceFile::read_header() {
  std::array<char, kHeaderBytes> header{};
  const std::size_t got = bytes_->read(header.data(), header.size());
  NetraceFields fields(header.data());
  const auto magic = fields.take<std::uint32_t>();
  if (got >= sizeof magic && magic != kMagic)
    refuse(fmt::format("a file that begins with 0x{:08x}", magic),
           fmt::format("a trace of Netrace, which begins with 0x{:08x}", kMagic));
  if (got < header.size())
    refuse(fmt::format("{} bytes", got), fmt::format("a header of {} bytes", header.size()));
  const auto version = std::bit_cast<float>(fields.take<std::uint32_t>());
  if (version != 1.0F) refuse(fmt::format("version {:g}", version), "1");
  header_.benchmark = fields.text(kNameBytes);
  header_.nodes = fields.take<std::uint8_t>();
  fields.skip(1);
  header_.cycles = fields.take<std::uint64_t>();
  header_.packets = fields.take<std::uint64_t>();
  const auto notes = fields.take<std::uint32_t>();
  const auto regions = fields.take<std::uint32_t>();
  if (header_.nodes == 0) refuse("0 nodes in the header", "1 to 255");
  if (notes > kMaxNotes || regions > kMaxNetraceRegions)
    refuse(fmt::format("a header with {} bytes of notes and {} regions", notes, regions),
           fmt::format("up to {} bytes and {} regions", kMaxNotes, kMaxNetraceRegions));
  std::vector<char> more(notes + regions * kRegionBytes);
  if (bytes_->read(more.data(), more.size()) != more.size())
    refuse("a file that is cut within its header", "a whole file");
  NetraceFields rest(more.data());
  header_.notes = rest.text(notes);
  for (std::uint32_t r = 0; r < regions; ++r) {
    NetraceRegion region;
    region.offset = rest.take<std::uint64_t>();
    region.cycles = rest.take<std::uint64_t>();
    region.packets = rest.take<std::uint64_t>();
    header_.regions.push_back(region);
  }
}

void NetraceFile::seek(int region) {
  if (region >= std::ssize(header_.regions))
    throw BadInput(fmt::format("--netrace-region: found '{}'; allowed: {}", region,
                               header_.regions.empty()
                                   ? "none, since the trace has no regions"
                                   : fmt::format("0 to {}", header_.regions.size() - 1)));
  end_ = header_.regions[region].packets;
  is_region_ = true;
  std::vector<char> skipped(1 << 16);
  for (std::uint64_t left = header_.regions[region].offset; left > 0;) {
    const std::size_t some = bytes_->read(skipped.data(), std::min<std::uint64_t>(left, 1 << 16));
    if (some == 0)
      refuse(fmt::format("region {} at byte {}, behind the end", region,
                         header_.regions[region].offset),
             "a region within the file");
    left -= some;
  }
}

std::optional<NetracePacket> NetraceFile::next() {
  if (is_region_ && packets_ == end_) return {};
  std::array<char, kPacketBytes> bytes{};
  const std::size_t got = bytes_->read(bytes.data(), bytes.size());
  if (got == 0 && packets_ == end_) return {};
  if (got == 0)
    refuse(fmt::format("{} packets", packets_), fmt::format("{}, as the header says", end_));
  if (packets_ == end_) refuse("more packets than the header says", fmt::to_string(end_));
  if (got < bytes.size())
    refuse(fmt::format("a file that is cut within packet {}", packets_), "a whole file");
  NetraceFields fields(bytes.data());
  NetracePacket packet;
  packet.cycle = fields.take<std::uint64_t>();
  packet.id = fields.take<std::uint32_t>();
  fields.skip(4);
  const int type = fields.take<std::uint8_t>();
  packet.source = fields.take<std::uint8_t>();
  packet.destination = fields.take<std::uint8_t>();
  fields.skip(1);
  packet.dependents.resize(fields.take<std::uint8_t>());
  std::array<char, 4 * 255> ids{};
  const std::size_t size = 4 * packet.dependents.size();
  if (bytes_->read(ids.data(), size) != size)
    refuse(fmt::format("a file that is cut within packet {}", packets_), "a whole file");
  NetraceFields numbers(ids.data());
  for (std::uint32_t& id : packet.dependents) id = numbers.take<std::uint32_t>();
  packet.bytes = type < std::ssize(kBytesOfType) ? kBytesOfType[type] : 0;
  check(packet, type);
  ++packets_;
  last_ = packet;
  return packet;
}

void NetraceFile::check(const NetracePacket& packet, int type) {
  const std::string name = fmt::format("packet {} (id {})", packets_, packet.id);
  if (packet.bytes == 0)
    refuse(fmt::format("type {} in {}", type, name), "types of Netrace that have a size");
  for (const int node : {packet.source, packet.destination})
    if (node >= header_.nodes)
      refuse(fmt::format("node {} in {}", node, name), fmt::format("0 to {}", header_.nodes - 1));
  if (last_ && packet.cycle < last_->cycle)
    refuse(fmt::format("cycle {} in {}, behind cycle {}", packet.cycle, name, last_->cycle),
           "packets in order of cycle");
  if (last_ && packet.id <= last_->id)
    refuse(fmt::format("{} behind id {}", name, last_->id), "ids that ascend");
  for (const std::uint32_t id : packet.dependents)
    if (id <= packet.id)
      refuse(fmt::format("{}, on which id {} depends", name, id),
             "dependents that are later, since others make circles");
}

int NetraceFacts::sending_nodes() const {
  return static_cast<int>(sent.size() - std::ranges::count(sent, std::uint64_t{0}));
}

std::uint64_t NetraceFacts::flits(int flit_bytes) const {
  std::uint64_t flits = 0;
  for (const auto& [bytes, count] : packets_of)
    flits += count * static_cast<std::uint64_t>(netrace_flits(bytes, flit_bytes));
  return flits;
}

NetraceFacts check_netrace(const std::string& path, std::optional<int> region) {
  NetraceFile file(path, region);
  NetraceFacts facts;
  facts.header = file.header();
  facts.region = region;
  facts.sent.resize(static_cast<std::size_t>(facts.header.nodes));
  std::set<std::uint32_t> awaited;
  while (const std::optional<NetracePacket> packet = file.next()) {
    if (facts.packets++ == 0) facts.first_cycle = packet->cycle;
    facts.last_cycle = packet->cycle;
    facts.dependencies += packet->dependents.size();
    if (packet->source == packet->destination) {
      ++facts.local;
    } else {
      ++facts.sent[packet->source];
      ++facts.packets_of[packet->bytes];
    }
    // Ids below this one do not come any more.
    for (auto id = awaited.begin(); id != awaited.end() && *id <= packet->id;) {
      if (*id < packet->id) ++facts.outside;
      id = awaited.erase(id);
    }
    awaited.insert(packet->dependents.begin(), packet->dependents.end());
  }
  facts.outside += awaited.size();
  if (facts.packets == facts.local)
    throw BadInput(
        fmt::format("{} {}: found {} packets, none from one node to another; allowed: a "
                    "trace with packets for a network",
                    kNetraceOption, path, facts.packets));
  return facts;
}

}  // namespace fredsim
