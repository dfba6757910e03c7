// SPDX-License-Identifier: Apache-2.0
#include "workload_files/detail/chakra_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "workload_files/detail/chakra_json.h"
#include "workload_files/gzip_blocks.h"
#include "workload_files/node_place.h"

namespace fredsim {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kSpace = " \t\r\n";

// ------------------------------------------------------------------ protobuf

class UncompressedBytes final : public google::protobuf::io::CopyingInputStream {
 public:
  explicit UncompressedBytes(const std::string& path) : blocks_(path) {}
  int Read(void* buffer, int size) override {
    return static_cast<int>(blocks_.sgetn(static_cast<char*>(buffer), size));
  }

 private:
  GzipBlocks blocks_;
};

class ProtobufStream final : public ChakraStream {
 public:
  ProtobufStream(std::string path, int descriptor)
      : path_(std::move(path)),
        file_(std::make_unique<google::protobuf::io::FileInputStream>(descriptor)) {
    file_->SetCloseOnDelete(true);
    bytes_ = file_.get();
  }
  explicit ProtobufStream(std::string path)
      : path_(std::move(path)),
        compressed_(path_),
        blocks_(std::make_unique<google::protobuf::io::CopyingInputStreamAdaptor>(&*compressed_)),
        bytes_(blocks_.get()) {}

  void metadata(pb::ChakraMetadata& message) override {
    if (!read(message, "metadata"))
      throw BadInput(fmt::format("{}: an empty file; a trace begins with its metadata", path_));
  }
  bool next(pb::ChakraNode& message) override { return read(message, "node"); }
  bool is_json() const override { return false; }

 private:
  // Reads the next message as a whole; false at the end of the file.
  bool read(google::protobuf::Message& message, const char* what) {
    message.Clear();  // parsing adds to what is there
    const std::int64_t start = bytes_->ByteCount();
    bool at_end = false;
    if (google::protobuf::util::ParseDelimitedFromZeroCopyStream(&message, bytes_, &at_end))
      return true;
    if (file_ != nullptr && file_->GetErrno() != 0)
      throw BadInput(
          fmt::format("{}: {}", path_, std::generic_category().message(file_->GetErrno())));
    if (at_end) return false;
    throw BadInput(
        fmt::format("{}: the {} at offset {} is damaged or cut off", path_, what, start));
  }

  std::string path_;
  std::unique_ptr<google::protobuf::io::FileInputStream> file_;
  std::optional<UncompressedBytes> compressed_;
  std::unique_ptr<google::protobuf::io::CopyingInputStreamAdaptor> blocks_;
  google::protobuf::io::ZeroCopyInputStream* bytes_ = nullptr;
};

// ------------------------------------------------------------------ JSON

// Key that an object at the beginning of a text has first; empty: none.
std::string_view first_key(std::string_view text) {
  const std::size_t quote = text.find_first_not_of(kSpace, 1);
  if (quote == std::string_view::npos || text[quote] != '"') return "";
  const std::size_t end = text.find('"', quote + 1);
  return end == std::string_view::npos ? "" : text.substr(quote + 1, end - quote - 1);
}

bool is_message_key(std::string_view key) {
  const auto is_of = [&](const google::protobuf::Descriptor* type) {
    const std::string name(key);
    return type->FindFieldByCamelcaseName(name) != nullptr ||
           type->FindFieldByName(name) != nullptr;
  };
  return key.empty() || key == "unknownFields" || is_of(pb::ChakraMetadata::descriptor()) ||
         is_of(pb::ChakraNode::descriptor());
}

class JsonMessages final : public ChakraStream {
 public:
  explicit JsonMessages(const std::string& path) : path_(path), blocks_(path), stream_(&blocks_) {
    stream_.exceptions(std::ios::badbit);  // errors of the file pass through
    const int first = peek();
    if (first == '[') {
      form_ = Form::kList;
      blocks_.sbumpc();
    } else if (first == '{' && !is_message_key(first_key(blocks_.ahead()))) {
      form_ = Form::kDocument;
      blocks_.sbumpc();
      find_list();
    } else if (first == kEnd) {
      throw BadInput(fmt::format("{}: an empty file; a trace begins with its metadata", path_));
    }
  }

