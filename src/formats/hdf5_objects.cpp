#include "formats/hdf5_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>

#include "formats/tar.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

using Messages = std::vector<Hdf5Message>;

// More than any object that is read here has: a bound on what a hostile file can make us walk.
constexpr std::size_t kMaxMessages = 65536;
constexpr std::size_t kMaxBlocks = 1024;
constexpr std::size_t kMaxObjects = 65536;
constexpr std::uint64_t kMaxHeader = std::uint64_t{16} << 20;
constexpr std::size_t kMaxNameLength = 1024;

/// A run of messages of a header, and what is put in front of each.
struct MessageBlock {
  ByteSpan bytes;
  bool old = false;       ///< version 1 of headers
  bool numbered = false;  ///< every message says when it was made
};

/// Appends the messages of a block; continuations go to `more` as (address, size).
Status add_messages(const MessageBlock& block, Messages& messages,
                    std::deque<std::pair<std::uint64_t, std::uint64_t>>& more, std::uint64_t header) {
  Hdf5Cursor cursor(block.bytes);
  const std::size_t prefix = block.old ? 8 : block.numbered ? 6 : 4;
  while (cursor.left() >= prefix) {
    Hdf5Message message;
    message.type = static_cast<std::uint16_t>(cursor.number(block.old ? 2 : 1));
    const std::uint64_t size = cursor.number(2);
    message.shared = (cursor.byte() & 2) != 0;
    cursor.skip(block.old ? 3 : block.numbered ? 2 : 0);
    message.body = cursor.take(size);
    if (!cursor.ok() || messages.size() >= kMaxMessages) {
      return hdf5_damage("an object header does not end", header);
    }
    if (message.type == Hdf5Message::continuation) {
      Hdf5Cursor target(message.body);
      const std::uint64_t address = target.word();
      more.emplace_back(address, target.word());
    }
    messages.push_back(message);
  }
  return {};
}

/// How many bytes of messages an object header says that it has, at most kMaxHeader.
std::uint64_t block_size(ByteSpan prefix) {
  Hdf5Cursor cursor(prefix);
  std::uint64_t size = 0;
  if (cursor.says("OHDR")) {
    cursor.skip(1);
    const unsigned flags = cursor.byte();
    cursor.skip(((flags & 32) != 0 ? 16 : 0) + ((flags & 16) != 0 ? 4 : 0));
    size = cursor.number(std::size_t{1} << (flags & 3));
  } else {
    cursor = Hdf5Cursor(prefix);
    cursor.skip(1 + 1 + 2 + 4);
    size = cursor.number(4);
  }
  return std::min(size, kMaxHeader);
}

struct Superblock {
  std::uint64_t end = 0;  ///< of the file, as it was written
  std::uint64_t root = 0;
};

Result<Superblock> read_superblock(const Hdf5Bytes& file) {
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kNewSize = 48;
  constexpr std::size_t kMaxSuperblock = 128;
  PENSTOCK_ASSIGN(const ByteSpan start, file.from(0, kMaxSuperblock));
  Hdf5Cursor cursor(start);
  cursor.skip(kSignature);
  const unsigned version = cursor.byte();
  Superblock found;
  std::uint64_t base = 0;
  unsigned offsets = 0;
  unsigned lengths = 0;
  unsigned open_flags = 0;
  if (version <= 1) {
    cursor.skip(4);
    offsets = cursor.byte();
    lengths = cursor.byte();
    cursor.skip(1 + 4 + 4 + (version == 1 ? 4 : 0));
    base = cursor.word();
    cursor.skip(8);
    found.end = cursor.word();
    cursor.skip(8 + 8);
    found.root = cursor.word();
  } else if (version <= 3) {
    PENSTOCK_ASSIGN(const ByteSpan whole, file.at(0, kNewSize));
    offsets = cursor.byte();
    lengths = cursor.byte();
    open_flags = cursor.byte();
    base = cursor.word();
    cursor.skip(8);
    found.end = cursor.word();
    found.root = cursor.word();
    if (!hdf5_sum_is_right(whole)) {
      return hdf5_damage("the checksum of its superblock is wrong", 0);
    }
  } else {
    return hdf5_unsupported(fmt::format("an HDF5 file with a superblock of version {}", version));
  }
  if (!cursor.ok()) {
    return hdf5_damage("it ends in its superblock", 0);
  }
  if (offsets != 8 || lengths != 8) {
    return hdf5_unsupported("an HDF5 file with addresses of other than 8 bytes");
  }
  // As the library does: addresses count from where the superblock is, wherever it was once. Only the end is
  // absolute.
  if (found.end < base) {
    return hdf5_damage("its data starts after its end", 0);
  }
  found.end -= base;
  if (found.end > file.size()) {
    return hdf5_damage(fmt::format("it has {} bytes and should have {}", file.size(), found.end),
                       file.size());
  }
  if ((open_flags & 1) != 0) {
    return hdf5_damage("it was not closed by the program that wrote it", 0);
  }
  return found;
}

