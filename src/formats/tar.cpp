#include "formats/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "formats/tar_pax.hpp"
#include "formats/text.hpp"
#include "io/range.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kMaxSize = INT64_MAX;

template <std::size_t N>
std::string_view until_nul(const char (&field)[N]) noexcept {
  return {field, ::strnlen(field, N)};
}

constexpr std::uint64_t padded(std::uint64_t size) noexcept {
  return (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

bool is_zero(ByteSpan bytes) noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool is_header_only(char type) noexcept { return type >= '1' && type <= '6'; }

bool is_posix(const TarHeader& header) noexcept { return std::memcmp(header.magic, "ustar\0", 6) == 0; }

bool has_magic(const TarHeader& header) noexcept { return std::memcmp(header.magic, "ustar", 5) == 0; }

/// Name of the compression, and the command that undoes it, by the first bytes.
std::optional<std::pair<std::string_view, std::string_view>> compression_of(ByteSpan start) noexcept {
  const auto begins = [start](std::string_view magic) {
    return start.size() >= magic.size() && std::memcmp(start.data(), magic.data(), magic.size()) == 0;
  };
  using namespace std::string_view_literals;
  if (begins("\x1F\x8B"sv)) {
    return {{"gzip", "gunzip"}};
  }
  if (begins("BZh"sv)) {
    return {{"bzip2", "bunzip2"}};
  }
  if (begins("\xFD"
             "7zXZ\0"sv)) {
    return {{"xz", "unxz"}};
  }
  if (begins("\x28\xB5\x2F\xFD"sv)) {
    return {{"zstd", "unzstd"}};
  }
  if (begins("\x04\x22\x4D\x18"sv)) {
    return {{"lz4", "unlz4"}};
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_tar_number(std::string_view field) noexcept {
  if (field.empty()) {
    return {};
  }
  if ((static_cast<unsigned char>(field[0]) & 0x80u) != 0) {
    if (static_cast<unsigned char>(field[0]) !=
        0x80u) {  // 0xFF begins a negative number; others are too large
      return {};
    }
    std::uint64_t value = 0;
    for (const char c : field.substr(1)) {
      if (value > (kMaxSize >> 8)) {
        return {};
      }
      value = (value << 8) | static_cast<unsigned char>(c);
    }
    return value;
  }
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::uint64_t value = 0;
  for (const char c : field) {
    if (c == '\0' || c == ' ') {
      break;
    }
    if (c < '0' || c > '7' || value > (kMaxSize >> 3)) {
      return {};
    }
    value = (value << 3) | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool has_valid_checksum(const TarHeader& header) noexcept {
  const auto stored = parse_tar_number({header.checksum, sizeof header.checksum});
  if (!stored) {
    return false;
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&header);
  std::uint32_t unsigned_sum = 0;
  std::uint32_t high_bytes = 0;
  for (std::size_t i = 0; i < sizeof header; ++i) {
    unsigned_sum += bytes[i];
    high_bytes += bytes[i] >> 7;
  }
  for (const char c : header.checksum) {  // counts as spaces
    unsigned_sum += static_cast<std::uint32_t>(' ') - static_cast<unsigned char>(c);
    high_bytes -= static_cast<unsigned char>(c) >> 7;
  }
  if (*stored == unsigned_sum) {
    return true;
  }
  const std::int64_t signed_sum =
      static_cast<std::int64_t>(unsigned_sum) - 256 * static_cast<std::int64_t>(high_bytes);
  return static_cast<std::int64_t>(*stored) == signed_sum;
}

Error TarReader::corrupt(std::uint64_t offset, std::string message, std::string_view member) const {
  if (!member.empty()) {
    message = fmt::format("member '{}': {}", printable(member), message);
  }
  return {.kind = ErrorKind::corrupt,
          .message = std::move(message),
          .advice = "fetch or write the archive again",
          .place = {.shard = source_.name(), .offset = offset, .stage = "index"}};
}

Error TarReader::not_a_header(const TarHeader& header) const {
  if (offset_ != 0 || has_magic(header)) {
    return corrupt(offset_, "wrong checksum of a tar header", until_nul(header.name));
  }
  const ByteSpan start(reinterpret_cast<const std::uint8_t*>(&header), sizeof header);
  Error error{.kind = ErrorKind::unsupported,
              .message = "is not a tar archive",
              .advice = "pass tar shards, or a folder with one folder of images or recordings per class",
              .place = {.shard = source_.name(), .offset = 0, .stage = "index"}};
  if (const auto compression = compression_of(start)) {
    error.message =
        fmt::format("is compressed with {}, which does not allow random access", compression->first);
    error.advice =
        fmt::format("decompress it first ({}); images hardly shrink, so little is lost", compression->second);
  }
  return error;
}

Result<const TarHeader*> TarReader::header_at(std::uint64_t offset) {
  PENSTOCK_ASSIGN(block_, source_.read(offset, kTarBlock));
  return reinterpret_cast<const TarHeader*>(block_.data());
}

Result<std::uint64_t> TarReader::data_size(const TarHeader& header, std::string_view name) const {
  const auto size = parse_tar_number({header.size, sizeof header.size});
  if (!size) {
    return corrupt(offset_, "the size field of its header is not a number", name);
  }
  return *size;
}

/// The data of an extended header; moves past it.
Result<ByteSpan> TarReader::extended_data(const TarHeader& header) {
  const std::uint64_t at = offset_;
  PENSTOCK_ASSIGN(const std::uint64_t size, data_size(header, until_nul(header.name)));
  if (size > kTarMaxExtendedHeader) {
    return corrupt(at, fmt::format("extended header of {} bytes, more than the {} that are accepted", size,
                                   kTarMaxExtendedHeader));
  }
  if (!is_within(at + kTarBlock, padded(size), source_.size())) {
    return corrupt(at, "the archive ends inside an extended header");
  }
  pending_ = at;
  offset_ = at + kTarBlock + padded(size);
  PENSTOCK_ASSIGN(extended_, source_.read(at + kTarBlock, size));
  return ByteSpan(extended_);
}

Status TarReader::read_long_name(const TarHeader& header) {
  const bool is_name = header.type == 'L';
  const std::uint64_t at = offset_;
  PENSTOCK_ASSIGN(const ByteSpan data, extended_data(header));
  const char* const text = reinterpret_cast<const char*>(data.data());
  const std::size_t length = data.empty() ? 0 : ::strnlen(text, data.size());
  if (length == 0) {
    return corrupt(at, "long name (type L or K) without a name");
  }
  if (is_name) {
    long_name_.emplace(text, length);
  }
  return {};
}

Status TarReader::read_pax(const TarHeader& header, PaxHeader& into) {
  const std::uint64_t at = offset_;
  PENSTOCK_ASSIGN(const ByteSpan data, extended_data(header));
  PaxRecords records(data);
  while (const auto record = records.next()) {
    PaxText* text = nullptr;
    if (record->key == "path") {
      text = &into.path;
    } else if (record->key == "size") {
      text = &into.size;
    } else if (record->key.starts_with("GNU.sparse.")) {
      into.sparse = !record->value.empty();
    }
    if (text != nullptr) {
      if (text == &into.path && record->value.find('\0') != std::string_view::npos) {
        return corrupt(at, "PAX header: the name holds a NUL byte", record->value);
      }
      text->state = record->value.empty() ? PaxText::State::deleted : PaxText::State::set;
      text->value = record->value;
    }
  }
  if (!records.fault().empty()) {
    return corrupt(at, fmt::format("PAX header: {}", records.fault()));
  }
  return {};
}

/// Without a heap: in the block itself, or joined with its prefix in `joined_name_`.
std::string_view TarReader::plain_name(const TarHeader& header) noexcept {
  const std::string_view name = until_nul(header.name);
  const std::string_view prefix = is_posix(header) ? until_nul(header.prefix) : std::string_view();
  char* end = joined_name_.data();
  if (!prefix.empty()) {
    end = std::copy(prefix.begin(), prefix.end(), end);
    *end++ = '/';
  }
  end = std::copy(name.begin(), name.end(), end);
  return {joined_name_.data(), static_cast<std::size_t>(end - joined_name_.data())};
}

Result<TarMember> TarReader::finish_member(const TarHeader& header) {
  using State = PaxText::State;
  const auto chosen = [this](PaxText PaxHeader::*key) -> PaxText* {
    PaxText& text = (local_.*key).state != State::unset ? local_.*key : global_.*key;
    return text.state == State::set ? &text : nullptr;
  };
  TarMember member;
  member.header_offset = offset_;
  member.data_offset = offset_ + kTarBlock;
  member.name = plain_name(header);
  const bool plain_directory = header.type == '\0' && member.name.ends_with('/');
  if (PaxText* const path = chosen(&PaxHeader::path); path == &global_.path) {
    member.name = path->value;
  } else if (path != nullptr) {
    pax_name_ = std::move(path->value);
    member.name = pax_name_;
  } else if (long_name_) {
    pax_name_ = std::move(*long_name_);
    member.name = pax_name_;
  }
  if (member.name.empty()) {
    return corrupt(offset_, "tar member without a name");
  }
  const bool regular = header.type == '0' || header.type == '7' || header.type == '\0';
  member.type = plain_directory ? '5' : regular ? '0' : header.type;
  if (header.type == 'S' || (local_.sparse || global_.sparse)) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("member '{}' is stored as a sparse file", printable(member.name)),
                 .advice = "write the archive again without --sparse (-S)",
                 .place = {.shard = source_.name(), .offset = offset_, .stage = "index"}};
  }
  if (!is_header_only(member.type)) {
    if (const PaxText* const size = chosen(&PaxHeader::size)) {
      const auto value = parse_decimal(size->value);
      if (!value || *value > kMaxSize) {
        return corrupt(offset_, "the size in its PAX header is not a number", member.name);
      }
      member.size = *value;
    } else {
      PENSTOCK_ASSIGN(member.size, data_size(header, member.name));
    }
    if (!is_within(member.data_offset, member.size, source_.size())) {
      return corrupt(
          offset_,
          fmt::format("its {} bytes reach past the end of the file ({} bytes): the archive is truncated",
                      member.size, source_.size()),
          member.name);
    }
    if (!is_within(member.data_offset, padded(member.size), source_.size())) {
      return corrupt(offset_, "the archive is truncated in the padding of this member", member.name);
    }
  }
  long_name_.reset();
  local_ = {};
  pending_.reset();
  offset_ = member.data_offset + padded(member.size);
  return member;
}

/// Zero blocks end an archive; more data behind them is what `cat a.tar b.tar` leaves.
void TarReader::check_trailing_data() {
  constexpr std::uint64_t kFar = 64 * 1024;  // writers pad to 10 KiB usually
  std::uint64_t at = offset_ + kTarBlock;
  const std::uint64_t end = source_.size() - at > kFar ? at + kFar : source_.size();
  for (; at < end; at += kTarBlock) {
    const auto block = source_.read(at, std::min(kTarBlock, end - at));
    if (!block.ok()) {
      return;
    }
    if (!is_zero(*block)) {
      doubt_ = fmt::format(
          "has trailing data after its end mark (from byte {}), which is not read; archives must not be "
          "joined with cat",
          at);
      return;
    }
  }
}

Result<std::optional<TarMember>> TarReader::next() {
  if (source_.size() == 0 && !ended_) {
    return corrupt(0, "the file is empty (0 bytes), which is not even an empty archive");
  }
  while (!ended_) {
    const std::uint64_t left = source_.size() - offset_;
    if (left < kTarBlock) {
      PENSTOCK_ASSIGN(block_, source_.read(offset_, left));
      const ByteSpan rest = block_;
      if (!is_zero(rest)) {
        if (offset_ == 0) {
          TarHeader start{};
          std::memcpy(&start, rest.data(), rest.size());
          return not_a_header(start);
        }
        return corrupt(
            offset_,
            fmt::format("the archive is truncated: a header has 512 bytes, but only {} are left", left));
      }
      doubt_ = "has no end mark: it may be truncated";
      ended_ = true;
      break;
    }
    PENSTOCK_ASSIGN(const TarHeader* const header, header_at(offset_));
    if (is_zero({reinterpret_cast<const std::uint8_t*>(header), sizeof *header})) {
      check_trailing_data();
      ended_ = true;
      break;
    }
    if (!has_valid_checksum(*header)) {
      return not_a_header(*header);
    }
    switch (header->type) {
      case 'L':
      case 'K':
        PENSTOCK_TRY(read_long_name(*header));
        break;
      case 'x':
      case 'X':  // Solaris
        PENSTOCK_TRY(read_pax(*header, local_));
        break;
      case 'g': {
        const auto waiting = pending_;
        PENSTOCK_TRY(read_pax(*header, global_));
        pending_ = waiting;  // a global header may be the last thing in an archive
        break;
      }
      default: {
        PENSTOCK_ASSIGN(const TarMember member, finish_member(*header));
        return std::optional<TarMember>(member);
      }
    }
  }
  if (pending_) {
    return corrupt(*pending_, "the archive ends after an extended header, before the member it belongs to");
  }
  return std::optional<TarMember>();
}

}  // namespace penstock::inline v0
