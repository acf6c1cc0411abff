#include "formats/tar_index.hpp"

#include <cstddef>
#include <cstring>

#include "core/rng.hpp"
#include "formats/sample_table.hpp"
#include "io/range.hpp"

namespace penstock::inline v0 {
namespace {

/// Adds `count` items of `size` bytes at the next aligned place; false if that overflows.
bool place_section(std::uint64_t& end, std::uint64_t& begin, std::uint64_t count,
                   std::uint64_t size) noexcept {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 48;
  begin = end;
  if (count > kLimit / size) {
    return false;
  }
  end += (count * size + kTarIndexAlignment - 1) / kTarIndexAlignment * kTarIndexAlignment;
  return end <= kLimit;
}

template <class T>
std::span<const T> table(ByteSpan bytes, std::uint64_t begin, std::uint64_t count) noexcept {
  return {reinterpret_cast<const T*>(bytes.data() + begin), static_cast<std::size_t>(count)};
}

}  // namespace

std::optional<TarIndexLayout> TarIndexLayout::of(const TarIndexHeader& header) noexcept {
  TarIndexLayout at;
  at.total = sizeof(TarIndexHeader);
  if (header.samples == UINT64_MAX) {
    return {};
  }
  const bool fits = place_section(at.total, at.shards, header.shards, sizeof(ShardRecord)) &&
                    place_section(at.total, at.samples, header.samples + 1, sizeof(SampleRecord)) &&
                    place_section(at.total, at.members, header.members, sizeof(MemberRecord)) &&
                    place_section(at.total, at.extensions, header.extensions, sizeof(ExtensionRecord)) &&
                    place_section(at.total, at.keys, header.key_bytes, 1) &&
                    place_section(at.total, at.text, header.text_bytes, 1);
  return fits ? std::optional(at) : std::nullopt;
}

std::string name_of_shard(const std::string& path, const std::string& tag) {
  return tag.empty() ? path : path + '\0' + tag;
}

std::uint64_t tar_index_checksum(ByteSpan bytes) noexcept {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ull;
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};
  for (std::size_t at = 0; at + 32 <= bytes.size(); at += 32) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = std::rotl((lanes[i] ^ words[i]) * kOdd, 29);
    }
  }
  return mix64(mix64(lanes[0], lanes[1]), mix64(lanes[2], lanes[3]));
}

std::optional<TarIndex> TarIndex::view(Bytes bytes) {
  if (bytes.size() < sizeof(TarIndexHeader) || reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
    return {};
  }
  const auto* const header = reinterpret_cast<const TarIndexHeader*>(bytes.data());
  const bool is_known = header->version == kTarIndexVersion || header->version == kTarIndexEarlierVersion;
  if (header->magic != kTarIndexMagic || !is_known || header->header_size != sizeof(TarIndexHeader) ||
      header->total_size != bytes.size()) {
    return {};
  }
  const auto at = TarIndexLayout::of(*header);
  constexpr std::size_t kBehind = offsetof(TarIndexHeader, checksum) + sizeof header->checksum;
  static_assert(kBehind % kTarIndexAlignment == 0);
  if (!at || at->total != bytes.size() ||
      tar_index_checksum(ByteSpan(bytes).subspan(kBehind)) != header->checksum) {
    return {};
  }
  if (!bytes.intact().ok()) {
    return {};
  }
  TarIndex index;
  index.all_ = bytes.hold();
  index.header_ = *header;
  index.shards_ = table<ShardRecord>(bytes, at->shards, header->shards);
  index.samples_ = table<SampleRecord>(bytes, at->samples, header->samples + 1);
  index.members_ = table<MemberRecord>(bytes, at->members, header->members);
  index.extensions_ = table<ExtensionRecord>(bytes, at->extensions, header->extensions);
  index.keys_ = {reinterpret_cast<const char*>(bytes.data() + at->keys),
                 static_cast<std::size_t>(header->key_bytes)};
  index.text_ = {reinterpret_cast<const char*>(bytes.data() + at->text),
                 static_cast<std::size_t>(header->text_bytes)};
  return index;
}

FileState TarIndex::shard_state(std::uint64_t shard) const noexcept {
  const ShardRecord& record = shards_[shard];
  return {.size = record.size, .modified = record.modified, .changed = record.changed};
}

std::optional<TarIndex::Sample> TarIndex::sample(std::uint64_t sample) const noexcept {
  if (sample >= size()) {
    return {};
  }
  const SampleRecord& record = samples_[sample];
  const std::uint64_t begin = record.first_member();
  const std::uint64_t end = samples_[sample + 1].first_member();
  if (begin > end || end > members_.size() || record.shard() >= shards_.size()) {
    return {};
  }
  return Sample{record.shard(), members_.subspan(begin, end - begin)};
}

std::string_view TarIndex::key(std::uint64_t sample) const noexcept {
  if (sample >= size()) {
    return {};
  }
  const std::uint64_t begin = samples_[sample].key_begin;
  const std::uint64_t end = samples_[sample + 1].key_begin;
  return begin > end || end > keys_.size() || end - begin > kMaxKeyBytes ? std::string_view()
                                                                         : keys_.substr(begin, end - begin);
}

template <class T>
Bytes TarIndex::bytes_of(std::span<const T> records) const noexcept {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(records.data());
  return records.empty() ? Bytes()
                         : all_.lend(static_cast<std::uint64_t>(begin - all_.data()), records.size_bytes());
}

Status TarIndex::check(std::uint64_t sample, std::span<const MemberRecord> members) const {
  if (sample >= size()) {
    return {};
  }
  PENSTOCK_TRY(bytes_of(samples_.subspan(sample, 2)).intact());
  return bytes_of(members).intact();
}

Status TarIndex::check(std::uint64_t sample) const {
  const auto found = this->sample(sample);
  PENSTOCK_TRY(check(sample, found ? found->members : std::span<const MemberRecord>()));
  const std::string_view key = this->key(sample);
  return bytes_of(std::span(key.data(), key.size())).intact();
}

std::string_view TarIndex::text(TextRef part) const noexcept {
  return is_within(part.begin, part.size, text_.size()) ? text_.substr(part.begin, part.size)
                                                        : std::string_view();
}

}  // namespace penstock::inline v0