/// Text up to the first zero.
std::string text_at(ByteSpan bytes) {
  bytes = bytes.first(std::min(bytes.size(), kMaxNameLength));
  const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
  return {bytes.begin(), end};
}

/// A group as files before 1.8 have it: a tree of tables of names.
class OldGroup {
 public:
  OldGroup(const Hdf5Bytes& file, ByteSpan names) : file_(file), names_(names) {}

  Status add(std::uint64_t address) {
    constexpr std::uint64_t kHead = 4 + 1 + 1 + 2;  // its last number is that of the entries
    constexpr std::uint64_t kSymbol = 40;
    PENSTOCK_ASSIGN(const ByteSpan head, file_.from(address, kHead));
    if (++nodes_ > kMaxObjects) {
      return hdf5_damage("the tree of its root group does not end", address);
    }
    Hdf5Cursor cursor(head);
    const bool is_table = cursor.says("SNOD");
    cursor.skip(2);
    PENSTOCK_ASSIGN(const ByteSpan node, file_.from(address, 3 * kHead + 8 + cursor.number(2) * kSymbol));
    cursor = Hdf5Cursor(node);
    if (is_table) {
      cursor.skip(4);
      return add_table(cursor, address);
    }
    if (!cursor.says("TREE") || cursor.byte() != 0) {
      return hdf5_damage("there is no node of a group", address);
    }
    const unsigned level = cursor.byte();
    const std::uint64_t entries = cursor.number(2);
    cursor.skip(8 + 8 + 8);
    if (++depth_ > kMaxHdf5TreeDepth || level > kMaxHdf5TreeDepth) {
      return hdf5_damage("the tree of its root group is too deep", address);
    }
    for (std::uint64_t i = 0; i < entries; ++i) {
      const std::uint64_t child = cursor.word();
      cursor.skip(8);
      if (!cursor.ok()) {
        return hdf5_damage("it ends within a node of a group", address);
      }
      PENSTOCK_TRY(add(child));
    }
    --depth_;
    return {};
  }

  Hdf5Group take() { return std::move(group_); }

 private:
  Status add_table(Hdf5Cursor cursor, std::uint64_t address) {
    constexpr std::uint64_t kSoftLink = 2;
    cursor.skip(2);
    const std::uint64_t symbols = cursor.number(2);
    for (std::uint64_t i = 0; i < symbols; ++i) {
      const std::uint64_t name = cursor.word();
      Hdf5Link link{.header = cursor.word()};
      const bool soft = cursor.number(4) == kSoftLink;
      cursor.skip(4);
      Hdf5Cursor scratch(cursor.take(16));
      const std::uint64_t target = soft ? scratch.number(4) : 0;
      if (!cursor.ok() || target >= names_.size() || name >= names_.size() || ++symbols_ > kMaxObjects) {
        return hdf5_damage("a name of its root group is missing", address);
      }
      if (soft) {
        link = {.kind = Hdf5Link::Kind::soft,
                .target = text_at(names_.subspan(static_cast<std::size_t>(target)))};
      }
      group_.emplace(text_at(names_.subspan(static_cast<std::size_t>(name))), std::move(link));
    }
    return {};
  }