  void metadata(pb::ChakraMetadata& message) override {
    message.Clear();
    if (form_ == Form::kDocument || !read()) return;
    const auto& fields = *pb::ChakraMetadata::descriptor();
    const bool is_metadata =
        value_.is_object() && std::ranges::all_of(value_.items(), [&fields](const auto& item) {
          return item.key() == "unknownFields" ||
                 fields.FindFieldByCamelcaseName(item.key()) != nullptr;
        });
    if (is_metadata)
      read_json_message(value_, path_ + ": metadata", message);
    else
      is_kept_ = true;  // a node
  }

  bool next(pb::ChakraNode& message) override {
    if (!std::exchange(is_kept_, false) && !read()) return false;
    message.Clear();
    ++nodes_;
    if (form_ == Form::kDocument)
      read_feeder_node(value_, place(), message);
    else
      read_json_message(value_, place(), message);
    return true;
  }
  bool is_json() const override { return true; }

 private:
  enum class Form : std::uint8_t { kMessages, kList, kDocument };
  static constexpr int kEnd = -1;

  // Next character that is no space, not consumed.
  int peek() {
    for (;; blocks_.sbumpc()) {
      const int next = blocks_.sgetc();
      if (next == std::char_traits<char>::eof()) return kEnd;
      if (kSpace.find(static_cast<char>(next)) == std::string_view::npos) return next;
    }
  }

  [[noreturn]] void refuse_character(const char* allowed) {
    const int found = peek();
    if (found == kEnd)
      throw BadInput(fmt::format("{}: no JSON at byte {}: the text ends in the middle", path_,
                                 blocks_.offset()));
    throw BadInput(fmt::format("{}: no JSON at byte {}: found '{:c}'; allowed: {}", path_,
                               blocks_.offset() + 1, static_cast<char>(found), allowed));
  }

  void expect(char character, const char* allowed) {
    if (peek() != character) refuse_character(allowed);
    blocks_.sbumpc();
  }

  // The next value, of which nothing behind its end is consumed if it ends on a bracket or quote.
  void parse() {
    try {
      stream_ >> value_;
    } catch (const Json::out_of_range&) {
      throw BadInput(
          fmt::format("{}: no JSON at byte {}: a number too large", path_, blocks_.offset()));
    } catch (const Json::exception&) {
      if (peek() == kEnd) refuse_character("");
      throw BadInput(fmt::format("{}: no JSON at byte {}", path_, blocks_.offset()));
    }
  }

  // Keys of a document up to its list of nodes.
  void find_list() {
    for (;; expect(',', "',' or '}'")) {
      if (peek() != '"') refuse_character("a key");
      parse();
      const std::string key = value_.get<std::string>();
      expect(':', "':'");
      if (key == "workload_graph") {
        expect('[', "'[', a list of nodes");
        return;
      }
      refuse_profile(key);
      skip();
      if (peek() == '}')
        throw BadInput(fmt::format(
            "{}: workload_graph: found none; allowed: a Chakra trace as JSON: its messages, or "
            "{{\"workload_graph\": [node, …]}}",
            path_));
    }
  }

  void refuse_profile(const std::string& key) const {
    if (key == "traceEvents" || key == "deviceProperties")
      throw BadInput(fmt::format(
          "{}: {}: found a profile of PyTorch; allowed: a Chakra trace, as fredsim trace convert "
          "makes of profiles",
          path_, key));
    if (key == "nodes")
      throw BadInput(fmt::format(
          "{}: nodes: found an execution trace of PyTorch's host, which has no durations; allowed: "
          "a Chakra trace, as fredsim trace convert PROFILE --host {} makes with the profile",
          path_, path_));
  }