  const Hdf5Bytes& file_;
  ByteSpan names_;
  Hdf5Group group_;
  std::size_t nodes_ = 0;
  std::size_t symbols_ = 0;
  unsigned depth_ = 0;
};

Result<Hdf5Group> read_old_group(const Hdf5Bytes& file, ByteSpan message) {
  Hdf5Cursor cursor(message);
  const std::uint64_t tree = cursor.word();
  const std::uint64_t heap = cursor.word();
  PENSTOCK_ASSIGN(const ByteSpan head, file.at(heap, 32));
  Hdf5Cursor names(head);
  if (!cursor.ok() || !names.says("HEAP")) {
    return hdf5_damage("the names of its root group are missing", heap);
  }
  names.skip(4);
  const std::uint64_t size = names.word();
  names.skip(8);
  PENSTOCK_ASSIGN(const ByteSpan text, file.at(names.word(), size));
  OldGroup group(file, text);
  PENSTOCK_TRY(group.add(tree));
  return group.take();
}

Status add_link(ByteSpan body, Hdf5Group& group, std::uint64_t header) {
  constexpr unsigned kHard = 0;
  constexpr unsigned kSoft = 1;
  Hdf5Cursor cursor(body);
  cursor.skip(1);
  const unsigned flags = cursor.byte();
  const unsigned kind = (flags & 8) != 0 ? cursor.byte() : 0;
  cursor.skip((flags & 4) != 0 ? 8 : 0);
  cursor.skip((flags & 16) != 0 ? 1 : 0);
  const ByteSpan name = cursor.take(cursor.number(std::size_t{1} << (flags & 3)));
  Hdf5Link link;
  if (kind == kHard) {
    link.header = cursor.word();
  } else if (kind == kSoft) {
    const ByteSpan target = cursor.take(cursor.number(2));
    link = {.kind = Hdf5Link::Kind::soft, .target = std::string(target.begin(), target.end())};
  } else {
    link.kind = Hdf5Link::Kind::other_file;
  }
  if (!cursor.ok()) {
    return hdf5_damage("a name of its root group is truncated", header);
  }
  group.emplace(std::string(name.begin(), name.end()), std::move(link));
  return {};
}

/// Fewer bytes only at the end of the file.
Result<Bytes> bytes_at(const Source& file, std::uint64_t at, std::uint64_t most) {
  PENSTOCK_ASSIGN(Bytes bytes, file.read(at, std::min(most, file.size() - at)));
  PENSTOCK_TRY(bytes.intact());
  return bytes;
}

bool begins_as_tar(ByteSpan start) noexcept {
  TarHeader header;
  if (start.size() < sizeof header) {
    return false;
  }
  std::memcpy(&header, start.data(), sizeof header);
  return has_valid_checksum(header);
}

}  // namespace

Result<std::optional<std::uint64_t>> find_hdf5_start(const Source& file) {
  constexpr std::uint64_t kMinUserBlock = 512;
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  PENSTOCK_ASSIGN(const Bytes start, bytes_at(file, 0, kTarBlock));
  if (Hdf5Cursor(start).says(kSignature)) {
    return std::optional<std::uint64_t>(0);
  }
  if (begins_as_tar(start)) {
    return std::optional<std::uint64_t>();
  }
  for (std::uint64_t at = kMinUserBlock; at < file.size(); at *= 2) {
    PENSTOCK_ASSIGN(const Bytes bytes, bytes_at(file, at, kSignature.size()));
    if (Hdf5Cursor(bytes).says(kSignature)) {
      return std::optional<std::uint64_t>(at);
    }
  }
  return std::optional<std::uint64_t>();
}

Result<Messages> hdf5_messages(const Hdf5Bytes& file, std::uint64_t header) {
  constexpr std::uint64_t kMaxPrefix = 64;
  PENSTOCK_ASSIGN(const ByteSpan prefix, file.from(header, kMaxPrefix));
  PENSTOCK_ASSIGN(const ByteSpan start, file.from(header, 2 * kMaxPrefix + block_size(prefix)));
  Hdf5Cursor cursor(start);
  MessageBlock block;
  if (cursor.says("OHDR")) {
    const unsigned version = cursor.byte();
    const unsigned flags = cursor.byte();
    cursor.skip((flags & 32) != 0 ? 16 : 0);
    cursor.skip((flags & 16) != 0 ? 4 : 0);
    block.numbered = (flags & 4) != 0;
    block.bytes = cursor.take(cursor.number(std::size_t{1} << (flags & 3)));
    cursor.skip(4);
    if (!cursor.ok() || version != 2 || !hdf5_sum_is_right(start.first(start.size() - cursor.left()))) {
      return hdf5_damage("the checksum of an object header is wrong", header);
    }
  } else {
    cursor = Hdf5Cursor(start);
    const unsigned version = cursor.byte();
    cursor.skip(1 + 2 + 4);
    const std::uint64_t size = cursor.number(4);
    cursor.skip(4);
    block = {.bytes = cursor.take(size), .old = true, .numbered = false};
    if (!cursor.ok() || version != 1) {
      return hdf5_damage("there is no object header", header);
    }
  }
  Messages messages;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> more;
  PENSTOCK_TRY(add_messages(block, messages, more, header));
  std::uint64_t total = 0;
  for (std::size_t blocks = 0; !more.empty(); ++blocks, more.pop_front()) {
    const auto [address, size] = more.front();
    PENSTOCK_ASSIGN(ByteSpan bytes, file.at(address, size));
    total += size;
    if (blocks == kMaxBlocks || total > kMaxHeader) {
      return hdf5_damage("an object header does not end", header);
    }
    if (!block.old) {
      if (bytes.size() < 8 || !Hdf5Cursor(bytes).says("OCHK") || !hdf5_sum_is_right(bytes)) {
        return hdf5_damage("the checksum of an object header is wrong", address);
      }
      bytes = bytes.subspan(4, bytes.size() - 8);
    }
    PENSTOCK_TRY(
        add_messages({.bytes = bytes, .old = block.old, .numbered = block.numbered}, messages, more, header));
  }
  return messages;
}

Result<Hdf5Group> hdf5_root_group(const Hdf5Bytes& file) {
  PENSTOCK_ASSIGN(const Superblock superblock, read_superblock(file));
  PENSTOCK_ASSIGN(const Messages messages, hdf5_messages(file, superblock.root));
  Hdf5Group group;
  for (const Hdf5Message& message : messages) {
    if (message.type == Hdf5Message::symbol_table) {
      return read_old_group(file, message.body);
    }
    if (message.type == Hdf5Message::link) {
      PENSTOCK_TRY(add_link(message.body, group, superblock.root));
    } else if (message.type == Hdf5Message::link_info) {
      Hdf5Cursor cursor(message.body);
      cursor.skip(1);
      cursor.skip((cursor.byte() & 1) != 0 ? 8 : 0);
      if (cursor.word() != kHdf5Nowhere) {
        return hdf5_unsupported("an HDF5 file with more than 8 objects in its root group");
      }
    }
  }
  return group;
}

Result<std::optional<std::uint64_t>> find_hdf5_object(const Hdf5Group& group, const std::string& name) {
  constexpr int kMaxSteps = 16;
  auto found = group.find(name);
  if (found == group.end()) {
    return std::optional<std::uint64_t>();
  }
  for (int step = 0; found->second.kind != Hdf5Link::Kind::object; ++step) {
    const Hdf5Link& link = found->second;
    if (link.kind == Hdf5Link::Kind::other_file) {
      return hdf5_unsupported(fmt::format("{} is a link to an object of another file", name));
    }
    const std::size_t slash = link.target.starts_with('/') ? 1 : 0;
    const auto next = group.find(link.target.substr(slash));
    if (next == group.end() || step == kMaxSteps) {
      return hdf5_unsupported(
          fmt::format("{} is a soft link to '{}', which {}", name, printable(link.target),
                      step == kMaxSteps ? "leads back to itself" : "is not in the root group"));
    }
    found = next;
  }
  return std::optional(found->second.header);
}

}  // namespace penstock::inline v0