  // A value that is not needed.
  void skip() {
    const int first = peek();
    if (first == '{' || first == '[' || first == '"') return parse();
    for (int next = blocks_.sgetc(); next != std::char_traits<char>::eof(); next = blocks_.snextc())
      if (next == ',' || next == '}') return;
  }

  // The next message; false at the end of all.
  bool read() {
    if (is_done_) return false;
    if (form_ == Form::kMessages) {
      if (peek() == kEnd) return !(is_done_ = true);
      parse();
      return true;
    }
    if (peek() == ']') {
      blocks_.sbumpc();
      finish();
      return false;
    }
    if (is_behind_first_) expect(',', "',' or ']'");
    is_behind_first_ = true;
    if (peek() != '{') refuse_character("an object");
    parse();
    return true;
  }

  // The rest of a file behind its list.
  void finish() {
    is_done_ = true;
    while (form_ == Form::kDocument && peek() != '}') {
      expect(',', "',' or '}'");
      if (peek() != '"') refuse_character("a key");
      parse();
      expect(':', "':'");
      skip();
    }
    if (form_ == Form::kDocument) blocks_.sbumpc();
    if (peek() != kEnd) refuse_character("the end of the file");
  }

  // "FILE: node 17 (NAME)", or the number of the node in the file if it has no id.
  std::string place() const {
    const auto text = [this](std::initializer_list<const char*> keys, bool may_be_number) {
      for (const char* const key : keys) {
        if (!value_.is_object()) break;
        const auto found = value_.find(key);
        if (found == value_.end()) continue;
        if (found->is_string()) return found->get<std::string>();
        if (may_be_number && found->is_number_unsigned())
          return fmt::to_string(found->get<std::uint64_t>());
      }
      return std::string();
    };
    const std::string id = text({"id", "Id"}, true), name = text({"name", "Name"}, false);
    if (id.empty()) return fmt::format("{}: node number {}", path_, nodes_);
    return fmt::format("{}: node {}{}", path_, id, name.empty() ? "" : fmt::format(" ({})", name));
  }

  std::string path_;
  GzipBlocks blocks_;
  std::istream stream_;
  Form form_ = Form::kMessages;
  Json value_;
  bool is_kept_ = false;  // `value_` was not given
  bool is_behind_first_ = false, is_done_ = false;
  std::uint64_t nodes_ = 0;
};

std::string_view without_gz(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path;
}

bool is_chakra_json(const std::string& path) {
  const std::string_view name = without_gz(path);
  return name.ends_with(".json") || name.ends_with(".jsonl");
}

// JSON as far as the first bytes tell: protobuf's metadata begin otherwise.
bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  const std::size_t second = text.find_first_not_of(kSpace, first + 1);
  return second != std::string_view::npos &&
         std::string_view("\"{}[]").find(text[second]) != std::string_view::npos;
}

}  // namespace

std::unique_ptr<ChakraStream> ChakraStream::open(const std::string& path) {
  if (is_chakra_json(path)) return std::make_unique<JsonMessages>(path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw BadInput(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  std::array<char, 64> begin{};
  const ssize_t size = ::pread(descriptor, begin.data(), begin.size(), 0);
  std::string_view text(begin.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
  const bool is_gzip = text.starts_with("\x1f\x8b");
  if (!is_gzip && (path.ends_with(".et") || !looks_like_json(text)))
    return std::make_unique<ProtobufStream>(path, descriptor);
  ::close(descriptor);
  if (!is_gzip) return std::make_unique<JsonMessages>(path);
  if (!without_gz(path).ends_with(".et") && looks_like_json(GzipBlocks(path).ahead()))
    return std::make_unique<JsonMessages>(path);
  return std::make_unique<ProtobufStream>(path);
}

}  // namespace fredsim
